"""What chance gives beside a raw score, and whom it rests on, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.report.numbers import p_value
from tiltmeter.report.ratings.beyond import CHANCE
from tiltmeter.report.ratings.phrases import called, moved, weight

MIDDLE = 0.5
"""A share of deals that is no less than usual."""


def by_chance(row: Mapping[str, Any]) -> str:
    """The middle ψ with sentences grouped by chance, and p with people grouped by chance.

    >>> by_chance({"measure": "wrs", "by_chance": 3.4, "p": 0.21})
    '3.4 by chance; p = 0.21 over people'
    >>> by_chance({"measure": "die", "by_chance": 12.2, "p": None})
    '12 % by chance'
    """
    parts = [f"{size} by chance" for size in _middle(row)]
    return "; ".join([*parts, *(f"{p} over people" for p in _share(row))])


def chance_below(row: Mapping[str, Any]) -> str:
    """The same where a table says what stands below.

    >>> chance_below({"measure": "wrs", "by_chance": 3.4, "p": 0.21})
    '3.4; p = 0.21'
    """
    return "; ".join([*_middle(row), *_share(row)])


def _middle(row: Mapping[str, Any]) -> list[str]:
    middle = row.get("by_chance")
    if middle is None or not _has_psi(row):
        return []
    return [weight(middle) if row["measure"] == "wrs" else moved(middle)]


def _share(row: Mapping[str, Any]) -> list[str]:
    return [p_value(row["p"])] if row.get("p") is not None and _has_psi(row) else []


def _has_psi(row: Mapping[str, Any]) -> bool:
    return bool(row.get("x")) or row.get("psi", 0) is not None


def how_far(row: Mapping[str, Any]) -> str:
    """Whether a result goes beyond chance: found, some or none, as arrows are marked.

    Found where p over people is at most 0.05 or nothing is known of chance; none where ψ is no
    larger than the middle ψ by chance, or people dealt stand as far apart in half of all deals.

    >>> how_far({"psi": 300.0, "x": False, "by_chance": 76.0, "p": 0.005})
    'found'
    >>> how_far({"psi": 17.0, "x": False, "by_chance": 9.1, "p": 0.2})
    'some'
    >>> how_far({"psi": 17.0, "x": False, "by_chance": 9.1, "p": 1.0})
    'none'
    >>> how_far({"psi": 5.5, "x": False, "by_chance": 12.0, "p": None})
    'none'
    """
    psi, p, middle = row["psi"], row.get("p"), row.get("by_chance")
    if not psi and not row["x"]:
        return "none"
    if p is None and middle is None:
        return "found"
    if p is not None and p <= CHANCE:
        return "found"
    often = p is not None and p >= MIDDLE
    usual = middle is not None and psi is not None and psi <= middle
    return "none" if often or usual else "some"


def in_brackets(row: Mapping[str, Any]) -> str:
    """What chance would give, after a result; nothing where it is not known.

    >>> in_brackets({"measure": "die", "by_chance": 12.2, "p": 0.3}), in_brackets({})
    (' (12 % by chance; p = 0.3 over people)', '')
    >>> in_brackets({"measure": "wrs", "psi": 24.0, "by_chance": 7.8})
    ' (raw score 24; 7.8 by chance)'
    """
    chance = by_chance(row)
    size = f"raw score {weight(row['psi'])}; " if chance and row["measure"] == "wrs" else ""
    return f" ({size}{chance})" if chance else ""


def rests_on(row: Mapping[str, Any]) -> str:
    """Whom half of ψ or more depends on; nothing where it rests on nobody.

    >>> rests_on({"measure": "wrs", "psi": 9.6, "rests_on": "Latisha", "without": 0.0})
    'It rests on sentences with “Latisha”: without them the raw score would be 0, not 9.6.'
    """
    who, left, psi = row.get("rests_on"), row.get("without"), row.get("psi")
    if not who or left is None or not psi or left > psi / 2:
        return ""
    shown = [weight(one) if row["measure"] == "wrs" else moved(one) for one in (left, psi)]
    return (
        f"It rests on sentences with “{called(str(who), 40)}”: without them the raw score would be "
        f"{shown[0]}, not {shown[1]}."
    )
