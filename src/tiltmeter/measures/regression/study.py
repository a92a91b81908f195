"""Race, gender and their product, told apart: Beta regression for every submission of a corpus.

Câmara et al. (2022): per system, task and corpus, over the sentences with a name and a word of the
task's own emotion,

    logit μ = β₀ + β₁ · minority + β₂ · female + β₃ · minority · female

All submissions of a task are fitted at once, from sums over the design's cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.measures.estimates import Block, estimates_table
from tiltmeter.measures.matrix import SCALE, ScoreMatrix, score_matrix
from tiltmeter.measures.regression.coding import Coding, codings
from tiltmeter.measures.regression.design import (
    codes_of,
    design_of,
    precision_columns,
    precision_effects,
)
from tiltmeter.measures.regression.effects import Effect
from tiltmeter.measures.regression.fits import FITS, fits_table
from tiltmeter.measures.regression.fitting import fit_part
from tiltmeter.measures.regression.formula import Formula, formula_of
from tiltmeter.measures.regression.mixing import mixed_tables
from tiltmeter.measures.regression.parts import ALL, Part, parts_of
from tiltmeter.measures.regression.people import groups_table, people_table
from tiltmeter.measures.regression.reduction import reduced
from tiltmeter.measures.regression.rows import blocks
from tiltmeter.measures.regression.tables import tables_of
from tiltmeter.measures.stats.threads import one_thread

Array = NDArray[np.float64]
Places = NDArray[np.int64]

OF_A_RUN = ("corpus", "edition")
MOST = 250
"""Coefficients of a formula: memory and time grow with their cube, 2 GB and a minute for these."""
ERRORS = ("crossed", "mixed", "naive")
"""How uncertainty may be told: over names and templates, by random ones, or as the paper did."""


@dataclass(frozen=True, slots=True)
class Model:
    """What is fitted, and how sure one wants to be of it."""

    formula: str | None = None
    """As in `gender * race + template`; None: every axis, and the products of every two."""
    reference: Mapping[str, str] = field(default_factory=dict)
    """By axis, the group that others are held against; else its last."""
    no_reference: bool = False
    """Hold the groups of axes without a named reference against their average."""
    errors: str = "crossed"
    precision: str | None = None
    """As in `gender`: what the spread of scores may depend on; None: nothing."""

    def __post_init__(self) -> None:
        """Refuse what no model can be."""
        if self.errors not in ERRORS:
            near = did_you_mean(self.errors, ERRORS) or f"there are {', '.join(ERRORS)}"
            raise TiltmeterError(f"there are no errors {self.errors!r}: {near}")


@dataclass(frozen=True, slots=True)
class RegressionStudy:
    """One corpus' regressions."""

    formula: str
    effects: tuple[tuple[str, str, str], ...]
    """Axis, contrast and reference of every row of a table of coefficients."""
    fits: pl.DataFrame
    """A row a submission: what it was fitted on, how that went, and why there is no fit."""
    groups: pl.DataFrame
    """system, task, a column per axis, n, people, mean, fitted: the means behind the coefficients.
    """
    people: pl.DataFrame
    """system, task, person, a column per axis, n, mean, axis, contrast, pull: how much lower the
    marginal effect would be without the person's sentences."""
    estimates: pl.DataFrame
    """As the `estimates` table."""


def regression_study(
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    axes: Mapping[str, Sequence[str]],
    model: Model | None = None,
    *,
    mode: str = "corrected",
    subset: str = ALL,
    whole: pl.DataFrame | None = None,
) -> RegressionStudy:
    """Fit every submission's scores; `axes` has the groups of each axis, the reference last.

    With the subset `all`, a task about an emotion is fitted on the sentences with its words, any
    other on those without an emotion word, as in the paper; another subset is taken as it is.
    `whole` is what the sentences were drawn from, where they are a sample: it tells which emotions
    there are.
    """
    model = model or Model()
    formula, spread = formulas_of(model, list(axes))
    by_axis = codings_of(model, axes)
    matrix = score_matrix(scores, sentences)
    with one_thread():
        found = [
            _fitted(part, sentences, matrix, formula, spread, by_axis, model)
            for part in parts_of(
                sentences,
                matrix.submissions["task"],
                formula.axes,
                subset,
                sentences if whole is None else whole,
            )
        ]
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    every = [block for one in found for block in one.blocks]
    return RegressionStudy(
        formula=str(formula),
        effects=_effects(found),
        fits=pl.concat([pl.DataFrame(schema=FITS), *(one.fits for one in found)]),
        groups=pl.concat([one.groups for one in found], how="diagonal"),
        people=pl.concat([one.people for one in found], how="diagonal"),
        estimates=estimates_table(every, matrix.submissions, {**of, "mode": mode}),
    )


def _effects(found: Sequence[_Found]) -> tuple[tuple[str, str, str], ...]:
    named = ((one.axis, one.name, one.second) for part in found for one in part.effects)
    return tuple(dict.fromkeys(named))


def codings_of(model: Model, axes: Mapping[str, Sequence[str]]) -> dict[str, Coding]:
    """Every axis' coding, refused where a formula has more coefficients than can be told apart."""
    formula, _ = formulas_of(model, list(axes))
    found = codings(axes, model.reference, no_reference=model.no_reference)
    many = sum(prod(len(axes[axis]) - 1 for axis in term) for term in formula.terms)
    if many > MOST:
        what = f"the regression {formula} has {many:,} coefficients; expected at most {MOST}"
        raise TiltmeterError(f"{what}: name fewer with --formula, or take --measure pairs alone")
    return found


def formulas_of(model: Model, axes: Sequence[str]) -> tuple[Formula, Formula | None]:
    """What the mean and the spread depend on, refused where no such model can be fitted.

    The spread may depend on what the mean does, and on no controls.
    """
    formula = formula_of(model.formula, axes)
    if model.precision is None:
        return formula, None
    spread = formula_of(model.precision, axes)
    if spread.controls:
        raise TiltmeterError(f"the precision depends on {spread.controls[0]}; expected axes only")
    for axis in spread.axes:
        if axis not in formula.axes:
            what = f"the precision depends on {axis}, which is not in the formula {formula}"
            raise TiltmeterError(f"{what}; add it there")
    return formula, spread


@dataclass(frozen=True, slots=True)
class _Found:
    effects: tuple[Effect, ...]
    fits: pl.DataFrame
    groups: pl.DataFrame
    people: pl.DataFrame
    blocks: list[Block]


def _fitted(
    part: Part,
    sentences: pl.DataFrame,
    matrix: ScoreMatrix,
    formula: Formula,
    spread: Formula | None,
    by_axis: Mapping[str, Coding],
    model: Model,
) -> _Found:
    """Fit one part and lay out what was found."""
    design = design_of(sentences[part.columns], formula, by_axis)
    values = matrix.values[np.ix_(part.rows, part.columns)]
    atoms = reduced(values, design.atom, len(design.cell))
    submissions = matrix.submissions[part.rows]
    on_scale = (submissions["unit"] == SCALE).to_numpy()
    columns = precision_columns(spread, by_axis, design)
    fitted = fit_part(atoms, design, columns, on_scale, part.subset)
    mixed = None
    if model.errors == "mixed":
        frame = codes_of(sentences["frame"][part.columns])
        mixed = partial(mixed_tables, fitted, design, values, frame)
    tables, pull = tables_of(
        fitted, atoms, design, precision_effects(spread, by_axis, design), mixed
    )
    dropped = part.columns.size - atoms.n
    return _Found(
        effects=design.effects,
        fits=fits_table(submissions, part, design, atoms, fitted),
        groups=groups_table(submissions, design, atoms, fitted),
        people=people_table(submissions, design, atoms, pull),
        blocks=list(blocks(tables, part.subset, part.rows, atoms.n, dropped)),
    )
