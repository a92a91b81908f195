"""The sentences of a pack held against their checksum, and against the corpus of that name here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.corpora import Corpus, corpus_editions, corpus_names, load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import ScoreRun

Facts = Mapping[str, Any]


def check_sentences(run: ScoreRun, facts: Facts) -> str:
    """Say what is known of a corpus' sentences; raise where run.json tells of others."""
    name, said = run.corpus.name, facts["sentences"]
    if run.size != said:
        raise TiltmeterError(f"{name}: found {run.size:,} sentences; run.json says {said:,}")
    for column in ("edition", "language"):
        found = run.sentences[column].unique().to_list()
        if found != [facts[column]]:
            told = f"run.json says {facts[column]!r}"
            raise TiltmeterError(f"{name}: the {column} of its sentences is {found}; {told}")
    ours = _known_here(run.corpus)
    if facts["sample"]:
        return f"{name}: {run.size:,}, a sample ({facts['sample']}){_sample_of(run, facts, ours)}"
    if run.corpus.checksum != facts["checksum"]:
        what = f"{name}: the checksum of its sentences is {run.corpus.checksum}"
        raise TiltmeterError(f"{what}; run.json says {facts['checksum']}")
    known = f"; {_same(ours, facts)}" if ours else ""
    return f"{name}: {run.size:,}, checksum {facts['checksum'][:16]}… as stated{known}"


def _known_here(corpus: Corpus) -> Corpus | None:
    """The corpus of that name and edition that is installed, where there is one."""
    if corpus.name not in corpus_names() or corpus.edition not in corpus_editions(corpus.name):
        return None
    return load_corpus(corpus.name, corpus.edition)


def _same(ours: Corpus, facts: Facts) -> str:
    if ours.checksum == facts["checksum"]:
        return "the corpus of that name in this Tiltmeter"
    return "NOT the corpus of that name in this Tiltmeter"


def _sample_of(run: ScoreRun, facts: Facts, ours: Corpus | None) -> str:
    """Whether a sample's sentences stand in the corpus here; its own checksum is of them all."""
    if ours is None:
        return "; the checksum is of the whole corpus, which is not in the pack"
    drawn = run.sentences.join(ours.sentences(), on=["id", "text"], how="anti")
    whole = _same(ours, facts) if drawn.is_empty() else f"{drawn.height:,} stand in no such corpus"
    return f" of {whole}"
