"""An identity's direction taken out of vectors, and every number before and after in one frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.corpora import Direction
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.embeddings.mitigation_methods import (
    BEFORE,
    METHODS,
    MitigationTask,
    MovedSpace,
    Proportion,
    mitigate,
    per_cent,
)
from tiltmeter.studies.embeddings.mitigation_metrics import (
    MITIGATION,
    Leaners,
    Measured,
    Metrics,
    Question,
    Row,
    ScoredPairs,
    aligned_by_chance,
    refused,
)
from tiltmeter.studies.embeddings.rnsb import RnsbConfig, rnsb_study
from tiltmeter.studies.embeddings.space import IdentityDirection, Space, direction_of, not_to_lean
from tiltmeter.studies.embeddings.vocabulary import Quality, Vocabulary
from tiltmeter.studies.embeddings.weat import weat_study

RESAMPLES = 200
"""Resamples before and after each method: fewer than for the study itself, which has the last
word on a number."""


@dataclass(frozen=True, eq=False)
class MitigationStudy:
    """What mitigation does to one space."""

    frame: pl.DataFrame
    """As the `mitigation` table of the report: a row for each number, before (none) and after."""
    direction: IdentityDirection
    moved: Mapping[str, MovedSpace]
    """By method: the space that was moved and the map that moves later words alike."""
    leaners: Leaners
    """The words of the cluster test."""
    by_chance: Proportion | None
    """What the cluster test gives where words are put into two clusters by a coin."""
    notes: tuple[str, ...]


def mitigation_studies(
    space: Space,
    words: Vocabulary,
    methods: Sequence[str],
    config: RnsbConfig,
    found_as: Mapping[str, str],
) -> list[MitigationStudy]:
    """RNSB, WEAT and quality before and after, for each direction."""
    fewer = replace(config, resamples=min(RESAMPLES, config.resamples))

    def measured(moved: Space) -> Iterator[Row]:
        study = rnsb_study(moved, words.lists, words.lexicon, words.ordinary, fewer, found_as)
        for row in study.rnsb.iter_rows(named=True):
            yield {"measure": "rnsb", "what": row["list"], "value": row["rnsb"], "low": row["low"],
                   "high": row["high"], "n": row["n_found"], "reason": row["reason"]}  # fmt: skip
        for row in study.classifiers.iter_rows(named=True):
            yield {"measure": "accuracy", "what": row["lexicon"], "value": row["balanced"],
                   "low": row["balanced_low"], "high": row["balanced_high"],
                   "n": row["n_positive"] + row["n_negative"],
                   "reason": row["reason"]}  # fmt: skip
        tests = weat_study(
            moved, words.tests, coverage=config.coverage, seed=config.seed,
            resamples=fewer.resamples,
        )  # fmt: skip
        for row in tests.weat.filter(pl.col("reason").is_null()).iter_rows(named=True):
            yield {"measure": "weat", "what": row["test"], "value": row["effect"],
                   "low": row["low"], "high": row["high"], "n": row["n_first"] + row["n_second"],
                   "reason": None}  # fmt: skip

    quality = words.quality or Quality(None, ())
    return [
        mitigation_study(
            space, one, methods=methods, measured=measured,
            similarities=quality.similarities, analogies=quality.analogies,
            others=(*words.lexicon.positive, *words.lexicon.negative, *words.ordinary),
            seed=config.seed,
        )
        for one in words.directions
    ]  # fmt: skip


def mitigation_study(
    space: Space,
    direction: Direction,
    *,
    methods: Sequence[str] = tuple(METHODS),
    measured: Measured = lambda _: (),
    similarities: ScoredPairs | None = None,
    analogies: Sequence[Question] = (),
    others: Sequence[str] | None = None,
    seed: int = 0,
) -> MitigationStudy:
    """Move a space by each method, and measure it before and after.

    `measured` gives rows of RNSB, WEAT or anything else for a space. `others` are words that should
    not lean besides the direction's neutral ones (None: all in hand but the sides' own): the soft
    map is made from them, and those that leaned most are clustered. Where a space could not be
    moved, the reason stands in place of each number.
    """
    with one_thread():
        found = direction_of(space, direction)
        task = MitigationTask(space, found, not_to_lean(space, direction, others), seed)
        moved = {method: mitigate(task, method) for method in methods}
        metrics = Metrics(task, measured, similarities, tuple(analogies))
        rows = {BEFORE: metrics.rows(space)}
        for name, each in moved.items():
            rows[name] = (
                metrics.rows(each.space)
                if each.space is not None
                else [refused(r["measure"], r["what"], str(each.reason)) for r in rows[BEFORE]]
            )
    of = {"embedding": space.name, "direction": direction.name}
    told: list[Row] = [
        {**of, "method": method, **row} for method, some in rows.items() for row in some
    ]
    frame = pl.DataFrame({name: [row.get(name) for row in told] for name in MITIGATION}, MITIGATION)
    words = metrics.leaners.words
    chance = aligned_by_chance(len(words)) if words else None
    notes = [*_notes(found, moved, chance)]
    if similarities is None:
        notes.append(": similarity is not measured, no word pairs scored by people were given")
    about = tuple(f"{space.name}, {direction.name}{note}" for note in notes)
    return MitigationStudy(frame, found, moved, metrics.leaners, chance, about)


def _notes(
    direction: IdentityDirection, moved: Mapping[str, MovedSpace], chance: Proportion | None
) -> Iterator[str]:
    """A sentence for the direction, for each method and for what a reader should beware of."""
    words = direction.words
    between = f"the direction from {words.second_name} to {words.first_name}"
    lacks = f"; not in the embedding: {', '.join(direction.missing)}" if direction.missing else ""
    if direction.reason is not None:
        yield f": {between} was not found, {direction.reason}"
    elif direction.share is None:
        yield f": {between} is the difference of the means of {direction.n} words{lacks}"
    else:
        holds = f"holds {per_cent(direction.share)} of the variance of {direction.n} pairs"
        yield f": {between} {holds}{lacks}"
    for each in moved.values():
        yield f", {each.method}: {each.note or f'refused, {each.reason}'}"
    if chance is not None:
        share, low, high = map(per_cent, (chance.value, chance.low, chance.high))
        by = f"by chance {share} of {chance.n:,} words would be in the cluster of their side"
        yield f", cluster: {by} ({low} to {high})"
