"""What the pages of two versions and of a drift check are made from; their tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

# ---- what the report of two versions is made from; numbers stay numbers here


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


# ---- what the report of a drift check is made from; numbers stay numbers here


@dataclass(frozen=True, eq=False)
class DriftMaterial:
    """What became of a system since its baseline."""

    baseline: str
    verdict: str
    """drifted, steady or undecided."""
    answers: pl.DataFrame
    """A row for each system, task and corpus: texts, missing, changed, largest, shift, apart,
    noise, beyond with its interval, p_noise, p_drifted, p_steady, verdict, reason."""
    changes: pl.DataFrame
    """The change of tilt of each contrast, with its verdict and sentence."""
    moved: pl.DataFrame
    versions: pl.DataFrame
    """Version, fingerprint and scale before and now."""
    notes: tuple[str, ...]
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    phrases: Mapping[tuple[str, str, str], str]


# ---- the tables of two versions as plain frames, for spreadsheets


CHANGES = (
    *COMPARISON, "reference", "verdict", "margin", "old", "old_low", "old_high", "old_verdict",
    "new", "new_low", "new_high", "new_verdict", "change", "change_se", "change_df", "change_low",
    "change_high", "size_change", "size_low", "size_high", "p_change", "p_change_adjusted",
    "p_same", "p_same_adjusted", "p_size", "p_size_adjusted", "undecided_because", "family", "n",
    "n_dropped", "templates", "words", "change_se_people", "change_se_floor", "change_se_words",
    "change_se_noise", "needed_people", "unit", "reason", "rule", "sentence",
)  # fmt: skip
"""What is told of a change, in order."""


def version_tables(material: VersionMaterial) -> dict[str, pl.DataFrame]:
    """Every table by name; none that would be empty."""
    made = {
        "changes": material.changes.select(CHANGES),
        "pairs": material.moved,
        "skill": material.skill,
        "unpaired": material.unpaired,
    }
    return {name: frame for name, frame in made.items() if frame.height}


def drift_tables(material: DriftMaterial, *, every: bool = False) -> dict[str, pl.DataFrame]:
    """Every table of a drift check by name; none that would be empty, unless `every` is wanted."""
    made = {
        "answers": material.answers,
        "versions": material.versions,
        "changes": material.changes.select(CHANGES),
        "pairs": material.moved,
    }
    return {name: frame for name, frame in made.items() if frame.height or every}
