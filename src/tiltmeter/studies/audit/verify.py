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

from tiltmeter.audit_run import AuditedCorpus
from tiltmeter.corpora import Corpus, corpus_editions, corpus_names, has_population, load_corpus
from tiltmeter.errors import OutputError, Problem, ProblemsError, TiltmeterError, UnknownNameError
from tiltmeter.files import is_file, is_folder, is_there, without_folders
from tiltmeter.report.json_files import rounded
from tiltmeter.report.pack import is_pack, open_evidence, write_pack
from tiltmeter.schemas import ESTIMATES
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.findings import finding_rows
from tiltmeter.studies.audit.model_card import assessed, card_files, card_markdown, card_yaml
from tiltmeter.studies.audit.options import contrasts_wanted
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.audit.stored_audit import (
    EXPECTED,
    FINDINGS,
    RUN,
    TABLES,
    AuditFolder,
    naming_place,
    open_audit,
    read_audit,
)
from tiltmeter.studies.skill.measure import RANKED_BY
from tiltmeter.systems import shown_words

Row = Mapping[str, Any]
Add = Callable[[str, str], None]
"""Told what was looked at, and what was seen."""


# ---- what is known of sentences and people


def describe_sentences(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' sentences, beside the corpus of that name that is here."""
    name, installed = run.corpus.name, _installed(run.corpus, facts)
    alike = installed is not None and installed.checksum == facts.checksum
    if installed and alike:  # its checksum is of the texts alone
        if _wording(installed) != _wording(run.corpus):
            message = (
                f"{name}: run.json speaks of its groups otherwise than the corpus of that name"
            )
            raise TiltmeterError(f"{message}: it was altered")
        whole = installed.sentences()
        ours = run.sentences.join(whole, on=["id", "text"], how="semi")
        moved = ours.join(whole, on=installed.columns, how="anti", nulls_equal=True)
        if not moved.is_empty():
            message = f"{name}: {moved.height:,} sentences are about other people or groups"
            raise TiltmeterError(f"{message} than in the corpus of that name: they were altered")
    same = f"{'' if alike else 'NOT '}the corpus of that name in this Tiltmeter"
    if not facts.sample:
        known = f"; {same}" if installed else ""
        return f"{name}: {run.size:,}, checksum {facts.checksum[:16]}… as stated{known}"
    source = "; the checksum is of the whole corpus, which is not in the pack"
    if installed:
        others = run.sentences.join(installed.sentences(), on=["id", "text"], how="anti").height
        source = f" of {f'{others:,} stand in no such corpus' if others else same}"
    return f"{name}: {run.size:,}, a sample ({facts.sample}){source}"


def _wording(corpus: Corpus) -> tuple[str, dict[str, dict[str, str]]]:
    """Its title, and how it speaks of every group."""
    spoken = {one.name: {name: one.phrase(name) for name in one.groups} for one in corpus.axes}
    return corpus.title, spoken


def describe_people(run: ScoreRun, facts: AuditedCorpus) -> str:
    """Say what is known of a corpus' people; nothing where the pack says nothing of them."""
    name, people, population = run.corpus.name, run.corpus.people, facts.population
    if people.is_empty():
        return ""
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


# ---- numbers and findings beside those recomputed


NEAR, NEAR_RATIO = 1e-9, 1e-7
"""Tolerance of an effect, its error, its ends and its p, and of ratios of them: in parts of the
scale, or of the number itself where it is larger than 1."""
RATIOS = ("statistic", "df")
KEY = list(ESTIMATES.key)
NUMBERS = tuple(name for name, column in ESTIMATES.columns.items() if column.dtype == "Float64")
EQUAL = ("unit", "n", "n_dropped")
WORDED = ("sentence", "rule")
"""How a finding is said, which another version may say otherwise."""
LONGEST = 160
"""Letters of a value that are shown."""


def compare_estimates(stored: pl.DataFrame, measured: pl.DataFrame) -> tuple[bool, list[Problem]]:
    """Whether stored estimates are the same to the last digit, and those that are not near.

    Measures that cannot be measured again are left out.
    """
    there = stored.filter(pl.col("measure").is_in(measured["measure"].unique().to_list()))
    both = there.join(measured, on=KEY, how="full", suffix="_here")
    differs = {name: pl.col(name).ne_missing(pl.col(f"{name}_here")) for name in EQUAL + NUMBERS}
    exact = not both.select(pl.any_horizontal(*differs.values()).any()).item()
    far = [differs[name] for name in EQUAL]
    for name in NUMBERS:
        one, other = pl.col(name), pl.col(f"{name}_here")
        size = pl.max_horizontal(one.abs(), other.abs()).clip(lower_bound=1.0)
        reach = size * (NEAR_RATIO if name in RATIOS else NEAR)
        far += [one.is_null() != other.is_null(), ((one - other).abs() > reach).fill_null(False)]
    problems = list[Problem]()
    for row in both.filter(pl.any_horizontal(far)).head(50).to_dicts():
        named = ", ".join(str(row[name] or row[f"{name}_here"]) for name in KEY)
        off = [name for name in (*NUMBERS, *EQUAL) if row[name] != row[f"{name}_here"]]
        values, expected = ({name: row[f"{name}{end}"] for name in off} for end in ("", "_here"))
        problems.append(Problem(named, f"{values} there; the answers give {expected}"))
    return bool(exact), problems


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
        for column in differing_columns(row, expected, same=same):
            values = row.get(column), expected.get(column)
            value, other = (
                text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
                for text in (repr(one) if isinstance(one, str) else str(one) for one in values)
            )
            message = f"{column} is {value} there; the answers give {other}"
            problems.append(Problem(_named(row), message))
    if len(there) != len(stored):
        problems.append(Problem(FINDINGS, "a finding stands there twice"))
    if problems:
        raise ProblemsError("the findings are not those that the answers give", problems)
    summary = f"{len(stored):,} recomputed from the answers"
    differing = sum(row != here[row["id"]] for row in stored)
    if not differing:
        return f"{summary}: the same to the byte"
    reworded = reworded_findings(stored, found)
    seen = ["every verdict is the same, and every number within 1e-9"]
    seen += [f"{reworded:,} are worded otherwise by this version"] * bool(reworded)
    if differing > reworded:
        seen.append(f"{differing - reworded:,} differ in their last digits")
    return f"{summary}: {'; '.join(seen)}"


def differing_columns(row: Row, expected: Row, *, same: bool) -> list[str]:
    """What two findings do not agree in, numbers within 1e-9."""
    return [
        column
        for column in dict.fromkeys((*row, *expected))
        if (same or column not in WORDED) and not _alike(row.get(column), expected.get(column))
    ]


def reworded_findings(stored: Sequence[Row], found: Sequence[Row]) -> int:
    """How many stored findings are said in other words than here."""
    here = {row["id"]: row for row in found}
    return sum(any(row[name] != here[row["id"]][name] for name in WORDED) for row in stored)


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


# ---- everything recomputed


CARDS = "model-cards/"


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The findings that an audit's answers give, those stored being the same."""

    rows: Sequence[Row]
    """As findings.json would hold them, in the words of this version."""
    not_checked: tuple[str, ...]
    """What is in the pack and was not computed anew."""
    unchecked_words: tuple[str, ...]
    """Sentences and cards among it, which another version worded otherwise."""


def recompute(audit: AuditFolder, add: Add = lambda *_: None) -> Recomputed:
    """Compute anew whatever follows from the answers; raise where something else is stored."""
    run, how = audit.run, audit.statistics
    for score_run, facts in zip(audit.runs, run.corpora, strict=True):
        add("sentences", describe_sentences(score_run, facts))
        if seen := describe_people(score_run, facts):
            add("people", seen)
    missing = sum(scored.missing for score_run in audit.runs for scored in score_run.scored)
    lost = f"{missing:,} of them missing, with the reason" if missing else "none of them missing"
    add("answers", f"{audit.scores.height:,}, {lost}: each score follows from its answer")
    versions, here = audit.environment["versions"], versions_here()
    elsewhere = "; ".join(
        f"{name} {versions.get(name)} there, {number} here"
        for name, number in here.items()
        if versions.get(name) != number
    )
    add("versions", elsewhere or "the same here as where the audit was made")
    corpora = [score_run.corpus for score_run in audit.runs]
    contrasts = contrasts_wanted(corpora, how.reference, all_pairs=how.all_pairs)
    found = analyse(audit.runs, contrasts, how)
    _check_facts(audit, found)
    exact, problems = compare_estimates(audit.estimates, found.estimates)
    rows = finding_rows(found.findings, found.tilts, found.estimates, run)
    same = versions.get("tiltmeter") == here["tiltmeter"]
    written = {row["id"]: row for row in audit.findings}
    off = {row["id"] for row in rows
           if differing_columns(written.get(row["id"], row), row, same=same)}  # fmt: skip
    if off and not exact and not problems:  # a sentence may round a number as it was written
        judged = analyse(audit.runs, contrasts, how, audit.estimates)
        again = finding_rows(judged.findings, judged.tilts, judged.estimates, run)
        rows = [other if row["id"] in off else row for row, other in zip(rows, again, strict=True)]
    add("findings", verify_findings(audit.findings, rows, same=same))
    if problems:
        raise ProblemsError("estimates.parquet is not what the answers give", problems)
    held = audit.estimates.filter(
        pl.col("measure").is_in(found.estimates["measure"].unique().to_list())
    )
    add("estimates", f"{held.height:,} numbers recomputed from the answers: the same within 1e-9")
    not_checked, unchecked_words = list[str](), list[str]()
    other = f"as tiltmeter {versions.get('tiltmeter')} wrote them"
    if reworded := reworded_findings(audit.findings, rows):
        unchecked_words.append(f"the sentences of {reworded:,} findings")
        not_checked.append(f"sentences of {FINDINGS}: {reworded:,} of {len(rows):,} {other}")
    sound = audit.findings if same else rows
    cards = dict(card_files(assessed(sound, audit.estimates, run, audit.environment)))
    stored = [name for name in audit.files.manifest.by_name if name.startswith(CARDS)]
    wrong = [
        name
        for name in stored
        if name not in cards or audit.files.read(name) != cards[name].encode()
    ]
    if wrong and same:
        message = "is not the card that the findings give"
        raise ProblemsError("model cards were altered", [Problem(name, message) for name in wrong])
    if wrong:
        unchecked_words.append(f"{len(wrong):,} model cards")
        not_checked.append(f"{CARDS}: {len(wrong):,} of {len(stored):,} files {other}")
    else:
        seen = f"{len(stored):,} files written anew from the findings"
        add("model cards", f"{seen}: the same to the byte")
    not_checked += _as_written(audit, found)
    for part in not_checked:
        add("not checked", part)
    return Recomputed(rows, tuple(not_checked), tuple(unchecked_words))


def _check_facts(audit: AuditFolder, found: Audit) -> None:
    """Refuse a run.json that counts other pairs or comparisons than there are."""
    run = audit.run
    facts: list[tuple[str, object, object]] = [
        ("statistics", rounded(run.statistics), rounded(found.run.statistics)),
        ("regression", rounded(run.regression), rounded(found.run.regression)),
        *(
            (f"pairs of {one.name}", one.pairs, other.pairs)
            for one, other in zip(run.corpora, found.run.corpora, strict=True)
        ),
    ]
    for part, stated, expected in facts:
        if stated != expected:
            raise TiltmeterError(f"{RUN} says of the {part}: {stated}; the answers give {expected}")


def _as_written(audit: AuditFolder, found: Audit) -> Iterator[str]:
    """What is in the pack and cannot be computed anew."""
    measured = found.estimates["measure"].unique().to_list()
    others = audit.estimates.filter(~pl.col("measure").is_in(measured))["measure"].unique(
        maintain_order=True
    )
    if skill := [name for name in others if name in RANKED_BY]:
        yield f"{', '.join(skill)}: the answers to labelled texts are not in the pack"
    if rest := [name for name in others if name not in RANKED_BY]:
        yield f"{', '.join(rest)}: as they were written"
    read = {RUN, FINDINGS, *TABLES.values()}
    kinds = dict.fromkeys(
        f"{one.file.partition('/')[0]}/" if "/" in one.file else one.file
        for one in audit.files.manifest.entries
        if one.file not in read and not one.file.startswith(CARDS)
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
    not_checked: tuple[str, ...]
    """What is in the pack as somebody wrote it: nobody here can say whether it is so."""
    unchecked_words: tuple[str, ...]
    """Sentences and cards among it, which another version worded otherwise."""

    @property
    def json(self) -> str:
        """What was checked, for other programs."""
        facts = asdict(self) | {"path": without_folders(str(self.path)), "verified": True}
        return json.dumps(facts, indent=2, ensure_ascii=False) + "\n"


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
    checks = list[Check]()

    def add(what: str, seen: str) -> None:
        checks.append(Check(what, seen))
        told(checks[-1])

    audit = read_audit(path)
    manifest, where = audit.files.manifest, audit.path
    if fingerprint is not None and fingerprint.strip().lower() != manifest.fingerprint:
        message = f"{where}: this is another pack: its fingerprint is {manifest.fingerprint}"
        raise TiltmeterError(f"{message}; expected {fingerprint}")
    size = sum(entry.bytes for entry in manifest.entries) / 1e6
    add("files", f"{len(manifest.entries):,}, {size:,.1f} MB: each as it was written, none missing")
    if audit.files.besides:
        add("besides", f"not part of the results: {', '.join(audit.files.besides[:5])}")
    add("fingerprint", manifest.fingerprint)
    with naming_place(where):
        found = recompute(audit, add)
    return Verified(
        where, manifest.fingerprint, len(found.rows), tuple(checks), found.not_checked,
        found.unchecked_words,
    )  # fmt: skip


# ---- packs


SHORTEST_KEY = 8
"""Letters of a value that is looked for: shorter ones stand in any text."""

FOLDERS = ("PWD", "OLDPWD")
"""Called like passwords, and none."""


def pack(folder: Path | str, to: Path | str) -> Path:
    """Pack an audit's output folder into a zip, the same bytes for the same folder.

    Refused where the folder is not what the audit left, or holds a key of this machine.
    """
    where, target = Path(folder), Path(to)
    if not is_folder(where):
        found = "is a file" if is_file(where) else "there is no such folder"
        raise TiltmeterError(f"{where}: {found}; expected {EXPECTED.partition(',')[0]}")
    audit = open_audit(where)
    # The audit strikes keys out of the command line; others may not
    command = str(audit.environment.get("command") or "")
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    if shown_words(words) != words:
        message = "the command in run.json holds what looks like a key"
        raise TiltmeterError(
            f"{message}: nothing was packed; audit again with the key in a ${{NAME}}"
        )
    # Replace an earlier pack, and nothing else
    if is_file(target) and not is_pack(target):
        message = f"{target}: is there already, and is no pack"
        raise OutputError(f"{message}; name another place, or remove it")
    write_pack(audit.files, target, Keys().look)
    return target


def fingerprint_of(path: Path | str) -> str:
    """The one digest over all files of a pack or output folder, each of them checked."""
    return open_evidence(Path(path), expected=EXPECTED).manifest.fingerprint


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
                message = f"{name} holds the value of ${variable}, which looks like a key"
                raise TiltmeterError(f"{message}: nothing was packed; see where it comes from")
        self._file, self._last = name, seen[max(0, len(seen) - self._longest) :]


# ---- model cards


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a system's model card may say of an audit."""

    system: str
    markdown: str
    yaml: str


def model_cards(path: Path | str, system: str | None = None) -> list[ModelCard]:
    """The cards of every system of an audit, or of one.

    A card is pasted where nobody sees the pack: so the findings are recomputed first, and a pack
    whose findings do not follow from its answers has none.
    """
    audit = read_audit(path)
    with naming_place(audit.path):
        rows = recompute(audit).rows
    systems = assessed(rows, audit.estimates, audit.run, audit.environment)
    cards = [ModelCard(one.system, card_markdown(one), card_yaml(one)) for one in systems]
    if system is None:
        return cards
    own = [card for card in cards if card.system == system]
    if not own:
        raise UnknownNameError("system in this audit", system, [card.system for card in cards])
    return own
