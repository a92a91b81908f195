"""Commands that are shown to be pasted: a shell runs Tiltmeter with these words, and nothing else.

A name in them may come from a stranger's folder: `$(touch ran)`, or one that begins like an option.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

LONGEST = 10_000
"""Letters of a command that is shown."""
REPEATABLE = (("audit",), ("gate",), ("reproduce",), ("corpus", "export"))
"""What an audit's folder may say to run: it asks systems or writes sentences, and removes none."""


def paste_word(word: str) -> str:
    """A name or path as it is typed: one word of a shell, and never an option.

    >>> paste_word("vader"), paste_word("$(touch ran)"), paste_word("--force")
    ('vader', "'$(touch ran)'", './--force')
    """
    return shlex.quote(f"./{word}" if word.startswith("-") else word)


def paste_words(words: Sequence[str]) -> str:
    """Several of them."""
    return " ".join(map(paste_word, words))


def paste_command(text: str) -> str:
    """A command that a folder holds, quoted anew; nothing where it is none to repeat.

    >>> paste_command("tiltmeter audit vader; touch ran")
    "tiltmeter audit 'vader;' touch ran"
    >>> paste_command("touch ran; tiltmeter audit vader"), paste_command("tiltmeter store prune")
    ('', '')
    """
    if len(text) > LONGEST or not text.isprintable():
        return ""
    try:
        program, *words = shlex.split(text)
    except ValueError:  # no word, or a quote that does not end
        return ""
    known = program == "tiltmeter" and any(
        tuple(words[: len(command)]) == command for command in REPEATABLE
    )
    return shlex.join([program, *words]) if known else ""
