"""The design of a regression: what every sentence has in each column of the model.

Sentences with the same person, template and controls are one *atom*, in which scores may be summed;
atoms with the same columns are one *cell*, on which the model is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import NTH
from tiltmeter.measures.regression.coding import Coding
from tiltmeter.measures.regression.effects import Effect, effects_of
from tiltmeter.measures.regression.formula import Formula

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

ALIASED = 1e-8
"""Part of a column left over by the columns before it, below which it says nothing of its own."""


@dataclass(frozen=True, slots=True)
class Design:
    """Sentences as atoms, atoms as cells, cells as rows of the model."""

    effects: tuple[Effect, ...]
    mean: Array
    """(cells, p)"""
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
    dropped: int = 0
    """Columns of controls that others stand for already."""

    @property
    def group_of_cell(self) -> Codes:
        """(cells,): the group of each cell's people."""
        found = np.zeros(len(self.mean), np.int64)
        found[self.cell] = self.group[self.person]
        return found


def design_of(sentences: pl.DataFrame, formula: Formula, by_axis: Mapping[str, Coding]) -> Design:
    """The design of sentences whose people have a group on every axis of the formula."""
    axes = list(formula.axes)
    levels = [by_axis[axis].groups for axis in axes]
    groups = pl.DataFrame(list(product(*levels)), dict.fromkeys(axes, pl.String), orient="row")
    people = sentences.select("person", *axes).unique(maintain_order=True)
    group_of = _codes(people, groups, axes)
    person = _codes(sentences, people, ["person", *axes])
    templates = sentences["template"].unique(maintain_order=True)
    atoms, atom = _distinct(
        person, *(codes_of(sentences[name]) for name in ("template", *formula.controls))
    )
    cells, cell = _distinct(
        group_of[atoms[:, 0]], *(atoms[:, 2 + at] for at in range(len(formula.controls)))
    )
    columns = _group_columns(formula, by_axis, groups)
    controls, dropped = _control_columns(cells[:, 1:])
    settings = np.concatenate(
        [
            np.broadcast_to(columns[:, None, :], (groups.height, len(cells), columns.shape[1])),
            np.broadcast_to(controls, (groups.height, *controls.shape)),
        ],
        axis=2,
    )
    return Design(
        effects=effects_of(formula, by_axis, groups, settings.shape[2]),
        mean=settings[cells[:, 0], np.arange(len(cells))],
        settings=settings,
        groups=groups,
        people=people,
        group=group_of,
        templates=tuple(templates),
        atom=atom,
        cell=cell,
        person=atoms[:, 0],
        template=atoms[:, 1],
        dropped=dropped,
    )


def precision_columns(formula: Formula | None, by_axis: Mapping[str, Coding], of: Design) -> Array:
    """(cells, q): what log φ depends on; without a formula, on nothing."""
    if formula is None:
        return np.ones((len(of.mean), 1))
    return _group_columns(formula, by_axis, of.groups)[of.group_of_cell]


def precision_effects(
    formula: Formula | None, by_axis: Mapping[str, Coding], of: Design
) -> tuple[Effect, ...]:
    """The rows of a table of what the spread depends on."""
    if formula is None:
        return ()
    width = _group_columns(formula, by_axis, of.groups).shape[1]
    return effects_of(formula, by_axis, of.groups, width)


def _codes(frame: pl.DataFrame, known: pl.DataFrame, by: list[str]) -> Codes:
    """Where in `known` each row stands."""
    numbered = known.select(by).with_row_index(NTH)
    joined = frame.select(by).join(numbered, on=by, how="left", maintain_order="left")
    return joined[NTH].to_numpy().astype(np.int64)


def codes_of(series: pl.Series) -> Codes:
    """Distinct values numbered as they come; a missing one is a value of its own."""
    frame = series.fill_null("").to_frame("value")
    return _codes(frame, frame.unique(maintain_order=True), ["value"])


def _distinct(*codes: Codes) -> tuple[Codes, Codes]:
    """The distinct rows of some codes, and which of them each row is."""
    rows, place = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    return rows, place.reshape(-1).astype(np.int64)


def _group_columns(formula: Formula, by_axis: Mapping[str, Coding], groups: pl.DataFrame) -> Array:
    """(groups, columns): the intercept and every term."""
    blocks = [np.ones((groups.height, 1))]
    for term in formula.terms:
        parts = [
            by_axis[axis].values[[by_axis[axis].groups.index(name) for name in groups[axis]]]
            for axis in term
        ]
        blocks.append(reduce(_row_products, parts))
    return np.concatenate(blocks, axis=1)


def _row_products(left: Array, right: Array) -> Array:
    """Every column of one times every column of the other, row by row."""
    return (left[:, :, None] * right[:, None, :]).reshape(len(left), -1)


def _control_columns(codes: Codes) -> tuple[Array, int]:
    """A column for every level of a control, without those that others stand for already."""
    full = [np.ones((len(codes), 1))]
    for column in codes.T:
        full.append((column[:, None] == np.unique(column)[None, 1:]).astype(np.float64))
    stacked = np.concatenate(full, axis=1)
    kept = independent(stacked)
    return stacked[:, kept[1:]], stacked.shape[1] - len(kept)


def independent(columns: Array) -> list[int]:
    """The columns that say something of their own beside those before them."""
    basis: Array = np.zeros((len(columns), 0))
    kept = list[int]()
    for at, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        size, left = np.linalg.norm(column), np.linalg.norm(rest)
        if left > ALIASED * size:
            basis = np.concatenate([basis, (rest / left)[:, None]], axis=1)
            kept.append(at)
    return kept
