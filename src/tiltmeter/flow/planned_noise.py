"""The noise that a plan rests on: assumed, of systems that are asked, or of an audit's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.audit_folder import AuditFolder
from tiltmeter.measures import (
    SCALE,
    TILT,
    Contrast,
    Crossed,
    Design,
    Spreads,
    contrast_between,
    crossed_tilt,
    design_of,
    expected_errors,
    score_matrix,
)

Array = NDArray[np.float64]

SOURCES = ("people", "templates", "words", "noise")
NO_SCALE = "no scale is known for its scores, so no margin can be held against it; give --scale"
NO_SAMPLE = "too few people are compared to tell how much another draw of them would change"
KEYS = ("system", "task", "axis", "contrast", "reference")


@dataclass(frozen=True, slots=True)
class Noise:
    """One system's noise in one contrast: standard errors in all and by source."""

    system: str | None
    task: str | None
    design: Design
    se: float
    errors: Array
    """(4,): of people, templates, words and noise."""
    df: Array
    reason: str | None = None
    """Why it cannot be planned with."""


def assumed(
    sentences: pl.DataFrame, contrasts: Sequence[Contrast], axes: Sequence[str], spreads: Spreads
) -> Iterator[Noise]:
    """What standard deviations make of each contrast."""
    for design in _designs(sentences, contrasts, axes):
        se, errors = expected_errors(design, spreads)
        yield _checked(Noise(None, None, design, se, errors, design.df), scaled=True)


def measured(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    contrasts: Sequence[Contrast],
    axes: Sequence[str],
) -> Iterator[Noise]:
    """The noise of every system and task in each contrast."""
    matrix = score_matrix(scores, sentences)
    width = matrix.submissions["width"].to_numpy()
    for design in _designs(sentences, contrasts, axes):
        found = crossed_tilt(sentences, matrix.values, design.contrast, axes, width)
        for row, one in enumerate(matrix.submissions.iter_rows(named=True)):
            errors, df = _of_row(found, row)
            made = Noise(one["system"], one["task"], design, float(found.se[row]), errors, df)
            yield _checked(made, scaled=one["unit"] == SCALE)


def _of_row(found: Crossed, row: int) -> tuple[Array, Array]:
    errors = [getattr(found, f"se_{name}")[row] for name in SOURCES]
    df = [getattr(found, f"df_{name}")[row] for name in SOURCES[:3]]
    return np.array(errors), np.array([*df, 0.0])


def of_audit(audit: AuditFolder) -> Iterator[Noise]:
    """The noise that an audit's estimates tell."""
    (corpus,) = _one_corpus(audit)
    rows = audit.estimates.filter(pl.col("corpus") == corpus, pl.col("subset") == "all")
    tilts = rows.filter(pl.col("measure") == TILT)
    if tilts.is_empty():
        what = f"{audit.path}: its audit has no rows of the measure {TILT!r}"
        raise TiltmeterError(f"{what}; audit again with --mode corrected and the measure pairs")
    sentences = audit.sentences.filter(pl.col("corpus") == corpus)
    for (axis, name, second), part in tilts.group_by(KEYS[2:], maintain_order=True):
        first = str(name).removesuffix(f"-{second}")
        contrast = contrast_between(sentences, str(axis), first, str(second))
        design = design_of(sentences, contrast, _axes(tilts))
        for one in part.iter_rows(named=True):
            yield _told(one, design, rows)


def _one_corpus(audit: AuditFolder) -> list[str]:
    if len(audit.corpora) > 1:
        listed = ", ".join(audit.corpora)
        what = f"{audit.path}: its audit is of several corpora, {listed}"
        raise TiltmeterError(f"{what}; plan from an audit of one")
    return audit.corpora


def _axes(rows: pl.DataFrame) -> list[str]:
    return rows["axis"].unique(maintain_order=True).to_list()


def _told(one: dict[str, object], design: Design, rows: pl.DataFrame) -> Noise:
    """One tilt's rows: of itself and of its sources."""
    mine = rows.filter(*(pl.col(name) == one[name] for name in KEYS))
    by_measure = {row["measure"]: row for row in mine.iter_rows(named=True)}
    sources = [by_measure.get(f"{TILT}_{name}", {}) for name in SOURCES]
    errors, df = (
        np.array([source.get(name) for source in sources], np.float64) for name in ("value", "df")
    )
    se = np.nan if one["se"] is None else float(str(one["se"]))
    made = Noise(str(one["system"]), str(one["task"]), design, se, errors, df)
    return _checked(made, scaled=one["unit"] == SCALE)


def _designs(
    sentences: pl.DataFrame, contrasts: Sequence[Contrast], axes: Sequence[str]
) -> Iterator[Design]:
    """The contrasts that some pair is of."""
    for contrast in contrasts:
        design = design_of(sentences, contrast, axes)
        if design.pairs:
            yield design


def _checked(made: Noise, *, scaled: bool) -> Noise:
    """With the reason, where nothing can be planned."""
    reason = None if scaled else NO_SCALE
    if scaled and not (np.isfinite(made.se) and made.design.df[0] > 0):
        reason = NO_SAMPLE
    return Noise(made.system, made.task, made.design, made.se, made.errors, made.df, reason)
