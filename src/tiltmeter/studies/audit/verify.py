"""Sentences, scores, findings and estimates of a pack beside those computed anew."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import replace

from tiltmeter.audit_run import AuditedCorpus, AuditedSystem, AuditRun
from tiltmeter.corpora import Corpus, corpus_editions, corpus_names, has_population, load_corpus
from tiltmeter.errors import (
    IncompleteError,
    OutputError,
    Problem,
    ProblemsError,
    TiltmeterError,
    UnknownNameError,
)
from tiltmeter.files import is_file, is_there, parquet_frame, without_folders
from tiltmeter.report.json_files import rounded
from tiltmeter.report.pack import Evidence, evidence_in, is_pack, results_of, write_pack
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, TableSchema, validate
from tiltmeter.scoring import ScaleSource, Scored
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.findings import FINDINGS_VERSION, finding_rows
from tiltmeter.studies.audit.model_card import assessed, card_files, card_markdown, card_yaml
from tiltmeter.studies.audit.options import Statistics, contrasts_wanted
from tiltmeter.studies.audit.stored_audit import (
    FINDINGS,
    RUN,
    WHO,
    check_estimates,
    check_people,
    naming_place,
    nobody,
    read_results,
    runs_of,
    statistics_of,
)
from tiltmeter.studies.paired.tilt import MOVED, TILT
from tiltmeter.studies.skill.measure import RANKED_BY
from tiltmeter.systems import Scale, shown_words

# ---- sentences, scores, findings and estimates of a pack beside those computed anew


NEAR = 1e-9
"""Part of itself within which a weight or a probability is the same."""


def check_sentences(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' sentences; raise where run.json tells of others."""
    name, said = run.corpus.name, facts.sentences
    if run.size != said:
        raise TiltmeterError(f"{name}: found {run.size:,} sentences; run.json says {said:,}")
    for column in ("edition", "language"):
        found = run.sentences[column].unique().to_list()
        if found != [said := getattr(facts, column)]:
            told = f"run.json says {said!r}"
            raise TiltmeterError(f"{name}: the {column} of its sentences is {found}; {told}")
    ours = _known_here(run.corpus, facts)
    if facts.sample:
        return f"{name}: {run.size:,}, a sample ({facts.sample}){_sample_of(run, facts, ours)}"
    if run.corpus.checksum != facts.checksum:
        what = f"{name}: the checksum of its sentences is {run.corpus.checksum}"
        raise TiltmeterError(f"{what}; run.json says {facts.checksum}")
    known = f"; {_same(ours, facts)}" if ours else ""
    return f"{name}: {run.size:,}, checksum {facts.checksum[:16]}… as stated{known}"


def check_people_drawn(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' people; nothing where the pack says nothing of them."""
    name, people, said = run.corpus.name, run.corpus.people, facts.population
    if people.is_empty():
        if said:
            what = f"{name}: run.json says that its people were drawn from {said.title}"
            raise TiltmeterError(f"{what}; expected them in people.parquet, and found nobody")
        return ""
    strangers = run.sentences.join(people, on=["match", "person"], how="anti")
    if not strangers.is_empty():
        what = f"{name}: its sentences speak of {strangers['person'][0]!r}"
        raise TiltmeterError(f"{what}, who is not in people.parquet: it was altered")
    told = f"{name}: {people.height:,}"
    if said:
        drawn = "all" if said.census else f"{said.drawn:,} of"
        told += f", with {drawn} {said.names:,} names of {said.title}"
    ours = _known_here(run.corpus, facts)
    if ours is None:
        return told
    alike = _same_people(people, ours.people)
    return f"{told}; {'' if alike else 'NOT '}as in the corpus of that name in this Tiltmeter"


def _same_people(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether the same people have the same weights and probabilities."""
    one, other = (frame.sort("person").drop("corpus") for frame in (one, other))
    numbers = ["weight", "probability"]
    if not one.drop(numbers).equals(other.drop(numbers)):
        return False
    far = [
        (one[name] - other[name]).abs().fill_null(0.0) > NEAR * one[name].abs().fill_null(0.0)
        for name in numbers
    ]
    unknown = any((one[name].is_null() != other[name].is_null()).any() for name in numbers)
    return not unknown and not any(series.any() for series in far)


def _known_here(corpus: Corpus, facts: AuditedCorpus) -> Corpus | None:
    """The corpus of that name, edition and draw that is installed, where there is one."""
    if corpus.name not in corpus_names() or corpus.edition not in corpus_editions(corpus.name):
        return None
    said = facts.population
    if said is None or not has_population(corpus.name):
        return load_corpus(corpus.name, corpus.edition)
    return load_corpus(
        corpus.name, corpus.edition, people=said.people, frames=said.frames, weights=said.weights,
        seed=said.seed,
    )  # fmt: skip


def _same(ours: Corpus, facts: AuditedCorpus) -> str:
    if ours.checksum == facts.checksum:
        return "the corpus of that name in this Tiltmeter"
    return "NOT the corpus of that name in this Tiltmeter"


def _sample_of(run: ScoreRun, facts: AuditedCorpus, ours: Corpus | None) -> str:
    """Whether a sample's sentences stand in the corpus here; its own checksum is of them all."""
    if ours is None:
        return "; the checksum is of the whole corpus, which is not in the pack"
    drawn = run.sentences.join(ours.sentences(), on=["id", "text"], how="anti")
    whole = _same(ours, facts) if drawn.is_empty() else f"{drawn.height:,} stand in no such corpus"
    return f" of {whole}"


WORDED = ("sentence", "rule")
"""How a finding is said, which another version may say otherwise."""
KEY = list(ESTIMATES.key)
NUMBERS = tuple(name for name, column in ESTIMATES.columns.items() if column.dtype == "Float64")
Row = Mapping[str, Any]


def verify_findings(stored: Sequence[Row], found: Sequence[Row], *, same: bool) -> str:
    """Say how well findings agree; raise with every one that does not.

    `same`: the versions here are those of the audit, so that words have to be the same too.
    """
    ours, theirs = ({row["id"]: row for row in rows} for rows in (found, stored))
    absent, extra = "is stored, and does not follow", "follows from the answers, and is not stored"
    problems = [
        Problem(_named(row), f"{absent} from the answers")
        for name, row in theirs.items()
        if name not in ours
    ]
    problems += [Problem(_named(row), extra) for name, row in ours.items() if name not in theirs]
    problems += _altered(ours, theirs, same=same)
    if len(theirs) != len(stored):
        problems.append(Problem("findings.json", "a finding stands there twice"))
    if problems:
        raise ProblemsError("the findings are not those that the answers give", problems)
    many = f"{len(stored):,} recomputed from the answers"
    otherwise = sum(any(row[name] != ours[row["id"]][name] for name in WORDED) for row in stored)
    digits = sum(row != ours[row["id"]] for row in stored)
    said = [f"{otherwise:,} are worded otherwise by this version"] if otherwise else []
    said += [f"{digits - otherwise:,} differ in their last digits"] if digits > otherwise else []
    verdicts = "every verdict is the same, and every number within 1e-9"
    return f"{many}: {'; '.join([verdicts, *said])}" if said else f"{many}: the same to the byte"


def _altered(
    ours: Mapping[str, Row], theirs: Mapping[str, Row], *, same: bool
) -> Iterator[Problem]:
    for name, row in theirs.items():
        mine = ours.get(name)
        for column in dict.fromkeys((*row, *mine)) if mine else ():
            loose = column in WORDED and not same
            there, here = row.get(column), mine.get(column) if mine else None
            if not loose and not _alike(there, here):
                told = f"{column} is {_shown(there)} there; the answers give {_shown(here)}"
                yield Problem(_named(row), told)


def _alike(one: object, other: object) -> bool:
    """Whether two values are the same, numbers within 1e-9, also in lists and tables."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=NEAR, abs_tol=NEAR)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    return one == other


def _named(row: Row) -> str:
    """Which finding it is, for a message."""
    known = ("system", "task", "corpus", "axis", "contrast", "subset", "measure")
    return f"finding {row.get('id')} ({', '.join(str(row.get(name)) for name in known)})"


def _shown(value: object) -> str:
    shown = repr(value) if isinstance(value, str) else str(value)
    return shown if len(shown) <= 160 else f"{shown[:160]}…"


def verify_estimates(stored: pl.DataFrame, found: pl.DataFrame) -> str:
    """Say that the estimates of every measure recomputed agree; raise where some do not."""
    mine = stored.filter(pl.col("measure").is_in(found["measure"].unique().to_list()))
    both = mine.join(found, on=KEY, how="full", suffix="_here", nulls_equal=True)
    alone = both.filter(pl.col("n").is_null() | pl.col("n_here").is_null())
    counts = ("n", "n_dropped")
    differ = [pl.col(name).ne_missing(pl.col(f"{name}_here")) for name in counts]
    off = both.filter(pl.any_horizontal(*map(_far, NUMBERS)) | pl.any_horizontal(differ))
    problems = list[Problem]()
    for row in pl.concat([alone, off]).head(50).to_dicts():
        named = ", ".join(str(row[name] or row[f"{name}_here"]) for name in KEY)
        there, here = (
            {name: row[f"{name}{end}"] for name in ("value", "se", "p", "n")}
            for end in ("", "_here")
        )
        problems.append(Problem(named, f"{there} there; the answers give {here}"))
    if problems:
        raise ProblemsError("estimates.parquet is not what the answers give", problems)
    return f"{mine.height:,} numbers recomputed from the answers: the same within 1e-9"


def _far(name: str) -> pl.Expr:
    one, other = pl.col(name), pl.col(f"{name}_here")
    reach = NEAR * pl.max_horizontal(pl.lit(1.0), one.abs(), other.abs())
    return (one.is_null() != other.is_null()) | ((one - other).abs() > reach).fill_null(False)


BY = ["id", "repeat"]


def check_scores(
    runs: Sequence[ScoreRun], systems: Sequence[AuditedSystem], scores: pl.DataFrame
) -> str:
    """Raise where a score does not follow from its answer; else say how many were looked at."""
    every = [(run, one) for run in runs for one in run.scored]
    problems = list[Problem]()
    for (run, scored), facts in zip(every, systems, strict=True):
        name, where = scored.card.name, f"{scored.card.name}, {run.corpus.name}"
        kept = scores.filter(system=name, task=scored.card.task, corpus=run.corpus.name)
        problems += [Problem(where, what) for what in _problems(scored, kept, facts)]
    known = sum(one.scores.height for _, one in every)
    if not problems and known != scores.height:
        problems.append(Problem("scores.parquet", "holds scores that run.json does not speak of"))
    if problems:
        raise ProblemsError("the scores are not those that the answers give", problems)
    missing = sum(one.missing for _, one in every)
    lost = f"{missing:,} of them missing, with the reason" if missing else "none of them missing"
    return f"{known:,}, {lost}: each score follows from its answer"


def _problems(scored: Scored, kept: pl.DataFrame, facts: AuditedSystem) -> Iterator[str]:
    """Where scores, put together anew from the answers, are not those that are stored."""
    mine, theirs = (frame.sort(BY) for frame in (scored.scores, kept))
    if not mine.select(BY).equals(theirs.select(BY)):
        yield f"{kept.height:,} answers are stored; expected {mine.height:,}, one for each sentence"
        return
    one, other = theirs["score"], mine["score"]
    off = (one.is_null() != other.is_null()) | ((one - other).abs() > NEAR).fill_null(False)
    if off.any():
        at = off.arg_true()[0]
        told = f"the answer to {theirs['id'][at]} is {theirs['raw'][at]}"
        yield f"{told}, and its score {one[at]}; expected {other[at]}"
    # Where run.json says something else of the answers than they do
    if facts.missing != scored.missing:
        yield f"run.json says missing is {facts.missing}; the answers give {scored.missing}"
    resolved = scored.resolved_scale
    if resolved.known is ScaleSource.INFERRED and not resolved.holds:
        said = f"run.json says the scale {resolved.scale} was inferred"
        yield f"{said}; the answers go from {Scale(resolved.low, resolved.high)}"


# ---- a pack verified: every file is what was packed, and the findings follow from the answers


MOST_ANSWERS = 5_000_000
"""Answers that are held to recompute findings: some 2 GB."""
CARDS = "model-cards/"
OLDER = (
    "{:,} verdicts were made by the rules of an older Tiltmeter, and are left as they were written:"
    " audit again, or `tiltmeter gate` judges these answers by the rules of today"
)
Rows = Sequence[Mapping[str, Any]]
Add = Callable[[str, str], None]
"""Told what was looked at, and what was seen."""


def recompute(files: Evidence, add: Add) -> int:
    """Recompute what can be, compare, and tell what cannot; how many findings were recomputed."""
    stored = read_results(files)
    older = _is_older(stored.version)
    run = stored.run
    rows: Rows = stored.findings
    sentences, scores = _table(files, SENTENCES), _table(files, SCORES)
    people = nobody()
    if WHO in files.manifest.by_name:
        people = check_people(_table(files, PEOPLE), WHO)
    runs, how = runs_of(run, sentences, scores, people), statistics_of(run)
    for one, facts in zip(runs, run.corpora, strict=True):
        add("sentences", check_sentences(one, facts))
        if whom := check_people_drawn(one, facts):
            add("people", whom)
    add("answers", check_scores(runs, run.systems, scores))
    made, here = stored.environment["versions"], versions_here()
    ours = made.get("tiltmeter") == here["tiltmeter"]
    elsewhere = "; ".join(
        f"{name} {made.get(name)} there, {version} here"
        for name, version in here.items()
        if made.get(name) != version
    )
    add("versions", elsewhere or "the same here as where the audit was made")
    corpora = [one.corpus for one in runs]
    contrasts = contrasts_wanted(corpora, how.reference, all_pairs=how.all_pairs)
    found = analyse(runs, contrasts, how)
    _check_facts(run, found.run, how)
    again: Rows = finding_rows(found.findings, found.tilts, found.estimates, run)
    numbers = found.estimates
    if older:
        # what older audits made by the same rules: numbers of pairs, signal and regressions
        claims = pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)
        fitted = (one.estimates for one in found.regressed)
        numbers = pl.concat([found.paired_estimates.filter(~claims), *fitted])
        again = _without_claims(again)
        if many := len(rows) - len(_without_claims(rows)):
            add("older rules", OLDER.format(many))
        rows = _without_claims(rows)
    add("findings", verify_findings(rows, again, same=ours and not older))
    estimates = _table(files, ESTIMATES)
    add("estimates", verify_estimates(estimates, numbers))
    if ours and not older:
        cards = assessed(rows, estimates, run, stored.environment)
        add("model cards", _check_cards(files, dict(card_files(cards))))
    for what in _left(files, estimates, numbers, cards=ours and not older):
        add("not recomputed", what)
    return len(rows)


def _is_older(version: object) -> bool:
    """Whether findings are of a time when tilts were judged by other rules; refused if newer."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise TiltmeterError(f"{FINDINGS} says {version!r} for schema_version, as no audit does")
    if version > FINDINGS_VERSION:
        what = f"{FINDINGS} is of version {version}; this Tiltmeter reads {FINDINGS_VERSION}"
        raise TiltmeterError(f"{what}: use a newer one")
    return version < FINDINGS_VERSION


def _without_claims(rows: Rows) -> Rows:
    return [row for row in rows if row["measure"] != TILT]


def _check_facts(run: AuditRun, facts: AuditRun, how: Statistics) -> None:
    """Refuse a run.json that counts other pairs or comparisons than there are."""
    statistics = replace(run.statistics, apart=how.apart)  # which an older audit does not say
    told: list[tuple[str, object, object]] = [
        ("statistics", rounded(statistics), rounded(facts.statistics)),
        *(
            (f"pairs of {one.name}", one.pairs, mine.pairs)
            for one, mine in zip(run.corpora, facts.corpora, strict=True)
        ),
    ]
    for what, there, here in told:
        if there != here:
            raise TiltmeterError(f"{RUN} says of the {what}: {there}; the answers give {here}")


def _table(files: Evidence, table: TableSchema) -> pl.DataFrame:
    name = f"{table.name}.parquet"
    try:
        frame = parquet_frame(files.read(name))
    except OSError as error:
        raise TiltmeterError(f"{name} cannot be read: {error.strerror}") from error
    if frame.height > MOST_ANSWERS:
        what = f"{name} has {frame.height:,} rows; at most {MOST_ANSWERS:,} are recomputed"
        raise IncompleteError(f"{what}: its files are as they were packed, and no more is known")
    return validate(frame, table, where=name)


def _check_cards(files: Evidence, cards: Mapping[str, str]) -> str:
    """Raise where a model card is not what the findings give."""
    there = [name for name in files.manifest.by_name if name.startswith(CARDS)]
    altered = [n for n in there if n not in cards or files.read(n) != cards[n].encode()]
    if altered:
        told = [Problem(name, "is not the card that the findings give") for name in altered]
        raise ProblemsError("model cards were altered", told)
    return f"{len(there):,} files written anew from the findings: the same to the byte"


def _left(
    files: Evidence, estimates: pl.DataFrame, numbers: pl.DataFrame, *, cards: bool
) -> Iterator[str]:
    """What is in the pack and was not computed anew."""
    known = numbers["measure"].unique().to_list()
    others = estimates.filter(~pl.col("measure").is_in(known))["measure"].unique(
        maintain_order=True
    )
    skill = [name for name in others if name in RANKED_BY]
    if skill:
        yield f"{', '.join(skill)}: the answers to labelled texts are not in the pack"
    if rest := [name for name in others if name not in RANKED_BY]:
        yield f"{', '.join(rest)}: as they were written"
    tables = (SENTENCES, PEOPLE, SCORES, ESTIMATES)
    read = {RUN, FINDINGS, *(f"{one.name}.parquet" for one in tables)}
    shown = [one.file for one in files.manifest.entries if one.file not in read]
    others_shown = [one for one in shown if not (cards and one.startswith(CARDS))]
    kinds = dict.fromkeys(
        f"{one.partition('/')[0]}/" if "/" in one else one for one in others_shown
    )
    if kinds:
        yield f"{', '.join(kinds)}: as they were written"
    yield "what run.json says of each system (version, licence, notes): as it was written"


# A pack verified: every file is what was packed, and the findings follow from the answers
#     files ──hashes──▶ answers ──scale──▶ scores ──statistics──▶ findings = those stored
# What this shows is that findings, answers and sentences belong together. It does not show that the
# answers came from the system that is named.


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
        entries, found = files.manifest.entries, files.manifest.fingerprint
        size = sum(one.bytes for one in entries) / 1e6
        heard.add(
            "files", f"{len(entries):,}, {size:,.1f} MB: each as it was written, none missing"
        )
        if files.besides:
            heard.add("besides", f"not part of the results: {', '.join(files.besides[:5])}")
        if fingerprint is not None and fingerprint.strip().lower() != found:
            what = f"{files.where}: this is another pack: its fingerprint is {found}"
            raise TiltmeterError(f"{what}; expected {fingerprint}")
        heard.add("fingerprint", found)
        with naming_place(where):
            many = recompute(files, heard.add)
    return Verified(where, files.manifest.fingerprint, many, tuple(heard.checks))


SHORTEST_KEY = 8
"""Letters of a value that is looked for: shorter ones stand in any text."""

FOLDERS = ("PWD", "OLDPWD")
"""Called like passwords, and none."""


def pack(folder: Path | str, to: Path | str) -> Path:
    """Pack an audit's output folder into a zip, the same bytes for the same folder.

    Refused where the folder is not what the audit left, or holds a key of this machine.
    """
    where, target = Path(folder), Path(to)
    _check_command(results_of(where))
    # Replace an earlier pack, and nothing else
    if is_file(target) and not is_pack(target):
        what = f"{target}: is there already, and is no pack"
        raise OutputError(f"{what}; name another place, or remove it")
    write_pack(where, target, Keys().look)
    return target


def fingerprint_of(path: Path | str) -> str:
    """The one digest over all files of a pack or output folder, each of them checked."""
    with evidence_in(Path(path)) as found:
        return found.manifest.fingerprint


class Keys:
    """The secrets in this machine's environment, looked for in what is packed."""

    def __init__(self) -> None:
        self._keys = dict(_keys())
        self._longest = max(map(len, self._keys), default=0)
        self._file, self._last = "", b""

    def look(self, name: str, part: bytes) -> None:
        """Raise where a file holds a key, also where it begins in the part before."""
        kept = self._last if name == self._file else b""
        seen = kept + part
        for key, variable in self._keys.items():
            if key in seen:
                what = f"{name} holds the value of ${variable}, which looks like a key"
                raise TiltmeterError(f"{what}: nothing was packed; see where it comes from")
        self._file, self._last = name, seen[max(0, len(seen) - self._longest) :]


def _keys() -> Iterator[tuple[bytes, str]]:
    """Values of variables that are called like keys, and what these are called."""
    for name, value in os.environ.items():
        said, place = f"{name}=0", name in FOLDERS or (value.startswith("/") and is_there(value))
        if len(value) >= SHORTEST_KEY and not place and shown_words([said]) != [said]:
            yield value.encode(errors="surrogateescape"), name


def _check_command(run: dict[str, Any]) -> None:
    """Refuse a command line that a key stands in: the audit strikes them out, others may not."""
    told = run.get("environment", {}).get("command") or ""
    try:
        words = shlex.split(told)
    except ValueError:
        words = told.split()
    if shown_words(words) != words:
        what = "the command in run.json holds what looks like a key"
        raise TiltmeterError(f"{what}: nothing was packed; audit again with the key in a ${{NAME}}")


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a system's model card may say of an audit."""

    system: str
    markdown: str
    yaml: str


def model_cards(path: Path | str, system: str | None = None) -> list[ModelCard]:
    """The cards of every system of an audit, or of one."""
    with evidence_in(Path(path)) as files:
        stored = read_results(files)
        try:
            estimates = parquet_frame(files.read("estimates.parquet"))
        except OSError as error:
            raise TiltmeterError(f"{files.where}: estimates.parquet: {error.strerror}") from error
        check_estimates(estimates, files.where)
        systems = assessed(stored.findings, estimates, stored.run, stored.environment)
        cards = [ModelCard(one.system, card_markdown(one), card_yaml(one)) for one in systems]
    if system is None:
        return cards
    mine = [one for one in cards if one.system == system]
    if not mine:
        raise UnknownNameError("system in this audit", system, [one.system for one in cards])
    return mine
