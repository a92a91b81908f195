"""Test–retest in words: how much a system's answers waver, and what that does to its tilt."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.material import Material
from tiltmeter.report.numbers import points, short

OF_ONE = ("system", "task", "corpus", "edition")
MOST = 12
"""Systems that are told of; the numbers of all are in the files."""


def noise_told(material: Material) -> list[str]:
    """A sentence for each system that was asked more than once, the noisiest first."""
    return [said for _, said in sorted(_noise(material), key=lambda one: -one[0])[:MOST]]


def _noise(material: Material) -> Iterator[tuple[float, str]]:
    if material.labels is None:
        return
    found = material.labels.filter(pl.col("measure").is_in(["retest", "retest_sd"]))
    for (system, task, corpus, _), part in found.group_by(OF_ONE, maintain_order=True):
        added, spread = (part.filter(measure=name) for name in ("retest", "retest_sd"))
        if added.is_empty() or spread.is_empty():
            continue
        named = f"{system} ({task}, {corpus})"
        yield float(spread["value"][0]), _sentence(named, added, spread.row(0, named=True))


def _sentence(named: str, added: pl.DataFrame, spread: dict[str, object]) -> str:
    """How far answers to one sentence stand apart, and what that adds to each difference."""
    told = points if spread["unit"] == "scale" else short
    unit = "points" if spread["unit"] == "scale" else "of its own units"
    rounds, sd = added["n"][0], float(str(spread["value"]))
    if not sd:
        return f"{named} was asked {rounds} times and answered the same each time."
    by_axis = ", ".join(
        f"{told(value)} for {axis}" for axis, value in added.select("axis", "value").rows()
    )
    return (
        f"{named} was asked {rounds} times. Its answers to the same sentence differ by {told(sd)} "
        f"{unit} (standard deviation); that alone adds to the standard error of the mean "
        f"difference {by_axis}. Both intervals hold it already."
    )
