"""Scores, findings, estimates and model cards of a pack computed anew, beside those it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from msgspec.structs import replace

from tiltmeter.audit_run import AuditRun
from tiltmeter.errors import IncompleteError, Problem, ProblemsError, TiltmeterError
from tiltmeter.files import parquet_frame
from tiltmeter.flow.agreeing import agreed_estimates, agreed_findings
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.flow.audit_folder import WHO, check_people, nobody
from tiltmeter.flow.concluding import Concluded, Statistics, concluded
from tiltmeter.flow.environment import versions_here
from tiltmeter.flow.provenance import run_facts
from tiltmeter.flow.resaid import check_people_drawn, check_sentences
from tiltmeter.flow.rescored import check_scores
from tiltmeter.flow.retold import runs_of, statistics_of
from tiltmeter.flow.run_shape import FINDINGS, RUN, read_results
from tiltmeter.flow.wanted import contrasts_wanted
from tiltmeter.measures import MOVED, RANKED_BY, TILT
from tiltmeter.report import (
    FINDINGS_VERSION,
    Evidence,
    assessed,
    card_files,
    finding_rows,
    rounded,
)
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, Table, validate

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
    runs, how = runs_of(run, sentences, scores, _people(files)), statistics_of(run)
    for one, facts in zip(runs, run.corpora, strict=True):
        add("sentences", check_sentences(one, facts))
        if whom := check_people_drawn(one, facts):
            add("people", whom)
    add("answers", check_scores(runs, run.systems, scores))
    made = stored.environment["versions"]
    ours, elsewhere = made.get("tiltmeter") == versions_here()["tiltmeter"], _differing(made)
    add("versions", elsewhere or "the same here as where the audit was made")
    corpora = [one.corpus for one in runs]
    contrasts = contrasts_wanted(corpora, how.reference, all_pairs=how.all_pairs)
    found = concluded(runs, contrasts, how)
    _check_facts(run, runs, found, how)
    again: Rows = finding_rows(found.findings, found.tilts, found.every_estimate, run)
    numbers = found.every_estimate
    if older:
        again, numbers = _without_claims(again), _lasting(found)
        if many := len(rows) - len(_without_claims(rows)):
            add("older rules", OLDER.format(many))
        rows = _without_claims(rows)
    add("findings", agreed_findings(rows, again, same=ours and not older))
    estimates = _table(files, ESTIMATES)
    add("estimates", agreed_estimates(estimates, numbers))
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


def _lasting(found: Concluded) -> pl.DataFrame:
    """The numbers that older audits made by the same rules: of pairs, signal and regressions."""
    claims = pl.col("measure").str.starts_with(TILT) | (pl.col("measure") == MOVED)
    fitted = (one.estimates for one in found.regressions.told)
    return pl.concat([found.estimates.filter(~claims), *fitted])


def _check_facts(
    run: AuditRun, runs: Sequence[ScoreRun], found: Concluded, how: Statistics
) -> None:
    """Refuse a run.json that counts other pairs or comparisons than there are."""
    facts = run_facts(runs, found.studies, how, found.apart)
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


def _table(files: Evidence, table: Table) -> pl.DataFrame:
    name = f"{table.name}.parquet"
    try:
        frame = parquet_frame(files.read(name))
    except OSError as error:
        raise TiltmeterError(f"{name} cannot be read: {error.strerror}") from error
    if frame.height > MOST_ANSWERS:
        what = f"{name} has {frame.height:,} rows; at most {MOST_ANSWERS:,} are recomputed"
        raise IncompleteError(f"{what}: its files are as they were packed, and no more is known")
    return validate(frame, table, where=name)


def _people(files: Evidence) -> pl.DataFrame:
    return check_people(_table(files, PEOPLE), WHO) if WHO in files.manifest.by_name else nobody()


def _differing(made: Mapping[str, Any]) -> str:
    """The versions that are not those of the audit, in words; nothing where all are."""
    here = versions_here()
    differ = [name for name in here if made.get(name) != here[name]]
    return "; ".join(f"{name} {made.get(name)} there, {here[name]} here" for name in differ)


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
    kinds = dict.fromkeys(_place(one) for one in shown if not (cards and one.startswith(CARDS)))
    if kinds:
        yield f"{', '.join(kinds)}: as they were written"
    yield "what run.json says of each system (version, licence, notes): as it was written"


def _place(name: str) -> str:
    folder, parted, _ = name.partition("/")
    return f"{folder}/" if parted else name
