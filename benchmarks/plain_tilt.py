"""The tilt over people, templates and words, as plain Python writes it from the definitions.

The peer of `claims.py`, and a second opinion: nothing of Tiltmeter's own arithmetic is used. Names
are sorted and draws are made in a fixed order, so that the same seed gives the same draws: strata
of people by name (single pairs first), then templates, then words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures import Contrast

Array = NDArray[np.float64]
Key = tuple[str, ...]
Pair = tuple[list[int], list[int], Key]
"""Sentences of the first and of the second group, and (frame, match, template, word)."""
Drawn = tuple[dict[object, int], dict[object, int], dict[object, int]]
"""How often each person, template and word was drawn."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One pair of noun phrases, or one name, in one frame: what it adds and of whom it is."""

    numbers: list[list[float]]
    """For every system."""
    counts: list[float]
    unit: list[Key]
    template: list[str]
    word: list[str]
    strata: list[list[Key]]
    """The units drawn among each other, sorted."""


def pairs_of(rows: list[dict[str, str | None]], contrast: Contrast) -> list[Pair]:
    """Who stands against whom, frame by frame and match by match."""
    found: dict[tuple[str, str], Pair] = {}
    for nth, row in enumerate(rows):
        frame, match = str(row["frame"]), str(row["match"])
        word = row["emotion_word"] or f"frame {frame}"
        key = (frame, match, str(row["template"]), word)
        first, second, _ = found.setdefault((frame, match), ([], [], key))
        if row[contrast.axis] == contrast.first:
            first.append(nth)
        elif row[contrast.axis] == contrast.second:
            second.append(nth)
    return [pair for pair in found.values() if pair[0] and pair[1]]


def plain_cells(
    sentences: pl.DataFrame, values: Array, contrast: Contrast, axes: Sequence[str]
) -> Cells:
    """Every cell; `values` is (systems, sentences)."""
    rows, others = sentences.to_dicts(), [axis for axis in axes if axis != contrast.axis]
    numbers: list[Array] = []
    made = Cells([], [], [], [], [], [])
    for first, second, (_, match, template, word) in pairs_of(rows, contrast):
        if len(first) == 1 and len(second) == 1:
            numbers.append(values[:, first[0]] - values[:, second[0]])
            _add(made, 1.0, (match,), template, word)
            continue
        for side, name, sign in ((first, "first", 1.0), (second, "second", -1.0)):
            for nth in side:
                cell = "/".join(str(rows[nth][axis] or "") for axis in others)
                unit = (match, name, cell, str(rows[nth]["person"]))
                numbers.append(sign * values[:, nth] / len(side))
                _add(made, 0.5 / len(side), unit, template, word)
    made.numbers.extend(np.array(numbers).T.tolist())
    made.strata.extend(_strata(made.unit))
    return made


def _add(made: Cells, count: float, unit: Key, template: str, word: str) -> None:
    made.counts.append(count)
    made.unit.append(unit)
    made.template.append(template)
    made.word.append(word)


def _strata(units: list[Key]) -> list[list[Key]]:
    """Pairs of noun phrases, then the names of each match, side and cell."""
    strata: dict[Key, list[Key]] = defaultdict(list)
    for unit in sorted(set(units)):
        strata[() if len(unit) == 1 else unit[:3]].append(unit)
    return [strata[key] for key in sorted({(), *strata})]


def _draws(cells: Cells, resamples: int, rng: np.random.Generator) -> list[Drawn]:
    """For each resample how often every unit, template and word was drawn."""
    lists: list[Sequence[object]] = [
        *cells.strata,
        sorted(set(cells.template)),
        sorted(set(cells.word)),
    ]
    tables = [_drawn(len(names), resamples, rng) for names in lists]
    made: list[Drawn] = []
    for nth in range(resamples):
        each = [
            dict(zip(names, table[nth].tolist(), strict=True))
            for names, table in zip(lists, tables, strict=True)
        ]
        units = {unit: many for some in each[:-2] for unit, many in some.items()}
        made.append((units, each[-2], each[-1]))
    return made


def _drawn(many: int, resamples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    if many < 2:
        return np.ones((resamples, many), np.int64)
    return rng.multinomial(many, [1 / many] * many, resamples)


def resampled(
    cells: Cells, system: int, resamples: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Value, standard error and 95 % interval, by a loop over cells in every resample."""
    numbers = cells.numbers[system]
    means = []
    for units, templates, words in _draws(cells, resamples, rng):
        total = size = 0.0
        for at, number in enumerate(numbers):
            weight = units[cells.unit[at]] * templates[cells.template[at]] * words[cells.word[at]]
            total += weight * number
            size += weight * cells.counts[at]
        means.append(total / size if size else float("nan"))
    return _told(cells, system, means)


def resampled_with_numpy(
    cells: Cells, system: int, resamples: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """The same with arrays in place of the inner loop."""
    orders: list[dict[object, int]] = [
        {name: at for at, name in enumerate(names)}
        for names in (
            [unit for some in cells.strata for unit in some],
            sorted(set(cells.template)),
            sorted(set(cells.word)),
        )
    ]
    given: list[Sequence[object]] = [cells.unit, cells.template, cells.word]
    places = [
        np.array([order[one] for one in some]) for order, some in zip(orders, given, strict=True)
    ]
    numbers, counts = np.array(cells.numbers[system]), np.array(cells.counts)
    means = []
    for drawn in _draws(cells, resamples, rng):
        arrays = [
            np.array([one[name] for name in order])
            for one, order in zip(drawn, orders, strict=True)
        ]
        weight = arrays[0][places[0]] * arrays[1][places[1]] * arrays[2][places[2]]
        size = weight @ counts
        means.append(float(weight @ numbers / size) if size else float("nan"))
    return _told(cells, system, means)


def _told(cells: Cells, system: int, means: list[float]) -> tuple[float, ...]:
    value = sum(cells.numbers[system]) / sum(cells.counts)
    low, high = np.nanquantile(means, [0.025, 0.975])
    return value, float(np.nanstd(means, ddof=1)), float(low), float(high)


def dealt_p(cells: Cells, system: int, deals: int, rng: np.random.Generator) -> float:
    """The permutation p-value: names dealt anew within match and cell, pairs turned."""
    singles: dict[Key, float] = defaultdict(float)
    sums: dict[Key, float] = defaultdict(float)
    for unit, number, count in zip(cells.unit, cells.numbers[system], cells.counts, strict=True):
        if len(unit) == 1:
            singles[unit] += number
        else:
            sign = 1.0 if unit[1] == "first" else -1.0
            sums[unit] += sign * number / (2 * count)  # the score itself
    share = _shares(cells)
    groups: dict[Key, list[Key]] = defaultdict(list)
    for unit in sums:
        groups[unit[0], unit[2]].append(unit)
    pairs, seen = list(singles.values()), abs(_dealt(list(singles.values()), sums, share))
    hits = 1
    for _ in range(deals):
        turned = [
            one * sign for one, sign in zip(pairs, rng.choice([-1, 1], len(pairs)), strict=True)
        ]
        labels: dict[Key, float] = {}
        for some in groups.values():
            order = rng.permutation(len(some))
            labels |= {unit: share[some[at]] for unit, at in zip(some, order, strict=True)}
        hits += abs(_dealt(turned, sums, labels)) >= seen * (1 - 1e-9)
    return hits / (1 + deals)


def _shares(cells: Cells) -> dict[Key, float]:
    return {
        unit: (2 * count if unit[1] == "first" else -2 * count)
        for unit, count in zip(cells.unit, cells.counts, strict=True)
        if len(unit) > 1
    }


def _dealt(pairs: list[float], sums: dict[Key, float], labels: dict[Key, float]) -> float:
    return sum(pairs) + sum(labels[unit] * total for unit, total in sums.items())
