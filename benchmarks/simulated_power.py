"""Planned power beside the share of simulated systems that got the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from performance_page import table
from simulated_systems import Kind, scene
from simulated_verdicts import LEVEL, MARGIN, Found, percent, simulated
from tiltmeter.findings import uncertainty
from tiltmeter.findings.enlarging import Uncertainty, enlarged
from tiltmeter.findings.power import power_even, power_tilted
from tiltmeter.measures import Spreads, design_of, expected_errors

SURELY_NOT, SURELY = 0.05, 0.985
"""Powers that say little beyond themselves."""
ALL = Spreads(0.01, 0.005, 0.01, 0.05)


@dataclass(frozen=True, slots=True)
class Setting:
    """A question put to the plan: of which kind, on which part of the corpus."""

    kind: Kind
    people: float = 1.0
    """Of the names in each group, and of the noun phrases."""


SETTINGS = (
    Setting(Kind("people 1, noise 5", Spreads(0.01, 0.0, 0.0, 0.05))),
    Setting(Kind("people 1, templates 0.5, words 1, noise 5", ALL)),
    Setting(Kind("people 1, templates 1, words 1, noise 5", Spreads(0.01, 0.01, 0.01, 0.05))),
    Setting(Kind("people 0.2, templates 1, noise 2", Spreads(0.002, 0.01, 0.0, 0.02))),
    Setting(Kind("the second, with half the names and noun phrases", ALL), people=0.5),
)


def planned(systems: int) -> str:
    """Planned power beside the share of simulated systems that got the verdict."""
    rows: list[tuple[str, ...]] = []
    whole = scene()
    for seed, setting in enumerate(SETTINGS, start=500):
        part = scene(_fewer(whole.sentences, setting.people))
        found = simulated(part, setting.kind, systems, 0, seed)
        for contrast in whole.contrasts:
            design = design_of(whole.sentences, contrast, whole.axes)
            se, errors = expected_errors(design, setting.kind.spreads)
            made = uncertainty([se], [errors], [design.df])
            rows += _beside(setting, found[contrast.axis], made, contrast.axis)
    columns = ("standard deviations, points", "axis", "question", "planned", "simulated")
    return table(columns, rows)


def _beside(
    setting: Setting, one: Found, made: Uncertainty, axis: str
) -> Iterator[tuple[str, ...]]:
    """Questions whose answer is not plain beforehand."""
    (se,), (df,) = enlarged(made, setting.people, 1.0)
    asked = [
        (f"tilt 0, *even* within {100 * margin:g}", power_even(0.0, se, df, margin, LEVEL),
         one.even(0.0, margin))
        for margin in (0.01, 0.02)
    ] + [
        (f"tilt {100 * tilt:g}, *tilted* beyond 1", power_tilted(tilt, se, df, MARGIN, LEVEL),
         one.tilted(tilt))
        for tilt in (0.02, 0.03)
    ]  # fmt: skip
    for question, power, flags in asked:
        if SURELY_NOT < power < SURELY:
            yield setting.kind.name, axis, question, f"{100 * power:.0f} %", percent(flags)


def _fewer(sentences: pl.DataFrame, part: float) -> pl.DataFrame:
    """Some of the names of every group and cell, and some of the pairs of noun phrases."""
    if part == 1.0:
        return sentences
    unit = pl.when(pl.col("match") == "names").then("person").otherwise("match")
    units = sentences.select("gender", "race", "match", unit=unit).unique(maintain_order=True)
    names = units.filter(pl.col("match") == "names").group_by("gender", "race", maintain_order=True)
    pairs = units.filter(pl.col("match") != "names")["unit"].unique(maintain_order=True)
    kept = [one for _, some in names for one in _first(some["unit"], part)] + _first(pairs, part)
    return sentences.filter(unit.is_in(kept))


def _first(names: pl.Series, part: float) -> list[str]:
    return list(names)[: round(part * len(names))]
