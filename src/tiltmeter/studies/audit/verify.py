"""A pack verified: every file is what was packed, and the findings follow from the answers."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from msgspec.structs import replace

from tiltmeter.audit_run import AuditRun
from tiltmeter.errors import (
    IncompleteError,
    OutputError,
    Problem,
    ProblemsError,
    TiltmeterError,
    UnknownNameError,
)
from tiltmeter.files import is_file, is_there, parquet_frame, without_folders
from tiltmeter.report.evidence import Evidence, evidence_in
from tiltmeter.report.json_files import rounded
from tiltmeter.report.pack import is_pack, results_of, write_pack
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, TableSchema, validate
from tiltmeter.scoring.provenance import versions_here
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.findings_json import FINDINGS_VERSION, finding_rows
from tiltmeter.studies.audit.model_card import assessed, card_files, card_markdown, card_yaml
from tiltmeter.studies.audit.options import Statistics, contrasts_wanted
from tiltmeter.studies.audit.rebuild import runs_of, statistics_of
from tiltmeter.studies.audit.stored_audit import (
    FINDINGS,
    RUN,
    WHO,
    check_estimates,
    check_people,
    naming_place,
    nobody,
    read_results,
)
from tiltmeter.studies.audit.verify_results import (
    check_people_drawn,
    check_scores,
    check_sentences,
    verify_estimates,
    verify_findings,
)
from tiltmeter.studies.paired.tilt import MOVED, TILT
from tiltmeter.studies.skill.measure import RANKED_BY
from tiltmeter.systems import shown_words

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
