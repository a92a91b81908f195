"""Why one text has its score: each word left out, each name alone, and the system's own lexicon.

For any black box: the system is asked for the text, for the text without each word, for the text
without its people, and for each name by itself. A word's effect is the score with it less the score
without it. Effects do not add up to the score where words work together (*not good*), and they show
what the score hangs on, not how the system computes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.studies.explain.knowledge import own_lexicon

__all__ = ["TextExplanation", "TextProbe", "explain_text", "own_lexicon", "probe_text"]
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
MOST_WORDS = 60
"""Words of a text that are left out in turn; each is one question to the system."""


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word of a text and where it stands."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class TextProbe:
    """What is asked of a system to explain one text."""

    text: str
    words: tuple[TextWord, ...]
    names: tuple[str, ...]
    """Names of people in it, each asked by itself."""

    @property
    def without_words(self) -> tuple[str, ...]:
        """The text without each of its words in turn."""
        return tuple(leave_out(self.text, [word]) for word in self.words)

    @property
    def without_names(self) -> str:
        """The text without any of its names."""
        return leave_out(self.text, [word for word in self.words if word.text in self.names])

    @property
    def questions(self) -> tuple[str, ...]:
        """Every text that is asked, each once: this is what an explanation costs."""
        asked = (self.text, *self.without_words, self.without_names, *self.names)
        return tuple(dict.fromkeys(asked))

    @property
    def shortened(self) -> bool:
        """Whether the text has more words than are left out."""
        return len(WORD.findall(self.text)) > len(self.words)


@dataclass(frozen=True, slots=True)
class WordEffect:
    """What a word does to a score."""

    word: TextWord
    effect: float | None
    """The score with the word less the score without it; None: no score."""
    is_name: bool
    lexicon: float | None = None
    """Its value in the system's own lexicon, where we can read that."""


@dataclass(frozen=True, slots=True)
class TextExplanation:
    """Why a text has its score."""

    score: float | None
    effects: tuple[WordEffect, ...]
    without_names: float | None
    names_alone: Mapping[str, float | None]
    nothing: str
    """What it does not show."""


def probe_text(text: str, names: Sequence[str] = ()) -> TextProbe:
    """What to ask to explain a text; `names` are the people in it.

    >>> probe_text("Adam feels sad.", ["Adam"]).without_words
    ('feels sad.', 'Adam sad.', 'Adam feels.')
    """
    words = [TextWord(match.start(), match[0]) for match in WORD.finditer(text)][:MOST_WORDS]
    return TextProbe(text, tuple(words), tuple(dict.fromkeys(names)))


def leave_out(text: str, words: Sequence[TextWord]) -> str:
    """The text without some of its words, and without the space that each leaves.

    >>> leave_out("So, Adam feels sad.", [TextWord(4, "Adam")])
    'So, feels sad.'
    """
    for word in sorted(words, key=lambda one: -one.start):
        before, after = text[: word.start], text[word.start + len(word.text) :]
        closes = not after or after[0] in ".,;:!?…)]”"
        text = (before.rstrip() if closes else before) + (after if closes else after.lstrip())
    return text


def explain_text(
    probe: TextProbe, scores: Mapping[str, float | None], lexicon: Mapping[str, float] | None = None
) -> TextExplanation:
    """Effects of words from the scores of everything that was asked."""
    whole = scores.get(probe.text)
    effects = []
    for word, without in zip(probe.words, probe.without_words, strict=True):
        rest = scores.get(without)
        effect = None if whole is None or rest is None else whole - rest
        value = lexicon.get(word.text.lower()) if lexicon else None
        effects.append(WordEffect(word, effect, word.text in probe.names, value))
    return TextExplanation(
        whole,
        tuple(effects),
        scores.get(probe.without_names),
        {name: scores.get(name) for name in probe.names},
        NOT_SHOWN,
    )


NOT_SHOWN = (
    "A word’s effect is the score with it less the score without it. Effects need not add up, as "
    "words work together. They show what this score hangs on, not how the system computes it."
)
