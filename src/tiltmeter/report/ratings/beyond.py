"""What goes beyond chance over people, attribute by attribute, in words.

A rating is relative and counts rejections, many of them by chance. What may be chance is shown as
such wherever a rating is: it does not stand as high as what is beyond chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tiltmeter.report.ratings.phrases import spoken

CHANCE = 0.05
"""How often chance may reach what is called beyond chance."""
DOUBT = "?"
"""Stands after a rating that may be chance."""


def may_be_chance(row: Mapping[str, Any]) -> bool:
    """Whether a column's rating above 1 has no small p over people behind it."""
    p = row.get("p")
    return p is not None and p > CHANCE and (row["rating"] or 1) > 1


def attributes_beyond(rows: Iterable[Mapping[str, Any]], repeats: int) -> dict[str, bool | None]:
    """By attribute in words: whether it goes beyond chance over people; None where nobody can tell.

    An attribute with several columns has as many p: the smallest counts times their number
    (Bonferroni), so that one that does nothing is called beyond chance in 1 of 20 cases at most.

    >>> rows = [{"attribute": "gender", "rating": 3, "p": 0.005},
    ...         {"attribute": "gender", "rating": 1, "p": 0.4},
    ...         {"attribute": "race", "rating": 3, "p": 1.0}]
    >>> attributes_beyond(rows, 200)
    {'gender': True, 'race': False}
    """
    found: dict[str, list[float | None]] = {}
    for row in rows:
        if row["rating"] is not None:
            found.setdefault(spoken(str(row["attribute"])), []).append(row.get("p"))
    return {attribute: _beyond(ps, repeats) for attribute, ps in found.items()}


def _beyond(ps: Sequence[float | None], repeats: int) -> bool | None:
    known = [p for p in ps if p is not None]
    if not known or len(known) > CHANCE * (repeats + 1):  # the smallest p there can be
        return None
    return min(known) * len(known) <= CHANCE


def beyond_words(told: Mapping[str, bool | None]) -> str:
    """What goes beyond chance, attribute by attribute.

    >>> beyond_words({"gender": True, "race": False})
    'gender: beyond chance; race: not'
    >>> beyond_words({"gender": False, "race": False}), beyond_words({"gender": None})
    ('nothing beyond chance', 'whether beyond chance is not known')
    """
    known = {one: sure for one, sure in told.items() if sure is not None}
    if not known:
        return "whether beyond chance is not known"
    if not any(known.values()):
        return "nothing beyond chance"
    words = {True: "beyond chance", False: "not", None: "not known"}
    return "; ".join(f"{one}: {words[sure]}" for one, sure in told.items())


def nothing_beyond(told: Mapping[str, bool | None]) -> bool:
    """Whether chance may explain all there is."""
    known = [sure for sure in told.values() if sure is not None]
    return bool(known) and not any(known)
