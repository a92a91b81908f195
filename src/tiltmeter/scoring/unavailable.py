"""Systems that were named and could not be scored: the others are reported, these are named first.

A wrong spec is an error before anything is asked. What is here went wrong later: a service that
cannot be reached, a program that died, a model that gave too few scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.audit_run import UnavailableSystem
from tiltmeter.errors import SystemFailure, TiltmeterError, TooFewScoresError

FAILURES = (SystemFailure, TooFewScoresError)
"""What one system may do without taking the others' scores along."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A system that could not be scored, and why."""

    system: str
    why: str
    """What follows its name: `cannot be reached: no connection after 5 tries`."""
    error: TiltmeterError = field(compare=False, repr=False)
    corpora: tuple[str, ...] = ()
    """The corpora it has no scores of; none: of any."""


def unavailable(
    system: str, error: SystemFailure | TooFewScoresError, *corpora: str
) -> Unavailable:
    """A system under its name here, from what went wrong with it."""
    return Unavailable(system, error.what, error, corpora)


def none_left(failed: Sequence[Unavailable]) -> TiltmeterError:
    """What is said where no system is left to report on."""
    if len(failed) == 1:
        return failed[0].error
    listed = "\n".join(f"  {one.system} {one.why}" for one in failed)
    error = TiltmeterError(f"none of the {len(failed)} systems could be scored:\n{listed}")
    error.exit_code = max(one.error.exit_code for one in failed)
    return error


def unavailable_in(runs: Iterable[Any]) -> tuple[Unavailable, ...]:
    """Who is unavailable in the runs of one or several corpora, each once with its corpora."""
    every = list(runs)
    found: dict[tuple[str, str], list[Unavailable]] = {}
    for run in every:
        for one in run.unavailable:
            found.setdefault((one.system, one.why), []).append(one)
    return tuple(
        Unavailable(
            system, why, several[0].error,
            () if len(several) == len(every) else tuple(c for one in several for c in one.corpora),
        )
        for (system, why), several in found.items()
    )  # fmt: skip


def unavailable_facts(failed: Iterable[Unavailable]) -> tuple[UnavailableSystem, ...]:
    """For run.json and the page; nobody where every system was scored."""
    return tuple(UnavailableSystem(one.system, one.why, one.corpora) for one in failed)
