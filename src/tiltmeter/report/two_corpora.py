"""What a population adds to a list: the same systems on both, in a sentence each.

A difference that one name of a list makes vanishes over a population; one that the group makes
stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.report.material import Compared, Material
from tiltmeter.report.numbers import POINTS, fixed
from tiltmeter.report.verdict_wording import (
    NAMES,
    SAID_OF,
    PopulationWords,
    population_words_in,
)
from tiltmeter.report.wording import hangs_on_one, sides_between

GROUPS = {
    "African American": "Black", "European American": "White", "Anglo": "White",
    "Latino": "Hispanic",
}  # fmt: skip
"""What groups of the Equity Evaluation Corpora are called in the Census."""
SHOWN = 4
"""Systems that the paragraph tells of."""
WORTH = 0.005
"""Half a point: smaller differences on the list are not worth a sentence."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BothClaims:
    """One system's claim by names on a list, and the same over a population."""

    system: str
    task: str
    axis: str
    listed: Row
    drawn: Row
    person: str
    """The one name that most of the difference on the list comes from; else nothing."""

    @property
    def vanishes(self) -> bool:
        """Whether one name makes it on the list, and the population shows it even."""
        return bool(self.person) and self.drawn["verdict"] == "even"


def population_adds(material: Material) -> list[str]:
    """What the second corpus adds, a sentence for each system and axis; the clearest first.

    Nothing where not the same systems were audited on a list and over a population.
    """
    known = population_words_in(material.run)
    drawn = [one for one in material.compared if one.name in known]
    listed = [one for one in material.compared if one.name not in known]
    if material.tilts is None or material.tilts.is_empty() or not drawn or not listed:
        return []
    found = [
        (_said(claim, one, other, known[other.name]), claim)
        for one in listed
        for other in drawn
        for claim in both_claims(material, one, other)
        if abs(claim.listed["value"]) >= WORTH
    ]
    found.sort(key=lambda pair: (not pair[1].vanishes, -abs(pair[1].drawn["value"])))
    gone = [said for said, claim in found if claim.vanishes]
    stay = [said for said, claim in found if not claim.vanishes and _stays(claim)]
    return [*gone[: SHOWN // 2], *stay[: SHOWN // 2]]


def _stays(claim: BothClaims) -> bool:
    """Whether the population shows it tilted, the same way."""
    same = float(claim.drawn["value"]) * float(claim.listed["value"]) > 0
    return same and claim.drawn["verdict"] == "tilted"


def both_claims(material: Material, listed: Compared, drawn: Compared) -> Iterator[BothClaims]:
    """The claims by names that a list and a population have in common."""
    if material.tilts is None:
        return
    names = material.tilts.filter(pl.col("subset") == NAMES, pl.col("value").is_not_null())
    there = {
        (row["system"], row["task"], row["axis"], row["contrast"]): row
        for row in names.filter(corpus=drawn.name).iter_rows(named=True)
    }
    people = _people(listed)
    for row in names.filter(corpus=listed.name).iter_rows(named=True):
        key = row["system"], row["task"]
        other = there.get((*key, row["axis"], _contrast(row)))
        if other is not None and not material.is_apart(*key, listed.name):
            person = people.get((*key, row["axis"], row["contrast"]), "")
            yield BothClaims(*key, row["axis"], row, other, person)


def _contrast(row: Row) -> str:
    """A contrast in the words of the Census."""
    second = str(row["reference"])
    first = str(row["contrast"]).removesuffix(f"-{second}")
    return f"{GROUPS.get(first, first)}-{GROUPS.get(second, second)}"


def _people(compared: Compared) -> dict[tuple[str, ...], str]:
    """Who most of a difference by names comes from, where it is one."""
    if compared.pivots is None:
        return {}
    rows = compared.pivots.filter(kind=NAMES).iter_rows(named=True)
    return {
        (row["system"], row["task"], row["axis"], row["contrast"]): row["person"]
        for row in rows
        if hangs_on_one(row)
    }


def _said(claim: BothClaims, listed: Compared, drawn: Compared, population: PopulationWords) -> str:
    verdict = SAID_OF[claim.drawn["verdict"]]
    begin = f"{claim.system} on {listed.name}: {_difference(claim.listed, listed)}"
    whole = f"Over the {population.names:,} names of {population.title}"
    if claim.person:
        over = f"{whole} the difference is {_points(claim.drawn['value'])}, {verdict}."
        return f"{begin}, and it comes from one name ({claim.person}). {over}"
    over = f"{whole} it stays: {_difference(claim.drawn, drawn)}, {verdict}."
    return f"{begin} ({claim.listed['n']:,} names). {over}"


def _difference(row: Row, compared: Compared) -> str:
    """How much higher, and where: "1.1 points higher with African American names"."""
    second = str(row["reference"])
    first = str(row["contrast"]).removesuffix(f"-{second}")
    sides = sides_between(compared, str(row["axis"]), first, second)
    return f"{_points(row['value'])} {sides.towards(row['value'] > 0)}"


def _points(value: float) -> str:
    """A size in points, two decimals at most."""
    size = abs(value) * POINTS
    number = fixed(size, 1 if size >= 1 else 2)
    return f"{number} point{'s' if number != '1' else ''}"
