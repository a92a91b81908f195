"""One submission's own numbers, embedded as compact text and read when it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.report.all_pairs import boxes_of, pair_counts, word_means
from tiltmeter.report.html.packing import Phrasebook, Rounding, places, signed
from tiltmeter.report.html.submissions import Submission
from tiltmeter.report.html.subsets import descriptions, subset_rows
from tiltmeter.report.material import Compared, Material
from tiltmeter.report.numbers import POINTS, SCALE, decimals
from tiltmeter.report.wording import hangs_on_one, rests_on, sides_between

Array = NDArray[np.float64]
Places = NDArray[np.int64]


def entries_of(
    material: Material,
    compared: Compared,
    mine: Sequence[Submission],
    keep: list[Places] | None,
    keep_people: list[Places] | None,
    book: Phrasebook,
) -> Iterator[dict[str, Any]]:
    """Each submission's own numbers."""
    _, means, _ = word_means(compared)
    subsets = subset_rows(material, compared)
    described = descriptions(material, compared)
    resting, contrasts = _resting(compared), _contrasts(compared)
    drawn = [boxes_of(compared, *key) for key in contrasts]
    for nth, one in enumerate(mine):
        which = slice(None) if keep is None else keep[nth]
        deltas = compared.deltas[one.row, which]
        level = (compared.first[one.row, which] + compared.second[one.row, which]) / 2
        low, high = _ends(level, one.unit)
        delta, cells = signed(deltas), signed(means[one.row])
        those = slice(None) if keep_people is None else keep_people[nth]
        apart = compared.deviations[one.row, those]
        people, (sizes, scores) = signed(apart), _roundings(one.unit, high - low)
        yield {
            "which": None if keep is None else places(keep[nth]),
            "deltas": delta.text, "step": delta.step,
            "low": low, "high": high,
            "cells": cells.text, "cellStep": cells.step,
            "people": people.text, "peopleStep": people.step,
            "those": None if keep_people is None else places(keep_people[nth]),
            "boxes": [_numbers(box[one.row]) for box in drawn],
            "said": {
                "deltas": book.places(np.abs(deltas), sizes),
                "first": book.places(compared.first[one.row, which], scores),
                "second": book.places(compared.second[one.row, which], scores),
                "cells": book.places(means[one.row], sizes),
                "people": book.places(apart, sizes),
                "boxes": [list(map(sizes.say, np.abs(box[one.row]).tolist())) for box in drawn],
            },
            "subsets": subsets[one.row],
            "described": described[one.row],
            "rests": [resting.get((one.system, one.task, *key), ("", False)) for key in contrasts],
        }  # fmt: skip


def _contrasts(compared: Compared) -> list[tuple[str, str]]:
    return pair_counts(compared).select("axis", "contrast").rows()


def _resting(compared: Compared) -> dict[tuple[str, ...], tuple[str, bool]]:
    """Whom each difference rests on, in a sentence, and whether most of it does.

    By system, task, axis and contrast.
    """
    if compared.pivots is None:
        return {}
    units = dict(zip(
        compared.submissions.select("system", "task").rows(), compared.submissions["unit"],
        strict=True,
    ))  # fmt: skip
    named = compared.pairs.select("axis", "contrast", "first", "second").unique().rows()
    groups = {(axis, contrast): (first, second) for axis, contrast, first, second in named}
    told: dict[tuple[str, ...], tuple[str, bool]] = {}
    for row in compared.pivots.filter(kind="").iter_rows(named=True):
        axis, contrast = str(row["axis"]), str(row["contrast"])
        first, second = groups[axis, contrast]
        sides = sides_between(compared, axis, first, second)
        key = str(row["system"]), str(row["task"])
        told[*key, axis, contrast] = rests_on(row, units[key], sides), hangs_on_one(row)
    return told


def _ends(level: Array, unit: str) -> tuple[float, float]:
    """The scale that a submission's scores lie on: 0 to 1, or its own range."""
    known = level[~np.isnan(level)]
    if unit == "scale" or not known.size:
        return 0.0, 1.0
    return float(known.min()), float(known.max())


def _roundings(unit: str, width: float) -> tuple[Rounding, Rounding]:
    """How differences and scores are said: in points, or in digits of the system's own range."""
    if unit == SCALE:
        return Rounding(POINTS), Rounding(POINTS, None, 1)
    return Rounding(), Rounding(1.0, None, decimals(width or 1.0, 3))


def _numbers(values: Array) -> list[float] | None:
    return None if np.isnan(values).any() else [float(f"{value:.5g}") for value in values]
