"""The paired study of Kiritchenko & Mohammad (2018), for all systems and subsets at once.

    scores (systems × sentences) · averages (pairs × sentences)ᵀ = both sides of every pair

Δ = first − second, for instance female − male. Per system: a two-sided paired t-test over all
pairs, a sign-flip test beside it, and what describes the differences. Every subset is a union of
parts with one template and one emotion, so differences are summed by part, and parts put together
in the end. `pair_study` takes a corpus as one block and holds every pair; `PairSums` takes a corpus
too large for that block by block, and holds sums, the largest pairs, and a grid for quartiles. Only
what needs every pair is the first one's own: the sign-flip test, exact quartiles, label flips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.claims.estimates import Columns, EstimateBlock, estimates_table
from tiltmeter.errors import TiltmeterError
from tiltmeter.ranking import coarsen
from tiltmeter.scoring.matrix import NATIVE, Scores, score_matrix
from tiltmeter.stats.moments import (
    ERROR,
    Moments,
    QuantileGrid,
    empty_grid,
    members,
    moments,
    nothing,
    pooled,
    together,
)
from tiltmeter.stats.paired_tests import (
    MOST_FLIPS,
    PATTERNS,
    described_by,
    paired_t_of,
    sign_flip,
    standardised,
    without_dust,
)
from tiltmeter.studies.paired.contrasts import (
    Contrast,
    comparisons,
    places_in,
    subsets,
    with_texts,
)

Array = NDArray[np.float64]
Places = NDArray[np.int64]

MEAN = "mean_difference"
"""The measure that findings are made of."""
OWN = "own-emotion"
"""The subset of the emotion that a task is about."""
UNITS = {"standardised": "sd of differences", "in_sd": "sd of scores"}
"""Of measures that are not in the unit of the scores."""
OF_A_CONTRAST = ("axis", "contrast", "first", "second")
OF_A_PART = (*OF_A_CONTRAST, "template", "emotion")
OF_A_WORD = ("axis", "contrast", "template", "emotion", "emotion_word")
OF_A_MATCH = (*OF_A_CONTRAST, "match")
MOST_WORDS = 50_000
"""Templates × words whose own means are held; beyond, the table of words is left out."""
MOST_MATCHES = 50_000
FEWEST, MOST = 20, 200
"""Pairs that every submission and contrast keeps of a large corpus: at least what tables show."""
BUDGET = 400_000
"""Numbers that may be kept for all of them."""


def corpus_labels(sentences: pl.DataFrame) -> dict[str, str]:
    """The corpus and its edition, as every row of a table names them."""
    names = ("corpus", "edition")
    return {name: str(sentences[name][0]) if sentences.height else "" for name in names}


def subset_names(sentences: pl.DataFrame) -> list[str]:
    """The subsets that sentences may fall into, known before any is scored."""
    emotions = sentences["emotion"].null_count() < sentences.height
    return [*(name for name, _ in subsets(sentences)), *([OWN] if emotions else ())]


def subsets_by_task(
    pairs: pl.DataFrame, tasks: pl.Series
) -> Iterator[tuple[str, Places, pl.Series]]:
    """Every subset, the submissions it is of, and the pairs in it.

    Of its own emotion are only the submissions of a task.
    """
    for name, inside in subsets(pairs):
        yield name, np.arange(tasks.len()), inside
    for task in tasks.unique(maintain_order=True):
        own = (pairs["emotion"] == task).fill_null(False)
        if own.any():
            yield OWN, np.flatnonzero((tasks == task).to_numpy()), own


class GroupSums:
    """What things come to by the values of some columns, block by block."""

    def __init__(self, systems: int, by: Sequence[str], most: int | None = None) -> None:
        self.by, self._most = list(by), most
        self.moments = nothing(systems, 0)
        self._rows: dict[tuple[str | None, ...], int] = {}
        self._sizes = np.zeros(0, np.int64)
        self.full = False
        """Whether there were more groups than may be held; then none is."""

    @property
    def keys(self) -> pl.DataFrame:
        """A row for each group, in the order they were met: its values, and its size."""
        keys = pl.DataFrame(list(self._rows), dict.fromkeys(self.by, pl.String), orient="row")
        return keys.with_columns(size=pl.Series(self._sizes, dtype=pl.Int64))

    def add(self, things: pl.DataFrame, values: Array) -> Places:
        """Take further things, a column of `values` (systems, things) each.

        Returns the group that each is in; nothing once there are too many.
        """
        if self.full or not things.height:
            return np.zeros(0, np.int64)
        rows = self._rows
        keys = things.select(self.by).unique(maintain_order=True)
        place = np.array([rows.setdefault(key, len(rows)) for key in keys.iter_rows()], np.int64)
        if self._most is not None and len(rows) > self._most:
            self.full, self._rows = True, {}
            self.moments, self._sizes = nothing(len(values), 0), np.zeros(0, np.int64)
            return np.zeros(0, np.int64)
        if more := len(rows) - self._sizes.size:
            fresh = nothing(len(values), more)
            self.moments = Moments(
                *(
                    np.concatenate([getattr(self.moments, name), getattr(fresh, name)], axis=1)
                    for name in Moments.__slots__
                )
            )
            self._sizes = np.pad(self._sizes, (0, more))
        group = places_in(things, keys, self.by)
        sums = together(self.moments.columns(place), moments(values, group, keys.height))
        for name in Moments.__slots__:
            getattr(self.moments, name)[:, place] = getattr(sums, name)
        self._sizes[place] += np.bincount(group, minlength=keys.height)
        return place[group]


@dataclass(frozen=True, slots=True)
class People:
    """Each person's average deviation, for each submission.

    For each sentence, its score minus the average over everyone who stands in the same frame and
    match (the twenty names of each group, the mother and the father); then the average over a
    person's sentences.
    """

    submissions: pl.DataFrame
    people: pl.DataFrame
    """person, match, one column per axis, n (sentences); a row for each column of `deviations`."""
    deviations: Array
    """(submissions, people); NaN where there is nothing to compare: nobody else had a score."""


class DeviationSums:
    """Takes blocks of whole frames, in which everyone compared stands together."""

    def __init__(self, submissions: pl.DataFrame, axes: Sequence[str]) -> None:
        self._submissions = submissions
        self._sums = GroupSums(submissions.height, ["person", "match", *axes])

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block and its scores, (submissions, sentences)."""
        beside = ["frame", "match"]
        cells = sentences.group_by(beside, maintain_order=True).agg(pl.col("person").n_unique())
        place, known = places_in(sentences, cells, beside), ~np.isnan(values)
        in_cell = members(place, cells.height)
        n = known.astype(np.float64) @ in_cell
        mean = (np.where(known, values, 0.0) @ in_cell) / np.maximum(n, 1.0)
        several = (cells["person"].to_numpy() > 1) & (n > 1)
        self._sums.add(
            sentences, np.where(several[:, place], values - mean[:, place], np.nan)
        )  # fmt: skip

    def people(self) -> People:
        """What all blocks came to."""
        width = self._submissions["width"].to_numpy()
        clean = without_dust(self._sums.moments.known_mean, width)
        return People(self._submissions, self._sums.keys.rename({"size": "n"}), clean)


def people_study(sentences: pl.DataFrame, scores: Scores, axes: Sequence[str]) -> People:
    """How far each person's sentences stand from the average of their match."""
    matrix = score_matrix(scores, sentences)
    sums = DeviationSums(matrix.submissions, axes)
    sums.add(sentences, matrix.values)
    return sums.people()


@dataclass(frozen=True, eq=False, slots=True)
class PairTotals:
    """Sums over all pairs of a large corpus."""

    counts: pl.DataFrame
    """axis, contrast, first, second, pairs."""
    grids: tuple[QuantileGrid, ...]
    """How each contrast's differences are spread, in the order of `counts`."""
    words: pl.DataFrame
    """axis, contrast, template, emotion, emotion_word: a row for each column of `word_sums`."""
    word_sums: Moments
    matches: pl.DataFrame
    """axis, contrast, first, second, match: a row for each column of `match_sums`."""
    match_sums: Moments
    left_out: tuple[str, ...] = ()
    """What would not fit, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What differs from a study that holds every pair."""
        error = f"{100 * ERROR:.3f}".rstrip("0")
        return (
            "the corpus is too large to be held, so its sentences were gone through in parts: "
            "means, intervals and tests are of all pairs, the sign-flip test is left out, "
            f"quartiles are right within {error} points of 100, and of single pairs each system's "
            "largest are shown; label flips, the largest gap between groups, and places by size of "
            "tilt are left out",
            *self.left_out,
        )

    def grid(self, axis: str, contrast: str) -> QuantileGrid:
        """How one contrast's differences are spread."""
        return self.grids[self.counts.select("axis", "contrast").rows().index((axis, contrast))]

    def of_submissions(self, rows: Places) -> PairTotals:
        """Some submissions only."""
        return replace(
            self,
            grids=tuple(QuantileGrid(grid.width[rows], grid.counts[rows]) for grid in self.grids),
            word_sums=self.word_sums.rows(rows),
            match_sums=self.match_sums.rows(rows),
        )


@dataclass(frozen=True, slots=True)
class PairStudy:
    """One corpus' paired study: both sides of every pair, and what was estimated from them."""

    submissions: pl.DataFrame
    """system, task, unit, width, sd, n_missing; a row for each row of the arrays."""
    pairs: pl.DataFrame
    """A row for each column of the arrays: axis, contrast, first, second, frame, match, template,
    emotion, emotion_word, n_first, n_second, and text_first, text_second: a sentence of each."""
    first: Array
    """(submissions, pairs): the first group's average score; NaN where one is missing."""
    second: Array
    deltas: Array
    """first − second without floating-point dust."""
    estimates: pl.DataFrame
    """As the `estimates` table."""
    totals: PairTotals | None = None
    """Of a large corpus: what all pairs come to; `pairs` and the arrays hold the largest only."""

    @property
    def counts(self) -> pl.DataFrame:
        """How many pairs each contrast has: axis, contrast, pairs; none of those without any."""
        if self.totals:
            return self.totals.counts.select("axis", "contrast", "pairs")
        found = self.pairs.group_by("axis", "contrast", maintain_order=True).len("pairs")
        return found.with_columns(pl.col("pairs").cast(pl.Int64))

    @property
    def by_word(self) -> tuple[pl.DataFrame, Moments]:
        """What differences come to by contrast, template and word: see OF_A_WORD."""
        if self.totals:
            return self.totals.words, self.totals.word_sums
        return self._sums_by(OF_A_WORD)

    @property
    def by_match(self) -> tuple[pl.DataFrame, Moments]:
        """What differences come to by contrast and match: see OF_A_MATCH."""
        if self.totals:
            return self.totals.matches, self.totals.match_sums
        return self._sums_by(OF_A_MATCH)

    def _sums_by(self, by: Sequence[str]) -> tuple[pl.DataFrame, Moments]:
        sums = GroupSums(len(self.deltas), by)
        sums.add(self.pairs, self.deltas)
        return sums.keys.drop("size"), sums.moments

    def of_submissions(self, rows: Places) -> PairStudy:
        """Some submissions only; the estimates stay those of all."""
        return replace(
            self,
            submissions=self.submissions[rows],
            first=self.first[rows],
            second=self.second[rows],
            deltas=self.deltas[rows],
            totals=None if self.totals is None else self.totals.of_submissions(rows),
        )


def sides_of(values: Array, averages: csr_array) -> Array:
    """One side of every pair, (submissions, pairs); a missing score makes its pairs NaN."""
    return np.ascontiguousarray((averages @ values.T).T)


def paired_scores(
    sentences: pl.DataFrame, values: Array, contrasts: Sequence[Contrast], width: Array
) -> tuple[pl.DataFrame, Array, Array, Array]:
    """The pairs of some contrasts, both sides of each, and first − second without dust.

    `values` is (rows, sentences), `width` each row's scale; the arrays are (rows, pairs).
    """
    found = comparisons(sentences, contrasts)
    first, second = (sides_of(values, side) for side in (found.first, found.second))
    return found.pairs, first, second, without_dust(first - second, width)


def pair_study(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    *,
    mode: str = "corrected",
    flips: int | None = None,
    seed: int = 0,
) -> PairStudy:
    """Compare every system's scores of matched sentences, for every contrast and subset.

    `flips` is how many sign patterns are tried at most; 0 leaves the sign-flip test out.
    """
    patterns = PATTERNS if flips is None else flips
    if not 0 <= patterns <= MOST_FLIPS:
        raise TiltmeterError(f"the number of sign flips is 0 to {MOST_FLIPS:,}; found {patterns}")
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    pairs, first, second, deltas = paired_scores(sentences, matrix.values, contrasts, width)
    sums = GroupSums(matrix.submissions.height, OF_A_PART)
    part = sums.add(pairs, deltas)
    # Pairs are ordered by name, so that the corpus' order decides nothing.
    order = pairs.select(pl.arg_sort_by("frame", "match")).to_series().to_numpy()

    def flip_p(rows: Places, parts: Places) -> Array:
        columns = order[np.isin(part[order], parts)]
        return sign_flip(deltas[np.ix_(rows, columns)], np.random.default_rng(seed), patterns)

    run = {**corpus_labels(sentences), "mode": mode}
    table = _estimates(sums, matrix.submissions, contrasts, run, flip_p if patterns else None)
    return PairStudy(matrix.submissions, with_texts(pairs, sentences), first, second, deltas, table)


def _estimates(
    sums: GroupSums,
    submissions: pl.DataFrame,
    contrasts: Sequence[Contrast],
    run: Mapping[str, str],
    flip_p: Callable[[Places, Places], Array] | None = None,
) -> pl.DataFrame:
    """Every measure of every contrast, subset and set of submissions, from sums by part.

    `flip_p` is the sign-flip test of some submissions over some parts, where pairs are held.
    """
    placed, width = sums.keys.with_row_index("place"), submissions["width"].to_numpy()
    blocks = []
    for contrast in dict.fromkeys(contrasts):
        mine = placed.filter(axis=contrast.axis, first=contrast.first, second=contrast.second)
        for subset, rows, inside in subsets_by_task(mine, submissions["task"]):
            parts = mine.filter(inside)
            places = parts["place"].to_numpy().astype(np.int64)
            found = pooled(sums.moments.rows(rows).columns(places))
            n, n_up, n_down = (
                counts[:, 0].astype(np.int64) for counts in (found.n, found.n_up, found.n_down)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                sd = np.where(n > 1, np.sqrt(found.m2[:, 0] / (n - 1)), np.nan)
            test = paired_t_of(n, found.known_mean[:, 0], sd, width[rows])
            shape = described_by(
                n, found.up[:, 0], n_up, found.down[:, 0], n_down, found.top[:, 0],
                found.bottom[:, 0],
            )  # fmt: skip
            d, d_se, d_low, d_high = standardised(test)
            ends = {"value": test.mean, "se": test.se, "low": test.low, "high": test.high}
            measures: dict[str, Columns] = {
                MEAN: {**ends, "statistic": test.t, "df": test.df, "p": test.p, "n": n},
                "standardised": {"value": d, "se": d_se, "low": d_low, "high": d_high, "n": n},
                "mean_up": {"value": shape.up, "n": shape.n_up},
                "mean_down": {"value": shape.down, "n": shape.n_down},
                "spread": {"value": shape.spread, "n": n},
                "max_abs": {"value": shape.largest, "n": n},
                "mean_abs": {"value": shape.size, "n": n},
            }
            if flip_p:
                measures["sign_flip"] = {"value": test.mean, "p": flip_p(rows, places), "n": n}
            dropped = {"n_dropped": int(parts["size"].sum()) - n}
            blocks += [
                EstimateBlock(contrast, subset, name, rows, {**columns, **dropped}, UNITS.get(name))
                for name, columns in measures.items()
            ]
            native = (submissions["unit"] == NATIVE).to_numpy()[rows]
            if native.any():
                spread = submissions["sd"].to_numpy()[rows]
                in_sd = {
                    name: one / np.where(spread > 0, spread, np.nan) for name, one in ends.items()
                }
                own = {name: one[native] for name, one in {**in_sd, "n": n, **dropped}.items()}
                blocks.append(
                    EstimateBlock(contrast, subset, "in_sd", rows[native], own, UNITS["in_sd"])
                )
    return estimates_table(blocks, submissions, run)


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
        self.first, self.second, self.deltas = (
            np.concatenate([held, block[:, near]], axis=1)
            for held, block in (
                (self.first, first), (self.second, second), (self.deltas, deltas)
            )
        )  # fmt: skip
        self._take(self._among(self.pairs, self.deltas))

    def put_in_order(self, contrasts: Sequence[tuple[str, str]]) -> None:
        """One contrast's pairs after the other's, each in the corpus' order."""
        nth = {key: at for at, key in enumerate(contrasts)}
        rank = [nth[key] for key in self.pairs.select("axis", "contrast").rows()]
        self._take(np.argsort(np.array(rank, np.int64), kind="stable"))

    def _take(self, places: Places) -> None:
        self.pairs = self.pairs[places]
        self.first, self.second, self.deltas = (
            part[:, places] for part in (self.first, self.second, self.deltas)
        )

    def _among(self, pairs: pl.DataFrame, deltas: Array) -> Places:
        """The places of pairs that are among some submission's largest."""
        placed = pairs.select("axis", "contrast").with_row_index("place")
        chosen = []
        for _, part in placed.group_by("axis", "contrast", maintain_order=True):
            places = part["place"].to_numpy()
            size = np.nan_to_num(np.abs(deltas[:, places]), nan=-1.0)
            order = np.argsort(-coarsen(size), axis=1, kind="stable")[:, : self.many]
            chosen.append(places[np.unique(order)])
        return np.unique(np.concatenate(chosen)).astype(np.int64)


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
        self._grids = {
            (one.axis, one.name, one.first, one.second): empty_grid(self._width)
            for one in self._contrasts
        }
        self._largest = LargestPairs(many, len(self._contrasts))
        self._people = DeviationSums(submissions, axes)
        self._run = {"corpus": "", "edition": ""}

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block: whole frames, and their scores, (submissions, sentences)."""
        self._run = corpus_labels(sentences)
        self._people.add(sentences, values)
        pairs, first, second, deltas = paired_scores(
            sentences, values, self._contrasts, self._width
        )
        pairs = with_texts(pairs, sentences)
        for sums in (self._parts, self._words, self._matches):
            sums.add(pairs, deltas)
        for (axis, contrast, *_), grid in self._grids.items():
            mine = (pairs["axis"] == axis) & (pairs["contrast"] == contrast)
            grid.add(deltas[:, mine.to_numpy()])
        self._largest.add(pairs, first, second, deltas)

    def study(self, mode: str) -> PairStudy:
        """What all blocks came to; its pairs are the largest only, its estimates of all."""
        run = {**self._run, "mode": mode}
        table = _estimates(self._parts, self._submissions, self._contrasts, run)
        every = pl.DataFrame(
            list(self._grids), dict.fromkeys(OF_A_CONTRAST, pl.String), orient="row"
        )
        sizes = self._parts.keys.group_by(OF_A_CONTRAST).agg(pairs=pl.col("size").sum())
        counts = every.join(sizes, on=OF_A_CONTRAST, how="inner", maintain_order="left")
        totals = PairTotals(
            counts,
            tuple(self._grids[row[:-1]] for row in counts.rows()),
            self._words.keys.drop("size"),
            self._words.moments,
            self._matches.keys.drop("size"),
            self._matches.moments,
            tuple(
                f"there are too many {name} to tell the mean difference of each"
                for name, sums in (("words", self._words), ("matches", self._matches))
                if sums.full
            ),
        )
        held = self._largest
        held.put_in_order([(one.axis, one.name) for one in self._contrasts])
        return PairStudy(
            self._submissions, held.pairs, held.first, held.second, held.deltas, table, totals
        )

    def people(self) -> People:
        """How far each person's sentences stand from the average of their match."""
        return self._people.people()
