"""Drift on one page: a system asked again, and held against its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.findings import (
    Decision,
    Margins,
    Rule,
    drift_verdict,
    judged_changes,
    p_beyond,
)
from tiltmeter.flow.asked_again import AskedAgain, asked_again
from tiltmeter.flow.asking import manner_of
from tiltmeter.flow.audit_folder import AuditFolder, read_audit
from tiltmeter.flow.audit_phrases import phrases_of_audit
from tiltmeter.flow.change_terms import change_decision, check_apart
from tiltmeter.flow.drift_answers import TESTS, answers_told
from tiltmeter.flow.drift_notes import notes_told, versions_told
from tiltmeter.flow.environment import environment
from tiltmeter.flow.gating import silent_in
from tiltmeter.flow.subjects import Spec
from tiltmeter.flow.wanted import margins_given
from tiltmeter.measures import VersionStudy, contrasts_with_pairs, version_study
from tiltmeter.report import DriftMaterial, told_changes, write_drift_folder
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import Options

REPEATS = 2
"""How often each text is asked: two answers at one time tell what a system's own noise is."""


@dataclass(frozen=True, eq=False, repr=False)
class Drift:
    """What became of a system since its baseline."""

    baseline: Path
    verdict: str
    """drifted, steady or undecided."""
    answers: pl.DataFrame
    """A row for each system, task and corpus: how many answers changed, how far, beyond noise."""
    changes: pl.DataFrame
    """The change of tilt of each contrast, as in `Versions`."""
    moved: pl.DataFrame
    versions: pl.DataFrame
    """system, task, corpus, version and fingerprint before and now, and whether they differ."""
    notes: tuple[str, ...]
    asked: AskedAgain
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    phrases: Mapping[tuple[str, str, str], str]

    @cached_property
    def material(self) -> DriftMaterial:
        """What a report is made from."""
        return DriftMaterial(
            without_folders(str(self.baseline)), self.verdict, self.answers, self.changes,
            self.moved, self.versions, self.notes, self.run, self.environment, self.phrases,
        )  # fmt: skip

    def gate(self, undecided: str = "fail") -> Decision:
        """What a gate says: drifted, undecided or, of a steady service, pass."""
        moved = self.changes.with_columns(
            verdict=pl.col("verdict").replace({"better": "drifted", "worse": "drifted"})
        )
        return change_decision(moved, undecided, self.verdict, self.answers)

    def report(self, folder: Path | str = "tiltmeter-drift", *, force: bool = False) -> Path:
        """Write the page and everything beside it to a folder; returns the page's path."""
        where = Path(folder)
        check_apart(where, (self.baseline,))
        return write_drift_folder(
            self.material, self.asked.scores, self.asked.sentences, where, force=force
        )

    def __repr__(self) -> str:
        return f"Drift from {self.baseline}: {self.verdict}\n  tables: .answers .changes .moved"


def drift(
    baseline: Path | str,
    system: Spec | None = None,
    *,
    of: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    level: float = 0.05,
    sample: int | None = None,
    seed: int = 0,
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Drift:
    """Ask a system again and say whether it still answers as in its baseline, an audit's folder.

    `system` is a spec as in `audit`; without one the baseline's own is opened, if it is packaged
    with Tiltmeter or a plug-in: a folder may not say what is run or called. `of` is what the
    baseline calls it, where that holds several. Each text is asked twice unless
    `settings` say otherwise: two answers at one time tell the system's own noise. Stored answers
    are not used. `sample` takes that many whole frames.
    """
    rule = Rule(level=level)
    margins_given(margin)  # what no margin can be is said before anything is asked
    settings = settings or Settings(repeats=REPEATS)
    manner = manner_of(options, store, settings, progress)
    before = read_audit(baseline)
    margins = margins_given(margin, before.axes)
    asked = asked_again(before, system, of, manner, sample=sample, seed=seed)
    changes, moved = _changed(before, asked)
    tests = changes.height + TESTS * len(asked.scored)
    judged = judged_changes(changes, replace(rule, family=tests), margins)
    phrases = phrases_of_audit(before)
    answers = answers_told(before, asked, margins, rule.level, tests)
    versions = versions_told(before, asked)
    return Drift(
        before.path,
        drift_verdict(answers["verdict"], judged["verdict"], _beyond_margin(judged, rule, tests)),
        answers, told_changes(judged, phrases), moved, versions,
        (*notes_told(before, asked, versions), *_no_signal(before, judged)), asked,
        _facts(before, asked, rule, margins, tests, settings, seed), environment(command), phrases,
    )  # fmt: skip


def _no_signal(before: AuditFolder, changes: pl.DataFrame) -> list[str]:
    """That the baseline gave no signal: a system may be steady and read nothing."""
    silent = zip(changes["old_system"], silent_in(before, changes, "old_system"), strict=True)
    told = (f"{system} gave no signal in the baseline: {why}" for system, why in silent if why)
    return list(dict.fromkeys(told))


def _changed(before: AuditFolder, asked: AskedAgain) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The change of every tilt and the pairs that moved, corpus by corpus."""
    tried = [(_study(before, asked, corpus), corpus) for corpus in before.corpora]
    found = [(study, _of_corpus(before, corpus)) for study, corpus in tried if study is not None]
    if not found:
        what = f"{before.path}: no two sentences asked for can be compared"
        raise TiltmeterError(f"{what}; draw a larger --sample, or audit with --measure pairs")
    return (
        pl.concat([study.changes.with_columns(names) for study, names in found]),
        pl.concat([study.moved.with_columns(names) for study, names in found]),
    )


def _study(before: AuditFolder, asked: AskedAgain, corpus: str) -> VersionStudy | None:
    """What changed on one corpus; None where no two sentences are compared there."""
    sentences = asked.sentences.filter(pl.col("corpus") == corpus)
    old = before.scores.filter(pl.col("corpus") == corpus)
    known = contrasts_with_pairs(sentences, before.contrasts(corpus))
    if not known:
        return None
    people = before.people_of(corpus)
    return version_study(sentences, old, asked.scores, asked.pairs, known, people)


def _of_corpus(before: AuditFolder, corpus: str) -> list[pl.Expr]:
    edition = before.sentences.filter(pl.col("corpus") == corpus)["edition"][0]
    return [pl.lit(corpus).alias("corpus"), pl.lit(edition).alias("edition")]


def _beyond_margin(judged: pl.DataFrame, rule: Rule, tests: int) -> bool:
    """Whether a tilt surely moved by more than its margin, whichever way."""
    known = judged.filter(pl.col("reason").is_null())
    columns = (known[name].to_numpy() for name in ("change", "change_se", "change_df", "margin"))
    return bool((p_beyond(*columns) * tests < rule.level).any())


def _facts(
    before: AuditFolder,
    asked: AskedAgain,
    rule: Rule,
    margins: Margins,
    tests: int,
    settings: Settings,
    seed: int,
) -> dict[str, Any]:
    return {
        "baseline": {"folder": before.path.name, "run": before.run_values},
        "asked": [
            {"corpus": corpus, "system": one.card.name, "task": one.card.task,
             "version": one.card.version, "fingerprint": one.card.fingerprint,
             "texts": one.asked, "missing": one.missing}
            for corpus, one in asked.scored
        ],
        "sentences": asked.sentences.height,
        "repeats": settings.repeats,
        "seed": seed,
        "statistics": {
            "margins": margins.told(), "correction": rule.correction, "level": rule.level,
            "family": tests,
        },
    }  # fmt: skip
