"""Scores read as labels: positive rates, label flips, the largest gap between groups, repeats.

`label_tilt` is the difference between two groups' shares of positive sentences: the claims of
`tilt` on labels, by names and by couples, with people random. Of couples such as my mother and my
father pairs are counted too: of n pairs, b have the higher label for the first group and c for the
second.

    flips = (b + c) / n,   flip_balance = (b − c) / n

Both take the pairs as they are. Names have no pairs: nobody labels an average of twenty.

`label_gap` is of three groups or more the two whose sentences are labelled most unlike. The groups
of an axis are compared two by two, and so are the cells of all axes together, such as women with
African American names. The largest of many differences is large by chance alone, so its interval
and its p allow for how many there are (Bonferroni).

`retest` is what a system's own noise does, where it was asked more than once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tiltmeter.claims.estimates import Columns, EstimateBlock, estimates_table
from tiltmeter.errors import ArgumentError
from tiltmeter.ranking import coarsen
from tiltmeter.scoring.matrix import SCALE, SUBMISSION, Scores, score_matrix
from tiltmeter.stats.moments import members
from tiltmeter.stats.paired_tests import DUST, LEVEL, balance_interval, exact_interval, mcnemar_p
from tiltmeter.studies.paired.claims import COUPLES, Claim, compared_sides, names_claim
from tiltmeter.studies.paired.contrasts import (
    NTH,
    Contrast,
    GroupLabel,
    comparisons,
    contrasts_of,
    places_in,
)
from tiltmeter.studies.paired.pairs import PairStudy, corpus_labels, sides_of, subsets_by_task
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Thresholds = tuple[float, ...]

MIDDLE = 0.5
"""Of the scale from 0 to 1."""
MOST_THRESHOLDS = 10
"""More classes than eleven are no labels."""
FLIPS, BALANCE, LABEL_TILT, LABEL_SHARE = "flips", "flip_balance", "label_tilt", "label_share"
GAP = "label_gap"
RETEST, RETEST_SD = "retest", "retest_sd"
RETEST_FLIPS, FLIPS_ONCE = "retest_flips", "flips_once"
LABEL_MEASURES = (
    *(FLIPS, BALANCE, LABEL_TILT, LABEL_SHARE, GAP),
    *(FLIPS_ONCE, RETEST_FLIPS, RETEST, RETEST_SD),
)
"""Everything that is measured here."""
SHARE = "share"
"""The unit of labels: a part of all pairs, or of all sentences."""
ALL = "all"
TIMES = " × "
"""Between axes and between groups, where several are taken together."""
FEWEST, MOST = 3, 30
"""Groups or cells that are compared two by two; two are compared by `label_tilt`, of more none."""
ROUNDING = 1e-9
"""Answers that differ by less are the same."""


def thresholds_given(given: float | Sequence[float] | None) -> Thresholds:
    """Where labels begin, on the scale from 0 to 1; the middle where nothing is said.

    >>> thresholds_given(None), thresholds_given([0.4, 0.6])
    ((0.5,), (0.4, 0.6))
    >>> thresholds_given(3)
    Traceback (most recent call last):
    tiltmeter.errors.ArgumentError: threshold is 3; expected numbers between 0 and 1, each \
larger than the one before: a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)
    """
    chosen = MIDDLE if given is None else given
    several: Sequence[float] = chosen if isinstance(chosen, list | tuple) else (chosen,)
    numbers = all(isinstance(one, Real) and not isinstance(one, bool) for one in several)
    if not numbers or not several or not (np.diff([0.0, *several, 1.0]) > 0).all():
        listed = ", ".join(f"{one:g}" if isinstance(one, Real) else repr(one) for one in several)
        what = f"is {listed or 'empty'}; expected numbers between 0 and 1"
        where = "a point T of a scale LOW:HIGH is at (T − LOW) / (HIGH − LOW)"
        raise ArgumentError("threshold", f"{what}, each larger than the one before: {where}")
    if len(several) > MOST_THRESHOLDS:
        found = f"has {len(several)} numbers; expected at most {MOST_THRESHOLDS}"
        raise ArgumentError("threshold", found)
    return tuple(float(one) for one in several)


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


def on_scale(submissions: pl.DataFrame) -> Places:
    """Which submissions have a known scale: only theirs has a middle."""
    return (submissions["unit"] == SCALE).arg_true().to_numpy().astype(np.int64)


def label_estimates(
    sentences: pl.DataFrame,
    scores: Scores,
    study: PairStudy,
    contrasts: Sequence[Contrast],
    axes: Mapping[str, Sequence[str]],
    thresholds: Thresholds,
    *,
    people: pl.DataFrame | None = None,
    mode: str = "corrected",
) -> pl.DataFrame:
    """Flips, label tilts, gaps, and what repeats say, of submissions whose scale is known.

    `study` is the paired study of the same sentences and scores; `axes` has each axis' groups, and
    `people` is the corpus' table of people. In a matrix repeats are averaged and say nothing.
    """
    matrix = score_matrix(scores, sentences)
    rows = on_scale(matrix.submissions)
    labels = labels_of(matrix.values[rows], thresholds)
    blocks = list[EstimateBlock]()
    if rows.size:
        tilts = tilt_study(sentences, labels, contrasts, list(axes), people=people)
        for contrast in tilts.couples:
            for claim in tilts.claims(contrast):
                columns = label_columns(claim)
                blocks.append(EstimateBlock(contrast, claim.kind, LABEL_TILT, rows, columns, SHARE))
                both = label_shares(tilts, claim, sentences, labels)
                blocks += _share_blocks(contrast, claim.kind, columns, both, rows)
        blocks += flip_blocks(study, sentences, contrasts, thresholds)
        blocks += label_gap_blocks(tilts, sentences, labels, rows, axes)
    if isinstance(scores, pl.DataFrame):
        blocks += retest_blocks(sentences, scores, matrix.submissions, contrasts, thresholds)
    run = {**corpus_labels(sentences), "mode": mode}
    return estimates_table(blocks, matrix.submissions, run)


def label_columns(claim: Claim, many: int = 1) -> Columns:
    """A claim on labels; of the largest of many its interval and p allow for how many."""
    reach = claim.reach(1.0 - (1.0 - LEVEL) / many)
    return {
        "value": claim.value, "se": claim.se, "df": claim.df,
        "low": np.maximum(claim.value - reach, -1.0), "high": np.minimum(claim.value + reach, 1.0),
        "p": np.minimum(many * claim.p, 1.0), "n": claim.n,
        "n_dropped": np.zeros(claim.n.size, np.int64),
    }  # fmt: skip


def _share_blocks(
    contrast: Contrast, subset: str, columns: Columns, both: Sequence[Array], rows: Places
) -> Iterator[EstimateBlock]:
    """Both groups' shares of positive sentences; `columns` are the claim's."""
    counted = {name: columns[name] for name in ("n", "n_dropped")}
    groups = (contrast.first, contrast.second), (contrast.second, contrast.first)
    for (name, other), share in zip(groups, both, strict=True):
        group = GroupLabel(contrast.axis, name, other)
        yield EstimateBlock(group, subset, LABEL_SHARE, rows, {"value": share, **counted}, SHARE)


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
        n = np.where(known.any(axis=1), known.sum(axis=1), np.nan)
        means = [np.where(known, side, 0.0).sum(axis=1) / n for side in sides]
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
        people.select(keys).with_row_index(NTH), on=keys, how="left", maintain_order="left"
    )[NTH]
    mine = labels[:, at.is_not_null().to_numpy()]
    known = ~np.isnan(mine)
    add = members(at.drop_nulls().to_numpy().astype(np.int64), people.height)
    total, n = np.where(known, mine, 0.0) @ add, known.astype(np.float64) @ add
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


# ------------------------------------------------------------ pairs


def couples_among(sentences: pl.DataFrame, axis: str) -> pl.Series:
    """Which sentences are of matches with one person a side, such as my mother and my father."""
    many = pl.len().over("frame", "match", axis).max().over("match")
    return sentences.select((many == 1).alias(COUPLES))[COUPLES]


def flip_blocks(
    study: PairStudy,
    sentences: pl.DataFrame,
    contrasts: Sequence[Contrast],
    thresholds: Thresholds,
) -> Iterator[EstimateBlock]:
    """How many couples' pairs change label, on every subset of every contrast that has any.

    All of them together are the subset `couples`.
    """
    scaled = on_scale(study.submissions)
    tasks = study.submissions["task"].gather(scaled)
    first, second = (labels_of(side[scaled], thresholds) for side in (study.first, study.second))
    turned = np.sign(first - second)  # 1: the first side's label is higher, −1: the second's
    placed = study.pairs.with_row_index("place")
    parts, counts = list[tuple[Contrast, str, Places, int]](), list[tuple[Places, ...]]()
    for contrast in dict.fromkeys(contrasts):
        single = sentences.filter(couples_among(sentences, contrast.axis))["match"].unique()
        mine = placed.filter(
            pl.col("match").is_in(single.implode()),
            axis=contrast.axis, first=contrast.first, second=contrast.second,
        )  # fmt: skip
        for name, rows, inside in subsets_by_task(mine, tasks) if mine.height else ():
            columns = mine["place"].filter(inside).to_numpy().astype(np.int64)
            taken = turned[np.ix_(rows, columns)]
            b, c = (np.count_nonzero(taken == side, axis=1) for side in (1.0, -1.0))
            counts.append((b, c, np.count_nonzero(~np.isnan(taken), axis=1)))
            subset = COUPLES if name == ALL else name
            parts.append((contrast, subset, scaled[rows], columns.size))
    if not parts:
        return
    b, c, n = (np.concatenate(one) for one in zip(*counts, strict=True))
    size = np.where(n > 0, n, np.nan)
    (flips_low, flips_high), (low, high) = exact_interval(b + c, n), balance_interval(b, c, n)
    p = np.where(n > 0, mcnemar_p(b, c), np.nan)
    measures: dict[str, Columns] = {
        FLIPS: {"value": (b + c) / size, "low": flips_low, "high": flips_high},
        BALANCE: {"value": (b - c) / size, "low": low, "high": high, "p": p},
    }
    ends = np.cumsum([rows.size for _, _, rows, _ in parts])[:-1]
    for measure, columns_of in measures.items():
        split = {name: np.split(column, ends) for name, column in columns_of.items()}
        for nth, (contrast, subset, rows, pairs) in enumerate(parts):
            own = {name: several[nth] for name, several in split.items()}
            own |= {"n": counts[nth][2], "n_dropped": pairs - counts[nth][2]}
            yield EstimateBlock(contrast, subset, measure, rows, own, SHARE)


# ------------------------------------------------------------ the largest gap


def label_gap_blocks(
    study: TiltStudy,
    sentences: pl.DataFrame,
    labels: Array,
    rows: Places,
    axes: Mapping[str, Sequence[str]],
) -> Iterator[EstimateBlock]:
    """The largest gap of every axis and of all together; `labels` is (submissions, sentences).

    `study` is of the labels.
    """
    for axis, groups in axes.items():
        yield from _largest_gap(study, sentences, labels, rows, axis, list(groups))
    if len(axes) > 1:
        whole = TIMES.join(axes)
        cell = pl.concat_str(list(axes), separator=TIMES).alias(whole)  # null where one is
        cells, people = (frame.with_columns(cell) for frame in (sentences, study.effects.people))
        joined = replace(study, effects=replace(study.effects, people=people), axes=(whole,))
        groups = cells[whole].drop_nulls().unique(maintain_order=True).to_list()
        yield from _largest_gap(joined, cells, labels, rows, whole, groups)


def _largest_gap(
    study: TiltStudy,
    sentences: pl.DataFrame,
    labels: Array,
    rows: Places,
    axis: str,
    groups: Sequence[str],
) -> Iterator[EstimateBlock]:
    """The largest gap of one axis: its rows, its higher group first, and both groups' shares."""
    if not FEWEST <= len(groups) <= MOST:
        return
    contrasts = contrasts_of(axis, groups, all_pairs=True)
    if study.effects.people.height:
        about = study.axes, study.width
        every = [names_claim(study.effects, contrast, *about) for contrast in contrasts]
    else:  # nobody but couples
        study = tilt_study(sentences, labels, contrasts, study.axes)
        every = [next(iter(study.claims(contrast)), None) for contrast in contrasts]
    claims = [claim for claim in every if claim is not None]
    if not claims:
        return
    sizes = np.abs(np.nan_to_num(np.stack([one.value for one in claims], axis=1)))
    worst = np.argmax(coarsen(sizes), axis=1)
    for at in np.unique(worst):
        claim = claims[at]
        both = label_shares(study, claim, sentences, labels)
        columns = label_columns(claim, len(claims))
        for sign in (1, -1):
            mine = (worst == at) & (np.where(claim.value < 0, -1, 1) == sign)
            if not mine.any():
                continue
            taken = {name: one[mine] for name, one in columns.items()}
            low, high = (sign * taken[end] for end in ("low", "high")[::sign])
            turned = taken | {"value": sign * taken["value"], "low": low, "high": high}
            groups_of = (claim.contrast.first, claim.contrast.second)[::sign]
            contrast = Contrast(claim.contrast.axis, *groups_of)
            shares = [one[mine] for one in both[::sign]]
            yield EstimateBlock(contrast, claim.kind, GAP, rows[mine], turned, SHARE)
            yield from _share_blocks(contrast, f"{GAP}:{claim.kind}", turned, shares, rows[mine])


# ------------------------------------------------------------ repeats


@dataclass(frozen=True, slots=True)
class Retest:
    """What noise adds to some mean differences, arrays of shape (submissions,); NaN: one answer."""

    se: Array
    """The standard error of the mean difference that comes from noise alone."""
    df: Array
    sd: Array
    """Between answers to the same sentence, pooled over sentences."""


def retest(values: Array, first: csr_array, second: csr_array) -> Retest:
    """What noise adds to the mean over pairs of first minus second.

    With weights w of the sentences in the mean, σ² between a sentence's R answers: Σ w² σ² / R.

    `values` is (repeats, submissions, sentences).

    >>> one = np.array([[[0.2, 0.4]], [[0.4, 0.4]]])  # asked twice; the first sentence wavers
    >>> found = retest(one, csr_array([[1.0, 0.0]]), csr_array([[0.0, 1.0]]))
    >>> round(float(found.se[0]), 4), round(float(found.sd[0]), 4)  # √(0.02 / 2), √(0.02 / 2)
    (0.1, 0.1)
    """
    answers = np.count_nonzero(~np.isnan(values), axis=0)
    total = np.where(np.isnan(values), 0.0, values).sum(axis=0)
    mean = np.divide(total, answers, out=np.full(total.shape, np.nan), where=answers > 0)
    apart = np.nan_to_num(values - mean)
    dust = ROUNDING * np.maximum(np.abs(np.nan_to_num(mean)), 1.0)
    squares = (np.where(np.abs(apart) < dust, 0, apart) ** 2).sum(axis=0)
    again = answers > 1
    variance = np.where(again, squares / np.maximum(answers - 1, 1), 0.0)
    # Each score's weight in the mean difference over complete pairs, (submissions, sentences).
    known = (~np.isnan(sides_of(mean, first) - sides_of(mean, second))).astype(np.float64)
    share = known / np.maximum(known.sum(axis=1, keepdims=True), 1.0)
    parts = (share @ (first - second)) ** 2 * variance / np.maximum(answers, 1)
    spent = (parts**2 / np.maximum(answers - 1, 1)).sum(axis=1)
    whole, asked = parts.sum(axis=1), again.any(axis=1)
    df = np.divide(whole**2, spent, out=np.full(whole.shape, np.nan), where=spent > 0)
    pooled = variance.sum(axis=1) / np.maximum(again.sum(axis=1), 1)
    se, sd = (np.where(asked, np.sqrt(one), np.nan) for one in (whole, pooled))
    return Retest(se, np.where(asked, df, np.nan), sd)


def flips_between(first: Array, second: Array) -> tuple[Array, Array]:
    """How often the two sides differ within a repeat, and how often a side between two repeats.

    Labels are (repeats, submissions, pairs). Without any tilt or other difference between the
    sentences the two are alike.

    >>> first = np.array([[[1.0, 0.0]], [[1.0, 0.0]]])  # never changes
    >>> second = np.array([[[1.0, 0.0]], [[1.0, 1.0]]])  # its second label does: 1 of 4 sides
    >>> flips_between(first, second)
    (array([0.25]), array([0.25]))
    """
    rounds = range(len(first))
    within = list(zip(first, second, strict=True))
    between = [
        (side[r], side[q]) for side in (first, second) for r in rounds for q in rounds[r + 1 :]
    ]
    return _share_unlike(within), _share_unlike(between)


def _share_unlike(couples: Sequence[tuple[Array, Array]]) -> Array:
    """The share of known couples that differ, (submissions,); NaN where there is none."""
    size = len(couples[0][0]) if couples else 0
    differ, known = np.zeros(size), np.zeros(size)
    for one, two in couples:
        known += np.count_nonzero(~np.isnan(one - two), axis=1)
        differ += np.count_nonzero(np.nan_to_num(one - two), axis=1)
    share: Array = np.divide(differ, known, out=np.full(size, np.nan), where=known > 0)
    return share


def retest_blocks(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    submissions: pl.DataFrame,
    contrasts: Sequence[Contrast],
    thresholds: Thresholds,
) -> Iterator[EstimateBlock]:
    """The rows on noise, for every contrast; nothing where each sentence was asked once."""
    if not scores.height or not scores["repeat"].max():
        return
    many = int(scores["repeat"].to_numpy().max(initial=0)) + 1
    values = np.full((many, submissions.height, sentences.height), np.nan)
    for nth in range(many):
        mine = scores.filter(pl.col("repeat") == nth).with_columns(repeat=pl.lit(0, pl.Int64))
        if mine.height:
            matrix = score_matrix(mine, sentences)
            values[nth, places_in(matrix.submissions, submissions, SUBMISSION)] = matrix.values
    rounds = np.count_nonzero(~np.isnan(values).all(axis=2), axis=0)
    for contrast in dict.fromkeys(contrasts):
        pairs = comparisons(sentences, [contrast])
        if pairs.pairs.is_empty():
            continue
        found = retest(values, pairs.first, pairs.second)
        some = np.flatnonzero(~np.isnan(found.se))
        counted = {"n": rounds[some], "n_dropped": np.zeros(some.size, np.int64)}
        noise = {"value": found.se[some], "df": found.df[some], **counted}
        yield EstimateBlock(contrast, ALL, RETEST, some, noise)
        yield EstimateBlock(contrast, ALL, RETEST_SD, some, {"value": found.sd[some], **counted})
        rows = np.intersect1d(some, on_scale(submissions))
        sides = (
            np.stack([labels_of(sides_of(one[rows], side), thresholds) for one in values])
            for side in (pairs.first, pairs.second)
        )
        counted = {name: column[np.isin(some, rows)] for name, column in counted.items()}
        for name, share in zip((FLIPS_ONCE, RETEST_FLIPS), flips_between(*sides), strict=True):
            yield EstimateBlock(contrast, ALL, name, rows, {"value": share, **counted}, SHARE)
