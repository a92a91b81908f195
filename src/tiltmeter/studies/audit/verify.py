"""A pack verified: every file is what was packed, and the findings follow from the answers.

    files ──hashes──▶ answers ──scale──▶ scores ──statistics──▶ findings = those stored

What this shows is that findings, answers and sentences belong together. It does not show that the
answers came from the system that is named.
"""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from msgspec.structs import replace

from tiltmeter.audit_run import AuditedCorpus, AuditedSystem
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
from tiltmeter.scoring import ScaleSource
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.findings import FINDINGS_VERSION, finding_rows
from tiltmeter.studies.audit.model_card import assessed, card_files, card_markdown, card_yaml
from tiltmeter.studies.audit.options import contrasts_wanted
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
    table_in,
)
from tiltmeter.studies.paired.tilt import MOVED, TILT
from tiltmeter.studies.skill.measure import RANKED_BY
from tiltmeter.systems import Scale, shown_words

NEAR = 1e-9
"""Part of itself within which a weight or a probability is the same."""


def check_sentences(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' sentences; raise where run.json tells of others."""
    name = run.corpus.name
    if run.size != facts.sentences:
        expected = f"run.json says {facts.sentences:,}"
        raise TiltmeterError(f"{name}: found {run.size:,} sentences; {expected}")
    for column in ("edition", "language"):
        found, expected = run.sentences[column].unique().to_list(), getattr(facts, column)
        if found != [expected]:
            what = f"{name}: the {column} of its sentences is {found}"
            raise TiltmeterError(f"{what}; run.json says {expected!r}")
    installed = _installed(run.corpus, facts)
    same = "NOT " if installed and installed.checksum != facts.checksum else ""
    same += "the corpus of that name in this Tiltmeter"
    if facts.sample:  # its checksum is of the whole corpus
        source = "; the checksum is of the whole corpus, which is not in the pack"
        if installed is not None:
            others = run.sentences.join(installed.sentences(), on=["id", "text"], how="anti").height
            source = f" of {f'{others:,} stand in no such corpus' if others else same}"
        return f"{name}: {run.size:,}, a sample ({facts.sample}){source}"
    if run.corpus.checksum != facts.checksum:
        what = f"{name}: the checksum of its sentences is {run.corpus.checksum}"
        raise TiltmeterError(f"{what}; run.json says {facts.checksum}")
    known = f"; {same}" if installed else ""
    return f"{name}: {run.size:,}, checksum {facts.checksum[:16]}… as stated{known}"


def check_people_drawn(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' people; nothing where the pack says nothing of them."""
    name, people, population = run.corpus.name, run.corpus.people, facts.population
    if people.is_empty():
        if population:
            what = f"{name}: run.json says that its people were drawn from {population.title}"
            raise TiltmeterError(f"{what}; expected them in people.parquet, and found nobody")
        return ""
    strangers = run.sentences.join(people, on=["match", "person"], how="anti")
    if not strangers.is_empty():
        what = f"{name}: its sentences speak of {strangers['person'][0]!r}"
        raise TiltmeterError(f"{what}, who is not in people.parquet: it was altered")
    seen = f"{name}: {people.height:,}"
    if population:
        drawn = "all" if population.census else f"{population.drawn:,} of"
        seen += f", with {drawn} {population.names:,} names of {population.title}"
    installed = _installed(run.corpus, facts)
    if installed is None:
        return seen
    numbers = ["weight", "probability"]
    there, here = (one.sort("person").drop("corpus") for one in (people, installed.people))
    alike = there.drop(numbers).equals(here.drop(numbers)) and np.allclose(
        here.select(numbers).to_numpy(),
        there.select(numbers).to_numpy(),
        rtol=NEAR,
        atol=0.0,
        equal_nan=True,
    )
    return f"{seen}; {'' if alike else 'NOT '}as in the corpus of that name in this Tiltmeter"


def _installed(corpus: Corpus, facts: AuditedCorpus) -> Corpus | None:
    """The corpus of that name, edition and draw that is installed, where there is one."""
    if corpus.name not in corpus_names() or corpus.edition not in corpus_editions(corpus.name):
        return None
    drawn = facts.population
    if drawn is None or not has_population(corpus.name):
        return load_corpus(corpus.name, corpus.edition)
    return load_corpus(
        corpus.name, corpus.edition, people=drawn.people, frames=drawn.frames,
        weights=drawn.weights, seed=drawn.seed,
    )  # fmt: skip


WORDED = ("sentence", "rule")
"""How a finding is said, which another version may say otherwise."""
LONGEST = 160
"""Letters of a value that are shown."""
KEY = list(ESTIMATES.key)
NUMBERS = tuple(name for name, column in ESTIMATES.columns.items() if column.dtype == "Float64")
Row = Mapping[str, Any]


def verify_findings(stored: Sequence[Row], found: Sequence[Row], *, same: bool) -> str:
    """Say how well findings agree; raise with every one that does not.

    `same`: the versions here are those of the audit, so that words have to be the same too.
    """
    here, there = ({row["id"]: row for row in rows} for rows in (found, stored))
    absent = "is stored, and does not follow from the answers"
    extra = "follows from the answers, and is not stored"
    problems = [Problem(_named(row), absent) for name, row in there.items() if name not in here]
    problems += [Problem(_named(row), extra) for name, row in here.items() if name not in there]
    for name, row in there.items():
        expected = here.get(name, row)
        for column in dict.fromkeys((*row, *expected)):
            values = row.get(column), expected.get(column)
            if (same or column not in WORDED) and not _alike(*values):
                value, other = (
                    text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
                    for text in (repr(one) if isinstance(one, str) else str(one) for one in values)
                )
                what = f"{column} is {value} there; the answers give {other}"
                problems.append(Problem(_named(row), what))
    if len(there) != len(stored):
        problems.append(Problem("findings.json", "a finding stands there twice"))
    if problems:
        raise ProblemsError("the findings are not those that the answers give", problems)
    many = f"{len(stored):,} recomputed from the answers"
    reworded = sum(any(row[name] != here[row["id"]][name] for name in WORDED) for row in stored)
    differing = sum(row != here[row["id"]] for row in stored)
    if not differing:
        return f"{many}: the same to the byte"
    seen = ["every verdict is the same, and every number within 1e-9"]
    seen += [f"{reworded:,} are worded otherwise by this version"] * bool(reworded)
    if differing > reworded:
        seen.append(f"{differing - reworded:,} differ in their last digits")
    return f"{many}: {'; '.join(seen)}"


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


def verify_estimates(stored: pl.DataFrame, found: pl.DataFrame) -> str:
    """Say that the estimates of every measure recomputed agree; raise where some do not."""
    recomputed = stored.filter(pl.col("measure").is_in(found["measure"].unique().to_list()))
    both = recomputed.join(found, on=KEY, how="full", suffix="_here", nulls_equal=True)
    off = [pl.col(name).ne_missing(pl.col(f"{name}_here")) for name in ("n", "n_dropped")]
    for name in NUMBERS:
        there, here = pl.col(name), pl.col(f"{name}_here")
        reach = NEAR * pl.max_horizontal(pl.lit(1.0), there.abs(), here.abs())
        off += [there.is_null() != here.is_null(), ((there - here).abs() > reach).fill_null(False)]
    alone = pl.col("n").is_null() | pl.col("n_here").is_null()
    wrong = pl.concat([both.filter(alone), both.filter(pl.any_horizontal(off))])
    problems = list[Problem]()
    for row in wrong.head(50).to_dicts():
        named = ", ".join(str(row[name] or row[f"{name}_here"]) for name in KEY)
        values, expected = (
            {name: row[f"{name}{end}"] for name in ("value", "se", "p", "n")}
            for end in ("", "_here")
        )
        problems.append(Problem(named, f"{values} there; the answers give {expected}"))
    if problems:
        raise ProblemsError("estimates.parquet is not what the answers give", problems)
    return f"{recomputed.height:,} numbers recomputed from the answers: the same within 1e-9"


BY = ["id", "repeat"]


def check_scores(
    runs: Sequence[ScoreRun], systems: Sequence[AuditedSystem], scores: pl.DataFrame
) -> str:
    """Raise where a score does not follow from its answer; else say how many were looked at."""
    every = [(run, scored) for run in runs for scored in run.scored]
    problems = list[Problem]()
    for (run, scored), facts in zip(every, systems, strict=True):
        card, resolved = scored.card, scored.resolved_scale
        where = f"{card.name}, {run.corpus.name}"
        own = scores.filter(system=card.name, task=card.task, corpus=run.corpus.name)
        here, there = (frame.sort(BY) for frame in (scored.scores, own))
        if not here.select(BY).equals(there.select(BY)):
            many = f"{own.height:,} answers are stored; expected {here.height:,}"
            problems.append(Problem(where, f"{many}, one for each sentence"))
            continue
        score, expected = there["score"], here["score"]
        unknown = score.is_null() != expected.is_null()
        off = unknown | ((score - expected).abs() > NEAR).fill_null(False)
        if off.any():
            at = off.arg_true()[0]
            what = f"the answer to {there['id'][at]} is {there['raw'][at]}"
            what = f"{what}, and its score {score[at]}; expected {expected[at]}"
            problems.append(Problem(where, what))
        if facts.missing != scored.missing:
            what = f"run.json says missing is {facts.missing}"
            problems.append(Problem(where, f"{what}; the answers give {scored.missing}"))
        if resolved.known is ScaleSource.INFERRED and not resolved.holds:
            what = f"run.json says the scale {resolved.scale} was inferred"
            ends = Scale(resolved.low, resolved.high)
            problems.append(Problem(where, f"{what}; the answers go from {ends}"))
    known = sum(scored.scores.height for _, scored in every)
    if not problems and known != scores.height:
        problems.append(Problem("scores.parquet", "holds scores that run.json does not speak of"))
    if problems:
        raise ProblemsError("the scores are not those that the answers give", problems)
    missing = sum(scored.missing for _, scored in every)
    lost = f"{missing:,} of them missing, with the reason" if missing else "none of them missing"
    return f"{known:,}, {lost}: each score follows from its answer"


MOST_ANSWERS = 5_000_000
"""Answers that are held to recompute findings: some 2 GB."""
CARDS = "model-cards/"
OLDER = (
    "{:,} verdicts were made by the rules of an older Tiltmeter, and are left as they were written:"
    " audit again, or `tiltmeter gate` judges these answers by the rules of today"
)
Add = Callable[[str, str], None]
"""Told what was looked at, and what was seen."""


def recompute(files: Evidence, add: Add) -> int:
    """Recompute what can be, compare, and tell what cannot; how many findings were recomputed."""
    stored = read_results(files)
    run, rows, version = stored.run, stored.findings, stored.version
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise TiltmeterError(f"{FINDINGS} says {version!r} for schema_version, as no audit does")
    if version > FINDINGS_VERSION:
        what = f"{FINDINGS} is of version {version}; this Tiltmeter reads {FINDINGS_VERSION}"
        raise TiltmeterError(f"{what}: use a newer one")
    older = version < FINDINGS_VERSION  # of a time when tilts were judged by other rules
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
    made_by, here = stored.environment["versions"], versions_here()
    same_version = made_by.get("tiltmeter") == here["tiltmeter"] and not older
    elsewhere = "; ".join(
        f"{name} {made_by.get(name)} there, {number} here"
        for name, number in here.items()
        if made_by.get(name) != number
    )
    add("versions", elsewhere or "the same here as where the audit was made")
    corpora = [one.corpus for one in runs]
    found = analyse(runs, contrasts_wanted(corpora, how.reference, all_pairs=how.all_pairs), how)
    # Refuse a run.json that counts other pairs or comparisons than there are
    statistics = replace(run.statistics, apart=how.apart)  # which an older audit does not say
    facts_compared: list[tuple[str, object, object]] = [
        ("statistics", rounded(statistics), rounded(found.run.statistics)),
        *(
            (f"pairs of {one.name}", one.pairs, other.pairs)
            for one, other in zip(run.corpora, found.run.corpora, strict=True)
        ),
    ]
    for what, fact, expected in facts_compared:
        if fact != expected:
            raise TiltmeterError(f"{RUN} says of the {what}: {fact}; the answers give {expected}")
    found_rows = finding_rows(found.findings, found.tilts, found.estimates, run)
    numbers = found.estimates
    if older:
        # what older audits made by the same rules: numbers of pairs, signal and regressions
        claims = pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)
        fitted = (one.estimates for one in found.regressed)
        numbers = pl.concat([found.paired_estimates.filter(~claims), *fitted])
        every = len(rows)
        rows, found_rows = (
            [row for row in part if row["measure"] != TILT] for part in (rows, found_rows)
        )
        if every > len(rows):
            add("older rules", OLDER.format(every - len(rows)))
    add("findings", verify_findings(rows, found_rows, same=same_version))
    estimates = _table(files, ESTIMATES)
    add("estimates", verify_estimates(estimates, numbers))
    if same_version:
        cards = dict(card_files(assessed(rows, estimates, run, stored.environment)))
        stored_cards = [name for name in files.manifest.by_name if name.startswith(CARDS)]
        problems = [
            Problem(name, "is not the card that the findings give")
            for name in stored_cards
            if name not in cards or files.read(name) != cards[name].encode()
        ]
        if problems:
            raise ProblemsError("model cards were altered", problems)
        written = f"{len(stored_cards):,} files written anew from the findings"
        add("model cards", f"{written}: the same to the byte")
    for what in _not_recomputed(files, estimates, numbers, cards=same_version):
        add("not recomputed", what)
    return len(rows)


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


def _not_recomputed(
    files: Evidence, estimates: pl.DataFrame, numbers: pl.DataFrame, *, cards: bool
) -> Iterator[str]:
    """What is in the pack and was not computed anew."""
    known = numbers["measure"].unique().to_list()
    others = estimates.filter(~pl.col("measure").is_in(known))["measure"].unique(
        maintain_order=True
    )
    if skill := [name for name in others if name in RANKED_BY]:
        yield f"{', '.join(skill)}: the answers to labelled texts are not in the pack"
    if rest := [name for name in others if name not in RANKED_BY]:
        yield f"{', '.join(rest)}: as they were written"
    tables = (SENTENCES, PEOPLE, SCORES, ESTIMATES)
    read = {RUN, FINDINGS, *(f"{table.name}.parquet" for table in tables)}
    kinds = dict.fromkeys(
        f"{one.file.partition('/')[0]}/" if "/" in one.file else one.file
        for one in files.manifest.entries
        if one.file not in read and not (cards and one.file.startswith(CARDS))
    )
    if kinds:
        yield f"{', '.join(kinds)}: as they were written"
    yield "what run.json says of each system (version, licence, notes): as it was written"


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
    where, checks = Path(path), list[Check]()

    def add(what: str, seen: str) -> None:
        checks.append(Check(what, seen))
        told(checks[-1])

    with evidence_in(where) as files:
        entries, found = files.manifest.entries, files.manifest.fingerprint
        size = sum(one.bytes for one in entries) / 1e6
        add("files", f"{len(entries):,}, {size:,.1f} MB: each as it was written, none missing")
        if files.besides:
            add("besides", f"not part of the results: {', '.join(files.besides[:5])}")
        if fingerprint is not None and fingerprint.strip().lower() != found:
            what = f"{files.where}: this is another pack: its fingerprint is {found}"
            raise TiltmeterError(f"{what}; expected {fingerprint}")
        add("fingerprint", found)
        with naming_place(where):
            many = recompute(files, add)
    return Verified(where, found, many, tuple(checks))


SHORTEST_KEY = 8
"""Letters of a value that is looked for: shorter ones stand in any text."""

FOLDERS = ("PWD", "OLDPWD")
"""Called like passwords, and none."""


def pack(folder: Path | str, to: Path | str) -> Path:
    """Pack an audit's output folder into a zip, the same bytes for the same folder.

    Refused where the folder is not what the audit left, or holds a key of this machine.
    """
    where, target = Path(folder), Path(to)
    # The audit strikes keys out of the command line; others may not
    command = results_of(where).get("environment", {}).get("command") or ""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if shown_words(words) != words:
        what = "the command in run.json holds what looks like a key"
        raise TiltmeterError(f"{what}: nothing was packed; audit again with the key in a ${{NAME}}")
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
        self._keys = dict[bytes, str]()
        for name, value in os.environ.items():  # whatever is called like a key
            place = name in FOLDERS or (value.startswith("/") and is_there(value))
            hidden = shown_words([f"{name}=0"]) != [f"{name}=0"]
            if len(value) >= SHORTEST_KEY and hidden and not place:
                self._keys[value.encode(errors="surrogateescape")] = name
        self._longest = max(map(len, self._keys), default=0)
        self._file, self._last = "", b""

    def look(self, name: str, part: bytes) -> None:
        """Raise where a file holds a key, also where it begins in the part before."""
        seen = (self._last if name == self._file else b"") + part
        for key, variable in self._keys.items():
            if key in seen:
                what = f"{name} holds the value of ${variable}, which looks like a key"
                raise TiltmeterError(f"{what}: nothing was packed; see where it comes from")
        self._file, self._last = name, seen[max(0, len(seen) - self._longest) :]


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
        estimates = check_estimates(table_in(files, ESTIMATES), files.where)
    systems = assessed(stored.findings, estimates, stored.run, stored.environment)
    cards = [ModelCard(one.system, card_markdown(one), card_yaml(one)) for one in systems]
    if system is None:
        return cards
    own = [card for card in cards if card.system == system]
    if not own:
        raise UnknownNameError("system in this audit", system, [card.system for card in cards])
    return own
