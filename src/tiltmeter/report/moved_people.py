"""People moved: how many of a group a system scores apart by more than the margin, in words.

A mean may bury them, so the share stands beside the mean in every answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from tiltmeter.report.numbers import count, short
from tiltmeter.report.verdict_wording import COUPLES, margin_told

MOVED = "moved"
OF_A_CLAIM = ("system", "task", "corpus", "edition", "axis", "subset")
NEAR = 1e-9
MANY = 1_000
"""People of whom a share says more than a number, and "none" enough."""


@dataclass(frozen=True, slots=True)
class MovedShare:
    """Of one group, or of a contrast's couples: how many were moved, and the share with them."""

    group: str
    moved: int
    people: int
    share: float | None
    """Of the population that its people were drawn from, each counted as its weights say."""
    low: float | None
    high: float | None

    @property
    def weighted(self) -> bool:
        """Whether people count otherwise than one by one."""
        if self.share is None or not self.people:
            return False
        return abs(self.share - self.moved / self.people) > NEAR

    @property
    def exact(self) -> bool:
        """Whether everybody was met, so that nothing is left to chance."""
        return self.share is not None and self.low == self.high

    def facts(self) -> dict[str, Any]:
        """As findings.json holds it."""
        return asdict(self)


MovedShares = Mapping[tuple[str, ...], Mapping[str, MovedShare]]
"""By system, task, corpus, edition, axis and subset, then by group or contrast."""


def moved_shares(estimates: pl.DataFrame) -> MovedShares:
    """The shares among the estimates."""
    found: dict[tuple[str, ...], dict[str, MovedShare]] = {}
    rows = estimates.filter(pl.col("measure") == MOVED).select(
        *OF_A_CLAIM, "contrast", "statistic", "n", "value", "low", "high"
    )
    for *key, group, moved, people, share, low, high in rows.iter_rows():
        one = MovedShare(str(group), int(moved or 0), int(people or 0), share, low, high)
        found.setdefault(tuple(map(str, key)), {})[one.group] = one
    return found


def moved_of(claim: Mapping[str, Any], shares: MovedShares) -> tuple[MovedShare, ...]:
    """The shares that belong to a claim: its two groups', or its couples'."""
    mine = shares.get(tuple(str(claim[name]) for name in OF_A_CLAIM), {})
    second = str(claim["reference"])
    first = str(claim["contrast"]).removesuffix(f"-{second}")
    wanted = (str(claim["contrast"]),) if claim["subset"] == COUPLES else (first, second)
    return tuple(mine[name] for name in wanted if name in mine)


def moved_brief(shares: Sequence[MovedShare]) -> str:
    """How many in two words: of lists the number, of weighted people the share, groups alike.

    >>> moved_brief([MovedShare("a", 1, 20, 0.05, 0.0, 0.2), MovedShare("b", 0, 20, 0.0, 0.0, 0.1)])
    '1 of 40'
    >>> moved_brief([MovedShare("a", 2, 9, 0.5, 0.4, 0.6), MovedShare("b", 0, 9, 0.0, 0.0, 0.1)])
    '25 %'
    """
    if not shares:
        return ""
    moved, people = sum(one.moved for one in shares), sum(one.people for one in shares)
    known = [one.share for one in shares if one.share is not None]
    whole = len(known) == len(shares)
    if moved and whole and (people >= MANY or any(one.weighted for one in shares)):
        return percent(sum(known) / len(known))
    return f"{moved:,} of {people:,}" if moved or people < MANY else "none"


def moved_sentence(shares: Sequence[MovedShare], kind: str, margin: float, by: str = "") -> str:
    """Who is moved, by group and with its interval; how many others might be, where nobody is.

    `by` names the system where it is one of several.

    >>> none = [MovedShare("a", 0, 20, 0.0, 0.0, 0.14), MovedShare("b", 0, 20, 0.0, 0.0, 0.13)]
    >>> moved_sentence(none, "names", 0.01)
    'None of 40 names moves a score by more than 1 point; up to 14 % of other names might.'
    >>> moved_sentence([MovedShare("a-b", 8, 10, 0.8, 0.44, 0.97)], "couples", 0.01, "my system")
    'my system moves 8 of 10 couples by more than 1 point (44 to 97 %).'
    """
    if not shares:
        return ""
    unit = "couple" if kind == COUPLES else "name"
    far = f"by more than {margin_told(margin).removesuffix(' of 100')}"
    moved, people = sum(one.moved for one in shares), sum(one.people for one in shares)
    if not moved:
        said = f"None of {count(people, unit)} moves a score {far}"
        if all(one.exact for one in shares):
            return f"{said}: everybody was met."
        most = max(one.high or 0.0 for one in shares)
        return f"{said}; up to {percent(most)} of other {unit}s might."
    who = f"{by} moves" if by else "It moves"
    if kind == COUPLES:
        return f"{who} {moved:,} of {count(people, unit)} {far}{_sure(shares[0])}."
    groups = ", ".join(f"{one.group} {_many(one)}{_sure(one)}" for one in shares)
    whom = "people by their names" if any(one.weighted for one in shares) else "names"
    return f"{who} {whom} {far}: {groups}."


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.0), percent(0.0017), percent(0.69), percent(0.951), percent(1.0)
    ('0 %', '0.17 %', '69 %', '95 %', '100 %')
    """
    if not share:
        return "0 %"
    if share >= 0.995:
        return "100 %" if share >= 1 - NEAR else "over 99 %"
    return f"{short(100 * share)} %" if share >= 5e-5 else "below 0.01 %"


def between(one: MovedShare) -> str:
    """Its interval, from the lower end to the upper; in words where everybody was met.

    Nothing where both ends read the same.
    """
    if one.share is None or one.low is None or one.high is None:
        return ""
    if one.exact:
        return "exact: everybody was met"
    low, high = percent(one.low).removesuffix(" %"), percent(one.high)
    if not one.moved:
        return f"up to {high}"
    return f"{low} to {high}" if f"{low} %" != high else ""


def _many(one: MovedShare) -> str:
    """The share where people are weighted, else how many."""
    if one.weighted and one.share is not None:
        return percent(one.share)
    return f"{one.moved:,} of {one.people:,}"


def _sure(one: MovedShare) -> str:
    """Its interval in brackets."""
    return f" ({between(one)})" if between(one) else ""
