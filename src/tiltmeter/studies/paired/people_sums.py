"""What each person and each couple makes of their sentences, added up block by block.

A score is taken for a person's effect plus that of the sentence's frame,

    y_if = t_i + β_f + e_if

fitted by least squares over all people of a match, so that people who met different frames can be
compared. Where everybody met every frame, t_i is the plain mean of y_if − ȳ_f. Frames that the same
people met share their equations, so that the system solved has a line for each such set of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST, without_dust
from tiltmeter.studies.paired.contrasts import Contrast, comparisons
from tiltmeter.studies.paired.pairs import sides_of

Array = NDArray[np.float64]
Places = NDArray[np.int64]

OF_A_FRAME = ("frame", "match", "template", "emotion", "emotion_word")
DESIGN = pl.Schema(
    {"match": pl.String, "person": pl.String, "family": pl.String, "bearers": pl.Int64}
    | {"weight": pl.Float64, "probability": pl.Float64, "frames": pl.Int64}
)
"""What is known of how people were drawn: see the table `people`."""
ROUNDING = 1e-10
"""Directions of the equations that are smaller than this part of the largest are none."""
EXACT = 2500
"""Sets of people up to which the equations are solved at once; beyond, in rounds."""
ROUNDS = 200


@dataclass(frozen=True, slots=True)
class PeopleEffects:
    """Everybody's effect; arrays over people are (rows, people), NaN where nothing is known."""

    people: pl.DataFrame
    """match, person, the axes, family, bearers, weight, probability and frames."""
    value: Array
    noise: Array
    """s²/K: the variance of the effect over the frames that a person met."""
    left: Array
    """(people,): 1 − K/F, the share of the match's frames that they did not meet."""
    frames: pl.DataFrame
    """As OF_A_FRAME; a row for each place along `by_frame`."""
    by_frame: Array
    """(rows, cells, frames): what a cell's people do in a frame beyond their own effects, on
    average; NaN where nobody of the cell met it."""
    cell: Places
    """(people,): which cell each is of: the match and the groups on every axis."""
    moves: Array
    """(rows,): how far a name may move a score: as the emotion words do, or as any name seen."""


def people_of_matches(design: pl.DataFrame | None) -> dict[str, int]:
    """How many people each match has in all; nothing where nobody says."""
    return {} if design is None else dict(design.group_by("match").len().rows())


def pooled_matches(sentences: pl.DataFrame, axis: str, many: dict[str, int]) -> set[str]:
    """Matches with several people of one group of an axis, not one as in mother and father.

    It shows in some frame of the block; of a draw in which no frame has two of a group, in how
    many people the match has beside its groups.
    """
    frames = sentences.lazy().filter(pl.col(axis).is_not_null())
    found = (
        frames.group_by("frame", "match", axis)
        .len("people")
        .group_by("match")
        .agg(pl.col("people").max(), groups=pl.col(axis).n_unique())
        .collect()
    )
    return {
        match
        for match, people, groups in found.select("match", "people", "groups").iter_rows()
        if people > 1 or many.get(match, 0) > max(groups, 2)
    }


class _Grown:
    """Sums of shape (rows, places), to which blocks add along places that become more."""

    def __init__(self, rows: int) -> None:
        self._values: Array = np.zeros((rows, 0))

    def add(self, values: Array, at: Places, size: int) -> None:
        """Add a block's sums at their places; there are `size` places by now."""
        if self._values.shape[1] < size:
            room = np.zeros((len(self._values), max(size, 2 * self._values.shape[1])))
            room[:, : self._values.shape[1]] = self._values
            self._values = room
        self._values[:, at] += values

    def cut(self, size: int) -> Array:
        """All that was added up."""
        return self._values[:, :size]


class PeopleSums:
    """Takes blocks of whole frames, and keeps sums over the people of pools, such as names."""

    def __init__(
        self, rows: int, axes: Sequence[str], width: Array, design: pl.DataFrame | None = None
    ) -> None:
        """`width` is each row's scale, (rows,); `design` says how people were drawn."""
        self.rows, self.width, self.axes = rows, width, list(axes)
        keys = {"match": pl.String, "person": pl.String}
        self._design = pl.DataFrame(schema=DESIGN) if design is None else design.select(*DESIGN)
        self._people = pl.DataFrame(
            schema=DESIGN | dict.fromkeys(self.axes, pl.String) | keys | {"number": pl.Int64}
        )
        self._n, self._apart, self._squares = (_Grown(rows) for _ in range(3))
        self._frames: list[pl.DataFrame] = []
        self._mean: list[Array] = []
        self._by_cell: list[tuple[Places, Places, Array, Array]] = []
        self._cells: dict[tuple[str | None, ...], int] = {}
        self._sets: dict[bytes, int] = {}
        self._set_of: list[Places] = []
        self._lacking: dict[int, list[tuple[int, int]]] = {}
        self._places = 0

    def add(self, sentences: pl.DataFrame, values: Array, matches: set[str]) -> None:
        """Take a block of whole frames and its scores, (rows, sentences); NaN where missing.

        `matches` are those with several people a side on some axis.
        """
        pooled = sentences["match"].is_in(sorted(matches))
        if not pooled.any():
            return
        if not pooled.all():
            sentences, values = sentences.filter(pooled), values[:, pooled.to_numpy()]
        whose = self._numbers(sentences)
        frames = sentences.select(OF_A_FRAME).unique(("frame", "match"), maintain_order=True)
        keys = frames.select("frame", "match").with_row_index("*at")
        at = sentences.select("frame", "match").join(
            keys, on=("frame", "match"), maintain_order="left"
        )
        frame = at["*at"].to_numpy().astype(np.int64)
        known = ~np.isnan(values)
        y, ones = np.where(known, values, 0.0), known.astype(np.float64)
        of_frame = members(frame, frames.height)
        counts = ones @ of_frame
        mean = np.divide(y @ of_frame, counts, out=np.zeros(counts.shape), where=counts > 0)
        apart = np.where(known, y - mean[:, frame], 0.0)

        people, place = np.unique(whose, return_inverse=True)
        of_person = members(place.astype(np.int64), people.size)
        for grown, part in ((self._n, ones), (self._apart, apart), (self._squares, apart**2)):
            grown.add(np.asarray(part @ of_person), people, self._people.height)

        cell, share = self._cell()[whose], self._share()[whose]
        pairs, place = np.unique(cell * frames.height + frame, return_inverse=True)
        of_pair = members(place.astype(np.int64), pairs.size)
        self._by_cell.append((
            pairs // frames.height, pairs % frames.height + self._places,
            np.asarray((apart * share) @ of_pair), np.asarray((ones * share) @ of_pair),
        ))  # fmt: skip

        self._add_sets(whose, frame, frames.height, known)
        self._frames.append(frames)
        self._mean.append(np.where(counts > 0, mean, np.nan))
        self._places += frames.height

    def _numbers(self, sentences: pl.DataFrame) -> Places:
        """The number of each sentence's person; new ones are taken note of."""
        keys = ["match", "person"]
        block = sentences.select(*keys, *self.axes).unique(keys, maintain_order=True)
        new = block.join(self._people, on=keys, how="anti", maintain_order="left")
        if new.height:
            told = new.join(self._design, on=keys, how="left", maintain_order="left")
            told = told.with_columns(
                number=pl.int_range(self._people.height, self._people.height + new.height)
            )
            self._people = pl.concat([self._people, told.select(self._people.columns)])
        joined = sentences.select(keys).join(
            self._people.select(*keys, "number"), on=keys, how="left", maintain_order="left"
        )
        return joined["number"].to_numpy()

    def _add_sets(
        self, whose: Places, frame: Places, frames: int, known: NDArray[np.bool_]
    ) -> None:
        """Which people stand in each frame; frames with the same ones share a number."""
        order = np.lexsort((whose, frame))
        starts = np.searchsorted(frame[order], np.arange(frames + 1))
        found = np.empty(frames, np.int64)
        for at in range(frames):
            who = whose[order[starts[at] : starts[at + 1]]].tobytes()
            found[at] = self._sets.setdefault(who, len(self._sets))
        self._set_of.append(found)
        for row, place in np.argwhere(~known).tolist():
            lacking = self._lacking.setdefault(row, [])
            lacking.append((int(frame[place]) + self._places, int(whose[place])))

    def _cell(self) -> Places:
        keys = self._people.select("match", *self.axes).rows()
        cells = self._cells
        return np.array([cells.setdefault(key, len(cells)) for key in keys], np.int64)

    def _share(self) -> Array:
        """What each person counts for in one of their frames: w / (π K)."""
        weight, chance, frames = (
            pl.col(name).fill_null(1.0) for name in ("weight", "probability", "frames")
        )
        drawn = pl.when(chance > 0).then(chance).otherwise(1.0)
        told = self._people.select(share=weight / drawn / frames.clip(1))
        return told["share"].cast(pl.Float64).to_numpy()

    # ------------------------------------------------------------ what it comes to

    @property
    def people(self) -> pl.DataFrame:
        """Everybody met; whoever was not drawn counts 1, of a population without end."""
        told = (pl.col("weight").fill_null(1.0), pl.col("probability").fill_null(0.0))
        return self._people.drop("number").with_columns(*told)

    @property
    def dropped(self) -> NDArray[np.int64]:
        """(rows,): sentences without a score."""
        return np.array([len(self._lacking.get(row, ())) for row in range(self.rows)], np.int64)

    def effects(self) -> PeopleEffects:
        """Everybody's effect, by least squares over people and frames."""
        people, size = self.people, self._people.height
        n, apart, squares = (one.cut(size) for one in (self._n, self._apart, self._squares))
        none = pl.DataFrame(schema=dict.fromkeys(OF_A_FRAME, pl.String))
        frames = pl.concat([none, *self._frames])
        mean = np.concatenate([np.zeros((self.rows, 0)), *self._mean], axis=1)
        cell = self._cell()
        total, weight = (np.zeros((self.rows, len(self._cells), self._places)) for _ in range(2))
        for of_cell, of_frame, sums, shares in self._by_cell:
            total[:, of_cell, of_frame] += sums
            weight[:, of_cell, of_frame] += shares
        value, frame = np.full(n.shape, np.nan), np.zeros(mean.shape)
        by_frame = np.divide(total, weight, out=np.full(total.shape, np.nan), where=weight > 0)
        for rows, sets, set_of in self._equations():
            value[rows], frame[rows] = _fit(
                sets, set_of, n[rows], apart[rows], people["match"], frames["match"]
            )
            own = np.nan_to_num(value[rows]) * self._share()
            for number in range(len(self._cells)):
                mine = np.flatnonzero(cell == number)
                expected = np.asarray(own[:, mine] @ sets[mine])[:, set_of]
                share = np.maximum(weight[rows, number], 1e-300)
                by_frame[rows, number] -= frame[rows] + expected / share
        centred = np.divide(apart, n, out=np.zeros(n.shape), where=n > 0)
        spread = np.maximum(squares - n * centred**2, 0.0)
        noise = np.divide(spread, n * (n - 1.0), out=np.zeros(n.shape), where=n > 1)
        noise = np.where(noise < (DUST * self.width[:, None]) ** 2, 0.0, noise)
        return PeopleEffects(
            people, value, noise, self._left(people, frames), frames, by_frame, cell,
            _moves(frames, mean + frame, value),
        )  # fmt: skip

    def _equations(self) -> list[tuple[Places, csr_array, Places]]:
        """Rows that have the same scores, who stands in each set, and every frame's set."""
        size = self._people.height
        set_of = np.concatenate([np.zeros(0, np.int64), *self._set_of])
        whole = np.array([row for row in range(self.rows) if row not in self._lacking], np.int64)
        every = [np.frombuffer(who, np.int64) for who in self._sets]
        found = [(whole, _incidence(every, size), set_of)] if whole.size else []
        for row, lacking in self._lacking.items():
            sets, own = dict(self._sets), set_of.copy()
            absent: dict[int, list[int]] = {}
            for frame, person in lacking:
                absent.setdefault(frame, []).append(person)
            for frame, whom in absent.items():
                who = list(every[set_of[frame]])
                for person in whom:
                    who.remove(person)
                own[frame] = sets.setdefault(np.array(who, np.int64).tobytes(), len(sets))
            mine = [np.frombuffer(one, np.int64) for one in sets]
            found.append((np.array([row]), _incidence(mine, size), own))
        return found

    def _left(self, people: pl.DataFrame, frames: pl.DataFrame) -> Array:
        """The share of a match's frames that each person did not meet."""
        many = dict(frames.group_by("match").len().rows())
        set_of = np.concatenate([np.zeros(0, np.int64), *self._set_of])
        used = np.bincount(set_of, minlength=len(self._sets)).astype(np.float64)
        every = [np.frombuffer(who, np.int64) for who in self._sets]
        met = np.asarray(_incidence(every, people.height) @ used)
        of = np.array([many[match] for match in people["match"]], np.float64)
        return np.clip(1.0 - met / np.maximum(of, 1.0), 0.0, 1.0)


def _incidence(sets: Sequence[Places], people: int) -> csr_array:
    """(people, sets): how often each stands in each."""
    lengths = [one.size for one in sets]
    whose = np.concatenate([np.zeros(0, np.int64), *sets])
    which = np.repeat(np.arange(len(sets)), lengths)
    return csr_array((np.ones(whose.size), (whose, which)), (people, len(sets)))


def _fit(
    sets: csr_array,
    set_of: Places,
    n: Array,
    apart: Array,
    match: pl.Series,
    frame_match: pl.Series,
) -> tuple[Array, Array]:
    """Effects of people and what frames are beside their mean: (rows, people), (rows, frames).

    With C_i a person's sum of y − ȳ_f over n_i frames, and X_s = Σ β over the q_s frames of a set
    of n_s people, X_s n_s/q_s − Σ_r (Σ_{i ∈ s, r} 1/n_i) X_r = −Σ_{i ∈ s} C_i/n_i.
    """
    used = np.bincount(set_of, minlength=sets.shape[1]).astype(np.float64)
    people = n[0]
    value = np.divide(apart, n, out=np.full(n.shape, np.nan), where=n > 0)
    summed = np.zeros((len(n), sets.shape[1]))
    matches, whose = match.to_numpy(), frame_match.to_numpy()
    for one in dict.fromkeys(whose):
        mine = np.unique(set_of[whose == one])
        there = np.flatnonzero((matches == one) & (people > 0))
        if mine.size < 2:
            continue  # everybody met every frame
        m = sets[:, mine][there]
        size, many = np.asarray(m.sum(axis=0)).ravel(), used[mine]
        filled = (size > 0) & (many > 0)
        m, size, many, mine = m[:, filled], size[filled], many[filled], mine[filled]
        if not mine.size:
            continue  # nobody has a score
        raw = value[:, there]
        if mine.size <= EXACT:
            summed[:, mine] = _solve(m, size, many, people[there], raw)
        else:  # by turns: people's effects from frames', frames' from people's
            for _ in range(ROUNDS):
                effect = raw - np.asarray(summed[:, mine] @ m.T) / people[there]
                summed[:, mine] = -np.asarray(effect @ m) * (many / size)
        shift = summed[:, mine].sum(axis=1, keepdims=True) / many.sum()
        summed[:, mine] -= many * shift
        value[:, there] = raw - np.asarray(summed[:, mine] @ m.T) / people[there]
    each = np.divide(summed, used, out=np.zeros(summed.shape), where=used > 0)
    return value, each[:, set_of]


def _solve(m: csr_array, size: Array, many: Array, people: Array, raw: Array) -> Array:
    shared = np.asarray((m.multiply(1.0 / people[:, None]).T @ m).todense())
    matrix = np.diag(size / many) - shared
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    kept = values > ROUNDING * max(float(values.max(initial=0.0)), 1e-300)
    inverse = np.divide(1.0, values, out=np.zeros(values.shape), where=kept)
    found: Array = -np.asarray(raw @ m) @ vectors * inverse @ vectors.T
    return found


def _moves(frames: pl.DataFrame, frame: Array, effects: Array) -> Array:
    """How far frames' means lie from each other, or the furthest person from the middle one."""
    if not frames.height:
        return np.zeros(len(frame))
    spoken = frames["emotion_word"].is_not_null().to_numpy()
    means = frame[:, spoken] if spoken.any() else frame
    known = ~np.isnan(means)
    n = np.maximum(known.sum(axis=1), 1)
    middle = np.where(known, means, 0.0).sum(axis=1) / n
    variance: Array = np.where(known, (means - middle[:, None]) ** 2, 0.0).sum(axis=1) / n
    furthest = np.zeros(len(frame))
    for row, values in enumerate(effects):
        there = values[~np.isnan(values)]
        furthest[row] = np.abs(there - np.median(there)).max(initial=0.0) if there.size else 0.0
    moves: Array = np.maximum(np.sqrt(variance), furthest)
    return moves


OF_A_COUPLES_FRAME = ("frame", "template", "emotion", "emotion_word")


@dataclass(frozen=True, slots=True)
class Couples:
    """One contrast's couples; arrays are (rows, couples) and (rows, frames)."""

    people: pl.DataFrame
    """match, family and probability: a row a couple."""
    n: Array
    """Differences that are known."""
    total: Array
    squares: Array
    met: Array
    """(couples,): in how many frames a couple stands."""
    frames: pl.DataFrame
    """frame, template, emotion, emotion_word."""
    frame_n: Array
    frame_total: Array
    moves: Array
    """(rows,): how far frames' mean scores lie from each other, the root of their variance."""


class CoupleSums:
    """Takes blocks of whole frames, and keeps sums over matches of one person a side."""

    def __init__(
        self, rows: int, contrast: Contrast, width: Array, design: pl.DataFrame | None = None
    ) -> None:
        """`width` is each row's scale, (rows,); `design` names families and who was drawn."""
        self.contrast, self._rows, self._width = contrast, rows, width
        self._design = design
        self._matches: dict[str, int] = {}
        self._sums = [np.zeros((rows, 0)) for _ in range(3)]
        self._met: Array = np.zeros(0)
        self._frames: list[pl.DataFrame] = []
        self._of_frame: list[tuple[Array, Array]] = []
        self._level = np.zeros((3, rows))

    def add(self, sentences: pl.DataFrame, values: Array, pooled: set[str]) -> None:
        """Take a block and its scores, (rows, sentences); NaN where missing.

        `pooled` are the matches with several people a side.
        """
        single = (
            ~sentences["match"].is_in(sorted(pooled)) & sentences[self.contrast.axis].is_not_null()
        )
        if not single.any():
            return
        if not single.all():
            sentences, values = sentences.filter(single), values[:, single.to_numpy()]
        found = comparisons(sentences, [self.contrast])
        pairs = found.pairs
        if not pairs.height:
            return
        first, second = (sides_of(values, side) for side in (found.first, found.second))
        deltas = without_dust(first - second, self._width)
        known = ~np.isnan(deltas)
        size = np.where(known, deltas, 0.0)
        for match in pairs["match"].unique(maintain_order=True):
            self._matches.setdefault(match, len(self._matches))
        at = pairs["match"].replace_strict(self._matches, return_dtype=pl.Int64).to_numpy()
        of_match = members(at, len(self._matches))
        new = len(self._matches) - self._met.size
        self._met = np.pad(self._met, (0, new)) + np.bincount(at, minlength=len(self._matches))
        parts = (known.astype(np.float64), size, size**2)
        self._sums = [
            np.pad(kept, ((0, 0), (0, new))) + np.asarray(one @ of_match)
            for kept, one in zip(self._sums, parts, strict=True)
        ]
        level = np.where(known, (first + second) / 2.0, 0.0)
        self._level += np.stack([known.sum(axis=1), level.sum(axis=1), (level**2).sum(axis=1)])
        frames = pairs.select(OF_A_COUPLES_FRAME).unique("frame", maintain_order=True)
        place = pairs.select("frame").join(
            frames.select("frame").with_row_index("*at"), on="frame", maintain_order="left"
        )
        of_frame = members(place["*at"].to_numpy().astype(np.int64), frames.height)
        self._frames.append(frames)
        self._of_frame.append((np.asarray(parts[0] @ of_frame), np.asarray(size @ of_frame)))

    def couples(self) -> Couples:
        """All that was added up."""
        people = pl.DataFrame({"match": list(self._matches)}, {"match": pl.String})
        none = pl.DataFrame(schema=dict.fromkeys(OF_A_COUPLES_FRAME, pl.String))
        told = pl.DataFrame(
            schema={"match": pl.String, "family": pl.String, "probability": pl.Float64}
        )
        if self._design is not None:
            told = self._design.select(told.columns).unique("match", maintain_order=True)
        people = people.join(told, on="match", how="left", maintain_order="left").with_columns(
            pl.coalesce("family", pl.concat_str(pl.lit("match "), "match")).alias("family"),
            pl.col("probability").fill_null(0.0),
        )
        empty = np.zeros((self._rows, 0))
        counts, totals = (
            np.concatenate([empty, *(one[side] for one in self._of_frame)], axis=1)
            for side in (0, 1)
        )
        n, total, squares = self._sums
        _, level, level2 = self._level / np.maximum(self._level[0], 1.0)
        return Couples(
            people, n, total, squares, self._met, pl.concat([none, *self._frames]), counts, totals,
            np.sqrt(np.maximum(level2 - level**2, 0.0)),
        )  # fmt: skip
