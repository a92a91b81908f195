"""An audit: systems asked, their scores measured and judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl

from tiltmeter.audit_run import LargerDraw
from tiltmeter.claims.judge import ALL, Rule
from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import Verdict
from tiltmeter.scoring import Progress, Settings
from tiltmeter.scoring.corpus_scores import Run, in_parts, score_corpora, with_one_scale
from tiltmeter.scoring.open_systems import Specs, open_systems
from tiltmeter.scoring.provenance import (
    environment,
    stored_facts,
    unavailable_facts,
    unavailable_in,
)
from tiltmeter.scoring.scoring_run import scoring_options
from tiltmeter.studies.audit.analyse import analyse
from tiltmeter.studies.audit.method import files_set_aside, submission_notes
from tiltmeter.studies.audit.options import (
    CORRECTED,
    MODES,
    Statistics,
    check_stored,
    check_subset,
    contrasts_wanted,
    corpora_given,
    margins_given,
    parts_of,
    references_given,
)
from tiltmeter.studies.audit.results import Audit
from tiltmeter.studies.paired.advice import people_wanted
from tiltmeter.studies.paired.labels import thresholds_given
from tiltmeter.studies.paired.pairs import subset_names
from tiltmeter.studies.regression.run import REGRESSION, measures_wanted
from tiltmeter.studies.regression.study import check_streamed
from tiltmeter.studies.skill.gold import (
    about_given,
    check_askable,
    directions_by_gold,
    gold_given,
    labelled,
    ranked_by,
    submissions_of,
)
from tiltmeter.systems import Options

NAMES_US = "names-us"
"""The corpus that draws people from a population, for claims that a list cannot carry."""
NAMES_US_SIZE = 25_886
"""How many sentences it has, drawn as its file says: to open it for that takes 0.2 s."""
ENGLISH = "en"
AXES = ("gender", "race")
"""The axes that it has."""


def larger_draws(runs: Sequence[Run], tilts: pl.DataFrame | None) -> list[LargerDraw]:
    """For each corpus with undecided claims: a population, or more people of its own."""
    if tilts is None:
        return []
    undecided = tilts.filter(verdict=Verdict.UNDECIDED)
    there = {run.corpus.name for run in runs}
    return [
        draw
        for run in runs
        for draw in _of_corpus(run.corpus, undecided.filter(corpus=run.corpus.name))
        if draw.people is not None or draw.ask not in there
    ]


def systems_from_files(runs: Sequence[Run]) -> list[str]:
    """The systems whose scores were read from files: nobody here can ask them for more."""
    return list(
        dict.fromkeys(
            one.card.name
            for run in runs
            for one, source in zip(run.scored, run.sources, strict=False)
            if not isinstance(source, int)
        )
    )


def _of_corpus(corpus: Corpus, undecided: pl.DataFrame) -> Iterator[LargerDraw]:
    axes = tuple(undecided["axis"].unique(maintain_order=True))
    if not axes:
        return
    if corpus.population is None:
        shared = tuple(axis for axis in axes if axis in AXES)
        if shared and corpus.language.split("-")[0] == ENGLISH:
            yield LargerDraw(corpus.name, shared, NAMES_US, None, NAMES_US_SIZE)
        return
    deal = corpus.design.deal if corpus.design else None
    claims = undecided.iter_rows(named=True)
    wanted = {people_wanted(claim, corpus.population): None for claim in claims}
    for people in wanted:
        if people is not None and deal is not None and not corpus.population.census:
            yield LargerDraw(corpus.name, axes, corpus.name, people, deal.size_with(people))


def audit(
    systems: Specs,
    corpus: Corpus | Path | str | Sequence[Corpus | Path | str] = "eec",
    *,
    tasks: Sequence[str] = (),
    systems_in: Sequence[str] | str = (),
    gold: object = None,
    rank_by: str | None = None,
    meta: object = None,
    subset: str | None = None,
    correction: str = "bonferroni",
    family: int | None = None,
    level: float = 0.05,
    mode: str = "corrected",
    margin: float | Mapping[str, float] | None = None,
    threshold: float | Sequence[float] | None = None,
    measures: Sequence[str] | str = (),
    reference: Mapping[str, str] | None = None,
    all_pairs: bool = False,
    no_reference: bool = False,
    formula: str | None = None,
    errors: str | None = None,
    precision: str | None = None,
    edition: str | None = None,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
    people: int | str | None = None,
    frames: int | str | None = None,
    weights: str | None = None,
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    check: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    flips: int | None = None,
    stream: bool | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> Audit:
    """Audit systems on corpora: whether they score the same sentence alike, whoever it mentions.

    `systems` is one or several, as in `score`, and `systems_in` as there. `gold` has labelled
    texts, a path or a table: how well systems agree with them, by `rank_by` pearson or spearman,
    orders them. `meta` is a table with a column system and what is known of each: team, algorithm,
    features.
    `reference` names, by axis, the group that each other is compared with. Without it every two
    groups are compared, and from five on each with the average of all, unless `all_pairs`.
    `family` is how many comparisons to correct for, instead of as many as were made.
    `margin` is the difference that matters, in parts of the scale: 0.01 for all axes, or by axis;
    verdicts hold each tilt against it. `threshold` is where a score is read as positive, on the
    scale from 0 to 1: the middle by default; several make classes.
    `subset` is what is shown first, all pairs by default, and what a regression is fitted on: by
    default each task's own sentences, those with a name and a word of its emotion.
    `measures` are pairs, regression or both; by default all that apply. A regression is of
    `formula`, as in "gender * race + template"; it holds groups against their axis' last or the
    `reference`, or with `no_reference` against the average of all; its `errors` are crossed, mixed
    or naive; `precision` is a formula of what the spread may depend on.
    A corpus that is a table is read as `columns`, `axes`, `language` and `encoding` say; see
    `load_corpus`.
    A corpus with a population draws `people` of each cell, or "all", each for so many `frames`, or
    "all", by `weights` bearers or names, with the `seed`; by default as its file says.
    `stream` goes through the sentences in parts rather than hold them all; by default from 250,000
    sentences on. What it finds is the same, without the sign-flip test. `check` is as in `score`.
    """
    if mode not in MODES:
        raise TiltmeterError(f"mode is {mode!r}; expected one of {', '.join(MODES)}")
    # Whatever may be wrong is looked at first: asking a system may cost.
    reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
    draw = {"people": people, "frames": frames, "weights": weights, "seed": seed}
    rule, corpora = Rule(correction, level, family), corpora_given(corpus, edition, reading, draw)
    margins = margins_given(margin, (axis.name for one in corpora for axis in one.axes))
    reference, thresholds = references_given(reference), thresholds_given(threshold)
    contrasts = contrasts_wanted(corpora, reference, all_pairs=all_pairs)
    shown = ALL if subset is None else subset
    check_subset(shown, (name for one in corpora for name in subset_names(parts_of(one))))
    wanted = measures_wanted(
        measures, corpora, mode=mode, reference=reference, all_pairs=all_pairs,
        no_reference=no_reference, formula=formula, errors=errors, precision=precision,
        subset=subset,
    )  # fmt: skip
    truth = gold_given(gold, corpora=corpora)
    about, order = about_given(meta), ranked_by(rank_by, mode)
    manner = scoring_options(options, store, settings, progress, systems_in, check)
    with open_systems(systems, tasks, manner.options) as subjects:
        check_askable(truth, subjects)
        if REGRESSION in wanted.measures and any(
            in_parts(subjects, one, sample, stream) for one in corpora
        ):
            check_streamed(wanted.model)
        runs = with_one_scale(
            score_corpora(subjects, corpora, manner, sample=sample, seed=seed, stream=stream)
        )
        check_stored(runs, manner.settings)
        known = labelled(truth, about, runs, subjects, manner, rank_by=order, mode=mode)
    runs = tuple(
        replace(run, reports=directions_by_gold(run.reports, submissions_of([run]), known.skill))
        for run in runs
    )
    how = Statistics(
        wanted, rule, margins, mode, shown, seed, flips, reference, thresholds, all_pairs,
        apart=mode == CORRECTED,
    )  # fmt: skip
    found = analyse(runs, contrasts, how)
    larger = tuple(larger_draws(runs, found.tilts))
    determined_by = msgspec.structs.replace(
        found.run,
        gold=known.gold,
        meta=known.about,
        unavailable=unavailable_facts(unavailable_in(runs)),
        larger=larger,
        scores_from_files=tuple(systems_from_files(runs)) if larger else None,
    )
    stored = [fact for run in runs for fact in stored_facts(run.corpus.name, run.scored)]
    return replace(
        found,
        paired_estimates=pl.concat([found.paired_estimates, *known.estimates]),
        run=determined_by,
        environment=environment(command, stored),
        skill=known.skill,
        meta=known.meta,
        notes=submission_notes(runs, known),
        gold_notes=known.notes,
        set_aside=files_set_aside(runs),
    )
