"""A plan's table: what each system could be told to do on each contrast, and what that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.findings import Margins, Reach, reach, uncertainty
from tiltmeter.flow.planned_noise import SOURCES, Noise
from tiltmeter.measures import spreads_of

NUMBERS = ("margin", *(f"sd_{name}" for name in SOURCES), "se", "df", "tilted_from", "even_within")
COUNTS = ("pairs", "people", "templates", "words")
NEEDS = ("needed_people", "needed_templates", "both_people", "both_templates")
SCHEMA = (
    dict.fromkeys(("system", "task", "axis", "contrast"), pl.String)
    | dict.fromkeys(COUNTS, pl.Int64)
    | dict.fromkeys(NUMBERS, pl.Float64)
    | dict.fromkeys(NEEDS, pl.Int64)
    | {"reason": pl.String}
)


def planned_table(
    found: Sequence[Noise], margins: Margins, level: float, power: float
) -> pl.DataFrame:
    """A row for each system and contrast."""
    contrasts = [one.design.contrast for one in found]
    margin = np.array([margins.of(one.axis, one.name) for one in contrasts])
    made = uncertainty(
        [one.se for one in found], [one.errors for one in found], [one.df for one in found]
    )
    known = np.array([one.reason is None for one in found])
    reached = reach(made, margin, level, power)
    rows = [
        _row(one, float(margin[at]), reached if known[at] else None, at)
        for at, one in enumerate(found)
    ]
    return pl.DataFrame(rows, SCHEMA)


def _row(one: Noise, margin: float, reached: Reach | None, at: int) -> dict[str, Any]:
    design, contrast = one.design, one.design.contrast
    sds = astuple(spreads_of(design, one.errors)) if reached else (None,) * len(SOURCES)
    told = {
        "system": one.system, "task": one.task, "axis": contrast.axis, "contrast": contrast.name,
        "margin": margin, "pairs": design.pairs, "people": design.people,
        "templates": design.templates, "words": design.words,
        **{f"sd_{name}": sd for name, sd in zip(SOURCES, sds, strict=True)},
    }  # fmt: skip
    numbers = {
        name: float(getattr(reached, name)[at]) if reached else None
        for name in ("se", "df", "tilted_from", "even_within")
    }
    return {**told, **numbers, **_needs(one, reached, at), "reason": one.reason}


def _needs(one: Noise, reached: Reach | None, at: int) -> dict[str, int | None]:
    """People in each group and templates, alone and together; nothing where none would do."""
    people, templates, both = (
        float(getattr(reached, name)[at]) if reached else np.nan
        for name in ("people", "templates", "both")
    )
    there = one.design.people, one.design.templates
    return {
        "needed_people": _units(people, there[0]),
        "needed_templates": _units(templates, there[1]),
        "both_people": _units(both, there[0]),
        "both_templates": _units(both, there[1]),
    }


def _units(times: float, there: int) -> int | None:
    return None if np.isnan(times) else int(np.ceil(times * there - 1e-3))
