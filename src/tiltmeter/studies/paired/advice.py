"""What would decide an undecided claim: the next command, and how many sentences it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun, LargerDraw, PopulationCell, PopulationFacts
from tiltmeter.report.numbers import count
from tiltmeter.schemas import Verdict
from tiltmeter.shell import paste_words
from tiltmeter.studies.paired.verdict_wording import (
    COUPLES,
    MOST,
    NEAR,
    by_whom,
    margin_text,
)

NAMED = 3
"""Systems that a command names."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class NextStep:
    """What would decide a claim: a command with its cost, or why none would."""

    larger: LargerDraw | None
    why: str
    """Why no number of people decides it, where that is so."""
    stored: bool = False
    """Whether the system's scores came from a file, so that somebody else has to ask it."""

    def command(self, systems: Sequence[str]) -> str:
        """The command for some systems; past three, dots stand for the others."""
        if self.larger is None:
            return ""
        if self.stored:
            return (
                f"tiltmeter corpus export {self.larger.options.removeprefix('--corpus ')} -o FILE"
            )
        more = " …" if len(systems) > NAMED else ""
        listed = paste_words(systems[:NAMED])
        return f"tiltmeter audit {listed}{more} {self.larger.options}"

    @property
    def cost(self) -> str:
        """What it asks of each system."""
        return count(self.larger.sentences, "sentence") if self.larger else ""

    def facts(self, system: str) -> dict[str, Any]:
        """As findings.json holds it."""
        return {
            "command": self.command([system]) or None,
            "sentences": self.larger.sentences if self.larger else None,
            "why_none": self.why or None,
        }

    def said(self, systems: Sequence[str]) -> str:
        """In one sentence."""
        if self.larger is None:
            return self.why
        then = ", have each scored, and audit the scores" if self.stored else ""
        return f"{self.command(systems)} ({self.cost} a system){then}"


@dataclass(frozen=True, slots=True)
class NextSteps:
    """One step, and the claims and systems that it is for."""

    corpus: str
    step: NextStep
    claims: tuple[str, ...]
    """As in `gender by names`."""
    systems: tuple[str, ...]

    @property
    def subject(self) -> str:
        """What is undecided, and for whom."""
        more = len(self.systems) - NAMED
        listed = ", ".join(self.systems[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
        return f"{', '.join(self.claims)} ({listed})"

    @property
    def said(self) -> str:
        """What would decide it."""
        return self.step.said(self.systems)


def cells_of(
    population: PopulationFacts, axis: str, contrast: str, reference: str
) -> list[PopulationCell]:
    """The cells of a population whose people a contrast compares."""
    groups = contrast.removesuffix(f"-{reference}"), reference
    cells = [one for one in population.cells if one.groups.get(axis) in groups]
    return cells or list(population.cells)


def people_wanted(claim: Row, population: PopulationFacts) -> int | str | None:
    """How many of a cell would decide a claim by names; None where no number would.

    "all" where as many as there are would be needed.
    """
    needed = claim.get("needed_people")
    if claim["subset"] == COUPLES or needed is None or needed >= MOST:
        return None
    cells = cells_of(population, claim["axis"], claim["contrast"], claim["reference"])
    each = rounded_up(math.ceil(needed / len(cells)))
    return "all" if each >= min(one.names for one in cells) else each


def rounded_up(number: int) -> int:
    """To two digits, so that a draw is easily said and asked for.

    >>> rounded_up(7), rounded_up(431), rounded_up(1201)
    (7, 440, 1300)
    """
    unit = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // unit) * unit


def next_step(claim: Row, run: AuditRun) -> NextStep | None:
    """What would decide an undecided claim; None where it is decided, or nothing is known."""
    if claim["verdict"] != Verdict.UNDECIDED:
        return None
    stored = claim["system"] in (run.scores_from_files or ())
    larger = [
        one for one in run.larger if one.corpus == claim["corpus"] and claim["axis"] in one.axes
    ]
    population = run.populations.get(claim["corpus"])
    if not population:
        return NextStep(larger[0], "", stored) if larger else None
    people = people_wanted(claim, population)
    draw = next((one for one in larger if one.people == people), None)
    if people is not None and draw is not None:
        return NextStep(draw, "", stored)
    none = f"no number of {'couples' if claim['subset'] == COUPLES else 'names'} decides it"
    margin = f"the margin of {margin_text(claim['margin']).removesuffix(' of 100')}"
    if abs(abs(claim["value"]) - claim["margin"]) < NEAR * claim["margin"]:
        return NextStep(None, f"the difference lies so near {margin} that {none}")
    return NextStep(None, f"{none}: emotion words alone leave it on both sides of {margin}")


def next_steps(tilts: pl.DataFrame | None, run: AuditRun) -> list[NextSteps]:
    """What would decide what is undecided, each command or reason once; controls stay out."""
    if tilts is None or tilts.is_empty():
        return []
    controls = {one.system for one in run.systems if one.control}
    several = pl.col("contrast").n_unique().over("corpus", "axis") > 1
    undecided = tilts.with_columns(several=several).filter(verdict=Verdict.UNDECIDED)
    by_step: dict[tuple[str, NextStep], list[Row]] = {}
    for claim in undecided.iter_rows(named=True):
        if claim["system"] not in controls and (step := next_step(claim, run)):
            by_step.setdefault((str(claim["corpus"]), step), []).append(claim)
    return [
        NextSteps(
            corpus, step,
            tuple(dict.fromkeys(
                f"{one['axis']}{' ' + one['contrast'] if one['several'] else ''} {by_whom(one)}"
                for one in claims
            )),
            tuple(dict.fromkeys(str(one["system"]) for one in claims)),
        )
        for (corpus, step), claims in by_step.items()
    ]  # fmt: skip
