"""What is asked of a regression: formulas and codings, refused where none such can be fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.measures.regression.coding import Coding, codings
from tiltmeter.measures.regression.formula import Formula, formula_of

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
    """By axis, the group that others are held against; else its last, or of many the average."""
    no_reference: bool = False
    """Hold the groups of axes without a named reference against their average."""
    errors: str = "crossed"
    precision: str | None = None
    """As in `gender`: what the spread of scores may depend on; None: nothing."""
    all_pairs: bool = False
    """Hold groups against their axis' last, however many there are."""

    def __post_init__(self) -> None:
        """Refuse what no model can be."""
        if self.errors not in ERRORS:
            near = did_you_mean(self.errors, ERRORS) or f"there are {', '.join(ERRORS)}"
            raise TiltmeterError(f"there are no errors {self.errors!r}: {near}")


@dataclass(frozen=True, slots=True)
class Terms:
    """A model for a corpus' axes: what mean and spread depend on, and how axes are coded."""

    formula: Formula
    spread: Formula | None
    by_axis: Mapping[str, Coding]


def terms_of(model: Model, axes: Mapping[str, Sequence[str]]) -> Terms:
    """The terms of a model; `axes` has the groups of each axis, the reference last."""
    formula, spread = formulas_of(model, list(axes))
    return Terms(formula, spread, codings_of(model, axes))


def codings_of(model: Model, axes: Mapping[str, Sequence[str]]) -> dict[str, Coding]:
    """Every axis' coding, refused where a formula has more coefficients than can be told apart."""
    formula, _ = formulas_of(model, list(axes))
    found = codings(
        axes, model.reference, no_reference=model.no_reference, all_pairs=model.all_pairs
    )
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
