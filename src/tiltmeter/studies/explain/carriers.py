"""Who carries a tilt: what each person adds to it, and what it is without them.

A tilt by names is a difference of weighted means of people's effects. Beside the middle name of
their match, the median m, everybody adds

    c_i = s · h_i · (t_i − m),    Σ c_i = the tilt,

h_i their weight within their group and s the group's share in the contrast (+1, −1, or a part where
cells of other axes are averaged). Who moves no score adds nothing. A couple adds its difference
times its share of all differences. Whoever adds most is then taken out, one by one and together,
and the claim is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import SCALE
from tiltmeter.schemas import Verdict
from tiltmeter.studies.explain.material import ClaimAgain, ExplainedClaim, TiltMaterial, Whom
from tiltmeter.studies.paired.claims import COUPLES, compared_sides
from tiltmeter.studies.paired.tilt import weighted_median
from tiltmeter.studies.paired.wording import driven_by_one_person

Array = NDArray[np.float64]

SHOWN = 10
"""People who are taken out one by one."""
TOGETHER = (2, 3, 5, 10, 20)
"""How many are taken out together."""
LEAST = 4
"""People that must be left."""
NOTHING = 1e-4
"""Of the scale: who lies no further from the middle name moves nothing. Where people met a part of
the frames their effects are fitted, and lie a little apart even if no name moves a score."""
NOTABLE = 0.5
"""Of the margin: what drives a smaller tilt is not worth a word, unless the verdict changes."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A person, or a couple, and what they add to a tilt."""

    name: str
    group: str
    """The side of the contrast they stand on; both of a couple."""
    effect: float
    """How far their sentences lie from the middle name's; of a couple, its difference."""
    adds: float
    """What of the tilt is theirs."""
    bearers: int | None = None
    moves: bool = True
    """Whether their effect is more than nothing."""
    without: ClaimAgain | None = None
    """The claim without them; None where that was not computed."""


@dataclass(frozen=True, slots=True)
class Carriers:
    """Who carries one claim."""

    claim: ExplainedClaim
    people: tuple[Carrier, ...]
    """Those that add most first."""
    together: tuple[tuple[int, ClaimAgain], ...] = ()
    """Without the first so many of them."""

    @property
    def moving(self) -> int:
        """How many add anything at all."""
        return sum(one.moves for one in self.people)

    @property
    def driver(self) -> Carrier | None:
        """The one person without whom the verdict is another, or the tilt halves or turns."""
        top = self.people[0] if self.people else None
        if top is None or top.without is None or top.without.value is None:
            return None
        return top if self.is_other(top.without) else None

    @property
    def driving(self) -> tuple[int, ClaimAgain] | None:
        """How few together change the verdict, or halve the tilt, where one does not.

        None of a tilt that is even: taking many out of it always makes another.
        """
        if self.claim.row["verdict"] == Verdict.EVEN:
            return None
        return next(((many, left) for many, left in self.together if self.is_other(left)), None)

    @property
    def notable(self) -> bool:
        """Whether the tilt is large enough for it to matter whose it is."""
        margin = self.claim.row["margin"] if self.claim.unit == SCALE else 0.0
        return abs(self.claim.value) > NOTABLE * margin

    def is_other(self, left: ClaimAgain) -> bool:
        """Whether what is left has another verdict, or a notable tilt halves or turns."""
        if left.value is None:
            return False
        with_and_without = {"value": self.claim.value, "without": left.value}
        halves = self.notable and driven_by_one_person(with_and_without)
        return halves or self.changes_verdict(left)

    def changes_verdict(self, left: ClaimAgain) -> bool:
        """Whether what is left gets another verdict; none at all is no other one."""
        known = Verdict.TILTED, Verdict.EVEN, Verdict.UNDECIDED
        return (
            left.verdict in known
            and self.claim.row["verdict"] in known
            and left.verdict != self.claim.row["verdict"]
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each person."""
        for one in self.people:
            left = one.without
            told = {
                "without": left and left.value, "without_low": left and left.low,
                "without_high": left and left.high, "verdict_without": left and left.verdict,
            }  # fmt: skip
            share = one.adds / self.claim.value if self.claim.value else None
            yield self.claim.keys | {
                "person": one.name, "group": one.group, "bearers": one.bearers,
                "effect": one.effect, "adds": one.adds, "share": share, **told,
                "unit": self.claim.unit,
            }  # fmt: skip


def carriers_of(
    material: TiltMaterial,
    claims: Sequence[ExplainedClaim],
    shown: int = SHOWN,
    together: Sequence[int] = TOGETHER,
) -> list[Carriers]:
    """Who carries each of some claims; the first `shown` are each taken out in turn."""
    ranked = [ranked_people(material, claim) for claim in claims]
    asked, places = list[tuple[ExplainedClaim, Whom]](), list[tuple[int, int]]()
    for nth, (claim, people) in enumerate(zip(claims, ranked, strict=True)):
        moving = [one.name for one in people if one.moves]
        sets: list[tuple[int, Whom]] = [(at, (name,)) for at, name in enumerate(moving[:shown])]
        sets += [
            (-many, tuple(moving[:many]))
            for many in together
            if many <= min(len(moving), len(people) - LEAST)
        ]
        asked += [(claim, whom) for _, whom in sets]
        places += [(nth, at) for at, _ in sets]
    again = dict(zip(places, material.without(asked), strict=True)) if asked else {}
    return [
        Carriers(
            claim,
            tuple(
                replace(one, without=left) if (left := again.get((nth, at))) else one
                for at, one in enumerate(people)
            ),
            tuple((many, again[nth, -many]) for many in together if (nth, -many) in again),
        )
        for nth, (claim, people) in enumerate(zip(claims, ranked, strict=True))
    ]  # fmt: skip


def ranked_people(material: TiltMaterial, claim: ExplainedClaim) -> list[Carrier]:
    """Everybody of a claim, those who add most to the tilt first; last those who move nothing."""
    found = _couples(material, claim) if claim.kind == COUPLES else _names(material, claim)
    width = float(material.width[claim.place])
    found = [
        one if abs(one.effect) > NOTHING * width else replace(one, moves=False) for one in found
    ]
    towards = -1.0 if claim.value < 0 else 1.0
    if abs(claim.value) <= NOTHING * width:  # nobody carries a tilt of 0: who would move it most
        return sorted(found, key=lambda one: (not one.moves, -coarsen(abs(one.adds), width)))
    return sorted(found, key=lambda one: (not one.moves, -coarsen(towards * one.adds, width)))


def _names(material: TiltMaterial, claim: ExplainedClaim) -> list[Carrier]:
    effects = material.study.effects
    people, value = effects.people, effects.value[claim.place]
    chance = people["probability"].to_numpy()
    drawn = 1.0 / np.where(chance > 0, chance, 1.0)
    weight = people["weight"].to_numpy() * drawn
    names, groups = people["person"].to_list(), people[claim.contrast.axis].to_list()
    bearers, match = people["bearers"].to_list(), people["match"]
    adds = np.zeros(people.height)
    effect = np.full(people.height, np.nan)
    for name in match.unique(maintain_order=True):
        mine = np.flatnonzero((match == name).to_numpy())
        effect[mine] = value[mine] - weighted_median(value[mine], drawn[mine])[0]
    there = np.zeros(people.height, bool)
    for side in compared_sides(effects, claim.contrast, material.axes):
        whom = side.people[~np.isnan(effect[side.people])]
        there[whom] = True
        adds[whom] += side.share * weight[whom] / weight[whom].sum() * effect[whom]
    return [
        Carrier(names[at], str(groups[at]), float(effect[at]), float(adds[at]), bearers[at])
        for at in np.flatnonzero(there).tolist()
    ]


def _couples(material: TiltMaterial, claim: ExplainedClaim) -> list[Carrier]:
    couples = material.study.couples[claim.contrast]
    n, total = couples.n[claim.place], couples.total[claim.place]
    whole = max(float(n.sum()), 1.0)
    return [
        Carrier(match, "", float(total[at] / n[at]), float(total[at] / whole))
        for at, match in enumerate(couples.people["match"].to_list())
        if n[at]
    ]


def carriers_frame(found: Sequence[Carriers]) -> pl.DataFrame:
    """A row for each person of each claim."""
    return pl.DataFrame([row for one in found for row in one.rows()], infer_schema_length=None)


def together_frame(found: Sequence[Carriers]) -> pl.DataFrame:
    """A row for each number of people that were taken out together."""
    rows = [
        one.claim.keys | {"people_without": many, **left.to_dict()}
        for one in found
        for many, left in one.together
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
