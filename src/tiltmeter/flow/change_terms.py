"""The terms of a comparison or a drift check: what undecided does, and where results go."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tiltmeter.errors import TiltmeterError


def passes(undecided: str) -> bool:
    """Whether what is undecided passes a gate."""
    if undecided not in ("fail", "pass"):
        raise TiltmeterError(f"--undecided is fail or pass; found {undecided!r}")
    return undecided == "pass"


def check_apart(folder: Path, audits: Iterable[Path]) -> None:
    """Refuse to write over an audit that is compared."""
    for audit in audits:
        if folder.resolve() == audit.resolve():
            raise TiltmeterError(f"{folder}: is one of the audits; choose another folder with -o")
