"""Everything that labels tell of the submissions, as rows of the `estimates` table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from tiltmeter.measures.contrasts import Contrast
from tiltmeter.measures.estimates import estimates_table
from tiltmeter.measures.flips import (
    BALANCE,
    FLIPS,
    LABEL_SHARE,
    LABEL_TILT,
    flip_blocks,
    label_tilt_blocks,
    on_scale,
)
from tiltmeter.measures.label_gaps import GAP, label_gap_blocks
from tiltmeter.measures.labels import Thresholds, labels_of
from tiltmeter.measures.matrix import Scores, score_matrix
from tiltmeter.measures.pairs import OF_A_RUN, PairStudy
from tiltmeter.measures.retest import (
    FLIPS_ONCE,
    RETEST,
    RETEST_FLIPS,
    RETEST_SD,
    retest_blocks,
)
from tiltmeter.measures.tilt.study import tilt_study

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
