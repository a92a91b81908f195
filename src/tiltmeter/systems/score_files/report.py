"""What there is to say about each file of scores: counts, and what looks odd in it.

Does a system's score rise when the others' fall? Then it is probably upside down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.systems.options import Scales
from tiltmeter.systems.protocol import UNIT, exact
from tiltmeter.systems.score_files.matching import JoinFacts, Sentences
from tiltmeter.systems.score_files.submissions import Submission

MOST = 0.9
"""The share of scores that must lie in 0..1 before the user is asked whether all should."""

STILL = 1e-6
"""Scores that vary by less than this part of the scale are constant."""
FEWEST = 3
"""How many systems it takes before one can be told from the rest."""

BEYOND_CHANCE = 3.0
"""How many standard errors (1/√n) below zero a correlation must lie."""
PLAIN = 0.2
"""How far below zero at least: over thousands of sentences chance alone is excluded too easily, and
a system that hardly agrees with the others is not upside down."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """The scores of one system for one task."""

    submission: Submission
    system: str
    task: str
    raw: NDArray[np.float64] = field(repr=False)
    """One for each sentence, in the corpus' order; NaN where there is none."""
    reasons: pl.DataFrame = field(repr=False)
    """NTH and reason, for the rows that are there but hold no number."""
    rows: int = 0
    """For how many sentences the file has a row."""
    said: str | None = None
    """What the file itself calls the system, if anything."""


@dataclass(frozen=True, slots=True)
class ScoreDirection:
    """Which way one system's scores for a task run, where there is a doubt."""

    system: str
    task: str
    others: float | None = None
    """Their correlation with the median of the others' scores; None where that raises no doubt."""
    gold: tuple[float, float, float] | None = None
    """Their correlation with gold scores, and the ends of its interval, where it is known."""

    @property
    def upside_down(self) -> bool:
        """Whether they probably run the wrong way: gold has the last word where it is clear."""
        if self.gold and self.gold[1] > 0:
            return False
        return self.others is not None or self.against_gold

    @property
    def against_gold(self) -> bool:
        """Whether they plainly fall where gold scores rise."""
        return self.gold is not None and self.gold[0] < -PLAIN and self.gold[2] < 0

    @property
    def note(self) -> str:
        """The doubt, or what ends it, in words."""
        if self.gold is None:
            return f"probably upside down: {OTHERS} is {_number(self.others or 0.0)}"
        value, low, high = map(_number, self.gold)
        gold = f"its correlation with the gold scores is {value} ({low} to {high})"
        if self.against_gold:
            return f"upside down: {gold}"
        if not self.upside_down:
            return f"not upside down: {gold}, though {OTHERS} is {_number(self.others or 0.0)}"
        return f"probably upside down: {OTHERS} is {_number(self.others or 0.0)}; {gold}"


OTHERS = "its correlation with the median of the others"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: what was read, what was joined, what looks odd, or why it is set aside."""

    path: Path
    system: str
    """Its system; `a, b and 3 more` where it holds several."""
    tasks: tuple[str, ...] = ()
    rows: int = 0
    matched: int = 0
    """Sentences found in the file, for each of its systems and tasks."""
    missing: int = 0
    """Sentences without a number: not in the file, or no number there."""
    duplicated: int = 0
    """Rows that say the same once more."""
    other: int = 0
    """Rows that are not of the corpus, such as tweets."""
    out_of_range: int = 0
    """Scores outside the declared scale, kept; none without one."""
    constant: bool = False
    directions: tuple[ScoreDirection, ...] = ()
    """Of its systems and tasks whose scores fall where the median of the others rises."""
    set_aside: str | None = None
    """Why it cannot be used."""
    left_out: str | None = None
    """Which tasks it holds, where it is sound but none of them is wanted."""
    notes: tuple[str, ...] = ()
    name: str = ""
    """The file as it is called in its folder, fit to be shown."""

    @property
    def used(self) -> bool:
        """Whether any of its scores are used."""
        return not self.set_aside and not self.left_out

    @property
    def upside_down(self) -> bool:
        """Whether any of its scores probably run the wrong way."""
        return any(one.upside_down for one in self.directions)

    @property
    def remarks(self) -> tuple[str, ...]:
        """All that is worth knowing of a file that is used."""
        several = len(self.tasks) > 1 or len(self.directions) > 1
        told = (f"{one.note} ({one.system}, {one.task})" for one in self.directions)
        return *self.notes, *(told if several else (one.note for one in self.directions))


def file_report(
    submission: Submission,
    facts: JoinFacts,
    found: Sequence[ScoreBlock],
    corpus: Sentences,
    scales: Scales,
    against: Mapping[tuple[str, str], float],
) -> FileReport:
    """The report on a file that is used; `scales` are those declared."""
    several, still, doubtful = len(found) > 1, list[str](), list[ScoreDirection]()
    out_of_range, range_notes = 0, list[str]()
    undeclared: dict[str, list[tuple[ScoreBlock, list[int]]]] = {}
    for block in found:
        scale, there = scales.of(block.system), block.raw[~np.isnan(block.raw)]
        low, high = (scale or UNIT).low, (scale or UNIT).high
        if len(there) > 1 and np.ptp(there) <= STILL * (high - low):
            still.append(f"every score is {_number(there[0])}{_of(block, several)}")
        if upside_down(correlation := against[block.system, block.task], len(there)):
            doubtful.append(ScoreDirection(block.system, block.task, correlation))
        outside = [int(nth) for nth in np.flatnonzero((block.raw < low) | (block.raw > high))]
        if scale is None:
            undeclared.setdefault(block.system, []).append((block, outside))
        elif outside:
            out_of_range += len(outside)
            first = f"{_first(block, outside, corpus)}{_of(block, several)}"
            what = f"scores outside the scale {scale}, kept as they are"
            range_notes.append(f"{what}: {len(outside):,}, {first}")
    # Systems of no declared scale a few of whose scores, over all tasks, lie outside 0..1
    for system, blocks in undeclared.items():
        few = sum(len(outside) for _, outside in blocks)
        many = sum(int((~np.isnan(block.raw)).sum()) for block, _ in blocks)
        if 0 < few <= (1 - MOST) * many:
            block, outside = next(both for both in blocks if both[1])
            first = f"{_first(block, outside, corpus)}{_of(block, len(blocks) > 1)}"
            lie = "lies" if few == 1 else "lie"
            what = f"{few:,} of {many:,} scores {lie} outside {UNIT}, {first}"
            advice = f"say --scale {system}=0:1 if it is"
            range_notes.append(f"{what}, so it is not taken for the scale; {advice}")
    names = list(dict.fromkeys(block.system for block in found))
    *others, last = names[:3] if len(names) <= 3 else [*names[:2], f"{len(names) - 2:,} more"]
    return FileReport(
        submission.path,
        f"{', '.join(others)} and {last}" if others else last,
        tuple(dict.fromkeys(block.task for block in found)),
        rows=facts.rows,
        matched=sum(block.rows for block in found),
        missing=sum(int(np.isnan(block.raw).sum()) for block in found),
        duplicated=facts.duplicated,
        other=facts.other,
        out_of_range=out_of_range,
        constant=bool(still),
        directions=tuple(doubtful),
        notes=(f"joined on {facts.on}", *facts.notes, *still, *range_notes),
        name=submission.name,
    )


def correlations(found: Sequence[ScoreBlock]) -> dict[tuple[str, str], float]:
    """Each system's correlation with the median of the others on the same task."""
    by_task: dict[str, list[ScoreBlock]] = {}
    for block in found:
        by_task.setdefault(block.task, []).append(block)
    return {
        (block.system, task): float(value)
        for task, same in by_task.items()
        for block, value in zip(
            same, against_the_others(np.stack([b.raw for b in same])), strict=True
        )
    }


def against_the_others(scores: Matrix) -> Matrix:
    """Each system's correlation with the median of the others; NaN where there is none.

    `scores` is systems × sentences, NaN where missing. Every system is standardised first, so that
    scales do not matter. Constant systems take no part.
    """
    found, there = np.full(len(scores), np.nan), np.isfinite(scores)
    known = np.where(there, scores, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):  # 1e308 cannot be squared
        count = np.maximum(there.sum(axis=1, keepdims=True), 1)
        centred = scores - known.sum(axis=1, keepdims=True) / count
        squares = np.square(np.where(there, centred, 0.0)).sum(axis=1, keepdims=True)
        spread = np.sqrt(squares / count)
        still = spread <= 1e-6 * np.maximum(1.0, np.abs(known).max(axis=1, keepdims=True))
        standard = np.where(still, np.nan, centred / np.where(still, 1.0, spread))
    moving = np.flatnonzero(np.isfinite(standard).any(axis=1))
    if len(moving) < FEWEST:
        return found
    for nth, own, median in zip(
        moving, standard[moving], _medians_of_the_others(standard[moving].T).T, strict=True
    ):
        both = np.isfinite(own) & np.isfinite(median)
        if both.sum() >= FEWEST and own[both].std() and median[both].std():
            found[nth] = np.corrcoef(own[both], median[both])[0, 1]
    return found


def upside_down(correlation: float, shared: int) -> bool:
    """True for a correlation plainly below zero, and further than chance explains: r < −3/√n.

    >>> upside_down(-0.4, 8640), upside_down(-0.035, 8640), upside_down(-0.4, 20)
    (True, False, False)
    """
    return bool(correlation < -PLAIN and correlation * np.sqrt(shared) < -BEYOND_CHANCE)


def _medians_of_the_others(values: Matrix) -> Matrix:
    """For each sentence and system (sentences × systems) the median of the other systems.

    One sort does for all: the k-th smallest of the others is the k-th of all for a value above it,
    else the next.
    """
    ascending = np.sort(values, axis=1)
    known = np.isfinite(values)
    others = known.sum(axis=1, keepdims=True) - 1
    middle = np.zeros(values.shape)
    for place in (np.maximum(others - 1, 0) // 2, np.maximum(others, 0) // 2):
        next_place = np.minimum(place + 1, values.shape[1] - 1)
        lower, upper = (np.take_along_axis(ascending, at, axis=1) for at in (place, next_place))
        middle += np.where(values > lower, lower, upper) / 2
    return np.where(known & (others >= FEWEST - 1), middle, np.nan)


def _first(block: ScoreBlock, places: Sequence[int], corpus: Sentences) -> str:
    """The first score outside, every digit of it: rounded it might look as if inside."""
    return f"the first is {exact(block.raw[places[0]])} for {corpus.ids['text'][places[0]]!r}"


def _of(block: ScoreBlock, several: bool) -> str:
    return f" ({block.system}, {block.task})" if several else ""


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")
