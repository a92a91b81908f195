"""What the report of two versions is made from; numbers stay numbers here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

SAME, BETTER, WORSE, UNDECIDED, NO_SIGNAL, NOT_ESTIMABLE = (
    "same",
    "better",
    "worse",
    "undecided",
    "no_signal",
    "not_estimable",
)
ORDER = (WORSE, UNDECIDED, NO_SIGNAL, NOT_ESTIMABLE, BETTER, SAME)
"""What a reader should see first."""

VERSIONS = ("old_system", "new_system", "task")
COMPARISON = (*VERSIONS, "corpus", "edition", "axis", "contrast", "subset")


def weight(row: Mapping[str, Any]) -> tuple[int, float]:
    """What sorts changes: the verdicts that matter most first, larger changes of size first."""
    return ORDER.index(row["verdict"]), -abs(row["size_change"] or 0.0)


class Changed(Protocol):
    """What the figure of a change and its pairs need."""

    @property
    def changes(self) -> pl.DataFrame:
        """A row for each comparison, with its verdict and sentence."""
        ...

    @property
    def moved(self) -> pl.DataFrame:
        """The pairs of sentences that moved most."""
        ...

    @property
    def phrases(self) -> Mapping[tuple[str, str, str], str]:
        """How groups are spoken of."""
        ...


@dataclass(frozen=True, eq=False)
class VersionMaterial:
    """What changed between two audits, and how it was found."""

    old: str
    """The older audit's folder."""
    new: str
    changes: pl.DataFrame
    """A row for each pair of versions, corpus, contrast and kind of people (`subset`: names or
    couples), with its verdict and sentence."""
    moved: pl.DataFrame
    """Pairs of sentences whose scores moved most apart, or together."""
    skill: pl.DataFrame
    """Either version's correlation with gold scores, and the difference."""
    unpaired: pl.DataFrame
    """audit, system, task: what has no counterpart."""
    notes: tuple[str, ...]
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    phrases: Mapping[tuple[str, str, str], str]
    """By corpus, axis and group: what follows "sentences", as in "about women"."""
