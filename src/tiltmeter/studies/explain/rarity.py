"""Known and unknown names apart: whether a system moves what it knows.

Known is a name that stands in the system's own word list or vocabulary, where we can read that. A
name that moves no score may be known all the same, so nothing is inferred from it. Where a
population tells how many people bear a name, the tilt is also taken among names about equally
common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.studies.explain.knowledge import KnownWords
from tiltmeter.studies.explain.material import ClaimAgain, ExplainedClaim, TiltMaterial
from tiltmeter.studies.paired.claims import BEARERS, NAMES, compared_sides

KNOWN, UNKNOWN = "known", "unknown"


@dataclass(frozen=True, slots=True)
class NamePart:
    """Some of a claim's names, and the claim among them alone."""

    part: str
    """known, unknown, or from how many bearers on."""
    low: int | None
    """Bearers from which on, of a stratum."""
    names: int
    known: int | None
    """How many of them the system knows; None where nobody can tell."""
    by_group: tuple[tuple[str, int], ...]
    """How many of them each side has."""
    spread: float
    """How far these names lie apart in their scores: the standard deviation of their effects."""
    claim: ClaimAgain


@dataclass(frozen=True, slots=True)
class Rarity:
    """One claim by names, its names taken apart."""

    claim: ExplainedClaim
    source: str
    """Which word list tells what is known; nothing where none does."""
    by_knowledge: tuple[NamePart, ...]
    by_bearers: tuple[NamePart, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each part."""
        for kind, parts in (("knowledge", self.by_knowledge), ("bearers", self.by_bearers)):
            for one in parts:
                yield self.claim.keys | {
                    "by": kind, "part": one.part, "names": one.names, "known": one.known,
                    **{f"side_{nth}": many for nth, (_, many) in enumerate(one.by_group, 1)},
                    "spread": one.spread, **one.claim.to_dict() | {"n": one.names},
                    "unit": self.claim.unit,
                }  # fmt: skip


def rarity_of(
    material: TiltMaterial,
    claim: ExplainedClaim,
    known: KnownWords | None,
    *,
    bearers: bool = True,
) -> Rarity | None:
    """The names of a claim apart; None of couples, and where there is nothing to take apart.

    `bearers` says whether also by how many people bear a name.
    """
    if claim.kind != NAMES:
        return None
    effects = material.study.effects
    sides = compared_sides(effects, claim.contrast, material.axes)
    places = np.unique(np.concatenate([side.people for side in sides]))
    people = effects.people[places].with_columns(
        group=pl.col(claim.contrast.axis),
        known=pl.lit(None, pl.Boolean),
    )
    if known is not None:
        knows = [known.knows(name) for name in people["person"]]
        people = people.with_columns(known=pl.Series(knows, dtype=pl.Boolean))
    parts = list[NamePart]()
    if known is not None:
        for part, mark in ((KNOWN, True), (UNKNOWN, False)):
            parts.append(_part(material, claim, people.filter(known=mark), part))
    strata = list[NamePart]()
    if bearers and people["bearers"].null_count() < people.height:
        ends = [*BEARERS[1:], None]
        for low, high in zip(BEARERS, ends, strict=True):
            many = pl.col("bearers").fill_null(0)
            some = people.filter((many >= low) & (many < high if high else True))
            label = f"{low:,} to {high - 1:,}" if high else f"{low:,} and more"
            strata.append(_part(material, claim, some, label, low))
    if not parts and not strata:
        return None
    return Rarity(claim, known.title if known else "", tuple(parts), tuple(strata))


def _part(
    material: TiltMaterial,
    claim: ExplainedClaim,
    some: pl.DataFrame,
    part: str,
    low: int | None = None,
) -> NamePart:
    first, second = claim.contrast.first, claim.contrast.second
    groups = claim.contrast.groups or (first, second)
    by_group = tuple((group, some.filter(group=group).height) for group in groups)
    known = None if some["known"].null_count() else int(some["known"].sum())
    again, spread = material.among(claim, some["person"].to_list())
    return NamePart(part, low, some.height, known, by_group, spread, again)


def rarity_frame(found: Sequence[Rarity]) -> pl.DataFrame:
    """A row for each part of each claim."""
    rows = [row for one in found for row in one.rows()]
    return pl.DataFrame(rows, infer_schema_length=None)
