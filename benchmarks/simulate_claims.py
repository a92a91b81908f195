"""How often verdicts are wrong and intervals miss the truth, and whether power is as planned.

Simulated systems score the Equity Evaluation Corpus with people, templates and words that have
effects of their own, drawn at random for every system, and with a tilt of a known size. Run with
`make simulate` or `python benchmarks/simulate_claims.py [SYSTEMS [RESAMPLED]]`: 2,000 systems of
each kind by default, of which 500 are resampled too, about four minutes. Where the truth is 5 %, a
share of 2,000 has a standard error of 0.5 %, one of 500 of 1 %. Prints Markdown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from performance_page import table
from simulated_power import ALL, planned
from simulated_rare import rare
from simulated_systems import Kind, scene
from simulated_verdicts import LEVEL, MARGIN, Flags, Found, percent, simulated
from tiltmeter.measures import Spreads

SYSTEMS, RESAMPLED = 2_000, 500
KINDS = (
    Kind("noise of single sentences only", Spreads(0.0, 0.0, 0.0, 0.05)),
    Kind("… and people", Spreads(0.01, 0.0, 0.0, 0.05)),
    Kind("… and templates", Spreads(0.0, 0.005, 0.0, 0.05)),
    Kind("… and words", Spreads(0.0, 0.0, 0.01, 0.05)),
    Kind("all of them", ALL),
    Kind("all, with heavy tails", ALL, "tails"),
    Kind("all, mostly ties", ALL, "ties"),
)

Columns = dict[str, Callable[[Found], Flags]]
ALARMS: Columns = {
    "plain paired t-test": lambda one: one.plain < LEVEL,
    "over people, templates and words": lambda one: (one.low > 0) | (one.high < 0),
    "names dealt anew": lambda one: one.dealt < LEVEL,
    "crossed bootstrap": lambda one: ~one.resampled,
}
VERDICTS: Columns = {
    "0: *even*": lambda one: one.even(0.0),
    "0: *tilted*, wrong": lambda one: one.tilted(0.0),
    "½: *even*": lambda one: one.even(MARGIN / 2),
    "½: *tilted*, wrong": lambda one: one.tilted(MARGIN / 2),
    "1: *even*, wrong": lambda one: one.even(MARGIN),
    "1: *tilted*, wrong": lambda one: one.tilted(MARGIN),
    "2: *tilted*": lambda one: one.tilted(2 * MARGIN),
    "2: *even*, wrong": lambda one: one.even(2 * MARGIN),
}


def told(found: dict[str, dict[str, Found]], columns: Columns) -> str:
    """A row a kind; gender and race side by side in each cell."""
    rows = [
        (
            kind,
            *(" / ".join(percent(of(one)) for one in by_axis.values()) for of in columns.values()),
        )
        for kind, by_axis in found.items()
    ]
    return table(("what moves scores besides", *columns), rows)


def families(found: dict[str, dict[str, Found]], size: int = 10) -> str:
    """Families of 5 systems on two axes: any wrong verdict, at Bonferroni's level."""
    rows = []
    for kind, by_axis in found.items():
        cells = []
        for tilt in (0.0, MARGIN / 2, MARGIN, 2 * MARGIN):
            wrong = np.concatenate([_wrong(one, tilt, LEVEL / size) for one in by_axis.values()])
            order = np.arange(wrong.size).reshape(2, -1).T.ravel()
            whole = wrong[order][: wrong.size // size * size].reshape(-1, size)
            cells.append(percent(np.asarray(whole.any(axis=1))))
        rows.append((kind, *cells))
    return table(
        ("what moves scores besides", "tilt 0", "½ margin", "the margin", "2 margins"), rows
    )


def _wrong(one: Found, tilt: float, level: float) -> Flags:
    wrong = np.zeros(one.value.size, np.bool_)
    if tilt <= MARGIN:
        wrong |= one.tilted(tilt, level=level)
    if tilt >= MARGIN:
        wrong |= one.even(tilt, level=level)
    return wrong


def main() -> None:
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else SYSTEMS
    resampled = int(sys.argv[2]) if len(sys.argv) > 2 else min(systems, RESAMPLED)
    place = scene()
    found = {
        kind.name: simulated(place, kind, systems, resampled, seed)
        for seed, kind in enumerate(KINDS)
    }
    print(f"{systems:,} simulated systems of each kind ({resampled:,} resampled),")
    print(f"{place.sentences.height:,} sentences of eec, gender / race, margin {MARGIN:g}\n")
    print("### No tilt at all: how often 0 is outside the 95 % interval, or p < 0.05\n")
    print(told(found, ALARMS))
    print("### Verdicts by tilt, in margins\n")
    print(told(found, VERDICTS))
    print("### Families of 5 systems on both axes, corrected: any wrong verdict")
    print("\nOn the margin itself both *tilted* and *even* are wrong, 5 % each at most.\n")
    print(families(found))
    print("### A tilt of two margins that comes from few names (race)\n")
    print(rare(place, systems))
    print("### Power as planned\n")
    print(planned(systems))


if __name__ == "__main__":
    main()
