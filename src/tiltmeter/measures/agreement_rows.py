"""One task's agreement laid out: all texts together, the groups, then their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.intervals import Bootstrap
from tiltmeter.measures.sample import UNITS, Array, Numbers, Sample
from tiltmeter.measures.stats.bootstrap import UNDEFINED, resample_counts

Places = NDArray[np.int64]
Row = dict[str, Any]
BOTH = ("value", "draws")
OTHERS = "others"
"""What a group stands against where there are more than two."""


@dataclass(frozen=True, slots=True)
class Part:
    """One task's systems and texts, and how its texts fall into groups."""

    keys: pl.DataFrame
    """system and task."""
    sample: Sample
    gold: str
    """What the gold is called."""
    no_scale: str
    """Why a system may have no scores from 0 to 1."""
    groups: Mapping[str, Places]
    """The texts of each, in order of appearance; none: only all texts together."""

    @property
    def contrasts(self) -> int:
        """How many differences there are for each system."""
        return len(self.groups) if len(self.groups) > 2 else len(self.groups) // 2


@dataclass(frozen=True, slots=True)
class Side:
    """Some of the texts: every measure, as it is and in every resample."""

    sample: Sample
    value: Numbers
    draws: Numbers


def agreement_rows(part: Part, how: Bootstrap, family: int) -> Iterator[Row]:
    """All texts together, then the groups, then their differences."""
    everything = [np.arange(len(part.sample.gold))]
    whole, _ = _sides(part.sample, everything, 0, how)
    yield from _number_rows(part, whole, how, None)
    differences = list[Row]()
    names, places = list(part.groups), list(part.groups.values())
    for nth in range(1 if len(names) == 2 else len(names)):
        own, others = _sides(part.sample, places, nth, how)
        yield from _number_rows(part, own, how, names[nth])
        if len(names) == 2:
            yield from _number_rows(part, others, how, names[1])
        if len(names) > 1:
            against = names[1] if len(names) == 2 else OTHERS
            differences += _difference_rows(part, (own, others), how, family, names[nth], against)
    yield from differences


def _sides(sample: Sample, places: Sequence[Places], nth: int, how: Bootstrap) -> tuple[Side, Side]:
    """The texts of one place and of all others, drawn again each place by itself."""
    rest = [place for other, place in enumerate(places) if other != nth]
    both = sample.at(places[nth]), sample.at(np.concatenate([np.arange(0), *rest]))
    found = [list[Numbers](), list[Numbers]()]
    for counts in resample_counts([len(place) for place in places], how.resamples, how.seed):
        own = counts.pop(nth)
        for side, drawn, kept in zip(both, (own, _stacked(counts, own)), found, strict=True):
            kept.append(side.draws(drawn))
    own_side, others = (
        Side(side, side.numbers(), _joined(kept)) for side, kept in zip(both, found, strict=True)
    )
    return own_side, others


def _stacked(counts: Sequence[Array], own: Array) -> Array:
    return np.concatenate([np.empty((0, own.shape[1])), *counts])


def _joined(chunks: Sequence[Numbers]) -> Numbers:
    return {name: np.concatenate([one[name] for one in chunks], axis=1) for name in UNITS}


# ---------------------------------------------------------------- rows


def _number_rows(part: Part, side: Side, how: Bootstrap, group: str | None) -> Iterator[Row]:
    """A row for each system and measure of some texts."""
    ends = {name: how.interval(side.draws[name]) for name in UNITS}
    n, sd, total = side.sample.n, side.sample.gold_sd, len(side.sample.gold)
    for row, (system, task) in enumerate(part.keys.rows()):
        about = {"system": system, "task": task, "gold": part.gold, "group": group}
        counted = {"n": int(n[row]), "n_missing": total - int(n[row]), "gold_sd": _known(sd[row])}
        for name, unit in UNITS.items():
            value, low, high = (one[row] for one in (side.value[name], *ends[name]))
            why = _why(part, side, row, name) if np.isnan(value) else _no_interval(low)
            number = _number(value, low, high)
            yield about | counted | {"measure": name, "unit": unit, "reason": why} | number


def _difference_rows(
    part: Part, sides: tuple[Side, Side], how: Bootstrap, family: int, group: str, against: str
) -> Iterator[Row]:
    """A row for each system and measure: how far the first texts stand from the second."""
    own, others = sides
    n, n_against = own.sample.n, others.sample.n
    for name, unit in UNITS.items():
        values, draws = (getattr(own, of)[name] - getattr(others, of)[name] for of in BOTH)
        ends, wider = how.interval(draws), how.adjusted(draws, family)
        for row, (system, task) in enumerate(part.keys.rows()):
            value, low, high = (one[row] for one in (values, *ends))
            empty = own if np.isnan(own.value[name][row]) else others
            whose = group if empty is own else against
            why = f"{whose}: {_why(part, empty, row, name)}" if np.isnan(value) else None
            yield {
                "system": system, "task": task, "gold": part.gold, "group": group,
                "against": against, "measure": name, "unit": unit, "n": int(n[row]),
                "n_against": int(n_against[row]), "reason": why or _no_interval(low),
                **_number(value, low, high, *(one[row] for one in wider)),
            }  # fmt: skip


def _why(part: Part, side: Side, row: int, measure: str) -> str:
    return side.sample.why_not(row, measure, part.no_scale)


def _no_interval(low: float) -> str | None:
    if not np.isnan(low):
        return None
    return f"no interval: more than {100 * UNDEFINED:g} % of the resamples give no number"


def _number(value: float, *ends: float) -> Row:
    """The value and its intervals, null where there is none; no value, no interval."""
    names = ("low", "high", "low_adjusted", "high_adjusted")
    kept = [None if np.isnan(value) else _known(end) for end in ends]
    return {"value": _known(value), **dict(zip(names, kept, strict=False))}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
