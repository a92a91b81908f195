"""One table of a file of words: what it says under each key, and what is wrong there."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.corpora.design import Provenance, is_language
from tiltmeter.errors import Problem, did_you_mean
from tiltmeter.records import TomlLocator

REVIEWS = ("unreviewed", "reviewed", "published")


@dataclass(frozen=True, slots=True)
class Part:
    """One table of a file, where it stands, and the problems found in it and its neighbours."""

    source: TomlLocator
    header: str
    values: Mapping[str, Any]
    problems: list[Problem]
    nth: int = 0

    def wrong(self, what: str, *words: str) -> None:
        """Note a mistake at the line of the last of the words within this table."""
        self.problems.append(Problem(self.source.at(self.header, *words, nth=self.nth), what))

    def only(self, *keys: str) -> None:
        """Note every key that has no meaning here."""
        for key in self.values:
            if key not in keys:
                near = did_you_mean(key, keys) or f"expected {', '.join(keys)}"
                self.wrong(f"unknown key {key!r} in {self.header}: {near}", key)

    def text(self, key: str, default: str | None = None) -> str:
        """A text; without a default it must be there and not be empty."""
        value = self.values.get(key, default)
        if isinstance(value, str) and (value.strip() or default is not None):
            return value.strip()
        if key not in self.values:
            self.wrong(f'{self.header} has no {key!r}; give it one, as in {key} = "…"')
        else:
            self.wrong(f"{key!r} is {value!r}; expected a text in quotes", key)
        return ""

    def texts(self, *keys: str) -> None:
        """Note every one of these keys that is there and is not a text."""
        for key in keys:
            self.text(key, "")

    def number(self, key: str) -> float | None:
        """A number, or None where the key is not there."""
        value = self.values.get(key)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return None if value is None else float(value)
        self.wrong(f"{key!r} is {value!r}; expected a number, as in 1.5", key)
        return None

    def words(self, key: str, least: int = 1, *, once: bool = True) -> tuple[str, ...]:
        """A list of words, none empty, at least so many; each once, where that is asked."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or (key not in self.values and least):
            self._no_list(key, value)
            return ()
        found = tuple(word for word in value if self._is_word(key, word))
        for word, times in Counter(found).items():
            if once and times > 1:
                self.wrong(f"{word!r} stands {times} times in {key!r}; keep one", key, f'"{word}"')
        if len(found) < least and len(found) == len(value):
            self.wrong(f"{key!r} has {len(found):,} words; expected at least {least}", key)
        return tuple(map(composed, dict.fromkeys(found) if once else found))

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A list of pairs of words, as in [["she", "he"], ["her", "his"]]."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            self._no_list(key, value)
            return ()
        whole = [pair for pair in value if self._is_pair(key, pair)]
        return tuple((composed(first), composed(second)) for first, second in whole)

    def provenance(self) -> Provenance:
        """TomlLocator, licence, review and note, as far as they are said."""
        review = self.text("review", "") or REVIEWS[0]
        if not review.startswith(REVIEWS):
            what = f"'review' is {review!r}; expected it to begin with {', '.join(REVIEWS)}"
            self.wrong(what, "review")
        return Provenance(
            self.text("source", ""), self.text("licence", ""), review, self.text("note", "")
        )

    def language(self) -> str:
        """The code of the language; English where it is not said."""
        code = self.text("language", "en")
        if not is_language(code):
            self.wrong(f"'language' is {code!r}; expected a code, as in en, es or ar", "language")
        return code

    def _no_list(self, key: str, value: object) -> None:
        found = f"{key!r} is {value!r}" if key in self.values else f"{self.header} has no {key!r}"
        self.wrong(f'{found}; expected a list of words, as in {key} = ["…", "…"]', key)

    def _is_word(self, key: str, word: object) -> bool:
        if isinstance(word, str) and word.strip() == word and word and "\n" not in word:
            return True
        shown = "an empty word" if word == "" else repr(word)
        self.wrong(f"{shown} in {key!r}; expected a word without spaces around it", key, str(word))
        return False

    def _is_pair(self, key: str, pair: object) -> bool:
        if not isinstance(pair, list) or len(pair) != 2:
            self.wrong(f"{pair!r} in {key!r}; expected a pair of two words", key)
            return False
        return not [word for word in pair if not self._is_word(key, word)]


def composed(word: str) -> str:
    """The word in Unicode NFC, as embeddings mostly spell it."""
    return unicodedata.normalize("NFC", word)
