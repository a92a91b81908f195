"""An audit's output folder or pack read back: the one place where either is opened.

    open_evidence ──digests──▶ open_audit ──run, findings──▶ read_audit ──tables──▶ AuditFolder

What `AuditFolder` hands out was held against its digest, keeps to its schema, fits the other files,
and every score follows from its answer. What an audit claims is not read: `claims` measures it from
the answers, so that no number that somebody wrote decides anything. `verify` compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
from msgspec.structs import asdict

from tiltmeter.audit_run import (
    DEFAULT,
    AuditedCorpus,
    AuditedSystem,
    AuditRun,
    Count,
    Number,
    Words,
    missing_keys,
)
from tiltmeter.claims.judge import Rule
from tiltmeter.claims.verdict import Margins
from tiltmeter.corpora import Axis, Corpus, PopulationSummary, corpus_names, load_corpus
from tiltmeter.errors import IncompleteError, Problem, ProblemsError, TableError, TiltmeterError
from tiltmeter.files import parquet_frame
from tiltmeter.records import Record, RecordFile, check_record
from tiltmeter.report.pack import ALTERED, Evidence, check_version, open_evidence
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, TableSchema, validate
from tiltmeter.schemas import FINDINGS as FINDINGS_TABLE
from tiltmeter.scoring import MOST_REPEATS, ScaleSource, Scored, Texts, assemble, on_scale, texts_of
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.stats.paired_tests import MOST_FLIPS
from tiltmeter.studies.audit.findings import FINDINGS_VERSION
from tiltmeter.studies.audit.options import CORRECTED, Statistics, contrasts_wanted
from tiltmeter.studies.paired.contrasts import Contrast
from tiltmeter.studies.paired.labels import thresholds_given
from tiltmeter.studies.paired.signal import signal_estimates
from tiltmeter.studies.paired.tilt import MOVED, TILT, tilt_estimates
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.run import PAIRS, REGRESSION, Wanted
from tiltmeter.systems import Card, Control, Scale

RUN, FINDINGS = "run.json", "findings.json"
TABLES = {one.name: f"{one.name}.parquet" for one in (SENTENCES, PEOPLE, SCORES, ESTIMATES)}
EXPECTED = "the folder that `tiltmeter audit … -o DIR` wrote, or its pack"
NO_AUDIT = "says what no audit does: it was altered or damaged"
MOST_ANSWERS = 5_000_000
"""Answers of a folder that are read again: some 2 GB."""
LARGEST_NUMBER = 1e100
"""Of a score, or a weight: the square of a larger one may be no number any more."""
NEAR = 1e-9
"""Parts of the scale within which a score is the same."""


# ---- run.json and findings.json


class ShareMoved(Record):
    """Whom a claim moves: a part of a group, as findings.json holds it."""

    group: Words
    moved: Count
    people: Count
    share: Number | None
    low: Number | None
    high: Number | None


class DecidingStep(Record):
    """What would decide a claim, as findings.json holds it."""

    command: Words | None
    sentences: Count | None
    why_none: Words | None


class ClaimParts(Record):
    """What a finding on a tilt says besides."""

    moved: tuple[ShareMoved, ...] = ()
    next: DecidingStep | None = None


COLUMN_TYPES: Mapping[str, Any] = {"String": Words, "Float64": Number, "Int64": Count}
Finding = msgspec.defstruct(
    "Finding",
    [
        (name, COLUMN_TYPES[column.dtype] | None if column.nullable else COLUMN_TYPES[column.dtype])
        for name, column in FINDINGS_TABLE.columns.items()
    ],
    bases=(ClaimParts,),
    kw_only=True,
)
"""A row of findings.json."""


class RunEnvironment(Record, forbid_unknown_fields=False):
    """By what an audit was made, and when."""

    versions: dict[str, Words]
    command: Words = ""
    time: Words = ""


@dataclass(frozen=True, slots=True)
class OpenAudit:
    """An audit's files, each as it was written, and what run.json and findings.json state."""

    files: Evidence
    run: AuditRun
    run_values: Mapping[str, Any]
    """The same as it stands in run.json, to be handed on."""
    environment: Mapping[str, Any]
    findings: list[dict[str, Any]]


def open_audit(path: Path | str) -> OpenAudit:
    """Open an audit's folder or pack, without its tables; all that is wrong in one error."""
    where = Path(path)
    files = open_evidence(where, [FINDINGS, *TABLES.values()], EXPECTED)
    stated, stored = files.record(RUN), files.record(FINDINGS)
    check_version(stored.values, FINDINGS_VERSION, f"{where}: {FINDINGS}")
    run = _read_run(stated, where)
    made, problems = check_record(stated, RunEnvironment, ["environment"])
    if problems or made is None:
        raise ProblemsError(f"{where}: {RUN} {NO_AUDIT}", problems)
    rows, problems = check_record(stored, list[Finding], ["findings"])  # type: ignore[valid-type]
    if problems or rows is None:
        raise ProblemsError(f"{where}: {FINDINGS} holds what is no finding: it {ALTERED}", problems)
    if any(stored.values.get(name) != stated.values[name] for name in ("run", "environment")):
        raise TiltmeterError(f"{where}: {FINDINGS} and {RUN} do not tell of the same run")
    values = stated.values
    return OpenAudit(files, run, values["run"], values["environment"], stored.values["findings"])


def _read_run(file: RecordFile, where: Path) -> AuditRun:
    """What run.json states, where an audit can have stated it."""
    problems = list[Problem]()
    if isinstance(file.values.get("run"), dict):
        run, problems = check_record(file, AuditRun, ["run"])
    else:
        run, problems = None, [Problem(RUN, "states nothing of a run")]
    if problems or run is None:
        raise ProblemsError(f"{where}: {RUN} {NO_AUDIT}", problems)

    def add(message: str, *keys: str | int) -> None:
        problems.append(Problem(file.at(["run", *keys]), message))

    for key in missing_keys(file.values["run"], run):
        add(f"does not state {key}")
    names, used = [corpus.name for corpus in run.corpora], {it.corpus for it in run.systems}
    if not names or len(set(names)) < len(names):
        add(f"found {names}; expected one or more, each once", "corpora")
    if used != set(names):
        message = f"found systems on {sorted(used)}; expected some on each of {sorted(names)}"
        add(message, "systems")
    submissions = [(it.system, it.task, it.corpus) for it in run.systems]
    if len(set(submissions)) < len(submissions):
        add("found a system twice for a task and corpus; expected each once", "systems")
    for at, corpus in enumerate(run.corpora):
        if bool(corpus.sample) != (corpus.drawn_from is not None):
            message = "expected kinds of sentences where there is a sample, and nowhere else"
            add(message, "corpora", at, "drawn_from")
        for axis in corpus.axes:
            if axis.name in SENTENCES.columns:
                add(f"found the axis {axis.name!r}, a column of sentences", "corpora", at, "axes")
    for at, system in enumerate(run.systems):
        if system.repeats > MOST_REPEATS:
            message = f"found {system.repeats}; expected at most {MOST_REPEATS:,}"
            add(message, "systems", at, "repeats")
        if system.scale_known not in tuple(ScaleSource):
            message = f"found {system.scale_known!r}; expected one of {', '.join(ScaleSource)}"
            add(message, "systems", at, "scale_known")
    if run.statistics.apart != (run.statistics.mode == CORRECTED):
        message = f"found {run.statistics.apart}; the mode {run.statistics.mode} judges otherwise"
        add(message, "statistics", "apart")
    if (run.statistics.flips or 0) > MOST_FLIPS:
        message = f"found {run.statistics.flips}; expected at most {MOST_FLIPS:,}"
        add(message, "statistics", "flips")
    if REGRESSION in run.statistics.measures and run.regression is None:
        add("found a regression among the measures; expected how it was fitted")
    if problems:
        raise ProblemsError(f"{where}: {RUN} {NO_AUDIT}", problems)
    return run


# ---- the tables


@dataclass(frozen=True, eq=False)
class AuditFolder:
    """What an audit left behind, every part of it checked."""

    path: Path
    files: Evidence
    run: AuditRun
    """What determines its findings: corpora, systems, statistics."""
    run_values: Mapping[str, Any]
    """The same as it stands in run.json, to be handed on."""
    environment: Mapping[str, Any]
    findings: list[dict[str, Any]]
    """As findings.json holds them, which nobody recomputed: see `verify`."""
    sentences: pl.DataFrame
    people: pl.DataFrame
    """Whom the sentences are about; nobody where they are of a user's own table."""
    scores: pl.DataFrame
    estimates: pl.DataFrame
    """As estimates.parquet holds them, which nobody recomputed: `claims` are."""
    runs: tuple[ScoreRun, ...]
    """The runs of the audit, each score put together anew from its answer."""
    statistics: Statistics
    """How the audit measured and judged."""
    compared: Mapping[str, Sequence[Contrast]]
    """By corpus what was compared, with pairs of sentences or without."""

    @property
    def corpora(self) -> list[str]:
        """The corpora audited on, in order."""
        return [corpus.name for corpus in self.run.corpora]

    def people_of(self, corpus: str) -> pl.DataFrame:
        """What is known of a corpus' people."""
        return self.people.filter(pl.col("corpus") == corpus)

    @property
    def submissions(self) -> list[tuple[str, str]]:
        """Every system and task."""
        return list(dict.fromkeys((it.system, it.task) for it in self.run.systems))

    @property
    def axes(self) -> list[str]:
        """Every axis that was compared on some corpus."""
        every = [one.axis for corpus in self.corpora for one in self.contrasts(corpus)]
        return list(dict.fromkeys(every))

    def contrasts(self, corpus: str) -> list[Contrast]:
        """The contrasts of a corpus that have pairs of sentences."""
        facts = next(it for it in self.run.corpora if it.name == corpus)
        paired = {(count.axis, count.contrast) for count in facts.pairs}
        return [it for it in self.compared[corpus] if (it.axis, it.name) in paired]

    @cached_property
    def claims(self) -> pl.DataFrame:
        """Tilts, people moved and signal as estimates, measured from the answers."""
        claims = measure_claims(self.run, self.runs, self.statistics.margins)
        if self.run.statistics.mode != CORRECTED:
            return claims
        signals = [signal_estimates(run.sentences, run.matrix) for run in self.runs]
        return pl.concat([claims, *signals], how="diagonal_relaxed")


def read_audit(path: Path | str) -> AuditFolder:
    """Open an audit's folder or pack with its tables, or raise one message on what is wrong."""
    opened, where = open_audit(path), Path(path)
    files, run = opened.files, opened.run
    with naming_place(where):
        scores = _table(files, SCORES)
        if scores.height > MOST_ANSWERS:
            message = (
                f"scores.parquet has {scores.height:,} rows; at most {MOST_ANSWERS:,} are read"
            )
            raise IncompleteError(f"{message} again: what follows from them stays unknown")
        if scores.is_empty():
            raise TiltmeterError(f"the audit has no scores; expected {EXPECTED}")
        sentences, people = _table(files, SENTENCES), _table(files, PEOPLE)
        _check_people(people)
        estimates = _table(files, ESTIMATES)
        _check_estimates(estimates)
        runs = tuple(_run_of(run, facts, sentences, scores, people) for facts in run.corpora)
        for score_run, facts in zip(runs, run.corpora, strict=True):
            _check_sentences(score_run, facts)
            _check_drawn(score_run, facts)
        _check_scores(runs, run.systems, scores)
        return AuditFolder(
            where, files, run, opened.run_values, opened.environment, opened.findings,
            sentences, people, scores, estimates, runs, statistics_of(run), contrasts_of_run(run),
        )  # fmt: skip


@contextmanager
def naming_place(where: Path) -> Iterator[None]:
    """Say of which pack or folder a complaint is."""
    try:
        yield
    except TiltmeterError as error:
        if str(where) not in str(error):
            error.name_place(where)
        raise


def _table(files: Evidence, table: TableSchema) -> pl.DataFrame:
    name = TABLES[table.name]
    try:
        return validate(parquet_frame(files.read(name)), table, where=name)
    except OSError as error:
        raise TiltmeterError(f"{name}: cannot be read: {error.strerror or error}") from error
    except TableError as error:
        raise TiltmeterError(f"{error}\nexpected {EXPECTED}; run the audit again") from error


def _refuse_rows(name: str, rows: pl.DataFrame, wrong: pl.Expr, columns: Sequence[str]) -> None:
    """Refuse a table with a row that no audit writes."""
    odd = rows.filter(wrong)
    if not odd.is_empty():
        shown = ", ".join(f"{column} {odd[column][0]}" for column in columns)
        message = f"{name} has a row of {shown}, as no audit writes"
        raise TiltmeterError(f"{message}: it {ALTERED}; run the audit again")


def _check_estimates(estimates: pl.DataFrame) -> None:
    ends = pl.any_horizontal(pl.col("se", "low", "high").is_not_null())
    odd = (pl.col("value").is_null() & ends) | (pl.col("low") > pl.col("high") + NEAR)
    odd |= (pl.col("se") < -NEAR) | (pl.col("n") < 0)
    shown = ("measure", "value", "low", "high", "se", "n")
    _refuse_rows(TABLES[ESTIMATES.name], estimates, odd, shown)


def _check_people(people: pl.DataFrame) -> None:
    weight, probability = pl.col("weight"), pl.col("probability")
    odd = pl.min_horizontal(weight, probability) <= 0
    odd |= (weight > LARGEST_NUMBER) | (probability > 1)
    odd |= pl.min_horizontal("frames", "bearers") < 0
    _refuse_rows(TABLES[PEOPLE.name], people, odd, ("person", "weight", "probability", "frames"))


def _run_of(
    run: AuditRun,
    facts: AuditedCorpus,
    sentences: pl.DataFrame,
    scores: pl.DataFrame,
    people: pl.DataFrame,
) -> ScoreRun:
    """The run of one corpus, every score put together anew from the answer as it was given."""
    own = pl.col("corpus") == facts.name
    axes = tuple(
        Axis(one.name, one.groups, tuple(one.phrases.get(group, "") for group in one.groups))
        for one in facts.axes
    )
    for axis in axes:
        if axis.name not in sentences.columns:
            message = f"sentences.parquet has no column {axis.name!r}"
            raise TiltmeterError(f"{message}, which is an axis in run.json")
        others = set(sentences.filter(own)[axis.name].drop_nulls()) - set(axis.groups)
        if others:
            message = f"sentences.parquet has {min(others)!r} on the axis {axis.name!r}"
            raise TiltmeterError(f"{message}; run.json knows {', '.join(axis.groups)}")
    # with the columns that the corpus had: an axis of another one is not its own
    names = {*SENTENCES.columns, *(axis.name for axis in axes)}
    scored_on = sentences.filter(own).select(name for name in sentences.columns if name in names)
    answers, texts = scores.filter(own), texts_of(scored_on)
    scored = tuple(
        _scored(one, answers.filter(system=one.system, task=one.task), scored_on, texts)
        for one in run.systems
        if one.corpus == facts.name
    )
    whole = scored_on
    if facts.drawn_from is not None:
        # of what a sample was drawn from, a row for each kind of sentence: which axes are known
        # of its person, and its emotion
        blank = dict.fromkeys(SENTENCES.columns, KIND)
        kinds = [
            blank | {"emotion": one.emotion} | dict.fromkeys(one.axes, KIND)
            for one in facts.drawn_from
        ]
        whole = pl.concat([scored_on, pl.DataFrame(kinds, scored_on.schema)])
    corpus = Corpus(
        facts.name, facts.title, facts.edition, facts.language, axes, whole.height,
        whole.iter_slices, drawn=people.filter(own),
        drawn_from=PopulationSummary(**asdict(facts.population)) if facts.population else None,
    )  # fmt: skip
    return ScoreRun(corpus, scored_on, scored, sample=facts.sample, in_parts=facts.in_parts)


KIND = "a kind of sentence that the sample was drawn from"
"""Stands where a rebuilt corpus knows of a sentence only what it is about."""


def _scored(
    facts: AuditedSystem, rows: pl.DataFrame, sentences: pl.DataFrame, texts: Texts
) -> Scored:
    """A system's scores, from its answers and the scale it was said to have."""
    scale = Scale(*facts.scale_ends) if facts.scale_ends else None
    control = None if facts.control is None else Control(facts.control)
    card = Card(facts.system, facts.task, languages=facts.languages, control=control)
    answers = rows.select("id", "repeat", "raw", "reason").join(
        sentences.select("id", "text"), on="id", how="left", maintain_order="left"
    )
    scored = assemble(card, texts, answers, repeats=facts.repeats)
    undeclared = ScaleSource.INFERRED if scale else ScaleSource.UNBOUNDED
    known = undeclared if facts.scale_known != ScaleSource.DECLARED else ScaleSource.DECLARED
    return on_scale(scored, replace(scored.resolved_scale, scale=scale, known=known))


def _check_sentences(run: ScoreRun, facts: AuditedCorpus) -> None:
    """Refuse sentences that run.json does not speak of."""
    name = run.corpus.name
    if run.size != facts.sentences:
        expected = f"run.json says {facts.sentences:,}"
        raise TiltmeterError(f"{name}: found {run.size:,} sentences; {expected}")
    for column in ("edition", "language"):
        found, expected = run.sentences[column].unique().to_list(), getattr(facts, column)
        if found != [expected]:
            message = f"{name}: the {column} of its sentences is {found}"
            raise TiltmeterError(f"{message}; run.json says {expected!r}")
    # that of a sample is of the whole corpus
    if not facts.sample and run.corpus.checksum != facts.checksum:
        message = f"{name}: the checksum of its sentences is {run.corpus.checksum}"
        raise TiltmeterError(f"{message}; run.json says {facts.checksum}")


def _check_drawn(run: ScoreRun, facts: AuditedCorpus) -> None:
    """Refuse people whom the sentences do not speak of, or who are missing."""
    name, people = run.corpus.name, run.corpus.people
    if people.is_empty():
        if facts.population:
            message = (
                f"{name}: run.json says that its people were drawn from {facts.population.title}"
            )
            raise TiltmeterError(f"{message}; expected them in people.parquet, and found nobody")
        return
    strangers = run.sentences.join(people, on=["match", "person"], how="anti")
    if not strangers.is_empty():
        message = f"{name}: its sentences speak of {strangers['person'][0]!r}"
        raise TiltmeterError(f"{message}, who is not in people.parquet: it was altered")


ANSWER = ["id", "repeat"]


def _check_scores(
    runs: Sequence[ScoreRun], systems: Sequence[AuditedSystem], scores: pl.DataFrame
) -> None:
    """Refuse scores that do not follow from their answers."""
    stated = {(it.system, it.task, it.corpus): it for it in systems}
    problems = list[Problem]()
    for corpus, scored in ((run.corpus.name, scored) for run in runs for scored in run.scored):
        card, resolved = scored.card, scored.resolved_scale
        where, facts = f"{card.name}, {corpus}", stated[card.name, card.task, corpus]
        own = scores.filter(system=card.name, task=card.task, corpus=corpus)
        here, there = (frame.sort(ANSWER) for frame in (scored.scores, own))
        if not here.select(ANSWER).equals(there.select(ANSWER)):
            message = f"{own.height:,} answers are stored; expected {here.height:,}"
            problems.append(Problem(where, f"{message}, one for each sentence"))
            continue
        score, expected = there["score"], here["score"]
        off = score.is_null() != expected.is_null()
        off |= ((score - expected).abs() > NEAR * _width(expected)).fill_null(False)
        if off.any():
            at = off.arg_true()[0]
            message = f"the answer to {there['id'][at]} is {there['raw'][at]}"
            message = f"{message}, and its score {score[at]}; expected {expected[at]}"
            problems.append(Problem(where, message))
        if (there["raw"].abs() > LARGEST_NUMBER).any():
            problems.append(Problem(where, "found an answer so large as no audit writes"))
        if facts.missing != scored.missing:
            message = f"run.json says missing is {facts.missing}"
            problems.append(Problem(where, f"{message}; the answers give {scored.missing}"))
        if resolved.known is ScaleSource.INFERRED and not resolved.holds:
            message = f"run.json says the scale {resolved.scale} was inferred"
            ends = Scale(resolved.low, resolved.high)
            problems.append(Problem(where, f"{message}; the answers go from {ends}"))
    held = sum(scored.scores.height for run in runs for scored in run.scored)
    if not problems and held != scores.height:
        problems.append(Problem("scores.parquet", "holds scores that run.json does not speak of"))
    if problems:
        raise ProblemsError("the scores are not those that the answers give", problems)


def _width(scores: pl.Series) -> pl.Series:
    """What a score's tolerance is a part of: the scale, or the score itself where it is larger."""
    return scores.abs().fill_null(0.0).clip(lower_bound=1.0)


# ---- what follows from them


def statistics_of(run: AuditRun) -> Statistics:
    """How an audit measured and judged, as its run.json says."""
    used, fitted = run.statistics, run.regression
    model, subset = Model(), None
    if REGRESSION in used.measures and fitted is not None:
        model = Model(
            used.formula, fitted.reference, fitted.no_reference, fitted.errors, fitted.precision,
            used.all_pairs,
        )  # fmt: skip
        subset = fitted.subset
    margins = dict(used.margins)
    return Statistics(
        Wanted(used.measures, model, used.everywhere, subset),
        Rule(used.correction, used.level, used.family if used.family_given else None),
        Margins(margins.pop(DEFAULT), margins),
        used.mode,
        used.subset,
        used.seed,
        used.flips,
        used.reference,
        thresholds_given(used.thresholds),
        used.all_pairs,
        used.apart,
    )


def contrasts_of_run(run: AuditRun) -> dict[str, list[Contrast]]:
    """What an audit compared, by corpus; nothing where it took no pairs."""
    if PAIRS not in run.statistics.measures:
        return {corpus.name: [] for corpus in run.corpora}
    used = run.statistics
    wanted = contrasts_wanted(run.corpora, used.reference, all_pairs=used.all_pairs)
    return dict(zip((corpus.name for corpus in run.corpora), wanted, strict=True))


def is_claim() -> pl.Expr:
    """Which estimates are of claims about people."""
    return pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)


def measure_claims(run: AuditRun, runs: Sequence[ScoreRun], margins: Margins) -> pl.DataFrame:
    """Every claim on people as estimates, and people moved beyond these margins."""
    claims, wanted = [empty_estimates()], contrasts_of_run(run)
    if run.statistics.mode == CORRECTED:
        for score_run, facts in zip(runs, run.corpora, strict=True):
            axes = [axis.name for axis in facts.axes]
            if contrasts := wanted[facts.name]:
                claims.append(
                    tilt_estimates(
                        score_run.sentences, score_run.matrix, contrasts, axes,
                        people=score_run.corpus.people, mode=run.statistics.mode,
                        margins={axis: margins.of(axis) for axis in axes},
                    )
                )  # fmt: skip
    return pl.concat(claims, how="diagonal_relaxed")


def empty_estimates() -> pl.DataFrame:
    """The `estimates` table without a row."""
    types = {name: getattr(pl, column.dtype) for name, column in ESTIMATES.columns.items()}
    return pl.DataFrame(schema=types)


def phrases_of_audit(audit: AuditFolder) -> dict[tuple[str, str, str], str]:
    """How each group's sentences are spoken of: as the corpus says, where it is one of ours."""
    phrases = dict[tuple[str, str, str], str]()
    for corpus in (run.corpus for run in audit.runs):
        packaged = load_corpus(corpus.name).axes if corpus.name in corpus_names() else ()
        ours = {axis.name: axis for axis in packaged}
        for stated in corpus.axes:
            known = ours.get(stated.name)
            axis = known if known and set(stated.groups) <= set(known.groups) else stated
            phrases |= {(corpus.name, axis.name, name): axis.phrase(name) for name in axis.groups}
    return phrases
