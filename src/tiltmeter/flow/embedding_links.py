"""Systems beside embeddings: whether a system's tilt between names was already in the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.corpora import Corpus
from tiltmeter.flow.asking import Manner, score_subjects
from tiltmeter.flow.environment import audited_system
from tiltmeter.flow.subjects import Specs, opened
from tiltmeter.measures import LinkStudy, People, RnsbStudy, Space, link_study, people_study


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """How far each system's scores of each person's sentences stand from the others'."""

    corpus: Corpus
    people: People
    axes: tuple[str, ...]
    facts: Sequence[AuditedSystem] = field(default=())
    notes: tuple[str, ...] = ()


def names_in(corpus: Corpus) -> tuple[str, ...]:
    """The persons of a corpus who are called by one word and stand against several others.

    A phrase has no vector. Of a pair, such as he and she, the two deviations are one number.
    """
    persons = corpus.sentences().select("person", "match").unique(maintain_order=True)
    several = persons.filter(pl.len().over("match") > 2)
    return tuple(one for one in several["person"] if one and not one.split()[1:])


def deviations_of(
    systems: Specs, corpus: Corpus, tasks: Sequence[str], manner: Manner
) -> Deviations:
    """Score a corpus with systems and see how each person's sentences fare."""
    with opened(systems, tasks, manner.options) as subjects:
        run = score_subjects(subjects, corpus, manner)
    axes = tuple(axis.name for axis in corpus.axes)
    notes = tuple(f"{one.card.name}: {note}" for one in run.scored for note in one.notes)
    return Deviations(
        corpus,
        people_study(run.sentences, run.matrix, axes),
        axes,
        [audited_system(run.corpus.name, scored) for scored in run.scored],
        notes,
    )


def linked(study: RnsbStudy, space: Space, seen: Deviations, seed: int) -> LinkStudy:
    """Hold an embedding's names against every system's."""
    held = () if study.fit is None else space.held(names_in(seen.corpus))
    known = dict(zip(held, study.log_odds(space.rows(held)).tolist(), strict=True))
    return link_study(space.name, known, seen.people, seen.corpus.name, seen.axes, seed)
