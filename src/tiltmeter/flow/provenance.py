"""How an audit came about: what determines its findings, and where and when it was made.

The first is the same for the same scores and options, to the byte; the second is not.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Axis, Corpus
from tiltmeter.findings import Apart
from tiltmeter.flow.concluding import Statistics
from tiltmeter.flow.runs import Run
from tiltmeter.measures import PairStudy
from tiltmeter.scoring import Scored

PARTS = ("tiltmeter", "numpy", "scipy", "polars")


def run_facts(
    runs: Sequence[Run], studies: Sequence[PairStudy], how: Statistics, apart: Apart
) -> dict[str, Any]:
    """What determines the findings: corpora, systems and statistics.

    `tiltmeter verify` finds them again from these facts, the sentences and the answers alone.
    """
    return {
        "corpora": [_corpus(run, study) for run, study in zip(runs, studies, strict=True)],
        "systems": [system_facts(run, scored) for run in runs for scored in run.scored],
        "statistics": {
            "mode": how.mode,
            "subset": how.subset,
            "test": "paired t-test, two-sided",
            "correction": how.rule.correction,
            "level": how.rule.level,
            "family": how.rule.family or _comparisons(runs, studies, apart),
            "family_given": how.rule.family is not None,
            "reference": dict(how.reference),
            "all_pairs": how.all_pairs,
            "apart": how.apart,
            "seed": how.seed,
            "measures": list(how.wanted.measures),
            "formula": how.wanted.model.formula,
            "everywhere": how.wanted.everywhere,
            "flips": how.flips,
            "margins": how.margins.told(),
            "thresholds": list(how.thresholds),
        },
    }


def _comparisons(runs: Sequence[Run], studies: Sequence[PairStudy], apart: Apart) -> int:
    """Systems × tasks × corpora × axes × contrasts, without those apart unless all are."""
    contrasts = np.array([study.counts.height for study in studies])
    named = [
        study.submissions.with_columns(corpus=pl.lit(run.corpus.name))
        for run, study in zip(runs, studies, strict=True)
    ]
    aside = [apart.among(one) for one in named]
    main = np.array([(~one).sum() for one in aside]) @ contrasts
    return int(main or np.array([one.size for one in aside]) @ contrasts)


def _corpus(run: Run, study: PairStudy) -> dict[str, Any]:
    return {
        "name": run.corpus.name,
        "title": run.corpus.title,
        "edition": run.corpus.edition,
        "language": run.corpus.language,
        "sentences": run.size,
        "checksum": run.corpus.checksum,
        "axes": [_axis(axis) for axis in run.corpus.axes],
        "sample": run.sample,
        "population": run.corpus.population.facts() if run.corpus.population else None,
        "drawn_from": _kinds(run.corpus) if run.sample else None,
        "in_parts": study.whole is not None,
        "pairs": [
            {"axis": axis, "contrast": contrast, "pairs": pairs}
            for axis, contrast, pairs in study.counts.rows()
        ],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    """An axis, its groups, and how their sentences are spoken of."""
    phrases = {group: axis.phrase(group) for group in axis.groups}
    return {"name": axis.name, "groups": list(axis.groups), "phrases": phrases}


def _kinds(corpus: Corpus) -> list[dict[str, Any]]:
    """What kinds of sentences a sample was drawn from: what is said of whom, by the axes known.

    A regression takes the sentences that a task has in the whole corpus, drawn or not.
    """
    axes = [axis.name for axis in corpus.axes]
    kind = [pl.col("emotion"), *(pl.col(axis).is_not_null() for axis in axes)]
    every = [batch.select(kind).unique() for batch in corpus.batches()]
    found = pl.concat(every).unique().sort("emotion", *axes, nulls_last=False)
    return [
        {"emotion": row["emotion"], "axes": [axis for axis in axes if row[axis]]}
        for row in found.to_dicts()
    ]


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
        "scale_ends": [settled.scale.low, settled.scale.high] if settled.scale else None,
        "scale_known": settled.known.value,
        "repeats": scored.repeats,
        "missing": scored.missing,
        "outside": settled.outside,
        "noise": scored.noise,
        "notes": list(card.notes),
        "languages": list(card.languages),
        "control": card.control,
    }


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
