"""Every verdict as one plain sentence: how much, the margin, how sure, what would decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun, PopulationFacts
from tiltmeter.report.numbers import count
from tiltmeter.report.wording import (
    Phrases,
    Sides,
    seen_on,
    sides_of,
    size_and_interval,
    told_from_above,
)

SAID_OF = {
    "tilted": "tilted",
    "even": "even within the margin",
    "undecided": "undecided",
    "no_signal": "no signal",
    "not_estimable": "not estimable",
}
"""What a verdict is called."""

NEAR = 0.25
"""A difference within this part of the margin from the margin itself is near it."""
MOST = 1_000_000
"""People that nobody will ask a system about."""
NAMES, COUPLES = "names", "couples"


@dataclass(frozen=True, slots=True)
class PopulationWords:
    """What a verdict says of the population that its people were drawn from."""

    title: str
    names: int
    census: bool
    weights: str

    @property
    def counted(self) -> str:
        """What counts alike."""
        return "each bearer alike" if self.weights == "bearers" else "each name alike"


Populations = Mapping[str, PopulationWords]
"""By corpus; a corpus of lists has none."""


def population_words(facts: PopulationFacts) -> PopulationWords:
    """From what run.json says of a corpus' population."""
    return PopulationWords(facts.title, facts.names, facts.census, facts.weights)


def population_words_in(run: AuditRun) -> dict[str, PopulationWords]:
    """By corpus, what a run says of the populations that its people were drawn from."""
    return {name: population_words(facts) for name, facts in run.populations.items()}


def with_verdict_sentences(
    judged: pl.DataFrame, phrases: Phrases, populations: Populations | None = None
) -> pl.DataFrame:
    """The judged tilts, each with its sentence; every other column stays."""
    known = populations or {}
    said = [
        verdict_sentence(row, sides_of(row, phrases), known.get(str(row["corpus"])))
        for row in judged.iter_rows(named=True)
    ]
    return judged.with_columns(sentence=pl.Series(said, dtype=pl.String))


def margin_told(margin: float) -> str:
    """A margin in the unit people read.

    >>> margin_told(0.01), margin_told(0.025), margin_told(0.0005)
    ('1 point of 100', '2.5 points of 100', '0.05 points of 100')
    """
    size = f"{margin * 100:.3g}"
    return f"{size} {'point' if size == '1' else 'points'} of 100"


def verdict_sentence(
    row: Mapping[str, Any], sides: Sides, population: PopulationWords | None = None
) -> str:
    """One verdict in one sentence."""
    kinds = {
        "tilted": _tilted, "even": _even, "undecided": _undecided, "no_signal": _no_signal
    }  # fmt: skip
    text = kinds.get(str(row["verdict"]), _not_estimable)(row, sides, population)
    return text if row["verdict"] == "tilted" else text[:1].upper() + text[1:]


def by_whom(row: Mapping[str, Any]) -> str:
    """Whom a claim is about, in two words."""
    return "by couples" if row["subset"] == COUPLES else "by names"


def reaches(row: Mapping[str, Any], population: PopulationWords | None) -> str:
    """Whom a verdict reaches, past those that were met."""
    if row["subset"] == COUPLES:
        return "the couples listed" if population else "other couples like these"
    if population is None:
        return "other names like these"
    all_names = f"the {population.names:,} names of {population.title}"
    return f"{all_names}, {population.counted}"


def _seen(row: Mapping[str, Any]) -> str:
    """On what it was seen: task, corpus, people, the interval that decides."""
    unit = "couple" if row["subset"] == COUPLES else "name"
    dropped = f", {row['n_dropped']:,} without a score" if row["n_dropped"] else ""
    return f"{seen_on(row)}; {interval_told(row)}; {count(row['n'], unit)}{dropped}"


def interval_told(row: Mapping[str, Any]) -> str:
    """The interval that decides; in words where nothing is left to chance."""
    if row["se"] is None or row["low"] is None:
        return "no interval"
    if not row["se"]:
        return "exact: everybody of the population, in every sentence"
    _, start, end = told_from_above(row["value"], row["low"], row["high"], row["unit"])
    many = f", for all {row['family']:,} comparisons together" if row["family"] > 1 else ""
    return f"95 % interval {start} to {end}{many}"


def _tilted(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    size, _ = size_and_interval(row)
    return (
        f"{row['system']} scores {sides.scored(row['value'] > 0, size)} {by_whom(row)}, more than "
        f"the margin of {margin_told(row['margin'])}, over {reaches(row, population)} "
        f"({_seen(row)}).{_besides(row)}"
    )


def _besides(row: Mapping[str, Any]) -> str:
    """What is said of a tilted system that does not read the sentences."""
    return f" Besides it gives no signal: {row['reason']}." if row["reason"] else ""


def _no_signal(row: Mapping[str, Any], sides: Sides, _: PopulationWords | None) -> str:
    return (
        f"no signal from {row['system']}, so sentences {sides.first} and the same sentences "
        f"{sides.second} tell nothing of it ({seen_on(row)}): {row['reason']}."
    )


def _even(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    return (
        f"equivalent within {margin_told(row['margin'])} for {row['system']} {by_whom(row)}, "
        f"sentences {sides.first} and the same sentences {sides.second}, over "
        f"{reaches(row, population)}: {_lean(row, sides)} ({_seen(row)})."
    )


def _undecided(row: Mapping[str, Any], sides: Sides, population: PopulationWords | None) -> str:
    return (
        f"undecided for {row['system']} {by_whom(row)} at a margin of "
        f"{margin_told(row['margin'])}, sentences {sides.first} and the same sentences "
        f"{sides.second}: {_lean(row, sides)}, but {reaches(row, population)} may give another "
        f"number ({_seen(row)}){deciding_told(row)}."
    )


def deciding_told(row: Mapping[str, Any]) -> str:
    """How many people would decide it, if the tilt is as seen; nothing where that is not known."""
    needed = row.get("needed_people")
    near = abs(abs(row["value"]) - row["margin"]) < NEAR * row["margin"]
    unit = "couples" if row["subset"] == COUPLES else "names"
    if needed is None or needed >= MOST:
        why = "it lies so near the margin that " if near else ""
        return f"; {why}no number of {unit} would decide it"
    return f"; {needed:,.0f} {unit} in all would decide it, if the difference is as seen"


def _not_estimable(row: Mapping[str, Any], sides: Sides, _: PopulationWords | None) -> str:
    return (
        f"no verdict for {row['system']}, sentences {sides.first} and the same sentences "
        f"{sides.second} ({seen_on(row)}): {row['reason']}."
    )


def _lean(row: Mapping[str, Any], sides: Sides) -> str:
    if not row["value"]:
        return "a mean difference of 0"
    size, _ = size_and_interval(row)
    return f"{size} {sides.towards(row['value'] > 0)}"
