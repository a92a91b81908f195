"""The rating on one page: groups, scores, raw scores, ratings, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus, Share, read_rating_results, read_shares
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import without_folders
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.open_systems import Specs
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import manner_of
from tiltmeter.scoring.unavailable import Unavailable
from tiltmeter.studies.rating.config import rating_manner
from tiltmeter.studies.rating.folder import write_rating_folder
from tiltmeter.studies.rating.material import RatingMaterial
from tiltmeter.studies.rating.panel import rating_terms, reference_given
from tiltmeter.studies.rating.scored_groups import (
    asked_scores,
    every_sentence,
    groups_given,
    notes_of_rating,
    stored_scores,
)
from tiltmeter.studies.rating.study import RatingStudy, rating_study
from tiltmeter.systems import Options

LEVELS, ALONE = 3, 2
"""Rating levels of several systems, and of one by itself."""
DRAWS = 200
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
    phrases: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict, repr=False)
    """How each group's corpus speaks of its people, by attribute and class."""
    scores: pl.DataFrame | None = field(default=None, repr=False)
    sentences: pl.DataFrame | None = field(default=None, repr=False)
    unavailable: tuple[Unavailable, ...] = ()
    """The systems that were to be rated too and could not be scored, each with its why."""

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
            study.manner.weights, self.run, self.environment, self.reference, self.phrases,
            self.notes,
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
    axes: Sequence[str] | Mapping[str, Sequence[str]] = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    check: int | None = None,
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
    Of `results`, `axes` are the columns with people's groups, perhaps with the groups expected, and
    `columns` says which column of a file is which of ours.
    """
    against = reference_given(reference)
    named = None if groups is None else tuple(map(str, groups))
    given = {
        "mode": mode, "edition": edition, "raw": raw, "k": k, "strength": strength,
        "shares": _shares(shares), "seed": seed, "weights": _numbers(weights),
        "multiplicity": multiplicity, "levels": levels, "groups": named,
    }  # fmt: skip
    only_stored = {
        "axis": axes, "column": columns, "positive": positive, "negative": negative,
        "encoding": encoding,
    }  # fmt: skip
    _check_together(results, given, only_stored, tasks)
    terms = rating_terms(given, against)
    how = rating_manner(
        mode=terms.mode, raw=terms.raw, discretise=discretise, weights=terms.weights,
        multiplicity=terms.multiplicity, repeats=draws, seed=terms.seed, levels=terms.levels,
    )  # fmt: skip
    if results is not None:
        _nobody_asked(systems)
        read = read_rating_results(
            Path(results),
            axes=axes or AXES,
            columns=columns or {},
            positive=positive,
            negative=negative,
            encoding=encoding,
        )
        rated = stored_scores(read, named or (), options, tasks)
    else:
        manner = manner_of(options, store, settings, progress, check=check)
        drawn = [name for name in DRAWN if given[name] is not None]
        rated = asked_scores(systems, terms, draws, tasks, manner, drawn)
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
    where = "" if against is None else without_folders(against.path)
    return Ratings(
        study, facts, environment(command, rated.stored), notes, where, rated.phrases, rated.scores,
        rated.sentences, rated.unavailable,
    )  # fmt: skip


def rated_sentences(
    groups: Sequence[str | Path] | None = None, mode: str | None = None, edition: str | None = None
) -> Corpus:
    """Every sentence that `rate` would ask a system for, as one corpus."""
    given = {"mode": mode, "edition": edition, "groups": groups}
    terms = rating_terms(given, None)
    return every_sentence(groups_given(terms.groups, terms.edition))


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
