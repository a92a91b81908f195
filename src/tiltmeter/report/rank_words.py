"""Ranks in words: the places that the data allow, never a bare rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Places:
    """The best and the worst rank that the data allow a system, among how many."""

    best: int
    worst: int
    of: int

    @property
    def said(self) -> str:
        """The places, as in `3–17 of 219`.

        >>> Places(3, 17, 219).said, Places(1, 1, 2).said
        ('3–17 of 219', '1 of 2')
        """
        return f"{self.between} of {self.of:,}"

    @property
    def between(self) -> str:
        """The places alone, as in `3–17`."""
        return f"{self.best:,}" if self.best == self.worst else f"{self.best:,}–{self.worst:,}"


def places_of(row: Mapping[str, Any]) -> Places | None:
    """A row's places; None where it has none."""
    found = [row.get(name) for name in ("rank_best", "rank_worst", "of")]
    if None in found:
        return None
    best, worst, of = (int(one) for one in found if one is not None)
    return Places(best, worst, of)
