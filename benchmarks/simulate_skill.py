"""How often a difference in skill between groups is seen, where there is one and where not.

Simulated systems answer labelled texts of two groups alike, or worse or higher for the second. Run
with `python benchmarks/simulate_skill.py [RUNS]`; 200 runs by default, about half a minute. Where
the truth is 5 %, a share of 200 has a standard error of 1.5 %.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from tiltmeter.stats.bootstrap import percentile_interval, resample_counts
from tiltmeter.studies.skill.measure import UNITS, Sample

Array = NDArray[np.float64]

RUNS, RESAMPLES, NOISE, LEVEL = 200, 1_000, 0.15, 0.05
CASES = {
    "alike": (1.0, 0.0, 1.0),
    "alike, narrower gold": (1.0, 0.0, 0.5),
    "noise doubled": (2.0, 0.0, 1.0),
    "0.05 higher": (1.0, 0.05, 1.0),
}
"""For the second group: its noise, its shift and the spread of its gold, beside the first's."""


def texts(
    rng: np.random.Generator, n: int, noise: float = 1.0, shift: float = 0.0, width: float = 1.0
) -> Sample:
    gold = 0.5 + width * (rng.beta(2, 2, n) - 0.5)
    scores: Array = (gold + shift + rng.normal(0, NOISE * noise, n))[None, :]
    return Sample(scores, scores, gold)


def outside(sides: tuple[Sample, Sample], seed: int) -> list[bool]:
    """By measure: whether the interval of the difference does not hold 0."""
    kept: dict[str, list[Array]] = {name: [] for name in UNITS}
    for counts in resample_counts([len(side.gold) for side in sides], RESAMPLES, seed):
        own, other = (side.draws(drawn) for side, drawn in zip(sides, counts, strict=True))
        for name in UNITS:
            kept[name].append(own[name] - other[name])
    ends = [percentile_interval(np.hstack(kept[name]), LEVEL) for name in UNITS]
    return [not low[0] <= 0 <= high[0] for low, high in ends]


def shares(case: tuple[float, float, float], n: int, runs: int) -> Array:
    rng = np.random.default_rng(n)
    found = [outside((texts(rng, n), texts(rng, n, *case)), seed) for seed in range(runs)]
    mean: Array = np.mean(np.array(found, np.float64), axis=0)
    return mean


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    table = Table(title=f"Intervals that do not hold 0, of {runs:,} runs")
    for column in ("second group", "texts each", *UNITS):
        table.add_column(column, justify="left" if column == "second group" else "right")
    for name, case in CASES.items():
        for n in (50, 200):
            table.add_row(name, str(n), *(f"{share:.1%}" for share in shares(case, n, runs)))
    Console().print(table)


if __name__ == "__main__":
    main()
