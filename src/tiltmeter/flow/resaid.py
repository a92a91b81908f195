"""Sentences and people of a pack, held against what run.json says and the corpus of that name."""

from __future__ import annotations

import polars as pl

from tiltmeter.audit_run import AuditedCorpus
from tiltmeter.corpora import (
    Corpus,
    corpus_editions,
    corpus_names,
    has_population,
    load_corpus,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import ScoreRun

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
