"""The groups that systems are rated on, with scores: systems asked, or outputs given elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.corpora import (
    RATING_GROUPS,
    Corpus,
    RatingPlan,
    RatingResults,
    Share,
    corpus_editions,
    draw_rows,
    load_rating_group,
)
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.report.phrases import column_named
from tiltmeter.scoring import Scored
from tiltmeter.scoring.open_systems import Specs, opened
from tiltmeter.scoring.provenance import audited_system, stored_facts
from tiltmeter.scoring.scoring_run import ScoreRun, ScoringOptions, score_subjects
from tiltmeter.scoring.unavailable import Unavailable, unavailable_facts, unavailable_in
from tiltmeter.studies.rating.config import READABLE
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Diagram, RatingDataset, RatingGroup
from tiltmeter.studies.rating.panel import RatingTerms
from tiltmeter.studies.rating.stored_rows import stored_group
from tiltmeter.studies.rating.study import RatingStudy
from tiltmeter.systems import SIGNED, UNIT, VALENCE, Options, Scale, Scales

# ---- the groups that systems are rated on: sentences of every dataset, scored, with their
# diagram


BUILT_IN = "rating-"
EVERY = "rating"
"""The name of all groups' sentences taken together, as systems are asked for them."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How emotion words are assigned where a group assigns them."""

    k: int = 1
    strength: float | None = None
    shares: tuple[Share, ...] | None = None
    seed: int = 0
    draws: int = 1


def groups_given(names: Sequence[str | Path], edition: str) -> list[Corpus]:
    """The groups wanted, by number or by path: 1, 2, mine.toml."""
    known = [name.removeprefix(BUILT_IN) for name in RATING_GROUPS]
    wanted = dict.fromkeys(str(name).strip() for name in names)
    if not wanted or "" in wanted:
        raise TiltmeterError("--groups names no group; expected some of 1, 2, 3, 4 or a .toml file")
    groups = [_rating_groups_group(name, known, edition) for name in wanted]
    _check_names([_plan(group).group for group in groups], "groups", "[rating]")
    _check_names([group.name for group in groups], "groups' corpora", "[corpus]")
    return groups


def _check_names(called: list[str], what: str, where: str) -> None:
    """Refuse a name that two have: their sentences and tables would be taken for each other's."""
    if twice := [name for name in called if called.count(name) > 1]:
        found = f"two {what} are called {twice[0]!r}"
        raise TiltmeterError(f"{found}; give one another name under {where}")


def _rating_groups_group(name: str, known: list[str], edition: str) -> Corpus:
    if name.removeprefix(BUILT_IN) in known:
        return load_rating_group(f"{BUILT_IN}{name.removeprefix(BUILT_IN)}", edition)
    if not name.lower().endswith(".toml"):
        raise UnknownNameError("rating group", name, known, " (or the path of a .toml file)")
    return load_rating_group(name, edition if edition in corpus_editions(name) else None)


def _plan(group: Corpus) -> RatingPlan:
    if group.rating is None:
        raise TiltmeterError(f"{group.name}: no [rating] section; see docs/rating.md")
    return group.rating


def every_sentence(groups: Sequence[Corpus]) -> Corpus:
    """All groups' sentences as one corpus, so that a system is asked once and has one scale."""
    languages = {group.language for group in groups}
    axes = {axis.name: axis for group in groups for axis in group.axes}
    first = groups[0]
    return Corpus(
        EVERY,
        "Sentences of the rating groups",
        _edition(groups),
        first.language if len(languages) == 1 else "und",
        tuple(axes.values()),
        sum(group.size for group in groups),
        partial(_write, tuple(groups)),
    )


def _write(groups: tuple[Corpus, ...], batch: int) -> Iterator[pl.DataFrame]:
    every = pl.concat([_named(group) for group in groups], how="diagonal")
    yield from every.with_columns(edition=pl.lit(_edition(groups))).iter_slices(batch)


def _edition(groups: Sequence[Corpus]) -> str:
    """The groups' edition; several where a user's own group does not have the others'."""
    return " and ".join(dict.fromkeys(group.edition for group in groups))


def _named(group: Corpus) -> pl.DataFrame:
    """A group's sentences, their IDs told apart from those of other groups."""
    return group.sentences().with_columns(
        id=pl.concat_str(pl.lit(f"{group.name}:"), pl.col("id")), corpus=pl.lit(EVERY)
    )


def rated_groups(
    groups: Sequence[Corpus], scores: NDArray[np.float64], drawing: Drawing
) -> list[RatingGroup]:
    """The groups as a rating study takes them; `scores` has a column for each sentence of all."""
    found, start = [], 0
    for group in groups:
        mine = scores[:, start : start + group.size]
        found.append(_rated(group, mine, drawing))
        start += group.size
    return found


def _rated(group: Corpus, scores: NDArray[np.float64], drawing: Drawing) -> RatingGroup:
    plan = _plan(group)
    axes = tuple(axis.name for axis in group.axes)
    polarity = pl.col("emotion").replace_strict(dict(plan.polarity)).alias("polarity")
    sentences = group.sentences().select(
        *axes, "template", "person", "frame", "emotion_word", polarity
    )
    datasets = tuple(
        RatingDataset(f"{group.name}-{words}", words.upper(), _rows(group, words, drawing))
        for words in plan.sets
    )
    diagram = Diagram(tuple(plan.edges), tuple(plan.unobserved))
    return RatingGroup(plan.group, axes, diagram, sentences, scores, datasets)


def _rows(group: Corpus, words: str, drawing: Drawing) -> NDArray[np.int64]:
    by_case = drawing.shares is None or not _fits(group, drawing.shares)
    return draw_rows(
        group,
        words,
        seed=drawing.seed,
        draws=drawing.draws,
        k=drawing.k,
        strength=drawing.strength if by_case else None,
        shares=None if by_case else drawing.shares,
    )


def _fits(group: Corpus, shares: Sequence[Share]) -> bool:
    """Whether a table of shares is by attributes that the group has."""
    axes = {axis.name for axis in group.axes}
    return all(set(share.groups) <= axes for share in shares)


def check_drawing(groups: Sequence[Corpus], drawing: Drawing, given: Sequence[str] = ()) -> None:
    """Refuse shares, a case or a strength that no group can use, before anybody is asked.

    `given` names those that were asked for.
    """
    assigned = [group for group in groups if _plan(group).assignment is not None]
    if given and not assigned:
        names = ", ".join(_plan(group).group for group in groups)
        what = f"--{given[0]} tells how words are drawn, and nothing is drawn in groups {names}"
        raise TiltmeterError(f"{what}; leave it out, or add group 2 or 4")
    if drawing.shares is not None and not any(_fits(one, drawing.shares) for one in assigned):
        by = ", ".join(drawing.shares[0].groups) if drawing.shares else "nothing"
        what = f"--shares tells shares by {by}, which no group with assigned words has"
        raise TiltmeterError(f"{what}; groups 2 and 4 assign words")
    beside = [name for name in given if name != "shares"]
    if beside and drawing.shares is not None and all(_fits(g, drawing.shares) for g in assigned):
        what = f"--{beside[0]} goes with a case of the group, and --shares gives a table instead"
        raise TiltmeterError(f"{what}; leave out one of the two")
    for group in assigned:
        for words in _plan(group).sets:
            _rows(group, words, Drawing(drawing.k, drawing.strength, drawing.shares))


def phrases_of(group: Corpus) -> dict[str, dict[str, str]]:
    """How a group's corpus speaks of its people, by attribute and class."""
    return {axis.name: {one: axis.phrase(one) for one in axis.groups} for axis in group.axes}


def group_facts(group: Corpus) -> dict[str, Any]:
    """What a group is, to be written beside the ratings."""
    plan = _plan(group)
    return {
        "group": plan.group,
        "corpus": group.name,
        "edition": group.edition,
        "language": group.language,
        "sentences": group.size,
        "checksum": group.checksum,
        "sets": {name: list(words) for name, words in plan.sets.items()},
    }


# ---- what a reader of ratings should know beside them, in plain sentences


SHOWN = 3
GIVEN = {"continuous": "scores as given", "discretised": "scores split at 0"}
CONTROLS = ("constant", "random", "biased-female", "tilted")


def notes_of_rating(study: RatingStudy, *, against_panel: bool) -> Iterator[str]:
    """Levels, positivity, X, and systems that could not be rated."""
    systems = study.overall.filter(variant=study.overall["variant"][0])
    if study.levels > READABLE:
        what = f"{study.levels} rating levels: more than {READABLE} are hard to tell apart"
        yield f"{what} (Miller 1956); fewer read better"
    for (task,), those in systems.group_by("task", maintain_order=True):
        if 1 < those.height < study.levels and not against_panel:
            what = f"{those.height} systems of {task} and {study.levels} levels"
            yield f"{what}: at most {those.height} of the levels can be given, X aside"
    yield from _with_na(study)
    yield from _empty_cells(study.effects)
    yield from _undefined(study.raw)
    yield from _unrated(study.raw)


def _with_na(study: RatingStudy) -> Iterator[str]:
    """What is wrong with a published number: of attributes that the corrected mode tells apart."""
    for attribute, said in study.columns.select("attribute", "about_na").rows():
        if said and study.manner.published and attribute != "gender":
            yield f"{said}; so the paper counts, and --mode corrected leaves NA out of {attribute}"


def _empty_cells(effects: pl.DataFrame) -> Iterator[str]:
    """Where positivity fails: nobody of a class has a word of a polarity, or no answer to one."""
    whose = effects.select("system", "task", "dataset").unique()
    many = dict(whose.group_by("dataset").len().rows())
    found = effects.filter(pl.col("empty") != "", pl.col("n") > 0)
    nobody = []
    for (dataset, polarity, empty), rows in found.group_by(
        "dataset", "polarity", "empty", maintain_order=True
    ):
        systems = rows.select("system", "task").unique(maintain_order=True)["system"]
        if len(systems) == many[dataset]:
            nobody.append(f"{polarity} in {dataset} ({empty})")
            continue
        named = _several(list(dict.fromkeys(systems)))
        what = f"{dataset}: no answer of {named} to a {polarity} word of the class {empty}"
        yield f"{what}; means of {polarity} words are of the other classes, before and after"
    if nobody:
        what = "means before and after adjustment are of the other classes where nobody of a class"
        yield f"{what} is given a word: {'; '.join(nobody)}"


def _undefined(raw: pl.DataFrame) -> Iterator[str]:
    for (_, variant), rows in raw.filter("x").group_by("column", "variant", maintain_order=True):
        named = _several(rows["system"].to_list())
        where = f"{column_named(rows.row(0, named=True))}, {GIVEN.get(str(variant), variant)}"
        yield f"{where}: X for {named}, a change over a mean of 0; X takes the worst rating"


def _unrated(raw: pl.DataFrame) -> Iterator[str]:
    told: dict[tuple[str, str], dict[str, None]] = {}
    for row in raw.filter(pl.col("rating").is_null()).iter_rows(named=True):
        told.setdefault((row["system"], row["reason"]), {})[column_named(row)] = None
    for (system, reason), columns in told.items():
        yield f"{system}: no rating for {_several(list(columns))}: {reason}"


def remarks_of(scored: Sequence[Scored]) -> Iterator[str]:
    """What is worth knowing of systems' scores, each remark once with all it is true of."""
    whose: dict[str, list[str]] = {}
    for one in scored:
        for said in one.remarks_with_scale:
            whose.setdefault(said, []).append(one.card.name)
    for said, names in whose.items():
        yield f"{_several(list(dict.fromkeys(names)))}: {said}"


def controls_among(submissions: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A word on controls, beside which others are rated."""
    named = dict.fromkeys(name for name, _ in submissions)
    controls = [name for name in named if name.partition(":")[0] in CONTROLS]
    if controls and len(controls) < len(named):
        what = f"{_several(controls)}: among the systems as controls"
        yield f"{what}; ratings are relative, and without them the others may be rated otherwise"


def _several(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


# ---- outputs that systems gave elsewhere, as the groups of a rating


NUMBERED = {name.removeprefix("rating-"): name for name in RATING_GROUPS}


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored outputs ready to be rated."""

    groups: list[RatingGroup]
    systems: list[str]
    scales: dict[str, Scale]
    notes: tuple[str, ...]
    phrases: dict[str, dict[str, dict[str, str]]]
    """How the numbered groups' corpora speak of their people, by attribute and class."""


def stored_groups(results: RatingResults, wanted: Sequence[str], declared: Scales) -> Stored:
    """The groups that are wanted, all where none is named; each system's rows are its own."""
    there = list(dict.fromkeys(group for group, _ in results.datasets))
    if absent := [name for name in wanted if name not in there]:
        found = ", ".join(there)
        raise TiltmeterError(f"--groups asks for {absent[0]!r}; the stored outputs hold {found}")
    systems = list(results.systems)
    scales = _scales(results.ranges, declared)
    groups = [
        _stored_results_group(name, results, systems, scales)
        for name in there
        if not wanted or name in wanted
    ]
    _check_words(groups, there)
    notes = (*results.notes, *_told(scales, declared), *_outside(results, scales))
    phrases = {
        one.name: phrases_of(load_rating_group(NUMBERED[one.name]))
        for one in groups
        if one.name in NUMBERED
    }
    return Stored(groups, systems, scales, notes, phrases)


def _check_words(groups: Sequence[RatingGroup], there: Sequence[str]) -> None:
    """Refuse a group that is rated by its emotion words where these are not said."""
    lacking = [
        group.name
        for group in groups
        if group.confounded and group.sentences["polarity"].null_count()
    ]
    if lacking:
        what = f"group {lacking[0]}: words depend on the person there, so it is rated by them"
        others = ",".join(name for name in there if name not in lacking)
        leave = f", or rate the others: --groups {others}" if others else ""
        raise TiltmeterError(f"{what}; expected a column 'Emotion' in its files{leave}")


def _scales(ranges: Mapping[str, tuple[float, float]], declared: Scales) -> dict[str, Scale]:
    """Each system's scale, declared or inferred from all its scores."""
    declared.check(ranges)
    return {
        system: declared.of(system) or _inferred(system, *ends) for system, ends in ranges.items()
    }


def _inferred(system: str, low: float, high: float) -> Scale:
    """0..1 or −1..1, whichever holds all of a system's scores."""
    for one in (UNIT, SIGNED):
        if one.low <= low and high <= one.high:
            return one
    what = f"{system} scores from {low:g} to {high:g}, which is neither 0..1 nor −1..1"
    raise TiltmeterError(f"{what}; say the scale with --scale {system}=LOW:HIGH")


def _told(scales: dict[str, Scale], declared: Scales) -> Iterator[str]:
    """Each scale, how it is known, and whose it is."""
    whose: dict[tuple[Scale, bool], list[str]] = {}
    for system, its in scales.items():
        whose.setdefault((its, declared.of(system) is not None), []).append(system)
    for (one, known), systems in whose.items():
        how = "declared" if known else "inferred: every score lies within it"
        yield f"{', '.join(systems)}: scale {one}, {how}"


def _outside(results: RatingResults, scales: dict[str, Scale]) -> Iterator[str]:
    """Scores that the given scale does not hold: they are kept, and stand beyond −1..1."""
    for system, (low, high) in results.ranges.items():
        if low < scales[system].low or scales[system].high < high:
            what = f"{system}: scores from {Scale(low, high)}, outside the scale {scales[system]}"
            yield f"{what}, kept as they are"


def _stored_results_group(
    name: str, results: RatingResults, systems: list[str], scales: dict[str, Scale]
) -> RatingGroup:
    rows = results.rows.filter(group=name)
    axes = tuple(axis for axis in results.axes if rows[axis].null_count() < rows.height)
    sets = rows["words"].unique().sort().to_list()
    confounded = any(results.confounded[name, words] for words in sets)
    known = {system: scales.get(system, SIGNED) for system in systems}
    low = pl.col("system").replace_strict({one: its.low for one, its in known.items()})
    width = pl.col("system").replace_strict({one: its.width for one, its in known.items()})
    score = 2 * (pl.col("raw") - low) / width - 1
    return stored_group(
        name,
        axes,
        _diagram(name, axes, confounded),
        rows.with_columns(score.alias("score")),
        {system: (its.low, its.high) for system, its in known.items()},
        {words: f"{NUMBERED.get(name, name)}-{words}" for words in sets},
    )


def _diagram(name: str, axes: tuple[str, ...], confounded: bool) -> Diagram:
    """The paper's diagram of a numbered group; else what was seen of its words."""
    plan = load_rating_group(NUMBERED[name]).rating if name in NUMBERED else None
    if plan is not None and {node for edge in plan.edges for node in edge} >= set(axes):
        return Diagram(tuple(plan.edges), tuple(plan.unobserved))
    tested = [(axis, SENTIMENT) for axis in axes]
    drawn = [(axis, WORD) for axis in axes if confounded]
    return Diagram((*tested, (WORD, SENTIMENT), *drawn))


# ---- groups with everybody's scores, ready to be rated: systems asked, or outputs given
# elsewhere


ROUNDED = ("random", "distilbert-sst2")
"""Systems whose scores the paper's authors round to two decimals, which matters beside ε."""


@dataclass(frozen=True, eq=False, slots=True)
class ScoredGroups:
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
    terms: RatingTerms,
    draws: int,
    tasks: Sequence[str],
    manner: ScoringOptions,
    drawn: Sequence[str],
) -> ScoredGroups:
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
    return ScoredGroups(
        groups, submissions, notes, facts, said, run.scores, run.sentences, stored, failed
    )


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
) -> ScoredGroups:
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
    return ScoredGroups(found.groups, submissions, found.notes, facts, found.phrases)
