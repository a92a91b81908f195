"""The tilt of every submission on every contrast and subset, as rows of the `estimates` table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, subsets
from tiltmeter.measures.estimates import Block, Columns, estimates_table
from tiltmeter.measures.matrix import ScoreMatrix, score_matrix
from tiltmeter.measures.pairs import OF_A_RUN, OWN
from tiltmeter.measures.tilt.relabelled import relabelled_p
from tiltmeter.measures.tilt.resampled import RESAMPLES, crossed_bootstrap
from tiltmeter.measures.tilt.spread import Crossed, spread
from tiltmeter.measures.tilt.sums import TiltSums

Array = NDArray[np.float64]

TILT = "tilt"
"""The measure that verdicts are made of."""


def crossed_tilt(
    sentences: pl.DataFrame,
    values: Array,
    contrast: Contrast,
    axes: Sequence[str],
    width: Array | None = None,
) -> Crossed:
    """The mean difference of pairs and its uncertainty over people, templates and words.

    `values` is (rows, sentences): scores, labels, one version minus another; NaN where missing.
    """
    sums = TiltSums(len(values), contrast, axes, np.ones(len(values)) if width is None else width)
    sums.add(sentences, values)
    return spread(sums)


def tilt_estimates(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
    *,
    mode: str = "corrected",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> pl.DataFrame:
    """Every submission's tilt on every contrast and subset."""
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    blocks: list[Block] = []
    for contrast in dict.fromkeys(contrasts):
        sums = TiltSums(len(matrix.values), contrast, axes, width)
        sums.add(sentences, matrix.values)
        blocks += tilt_blocks(sums, matrix.submissions, seed)
        if resamples and sums.parts.keys.height:
            blocks.append(_resampled(sums, matrix, sentences, axes, resamples, seed))
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return estimates_table(blocks, matrix.submissions, {**of, "mode": mode})


def tilts_from(
    kept: Sequence[TiltSums], submissions: pl.DataFrame, of: Mapping[str, str], seed: int
) -> pl.DataFrame:
    """The same from sums over blocks; without resamples, which would need every sentence again."""
    blocks = [block for sums in kept for block in tilt_blocks(sums, submissions, seed)]
    return estimates_table(blocks, submissions, of)


def tilt_blocks(sums: TiltSums, submissions: pl.DataFrame, seed: int) -> Iterator[Block]:
    """The tilt on each subset of one contrast; on all sentences also what it is made of."""
    keys, everyone, tasks = sums.parts.keys, np.arange(submissions.height), submissions["task"]
    if keys.is_empty():
        return
    for name, inside in subsets(keys):
        found = spread(sums, _parts(keys.filter(inside)))
        yield Block(sums.contrast, name, TILT, everyone, _columns(found))
        if name == "all":
            yield from _sources(sums, found, everyone)
            p = relabelled_p(sums, np.random.default_rng(seed))
            dealt = {"value": found.value, "p": p, "n": found.n, "n_dropped": found.n_dropped}
            yield Block(sums.contrast, name, f"{TILT}_relabelled", everyone, dealt)
    for task in tasks.unique(maintain_order=True):
        own = keys.filter((keys["emotion"] == task).fill_null(False))
        if own.height:
            rows = everyone[(tasks == task).to_numpy()]
            found = spread(sums, _parts(own), rows)
            yield Block(sums.contrast, OWN, TILT, rows, _columns(found))


def _parts(keys: pl.DataFrame) -> pl.Expr:
    """Whether a row is of some templates and emotions."""
    whole = pl.lit(False)
    for template, emotions in keys.group_by("template", maintain_order=True):
        names = emotions["emotion"]
        there = pl.col("emotion").is_in(names.drop_nulls().to_list())
        if names.null_count():
            there = there.fill_null(True)
        whole = whole | ((pl.col("template") == template[0]) & there.fill_null(False))
    return whole


def _columns(found: Crossed) -> Columns:
    return {
        "value": found.value, "se": found.se, "low": found.low, "high": found.high,
        "statistic": found.statistic, "df": found.df, "p": found.p,
        "n": found.n, "n_dropped": found.n_dropped,
    }  # fmt: skip


def _sources(sums: TiltSums, found: Crossed, rows: NDArray[np.int64]) -> Iterator[Block]:
    """What each source alone adds to the standard error, and how many units it has."""
    none = np.zeros(rows.size, np.int64)
    told = {
        "people": (found.se_people, found.df_people, found.people),
        "templates": (found.se_templates, found.df_templates, found.templates),
        "words": (found.se_words, found.df_words, found.words),
        "noise": (found.se_noise, np.full(rows.size, np.nan), 0),
    }
    for name, (se, df, many) in told.items():
        n = found.n if name == "noise" else np.full(rows.size, many, np.int64)
        columns = {"value": se, "df": df, "n": n, "n_dropped": none}
        yield Block(sums.contrast, "all", f"{TILT}_{name}", rows, columns)


def _resampled(
    sums: TiltSums,
    matrix: ScoreMatrix,
    sentences: pl.DataFrame,
    axes: Sequence[str],
    resamples: int,
    seed: int,
) -> Block:
    found = crossed_bootstrap(
        sentences, matrix.values, sums.contrast, axes, resamples=resamples,
        rng=np.random.default_rng(seed), width=sums.width,
    )  # fmt: skip
    every = spread(sums)
    columns = {
        "value": found.value, "se": found.se, "low": found.low, "high": found.high,
        "n": every.n, "n_dropped": every.n_dropped,
    }  # fmt: skip
    rows = np.arange(len(matrix.values))
    return Block(sums.contrast, "all", f"{TILT}_resampled", rows, columns)
