"""Groups of an axis as numbers: beside a reference group, or beside the average of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.measures.contrasts import check_average, is_beside_average
from tiltmeter.schemas import AVERAGE

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Named:
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
    named: tuple[Named, ...]


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
    if reference is None:
        check_average(axis, groups)
    many = len(groups)
    others = [group for group in groups if group != reference]
    one = dict(zip(groups, np.eye(many), strict=True))
    if reference is None:
        values = np.vstack([np.eye(many - 1), -np.ones(many - 1)])
        even = np.full(many, 1.0 / many)
        beside = [
            Named(f"{group}-{AVERAGE}", AVERAGE, values[at], one[group] - even, even)
            for at, group in enumerate(groups)
        ]
        return Coding(axis, tuple(groups), values, tuple(beside))
    values = np.column_stack([one[group] for group in others])
    beside = [
        Named(f"{group}-{reference}", reference, unit, one[group] - one[reference], one[reference])
        for group, unit in zip(others, np.eye(many - 1), strict=True)
    ]
    return Coding(axis, tuple(groups), values, tuple(beside))


def codings(
    axes: Mapping[str, Sequence[str]],
    reference: Mapping[str, str],
    *,
    no_reference: bool,
    all_pairs: bool = False,
) -> dict[str, Coding]:
    """Every axis' coding.

    The reference group is the one named, else the axis' last, which is what the earlier ones are
    compared with in the paired study too; with `no_reference` only named ones count. So they do on
    axes whose groups the paired study compares with the average of all, unless `all_pairs`.
    """
    return {
        axis: coding_of(
            axis,
            groups,
            reference.get(
                axis,
                None
                if no_reference or is_beside_average(groups, all_pairs=all_pairs)
                else groups[-1],
            ),
        )
        for axis, groups in axes.items()
    }
