"""The rating on one page: groups, scores, raw scores, ratings, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import Corpus, RatingResults, Share, read_rating_results, read_shares
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow.asking import Manner, ScoreRun, manner_of, score_subjects
from tiltmeter.flow.provenance import environment, system_facts
from tiltmeter.flow.rated_against import Terms, reference_given, settled
from tiltmeter.flow.rating_groups import (
    Drawing,
    check_drawing,
    every_sentence,
    group_facts,
    groups_given,
    rated_groups,
)
from tiltmeter.flow.rating_notes import controls_among, notes_of_rating, remarks_of
from tiltmeter.flow.stored_results import stored_groups
from tiltmeter.flow.subjects import Specs, opened
from tiltmeter.measures import (
    RatingGroup,
    RatingStudy,
    rating_manner,
    rating_study,
    score_matrix,
)
from tiltmeter.report import RatingMaterial, write_rating_folder
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import VALENCE, Options

LEVELS, ALONE = 3, 2
"""Rating levels of several systems, and of one by itself."""
DRAWS = 200
ROUNDED = ("random", "distilbert-sst2")
"""Systems whose scores the paper's authors round to two decimals, which matters beside ε."""
AXES = ("race", "gender")
DRAWN = ("k", "strength", "shares")
"""What says how words are drawn."""
Stage = Callable[[str], object]


@dataclass(frozen=True, eq=False)
class Ratings:
    """What a rating found, as tables, and how to write its report."""

    study: RatingStudy
    run: Mapping[str, Any]
    """What determines the ratings."""
    environment: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    reference: str = ""
    """The stored panel that systems were rated against; empty: against each other."""
    scores: pl.DataFrame | None = field(default=None, repr=False)
    sentences: pl.DataFrame | None = field(default=None, repr=False)

    @property
    def ratings(self) -> pl.DataFrame:
        """Every system's rating in every group, with its raw score and spread."""
        return self.study.raw

    @property
    def overall(self) -> pl.DataFrame:
        """Every system's overall rating, with its spread."""
        return self.study.overall

    @property
    def material(self) -> RatingMaterial:
        """What a report is made from."""
        study = self.study
        return RatingMaterial(
            study.raw, study.overall, study.tests, study.effects, study.ates, study.frequencies,
            study.order, study.columns, study.levels, study.manner.repeats, study.confidence,
            study.manner.weights, self.run, self.environment, self.reference, self.notes,
        )  # fmt: skip

    def report(
        self,
        folder: Path | str = "tiltmeter-out",
        *,
        force: bool = False,
        stage: Stage | None = None,
    ) -> Path:
        """Write the page, labels, tables and `ratings.json`; returns the page's path."""
        told = {} if stage is None else {"stage": stage}
        return write_rating_folder(
            self.material, self.scores, self.sentences, Path(folder), force=force, **told
        )


def rate(
    systems: Specs = (),
    *,
    results: Path | str | None = None,
    groups: Sequence[str | Path] | None = None,
    levels: int | None = None,
    k: int | None = None,
    strength: float | None = None,
    shares: Path | str | Sequence[Share] | None = None,
    raw: str | None = None,
    mode: str | None = None,
    edition: str | None = None,
    discretise: str = "both",
    weights: Sequence[float] | None = None,
    multiplicity: str | None = None,
    draws: int = DRAWS,
    reference: Path | str | None = None,
    positive: Sequence[str] = (),
    negative: Sequence[str] = (),
    axes: Sequence[str] = (),
    encoding: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Ratings:
    """Rate systems from 1 to `levels` by how far their scores depend on who is spoken of.

    `systems` as in `audit`, or `results`: stored outputs with Gender, Race, Emotion and Sentiment.
    `groups` are 1, 2, 3, 4 or files of your own; words are assigned by Table 8's case `k`, at
    another `strength`, or by a table of `shares`. `raw` is what confounded groups are rated on, die
    or ate. `draws` is how often everything is drawn anew, to tell how sure a rating is. `reference`
    is a stored `ratings.json`: its settings hold, and systems are rated against its panel.
    """
    against = reference_given(reference)
    named = None if groups is None else tuple(map(str, groups))
    given = {
        "mode": mode, "edition": edition, "raw": raw, "k": k, "strength": strength,
        "shares": _shares(shares), "seed": seed, "weights": _numbers(weights),
        "multiplicity": multiplicity, "levels": levels, "groups": named,
    }  # fmt: skip
    only_stored = {"axis": axes, "positive": positive, "negative": negative, "encoding": encoding}
    _check_together(results, given, only_stored, tasks)
    terms = settled(given, against)
    how = rating_manner(
        mode=terms.mode, raw=terms.raw, discretise=discretise, weights=terms.weights,
        multiplicity=terms.multiplicity, repeats=draws, seed=terms.seed, levels=terms.levels,
    )  # fmt: skip
    if results is not None:
        _nobody_asked(systems)
        read = read_rating_results(
            Path(results),
            axes=axes or AXES,
            positive=positive,
            negative=negative,
            encoding=encoding,
        )
        rated = _stored(read, named or (), options, tasks)
    else:
        manner = manner_of(options, store, settings, progress)
        drawn = [name for name in DRAWN if given[name] is not None]
        rated = _asked(systems, terms, draws, tasks, manner, drawn)
    usual = ALONE if len(rated.submissions) == 1 else LEVELS
    many = usual if terms.levels is None else terms.levels
    panel = None if against is None else against.scores
    study = rating_study(rated.groups, rated.submissions, many, how, panel)
    if against is not None:
        against.check(study, rated.facts)
    facts = {
        "rating": {
            **terms.facts, "weights": how.weights, "levels": many, "repeats": draws,
            "variants": how.variants, "confidence": study.confidence,
        },
        **rated.facts,
    }  # fmt: skip
    notes = (*notes_of_rating(study, against_panel=panel is not None), *rated.notes)
    where = "" if against is None else against.path
    return Ratings(study, facts, environment(command), notes, where, rated.scores, rated.sentences)


def rated_sentences(
    groups: Sequence[str | Path] | None = None, mode: str | None = None, edition: str | None = None
) -> Corpus:
    """Every sentence that `rate` would ask a system for, as one corpus."""
    given = {"mode": mode, "edition": edition, "groups": groups}
    terms = settled(given, None)
    return every_sentence(groups_given(terms.groups, terms.edition))


@dataclass(frozen=True, eq=False, slots=True)
class _Rated:
    """Groups with everybody's scores."""

    groups: list[RatingGroup]
    submissions: list[tuple[str, str]]
    notes: tuple[str, ...]
    facts: Mapping[str, Any]
    scores: pl.DataFrame | None = None
    sentences: pl.DataFrame | None = None


def _asked(
    systems: Specs,
    terms: Terms,
    draws: int,
    tasks: Sequence[str],
    manner: Manner,
    drawn: Sequence[str],
) -> _Rated:
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
    groups = rated_groups(corpora, values, drawing)
    submissions = [(one.card.name, one.card.task) for one in run.scored]
    facts = {
        "groups": [group_facts(corpus) for corpus in corpora],
        "systems": [system_facts(run, one) for one in run.scored],
    }
    notes = (
        *_unanswered(submissions, values),
        *remarks_of(run.scored),
        *controls_among(submissions),
    )
    return _Rated(groups, submissions, notes, facts, run.scores, run.sentences)


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
    matrix = score_matrix(run.scores, run.sentences)
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


def _stored(
    read: RatingResults, groups: Sequence[str], options: Options | None, tasks: Sequence[str]
) -> _Rated:
    found = stored_groups(read, groups, (options or Options()).scale)
    task = tasks[0] if tasks else VALENCE
    facts = {
        "groups": [
            {
                "group": group.name,
                "sentences": group.sentences.height,
                "datasets": [dataset.name for dataset in group.datasets],
            }
            for group in found.groups
        ],
        "systems": [
            {"system": system, "task": task, "scale": str(found.scales.get(system, ""))}
            for system in found.systems
        ],
    }
    return _Rated(found.groups, [(system, task) for system in found.systems], found.notes, facts)


def _check_together(
    results: Path | str | None,
    given: Mapping[str, Any],
    only_stored: Mapping[str, object],
    tasks: Sequence[str],
) -> None:
    """Refuse options that would say nothing, since they go with the other kind of rating."""
    if results is None:
        if said := [name for name, value in only_stored.items() if value]:
            what = f"--{said[0]} tells how stored outputs are read, and none are given"
            raise TiltmeterError(f"{what}; give them with --scores, or leave it out")
        return
    if said := [name for name in (*DRAWN, "edition") if given[name] is not None]:
        what = f"--{said[0]} tells which sentences systems are asked for"
        raise TiltmeterError(f"{what}; with --scores they are already answered: leave it out")
    if len(tasks) > 1:
        what = f"--task names {', '.join(tasks)}; stored outputs are answers to one"
        raise TiltmeterError(f"{what}; name one, and rate the others from files of their own")


def _nobody_asked(systems: Specs) -> None:
    if not isinstance(systems, Sequence) or len(systems):
        what = "systems are named, and stored outputs are given with --scores"
        raise TiltmeterError(f"{what}; expected one of the two")


def _shares(given: Path | str | Sequence[Share] | None) -> tuple[Share, ...] | None:
    if given is None:
        return None
    return read_shares(Path(given)) if isinstance(given, str | Path) else tuple(given)


def _numbers(given: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if given is None else tuple(map(float, given))
