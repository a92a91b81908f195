"""Stored outputs: every system has rows of its own, and like rows are one cell."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.stats.causal import ROOM, Array, ClassSums, Index
from tiltmeter.studies.rating.groups import (
    Diagram,
    RatingColumn,
    RatingDataset,
    RatingGroup,
    positions,
)
from tiltmeter.studies.rating.psi import ColumnSums

OWN = ("system", "words")
"""Rows of different systems or datasets are never drawn for each other."""
AT_ONCE = 2**17
"""Rows drawn at a time, over several draws: few enough to stay in the processor's cache."""
PERMUTED_AT_ONCE, BLOCK = 2**22, 2**12
"""Rows permuted at a time, over several draws, and those of them summed at a time."""
LARGE = 10_000
"""Rows of a word above which each draw is permuted by itself."""
GUESSES = 2**16


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredGroup(RatingGroup):
    """A group of stored outputs: a row of `sentences` is a cell, `scores` has all rows in order."""

    whose: Index
    """(cells,): the number of the submission."""
    many: Index
    """(cells,): how many rows; `scores` is (rows,), those of the first cell first."""

    def count_sentences(self, rows: Index | None = None) -> int:
        """How many sentences some cells are for a system, or all; the most of any system."""
        rows = np.arange(self.whose.size) if rows is None else rows
        by_system = np.bincount(self.whose[rows], weights=self.many[rows], minlength=1)
        return int(by_system.max())

    def by_score(self, by_submission: NDArray[Any]) -> NDArray[Any]:
        """A number for each submission, in the shape of its scores."""
        return by_submission[np.repeat(self.whose, self.many)]

    def all_by_submission(self, marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(submissions,): whether a mark is set on all scores of each."""
        others = self.by_score(np.arange(len(self.scales)))[~marks]
        return np.asarray(np.bincount(others, minlength=len(self.scales)) == 0)


def stored_group(
    name: str,
    axes: tuple[str, ...],
    diagram: Diagram,
    rows: pl.DataFrame,
    scales: Mapping[str, tuple[float, float]],
    datasets: Mapping[str, str],
) -> StoredGroup:
    """Group rows: system, words, the axes, emotion_word, polarity and score (null: no answer).

    `scales` has the ends of each submission's scale, `datasets` the name of each set of words.
    """
    alike = [*OWN, *axes, "emotion_word", "polarity"]
    cells = rows.group_by(alike, maintain_order=True).agg("score", pl.len().alias("many"))
    number = {system: place for place, system in enumerate(scales)}
    return StoredGroup(
        name,
        axes,
        diagram,
        cells.select(alike),
        cells["score"].explode().cast(pl.Float64).fill_null(np.nan).to_numpy(),
        tuple(
            RatingDataset(
                called,
                words.upper(),
                (cells["words"] == words).arg_true().to_numpy().astype(np.int64)[np.newaxis],
            )
            for words, called in datasets.items()
        ),
        tuple(scales.values()),
        whose=cells["system"].replace_strict(number, return_dtype=pl.Int64).to_numpy(),
        many=cells["many"].cast(pl.Int64).to_numpy(),
    )


@dataclass(frozen=True, eq=False, slots=True)
class CellSums:
    """Sums of some parts of the rows: each with the class of a cell, and of a kind."""

    cell: Index
    kind: Index
    values: Array
    """(parts, moments, draws)."""


class StoredSums:
    """The sums of a group's cells at hand, resampled and permuted, of all variants of scores."""

    def __init__(
        self, group: StoredGroup, variants: Mapping[str, Array], repeats: int, seed: int
    ) -> None:
        self.group, self.repeats, self.seed = group, repeats, seed
        self._rows = np.arange(group.scores.size)
        self._starts = np.cumsum(group.many) - group.many
        known = ~np.isnan(group.scores)
        moments = [np.ones(group.scores.size)]
        """Each different one once: where nothing is missing, and scores are 0 and 1, they agree."""

        def place(values: Array) -> int:
            for number, there in enumerate(moments):
                if np.array_equal(values, there):
                    return number
            moments.append(values)
            return len(moments) - 1

        self._places: dict[str, tuple[int, int, int]] = {}
        for variant, scores in variants.items():
            values = np.where(known, scores, 0.0)
            self._places[variant] = place(known * 1.0), place(values), place(values * values)
        self._moments = np.array(moments)
        self._permuted: dict[bytes, dict[str, CellSums]] = {}

    def column(self, column: RatingColumn, variant: str) -> ColumnSums:
        """The sums of a column's datasets; nobody is named, so there is nobody to leave out."""
        group, every = self.group, len(self.group.scales)
        (classes, place), (kinds, kind) = column.classes, column.kinds

        def by_class(sums: CellSums, some: slice | None) -> ClassSums:
            """(systems, draws, classes, kinds); of None, one that answers 0 to all rows."""
            systems, whose, moments = every, group.whose[sums.cell], self._places[variant]
            if some is None:
                systems, whose, moments = 1, np.zeros_like(sums.cell), (0, 0, 0)
            there = place[sums.cell] >= 0
            cell = ((whose * len(classes) + place[sums.cell]) * kinds + sums.kind)[there]
            order = np.argsort(cell, kind="stable")
            cells, starts = np.unique(cell[order], return_index=True)

            def add_up(values: Array) -> Array:
                total = np.zeros((systems * len(classes) * kinds, values.shape[1]))
                if cells.size:
                    total[cells] = np.add.reduceat(values[there][order], starts, axis=0)
                return np.moveaxis(total.reshape(systems, len(classes), kinds, -1), -1, 1)

            found = ClassSums(*(add_up(sums.values[:, one]) for one in moments))
            if some is not None:
                return found
            return replace(found, total=np.zeros_like(found.n), squares=np.zeros_like(found.n))

        def of_cells(values: Array, dataset: RatingDataset, some: slice | None) -> ClassSums:
            cells = dataset.rows[0]
            return by_class(CellSums(cells, kind[cells], values[cells]), some)

        return ColumnSums(
            every,
            complete=False,
            at_hand=lambda dataset, some: of_cells(self._at_hand, dataset, some),
            redrawn=lambda dataset, some: of_cells(self._resampled, dataset, some),
            permuted=lambda dataset, some: by_class(self._permute(column)[dataset.name], some),
            together=every,
        )

    @cached_property
    def _at_hand(self) -> Array:
        """The rows as they are."""
        return np.add.reduceat(self._moments, self._starts, axis=1).T[..., np.newaxis]

    @cached_property
    def _resampled(self) -> Array:
        """In each repeat as many rows of each class and word, drawn with replacement."""
        group = self.group
        rng = np.random.default_rng([self.seed, zlib.crc32(group.name.encode())])
        sums = np.empty((group.many.size, len(self._moments), self.repeats))
        few = group.scores.size * self.repeats <= ROOM
        for _, cells in positions(group.resampling_strata(*OWN)):
            rows = self._rows_of(cells)
            moments, ends = self._moments[:, rows], np.cumsum(group.many[cells])
            for some in _batches(self.repeats, rows.size):
                taken = resample(rows.size, some.stop - some.start, rng, few=few)
                for cell, stop in zip(cells, ends, strict=True):
                    mine = slice(stop - group.many[cell], stop)
                    sums[cell, :, some] = moments[:, mine] @ taken[:, mine].T
        return sums

    def _permute(self, column: RatingColumn) -> dict[str, CellSums]:
        """By dataset: in each repeat classes permuted among rows with one word."""
        _, kind = column.kinds
        key = column.compared.tobytes() + kind.tobytes()  # often the same for several columns
        if key in self._permuted:
            return self._permuted[key]
        group, found = self.group, self._permuted.setdefault(key, {})
        within, classes = group.permutation_strata(*OWN), group.strata(group.axes)
        for dataset in group.datasets:
            name = dataset.name if group.confounded else group.name
            cells = dataset.rows[0][column.compared[dataset.rows[0]]]
            parts: list[tuple[int, int, Array]] = []
            for stratum, here in positions(within[cells]):
                rng = np.random.default_rng([self.seed, zlib.crc32(name.encode()), stratum])
                mine = cells[here]
                labels = np.unique(classes[mine], return_inverse=True)[1]
                kinds = np.repeat(kind[mine], group.many[mine])
                examples = [int(mine[labels == label][0]) for label in range(labels.max() + 1)]
                sums = self._permuted_sums(mine, np.repeat(labels, group.many[mine]), kinds, rng)
                for (label, one), values in sums.items():
                    parts.append((examples[label], one, values))
            empty = np.empty((0, len(self._moments), self.repeats))
            found[dataset.name] = CellSums(
                np.array([cell for cell, _, _ in parts], np.int64),
                np.array([one for _, one, _ in parts], np.int64),
                np.stack([values for *_, values in parts]) if parts else empty,
            )
        return found

    def _permuted_sums(
        self, cells: Index, labels: Index, kinds: Index, rng: np.random.Generator
    ) -> dict[tuple[int, int], Array]:
        """(moments, draws) by label and kind: labels change places, kinds stay with their rows."""
        moments = self._moments[:, self._rows_of(cells)]
        whole = kinds.min() == kinds.max()
        by_kind = {
            one: slice(None) if whole else np.flatnonzero(kinds == one) for one in np.unique(kinds)
        }
        sums = {
            (label, one): np.empty((len(moments), self.repeats))
            for label in range(labels.max() + 1)
            for one in by_kind
        }
        for some in _batches(self.repeats, labels.size, PERMUTED_AT_ONCE):
            permuted = permute_labels(labels, some.stop - some.start, rng)
            for (label, one), found in sums.items():
                own, labelled = moments[:, by_kind[one]], permuted[:, by_kind[one]] == label
                found[:, some] = sum(
                    own[:, at : at + BLOCK] @ labelled[:, at : at + BLOCK].astype(np.float64).T
                    for at in range(0, labelled.shape[1], BLOCK)
                )
        return sums

    def _rows_of(self, cells: Index) -> Index:
        """The rows of some cells, in order."""
        starts, stops = self._starts[cells], self._starts[cells] + self.group.many[cells]
        if (starts[1:] == stops[:-1]).all():
            return self._rows[starts[0] : stops[-1]]
        parts = [self._rows[start:stop] for start, stop in zip(starts, stops, strict=True)]
        return np.concatenate(parts)


def _batches(draws: int, rows: int, most: int = AT_ONCE) -> Iterator[slice]:
    step = max(1, most // rows)
    for start in range(0, draws, step):
        yield slice(start, min(start + step, draws))


def resample(rows: int, draws: int, rng: np.random.Generator, *, few: bool) -> Array:
    """(draws, rows): how often each row is taken when as many are drawn with replacement.

    Both ways have the same law. The one for a `few` is slower by ten times, and gives for a seed
    what it always gave.
    """
    if few:
        return rng.multinomial(rows, np.full(rows, 1 / rows), draws).astype(np.float64)
    taken = rng.integers(rows, size=(draws, rows))
    taken += rows * np.arange(draws)[:, np.newaxis]
    counts = np.bincount(taken.ravel(), minlength=draws * rows)
    return counts.reshape(draws, rows).astype(np.float64)


def permute_labels(labels: Index, draws: int, rng: np.random.Generator) -> NDArray[np.integer[Any]]:
    """(draws, rows): the labels in another order, each order as likely as any other.

    Many rows are first given labels independently, and then rows chosen at random among those of a
    label that too many have are given one that too few have. No step tells rows apart, so that
    every order is as likely here as well; it takes a third of the time of changing places.
    """
    if labels.size <= LARGE:
        return rng.permuted(np.tile(labels, (draws, 1)), axis=1)
    sizes = np.bincount(labels)
    ends = np.cumsum(sizes) / labels.size
    label = np.searchsorted(ends, (np.arange(GUESSES) + 0.5) / GUESSES).astype(np.uint16)
    guess = rng.integers(GUESSES, size=(draws, labels.size), dtype=np.uint16)
    permuted: NDArray[np.uint16] = label[guess]
    for row in permuted:
        spare = np.bincount(row, minlength=sizes.size) - sizes
        lacking = np.repeat(np.arange(sizes.size), np.maximum(-spare, 0))
        moved = [
            rng.choice(np.flatnonzero(row == one), spare[one], replace=False)
            for one in np.flatnonzero(spare > 0)
        ]
        if moved:
            row[np.concatenate(moved)] = lacking
    return permuted
