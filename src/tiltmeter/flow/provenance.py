"""How an audit came about: what determines its findings, and where and when it was made.

The first is the same for the same scores and options, to the byte; the second is not.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from tiltmeter.findings import Rule
from tiltmeter.flow.runs import Run
from tiltmeter.measures import PairStudy
from tiltmeter.scoring import Scored

PARTS = ("tiltmeter", "numpy", "scipy", "polars")


def run_facts(
    runs: Sequence[Run],
    studies: Sequence[PairStudy],
    rule: Rule,
    *,
    mode: str,
    subset: str,
    seed: int,
    reference: Mapping[str, str] | None,
) -> dict[str, Any]:
    """What determines the findings: corpora, systems and statistics."""
    return {
        "corpora": [_corpus(run, study) for run, study in zip(runs, studies, strict=True)],
        "systems": [system_facts(run, scored) for run in runs for scored in run.scored],
        "statistics": {
            "mode": mode,
            "subset": subset,
            "test": "paired t-test, two-sided",
            "correction": rule.correction,
            "level": rule.level,
            "family": rule.family or _comparisons(studies),
            "family_given": rule.family is not None,
            "reference": dict(reference or {}),
            "seed": seed,
        },
    }


def _comparisons(studies: Sequence[PairStudy]) -> int:
    """Systems × tasks × corpora × axes × contrasts."""
    return sum(study.submissions.height * study.counts.height for study in studies)


def _corpus(run: Run, study: PairStudy) -> dict[str, Any]:
    return {
        "name": run.corpus.name,
        "title": run.corpus.title,
        "edition": run.corpus.edition,
        "language": run.corpus.language,
        "sentences": run.size,
        "checksum": run.corpus.checksum,
        "sample": run.sample,
        "pairs": [
            {"axis": axis, "contrast": contrast, "pairs": pairs}
            for axis, contrast, pairs in study.counts.rows()
        ],
    }


def system_facts(run: Run, scored: Scored) -> dict[str, Any]:
    """What a system is, and how its scores of one corpus came about."""
    card, settled = scored.card, scored.settled
    return {
        "system": card.name,
        "task": card.task,
        "corpus": run.corpus.name,
        "version": card.version,
        "licence": card.licence,
        "fingerprint": card.fingerprint,
        "scale": str(settled.scale) if settled.scale else None,
        "scale_known": settled.how,
        "missing": scored.missing,
        "outside": settled.outside,
        "noise": scored.noise,
        "notes": list(card.notes),
    }


def environment(command: str) -> dict[str, Any]:
    """Versions, machine, command and time: what may differ between runs that find the same."""
    return {
        "versions": {"python": platform.python_version()} | {name: version(name) for name in PARTS},
        "platform": platform.platform(),
        "command": command.encode(errors="replace").decode(),  # bytes that are no letters
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
