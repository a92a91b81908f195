"""How scores came about: each system's card and scale, what was stored, versions and machine."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tiltmeter.audit_run import AuditedSystem, UnavailableSystem
from tiltmeter.errors import SystemFailure, TiltmeterError, TooFewScoresError

if TYPE_CHECKING:
    from tiltmeter.scoring.scored import Scored

PARTS = ("tiltmeter", "numpy", "scipy", "polars")


def audited_system(corpus: str, scored: Scored) -> AuditedSystem:
    """What a system is, and how its scores of one corpus came about."""
    card, known = scored.card, scored.resolved_scale
    return AuditedSystem(
        system=card.name,
        task=card.task,
        corpus=corpus,
        version=card.version,
        licence=card.licence,
        fingerprint=card.fingerprint,
        scale=str(known.scale) if known.scale else None,
        scale_ends=(known.scale.low, known.scale.high) if known.scale else None,
        scale_known=known.known.value,
        repeats=scored.repeats,
        missing=scored.missing,
        outside=known.outside,
        noise=scored.noise,
        notes=tuple(card.notes),
        languages=tuple(card.languages),
        control=card.control.value if card.control else None,
    )


def stored_facts(corpus: str, scored: Iterable[Scored]) -> list[dict[str, Any]]:
    """What was used of the store, system by system, and whether it still holds."""
    return [
        {
            "system": one.card.name, "task": one.card.task, "corpus": corpus, "used": one.known,
            **dict(zip(("first", "last"), map(_utc, one.written or ()), strict=False)),
            "asked_again": one.check.texts, "agreement": one.check.agreement.value,
            "reason": one.check.reason, "few_for_price": one.check.few_for_price,
        }
        for one in scored
        if one.known
    ]  # fmt: skip


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def environment(command: str, stored: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Versions, machine, command and time: what may differ between runs that find the same.

    Also what was taken from the store: another run may have asked for it.
    """
    return {
        "versions": versions_here(),
        "platform": platform.platform(),
        "command": command.encode(errors="replace").decode(),  # bytes that are no letters
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **({"stored_scores": list(stored)} if stored else {}),
    }


def versions_here() -> dict[str, str]:
    """The versions that a number may depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in PARTS}


FAILURES = (SystemFailure, TooFewScoresError)
"""What one system may do without taking the others' scores along."""


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A system that could not be scored, and why: the others are reported, these are named first.

    A wrong spec is an error before anything is asked. This went wrong later: a service that cannot
    be reached, a program that died, a model that gave too few scores.
    """

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
