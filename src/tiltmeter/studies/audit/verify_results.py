"""Sentences, scores, findings and estimates of a pack beside those computed anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditedCorpus, AuditedSystem
from tiltmeter.corpora import Corpus, corpus_editions, corpus_names, has_population, load_corpus
from tiltmeter.errors import Problem, ProblemsError, TiltmeterError
from tiltmeter.schemas import ESTIMATES
from tiltmeter.scoring import ScaleSource, Scored
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.systems import Scale

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
    settled = scored.settled
    if settled.known is ScaleSource.INFERRED and not settled.holds:
        said = f"run.json says the scale {settled.scale} was inferred"
        yield f"{said}; the answers go from {Scale(settled.low, settled.high)}"
