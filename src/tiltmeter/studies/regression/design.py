"""A model in one line, `gender * race + template`, and the design that it makes of sentences.

Axes stand alone, joined by `:` (their product alone) or by `*` (each of them and every product).
What describes a sentence besides its person, its template and its emotion word, may be added as a
control. Sentences with the same person, template and controls are one *atom*, in which scores may
be summed; atoms with the same columns are one *cell*, on which the model is fitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, product
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError, argument, did_you_mean
from tiltmeter.schemas import AVERAGE
from tiltmeter.studies.paired.contrasts import NTH, check_average, is_beside_average

Array = NDArray[np.float64]

CONTROLS = ("template", "emotion_word", "frame")
"""Columns of the sentences that may be held fixed."""
EXAMPLE = "as in gender * race + template"
MOST = 250
"""Coefficients of a formula: memory and time grow with their cube, 2 GB and a minute for these."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What the scores are explained by."""

    terms: tuple[tuple[str, ...], ...]
    """Each an axis, or several whose product it is; fewer axes first."""
    controls: tuple[str, ...] = ()

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis, in the order they are named."""
        return tuple(dict.fromkeys(axis for term in self.terms for axis in term))

    def __str__(self) -> str:
        return " + ".join([*(":".join(term) for term in self.terms), *self.controls])


def formula_of(text: str | None, axes: Sequence[str]) -> Formula:
    """Read a formula; without one, all axes and the products of every two.

    >>> str(formula_of("gender * race + template", ["gender", "race"]))
    'gender + race + gender:race + template'
    >>> str(formula_of(None, ["gender", "race", "age"]))
    'gender + race + age + gender:race + gender:age + race:age'
    """
    if text is None:
        return Formula((*((axis,) for axis in axes), *combinations(axes, 2)))
    parts = [part.strip() for part in text.split("+")]
    controls = tuple(dict.fromkeys(part for part in parts if part in CONTROLS))
    found = [term for part in parts if part not in CONTROLS for term in _terms(part, text, axes)]
    if not found:
        raise TiltmeterError(f"the formula {text!r} names no axis; expected {', '.join(axes)}")
    terms = sorted(dict.fromkeys(found), key=len)
    for term in terms:  # a product says something about its axes only beside them
        for smaller in combinations(term, len(term) - 1):
            if smaller and smaller not in terms:
                what = f"the formula {text!r} has {':'.join(term)} without {':'.join(smaller)}"
                raise TiltmeterError(f"{what}; write {' * '.join(term)}")
    return Formula(tuple(terms), controls)


def _terms(part: str, text: str, axes: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """The terms that one part of a sum stands for."""
    crossed = "*" in part
    if crossed and ":" in part:
        what = f"the formula {text!r} mixes * and : in {part!r}"
        raise TiltmeterError(f"{what}; join the two by +, {EXAMPLE}")
    names = [name.strip() for name in part.split("*" if crossed else ":")]
    for name in names:
        if not name:
            raise TiltmeterError(f"the formula {text!r} has a gap; expected axes joined, {EXAMPLE}")
        if name in CONTROLS:
            what = f"the formula {text!r} multiplies by {name}, which is a control"
            raise TiltmeterError(f"{what}; add it instead, {EXAMPLE}")
        if name not in axes:
            listed = f"there are {', '.join(axes) or 'none'}, and {', '.join(CONTROLS)} as controls"
            near = did_you_mean(name, [*axes, *CONTROLS]) or listed
            what = f"the formula {text!r} names {name!r}, which is no axis here"
            raise TiltmeterError(f"{what}: {near}")
    if len(set(names)) < len(names):
        raise TiltmeterError(f"the formula {text!r} multiplies an axis by itself in {part!r}")
    ordered = sorted(names, key=list(axes).index)
    sizes = range(1, len(names) + 1) if crossed else (len(names),)
    return [term for size in sizes for term in combinations(ordered, size)]


@dataclass(frozen=True, slots=True)
class GroupContrast:
    """One group of an axis, held against another or against the average of all."""

    contrast: str
    """As in `female-male` or `female-average`."""
    reference: str
    columns: Array
    """Which combination of the axis' columns is the coefficient of this group."""
    groups: Array
    """Which combination of the groups' means is its effect; sums to 0."""
    against: Array
    """The groups that it is held against, as weights that sum to 1."""


@dataclass(frozen=True, slots=True)
class Coding:
    """An axis in a model."""

    axis: str
    groups: tuple[str, ...]
    values: Array
    """(groups, columns): what each group's sentences have in the axis' columns."""
    contrasts: tuple[GroupContrast, ...]


def coding_of(axis: str, groups: Sequence[str], reference: str | None) -> Coding:
    """The columns of an axis; without a reference, groups are held against their average.

    >>> coding_of("gender", ["female", "male"], "male").values.tolist()
    [[1.0], [0.0]]
    >>> coding_of("gender", ["female", "male"], None).values.tolist()
    [[1.0], [-1.0]]
    """
    if reference is not None and reference not in groups:
        near = did_you_mean(reference, groups) or f"its groups are {', '.join(groups)}"
        raise TiltmeterError(f"the axis {axis!r} has no group {reference!r}: {near}")
    many = len(groups)
    if reference is None:
        check_average(axis, groups)
        second, against = AVERAGE, np.full(many, 1.0 / many)
        values = columns = np.vstack([np.eye(many - 1), -np.ones(many - 1)])
    else:
        second, against = reference, np.eye(many)[groups.index(reference)]
        values = np.delete(np.eye(many), groups.index(reference), axis=1)
        columns = np.eye(many - 1)
    units = [(one, row) for one, row in zip(groups, np.eye(many), strict=True) if one != reference]
    contrasts = (
        GroupContrast(f"{group}-{second}", second, column, unit - against, against)
        for (group, unit), column in zip(units, columns, strict=True)
    )
    return Coding(axis, tuple(groups), values, tuple(contrasts))


@dataclass(frozen=True, slots=True)
class CoefficientRow:
    """One row of a table of coefficients: a group, or several groups' product."""

    axis: str
    """As in `race` or `gender:race`."""
    name: str
    """As in `female-male`; a product's parts are joined by `:`."""
    second: str
    """What it is held against, as in `male` or `male:Anglo`."""
    coefficient: Array
    """(p,): the combination of β that it is."""
    groups: Array
    """(groups,): the combination of group means that is its effect on the scale of scores, with
    everything else as it stands."""
    total: Array | None = None
    """(groups,): for a product, all its groups at once against all their references."""


def coefficient_rows(
    formula: Formula, by_axis: Mapping[str, Coding], groups: pl.DataFrame, width: int
) -> tuple[CoefficientRow, ...]:
    """What tables of coefficients list: every group of every axis, and of their products."""
    found, begin = list[CoefficientRow](), 1
    for term in formula.terms:
        parts = [by_axis[axis] for axis in term]
        size = prod(part.values.shape[1] for part in parts)
        for some in product(*(part.contrasts for part in parts)):
            coefficient = np.zeros(width)
            block = np.ones(1)
            for one in some:
                block = np.asarray(np.kron(block, one.columns))
            coefficient[begin : begin + size] = block
            all_groups = _even(parts, [one.groups + one.against for one in some], groups)
            total = all_groups - _even(parts, [one.against for one in some], groups)
            found.append(
                CoefficientRow(
                    axis=":".join(term),
                    name=":".join(one.contrast for one in some),
                    second=":".join(one.reference for one in some),
                    coefficient=coefficient,
                    groups=_even(parts, [one.groups for one in some], groups),
                    total=total if len(term) > 1 else None,
                )
            )
        begin += size
    return tuple(found)


def _even(parts: Sequence[Coding], weights: Sequence[Array], groups: pl.DataFrame) -> Array:
    """Weights of some axes' groups as weights of whole groups, even over the other axes."""
    found = np.ones(groups.height)
    for part, weight in zip(parts, weights, strict=True):
        found = found * weight[[part.groups.index(name) for name in groups[part.axis]]]
    return found / (groups.height / np.prod([len(part.groups) for part in parts]))


class Errors(StrEnum):
    """What a regression's errors allow for."""

    CROSSED = "crossed"
    """Names and templates vary."""
    MIXED = "mixed"
    """Names and templates are random parts of the model."""
    NAIVE = "naive"
    """All sentences are independent, as in the paper."""


@dataclass(frozen=True, slots=True)
class Model:
    """What is fitted, and how sure one wants to be of it."""

    formula: str | None = None
    """As in `gender * race + template`; None: every axis, and the products of every two."""
    reference: Mapping[str, str] = field(default_factory=dict)
    """By axis, the group that others are held against; else its last, or of many the average."""
    no_reference: bool = False
    """Hold the groups of axes without a named reference against their average."""
    errors: str = Errors.CROSSED
    precision: str | None = None
    """As in `gender`: what the spread of scores may depend on; None: nothing."""
    all_pairs: bool = False
    """Hold groups against their axis' last, however many there are."""

    def __post_init__(self) -> None:
        """Refuse what no model can be."""
        if self.errors not in list(Errors):
            near = did_you_mean(self.errors, map(str, Errors)) or f"there are {', '.join(Errors)}"
            raise TiltmeterError(f"there are no errors {self.errors!r}: {near}")


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """A model for a corpus' axes: what mean and spread depend on, and how axes are coded."""

    formula: Formula
    spread: Formula | None
    by_axis: Mapping[str, Coding]


def terms_of(model: Model, axes: Mapping[str, Sequence[str]]) -> ModelTerms:
    """The terms of a model, refused where no such model can be fitted.

    `axes` has the groups of each axis. The reference group is the one named, else the axis' last,
    which is what the earlier ones are compared with in the paired study too; with `no_reference`
    only named ones count. So they do on axes whose groups the paired study compares with the
    average of all, unless `all_pairs`. The spread may depend on what the mean does, and on no
    controls.
    """
    formula, spread = formula_of(model.formula, list(axes)), None
    if model.precision is not None:
        spread = formula_of(model.precision, list(axes))
        if spread.controls:
            what = f"the precision depends on {spread.controls[0]}"
            raise TiltmeterError(f"{what}; expected axes only")
        for axis in spread.axes:
            if axis not in formula.axes:
                what = f"the precision depends on {axis}, which is not in the formula {formula}"
                raise TiltmeterError(f"{what}; add it there")
    by_axis = dict[str, Coding]()
    for axis, groups in axes.items():
        average = model.no_reference or is_beside_average(groups, all_pairs=model.all_pairs)
        reference = model.reference.get(axis, None if average else groups[-1])
        by_axis[axis] = coding_of(axis, groups, reference)
    many = sum(prod(len(axes[axis]) - 1 for axis in term) for term in formula.terms)
    if many > MOST:
        what = f"the regression {formula} has {many:,} coefficients; expected at most {MOST}"
        pairs = f"{argument('measures', '--measure')} pairs"
        raise TiltmeterError(
            f"{what}: name fewer with {argument('formula')}, or take {pairs} alone"
        )
    return ModelTerms(formula, spread, by_axis)


Codes = NDArray[np.int64]

ALIASED = 1e-8
"""Part of a column left over by the columns before it, below which it says nothing of its own."""


@dataclass(frozen=True, slots=True)
class RegressionDesign:
    """Sentences as rows of the model."""

    effects: tuple[CoefficientRow, ...]
    mean: Array
    """(cells, p)"""
    precision: Array
    """(cells, q): what log φ depends on; a column of ones where on nothing."""
    precision_effects: tuple[CoefficientRow, ...]
    settings: Array
    """(groups, cells, p): every cell's row, had it been of each group."""
    groups: pl.DataFrame
    """A column per axis: what a group is, in the order of `settings`."""
    people: pl.DataFrame
    """person and a column per axis."""
    group: Codes
    """(people,): the group of each, a place in `groups`."""
    templates: tuple[str, ...]
    atom: Codes
    """(sentences,): which atom each is in."""
    cell: Codes
    """(atoms,)"""
    person: Codes
    """(atoms,): a place in `people`."""
    template: Codes
    """(atoms,): a place in `templates`."""

    @property
    def group_of_cell(self) -> Codes:
        """(cells,): the group of each cell's people."""
        found = np.zeros(len(self.mean), np.int64)
        found[self.cell] = self.group[self.person]
        return found


def design_of(sentences: pl.DataFrame, terms: ModelTerms) -> RegressionDesign:
    """The design of sentences whose people have a group on every axis of the formula."""
    formula, by_axis = terms.formula, terms.by_axis
    axes = list(formula.axes)
    levels = [by_axis[axis].groups for axis in axes]
    groups = pl.DataFrame(list(product(*levels)), dict.fromkeys(axes, pl.String), orient="row")
    people = sentences.select("person", *axes).unique(maintain_order=True)
    group_of = _places(people, groups, axes)
    person = _places(sentences, people, ["person", *axes])
    atoms, atom = _distinct(
        person, *(codes_of(sentences[name]) for name in ("template", *formula.controls))
    )
    cells, cell = _distinct(group_of[atoms[:, 0]], *atoms[:, 2:].T)
    columns = _group_columns(formula, by_axis, groups)
    controls = _control_columns(cells[:, 1:])
    settings = np.concatenate(
        [
            np.broadcast_to(columns[:, None, :], (groups.height, len(cells), columns.shape[1])),
            np.broadcast_to(controls, (groups.height, *controls.shape)),
        ],
        axis=2,
    )
    precision, precision_effects = np.ones((len(cells), 1)), tuple[CoefficientRow, ...]()
    if terms.spread is not None:
        of_groups = _group_columns(terms.spread, by_axis, groups)
        precision = of_groups[cells[:, 0]]
        precision_effects = coefficient_rows(terms.spread, by_axis, groups, of_groups.shape[1])
    return RegressionDesign(
        effects=coefficient_rows(formula, by_axis, groups, settings.shape[2]),
        mean=settings[cells[:, 0], np.arange(len(cells))],
        precision=precision,
        precision_effects=precision_effects,
        settings=settings,
        groups=groups,
        people=people,
        group=group_of,
        templates=tuple(sentences["template"].unique(maintain_order=True)),
        atom=atom,
        cell=cell,
        person=atoms[:, 0],
        template=atoms[:, 1],
    )


def _places(frame: pl.DataFrame, known: pl.DataFrame, by: list[str]) -> Codes:
    """Where in `known` each row stands."""
    numbered = known.select(by).with_row_index(NTH)
    joined = frame.select(by).join(numbered, on=by, how="left", maintain_order="left")
    return joined[NTH].to_numpy().astype(np.int64)


def codes_of(series: pl.Series) -> Codes:
    """Distinct values numbered as they come; a missing one is a value of its own."""
    frame = series.fill_null("").to_frame("value")
    return _places(frame, frame.unique(maintain_order=True), ["value"])


def _distinct(*codes: Codes) -> tuple[Codes, Codes]:
    """The distinct rows of some codes, and which of them each row is."""
    rows, place = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    return rows, place.reshape(-1).astype(np.int64)


def _group_columns(formula: Formula, by_axis: Mapping[str, Coding], groups: pl.DataFrame) -> Array:
    """(groups, columns): the intercept and every term, products row by row."""
    blocks = [np.ones((groups.height, 1))]
    for term in formula.terms:
        block = np.ones((groups.height, 1))
        for coding in (by_axis[axis] for axis in term):
            right = coding.values[[coding.groups.index(name) for name in groups[coding.axis]]]
            block = (block[:, :, None] * right[:, None, :]).reshape(groups.height, -1)
        blocks.append(block)
    return np.concatenate(blocks, axis=1)


def _control_columns(codes: Codes) -> Array:
    """A column for every level of a control, without those that others stand for already."""
    full = [np.ones((len(codes), 1))]
    for column in codes.T:
        full.append((column[:, None] == np.unique(column)[None, 1:]).astype(np.float64))
    stacked = np.concatenate(full, axis=1)
    return stacked[:, independent(stacked)[1:]]


def independent(columns: Array) -> list[int]:
    """The columns that say something of their own beside those before them."""
    basis: Array = np.zeros((len(columns), 0))
    found = list[int]()
    for at, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size, left = np.linalg.norm(column), np.linalg.norm(rest)
        if left > ALIASED * size:
            basis = np.concatenate([basis, (rest / left)[:, None]], axis=1)
            found.append(at)
    return found
