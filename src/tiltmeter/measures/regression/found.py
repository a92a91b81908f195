"""From sums over atoms to what a study tells: fitted, laid out, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from tiltmeter.measures.estimates import Block, estimates_table
from tiltmeter.measures.matrix import SCALE
from tiltmeter.measures.regression.design import precision_columns, precision_effects
from tiltmeter.measures.regression.effects import Effect
from tiltmeter.measures.regression.fits import FITS, fits_table
from tiltmeter.measures.regression.fitting import Fitted, fit_part
from tiltmeter.measures.regression.model import Terms
from tiltmeter.measures.regression.parts import Summed
from tiltmeter.measures.regression.people import groups_table, people_table
from tiltmeter.measures.regression.rows import Table, blocks
from tiltmeter.measures.regression.tables import tables_of


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


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one part."""

    effects: tuple[Effect, ...]
    fits: pl.DataFrame
    groups: pl.DataFrame
    people: pl.DataFrame
    blocks: list[Block]


def found_in(
    part: Summed,
    submissions: pl.DataFrame,
    terms: Terms,
    mixed: Callable[[Fitted], list[Table]] | None = None,
) -> Found:
    """Fit one part and lay out what was found; `submissions` are those of the whole study.

    `mixed` makes the tables of the mixed model, where they are wanted.
    """
    design, atoms = part.design, part.atoms
    mine = submissions[part.rows]
    on_scale = (mine["unit"] == SCALE).to_numpy()
    columns = precision_columns(terms.spread, terms.by_axis, design)
    fitted = fit_part(atoms, design, columns, on_scale, part.subset)
    tables, pull = tables_of(
        fitted,
        atoms,
        design,
        precision_effects(terms.spread, terms.by_axis, design),
        None if mixed is None else partial(mixed, fitted),
    )
    return Found(
        effects=design.effects,
        fits=fits_table(mine, part, fitted),
        groups=groups_table(mine, design, atoms, fitted),
        people=people_table(mine, design, atoms, pull),
        blocks=list(blocks(tables, part.subset, part.rows, atoms.n, part.size - atoms.n)),
    )


def study_of(
    found: Sequence[Found], submissions: pl.DataFrame, terms: Terms, of: Mapping[str, str]
) -> RegressionStudy:
    """The parts put together; `of` has what is the same in every row: corpus, edition, mode."""
    every = [block for one in found for block in one.blocks]
    named = ((one.axis, one.name, one.second) for part in found for one in part.effects)
    return RegressionStudy(
        formula=str(terms.formula),
        effects=tuple(dict.fromkeys(named)),
        fits=pl.concat([pl.DataFrame(schema=FITS), *(one.fits for one in found)]),
        groups=pl.concat([one.groups for one in found], how="diagonal"),
        people=pl.concat([one.people for one in found], how="diagonal"),
        estimates=estimates_table(every, submissions, of),
    )
