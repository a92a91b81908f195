"""How scores came about: each system's card and scale, what was stored, versions and machine."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.scoring import Scored

PARTS = ("tiltmeter", "numpy", "scipy", "polars")


def audited_system(corpus: str, scored: Scored) -> AuditedSystem:
    """What a system is, and how its scores of one corpus came about."""
    card, known = scored.card, scored.settled
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
            "reason": one.check.reason,
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
