"""An identity's direction taken out of vectors, and every number before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from tiltmeter.corpora import Direction
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.embeddings.classifier import Space
from tiltmeter.studies.embeddings.directions import (
    MITIGATION,
    DirectionWords,
    IdentityDirection,
    Proportion,
    Row,
    direction_of,
    not_to_lean,
    per_cent,
    refused,
)
from tiltmeter.studies.embeddings.mitigation_methods import BEFORE, METHODS, MovedSpace, Task, mend
from tiltmeter.studies.embeddings.mitigation_metrics import (
    Leaners,
    Measured,
    Question,
    Ruler,
    ScoredPairs,
    aligned_by_chance,
)
from tiltmeter.studies.embeddings.rnsb import RnsbConfig, rnsb_study
from tiltmeter.studies.embeddings.vocabulary import Quality, Vocabulary
from tiltmeter.studies.embeddings.weat import weat_study

# ---- what was done to a space, in sentences


def notes_of(
    space: str,
    direction: IdentityDirection,
    mended: Mapping[str, MovedSpace],
    chance: Proportion | None,
    *,
    scored: bool,
) -> tuple[str, ...]:
    """A sentence for the direction, for each method and for what a reader should beware of."""
    of = f"{space}, {direction.words.name}"
    return tuple(f"{of}{told}" for told in _told(direction, mended, chance, scored=scored))


def _told(
    direction: IdentityDirection,
    mended: Mapping[str, MovedSpace],
    chance: Proportion | None,
    *,
    scored: bool,
) -> Iterator[str]:
    yield f": {_about(direction)}"
    for each in mended.values():
        yield f", {each.method}: {each.note or f'refused, {each.reason}'}"
    if chance is not None:
        share, low, high = map(per_cent, (chance.value, chance.low, chance.high))
        by = f"by chance {share} of {chance.n:,} words would be in the cluster of their side"
        yield f", cluster: {by} ({low} to {high})"
    if not scored:
        yield ": similarity is not measured, no word pairs scored by people were given"


def _about(direction: IdentityDirection) -> str:
    """What the direction was made from."""
    words = direction.words
    between = f"the direction from {words.second_name} to {words.first_name}"
    if direction.reason is not None:
        return f"{between} was not found, {direction.reason}"
    lacks = f"; not in the embedding: {', '.join(direction.missing)}" if direction.missing else ""
    if direction.share is None:
        return f"{between} is the difference of the means of {direction.n} words{lacks}"
    told = f"holds {per_cent(direction.share)} of the variance of {direction.n} pairs"
    return f"{between} {told}{lacks}"


# ---- an identity's direction taken out of vectors, and every number before and after in one
# frame


@dataclass(frozen=True, eq=False)
class MendingStudy:
    """What mending does to one space."""

    frame: pl.DataFrame
    """As the `mitigation` table of the report: a row for each number, before (none) and after."""
    direction: IdentityDirection
    mended: Mapping[str, MovedSpace]
    """By method: the space that was moved and the map that moves later words alike."""
    leaners: Leaners
    """The words of the cluster test."""
    by_chance: Proportion | None
    """What the cluster test gives where words are put into two clusters by a coin."""
    notes: tuple[str, ...]


def mending_study(
    space: Space,
    direction: DirectionWords,
    *,
    methods: Sequence[str] = tuple(METHODS),
    measured: Measured = lambda _: (),
    similarities: ScoredPairs | None = None,
    analogies: Sequence[Question] = (),
    others: Sequence[str] | None = None,
    seed: int = 0,
) -> MendingStudy:
    """Move a space by each method, and measure it before and after.

    `measured` gives rows of RNSB, WEAT or anything else for a space. `others` are words that should
    not lean besides the direction's neutral ones (None: all in hand but the sides' own): the soft
    map is made from them, and those that leaned most are clustered.
    """
    with one_thread():
        found = direction_of(space, direction)
        neutral = not_to_lean(space, direction, others)
        task = Task(space, found, neutral, seed)
        mended = {method: mend(task, method) for method in methods}
        ruler = Ruler(task, measured, similarities, tuple(analogies))
        before = ruler.rows(space)
        after = {name: _after(each, ruler, before) for name, each in mended.items()}
    frame = _frame(space.name, direction.name, {BEFORE: before, **after})
    words = ruler.leaners.words
    chance = aligned_by_chance(len(words)) if words else None
    notes = notes_of(space.name, found, mended, chance, scored=similarities is not None)
    return MendingStudy(frame, found, mended, ruler.leaners, chance, notes)


def _after(mended: MovedSpace, ruler: Ruler, before: Sequence[Row]) -> list[Row]:
    """The numbers of a moved space; where it could not be moved, why, in place of each number."""
    if mended.space is None:
        reason = str(mended.reason)
        return [refused(row["measure"], row["what"], reason) for row in before]
    return ruler.rows(mended.space)


def _frame(embedding: str, direction: str, by_method: Mapping[str, Iterable[Row]]) -> pl.DataFrame:
    of = {"embedding": embedding, "direction": direction}
    told = [{**of, "method": method, **row} for method, rows in by_method.items() for row in rows]
    return pl.DataFrame(
        {name: [row.get(name) for row in told] for name in MITIGATION}, schema=MITIGATION
    )


# ---- an identity direction taken out of an embedding: RNSB, WEAT and quality before and after


RESAMPLES = 200
"""Resamples before and after each method: fewer than for the study itself, which has the last
word on a number."""


def mended(
    space: Space,
    words: Vocabulary,
    methods: Sequence[str],
    manner: RnsbConfig,
    found_as: Mapping[str, str],
) -> list[MendingStudy]:
    """A study for each direction."""
    fewer = replace(manner, resamples=min(RESAMPLES, manner.resamples))

    def measured(moved: Space) -> Iterator[Mapping[str, Any]]:
        study = rnsb_study(
            moved, words.identities, words.sentiment, words.ordinary, fewer, found_as
        )
        yield from map(_of_rnsb, study.rnsb.iter_rows(named=True))
        yield from map(_of_classifier, study.classifiers.iter_rows(named=True))
        tests = weat_study(
            moved, words.word_sets, coverage=manner.coverage, seed=manner.seed,
            resamples=fewer.resamples,
        )  # fmt: skip
        known = tests.weat.filter(pl.col("reason").is_null())
        yield from map(_of_test, known.iter_rows(named=True))

    quality = words.quality or Quality(None, ())
    return [
        mending_study(
            space, _words(one), methods=methods, measured=measured,
            similarities=quality.similarities, analogies=quality.analogies,
            others=(*words.lexicon.positive, *words.lexicon.negative, *words.ordinary),
            seed=manner.seed,
        )
        for one in words.directions
    ]  # fmt: skip


def _words(one: Direction) -> DirectionWords:
    return DirectionWords(
        one.name, one.title, one.first_name, one.second_name, one.pairs, one.first, one.second,
        one.neutral,
    )  # fmt: skip


def _of_rnsb(row: Mapping[str, Any]) -> Mapping[str, Any]:
    told = {"value": row["rnsb"], "low": row["low"], "high": row["high"], "n": row["n_found"]}
    return {"measure": "rnsb", "what": row["list"], **told, "reason": row["reason"]}


def _of_classifier(row: Mapping[str, Any]) -> Mapping[str, Any]:
    ends = {"low": row["balanced_low"], "high": row["balanced_high"]}
    told = {"value": row["balanced"], **ends, "n": row["n_positive"] + row["n_negative"]}
    return {"measure": "accuracy", "what": row["lexicon"], **told, "reason": row["reason"]}


def _of_test(row: Mapping[str, Any]) -> Mapping[str, Any]:
    told = {"value": row["effect"], "low": row["low"], "high": row["high"]}
    many = row["n_first"] + row["n_second"]
    return {"measure": "weat", "what": row["test"], **told, "n": many, "reason": None}
