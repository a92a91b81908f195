"""What a reader of a study of embeddings should know besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.flow.embedding_links import Deviations
from tiltmeter.flow.embedding_reading import Read
from tiltmeter.flow.embedding_words import ENGLISH, Vocabulary
from tiltmeter.measures import MendingStudy


def notes_of_embeddings(
    words: Vocabulary,
    read: Sequence[Read],
    mendings: Sequence[MendingStudy],
    seen: Deviations | None,
    *,
    published: bool,
) -> tuple[str, ...]:
    """Notes of the whole study; what is odd about one embedding stands with its reading."""
    return tuple(
        dict.fromkeys(
            [
                *(f"lexicon: {note}" for note in words.lexicon.notes),
                *_languages(words, read),
                *([] if published else _not_beside_ordinary(words)),
                *([] if published else _left_out(words)),
                *([] if seen is None else seen.notes),
                *(note for one in mendings for note in one.notes),
            ]
        )
    )


def _languages(words: Vocabulary, read: Sequence[Read]) -> Iterator[str]:
    """Lists and lexicon of another language than each other's or an embedding's."""
    for one in words.lists:
        if one.language != words.lexicon.language:
            what = f"the list {one.name} is in {one.language!r}, the lexicon in"
            yield f"{what} {words.lexicon.language!r}: only vectors of both languages can tell"
    for each in read:
        made_for = each.reading.languages
        if made_for and words.lexicon.language not in made_for:
            what = f"{each.space.name} was made for {', '.join(made_for)}"
            yield f"{what}; the lexicon is in {words.lexicon.language!r}"


def _not_beside_ordinary(words: Vocabulary) -> Iterator[str]:
    """Lists without a baseline, since ordinary words are English ones."""
    foreign = [one.name for one in words.lists if one.language != ENGLISH or not words.ordinary]
    if foreign:
        yield f"not held against ordinary words, which are English: {', '.join(foreign)}"


def _left_out(words: Vocabulary) -> Iterator[str]:
    """Terms that are sentiment words too: the classifier must not be told what it is asked."""
    rated = {word.casefold() for word in (*words.lexicon.positive, *words.lexicon.negative)}
    terms = dict.fromkeys(term.text for one in words.lists for term in one.terms)
    both = sorted(term for term in terms if term.casefold() in rated)
    if both:
        yield f"identity terms left out of the lexicon, which rates them: {', '.join(both)}"


def refusals(rnsb: pl.DataFrame) -> Iterator[str]:
    """Each list that has no number, and why."""
    for row in rnsb.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        yield f"{row['embedding']}, {row['list']}: no RNSB, {row['reason']}"
