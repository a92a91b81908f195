"""Lines on labels for the terminal: only where some pair changes its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.report.flip_wording import changed, which_way
from tiltmeter.report.html.flips import thresholds_of
from tiltmeter.report.material import Material
from tiltmeter.report.tables.flips import label_flips
from tiltmeter.report.wording import Sides, sides_between

FEW = 6
"""Lines; of more comparisons only the largest is told."""


def label_lines(material: Material) -> list[tuple[str, str]]:
    """Who, and how many of its pairs change label; of many comparisons, one line for all."""
    if material.labels is None or material.labels.is_empty():
        return []
    every = label_flips(material).filter(subset="all")
    some = every.filter(every["flips"] > 0).sort("flips", descending=True, maintain_order=True)
    apart = [*(name for name in ("corpus", "task") if every[name].n_unique() > 1), "axis"]
    told = [
        (row["system"], f"{', '.join(row[name] for name in apart)}: {_line(material, row)}")
        for row in some.iter_rows(named=True)
    ]
    if len(told) <= FEW:
        return told
    system, line = told[0]
    where = f"{len(told):,} of {every.height:,} comparisons"
    return [("labels", f"some pair changes its label in {where}; most for {system}, {line}")]


def _line(material: Material, row: Mapping[str, Any]) -> str:
    groups = row["contrast"].removesuffix(f"-{row['reference']}"), row["reference"]
    found = (
        sides_between(one, row["axis"], *groups)
        for one in material.compared
        if (one.name, one.edition) == (row["corpus"], row["edition"])
    )
    sides = next(found, Sides(*groups))
    return f"{changed(row)}: {which_way(row, sides, len(thresholds_of(material)) > 1)}"
