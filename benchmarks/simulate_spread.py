"""How far a short list of names mis-states the spread of a system's name effects.

Lists of ten names a cell are drawn from all Black and White names of `names-us`, each bearer alike,
and each is asked for the spread of its names, with the bounds that `tiltmeter plan` shows. Prints
Markdown. `python benchmarks/simulate_spread.py [LISTS [NAMES]]`, 300 lists of 10 by default, a
minute once `simulate_claims.py` has scored the names.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from census_scores import census
from performance_page import table
from tiltmeter.stats.survey import mean_bounds

LISTS, NAMES = 300, 10
CELLS = [(race, gender) for race in ("Black", "White") for gender in ("female", "male")]


def main() -> None:
    lists = int(sys.argv[1]) if len(sys.argv) > 1 else LISTS
    many = int(sys.argv[2]) if len(sys.argv) > 2 else NAMES
    known, rng = census(), np.random.default_rng(1)
    bearers = known.people["bearers"].to_numpy().astype(np.float64)
    spoken = known.frames["emotion_word"].is_not_null().to_numpy()
    rows = []
    for system, scores in zip(known.systems, known.scores, strict=True):
        frames = scores.mean(axis=0)
        effects = (scores - frames).mean(axis=1)
        moves = float(frames[spoken].std())
        cells = []
        for race, gender in CELLS:
            there = (known.people["race"] == race) & (known.people["gender"] == gender)
            at = np.flatnonzero(there.to_numpy())
            cells.append((at, bearers[at] / bearers[at].sum()))
        true = float(np.mean([_variance(effects[at], share) for at, share in cells]))
        seen, low, high = [], [], []
        for _ in range(lists):
            chosen = [effects[rng.choice(at, many, p=share)] for at, share in cells]
            squares = np.concatenate(
                [(one - one.mean()) ** 2 * many / (many - 1) for one in chosen]
            )
            bounds = mean_bounds(squares, moves**2, rng, draws=500)
            seen.append(float(squares.mean()))
            low.append(bounds[0])
            high.append(bounds[1])
        above = np.mean(np.array(low) > true * 1.0001)
        below = np.mean(np.array(high) < true * 0.9999)
        ends = (np.quantile(seen, 0.05), np.quantile(seen, 0.95))
        rows.append(
            (system, _points(true), " to ".join(map(_points, ends)),
             f"{_points(float(np.median(low)))} to {_points(float(np.median(high)))}",
             f"{below:.0%} / {above:.0%}")
        )  # fmt: skip
    print(f"{lists:,} lists of {many} names a cell, each bearer alike\n")
    columns = ("points of 100", "true spread", "seen, 5 to 95 % of lists", "*may be*, median",
               "true one above / below it")  # fmt: skip
    print(table(columns, rows))


def _variance(values: NDArray[np.float64], share: NDArray[np.float64]) -> float:
    mean = float(share @ values)
    return float(share @ (values - mean) ** 2)


def _points(variance: float) -> str:
    points = 100 * float(np.sqrt(max(variance, 0.0)))
    return f"{points if points > 1e-6 else 0:.2g}"


if __name__ == "__main__":
    main()
