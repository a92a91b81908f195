"""An identity's direction taken out of vectors, and every number before and after in one frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.measures.stats.threads import one_thread
from tiltmeter.measures.vectors.mending.analogies import Question
from tiltmeter.measures.vectors.mending.clusters import Leaners, aligned_by_chance
from tiltmeter.measures.vectors.mending.directions import (
    DirectionWords,
    IdentityDirection,
    direction_of,
    not_to_lean,
)
from tiltmeter.measures.vectors.mending.methods import BEFORE, METHODS, Mended, Task, mend
from tiltmeter.measures.vectors.mending.probing import Proportion
from tiltmeter.measures.vectors.mending.rows import MITIGATION, Row, refused
from tiltmeter.measures.vectors.mending.ruler import Measured, Ruler, ScoredPairs
from tiltmeter.measures.vectors.mending.telling import notes_of
from tiltmeter.measures.vectors.space import Space


@dataclass(frozen=True, eq=False)
class MendingStudy:
    """What mending does to one space."""

    frame: pl.DataFrame
    """As the `mitigation` table of the report: a row for each number, before (none) and after."""
    direction: IdentityDirection
    mended: Mapping[str, Mended]
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


def _after(mended: Mended, ruler: Ruler, before: Sequence[Row]) -> list[Row]:
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
