"""Scores read as labels: positive rates, label flips, the largest gap between groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import Columns, EstimateBlock
from tiltmeter.errors import ArgumentError
from tiltmeter.scoring.matrix import SCALE
from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST, LEVEL, balance_interval, exact_interval, mcnemar_p
from tiltmeter.studies.paired.claims import COUPLES, Claim, compared_sides
from tiltmeter.studies.paired.contrasts import Contrast, comparisons, subsets
from tiltmeter.studies.paired.pairs import OWN, PairStudy, sides_of
from tiltmeter.studies.paired.tilt import TiltStudy

Array = NDArray[np.float64]
Thresholds = tuple[float, ...]

MIDDLE = 0.5
"""Of the scale from 0 to 1."""
MOST = 10
"""Thresholds: more classes than eleven are no labels."""


def thresholds_given(wanted: float | Sequence[float] | None) -> Thresholds:
    """Where labels begin, on the scale from 0 to 1; the middle where nothing is said.

    >>> thresholds_given(None), thresholds_given([0.4, 0.6])
    ((0.5,), (0.4, 0.6))
    >>> thresholds_given(3)
    Traceback (most recent call last):
    tiltmeter.errors.ArgumentError: threshold is 3; expected numbers between 0 and 1, each \
larger than the one before: a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)
    """
    given = MIDDLE if wanted is None else wanted
    several: Sequence[float] = given if isinstance(given, list | tuple) else (given,)
    if not _rising(several):
        said = ", ".join(f"{one:g}" if isinstance(one, Real) else repr(one) for one in several)
        what = f"is {said or 'empty'}; expected numbers between 0 and 1"
        where = "a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)"
        raise ArgumentError("threshold", f"{what}, each larger than the one before: {where}")
    if len(several) > MOST:
        raise ArgumentError("threshold", f"has {len(several)} numbers; expected at most {MOST}")
    return tuple(float(one) for one in several)


def _rising(several: Sequence[float]) -> bool:
    numbers = all(isinstance(one, Real) and not isinstance(one, bool) for one in several)
    if not numbers or not len(several):
        return False
    ends = np.array([0.0, *several, 1.0])
    return bool((np.diff(ends) > 0).all())


def labels_of(scores: Array, thresholds: Thresholds) -> Array:
    """How many of the thresholds a score reaches, as a part of all; NaN stays.

    With one threshold: 1 from it on, 0 below. A score within a millionth of it has reached it, so
    that rounding turns no label.

    >>> labels_of(np.array([0.2, 0.5, np.nan]), (0.5,))
    array([ 0.,  1., nan])
    >>> labels_of(np.array([0.2, 0.5, 0.7]), (0.4, 0.6))
    array([0. , 0.5, 1. ])
    """
    reached = np.zeros(scores.shape)
    for one in thresholds:
        reached += np.nan_to_num(scores, nan=-1.0) >= one - DUST
    return np.where(np.isnan(scores), np.nan, reached / len(thresholds))


# Scores read as labels: how many more sentences of a group are positive, and which pairs
# change `label_tilt` is the difference between two groups' shares of positive sentences: the
# claims of `tilt` on labels, by names and by couples, with people random. Of couples such as my
# mother and my father pairs are counted too: of n pairs, b have the higher label for the first
# group and c for the second.
#     flips = (b + c) / n,   flip_balance = (b − c) / n
# Both take the pairs as they are. Names have no pairs: nobody labels an average of twenty.

Places = NDArray[np.int64]

FLIPS, BALANCE, LABEL_TILT, LABEL_SHARE = "flips", "flip_balance", "label_tilt", "label_share"
SHARE = "share"
"""The unit of everything here: a part of all pairs, or of all sentences."""
ALL = "all"


@dataclass(frozen=True, slots=True)
class OneGroup:
    """One group beside another, as `estimates` names what a number is of."""

    axis: str
    name: str
    second: str


def on_scale(submissions: pl.DataFrame) -> Places:
    """Which submissions have a known scale: only theirs has a middle."""
    return (submissions["unit"] == SCALE).arg_true().to_numpy().astype(np.int64)


# ------------------------------------------------------------ sentences


def label_tilt_blocks(
    study: TiltStudy, sentences: pl.DataFrame, labels: Array, rows: Places
) -> Iterator[EstimateBlock]:
    """The difference between two groups' shares of positive sentences, and both shares.

    `study` is of `labels`, (submissions on a scale, sentences); claims are by names and by couples.
    """
    for contrast in study.couples if rows.size else ():
        for claim in study.claims(contrast):
            both = label_shares(study, claim, sentences, labels)
            yield EstimateBlock(contrast, claim.kind, LABEL_TILT, rows, label_columns(claim), SHARE)
            names = (contrast.first, contrast.second), (contrast.second, contrast.first)
            for (name, other), share in zip(names, both, strict=True):
                counted = {"n": claim.n, "n_dropped": np.zeros(rows.size, np.int64)}
                group = OneGroup(contrast.axis, name, other)
                yield EstimateBlock(
                    group, claim.kind, LABEL_SHARE, rows, {"value": share, **counted}, SHARE
                )


def label_columns(claim: Claim, many: int = 1) -> Columns:
    """A claim on labels; of the largest of many its interval and p allow for how many."""
    reach = claim.reach(1.0 - (1.0 - LEVEL) / many)
    return {
        "value": claim.value, "se": claim.se, "df": claim.df,
        "low": np.maximum(claim.value - reach, -1.0), "high": np.minimum(claim.value + reach, 1.0),
        "p": np.minimum(many * claim.p, 1.0), "n": claim.n,
        "n_dropped": np.zeros(claim.n.size, np.int64),
    }  # fmt: skip


def label_shares(
    study: TiltStudy, claim: Claim, sentences: pl.DataFrame, labels: Array
) -> tuple[Array, Array]:
    """The shares of positive sentences of a claim's two groups, (rows,) each.

    They differ by the claim's value: what people who met other sentences would have changed is
    taken off half from either.
    """
    contrast = claim.contrast
    if claim.kind == COUPLES:
        some = couples_among(sentences, contrast.axis)
        found = comparisons(sentences.filter(some), [contrast])
        mine = labels[:, some.to_numpy()]
        sides = [sides_of(mine, side) for side in (found.first, found.second)]
        known = ~np.isnan(sides[0] - sides[1])
        means = [_mean(np.where(known, side, np.nan)) for side in sides]
    else:
        means = _means_of_names(study, contrast, sentences, labels)
    middle = (means[0] + means[1]) / 2.0
    return middle + claim.value / 2.0, middle - claim.value / 2.0


def _means_of_names(
    study: TiltStudy, contrast: Contrast, sentences: pl.DataFrame, labels: Array
) -> list[Array]:
    """Both groups' shares, people weighted as they were drawn."""
    people = study.effects.people
    keys = ["match", "person"]
    at = sentences.select(keys).join(
        people.select(keys).with_row_index("*at"), on=keys, how="left", maintain_order="left"
    )["*at"]
    there = at.is_not_null().to_numpy()
    known = ~np.isnan(labels[:, there])
    add = members(at.drop_nulls().to_numpy().astype(np.int64), people.height)
    total = np.where(known, labels[:, there], 0.0) @ add
    n = known.astype(np.float64) @ add
    each = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    chance, weight = (people[name].to_numpy() for name in ("probability", "weight"))
    counted = weight / np.where(chance > 0, chance, 1.0)
    sums, shares = [np.zeros(len(labels)) for _ in range(2)], [0.0, 0.0]
    for side in compared_sides(study.effects, contrast, study.axes):
        values, own = each[:, side.people], counted[side.people]
        whole = np.where(np.isnan(values), 0.0, own)
        mean = (whole * np.nan_to_num(values)).sum(axis=1) / np.maximum(whole.sum(axis=1), 1e-300)
        which = 0 if side.share > 0 else 1
        sums[which] += abs(side.share) * mean
        shares[which] += abs(side.share)
    return [one / max(share, 1e-300) for one, share in zip(sums, shares, strict=True)]


def _mean(values: Array) -> Array:
    known = ~np.isnan(values)
    n = np.where(known.any(axis=1), known.sum(axis=1), np.nan)
    return np.asarray(np.where(known, values, 0.0).sum(axis=1) / n)


# ------------------------------------------------------------ pairs


def couples_among(sentences: pl.DataFrame, axis: str) -> pl.Series:
    """Which sentences are of matches with one person a side, such as my mother and my father."""
    many = pl.len().over("frame", "match", axis).max().over("match")
    return sentences.select((many == 1).alias(COUPLES))[COUPLES]


@dataclass(frozen=True, slots=True)
class Counted:
    """One subset's pairs, counted for some submissions, arrays of shape (submissions,)."""

    contrast: Contrast
    subset: str
    rows: Places
    b: Places
    c: Places
    n: Places
    pairs: int


def flip_blocks(
    study: PairStudy,
    sentences: pl.DataFrame,
    contrasts: Sequence[Contrast],
    thresholds: Thresholds,
) -> Iterator[EstimateBlock]:
    """How many couples' pairs change label, on every subset of every contrast that has any.

    All of them together are the subset `couples`.
    """
    parts = list(_counts(study, sentences, contrasts, thresholds))
    if not parts:
        return
    b, c, n = (np.concatenate([getattr(part, name) for part in parts]) for name in "bcn")
    ends = np.cumsum([part.rows.size for part in parts])[:-1]
    for measure, columns in _measures(b, c, n).items():
        split = {name: np.split(column, ends) for name, column in columns.items()}
        for nth, part in enumerate(parts):
            mine = {name: columns[nth] for name, columns in split.items()}
            mine |= {"n": part.n, "n_dropped": part.pairs - part.n}
            yield EstimateBlock(part.contrast, part.subset, measure, part.rows, mine, SHARE)


def _counts(
    study: PairStudy,
    sentences: pl.DataFrame,
    contrasts: Sequence[Contrast],
    thresholds: Thresholds,
) -> Iterator[Counted]:
    rows, tasks = on_scale(study.submissions), study.submissions["task"]
    turned = _turned(study, rows, thresholds)
    placed = study.pairs.with_row_index("place")
    for contrast in dict.fromkeys(contrasts) if rows.size else ():
        single = sentences.filter(couples_among(sentences, contrast.axis))["match"].unique()
        mine = placed.filter(
            pl.col("match").is_in(single.implode()),
            axis=contrast.axis, first=contrast.first, second=contrast.second,
        )  # fmt: skip
        if mine.is_empty():
            continue
        for name, inside in subsets(mine):
            shown = COUPLES if name == ALL else name
            yield _counted(contrast, shown, rows, turned[:, _places(mine, inside)])
        for task in tasks.unique(maintain_order=True):
            own = (mine["emotion"] == task).fill_null(False)
            of_task = (tasks == task).to_numpy()[rows]
            if own.any() and of_task.any():
                taken = turned[np.ix_(of_task, _places(mine, own))]
                yield _counted(contrast, OWN, rows[of_task], taken)


def _turned(study: PairStudy, rows: Places, thresholds: Thresholds) -> Array:
    """(submissions on a scale, pairs): 1 the first side's label is higher, −1 the second's."""
    first, second = (labels_of(side[rows], thresholds) for side in (study.first, study.second))
    return np.sign(first - second)


def _places(pairs: pl.DataFrame, inside: pl.Series) -> Places:
    return pairs["place"].filter(inside).to_numpy().astype(np.int64)


def _counted(contrast: Contrast, subset: str, rows: Places, turned: Array) -> Counted:
    b, c = (np.count_nonzero(turned == side, axis=1) for side in (1.0, -1.0))
    n = np.count_nonzero(~np.isnan(turned), axis=1)
    return Counted(contrast, subset, rows, b, c, n, turned.shape[1])


def _measures(b: Places, c: Places, n: Places) -> dict[str, Columns]:
    """Both measures from counts of pairs."""
    size = np.where(n > 0, n, np.nan)
    some, balance = exact_interval(b + c, n), balance_interval(b, c, n)
    p = np.where(n > 0, mcnemar_p(b, c), np.nan)
    return {
        FLIPS: {"value": (b + c) / size, "low": some[0], "high": some[1]},
        BALANCE: {"value": (b - c) / size, "low": balance[0], "high": balance[1], "p": p},
    }
