"""Templates × people × words, written out as sentences: vectorised, lazy, in a fixed order.

Sentence *i* of a template is found by arithmetic, not by looping: its person, its word and every
form that agrees with them are looked up in small tables, a stretch of rows at a time. Memory
depends on the batch and on the lists, never on the number of sentences.

Order: templates as in the file, then words, then the people held fixed, then the person under
comparison; so the sentences of one frame stand together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.design import (
    PERSON_FREE,
    SPEAKER,
    AgreeingSlot,
    ArticleSlot,
    Design,
    Person,
    PersonSlot,
    Template,
    Word,
    WordSlot,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Index = NDArray[np.int64]


FRAME = "/"
"""Between the parts of a frame: 1/anger/angry."""
JOINED = "+"
"""Between the emotions and lemmas of a template with two word slots: joy+sadness."""


def template_size(template: Template) -> int:
    """How many sentences a template has, without writing one."""
    return cells(template).size


def design_size(design: Design) -> int:
    """How many sentences a design has, without writing one."""
    if design.deal:
        return design.deal.size
    return sum(template_size(template) for template in design.templates)


def expand(design: Design, rows: int) -> Iterator[pl.DataFrame]:
    """Write a design's sentences in batches of at most `rows`, as the `sentences` table."""
    for template in design.templates:
        layout = cells(template)
        columns = {
            name: merge_pieces(pieces)
            for name, pieces in _columns(design, template, layout).items()
        }
        if design.deal:
            stretches = design.deal.stretches(design, template, layout, rows)
        else:
            starts = range(0, layout.size, rows)
            stretches = (layout.rows(at, min(at + rows, layout.size)) for at in starts)
        for at in stretches:
            yield pl.select(column(pieces, at).alias(name) for name, pieces in columns.items())


def write_with_slot(design: Design, template: Template, slot: str) -> pl.DataFrame:
    """A template's sentences with a further column `surface`: what stands in one of its slots."""
    layout = cells(template)
    position = next(
        n for n, piece in enumerate(template.pieces) if getattr(piece, "name", None) == slot
    )
    columns = _columns(design, template, layout)
    columns["surface"] = [_slot_table(design, template, layout, position)]
    at = layout.rows(0, layout.size)
    return pl.select(column(pieces, at).alias(name) for name, pieces in columns.items())


def _columns(design: Design, template: Template, layout: Cells) -> dict[str, Pieces]:
    """Every column of the template's sentences, as pieces to look up and join."""
    people, (_, *others) = layout.people, template.person_slots
    emotions = _per_combination(template, layout, lambda word: word.emotion)
    lemmas = _per_combination(template, layout, lambda word: word.lemma)
    fixed = [
        [slot.people[index].name for slot, index in zip(others, row, strict=True)]
        for row in layout.others.tolist()
    ]
    frames = [
        FRAME.join([template.id, *(part for part in (emotion, lemma) if part), *names])
        for emotion, lemma in zip(emotions, lemmas, strict=True)
        for names in fixed
    ]
    return {
        "id": _ids(design, template, layout),
        "text": _text(design, template, layout),
        "corpus": [design.name],
        "edition": [design.edition],
        "language": [design.language],
        "template": [template.id],
        "person": [_by_person([person.name for person in people])],
        **{
            axis.name: [_by_person([person.groups.get(axis.name) for person in people])]
            for axis in design.axes
        },
        "emotion": [_by_words(emotions)],
        "emotion_word": [_by_words(lemmas)],
        "frame": [TextColumn(frames, "frame", lambda at: at.words * len(fixed) + at.others)],
        "match": [_by_person([person.match for person in people])],
    }


def _by_person(values: Sequence[str | None]) -> TextColumn:
    return TextColumn(values, "person", lambda at: at.person)


def _by_words(values: Sequence[str | None]) -> TextColumn:
    return TextColumn(values, "words", lambda at: at.words)


def _per_combination(
    template: Template, layout: Cells, part: Callable[[Word], str]
) -> list[str | None]:
    """A part of each word combination, joined where slots differ; null without words."""
    slots = template.word_slots
    if not slots:
        return [None] * len(layout.words)
    parts = [[part(word) for word in slot.words] for slot in slots]
    return [
        JOINED.join(dict.fromkeys(parts[slot][index] for slot, index in enumerate(row)))
        for row in layout.words.tolist()
    ]


def _ids(design: Design, template: Template, layout: Cells) -> Pieces:
    """IDs that say where a sentence comes from: t07-w13-p42 is template 7, word 13, person 42.

    Words are numbered within their list and people through the whole corpus, in file order, so
    appending to the last list leaves every older ID as it was; both editions share them.
    """
    number = {
        id(person): person.number or position
        for position, person in enumerate(design.people, start=1)
    }
    pieces: Pieces = [f"t{template.id.zfill(2)}"]
    for slot in template.word_slots:
        numbers = [f"-w{position:02}" for position in range(1, len(slot.words) + 1)]
        pieces.append(_which(template, layout, slot, numbers))
    _, *others = template.person_slots
    for person_slot in others:
        numbers = [f"-q{number[id(person)]:02}" for person in person_slot.people]
        pieces.append(_whose(template, layout, person_slot.name, numbers))
    pieces.append(_by_person([f"-p{number[id(person)]:02}" for person in layout.people]))
    return pieces


def _text(design: Design, template: Template, layout: Cells) -> Pieces:
    """The sentence itself: literal text and looked-up forms, capitalised and with its articles.

    An article is constant before literal text, else it follows the next slot.
    """
    pieces: Pieces = []
    for position in range(len(template.pieces) - 1, -1, -1):
        if isinstance(template.pieces[position], ArticleSlot):
            filled = (p for p in pieces if isinstance(p, TextColumn) or re.search(r"[^\W_]", p))
            after = next(filled, "")
            article = article_before(after) if isinstance(after, str) else after.map(article_before)
            pieces.insert(0, article)
        else:
            pieces.insert(0, _slot_table(design, template, layout, position))
    for position, piece in enumerate(pieces if template.capitalise else ()):
        if isinstance(piece, TextColumn):
            pieces[position] = piece.map(capitalise)
            break
        if any(letter.isalpha() for letter in piece):
            pieces[position] = capitalise(piece)
            break
    return pieces


def _slot_table(
    design: Design, template: Template, layout: Cells, position: int
) -> str | TextColumn:
    piece = template.pieces[position]
    match piece:
        case PersonSlot():
            who = piece.repeats or piece.name
            return _whose(template, layout, who, [piece.surface(p) for p in piece.people])
        case AgreeingSlot():
            people = template.person_slot(piece.agrees).people
            forms = [piece.forms.get(design.agreement_form(person) or "") for person in people]
            return _whose(template, layout, piece.agrees, forms)
        case WordSlot(agrees=agrees) if agrees in PERSON_FREE:
            fixed = design.speaker if agrees == SPEAKER else piece.form
            return _which(template, layout, piece, [word.form(fixed) for word in piece.words])
        case WordSlot():  # a form for each word and gender of who it agrees with
            people = template.person_slot(piece.agrees).people
            asked = [design.agreement_form(person) for person in people]
            agreements = list(dict.fromkeys(asked))
            kind = np.array([agreements.index(form) for form in asked], dtype=np.int64)
            which = _which(template, layout, piece, [])
            whose = _whose(template, layout, piece.agrees, [])
            return TextColumn(
                [word.form(agreement) for word in piece.words for agreement in agreements],
                f"word {piece.name} × {piece.agrees}",
                lambda at: which.index(at) * len(agreements) + kind[whose.index(at)],
            )
        case _:
            return str(piece)


def _whose(
    template: Template, layout: Cells, slot: str, values: Sequence[str | None]
) -> TextColumn:
    """A table over the people of one slot, wherever that slot's index comes from."""
    if slot == template.focus:
        return _by_person(values)
    position = [other.name for other in template.person_slots[1:]].index(slot)
    column = layout.others[:, position]
    return TextColumn(values, f"other {slot}", lambda at: column[at.others])


def _which(
    template: Template, layout: Cells, slot: WordSlot, values: Sequence[str | None]
) -> TextColumn:
    """A table over the words of one slot."""
    column = layout.words[:, template.word_slots.index(slot)]
    return TextColumn(values, f"word {slot.name}", lambda at: column[at.words])


def capitalise(text: str) -> str:
    """The text with its first letter in upper case.

    >>> capitalise("¿él va?")
    '¿Él va?'
    """
    for position, letter in enumerate(text):
        if letter.isalpha():
            return text[:position] + letter.upper() + text[position + 1 :]
    return text


# -------------------------------- which words and people stand in a sentence


@dataclass(frozen=True, slots=True)
class Rows:
    """A stretch of a template's sentences, as index arrays of shape (rows,)."""

    words: Index
    """Which combination of words stands in the row."""
    others: Index
    """Which combination of the people held fixed."""
    person: Index
    """Which of the people under comparison."""


@dataclass(frozen=True)
class TextColumn:
    """Text by row: a small list of values, and which of them each row takes."""

    values: Sequence[str | None]
    over: str
    """What the values are laid out over; tables over the same thing have the same index."""
    index: Callable[[Rows], Index]

    @cached_property
    def _series(self) -> pl.Series:
        return pl.Series(self.values, dtype=pl.String)

    def rows(self, at: Rows) -> pl.Series:
        """The values of a stretch of rows."""
        return self._series.gather(self.index(at))

    def map(self, change: Callable[[str], str]) -> TextColumn:
        """The same rows with every value changed."""
        return replace(self, values=[None if v is None else change(v) for v in self.values])


Pieces = list[str | TextColumn]


@dataclass(frozen=True, slots=True)
class Cells:
    """The combinations a template runs through.

    `words` has shape (W, word slots) and `others` (O, further person slots): indices into the
    slots' lists. With P people under comparison the template has W × O × P sentences.
    """

    words: Index
    others: Index
    people: tuple[Person, ...]

    @property
    def size(self) -> int:
        """How many sentences the template has."""
        return len(self.words) * len(self.others) * len(self.people)

    def rows(self, start: int, stop: int) -> Rows:
        """What stands in sentences `start` to `stop`, the person changing fastest."""
        row = np.arange(start, stop, dtype=np.int64)
        frame, person = np.divmod(row, len(self.people))
        words, others = np.divmod(frame, len(self.others))
        return Rows(words, others, person)


def cells(template: Template) -> Cells:
    """Lay out a template's combinations; a word never stands twice in one sentence."""
    focus, *others = template.person_slots
    words = _combinations([len(slot.words) for slot in template.word_slots])
    lemmas = [np.array([word.lemma for word in slot.words]) for slot in template.word_slots]
    for first in range(len(lemmas)):
        for second in range(first):
            words = words[lemmas[first][words[:, first]] != lemmas[second][words[:, second]]]
    return Cells(words, _combinations([len(slot.people) for slot in others]), focus.people)


def _combinations(sizes: list[int]) -> Index:
    """Every combination of indices below the sizes, shape (product, len(sizes)), last fastest."""
    return np.indices(sizes, dtype=np.int64).reshape(len(sizes), math.prod(sizes)).T


def merge_pieces(pieces: Pieces) -> Pieces:
    """The same text in fewer pieces: literals and tables over the same thing joined beforehand."""
    done: Pieces = []
    for piece in pieces:
        last = done.pop() if done else ""
        if isinstance(last, str):
            done.append(last + piece if isinstance(piece, str) else piece.map(last.__add__))
        elif isinstance(piece, str):
            ended = [None if value is None else value + piece for value in last.values]
            done.append(replace(last, values=ended))
        elif last.over == piece.over:
            both = zip(last.values, piece.values, strict=True)
            done.append(replace(last, values=[f"{first}{second}" for first, second in both]))
        else:
            done += [last, piece]
    return done


def column(pieces: Pieces, at: Rows) -> pl.Expr:
    """The pieces of a stretch of rows, looked up and joined."""
    parts = [pl.lit(piece if isinstance(piece, str) else piece.rows(at)) for piece in pieces]
    return parts[0] if len(parts) == 1 else pl.concat_str(parts)


# -------------------------------- a or an, by sound


_SILENT_H = r"hour|honest|honou?r|heir"
_VOWEL_NUMBER = r"8|1[18](?!\d)"
_VOWEL_LETTER = r"(?-i:[AEFHILMNORSX](?=[A-Z0-9.\-]|\b))"
_CONSONANT_LETTER = r"(?-i:[BCDGJKPQTUVWYZ](?=[A-Z0-9.\-]|\b))"
_YOU = (
    r"uni(?=que|form|on|t|ver|corn|lat|sex|son|fi|x|cy|ce|cod|pol)|ubiq|ukr|us[aeiu]|util|ut[eo]p|"
    r"ur[aeio]|eu|ewe"
)
_WON = r"one\b|once\b|oui"
_AN = re.compile(rf"{_SILENT_H}|{_VOWEL_NUMBER}|{_VOWEL_LETTER}", re.IGNORECASE)
_A = re.compile(rf"{_YOU}|{_WON}|{_CONSONANT_LETTER}", re.IGNORECASE)


def article_before(text: str) -> str:
    """Return 'a' or 'an', as the first sound of the text asks.

    >>> [article_before(word) for word in ("amazing", "dreadful", "hour", "unique", "MRI scan")]
    ['an', 'a', 'an', 'a', 'an']
    """
    word = text.lstrip(" \t\"'“‘(«")
    if _AN.match(word):
        return "an"
    if _A.match(word):
        return "a"
    return "an" if word[:1].lower() in set("aeiou") else "a"
