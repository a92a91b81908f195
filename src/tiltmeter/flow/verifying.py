"""A pack verified: every file is what was packed, and the findings follow from the answers.

    files ──hashes──▶ answers ──scale──▶ scores ──statistics of run.json──▶ findings = those stored

What this shows is that findings, answers and sentences belong together. It does not show that the
answers came from the system that is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.flow.recomputing import recompute
from tiltmeter.flow.run_shape import said_of
from tiltmeter.report import Evidence, evidence_in


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what was seen."""

    what: str
    seen: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A pack in which everything that could be looked at was as it should be."""

    path: Path
    fingerprint: str
    findings: int
    """How many were recomputed."""
    checks: tuple[Check, ...]

    @property
    def json(self) -> str:
        """What was checked, for other programs."""
        told = asdict(self) | {"path": without_folders(str(self.path)), "verified": True}
        return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


@dataclass(slots=True)
class Heard:
    """What was seen so far; somebody may listen."""

    told: Callable[[Check], object]
    checks: list[Check] = field(default_factory=list)

    def add(self, what: str, seen: str) -> None:
        """A further check that went well."""
        self.checks.append(Check(what, seen))
        self.told(self.checks[-1])


def verify(
    path: Path | str,
    *,
    fingerprint: str | None = None,
    told: Callable[[Check], object] = lambda _: None,
) -> Verified:
    """Verify a pack or an output folder; whatever is not as it should be is raised.

    `fingerprint` is what the pack should have, noted down when it was made; `told` hears of every
    check as it is done.
    """
    where, heard = Path(path), Heard(told)
    with evidence_in(where) as files:
        _check_files(files, fingerprint, heard)
        with said_of(where):
            many = recompute(files, heard.add)
    return Verified(where, files.manifest.fingerprint, many, tuple(heard.checks))


def _check_files(files: Evidence, wanted: str | None, heard: Heard) -> None:
    entries, found = files.manifest.entries, files.manifest.fingerprint
    size = sum(one.bytes for one in entries) / 1e6
    heard.add("files", f"{len(entries):,}, {size:,.1f} MB: each as it was written, none missing")
    if files.besides:
        heard.add("besides", f"not part of the results: {', '.join(files.besides[:5])}")
    if wanted is not None and wanted.strip().lower() != found:
        what = f"{files.where}: this is another pack: its fingerprint is {found}"
        raise TiltmeterError(f"{what}; expected {wanted}")
    heard.add("fingerprint", found)
