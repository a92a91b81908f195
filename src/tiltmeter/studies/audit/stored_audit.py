"""An audit's output folder or pack read back, its runs rebuilt, and what it lacks measured anew.

An older audit did not look for a signal, and judged one tilt over names and couples together: its
claims are measured here as an audit measures them today. So are people moved, where a gate counts
from another margin on than the audit did.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl
from msgspec import UnsetType
from msgspec.structs import asdict
from msgspec.structs import replace as structs_replace

from tiltmeter.audit_run import (
    DEFAULT,
    AuditedSystem,
    AuditRun,
    Count,
    Number,
    Words,
    absent_keys,
)
from tiltmeter.claims.judge import ALL, KINDS, TILT, Rule
from tiltmeter.claims.verdict import Margins
from tiltmeter.corpora import Axis, Corpus, PopulationSummary, corpus_names, load_corpus
from tiltmeter.errors import (
    IncompleteError,
    Problem,
    ProblemsError,
    TableError,
    TiltmeterError,
    argument,
)
from tiltmeter.files import file_digest, is_file, is_folder, parquet_frame, parse_json, read_capped
from tiltmeter.records import JsonLocator, Record, RecordFile, check_record
from tiltmeter.report.pack import Evidence
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, TableSchema, validate
from tiltmeter.schemas import FINDINGS as FINDINGS_TABLE
from tiltmeter.scoring import MOST_REPEATS, ScaleSource, Scored, Texts, assemble, on_scale, texts_of
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.stats.paired_tests import MOST_FLIPS
from tiltmeter.studies.audit.options import CORRECTED, Statistics
from tiltmeter.studies.paired.contrasts import Contrast, contrast_between
from tiltmeter.studies.paired.labels import thresholds_given
from tiltmeter.studies.paired.signal import SIGNAL, signal_estimates
from tiltmeter.studies.paired.tilt import MOVED, tilt_estimates
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.run import REGRESSION, Wanted
from tiltmeter.systems import Card, Control, Scale

RUN, FINDINGS = "run.json", "findings.json"
ALTERED = "it was altered or damaged"


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


class StoredResults(NamedTuple):
    """What an audit's run.json and findings.json say."""

    run: AuditRun
    environment: Mapping[str, Any]
    findings: list[dict[str, Any]]
    version: object
    """Of findings.json."""


@contextmanager
def naming_place(where: Path) -> Iterator[None]:
    """Say of which pack or folder a complaint is."""
    try:
        yield
    except TiltmeterError as error:
        if str(where) not in str(error):
            error.name_place(where)
        raise


def read_run(file: RecordFile, where: Path) -> AuditRun:
    """What run.json says, as much as an audit of its time said; all that is wrong in one error."""
    run, problems = check_record(file, AuditRun, ["run"])
    if problems or run is None:
        raise ProblemsError(f"{where}: {RUN} says what no audit does: {ALTERED}", problems)
    return run


def read_whole_run(file: RecordFile, where: Path) -> AuditRun:
    """The same, where it says all that findings can be recomputed from."""
    run = read_run(file, where)
    if absent := list(absent_keys(file.values["run"], run)):
        what = f"{where}: {RUN} does not say {', '.join(absent[:5])}"
        what += f" and {len(absent) - 5} more" if len(absent) > 5 else ""
        next_ = "so the findings cannot be recomputed: an older Tiltmeter wrote it; audit again"
        raise IncompleteError(f"{what}, {next_}")
    # What cannot be in a run, though each value is of its kind
    problems = list[Problem]()

    def add(what: str, *keys: str | int) -> None:
        problems.append(Problem(file.at(["run", *keys]), what))

    names, used = [one.name for one in run.corpora], {one.corpus for one in run.systems}
    if not names or len(set(names)) < len(names):
        add(f"found {names}; expected one or more, each once", "corpora")
    if used != set(names):
        what = f"found systems on {sorted(used)}; expected some on each of {sorted(names)}"
        add(what, "systems")
    for nth, corpus in enumerate(run.corpora):
        if bool(corpus.sample) != (corpus.drawn_from is not None):
            what = "expected kinds of sentences where there is a sample, and nowhere else"
            add(what, "corpora", nth, "drawn_from")
    for nth, system in enumerate(run.systems):
        if system.repeats > MOST_REPEATS:
            what = f"found {system.repeats}; expected at most {MOST_REPEATS:,}"
            add(what, "systems", nth, "repeats")
    if (run.statistics.flips or 0) > MOST_FLIPS:
        what = f"found {run.statistics.flips}; expected at most {MOST_FLIPS:,}"
        add(what, "statistics", "flips")
    if "regression" in run.statistics.measures and run.regression is None:
        add("found a regression among the measures; expected how it was fitted")
    if problems:
        raise ProblemsError(f"{where}: {RUN} says what no audit does: {ALTERED}", problems)
    return run


def read_results(files: Evidence) -> StoredResults:
    """What the two files tell of a run; raises where they tell of different ones, or of none."""
    said, stored = files.record(RUN), files.record(FINDINGS)
    if any(stored.values.get(name) != said.values.get(name) for name in ("run", "environment")):
        raise TiltmeterError(f"{files.where}: {FINDINGS} and {RUN} do not tell of the same run")
    run, made = read_whole_run(said, files.where), said.values.get("environment")
    if not isinstance(made, dict) or not isinstance(made.get("versions"), dict):
        raise TiltmeterError(f"{files.where}: {RUN} does not say by which versions it was made")
    rows, problems = check_record(stored, list[Finding], ["findings"])  # type: ignore[valid-type]
    if problems or rows is None:
        what = f"{files.where}: {FINDINGS} holds what is no finding: {ALTERED}"
        raise ProblemsError(what, problems)
    version = stored.values.get("schema_version")
    return StoredResults(run, made, stored.values["findings"], version)


def check_estimates(estimates: pl.DataFrame, where: Path) -> pl.DataFrame:
    """The estimates, or an error where one is what no audit writes: ends without a value, say."""
    validate(estimates, ESTIMATES, where=f"{where}: estimates.parquet")
    ends = pl.any_horizontal(pl.col("se", "low", "high").is_not_null())
    odd = (pl.col("value").is_null() & ends) | (pl.col("low") > pl.col("high"))
    wrong = estimates.filter(odd | (pl.col("se") < 0) | (pl.col("n") < 0))
    if not wrong.is_empty():
        one = wrong.row(0, named=True)
        said = ", ".join(f"{name} {one[name]}" for name in ("value", "low", "high", "se", "n"))
        what = f"{where}: estimates.parquet has a {one['measure']} of {said}"
        raise TiltmeterError(f"{what}, as no audit does: it was altered or damaged")
    return estimates


LARGEST = 256 * 2**20
"""Bytes of a run.json that is read."""
LARGEST_SCORE = 1e100
TABLES = {"sentences": SENTENCES, "scores": SCORES, "estimates": ESTIMATES}
WHO = "people.parquet"
"""Which an older audit did not write."""
EXPECTED = "expected the folder that `tiltmeter audit … -o DIR` wrote"


@dataclass(frozen=True, eq=False)
class AuditFolder:
    """What an audit left behind."""

    path: Path
    run: AuditRun
    """What determines its findings: corpora, systems, statistics."""
    run_values: Mapping[str, Any]
    """The same as it stands in run.json, to be handed on."""
    environment: Mapping[str, Any]
    sentences: pl.DataFrame
    scores: pl.DataFrame
    estimates: pl.DataFrame
    people: pl.DataFrame
    """Whom the sentences are about; nobody is known of an older audit, or of a user's own table."""
    touched: tuple[str, ...] = ()
    """Tables that are not as the audit wrote them."""

    @property
    def corpora(self) -> list[str]:
        """The corpora audited on, in order."""
        return self.sentences["corpus"].unique(maintain_order=True).to_list()

    def people_of(self, corpus: str) -> pl.DataFrame:
        """What is known of a corpus' people."""
        return self.people.filter(pl.col("corpus") == corpus)

    @property
    def submissions(self) -> list[tuple[str, str]]:
        """Every system and task."""
        return self.scores.select("system", "task").unique(maintain_order=True).rows()

    @property
    def axes(self) -> list[str]:
        """Every axis that was compared on some corpus."""
        every = [one.axis for corpus in self.corpora for one in self.contrasts(corpus)]
        return list(dict.fromkeys(every))

    def contrasts(self, corpus: str) -> list[Contrast]:
        """What was compared on a corpus."""
        here = self.sentences.filter(pl.col("corpus") == corpus)
        return contrasts_in(self.estimates.filter(pl.col("corpus") == corpus), here)


def contrasts_in(estimates: pl.DataFrame, sentences: pl.DataFrame) -> list[Contrast]:
    """What the estimates of one corpus compare, in its sentences."""
    own = estimates.filter(pl.col("measure") == "mean_difference")
    keys = own.select("axis", "contrast", "reference").unique(maintain_order=True).rows()
    return [
        contrast_between(sentences, axis, name.removesuffix(f"-{second}"), second)
        for axis, name, second in keys
    ]


def read_audit(folder: Path | str) -> AuditFolder:
    """What stands in an audit's folder, or one message on why it cannot be used."""
    path = Path(folder)
    if not is_folder(path):
        found = "is a file" if is_file(path) else "there is no such folder"
        raise TiltmeterError(f"{path}: {found}; {EXPECTED}")
    file = _run_file(path)
    run, values = read_run(file, path), file.values
    frames = {name: _table(path, name, table) for name, table in TABLES.items()}
    # Refuse scores so large that their squares are no numbers any more
    for column in ("raw", "score"):
        most = frames["scores"][column].abs().max()
        if isinstance(most, float) and most > LARGEST_SCORE:
            what = f"{path / 'scores.parquet'}: found {most:g} in the column {column!r}"
            raise TiltmeterError(f"{what}, as no audit writes: it was altered; run the audit again")
    if frames["scores"].is_empty() or frames["sentences"].is_empty():
        raise TiltmeterError(f"{path}: the audit in it has no scores; {EXPECTED}")
    people, names = nobody(), [*TABLES]
    if is_file(path / WHO):
        people = check_people(_table(path, PEOPLE.name, PEOPLE), str(path / WHO))
        names.append(PEOPLE.name)
    listed = values.get("files")
    digests = {
        entry.get("file"): entry.get("sha256")
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("file"), str)
    }
    files = [path / f"{name}.parquet" for name in names]
    return AuditFolder(
        path,
        run,
        values["run"],
        values.get("environment") or {},
        **frames,
        people=people,
        touched=tuple(one.name for one in files if file_digest(one) != digests.get(one.name)),
    )


def _run_file(folder: Path) -> RecordFile:
    """The run.json of a finished run."""
    path = folder / RUN
    try:
        data = read_capped(path, LARGEST)
        values = parse_json(data)
    except FileNotFoundError:
        raise TiltmeterError(f"{folder}: holds no {RUN}; {EXPECTED}") from None
    except OSError as error:
        what = error.strerror or error
        raise TiltmeterError(f"{path}: cannot be read: {what}; {EXPECTED}") from error
    except ValueError as error:
        plain = isinstance(error, json.JSONDecodeError)
        what = "is not JSON" if plain else f"was altered or damaged ({str(error)[:100]})"
        raise TiltmeterError(f"{path}: {what}; {EXPECTED}") from None
    if not isinstance(values, dict) or values.get("tool") != "tiltmeter":
        raise TiltmeterError(f"{path}: is not Tiltmeter’s; {EXPECTED}")
    if not isinstance(values.get("run"), dict) or not isinstance(values.get("environment"), dict):
        raise TiltmeterError(f"{path}: says nothing of a run; {EXPECTED}")
    if values.get("complete") is not True:
        raise TiltmeterError(f"{folder}: its audit was stopped half-way; run the same audit again")
    return RecordFile(path, values, JsonLocator(path, data.decode(errors="replace")))


def _table(path: Path, name: str, table: TableSchema) -> pl.DataFrame:
    file = path / f"{name}.parquet"
    if not is_file(file):
        raise TiltmeterError(f"{path}: holds no {file.name}; {EXPECTED}")
    try:
        return validate(parquet_frame(file), table, where=str(file))
    except OSError as error:
        what = error.strerror or error
        raise TiltmeterError(f"{file}: cannot be read: {what}; run the audit again") from error
    except TableError as error:
        raise TiltmeterError(f"{error}\n{EXPECTED}; run the audit again") from error


def nobody() -> pl.DataFrame:
    """The `people` table of a folder that says nothing of them."""
    types = {name: getattr(pl, column.dtype) for name, column in PEOPLE.columns.items()}
    return pl.DataFrame(schema=types)


def check_people(people: pl.DataFrame, where: str) -> pl.DataFrame:
    """The people of an audit, or an error where one is as nobody is drawn."""
    validate(people, PEOPLE, where=where)
    weight, probability = pl.col("weight"), pl.col("probability")
    odd = people.filter(
        (pl.min_horizontal(weight, probability) <= 0)
        | (weight > LARGEST_SCORE)
        | (probability > 1)
        | (pl.min_horizontal("frames", "bearers") < 0)
    )
    if not odd.is_empty():
        person = odd.row(0, named=True)
        facts = ", ".join(f"{name} {person[name]}" for name in ("weight", "probability", "frames"))
        what = f"{where} has {person['person']!r} with {facts}, as no audit writes"
        raise TiltmeterError(f"{what}: it was altered; run the audit again")
    return people


def phrases_of_audit(audit: AuditFolder) -> dict[tuple[str, str, str], str]:
    """How each group's sentences are spoken of: as the corpus says, where it is one of ours."""
    phrases = dict[tuple[str, str, str], str]()
    for corpus in audit.corpora:
        groups = dict[str, dict[str, None]]()
        for one in audit.contrasts(corpus):
            compared = one.groups or (one.first, one.second)
            groups.setdefault(one.axis, {}).update(dict.fromkeys(compared))
        known = load_corpus(corpus).axes if corpus in corpus_names() else ()
        ours = {axis.name: axis for axis in known}
        for name, found in groups.items():
            own = ours.get(name)
            axis = own if own and set(found) <= set(own.groups) else Axis(name, tuple(found))
            phrases |= {(corpus, name, group): axis.phrase(group) for group in axis.groups}
    return phrases


KIND = "a kind of sentence that the sample was drawn from"
"""Stands where a rebuilt corpus knows of a sentence only what it is about."""


def statistics_of(run: AuditRun) -> Statistics:
    """How an audit measured and judged, as its run.json says."""
    used, fitted = run.statistics, run.regression
    model, subset = Model(), None
    if REGRESSION in used.measures and fitted is not None:
        model = Model(
            used.formula, fitted.reference, fitted.no_reference, fitted.errors, fitted.precision,
            used.all_pairs,
        )  # fmt: skip
        of_old = None if used.subset == ALL else used.subset
        subset = of_old if isinstance(fitted.subset, UnsetType) else fitted.subset
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
        bool(used.apart),
    )


def runs_of(
    run: AuditRun, sentences: pl.DataFrame, scores: pl.DataFrame, people: pl.DataFrame
) -> tuple[ScoreRun, ...]:
    """The runs of an audit, every score put together anew from the answer as it was given."""
    runs = []
    for facts in run.corpora:
        own = pl.col("corpus") == facts.name
        axes = tuple(
            Axis(one.name, one.groups, tuple(one.phrases.get(group, "") for group in one.groups))
            for one in facts.axes
        )
        for axis in axes:
            if axis.name not in sentences.columns:
                what = f"sentences.parquet has no column {axis.name!r}"
                raise TiltmeterError(f"{what}, which is an axis")
            others = set(sentences.filter(own)[axis.name].drop_nulls()) - set(axis.groups)
            if others:
                what = f"sentences.parquet has {min(others)!r} on the axis {axis.name!r}"
                raise TiltmeterError(f"{what}; run.json knows {', '.join(axis.groups)}")
        # with the columns that the corpus had: an axis of another one is not its own
        names = {*SENTENCES.columns, *(axis.name for axis in axes)}
        scored_on = sentences.filter(own).select(
            name for name in sentences.columns if name in names
        )
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
        runs.append(
            ScoreRun(corpus, scored_on, scored, sample=facts.sample, in_parts=facts.in_parts)
        )
    return tuple(runs)


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
    found = assemble(card, texts, answers, repeats=facts.repeats)
    undeclared = ScaleSource.INFERRED if scale else ScaleSource.UNBOUNDED
    known = undeclared if facts.scale_known != ScaleSource.DECLARED else ScaleSource.DECLARED
    return on_scale(found, replace(found.resolved_scale, scale=scale, known=known))


MOST_READ = 2_000_000
"""Scores of a folder that are read again."""


@dataclass(frozen=True, slots=True)
class FolderAnswers:
    """What systems were asked and answered."""

    sentences: pl.DataFrame
    people: pl.DataFrame
    scores: pl.DataFrame


GetAnswers = Callable[[], FolderAnswers | None]
"""Reads them when they are needed; None where there are more than are read again."""


def answers_in(found: Evidence) -> FolderAnswers | None:
    """The answers of a folder or pack; None where there are more than are read again."""
    scores = table_in(found, SCORES)
    if scores.height > MOST_READ:
        return None
    sentences = table_in(found, SENTENCES)
    for name, table, schema in (("scores", scores, SCORES), ("sentences", sentences, SENTENCES)):
        validate(table, schema, where=f"{found.where}: {name}.parquet")
    known = WHO in found.manifest.by_name
    people = parquet_frame(found.read(WHO)) if known else nobody()
    return FolderAnswers(sentences, check_people(people, f"{found.where}: {WHO}"), scores)


def table_in(found: Evidence, table: TableSchema) -> pl.DataFrame:
    """A table of a folder or pack."""
    name = f"{table.name}.parquet"
    try:
        return parquet_frame(found.read(name))
    except OSError as error:
        raise TiltmeterError(f"{found.where}: {name}: {error.strerror}") from error


def has_claims(run: AuditRun, estimates: pl.DataFrame) -> bool:
    """Whether an audit's claims are by names and by couples, or it has none at all."""
    tilts = estimates.filter(pl.col("measure") == TILT)
    judged = run.statistics.mode == CORRECTED and not tilts.is_empty()
    return not judged or bool(tilts["subset"].is_in(KINDS).all())


def measure_claims(
    run: AuditRun, estimates: pl.DataFrame, answers: FolderAnswers | None, margins: Margins
) -> pl.DataFrame:
    """The estimates with every claim measured anew, and people moved beyond these margins."""
    if answers is None:
        raise TiltmeterError(
            "its claims would have to be measured anew, and it has more scores than are read again "
            f"({MOST_READ:,}): run the audit again with this version and the {argument('margin')} "
            "of the gate"
        )
    of_claims = pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)
    parts = [estimates.filter(~of_claims)]
    for facts in run.corpora:
        own = pl.col("corpus") == facts.name
        axes = [axis.name for axis in facts.axes]
        sentences = answers.sentences.filter(own)
        contrasts = contrasts_in(estimates.filter(own), sentences)
        parts.append(
            tilt_estimates(
                sentences, answers.scores.filter(own), contrasts, axes,
                people=answers.people.filter(own), mode=run.statistics.mode,
                margins={axis: margins.of(axis) for axis in axes},
            )
        )  # fmt: skip
    return pl.concat(parts, how="diagonal_relaxed")


def measure_signal(
    run: AuditRun, estimates: pl.DataFrame, answers: FolderAnswers | None
) -> tuple[AuditRun, pl.DataFrame]:
    """The run and its estimates with the signal that its scores show.

    Without this a system that answers the same to every word would pass as even. What languages a
    system reads such a folder does not say. With more scores than are read it is left as it is.
    """
    if answers is None:
        return run, estimates
    signals = [
        signal_estimates(part, answers.scores.filter(corpus=corpus))
        for (corpus,), part in answers.sentences.group_by("corpus", maintain_order=True)
    ]
    others = estimates.filter(pl.col("measure") != SIGNAL)
    statistics = structs_replace(run.statistics, apart=True)
    return structs_replace(run, statistics=statistics), pl.concat(
        [others, *signals], how="diagonal_relaxed"
    )
