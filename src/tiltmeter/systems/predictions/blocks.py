"""One system's scores for one task, laid out over the corpus; the table they make together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.systems.predictions.match import NTH, Sentences
from tiltmeter.systems.predictions.rows import ScoreRows
from tiltmeter.systems.predictions.submissions import Submission, unique_names

NOTHING = pl.Schema(
    {**dict.fromkeys(("system", "task", "id"), pl.String()), "raw": pl.Float64()}
    | {"reason": pl.String()}
)


@dataclass(frozen=True, slots=True)
class Block:
    """The scores of one system for one task."""

    submission: Submission
    system: str
    task: str
    raw: NDArray[np.float64] = field(repr=False)
    """One for each sentence, in the corpus' order; NaN where there is none."""
    reasons: pl.DataFrame = field(repr=False)
    """NTH and reason, for the rows that are there but hold no number."""
    said: str | None = None
    """What the file itself calls the system, if anything."""


def blocks(files: Sequence[tuple[Submission, ScoreRows]], corpus: Sentences) -> list[Block]:
    """Every system's scores by task, in the order of files and rows, each name only once."""
    parts = {
        submission: rows.frame.partition_by("system", "task", maintain_order=True)
        for submission, rows in files
    }
    keys = {each: [part.row(0)[:2] for part in found] for each, found in parts.items()}
    names = unique_names(keys)
    return [
        _block(submission, names[submission, part["system"][0]], part, corpus)
        for submission, found in parts.items()
        for part in found
    ]


def _block(submission: Submission, system: str, part: pl.DataFrame, corpus: Sentences) -> Block:
    raw = np.full(corpus.size, np.nan)
    raw[part[NTH].to_numpy()] = part["raw"].fill_null(float("nan")).to_numpy()
    reasons = part.filter(pl.col("raw").is_null()).select(NTH, "reason")
    return Block(submission, system, part["task"][0], raw, reasons, part["system"][0])


def score_table(found: Iterable[Block], corpus: Sentences) -> pl.DataFrame:
    """The scores of all, a row for each system, task and sentence."""
    rows = [_rows(block, corpus) for block in found]
    return pl.concat(rows, rechunk=True) if rows else NOTHING.to_frame()


def _rows(block: Block, corpus: Sentences) -> pl.DataFrame:
    frame = corpus.ids.select(
        pl.lit(block.system).alias("system"),
        pl.lit(block.task).alias("task"),
        "id",
        pl.Series("raw", block.raw).fill_nan(None),
        NTH,
    )
    if block.reasons.height:
        frame = frame.join(block.reasons, on=NTH, how="left", maintain_order="left")
    else:
        frame = frame.with_columns(pl.lit(None, pl.String).alias("reason"))
    absent = pl.col("raw").is_null() & pl.col("reason").is_null()
    why = pl.when(absent).then(pl.lit(f"not in {block.submission.name}")).otherwise("reason")
    return frame.with_columns(why.alias("reason")).drop(NTH)
