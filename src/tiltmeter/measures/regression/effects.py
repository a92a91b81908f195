"""What tables of coefficients list: every group of every axis, and of their products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.regression.coding import Coding
from tiltmeter.measures.regression.formula import Formula

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effect:
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


def effects_of(
    formula: Formula, by_axis: Mapping[str, Coding], groups: pl.DataFrame, width: int
) -> tuple[Effect, ...]:
    """What the tables list: every group of every term."""
    found, begin = list[Effect](), 1
    for term in formula.terms:
        parts = [by_axis[axis] for axis in term]
        size = int(np.prod([part.values.shape[1] for part in parts]))
        for named in product(*(part.named for part in parts)):
            coefficient = np.zeros(width)
            coefficient[begin : begin + size] = reduce(_kron, [one.columns for one in named])
            spread = [one.groups for one in named]
            whole = [one.groups + one.against for one in named]
            against = [one.against for one in named]
            total = _over(term, parts, whole, groups) - _over(term, parts, against, groups)
            found.append(
                Effect(
                    axis=":".join(term),
                    name=":".join(one.contrast for one in named),
                    second=":".join(one.reference for one in named),
                    coefficient=coefficient,
                    groups=_over(term, parts, spread, groups),
                    total=total if len(term) > 1 else None,
                )
            )
        begin += size
    return tuple(found)


def _over(
    term: Sequence[str], parts: Sequence[Coding], weights: Sequence[Array], groups: pl.DataFrame
) -> Array:
    """Weights of some axes' groups as weights of whole groups, even over the other axes."""
    found = np.ones(groups.height)
    for axis, part, weight in zip(term, parts, weights, strict=True):
        found = found * weight[[part.groups.index(name) for name in groups[axis]]]
    others = groups.height / np.prod([len(part.groups) for part in parts])
    return found / others


def _kron(left: Array, right: Array) -> Array:
    return np.asarray(np.kron(left, right), np.float64)
