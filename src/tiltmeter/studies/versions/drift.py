"""Drift on one page: a system asked again, apart from what is stored, beside its baseline.

What is measured: how far answers moved beyond the system's own noise, and how each tilt changed.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.claims.changes import (
    ChangeVerdict,
    DriftVerdict,
    TextMean,
    drift_test,
    drift_verdict,
    judge_changes,
)
from tiltmeter.claims.gate import Decision
from tiltmeter.claims.judge import Rule
from tiltmeter.claims.verdict import Margins, p_beyond
from tiltmeter.errors import ArgumentError, TiltmeterError, argument, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.report.page import Page
from tiltmeter.report.study import Study, write
from tiltmeter.report.table import Table
from tiltmeter.scoring import (
    Progress,
    ScaleSource,
    Scored,
    Settings,
    Store,
    frames_drawn,
    on_scale,
    texts_of,
)
from tiltmeter.scoring.matrix import NATIVE, SCALE
from tiltmeter.scoring.open_systems import Spec, Subjects, open_systems
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import ScoringOptions, scoring_options, system_names
from tiltmeter.studies.audit.gate import no_signal_reasons
from tiltmeter.studies.audit.options import margins_given
from tiltmeter.studies.audit.stored_audit import AuditFolder, phrases_of_audit, read_audit
from tiltmeter.studies.paired.advice import NextStep
from tiltmeter.studies.versions.measure import (
    VersionPair,
    VersionStudy,
    contrasts_with_pairs,
    moved_answers,
    version_study,
)
from tiltmeter.studies.versions.notes import change_decision, check_apart, next_audit
from tiltmeter.studies.versions.tables import changes_table, document, with_rows
from tiltmeter.studies.versions.view import drift_page
from tiltmeter.studies.versions.wording import with_change_sentences
from tiltmeter.systems import Options, Scale, is_scores, open_packaged

BESIDE = "-drift"
"""What the folder is called, beside the store, that holds answers while asking is under way."""
STALE = 24 * 3600.0
"""Seconds after which a stopped check is begun anew: its answers are of another day."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """What a system answered this time."""

    sentences: pl.DataFrame
    """Of all corpora asked for."""
    scores: pl.DataFrame
    pairs: tuple[VersionPair, ...]
    scored: tuple[tuple[str, Scored], ...]
    """By corpus: each task's scores, and how they came about."""
    resumed: int = 0
    """Answers that an earlier, stopped check had gathered."""

    def called(self, scored: Scored) -> str:
        """What the baseline calls the system of these scores."""
        card = scored.card
        return next(p.old for p in self.pairs if (p.new, p.task) == (card.name, card.task))


def ask_again(
    baseline: AuditFolder,
    given: Spec | None,
    of: str | None,
    manner: ScoringOptions,
    *,
    sample: int | None,
    seed: int,
) -> AskedAgain:
    """Ask a system for a baseline's sentences, or for some of its frames."""
    target = _target(baseline, given, of)
    if isinstance(given, str | Path) and is_scores(str(given)):
        what = f"{given} holds scores made elsewhere, which cannot be asked again"
        raise TiltmeterError(f"{what}: audit the new file and use `tiltmeter compare`")
    sentences = baseline.sentences
    if sample is not None:
        if sample < 1:
            raise ArgumentError("sample", f"needs at least one frame; found {sample!r}")
        parts = []
        for _, part in sentences.group_by("corpus", maintain_order=True):
            frames = part.select("template", "frame", "emotion").unique(maintain_order=True)
            drawn = pl.Series("frame", frames_drawn(frames, sample, seed), pl.String).to_frame()
            parts.append(part.join(drawn, on="frame", how="semi", maintain_order="left"))
        sentences = pl.concat(parts)
    tasks = [task for system, task in baseline.submissions if system == target]
    with (
        _open(baseline, target, given, tasks, manner.options) as subjects,
        _apart(manner, baseline, subjects) as apart,
    ):
        manner.options.scales.check(system_names(subjects))
        found = list[tuple[str, Scored]]()
        for (corpus,), part in sentences.group_by("corpus", maintain_order=True):
            for subject in subjects.systems:  # on the scale of the baseline, unless one is declared
                facts = baseline.run.system(target, subject.system.card.task, str(corpus))
                ends = facts.scale_ends if facts else None
                scored = apart.ask(subject, texts_of(part), scale=Scale(*ends) if ends else None)
                inferred = scored.resolved_scale.known is ScaleSource.INFERRED
                if inferred and facts:  # and the baseline knew of none
                    unbounded = replace(
                        scored.resolved_scale, scale=None, known=ScaleSource.UNBOUNDED
                    )
                    scored = on_scale(scored, unbounded)
                found.append((str(corpus), scored))
    if manner.progress:  # they stand in the check's own folder now, once that is written
        manner.progress.keep(-sum(scored.asked for _, scored in found))
    for card in (scored.card for _, scored in found):
        if card.task not in tasks:
            what = f"{card.name} answers for {card.task}"
            raise TiltmeterError(f"{what}; the baseline has {target} for {', '.join(tasks)}")
    pairs = dict.fromkeys(
        VersionPair(target, scored.card.name, scored.card.task) for _, scored in found
    )
    return AskedAgain(
        sentences,
        pl.concat([scored.scores for _, scored in found]),
        tuple(pairs),
        tuple(found),
        sum(scored.known for _, scored in found),
    )


@contextmanager
def _open(
    baseline: AuditFolder, target: str, given: Spec | None, tasks: Sequence[str], options: Options
) -> Iterator[Subjects]:
    """The system that the user names, else the baseline's own, if a folder may name it."""
    with ExitStack() as stack:
        specs: list[Spec] = [] if given is None else [given]
        for task in tasks if given is None else ():
            instead = "name the system yourself, as `tiltmeter drift BASELINE SYSTEM`"
            system = open_packaged(target, replace(options, task=task), baseline.path, instead)
            stack.callback(system.close)
            specs.append(system)
        yield stack.enter_context(open_systems(specs, tasks, options))


def _target(baseline: AuditFolder, given: Spec | None, of: str | None) -> str:
    """The baseline's system that is asked again."""
    names = list(dict.fromkeys(system for system, _ in baseline.submissions))
    if of is not None:
        if of not in names:
            near = did_you_mean(of, names) or f"it holds {', '.join(names[:8])}"
            raise TiltmeterError(f"the baseline has no system {of!r}: {near}")
        return of
    if given is not None and (name := without_folders(str(given))) in names:
        return name
    if len(names) > 1:
        listed = ", ".join(names[:8])
        which = argument("of", "--as")
        raise TiltmeterError(
            f"the baseline holds several systems, {listed}: say which with {which}"
        )
    return names[0]


@contextmanager
def _apart(
    manner: ScoringOptions, baseline: AuditFolder, subjects: Subjects
) -> Iterator[ScoringOptions]:
    """The same manner with a store of its own, removed once everything is answered."""
    parts = [
        str(baseline.path.resolve()),
        *(one.system.card.fingerprint for one in subjects.systems),
    ]
    key = hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]
    where = Path(f"{manner.store.path}{BESIDE}") / key
    if where.exists() and time.time() - where.stat().st_mtime > STALE:
        shutil.rmtree(where, ignore_errors=True)
    yield replace(manner, store=Store(where), settings=replace(manner.settings, reuse="missing"))
    shutil.rmtree(where, ignore_errors=True)
    with suppress(OSError):  # another check is under way
        where.parent.rmdir()


MEAN = ("value", "se", "df", "low", "high")
TESTS = 2
"""Tests of each system's answers: how far they moved beyond noise, and on average."""


def answer_changes(
    before: AuditFolder, asked: AskedAgain, margins: Margins, level: float, tests: int
) -> pl.DataFrame:
    """A row for each system, task and corpus: how far answers moved, and the verdict."""
    rows = []
    for corpus, scored in asked.scored:
        name, task, margin = asked.called(scored), scored.card.task, margins.default
        old = before.scores.filter(system=name, task=task, corpus=corpus)
        on_scale = all(one["score"].null_count() < one.height for one in (old, scored.scores))
        texts = asked.sentences.filter(pl.col("corpus") == corpus).select("id", "text")
        then, now = (
            one.join(texts, on="id").select("text", "repeat", score="score" if on_scale else "raw")
            for one in (old, scored.scores)
        )
        width = 1.0
        if not on_scale:  # nobody knows how wide the scale is: the range of all answers
            every = pl.concat([then["score"], now["score"]]).drop_nulls().to_numpy()
            width = float(every.max() - every.min()) if every.size else 1.0
        found = moved_answers(then, now, width=width)
        beyond, shift = found.beyond, found.shift
        test = drift_test(
            None if beyond is None else TextMean(beyond.value, beyond.se, beyond.df),
            TextMean(shift.value, shift.se, shift.df), margin,
            changed=found.changed, level=level, family=tests, on_scale=on_scale,
        )  # fmt: skip
        row: dict[str, Any] = {"old_system": name, "new_system": scored.card.name, "task": task}
        row |= {"corpus": corpus, "unit": SCALE if on_scale else NATIVE, "margin": margin}
        row |= asdict(found)
        for mean in ("shift", "beyond"):  # its value under its own name, its ends as in shift_low
            parts = row.pop(mean) or dict.fromkeys(MEAN)
            row |= {mean if part == "value" else f"{mean}_{part}": parts[part] for part in MEAN}
        rows.append(row | asdict(test))
    return pl.DataFrame(rows, infer_schema_length=None).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


VERSION = ("version", "fingerprint", "scale")


def version_table(before: AuditFolder, asked: AskedAgain) -> pl.DataFrame:
    """What is known of the system before and now."""
    rows = []
    for corpus, scored in asked.scored:
        name, task = asked.called(scored), scored.card.task
        known = before.run.system(name, task, corpus)
        scale = scored.resolved_scale.scale
        now = (scored.card.version, scored.card.fingerprint, str(scale) if scale else None)
        row: dict[str, Any] = {"old_system": name, "new_system": scored.card.name, "task": task}
        row["corpus"] = corpus
        for label, value in zip(VERSION, now, strict=True):
            was = getattr(known, label, None)
            row |= {f"old_{label}": None if was is None else str(was), f"new_{label}": value}
        rows.append(row | {"asked": scored.asked, "missing": scored.missing})
    return pl.DataFrame(rows, infer_schema_length=None)


def drift_notes(before: AuditFolder, asked: AskedAgain, versions: pl.DataFrame) -> Iterator[str]:
    """What a reader should know, a changed version first."""
    for row in versions.unique(("new_system", "task"), maintain_order=True).to_dicts():
        # What is said first: the system is another one than the baseline's
        name = f"{row['new_system']} ({row['task']})"
        if row["old_fingerprint"] and row["old_fingerprint"] != row["new_fingerprint"]:
            was, now = row["old_version"] or "unknown", row["new_version"] or "unknown"
            change = f"; version {was} before, {now} now" if was != now else ""
            yield f"{name} is not the system of the baseline: its fingerprint changed{change}"
        if row["old_scale"] != row["new_scale"]:
            yield f"{name}: the scale was {row['old_scale']} and is {row['new_scale']} now"
    if asked.sentences.height < before.sentences.height:
        yield (
            f"asked for {asked.sentences.height:,} of the baseline’s {before.sentences.height:,} "
            "sentences, in whole frames"
        )
    if asked.resumed:
        yield f"{asked.resumed:,} answers are of a check within the last day that was stopped"
    for corpus, scored in asked.scored:
        if scored.missing:
            lost = f"{scored.missing:,} answers are missing, most often because: {scored.why}"
            yield f"{scored.card.name} ({scored.card.task}, {corpus}): {lost}"


REPEATS = 2
"""How often each text is asked: two answers at one time tell what a system's own noise is."""


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Study):
    """What became of a system since its baseline."""

    baseline: Path
    verdict: str
    """drifted, steady or undecided."""
    answers: pl.DataFrame
    """A row for each system, task and corpus: how many answers changed, how far, beyond noise."""
    changes: pl.DataFrame
    """The change of tilt of each contrast, as in `Versions`."""
    moved: pl.DataFrame
    telling: pl.DataFrame
    """As in `Versions`."""
    versions: pl.DataFrame
    """system, task, corpus, version and fingerprint before and now, and whether they differ."""
    notes: tuple[str, ...]
    asked: AskedAgain
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    phrases: Mapping[tuple[str, str, str], str]
    asked_before: str = ""
    """When the baseline was made, as it says."""
    next_audit: NextStep | None = None
    """The audit that would make a baseline on which what is undecided can be decided."""

    @property
    def baseline_name(self) -> str:
        """The baseline's folder, as a report names it."""
        return without_folders(str(self.baseline))

    def page(self) -> Page:
        """drift.html."""
        return drift_page(self)

    def tables(self) -> list[Table]:
        """Every table that is not empty."""
        return with_rows([
            Table("answers", self.answers), Table("versions", self.versions),
            changes_table(self.changes), Table("pairs", self.moved),
        ])  # fmt: skip

    def data(self) -> dict[str, pl.DataFrame]:
        """What was asked, and the new answers."""
        return {"scores": self.asked.scores, "sentences": self.asked.sentences}

    def document(self) -> tuple[str, str]:
        """drift.json."""
        head = {"baseline": self.baseline_name, "verdict": self.verdict, "notes": self.notes}
        return "drift.json", document(
            head, self.run, self.environment, answers=self.answers, versions=self.versions,
            changes=changes_table(self.changes).frame, pairs=self.moved,
        )  # fmt: skip

    def gate(self, undecided: str = "fail") -> Decision:
        """What a gate says: drifted, undecided or, of a steady service, pass."""
        moved = self.changes.with_columns(
            verdict=pl.col("verdict").replace(
                [ChangeVerdict.BETTER.value, ChangeVerdict.WORSE.value], DriftVerdict.DRIFTED.value
            )
        )
        return change_decision(moved, undecided, self.verdict, self.answers)

    def report(self, folder: Path | str = "tiltmeter-drift", *, force: bool = False) -> Path:
        """Write the page and everything beside it to a folder; returns the page's path."""
        where = Path(folder)
        check_apart(where, (self.baseline,))
        return write(self, where, force=force)

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
    manner = scoring_options(options, store, settings, progress)
    before = read_audit(baseline)
    margins = margins_given(margin, before.axes)
    asked = ask_again(before, system, of, manner, sample=sample, seed=seed)
    studies = list[VersionStudy]()
    for corpus in before.corpora:
        sentences = asked.sentences.filter(corpus=corpus)
        known = contrasts_with_pairs(sentences, before.contrasts(corpus))
        if known:
            old, people = before.scores.filter(corpus=corpus), before.people_of(corpus)
            study = version_study(sentences, old, asked.scores, asked.pairs, known, people)
            edition = before.sentences.filter(corpus=corpus)["edition"][0]
            studies.append(study.on_corpus(corpus, edition))
    if not studies:
        what = f"{before.path}: no two sentences asked for can be compared"
        larger, pairs = argument("sample"), f"{argument('measures', '--measure')} pairs"
        raise TiltmeterError(f"{what}; draw a larger {larger}, or audit with {pairs}")
    changes = pl.concat([study.changes for study in studies])
    tests = changes.height + TESTS * len(asked.scored)
    judged = judge_changes(changes, replace(rule, family=tests), margins)
    phrases = phrases_of_audit(before)
    answers = answer_changes(before, asked, margins, rule.level, tests)
    versions = version_table(before, asked)
    # whether a tilt surely moved by more than its margin, whichever way
    sound = judged.filter(pl.col("reason").is_null())
    columns = (sound[name].to_numpy() for name in ("change", "change_se", "change_df", "margin"))
    beyond = bool((p_beyond(*columns) * tests < rule.level).any())
    # a system may be steady and read nothing
    silent = zip(judged["old_system"], no_signal_reasons(before, judged, "old_system"), strict=True)
    notes = (f"{system} gave no signal in the baseline: {why}" for system, why in silent if why)
    run = {
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
            "margins": margins.to_dict(), "correction": rule.correction, "level": rule.level,
            "family": tests,
        },
    }  # fmt: skip
    return Drift(
        before.path, drift_verdict(answers["verdict"], judged["verdict"], beyond),
        answers, with_change_sentences(judged, phrases),
        pl.concat([study.moved for study in studies]),
        pl.concat([study.telling for study in studies]), versions,
        (*drift_notes(before, asked, versions), *dict.fromkeys(notes)), asked, run,
        environment(command), phrases, str(before.environment.get("time") or ""),
        next_audit(judged, before),
    )  # fmt: skip
