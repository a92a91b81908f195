"""What is worth knowing besides: what could not be compared, and remarks on scores and files."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tiltmeter.audit_run import DEFAULT, RegressionSettings
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import groups_lacking, unpaired_note, unpaired_sentences
from tiltmeter.report.numbers import count
from tiltmeter.scoring.corpus_scores import LargeRun, Run
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.pairs import PairStudy
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons
from tiltmeter.studies.paired.verdict_wording import margin_text
from tiltmeter.studies.paired.wording import stored_lines
from tiltmeter.studies.skill.gold import Labelled, Note
from tiltmeter.systems import SCORE_FILES, FileReport

# ---- what is worth knowing besides: what could not be compared, and remarks on scores and files


SET_ASIDE = ("system", "corpus", "file", "reason")


def unpaired_contrasts(study: PairStudy, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each contrast that no pair is of; of an axis' many groups, one for all."""
    there = set(study.counts.select("axis", "contrast").rows())
    unpaired = [one for one in contrasts if (one.axis, one.name) not in there]
    notes = [
        f"{one.axis}: no frame has sentences of all {len(one.groups):,} groups, so none can be "
        "compared with the average of all; --all-pairs compares every two, --reference each with "
        "one"
        if one.groups
        else f"no two matched sentences differ in {one.axis} as {one.first} and {one.second} do"
        for one in unpaired
    ]
    return tuple(dict.fromkeys(notes))


def frames_left_out(run: Run, contrasts: Sequence[Contrast]) -> tuple[str, ...]:
    """A note on each axis whose groups are compared with the average of all, but not everywhere."""
    if isinstance(run, LargeRun):
        return ()
    notes = []
    for axis in run.corpus.axes:
        if not any(one.axis == axis.name and one.groups for one in contrasts):
            continue
        short, lacking = groups_lacking(run.sentences, axis)
        if short:
            group, many = max(lacking.items(), key=lambda one: one[1])
            notes.append(
                f"{axis.name}: {count(short, 'match of a frame lacks', 'matches of frames lack')} "
                f"some group and {'is' if short == 1 else 'are'} left out of the comparison with "
                f"the average of all; {group} is not in {many:,}"
            )
    return tuple(notes)


def sentences_left_out(run: Run) -> tuple[str, ...]:
    """A note on each axis of a user's table of which some sentences are in no pair.

    Templates make whole frames; a table need not, as where inflected words part its frames.
    """
    if run.corpus.design is not None:
        return ()
    blocks = run.corpus.blocks() if isinstance(run, LargeRun) else [run.sentences]
    unpaired, among = Counter[str](), Counter[str]()
    for sentences in blocks:
        for axis in run.corpus.axes:
            unpaired[axis.name] += unpaired_sentences(sentences, axis).height
            among[axis.name] += int(sentences[axis.name].count())
    return tuple(unpaired_note(axis, many, among[axis]) for axis, many in unpaired.items() if many)


def signal_unknown(run: Run, apart: Exclusions) -> Iterator[str]:
    """A note where it could not be told whether scores move with the emotion words."""
    whose: dict[str, list[str]] = {}
    for one in run.scored:
        if why := apart.not_assessed.get((one.card.name, one.card.task, run.corpus.name)):
            whose.setdefault(why, []).append(one.card.name)
    for why, names in whose.items():
        of = "" if len(names) == len(run.scored) else f" of {', '.join(dict.fromkeys(names))}"
        yield f"whether scores{of} move with the emotion words (signal) was not assessed: {why}"


def submission_notes(runs: Sequence[Run], labelled: Labelled) -> pl.DataFrame:
    """What is worth knowing of each submission, a row a note."""
    rows = list[Note]()
    for run in runs:
        name = run.corpus.name
        for scored in run.scored:
            rows += [(scored.card.name, scored.card.task, name, note) for note in scored.remarks]
        for report in run.reports:
            tasks = ", ".join(report.tasks)
            rows += [(report.system, tasks, name, note) for note in report.notes]
            rows += [(one.system, one.task, name, one.note) for one in report.directions]
    rows += labelled.notes
    schema = dict.fromkeys(("system", "task", "corpus", "note"), pl.String)
    return pl.DataFrame(rows, schema, orient="row")


def files_set_aside(runs: Sequence[Run]) -> pl.DataFrame:
    """Every file that could not be used, with its reason: a row for each system it is of."""
    rows = [
        (system, run.corpus.name, report.name, report.set_aside)
        for run in runs
        for report in run.reports
        if report.set_aside
        for system in _whose(run, report)
    ]
    return pl.DataFrame(rows, dict.fromkeys(SET_ASIDE, pl.String), orient="row")


def _whose(run: Run, report: FileReport) -> tuple[str | None, ...]:
    """The systems of a file's own sub-folder, else the one that it would be; null for none."""
    if Path(report.name).parent == Path():
        return (report.system if report.path.suffix.lower() in SCORE_FILES else None,)
    beside = {
        one.card.name: None
        for one, source in zip(run.scored, run.sources, strict=True)
        if not isinstance(source, int) and source[0].parent == report.path.parent
    }
    return tuple(beside) or (report.system,)


# ---- how it was measured: what a reader needs to believe the numbers, or to repeat them


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
