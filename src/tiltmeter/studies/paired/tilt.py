"""The claims on every contrast and submission; the share of people moved; ranks by size of tilt.

As rows of the `estimates` table: in `subset` stands whom a claim is about, names or couples. Beside
each `tilt` stand what its error is made of (`tilt_people`, `tilt_floor`, `tilt_words`,
`tilt_noise`), the same people over other sentences (`tilt_these_people`), each name alike
(`tilt_by_names`) and names about equally common (`tilt_matched`), and by group the share of people
moved (`moved`).

A mean may bury people: +16 points for aunt and uncle against −16 for sister and brother is no tilt
at all. A name is moved where its effect lies further than the margin from the middle name, the
median of all names of its population, each name alike; a couple where its two differ by more. Who
met a part of the frames has an effect known up to chance, and so is the middle of a draw. Then the
lower end of a share counts those who are surely moved, the upper end those who may be, and the
share itself is of effects drawn in to the spread that they have without that chance (Louis 1984).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from tiltmeter.claims.estimates import Columns, EstimateBlock, estimates_table
from tiltmeter.ranking import coarsen
from tiltmeter.scoring.matrix import SCALE, Scores, score_matrix
from tiltmeter.stats.multiplicity import LEVEL as RANK_LEVEL
from tiltmeter.stats.multiplicity import (
    Ranges,
    among_known,
    difference_variances,
    larger_p,
    rank_ranges,
    surely_above,
)
from tiltmeter.stats.paired_tests import DUST, LEVEL
from tiltmeter.stats.survey import PopulationShare, share
from tiltmeter.studies.paired.claims import (
    COUPLES,
    NAMES,
    Claim,
    couples_claim,
    matched_claim,
    names_claim,
)
from tiltmeter.studies.paired.contrasts import Contrast, GroupLabel
from tiltmeter.studies.paired.pairs import corpus_labels
from tiltmeter.studies.paired.people_sums import (
    Couples,
    CoupleSums,
    PeopleEffects,
    PeopleSums,
    people_of_matches,
    pooled_matches,
)

Array = NDArray[np.float64]
Places = NDArray[np.int64]

TILT, MOVED = "tilt", "moved"
THESE, BY_NAMES, MATCHED = "tilt_these_people", "tilt_by_names", "tilt_matched"
SOURCES = ("people", "floor", "words", "noise")
MARGIN = 0.01
"""Beyond which somebody counts as moved, where nobody says otherwise: 1 point of 100."""
DOUBT = float(ndtri(0.95))
"""Errors that an effect may lie from where it was seen, either way."""
ALIKE = 51
"""People with effects about as large, whose spreads over frames are averaged."""
FEWEST = 2
"""Submissions that can be ranked."""
RANKS = pl.Schema(
    dict.fromkeys(("system", "task", "corpus", "edition", "axis", "contrast", "kind"), pl.String())
    | {"tilt": pl.Float64()}
    | dict.fromkeys(("rank", "rank_best", "rank_worst", "tied", "of"), pl.Int64())
)
"""A leaderboard of sizes of tilts, by names or by couples: 1 is the largest of its task, corpus,
contrast and kind."""


@dataclass(frozen=True, slots=True)
class PeopleMoved:
    """Whom systems move, of one group or of one contrast's couples; a share for each row."""

    group: str
    shares: tuple[PopulationShare, ...]
    up: tuple[int, ...]
    """How many of those moved lie above the middle."""


@dataclass(frozen=True, slots=True)
class NameEffects:
    """Everybody's effect beside the middle name, (rows, people); NaN where there is none."""

    value: Array
    low: Array
    """The least and the most that it may be: the middle and the effect known up to chance."""
    high: Array

    def moved(
        self, group: str, people: Places, weight: Array, chance: Array, margin: float
    ) -> PeopleMoved:
        """Of some people, the share whom each row moves beyond a margin, surely or maybe.

        Who lies on the margin but for rounding is not beyond it.
        """
        limit, (value, low, high) = coarsen(margin), map(coarsen, (self.value, self.low, self.high))
        beyond = np.abs(value) > limit
        sure = (low > limit) | (high < -limit)
        possible = (high > limit) | (low < -limit)
        shares, up = [], []
        for row, values in enumerate(value):
            some = people[~np.isnan(values[people])]
            marks, *doubt = (one[row, some] for one in (beyond, sure, possible))
            shares.append(share(marks, weight[some], chance[some], *doubt))
            up.append(int((values[some] > limit).sum()))
        return PeopleMoved(group, tuple(shares), tuple(up))


def apart_from_middle(effects: PeopleEffects) -> NameEffects:
    """How far everybody lies from the middle name of their match.

    In a draw a name stands for 1/π names of its population. Effects are drawn in by √λ, λ the part
    of their variance that is not chance.
    """
    chance = effects.people["probability"].to_numpy()
    counted = 1.0 / np.where(chance > 0, chance, 1.0)
    value, low, high = (np.full(effects.value.shape, np.nan) for _ in range(3))
    match = effects.people["match"]
    for name in match.unique(maintain_order=True):
        mine = np.flatnonzero((match == name).to_numpy())
        for row in range(len(value)):
            seen = effects.value[row, mine]
            middle, least, most = weighted_median(seen, counted[mine])
            if (chance[mine] >= 1.0).all() or not (chance[mine] > 0).any():
                least = most = middle  # all names of the population, or a list as it is
            apart = seen - middle
            error = _error(apart, effects.noise[row, mine] * effects.left[mine])
            known = ~np.isnan(apart)
            weight = counted[mine][known] / max(counted[mine][known].sum(), 1e-300)
            spread = float((weight * apart[known] ** 2).sum())
            noise = float((weight * error[known] ** 2).sum())
            drawn_in = np.sqrt(max(0.0, 1.0 - noise / spread)) if spread > 0 else 1.0
            value[row, mine] = apart * drawn_in
            reach = DOUBT * error
            low[row, mine], high[row, mine] = seen - most - reach, seen - least + reach
    return NameEffects(value, low, high)


def _error(apart: Array, noise: Array) -> Array:
    """The standard error of effects over frames, averaged over people with effects as large."""
    known = np.flatnonzero(~np.isnan(apart))
    found = np.zeros(apart.size)
    if not known.size or not noise[known].any():
        return found
    order = known[np.argsort(coarsen(np.abs(apart[known])), kind="stable")]
    sums = np.concatenate([[0.0], np.cumsum(noise[order])])
    start = np.clip(np.arange(order.size) - ALIKE // 2, 0, max(order.size - ALIKE, 0))
    end = np.minimum(start + ALIKE, order.size)
    found[order] = np.sqrt(np.maximum((sums[end] - sums[start]) / (end - start), 0.0))
    return found


def weighted_median(values: Array, weight: Array) -> tuple[float, float, float]:
    """The value below and above which lies half the weight, and its 95 % interval; NaN of none.

    The interval is Woodruff's (1952): where the weight below it is half, give or take its error.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0]))
    (2.0, 1.0, 3.0)
    >>> weighted_median(np.array([1.0, 2.0]), np.array([1.0, 1.0]))[0]
    1.5
    """
    known = ~np.isnan(values)
    if not known.any():
        return float("nan"), float("nan"), float("nan")
    order = np.argsort(values[known], kind="stable")
    ranked, own = values[known][order], weight[known][order]
    below = np.cumsum(own) / own.sum()
    error = 0.5 * float(ndtri(0.975)) / np.sqrt(own.sum() ** 2 / (own**2).sum())
    least, most = (
        float(ranked[min(int(np.searchsorted(below, at)), ranked.size - 1)])
        for at in (0.5 - error, 0.5 + error)
    )
    at = int(np.searchsorted(below, 0.5 * (1.0 - 1e-12)))
    middle = float(ranked[at])
    if at + 1 < ranked.size and abs(below[at] - 0.5) <= 1e-9:
        middle = float((ranked[at] + ranked[at + 1]) / 2.0)
    return middle, min(least, middle), max(most, middle)


def moved_names(effects: PeopleEffects, axis: str, margin: float) -> list[PeopleMoved]:
    """For each group of an axis, the share of its people whom each row moves beyond a margin."""
    apart, groups = apart_from_middle(effects), effects.people[axis]
    weight, chance = (effects.people[name].to_numpy() for name in ("weight", "probability"))
    return [
        apart.moved(
            str(group), np.flatnonzero((groups == group).fill_null(False).to_numpy()),
            weight, chance, margin,
        )
        for group in groups.drop_nulls().unique(maintain_order=True)
    ]  # fmt: skip


def moved_couples(couples: Couples, contrast: Contrast, margin: float) -> PeopleMoved:
    """The share of couples whose two are scored apart by more than a margin."""
    n, none = couples.n, np.zeros(couples.n.shape)
    each = np.divide(couples.total, n, out=np.full(n.shape, np.nan), where=n > 0)
    spread = np.maximum(couples.squares - np.nan_to_num(n * each**2), 0.0)
    noise = np.divide(spread, n * (n - 1.0), out=none, where=n > 1)
    left = 1.0 - couples.met / max(float(couples.frames.height), 1.0)
    reach = DOUBT * np.sqrt(noise * np.clip(left, 0.0, 1.0))
    every, chance = np.arange(couples.people.height), couples.people["probability"].to_numpy()
    apart = NameEffects(each, each - reach, each + reach)
    return apart.moved(contrast.name, every, np.ones(every.size), chance, margin)


@dataclass(frozen=True, slots=True)
class TiltStudy:
    """What blocks of sentences came to, before contrasts are taken."""

    effects: PeopleEffects
    couples: Mapping[Contrast, Couples]
    axes: tuple[str, ...]
    width: Array
    dropped: NDArray[np.int64]
    """(rows,): sentences with names without a score."""

    def claims(self, contrast: Contrast) -> list[Claim]:
        """The claims on a contrast: by names, by couples, or both."""
        names = names_claim(self.effects, contrast, self.axes, self.width)
        pairs = couples_claim(self.couples[contrast], contrast, self.width, self.moves(contrast))
        return [one for one in (names, pairs) if one is not None]

    def moves(self, contrast: Contrast) -> Array:
        """How far words move a score: of names' sentences, else of the couples' own."""
        if self.effects.frames.height:
            return self.effects.moves
        return self.couples[contrast].moves


class TiltSums:
    """Takes blocks of whole frames of one corpus, and keeps what all contrasts need."""

    def __init__(
        self,
        rows: int,
        contrasts: Sequence[Contrast],
        axes: Sequence[str],
        width: Array,
        people: pl.DataFrame | None = None,
    ) -> None:
        """`width` is each row's scale, (rows,); `people` the table of who was drawn, if any."""
        self._axes, self._width = tuple(axes), width
        drawn = people if people is not None and people.height else None
        self._many = people_of_matches(drawn)
        self._people = PeopleSums(rows, axes, width, drawn)
        self._couples = {
            one: CoupleSums(rows, one, width, drawn) for one in dict.fromkeys(contrasts)
        }

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block and its scores, (rows, sentences); NaN where missing."""
        pooled = {axis: pooled_matches(sentences, axis, self._many) for axis in self._axes}
        self._people.add(sentences, values, set().union(*pooled.values()))
        for one in self._couples.values():
            if one.contrast.axis in pooled:
                one.add(sentences, values, pooled[one.contrast.axis])

    def study(self) -> TiltStudy:
        """What it all came to."""
        couples = {one: sums.couples() for one, sums in self._couples.items()}
        effects, dropped = self._people.effects(), self._people.dropped
        return TiltStudy(effects, couples, self._axes, self._width, dropped)


def tilt_study(
    sentences: pl.DataFrame,
    values: Array,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    width: Array | None = None,
    people: pl.DataFrame | None = None,
) -> TiltStudy:
    """The study of sentences in hand; `values` is (rows, sentences): scores, labels, changes."""
    sums = TiltSums(
        len(values), contrasts, axes, np.ones(len(values)) if width is None else width, people
    )
    sums.add(sentences, values)
    return sums.study()


def tilt_estimates(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    *,
    people: pl.DataFrame | None = None,
    margins: Mapping[str, float] | None = None,
    mode: str = "corrected",
) -> pl.DataFrame:
    """Every submission's claims on every contrast.

    `people` is the corpus' table of people; `margins` says by axis from where on somebody counts as
    moved.
    """
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    study = tilt_study(sentences, matrix.values, contrasts, axes, width, people)
    run = {**corpus_labels(sentences), "mode": mode}
    return tilts_from(study, matrix.submissions, run, margins=margins)


def tilts_from(
    study: TiltStudy,
    submissions: pl.DataFrame,
    run: Mapping[str, str],
    *,
    margins: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """The same from a study whose sentences went by in blocks."""
    scaled = np.flatnonzero((submissions["unit"] == SCALE).to_numpy())
    blocks = [
        *(block for contrast in study.couples for block in _claim_blocks(study, contrast)),
        *_moved_blocks(study, margins or {}, scaled),
    ]
    return estimates_table(blocks, submissions, run)


def _claim_blocks(study: TiltStudy, contrast: Contrast) -> Iterator[EstimateBlock]:
    """Every claim on a contrast, and what stands beside it."""
    rows = np.arange(study.width.size)
    for claim in study.claims(contrast):
        dropped = study.dropped
        if claim.kind == COUPLES:
            pairs = study.couples[contrast]
            dropped = (pairs.met.sum() - pairs.n.sum(axis=1)).astype(np.int64)
        yield EstimateBlock(contrast, claim.kind, TILT, rows, _columns(claim, dropped))
        reach = claim.reach_of_these(LEVEL)
        these = {
            "value": claim.value, "se": claim.se_these, "low": claim.value - reach,
            "high": claim.value + reach, "df": claim.df_these, "p": claim.p_these,
            "n": np.full(rows.size, claim.templates), "n_dropped": dropped,
        }  # fmt: skip
        yield EstimateBlock(contrast, claim.kind, THESE, rows, these)
        none = np.zeros(rows.size, np.int64)
        for name in SOURCES:
            many = np.full(rows.size, claim.words) if name == "words" else claim.n
            columns = {"value": getattr(claim, f"se_{name}"), "n": many, "n_dropped": none}
            if name in ("people", "words"):
                columns["df"] = getattr(claim, f"df_{name}")
            yield EstimateBlock(contrast, claim.kind, f"{TILT}_{name}", rows, columns)
        people = study.effects.people
        if claim.kind == COUPLES or people["bearers"].null_count() == people.height:
            continue
        about = contrast, study.axes, study.width
        if people["weight"].n_unique() > 1:  # people count by bearers
            alike = names_claim(study.effects, *about, np.ones(people.height))
            if alike is not None:
                yield EstimateBlock(contrast, NAMES, BY_NAMES, rows, _columns(alike, dropped))
        matched = matched_claim(study.effects, *about)
        if matched is not None:
            covered = {"statistic": np.full(rows.size, matched[1])}
            columns = {**_columns(matched[0], dropped), **covered}
            yield EstimateBlock(contrast, NAMES, MATCHED, rows, columns)


def _columns(claim: Claim, dropped: NDArray[np.int64]) -> Columns:
    reach = claim.reach(LEVEL)
    statistic = np.divide(
        claim.value, claim.se, out=np.full(claim.value.shape, np.nan), where=claim.se > 0
    )
    return {
        "value": claim.value, "se": claim.se, "low": claim.value - reach,
        "high": claim.value + reach, "statistic": statistic, "df": claim.df, "p": claim.p,
        "n": claim.n, "n_dropped": dropped,
    }  # fmt: skip


def _moved_blocks(
    study: TiltStudy, margins: Mapping[str, float], rows: Places
) -> Iterator[EstimateBlock]:
    """Shares of people moved, of submissions with a scale, of which a margin is a part.

    By group of an axis, or of a contrast's couples: the share, its interval, how many were moved
    (`statistic`), and up (`df`), of how many.
    """
    found: list[tuple[GroupLabel, str, PeopleMoved]] = []
    axes = dict.fromkeys(contrast.axis for contrast in study.couples)
    for axis in axes if study.effects.people.height else ():
        groups = moved_names(study.effects, axis, margins.get(axis, MARGIN))
        found += [(GroupLabel(axis, one.group), NAMES, one) for one in groups]
    for contrast, couples in study.couples.items():
        if couples.people.height:
            group = GroupLabel(contrast.axis, contrast.name, contrast.second)
            margin = margins.get(contrast.axis, MARGIN)
            found.append((group, COUPLES, moved_couples(couples, contrast, margin)))
    for group, kind, moved in found:
        shares = [moved.shares[row] for row in rows]
        columns: Columns = {
            **{name: np.array([getattr(one, name) for one in shares])
               for name in ("value", "low", "high")},
            "statistic": np.array([float(one.marked) for one in shares]),
            "df": np.array([float(moved.up[row]) for row in rows]),
            "n": np.array([one.n for one in shares], np.int64),
            "n_dropped": np.zeros(rows.size, np.int64),
        }  # fmt: skip
        yield EstimateBlock(group, kind, MOVED, rows, columns, unit="share")


def tilt_ranges(claim: Claim, rows: Places | None = None, level: float = RANK_LEVEL) -> Ranges:
    """Ranks by size of tilt, whatever its sign, 1 the largest, and which the data allow.

    Systems answer the same sentences, so what a person or a word adds to the difference of two
    tilts is the difference of what they add to each. What is beyond that in each claim's variance,
    such as its floor, is of people whom nobody saw, and is added for both. Degrees of freedom of
    every two systems' difference are Satterthwaite's, V² / Σ (V_s² / df_s). `rows` are those to
    rank among each other; by default all.
    """
    some = np.arange(claim.value.size) if rows is None else rows
    known = ~np.isnan(claim.value[some]) & ~np.isnan(claim.se[some])
    mine = some[known]
    value = claim.value[mine]
    people, words = (
        difference_variances(over[mine]) for over in (claim.over_people, claim.over_words)
    )
    unseen = np.maximum(
        claim.se_people[mine] ** 2 - (claim.over_people[mine] ** 2).sum(axis=1), 0.0
    )
    minus, plus = (people[at] + words[at] + unseen[:, None] + unseen for at in (0, 1))
    lost = np.zeros(minus.shape)
    for part, free in ((people[0], claim.df_people[mine]), (words[0], claim.df_words[mine])):
        lost += part**2 / np.fmax(np.fmin(free[:, None], free), 1.0)  # none: what counts as 0
    df = np.divide(minus**2, lost, out=np.full(minus.shape, 1e6), where=lost > 0)
    above = surely_above(larger_p(value, minus, plus, df, DUST), level)
    return among_known(known, rank_ranges(np.abs(value), above, DUST))


def tilt_ranks(
    sentences: pl.DataFrame,
    scores: Scores,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    people: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """A leaderboard for every task, contrast and kind: see RANKS. Without a scale no place.

    A single submission has nobody to be ranked with.
    """
    matrix = score_matrix(scores, sentences)
    submissions = matrix.submissions
    if submissions.height < FEWEST:
        return RANKS.to_frame()
    width = submissions["width"].to_numpy()
    study = tilt_study(sentences, matrix.values, contrasts, axes, width, people)
    corpus, boards = corpus_labels(sentences), [RANKS.to_frame()]
    for contrast in study.couples:
        for claim in study.claims(contrast):
            about = {"axis": contrast.axis, "contrast": contrast.name, "kind": claim.kind}
            for task in submissions["task"].unique(maintain_order=True):
                mine = (submissions["task"] == task) & (submissions["unit"] == SCALE)
                rows = mine.arg_true().to_numpy().astype(np.int64)
                ranked = submissions.filter(mine).with_columns(
                    **{name: pl.lit(value) for name, value in {**corpus, **about}.items()},
                    tilt=pl.Series(claim.value[rows]).fill_nan(None),
                    **range_columns(tilt_ranges(claim, rows)),
                )
                board = ranked.drop_nulls("rank").sort("rank", maintain_order=True)
                boards.append(board.select(pl.col(name).cast(kind) for name, kind in RANKS.items()))
    return pl.concat(boards)


def range_columns(ranges: Ranges) -> dict[str, pl.Series]:
    """rank, rank_best, rank_worst, tied and of as columns; null where a system has no number."""
    columns = {
        "rank": ranges.rank, "rank_best": ranges.best, "rank_worst": ranges.worst,
        "tied": ranges.group, "of": np.where(ranges.rank > 0, ranges.of, 0),
    }  # fmt: skip
    return {
        name: pl.Series(column, dtype=pl.Int64).replace(0, None) for name, column in columns.items()
    }
