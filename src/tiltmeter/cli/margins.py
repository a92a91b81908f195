"""Margins as a user gives them: `--margin 0.01`, `--margin race=0.02`, and those of a gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.corpora import Corpus
    from tiltmeter.findings import Gate


EVERY = "*"
"""Every axis, in a gate."""
ALL = "default"
"""What the margin of all axes that have none of their own is called."""


def margins_said(given: Sequence[str]) -> dict[str, float]:
    """The margins of `--margin`, by axis; the one for all the others under `default`.

    >>> margins_said(["0.02", "race=0.03"])
    {'default': 0.02, 'race': 0.03}
    """
    from tiltmeter.errors import TiltmeterError

    found: dict[str, float] = {}
    for entry in dict.fromkeys(given):
        axis, equals, number = (part.strip() for part in entry.rpartition("="))
        name = axis if equals else ALL
        if name in found or (equals and not axis):
            what = "expected one for all axes and one for each, as in 0.01 race=0.02"
            raise TiltmeterError(f"--margin is given as {' and '.join(given)}; {what}")
        found[name] = _margin(number, entry)
    return found


def _margin(number: str, entry: str) -> float:
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.findings import margin_given

    try:
        return margin_given(float(number), f"--margin {entry}")
    except ValueError:
        what = f"--margin is {entry!r}; expected a part of the scale, as in 0.01 or race=0.02"
        raise TiltmeterError(what) from None


def with_gate(
    given: float | Mapping[str, float] | None, gate: Gate | None, corpora: Sequence[Corpus]
) -> float | dict[str, float] | None:
    """The margins that an audit is judged by: those given and those of its gate; None: the usual.

    What both name they must say alike: a page and its gate do not differ.
    """
    by_name = dict(given) if isinstance(given, Mapping) else {} if given is None else {ALL: given}
    _check_axes(by_name, corpora)
    for limit in gate.limits if gate else ():
        name = ALL if limit.name == EVERY else limit.name
        by_name.setdefault(name, limit.margin)
    if gate:
        _check_alike(by_name, gate)
    return _by_axis(by_name, corpora)


def _check_alike(by_name: Mapping[str, float], gate: Gate) -> None:
    """Raise where the gate holds what has a margin to another one."""
    from tiltmeter.errors import TiltmeterError

    for name, margin in by_name.items():
        axis, _, contrast = name.partition(":")
        limit = gate.limit(EVERY if name == ALL else axis, contrast)
        if limit is not None and limit.margin != margin:
            what = f"the margin of {'every axis' if name == ALL else name} is {margin:g}"
            raise TiltmeterError(f"{what}, and the gate says {limit}; expected only one of them")


def _check_axes(by_name: Mapping[str, float], corpora: Sequence[Corpus]) -> None:
    from tiltmeter.errors import TiltmeterError, did_you_mean

    axes = list(dict.fromkeys(axis.name for corpus in corpora for axis in corpus.axes))
    for name in by_name:
        axis = name.partition(":")[0]
        if name != ALL and axis not in axes:
            near = did_you_mean(axis, axes) or f"the axes are {', '.join(axes)}"
            raise TiltmeterError(f"a margin is given for {axis!r}, which is no axis here: {near}")


def _by_axis(
    by_name: dict[str, float], corpora: Sequence[Corpus]
) -> float | dict[str, float] | None:
    """One number where it is for every axis, else a margin for each."""
    if ALL not in by_name:
        return by_name or None
    every = by_name.pop(ALL)
    if not by_name:
        return every
    return {axis.name: every for corpus in corpora for axis in corpus.axes} | by_name
