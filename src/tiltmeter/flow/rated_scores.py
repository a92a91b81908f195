"""Groups with everybody's scores, ready to be rated: systems asked, or outputs given elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import RatingResults
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import Manner, ScoreRun, score_subjects
from tiltmeter.flow.environment import audited_system, stored_facts
from tiltmeter.flow.rated_against import Terms
from tiltmeter.flow.rating_groups import (
    Drawing,
    check_drawing,
    every_sentence,
    group_facts,
    groups_given,
    phrases_of,
    rated_groups,
)
from tiltmeter.flow.rating_notes import controls_among, remarks_of
from tiltmeter.flow.stored_results import stored_groups
from tiltmeter.flow.subjects import Specs, opened
from tiltmeter.flow.unavailable import Unavailable, unavailable_facts, unavailable_in
from tiltmeter.measures import RatingGroup
from tiltmeter.systems import SIGNED, VALENCE, Options, Scale

ROUNDED = ("random", "distilbert-sst2")
"""Systems whose scores the paper's authors round to two decimals, which matters beside ε."""


@dataclass(frozen=True, eq=False, slots=True)
class Rated:
    """Groups with everybody's scores."""

    groups: list[RatingGroup]
    submissions: list[tuple[str, str]]
    notes: tuple[str, ...]
    facts: Mapping[str, Any]
    phrases: Mapping[str, Mapping[str, Mapping[str, str]]]
    """How each group's corpus speaks of its people, by attribute and class."""
    scores: pl.DataFrame | None = None
    sentences: pl.DataFrame | None = None
    stored: Sequence[Mapping[str, Any]] = ()
    """What was used of the store."""
    unavailable: tuple[Unavailable, ...] = ()


def asked_scores(
    systems: Specs,
    terms: Terms,
    draws: int,
    tasks: Sequence[str],
    manner: Manner,
    drawn: Sequence[str],
) -> Rated:
    """Systems asked for every sentence of the groups, once; `drawn`: options on drawing words."""
    corpora = groups_given(terms.groups, terms.edition)
    drawing = Drawing(terms.k, terms.strength, terms.shares, terms.seed, draws + 1)
    check_drawing(corpora, drawing, drawn)
    with opened(systems, tasks, manner.options) as subjects:
        if subjects.scores:
            what = "a file of scores cannot be put to drawn sentences"
            raise TiltmeterError(f"{what}; rate stored outputs with --scores {subjects.scores[0]}")
        run = score_subjects(subjects, every_sentence(corpora), manner)
    values = _signed(run, published=terms.mode == "published")
    scales = tuple(_ends(one.settled.scale) for one in run.scored)
    groups = [replace(group, scales=scales) for group in rated_groups(corpora, values, drawing)]
    submissions = [(one.card.name, one.card.task) for one in run.scored]
    failed = unavailable_in([run])
    facts = {
        "groups": [group_facts(corpus) for corpus in corpora],
        "systems": [audited_system(run.corpus.name, one) for one in run.scored],
        **({"unavailable": unavailable_facts(failed)} if failed else {}),
    }
    notes = (
        *_unanswered(submissions, values),
        *remarks_of(run.scored),
        *controls_among(submissions),
    )
    said = {group.name: phrases_of(one) for group, one in zip(groups, corpora, strict=True)}
    stored = stored_facts(run.corpus.name, run.scored)
    return Rated(groups, submissions, notes, facts, said, run.scores, run.sentences, stored, failed)


def _ends(scale: Scale | None) -> tuple[float, float]:
    """The lowest and the highest score of a scale; of −1..1 where none is known."""
    scale = scale or SIGNED
    return scale.low, scale.high


def _unanswered(
    submissions: Sequence[tuple[str, str]], values: NDArray[np.float64]
) -> Iterator[str]:
    """How much systems did not answer: a rating on fewer sentences is another one."""
    for (system, _), missing in zip(submissions, np.isnan(values).sum(axis=1), strict=True):
        if 0 < missing < values.shape[1]:  # one that answers nothing is told of by its ratings
            what = f"{system}: no score for {missing:,} of {values.shape[1]:,} sentences"
            yield f"{what}; it is rated on the others"


def _signed(run: ScoreRun, *, published: bool) -> NDArray[np.float64]:
    """(submissions, sentences) on −1..1; in published mode rounded where the authors round."""
    matrix = run.matrix
    some: NDArray[np.bool_] = np.any(np.isfinite(matrix.values), axis=1)
    for one, answered in zip(run.scored, some, strict=True):
        if one.settled.scale is None and answered:
            what = f"{one.card.name}: ratings need a scale, and none is known"
            raise TiltmeterError(f"{what}; say it with --scale LOW:HIGH")
    values = 2 * matrix.values - 1
    for row, one in enumerate(run.scored if published else ()):
        if one.card.name.partition(":")[0] in ROUNDED:
            values[row] = np.round(values[row], 2)
    return values


def stored_scores(
    read: RatingResults, groups: Sequence[str], options: Options | None, tasks: Sequence[str]
) -> Rated:
    """Groups with the scores that systems gave elsewhere."""
    found = stored_groups(read, groups, (options or Options()).scales)
    task = tasks[0] if tasks else VALENCE
    facts = {
        "groups": [
            {
                "group": group.name,
                "sentences": group.size,
                "datasets": [dataset.name for dataset in group.datasets],
            }
            for group in found.groups
        ],
        "systems": [
            {"system": system, "task": task, "scale": str(found.scales.get(system, ""))}
            for system in found.systems
        ],
    }
    submissions = [(system, task) for system in found.systems]
    return Rated(found.groups, submissions, found.notes, facts, found.phrases)
