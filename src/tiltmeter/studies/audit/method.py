"""How it was measured: what a reader needs to believe the numbers, or to repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.audit_run import DEFAULT, RegressionSettings
from tiltmeter.report.numbers import count
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.verdict_wording import margin_text
from tiltmeter.studies.paired.wording import stored_lines

SPOKEN = {"bonferroni": "Bonferroni", "holm": "Holm", "bh": "Benjamini–Hochberg"}


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """What is known of one submission."""

    system: str
    task: str
    corpus: str
    version: str
    scale: str
    missing: str
    notes: tuple[str, ...]


def statistics(audit: AuditResults) -> Iterator[tuple[str, str]]:
    """The test, the correction and their settings."""
    given = audit.run.statistics
    if "pairs" in audit.measures:
        yield "Test", given.test
        how = "systems × tasks × corpora × contrasts"
        if given.family_given:
            how = "a number given by the user"
        named = SPOKEN.get(given.correction, given.correction)
        yield "Correction", f"{named}, family of {count(given.family, 'comparison')} ({how})"
        if audit.tilts is not None and not audit.tilts.is_empty():
            yield "Verdicts", VERDICTS
            own = (
                f"{name} {margin_text(one)}"
                for name, one in given.margins.items()
                if name != DEFAULT
            )
            yield "Margin", "; ".join([margin_text(given.margins[DEFAULT]), *own])
    yield from _regression(audit)
    yield "Level", f"{given.level:g} after correction"
    claims = audit.tilts is not None and not audit.tilts.is_empty()
    every = "of claims 95 % for all together; of pairs " if claims else ""
    yield "Intervals", f"{every}95 %, each by itself: not corrected"
    yield "Subset shown first", given.subset
    yield "Mode", given.mode
    for axis, group in given.reference.items():
        yield f"Reference for {axis}", f"each other group is compared with {group}"
    yield "Seed", str(given.seed)


VERDICTS = (
    "claims by names and by couples: people random (of a population with finite-population "
    "correction), templates and emotions fixed, words random within their emotion, and a floor for "
    "what a sample of people does not show; tilted where the interval lies beyond the margin, even "
    "where it lies within"
)


ERRORS = {
    "crossed": "clustered over names and over templates, CR2, Satterthwaite degrees of freedom",
    "mixed": "random names and templates in a linear model of the logit, by REML",
    "naive": "as if all sentences were independent",
}


def _regression(audit: AuditResults) -> Iterator[tuple[str, str]]:
    """What was fitted, its errors and its correction."""
    given = audit.run.regression or RegressionSettings()
    if not audit.regressed:
        return
    formulas = dict.fromkeys(one.formula for one in audit.regressed)
    yield "Regression", f"{'; '.join(formulas)}: Beta regression, logit link, common precision"
    yield "Its errors", ERRORS.get(given.errors, "")
    if given.precision:
        yield "Its precision", f"log φ depends on {given.precision}"
    rules = (rule for one in audit.regressed for rule in one.findings["rule"].head(1))
    yield "Its test", next(rules, "")


def gold(audit: AuditResults) -> str:
    """What skill was measured on; nothing without gold scores."""
    known = audit.run.gold
    if not known:
        return ""
    return f"{known.name}: {count(known.rows, 'text')}; ranked by {known.rank_by.capitalize()}"


def gold_notes(audit: AuditResults) -> list[str]:
    """How the gold scores were read."""
    return list(audit.run.gold.notes) if audit.run.gold else []


def environment(audit: AuditResults) -> Iterator[tuple[str, str]]:
    """Versions, machine, time, and the stored scores that were used."""
    known = audit.environment
    versions = known.get("versions", {})
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])
    if known.get("stored_scores"):
        yield "Stored scores", "; ".join(stored_lines(known["stored_scores"]))


def command(audit: AuditResults) -> str:
    """What to type to repeat the audit, as far as it is known."""
    return str(audit.environment.get("command") or "")


def python_call(audit: AuditResults) -> str:
    """The call that made the audit, where no command did."""
    systems = list(dict.fromkeys(one.system for one in audit.run.systems))
    if not systems or len(systems) > 20:
        return ""
    corpora = " ".join(f"--corpus {shlex.quote(one.name)}" for one in audit.compared)
    return f"tiltmeter audit {' '.join(map(shlex.quote, systems))} {corpora}"


def corpus_facts(compared: CorpusComparisons) -> str:
    """A corpus in a line."""
    pairs = ", ".join(
        f"{count(many, 'pair')} for {axis} ({name})"
        for axis, name, many in compared.study.counts.rows()
    )
    return f"{count(compared.size, 'sentence')}{f'; {pairs}' if pairs else ''}"


def set_aside(audit: AuditResults) -> list[tuple[str, str]]:
    """The files that could not be used, each with its reason, and for which corpora if not all."""
    if audit.set_aside is None:
        return []
    found: dict[tuple[str, str], dict[str, None]] = {}
    for file, reason, corpus in audit.set_aside.select("file", "reason", "corpus").rows():
        found.setdefault((file, reason), {})[corpus] = None
    every = {one.name for one in audit.compared}
    return [
        (file, reason if every <= set(corpora) else f"for {', '.join(corpora)}: {reason}")
        for (file, reason), corpora in found.items()
    ]


def cards(audit: AuditResults) -> Iterator[SubmissionFacts]:
    """What is known of each submission: version, scale, what was missing, notes."""
    sizes = {one.name: one.size for one in audit.compared}
    told: dict[tuple[str, str, str], list[str]] = {}
    if audit.notes is not None:
        for system, task, corpus, note in audit.notes.select(
            "system", "task", "corpus", "note"
        ).rows():
            told.setdefault((system, task, corpus), []).append(note)
    for one in audit.run.systems:
        key = (one.system, one.task, one.corpus)
        notes = dict.fromkeys([*told.get(key, ()), *one.notes])
        inferred = one.scale_known == "inferred"
        how = "inferred: every answer lies within it" if inferred else one.scale_known
        yield SubmissionFacts(
            *key,
            version=one.version or "not said",
            scale=f"{one.scale} ({how})" if one.scale else "not known: its own units",
            missing=missing(one.missing, sizes.get(key[2], 0)),
            notes=tuple(notes),
        )


def submission_facts(audit: AuditResults) -> dict[tuple[str, str, str], list[tuple[str, str]]]:
    """What is known by system, task and corpus: each fact with its name."""
    found: dict[tuple[str, str, str], list[tuple[str, str]]] = {}
    for card in cards(audit):
        facts = [
            ("Version", card.version), ("Scale", card.scale), ("Without a score", card.missing),
            ("Notes", "; ".join(card.notes)),
        ]  # fmt: skip
        key = card.system, card.task, card.corpus
        found.setdefault(key, [(name, fact) for name, fact in facts if fact])
    return found


def missing(many: int, size: int) -> str:
    """How many sentences have no score.

    >>> missing(0, 8640), missing(3456, 8640), missing(1, 8640)
    ('none', '3,456 of 8,640 sentences (40 %)', '1 of 8,640 sentences (less than 1 %)')
    """
    if not many:
        return "none"
    share = f"{100 * many / size:.0f} %" if size else "–"
    if many < size:
        share = {"0 %": "less than 1 %", "100 %": "more than 99 %"}.get(share, share)
    return f"{many:,} of {count(size, 'sentence')} ({share})"
