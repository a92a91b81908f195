"""Lists of plain words of ours: ordinary words, occupations, and sentences that hold a word."""

from __future__ import annotations

from tiltmeter.corpora.schema import PROVENANCE
from tiltmeter.corpora.words.word_file import DATA, read_word_file

WORD_LISTS = ("ordinary", "occupations")
HEAD = ("name", "title", "language", *PROVENANCE)
SLOT = "{word}"


def load_ordinary_words() -> tuple[str, ...]:
    """Everyday words without sentiment that speak of nobody, of several kinds.

    >>> words = load_ordinary_words()
    >>> len(words) > 200, "table" in words, "wooden" in words
    (True, True, True)
    """
    return words_of_list("ordinary")


def words_of_list(name: str) -> tuple[str, ...]:
    """The words of a list of ours, all kinds together."""
    file = read_word_file(DATA / f"{name}.toml", "list", "words")
    file.head.only(*HEAD)
    file.head.provenance()
    words = [word for part in file.entries for word in part.words("words")]
    for part in file.entries:
        part.only("kind", "words")
    for word in dict.fromkeys(word for word in words if words.count(word) > 1):
        file.head.wrong(f"{word!r} stands in two kinds; keep one", f'"{word}"')
    file.check()
    return tuple(words)


def load_sentence_templates() -> tuple[str, ...]:
    """Sentences that say next to nothing, with {word} for a word: May et al. (2019).

    >>> load_sentence_templates()[0].format(word="Emily")
    'This is Emily.'
    """
    file = read_word_file(DATA / "sentence-templates.toml", "list")
    file.head.only(*HEAD, "templates")
    templates = file.head.words("templates")
    for template in templates:
        if template.count(SLOT) != 1:
            file.head.wrong(f"{template!r} needs one {SLOT}", template)
    file.check()
    return templates
