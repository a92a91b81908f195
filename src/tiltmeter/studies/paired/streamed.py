"""The paired study of a corpus too large to be held: sums, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import EstimateBlock, estimates_table
from tiltmeter.stats.moments import Moments, empty_grid, moments, nothing, pooled, together
from tiltmeter.stats.paired_tests import described_by, paired_t_of, without_dust
from tiltmeter.studies.paired.contrasts import Contrast, comparisons, subsets, with_texts
from tiltmeter.studies.paired.pairs import (
    OF_A_RUN,
    OWN,
    PairStudy,
    PairTotals,
    People,
    SubsetDifferences,
    blocks_of,
    deviations_of,
    sides_of,
)

Array = NDArray[np.float64]
Places = NDArray[np.int64]


class GroupSums:
    """What things come to by the values of some columns."""

    def __init__(self, systems: int, by: Sequence[str], most: int | None = None) -> None:
        self.by, self._most = list(by), most
        self.moments = nothing(systems, 0)
        self._rows: dict[tuple[str | None, ...], int] = {}
        self._sizes = np.zeros(0, np.int64)
        self._keys: pl.DataFrame | None = None
        self.full = False
        """Whether there were more groups than may be held; then none is."""

    @property
    def keys(self) -> pl.DataFrame:
        """A row for each group, in the order they were met: its values, and its things."""
        if self._keys is None:
            keys = pl.DataFrame(list(self._rows), dict.fromkeys(self.by, pl.String), orient="row")
            self._keys = keys.with_columns(size=pl.Series(self._sizes, dtype=pl.Int64))
        return self._keys

    def add(self, things: pl.DataFrame, values: Array) -> None:
        """Take further things, a column of `values` (systems, things) each."""
        if self.full or not things.height:
            return
        self._keys = None
        keys = things.select(self.by).unique(maintain_order=True)
        place = self._places(keys)
        if self._most is not None and len(self._rows) > self._most:
            self._forget()
            return
        mine = _codes(things, keys, self.by)
        found = moments(values, mine, keys.height)
        self._grow()
        here = self.moments.columns(place)
        _put(self.moments, place, together(here, found))
        self._sizes[place] += np.bincount(mine, minlength=keys.height)

    def _places(self, keys: pl.DataFrame) -> Places:
        rows = self._rows
        return np.array([rows.setdefault(key, len(rows)) for key in keys.iter_rows()], np.int64)

    def _grow(self) -> None:
        more = len(self._rows) - self._sizes.size
        if more:
            fresh = nothing(len(self.moments.n), more)
            self.moments = _beside(self.moments, fresh)
            self._sizes = np.concatenate([self._sizes, np.zeros(more, np.int64)])

    def _forget(self) -> None:
        self.full, self._rows = True, {}
        self.moments, self._sizes = nothing(len(self.moments.n), 0), np.zeros(0, np.int64)


def _codes(things: pl.DataFrame, keys: pl.DataFrame, by: list[str]) -> Places:
    """Which row of `keys` each thing has."""
    joined = things.select(by).join(
        keys.with_row_index("*at"), on=by, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined["*at"].to_numpy().astype(np.int64)


def _put(into: Moments, place: Places, found: Moments) -> None:
    for name in Moments.__slots__:
        getattr(into, name)[:, place] = getattr(found, name)


def _beside(first: Moments, second: Moments) -> Moments:
    return Moments(
        *(
            np.concatenate([getattr(first, name), getattr(second, name)], axis=1)
            for name in Moments.__slots__
        )
    )


FEWEST, MOST = 20, 200
"""Pairs that every submission and contrast keeps: at least what tables show."""
BUDGET = 400_000
"""Numbers that may be kept for all of them."""


class LargestPairs:
    """Every submission's largest differences of each contrast, in the corpus' order."""

    def __init__(self, systems: int, contrasts: int) -> None:
        each = BUDGET // max(1, systems * systems * contrasts)
        self.many = min(MOST, max(FEWEST, each))
        self.pairs = pl.DataFrame()
        self.first = self.second = self.deltas = np.zeros((systems, 0))

    def add(self, pairs: pl.DataFrame, first: Array, second: Array, deltas: Array) -> None:
        """Take a block's pairs."""
        if not self.pairs.width:
            self.pairs = pairs.clear()
        if not pairs.height:
            return
        near = self._among(pairs, deltas)
        self.pairs = pl.concat([self.pairs, pairs[near]])
        self.first = np.concatenate([self.first, first[:, near]], axis=1)
        self.second = np.concatenate([self.second, second[:, near]], axis=1)
        self.deltas = np.concatenate([self.deltas, deltas[:, near]], axis=1)
        self._take(self._among(self.pairs, self.deltas))

    def put_in_order(self, contrasts: Sequence[tuple[str, str]]) -> None:
        """One contrast's pairs after the other's, each in the corpus' order."""
        nth = {key: at for at, key in enumerate(contrasts)}
        rank = [nth[key] for key in self.pairs.select("axis", "contrast").rows()]
        self._take(np.argsort(np.array(rank, np.int64), kind="stable"))

    def _take(self, keep: Places) -> None:
        self.pairs = self.pairs[keep]
        self.first, self.second, self.deltas = (
            part[:, keep] for part in (self.first, self.second, self.deltas)
        )

    def _among(self, pairs: pl.DataFrame, deltas: Array) -> Places:
        """The places of pairs that are among some submission's largest."""
        placed = pairs.select("axis", "contrast").with_row_index("place")
        parts = placed.group_by("axis", "contrast", maintain_order=True)
        chosen = [self._of_contrast(part["place"].to_numpy(), deltas) for _, part in parts]
        return np.unique(np.concatenate(chosen)).astype(np.int64)

    def _of_contrast(self, places: NDArray[np.uint32], deltas: Array) -> NDArray[np.uint32]:
        size = np.nan_to_num(np.abs(deltas[:, places]), nan=-1.0)
        order = np.argsort(-size, axis=1, kind="stable")[:, : self.many]
        return places[np.unique(order)]


class DeviationSums:
    """Takes blocks of whole frames, in which everyone compared stands together."""

    def __init__(self, submissions: pl.DataFrame, axes: Sequence[str]) -> None:
        self._submissions = submissions
        self._sums = GroupSums(submissions.height, ["person", "match", *axes])

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block."""
        self._sums.add(sentences, deviations_of(values, sentences))

    def people(self) -> People:
        """What all blocks came to."""
        found = self._sums.moments
        mean = np.where(found.n > 0, found.mean, np.nan)
        clean = without_dust(mean, self._submissions["width"].to_numpy())
        return People(self._submissions, self._sums.keys.rename({"size": "n"}), clean)


# The paired study of a corpus too large to be held: sums of differences, block by block
# Every subset is a union of parts with one template and one emotion, so differences are summed by
# part, and the parts put together in the end. Means, tests, spreads and sizes are those that the
# study in memory would give; quartiles come from a grid, within half a step of it; the sign-flip
# test is left out, since every pattern of signs would need every pair again.

OF_A_CONTRAST = ("axis", "contrast", "first", "second")
OF_A_PART = (*OF_A_CONTRAST, "template", "emotion")
OF_A_WORD = ("axis", "contrast", "template", "emotion", "emotion_word")
OF_A_MATCH = ("axis", "contrast", "first", "second", "match")
MOST_WORDS = 50_000
"""Templates × words whose own means are held; beyond, the table of words is left out."""
MOST_MATCHES = 50_000


class PairSums:
    """Takes blocks of sentences and scores, and gives the study in the end."""

    def __init__(
        self, submissions: pl.DataFrame, contrasts: Sequence[Contrast], axes: Sequence[str]
    ) -> None:
        """`submissions` as a `ScoreSummary` gives them."""
        many = submissions.height
        self._submissions, self._contrasts = submissions, list(dict.fromkeys(contrasts))
        self._width = submissions["width"].to_numpy()
        self._parts = GroupSums(many, OF_A_PART)
        self._words = GroupSums(many, OF_A_WORD, MOST_WORDS)
        self._matches = GroupSums(many, OF_A_MATCH, MOST_MATCHES)
        self._grids = {one: empty_grid(self._width) for one in self._contrasts}
        self._largest = LargestPairs(many, len(self._contrasts))
        self._people = DeviationSums(submissions, axes)
        self._of = dict.fromkeys(OF_A_RUN, "")

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block: whole frames, and their scores, (submissions, sentences)."""
        self._of = {name: str(sentences[name][0]) for name in OF_A_RUN}
        self._people.add(sentences, values)
        found = comparisons(sentences, self._contrasts)
        first, second = (sides_of(values, side) for side in (found.first, found.second))
        deltas = without_dust(first - second, self._width)
        pairs = with_texts(found.pairs, sentences)
        for sums in (self._parts, self._words, self._matches):
            sums.add(pairs, deltas)
        for contrast, grid in self._grids.items():
            mine = (pairs["axis"] == contrast.axis) & (pairs["contrast"] == contrast.name)
            grid.add(deltas[:, mine.to_numpy()])
        self._largest.add(pairs, first, second, deltas)

    def study(self, mode: str) -> PairStudy:
        """What all blocks came to; its pairs are the largest only, its estimates of all."""
        keys = self._parts.keys
        blocks = [block for contrast in self._contrasts for block in self._blocks(contrast, keys)]
        table = estimates_table(blocks, self._submissions, {**self._of, "mode": mode})
        held = self._largest
        held.put_in_order([(one.axis, one.name) for one in self._contrasts])
        arrays = (held.first, held.second, held.deltas)
        return PairStudy(self._submissions, held.pairs, *arrays, table, self._totals(keys))

    def people(self) -> People:
        """How far each person's sentences stand from the average of their match."""
        return self._people.people()

    def _blocks(self, contrast: Contrast, keys: pl.DataFrame) -> Iterator[EstimateBlock]:
        mine = keys.with_row_index("place").filter(
            (pl.col(name) == getattr(contrast, name)) for name in ("axis", "first", "second")
        )
        everyone, tasks = np.arange(self._submissions.height), self._submissions["task"]
        for name, inside in subsets(mine):
            yield from self._measured(contrast, name, everyone, mine.filter(inside))
        for task in tasks.unique(maintain_order=True):
            own = mine.filter((mine["emotion"] == task).fill_null(False))
            if own.height:
                rows = everyone[(tasks == task).to_numpy()]
                yield from self._measured(contrast, OWN, rows, own)

    def _measured(
        self, contrast: Contrast, subset: str, rows: NDArray[np.int64], parts: pl.DataFrame
    ) -> Iterator[EstimateBlock]:
        """Every measure of some submissions on a subset."""
        columns = parts["place"].to_numpy().astype(np.int64)
        found = pooled(self._parts.moments.rows(rows).columns(columns))
        n, n_up, n_down = (
            part[:, 0].astype(np.int64) for part in (found.n, found.n_up, found.n_down)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(n > 0, found.mean[:, 0], np.nan)
            sd = np.where(n > 1, np.sqrt(found.m2[:, 0] / (n - 1)), np.nan)
        test = paired_t_of(n, mean, sd, self._width[rows])
        shape = described_by(
            n, found.up[:, 0], n_up, found.down[:, 0], n_down, found.top[:, 0], found.bottom[:, 0]
        )
        part = SubsetDifferences(contrast, subset, rows, columns)
        yield from blocks_of(part, self._submissions, test, shape, int(parts["size"].sum()))

    def _totals(self, keys: pl.DataFrame) -> PairTotals:
        rows = [(one.axis, one.name, one.first, one.second) for one in self._contrasts]
        every = pl.DataFrame(rows, dict.fromkeys(OF_A_CONTRAST, pl.String), orient="row")
        sizes = keys.group_by(OF_A_CONTRAST).agg(pairs=pl.col("size").sum())
        counts = every.join(sizes, on=OF_A_CONTRAST, how="inner", maintain_order="left")
        full = [
            f"there are too many {name} to tell the mean difference of each"
            for name, sums in (("words", self._words), ("matches", self._matches))
            if sums.full
        ]
        grids = {(one.axis, one.first, one.second): grid for one, grid in self._grids.items()}
        return PairTotals(
            counts,
            tuple(grids[axis, first, second] for axis, _, first, second, _ in counts.rows()),
            self._words.keys.drop("size"),
            self._words.moments,
            self._matches.keys.drop("size"),
            self._matches.moments,
            tuple(full),
        )
