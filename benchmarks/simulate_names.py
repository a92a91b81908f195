"""How often the numbers that a list of names gives are wrong: shifted, typical name, floor.

The truth is known for all names of the US Census 2020 beyond a cut-off. Lists are drawn from them:
ten names a cell as in the EEC, each name alike; and a hundred a cell by bearers, as `names-us`
draws them. Each list's shifted pairs, typical name and mean with its floor are held against the
truth, at 5 % and at 5 % over twelve comparisons. METHODS §10.4 to 10.6 has what to expect: misses
of the typical name at most 0.8 %, false tilted 0.1 %; of the floor at most 2.4 % and 0.11 %.
Before that stands the truth itself at each cut-off, to compare with §10.2 to 10.4. Prints Markdown.

    python benchmarks/simulate_names.py [DRAWS]       400 by default, about two minutes on one
                                                      core; five more the first time, for scores
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from every_name import SHARES, NameEffects, every_name
from performance_page import table
from tiltmeter.stats.coverage import group_coverage, tilt_without_cutoff
from tiltmeter.stats.rarity import NamesByBearers, tilt_by_spline, tilt_in_strata
from tiltmeter.stats.shifted import DrawnNames, NameCell, ShareInterval, ShiftedPairs, shifted_names
from tiltmeter.stats.survey import hajek
from tiltmeter.stats.typical import typical_names
from tiltmeter.stats.unseen import effective_names, reach_with_unseen

Array = NDArray[np.float64]
Places = NDArray[np.int64]

DRAWS, MARGIN = 400, 0.01
LEVELS = (0.95, 1.0 - 0.05 / 12)
CUTOFFS = (0.70, 0.80, 0.95)
RACES, GENDERS = ("Black", "White"), ("female", "male")
PLANTED = 0.03
"""Added to every woman's name, to see how often the typical name is found tilted."""
KINDS = ("net", "either", "first_lower", "first_higher")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's population, or the names drawn from it; arrays of shape (names,)."""

    at: Places
    """Their places in the table."""
    weight: Array
    probability: Array
    total: float

    def drawn(self, effects: Array) -> DrawnNames:
        """As one side of `shifted_names`."""
        return DrawnNames(effects[self.at], self.weight, self.probability, self.total)


Cells = dict[tuple[str, str], Cell]
"""By race and gender."""
Draw = Callable[[Cell, np.random.Generator], Cell]


def population(known: NameEffects, cutoff: float, by_bearers: bool) -> Cells:
    """The names of each cell beyond a cut-off, all certain to come."""
    names = known.population(cutoff, RACES)
    cells = Cells()
    for race in RACES:
        for gender in GENDERS:
            some = names.filter(race=race, gender=gender)
            bearers = some["bearers"].to_numpy().astype(np.float64)
            weight = bearers if by_bearers else np.ones(some.height)
            at = some["at"].to_numpy().astype(np.int64)
            cells[race, gender] = Cell(at, weight, np.ones(at.size), float(weight.sum()))
    return cells


def alike(n: int) -> Draw:
    """So many names of a cell, each alike, taken as from a population without end."""

    def draw(cell: Cell, rng: np.random.Generator) -> Cell:
        chosen = rng.choice(cell.at.size, n, replace=False)
        return Cell(cell.at[chosen], np.ones(n), np.zeros(n), cell.total)

    return draw


def by_bearers(n: int) -> Draw:
    """So many names of a cell by priority sampling, as corpora/people_sampling.py draws them."""

    def draw(cell: Cell, rng: np.random.Generator) -> Cell:
        priority = cell.weight / (1.0 - rng.random(cell.at.size))
        order = np.argsort(-priority)
        chosen, threshold = order[:n], float(priority[order[n]])
        chance = np.minimum(1.0, cell.weight[chosen] / threshold)
        return Cell(cell.at[chosen], cell.weight[chosen], chance, cell.total)

    return draw


def sides(cells: Cells, axis: str) -> list[tuple[Cell, Cell]]:
    """First and second group of an axis, by cell of the other."""
    if axis == "race":
        return [(cells["Black", gender], cells["White", gender]) for gender in GENDERS]
    return [(cells[race, "female"], cells[race, "male"]) for race in RACES]


def mean_tilt(pairs: list[tuple[Cell, Cell]], effects: Array) -> float:
    """The difference of weighted means, cells alike."""
    return float(np.mean([
        np.average(effects[a.at], weights=a.weight) - np.average(effects[b.at], weights=b.weight)
        for a, b in pairs
    ]))  # fmt: skip


def median_tilt(pairs: list[tuple[Cell, Cell]], effects: Array) -> float:
    """The difference of medians of pooled cells, each cell alike and each name within it."""
    middle = []
    for side in (0, 1):
        values = np.concatenate([effects[pair[side].at] for pair in pairs])
        share = np.concatenate([np.full(pair[side].at.size, 1 / pair[side].at.size)
                                for pair in pairs])  # fmt: skip
        order = np.argsort(values, kind="stable")
        below = np.cumsum(share[order]) / share.sum()
        middle.append(float(values[order][np.searchsorted(below, 0.5 - 1e-12)]))
    return middle[0] - middle[1]


def mean_with_floor(
    pairs: list[tuple[Cell, Cell]], effects: Array, words: float, level: float
) -> tuple[float, float]:
    """The mean tilt of a list and how far its interval reaches, the floor at its level."""
    value, variance, spent = 0.0, 0.0, 0.0
    groups: tuple[list[Array], list[Array]] = ([], [])
    every = np.concatenate([effects[cell.at] for pair in pairs for cell in pair])
    moves = max(words, float(np.abs(every - np.median(every)).max()))
    for pair in pairs:
        for side, (sign, cell) in enumerate(zip((1.0, -1.0), pair, strict=True)):
            none = np.zeros((1, cell.at.size))
            mean = hajek(
                effects[cell.at][None], cell.weight, cell.probability, none, none[0], np.zeros(1)
            )
            share = 1.0 / len(pairs)
            part = share**2 * float(mean.seen[0])
            value += sign * share * float(mean.value[0])
            variance += part
            spent += part**2 / float(mean.df[0])
            groups[side].append(share * mean.share[0] * np.where(cell.probability < 1, 1, 0))
    unseen = [effective_names(np.concatenate(group)[None], np.zeros(1)).unseen(level)
              for group in groups]  # fmt: skip
    df = variance**2 / spent if spent > 0 else 1.0
    reach = reach_with_unseen(np.array([np.sqrt(variance)]), np.array([df]), unseen, moves, level)
    return value, float(reach[0])


@dataclass(slots=True)
class Tally:
    """What came of the draws for one system, axis and level."""

    draws: int = 0
    misses: dict[str, int] | None = None
    typical: int = 0
    false_tilted: int = 0
    planted: int = 0
    floor: int = 0
    width: float = 0.0
    floor_width: float = 0.0

    def miss(self, kind: str, interval: ShareInterval, truth: float) -> None:
        """Count a share whose interval misses the truth."""
        self.misses = self.misses or dict.fromkeys(KINDS, 0)
        self.misses[kind] += not interval.low - 1e-9 <= truth <= interval.high + 1e-9


def simulate(
    known: NameEffects, whole: Cells, draw: Draw, draws: int, seed: int, with_typical: bool
) -> dict[tuple[str, str, float], Tally]:
    """All systems, both axes, both levels, over many lists."""
    rng = np.random.default_rng(seed)
    tallies = {(system, axis, level): Tally()
               for system in known.systems for axis in ("race", "gender")
               for level in LEVELS}  # fmt: skip
    true = {}
    for row, system in enumerate(known.systems):
        for axis in ("race", "gender"):
            pairs = sides(whole, axis)
            shares = _shifted(pairs, known.effects[row], 0.95)
            medians = median_tilt(pairs, known.effects[row])
            true[system, axis] = (shares, medians, mean_tilt(pairs, known.effects[row]))
    for _ in range(draws):
        cells = {key: draw(cell, rng) for key, cell in whole.items()}
        for (system, axis, level), tally in tallies.items():
            effects = known.effects[known.systems.index(system)]
            pairs, (shares, median, mean) = sides(cells, axis), true[system, axis]
            tally.draws += 1
            shifted = _shifted(pairs, effects, level)
            for kind in KINDS:
                tally.miss(kind, getattr(shifted, kind), getattr(shares, kind).value)
            tally.width += (shifted.net.high - shifted.net.low) / 2.0
            value, reach = mean_with_floor(
                pairs, effects, known.words[known.systems.index(system)], level
            )
            tally.floor += abs(value - mean) > reach
            tally.floor_width += reach
            if with_typical:
                _count_typical(tally, pairs, effects, median, level)
    return tallies


def _shifted(pairs: list[tuple[Cell, Cell]], effects: Array, level: float) -> ShiftedPairs:
    share = 1.0 / len(pairs)
    cells = [NameCell(a.drawn(effects), b.drawn(effects), share) for a, b in pairs]
    return shifted_names(cells, MARGIN, level)


def _count_typical(
    tally: Tally, pairs: list[tuple[Cell, Cell]], effects: Array, truth: float, level: float
) -> None:
    first, second = (
        np.concatenate([effects[pair[side].at] for pair in pairs])[None] for side in (0, 1)
    )
    typical = typical_names(first, second, level)
    tally.typical += bool(typical.low[0] > truth + 1e-9 or typical.high[0] < truth - 1e-9)
    tally.false_tilted += bool(typical.is_tilted(MARGIN)[0] and abs(truth) <= MARGIN)
    planted = typical_names(first + PLANTED, second, level)
    tally.planted += bool(planted.is_tilted(MARGIN)[0])


def percent(count: float, of: int) -> str:
    """As 0.5 %."""
    return f"{100 * count / of:.1f} %"


def rows_of(
    tallies: dict[tuple[str, str, float], Tally], with_typical: bool
) -> Iterator[tuple[str, ...]]:
    """A row for each system, axis and level."""
    for (system, axis, level), tally in tallies.items():
        n = tally.draws
        misses = tally.misses or {}
        typical = (percent(tally.typical, n), percent(tally.false_tilted, n),
                   percent(tally.planted, n))  # fmt: skip
        yield (
            system, axis, f"{100 * (1 - level):.2f} %", *(percent(misses[kind], n)
            for kind in KINDS), f"{100 * tally.width / n:.0f} %", percent(tally.floor, n),
            f"{100 * tally.floor_width / n:.2f}", *(typical if with_typical else ()),
        )  # fmt: skip


def truth_rows(known: NameEffects) -> Iterator[tuple[str, ...]]:
    """Race over all names: by cut-off, without one, among names equally common, and shifted."""
    bearers = known.names["bearers"].to_numpy().astype(np.float64)
    black, white = (known.names[SHARES[race]].to_numpy() for race in RACES)
    whole = tilt_without_cutoff(known.effects, bearers, black, white).value
    for cutoff in CUTOFFS:
        cells = population(known, cutoff, by_bearers=True)
        at = np.concatenate([cell.at for cell in cells.values()])
        names = NamesByBearers(
            np.concatenate([np.full(cell.at.size, race == "Black")
                            for (race, _), cell in cells.items()]),
            bearers[at],
            np.concatenate([np.full(cell.at.size, GENDERS.index(gender))
                            for (_, gender), cell in cells.items()]),
            bearers[at],
        )  # fmt: skip
        strata = tilt_in_strata(known.effects[:, at], names)
        spline = tilt_by_spline(known.effects[:, at], names)
        inside = np.zeros((2, bearers.size), bool)
        for (race, _), cell in cells.items():
            inside[RACES.index(race), cell.at] = True
        coverage = group_coverage(bearers, np.stack([black, white]), inside)
        for row, system in enumerate(known.systems):
            pairs = sides(cells, "race")
            shifted = _shifted(pairs, known.effects[row], 0.95)
            shares = (shifted.first_lower, shifted.first_higher, shifted.within)
            yield (
                f"{100 * cutoff:.0f} %", system, " / ".join(f"{100 * c:.1f} %" for c in coverage),
                f"{100 * mean_tilt(pairs, known.effects[row]):.2f}", f"{100 * whole[row]:.2f}",
                *(f"{100 * tilt.value[row]:.2f} ± {100 * tilt.reach()[row]:.2f}"
                  for tilt in (strata, spline)),
                " / ".join(f"{100 * share.value:.1f}" for share in shares),
            )  # fmt: skip


TRUTH = (
    "cut-off", "system", "coverage, Black / White", "race, by bearers", "without a cut-off",
    "narrow strata", "spline", "lower / higher / within, %",
)  # fmt: skip
COLUMNS = (
    "system", "axis", "nominal", "misses: net", "either", "first lower", "first higher",
    "half-width of net", "misses: mean with floor", "its reach, points",
)  # fmt: skip
TYPICAL = ("misses: typical", "false tilted", "planted +3 found")


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    known = every_name()
    print("### Race over all names, points\n")
    print(table(TRUTH, list(truth_rows(known))), flush=True)
    print(f"{draws:,} draws each, margin {MARGIN:g}\n")
    for cutoff in CUTOFFS:
        for title, weighed, draw in (
            ("ten names a cell, each alike", False, alike(10)),
            ("a hundred names a cell, by bearers", True, by_bearers(100)),
        ):
            whole = population(known, cutoff, weighed)
            sizes = ", ".join(f"{cell.at.size:,}" for cell in whole.values())
            print(f"### {100 * cutoff:.0f} %: {title} (of {sizes})\n")
            tallies = simulate(known, whole, draw, draws, 1, not weighed)
            columns = COLUMNS if weighed else COLUMNS + TYPICAL
            print(table(columns, list(rows_of(tallies, not weighed))), flush=True)


if __name__ == "__main__":
    main()
