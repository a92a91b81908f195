"""The largest gap between groups' labels; labels as rows of the `estimates` table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.estimates import EstimateBlock, estimates_table
from tiltmeter.scoring.matrix import Scores, score_matrix
from tiltmeter.studies.paired.claims import Claim, names_claim
from tiltmeter.studies.paired.contrasts import Contrast, contrasts_of
from tiltmeter.studies.paired.labels import (
    BALANCE,
    FLIPS,
    LABEL_SHARE,
    LABEL_TILT,
    SHARE,
    OneGroup,
    Thresholds,
    flip_blocks,
    label_columns,
    label_shares,
    label_tilt_blocks,
    labels_of,
    on_scale,
)
from tiltmeter.studies.paired.pairs import OF_A_RUN, PairStudy
from tiltmeter.studies.paired.repeat_noise import (
    FLIPS_ONCE,
    RETEST,
    RETEST_FLIPS,
    RETEST_SD,
    retest_blocks,
)
from tiltmeter.studies.paired.tilt import TiltStudy, tilt_study

# The largest gap: of three groups or more, the two whose sentences are labelled most unlike
# The groups of an axis are compared two by two, and so are the cells of all axes together, such
# as women with African American names. The largest of many differences is large by chance alone,
# so its interval and its p allow for how many there are (Bonferroni).

Array = NDArray[np.float64]
Places = NDArray[np.int64]

GAP = "label_gap"
TIMES = " × "
"""Between axes and between groups, where several are taken together."""
FEWEST, MOST = 3, 30
"""Groups or cells that are compared two by two; two are compared by `label_tilt`, of more none."""


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
    if not rows.size:
        return
    for axis, groups in axes.items():
        yield from _largest(study, sentences, labels, rows, axis, list(groups))
    if len(axes) > 1:
        whole = TIMES.join(axes)
        cells = with_cells(sentences, list(axes), whole)
        people = with_cells(study.effects.people, list(axes), whole)
        together = replace(study, effects=replace(study.effects, people=people), axes=(whole,))
        named = cells[whole].drop_nulls().unique(maintain_order=True).to_list()
        yield from _largest(together, cells, labels, rows, whole, named)


def with_cells(sentences: pl.DataFrame, axes: Sequence[str], name: str) -> pl.DataFrame:
    """The sentences with a column for the groups of all axes together; null where one is."""
    return sentences.with_columns(pl.concat_str(axes, separator=TIMES).alias(name))


def _largest(
    study: TiltStudy,
    sentences: pl.DataFrame,
    labels: Array,
    rows: Places,
    axis: str,
    groups: Sequence[str],
) -> Iterator[EstimateBlock]:
    """The largest gap of one axis: its rows, its higher group first."""
    if not FEWEST <= len(groups) <= MOST:
        return
    contrasts = contrasts_of(axis, groups, all_pairs=True)
    if not study.effects.people.height:  # nobody but couples
        study = tilt_study(sentences, labels, contrasts, study.axes)
    claims = [one for contrast in contrasts if (one := _claim(study, contrast))]
    if not claims:
        return
    sizes = np.abs(np.nan_to_num(np.stack([one.value for one in claims], axis=1)))
    worst = np.argmax(sizes, axis=1)
    for at in np.unique(worst):
        claim = claims[at]
        both = label_shares(study, claim, sentences, labels)
        columns = label_columns(claim, len(claims))
        for sign in (1, -1):
            mine = (worst == at) & (np.where(claim.value < 0, -1, 1) == sign)
            if mine.any():
                told = {name: one[mine] for name, one in columns.items()}
                yield from _told(claim, sign, told, [one[mine] for one in both], rows[mine])


def _claim(study: TiltStudy, contrast: Contrast) -> Claim | None:
    """The claim on a contrast by names; where there are none, by couples."""
    if study.effects.people.height:
        return names_claim(study.effects, contrast, study.axes, study.width)
    return next(iter(study.claims(contrast)), None)


def _told(
    claim: Claim, sign: int, columns: dict[str, Array], both: Sequence[Array], rows: Places
) -> Iterator[EstimateBlock]:
    """The gap, and both groups' shares."""
    contrast = claim.contrast
    first, second = (contrast.first, contrast.second)[::sign]
    ends = ("low", "high")[::sign]
    turned = columns | {
        "value": sign * columns["value"], "low": sign * columns[ends[0]],
        "high": sign * columns[ends[1]],
    }  # fmt: skip
    yield EstimateBlock(
        Contrast(contrast.axis, first, second), claim.kind, GAP, rows, turned, SHARE
    )
    counted = {name: columns[name] for name in ("n", "n_dropped")}
    for name, other, share in zip((first, second), (second, first), both[::sign], strict=True):
        group = OneGroup(contrast.axis, name, other)
        yield EstimateBlock(
            group, f"{GAP}:{claim.kind}", LABEL_SHARE, rows, {"value": share, **counted}, SHARE
        )


LABEL_MEASURES = (
    *(FLIPS, BALANCE, LABEL_TILT, LABEL_SHARE, GAP),
    *(FLIPS_ONCE, RETEST_FLIPS, RETEST, RETEST_SD),
)
"""Everything that is told of here."""


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
    tilts = tilt_study(sentences, labels, contrasts, list(axes), people=people)
    blocks = [
        *label_tilt_blocks(tilts, sentences, labels, rows),
        *flip_blocks(study, sentences, contrasts, thresholds),
        *label_gap_blocks(tilts, sentences, labels, rows, axes),
    ]
    if isinstance(scores, pl.DataFrame):
        blocks += retest_blocks(sentences, scores, matrix.submissions, contrasts, thresholds)
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return estimates_table(blocks, matrix.submissions, {**of, "mode": mode})
