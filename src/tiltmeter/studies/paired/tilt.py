"""The claims on every contrast and submission, and the share of people moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from tiltmeter.claims.estimates import Columns, EstimateBlock, estimates_table
from tiltmeter.scoring.matrix import SCALE, Scores, score_matrix
from tiltmeter.stats.paired_tests import LEVEL
from tiltmeter.stats.survey import PopulationShare, share
from tiltmeter.studies.paired.claims import (
    COUPLES,
    NAMES,
    Claim,
    couples_claim,
    matched_claim,
    names_claim,
)
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import OF_A_RUN
from tiltmeter.studies.paired.people_sums import (
    Couples,
    CoupleSums,
    PeopleEffects,
    PeopleSums,
    people_of_matches,
    pooled_matches,
)

# The share of people whom a system moves by more than a margin, by group
# A mean may bury them: +16 points for aunt and uncle against −16 for sister and brother is no
# tilt at all. A name is moved where its effect lies further than the margin from the middle name,
# the median of all names of its population, each name alike; a couple where its two differ by
# more. Who met a part of the frames has an effect known up to chance, and so is the middle of a
# draw. Then the lower end of a share counts those who are surely moved, the upper end those who
# may be, and the share itself is of effects drawn in to the spread that they have without that
# chance (Louis 1984).

Array = NDArray[np.float64]
Places = NDArray[np.int64]

DOUBT = float(ndtri(0.95))
"""Errors that an effect may lie from where it was seen, either way."""
ALIKE = 51
"""People with effects about as large, whose spreads over frames are averaged."""


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

    def beyond(self, margin: float) -> tuple[NDArray[np.bool_], ...]:
        """Who lies beyond a margin; who surely does; who may."""
        sure = (self.low > margin) | (self.high < -margin)
        possible = (self.high > margin) | (self.low < -margin)
        return np.abs(self.value) > margin, sure, possible


def apart_from_middle(effects: PeopleEffects) -> NameEffects:
    """How far everybody lies from the middle name of their match.

    In a draw a name stands for 1/π names of its population.
    """
    chance = effects.people["probability"].to_numpy()
    counted = 1.0 / np.where(chance > 0, chance, 1.0)
    census = chance >= 1.0
    value, low, high = (np.full(effects.value.shape, np.nan) for _ in range(3))
    match = effects.people["match"]
    for one in match.unique(maintain_order=True):
        mine = np.flatnonzero((match == one).to_numpy())
        for row in range(len(value)):
            seen = effects.value[row, mine]
            middle, least, most = weighted_median(seen, counted[mine])
            if census[mine].all() or not (chance[mine] > 0).any():
                least = most = middle  # all names of the population, or a list as it is
            apart = seen - middle
            error = _error(apart, effects.noise[row, mine] * effects.left[mine])
            reach = DOUBT * error
            value[row, mine] = apart * _drawn_in(apart, error, counted[mine])
            low[row, mine], high[row, mine] = seen - most - reach, seen - least + reach
    return NameEffects(value, low, high)


def _error(apart: Array, noise: Array) -> Array:
    """The standard error of effects over frames, averaged over people with effects as large."""
    known = np.flatnonzero(~np.isnan(apart))
    found = np.zeros(apart.size)
    if not known.size or not noise[known].any():
        return found
    order = known[np.argsort(np.abs(apart[known]), kind="stable")]
    sums = np.concatenate([[0.0], np.cumsum(noise[order])])
    at = np.arange(order.size)
    start = np.clip(at - ALIKE // 2, 0, max(order.size - ALIKE, 0))
    end = np.minimum(start + ALIKE, order.size)
    found[order] = np.sqrt(np.maximum((sums[end] - sums[start]) / (end - start), 0.0))
    return found


def _drawn_in(apart: Array, error: Array, counted: Array) -> float:
    """√λ, λ the part of the effects' variance that is not chance."""
    known = ~np.isnan(apart)
    weight = counted[known] / counted[known].sum() if known.any() else counted[:0]
    spread = float((weight * apart[known] ** 2).sum())
    chance = float((weight * error[known] ** 2).sum())
    return float(np.sqrt(max(0.0, 1.0 - chance / spread))) if spread > 0 else 1.0


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
    apart = apart_from_middle(effects)
    beyond, sure, possible = apart.beyond(margin)
    known = ~np.isnan(apart.value)
    weight, chance = (effects.people[name].to_numpy() for name in ("weight", "probability"))
    found = []
    for group in effects.people[axis].drop_nulls().unique(maintain_order=True):
        mine = np.flatnonzero((effects.people[axis] == group).fill_null(False).to_numpy())
        shares, up = [], []
        for row in range(len(known)):
            some = mine[known[row, mine]]
            marks = (one[row, some] for one in (beyond, sure, possible))
            first, *doubt = marks
            shares.append(share(first, weight[some], chance[some], *doubt))
            up.append(int((apart.value[row, some] > margin).sum()))
        found.append(PeopleMoved(str(group), tuple(shares), tuple(up)))
    return found


def moved_couples(couples: Couples, contrast: Contrast, margin: float) -> PeopleMoved:
    """The share of couples whose two are scored apart by more than a margin."""
    there = couples.n > 0
    each = np.divide(couples.total, couples.n, out=np.full(there.shape, np.nan), where=there)
    spread = np.maximum(couples.squares - np.nan_to_num(couples.n * each**2), 0.0)
    noise = np.divide(
        spread, couples.n * (couples.n - 1.0), out=np.zeros(there.shape), where=couples.n > 1
    )
    left = 1.0 - couples.met / max(float(couples.frames.height), 1.0)
    reach = DOUBT * np.sqrt(noise * np.clip(left, 0.0, 1.0))
    beyond, sure, possible = NameEffects(each, each - reach, each + reach).beyond(margin)
    chance = couples.people["probability"].to_numpy()
    shares, up = [], []
    for row, values in enumerate(each):
        known = there[row]
        marks = (one[row, known] for one in (beyond, sure, possible))
        first, *doubt = marks
        shares.append(share(first, np.ones(int(known.sum())), chance[known], *doubt))
        up.append(int((values[known] > margin).sum()))
    return PeopleMoved(contrast.name, tuple(shares), tuple(up))


# The claims on every contrast and submission, as rows of the `estimates` table
# In `subset` stands whom a claim is about: names or couples. Beside each `tilt` stand what its
# error is made of (`tilt_people`, `tilt_floor`, `tilt_words`, `tilt_noise`), the same people over
# other sentences (`tilt_these_people`), each name alike (`tilt_by_names`) and names about equally
# common (`tilt_matched`), and by group the share of people moved (`moved`).

TILT, MOVED = "tilt", "moved"
THESE, BY_NAMES, MATCHED = "tilt_these_people", "tilt_by_names", "tilt_matched"
SOURCES = ("people", "floor", "words", "noise")
MARGIN = 0.01
"""Beyond which somebody counts as moved, where nobody says otherwise: 1 point of 100."""


@dataclass(frozen=True, slots=True)
class TiltStudy:
    """What blocks of sentences came to, before contrasts are taken."""

    effects: PeopleEffects
    couples: Mapping[Contrast, Couples]
    axes: tuple[str, ...]
    width: Array
    dropped: Mapping[str, NDArray[np.int64]]
    """By kind: sentences or pairs without a score, (rows,)."""

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
        return TiltStudy(
            self._people.effects(), couples, self._axes, self._width,
            {NAMES: self._people.dropped},
        )  # fmt: skip


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
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return tilts_from(study, matrix.submissions, {**of, "mode": mode}, margins=margins)


def tilts_from(
    study: TiltStudy,
    submissions: pl.DataFrame,
    of: Mapping[str, str],
    *,
    margins: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """The same from a study whose sentences went by in blocks."""
    blocks = [
        *(block for contrast in study.couples for block in _of_contrast(study, contrast)),
        *_moved(study, margins or {}, (submissions["unit"] == SCALE).to_numpy()),
    ]
    return estimates_table(blocks, submissions, of)


def _of_contrast(study: TiltStudy, contrast: Contrast) -> Iterator[EstimateBlock]:
    rows = np.arange(study.width.size)
    for claim in study.claims(contrast):
        dropped = study.dropped.get(claim.kind)
        if dropped is None:
            pairs = study.couples[contrast]
            dropped = (pairs.met.sum() - pairs.n.sum(axis=1)).astype(np.int64)
        yield EstimateBlock(contrast, claim.kind, TILT, rows, _columns(claim, dropped))
        yield EstimateBlock(contrast, claim.kind, THESE, rows, _these(claim, dropped))
        none = np.zeros(rows.size, np.int64)
        for name in SOURCES:
            df = {"people": claim.df_people, "words": claim.df_words}.get(name)
            many = np.full(rows.size, claim.words) if name == "words" else claim.n
            error = getattr(claim, f"se_{name}")
            columns = {"value": error, "n": many, "n_dropped": none}
            columns |= {} if df is None else {"df": df}
            yield EstimateBlock(contrast, claim.kind, f"{TILT}_{name}", rows, columns)
        if claim.kind == NAMES:
            yield from _other_weights(study, contrast, dropped)


def _other_weights(
    study: TiltStudy, contrast: Contrast, dropped: NDArray[np.int64]
) -> Iterator[EstimateBlock]:
    """Each name alike, where people count by bearers; and names about equally common."""
    rows, people = np.arange(study.width.size), study.effects.people
    if people["bearers"].null_count() == people.height:
        return
    if people["weight"].n_unique() > 1:
        alike = names_claim(
            study.effects, contrast, study.axes, study.width, np.ones(people.height)
        )
        if alike is not None:
            yield EstimateBlock(contrast, NAMES, BY_NAMES, rows, _columns(alike, dropped))
    matched = matched_claim(study.effects, contrast, study.axes, study.width)
    if matched is not None:
        claim, covered = matched
        columns = {**_columns(claim, dropped), "statistic": np.full(rows.size, covered)}
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


def _these(claim: Claim, dropped: NDArray[np.int64]) -> Columns:
    """The same people over other sentences: templates are counted in `n`."""
    reach = claim.reach_of_these(LEVEL)
    return {
        "value": claim.value, "se": claim.se_these, "low": claim.value - reach,
        "high": claim.value + reach, "df": claim.df_these, "p": claim.p_these,
        "n": np.full(claim.value.size, claim.templates), "n_dropped": dropped,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Group:
    """What a share is of: a group of an axis, or the couples of a contrast."""

    axis: str
    name: str
    second: str = ""


def _moved(
    study: TiltStudy, margins: Mapping[str, float], scaled: NDArray[np.bool_]
) -> Iterator[EstimateBlock]:
    """By group; only of submissions with a scale, of which a margin is a part."""
    axes = dict.fromkeys(contrast.axis for contrast in study.couples)
    for axis in axes if study.effects.people.height else ():
        for one in moved_names(study.effects, axis, margins.get(axis, MARGIN)):
            yield _share_block(_Group(axis, one.group), NAMES, one, scaled)
    for contrast, couples in study.couples.items():
        if couples.people.height:
            one = moved_couples(couples, contrast, margins.get(contrast.axis, MARGIN))
            group = _Group(contrast.axis, contrast.name, contrast.second)
            yield _share_block(group, COUPLES, one, scaled)


def _share_block(
    group: _Group, kind: str, moved: PeopleMoved, scaled: NDArray[np.bool_]
) -> EstimateBlock:
    """The share, its interval, how many were moved (`statistic`), and up (`df`), of how many."""
    rows = np.flatnonzero(scaled)
    shares, up = [moved.shares[row] for row in rows], [float(moved.up[row]) for row in rows]
    numbers = {
        "value": [one.value for one in shares], "low": [one.low for one in shares],
        "high": [one.high for one in shares],
        "statistic": [float(one.marked) for one in shares], "df": up,
    }  # fmt: skip
    columns: Columns = {name: np.array(values) for name, values in numbers.items()} | {
        "n": np.array([one.n for one in shares], np.int64),
        "n_dropped": np.zeros(rows.size, np.int64),
    }
    return EstimateBlock(group, kind, MOVED, rows, columns, unit="share")
