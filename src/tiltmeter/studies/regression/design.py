"""The design of a regression: what every sentence has in each column of the model.

Sentences with the same person, template and controls are one *atom*, in which scores may be
summed; atoms with the same columns are one *cell*, on which the model is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.studies.paired.contrasts import NTH
from tiltmeter.studies.regression.formula import (
    Coding,
    CoefficientRow,
    Formula,
    ModelTerms,
    coefficient_rows,
)

Array = NDArray[np.float64]
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
