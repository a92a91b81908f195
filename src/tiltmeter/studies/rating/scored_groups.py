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

from tiltmeter.audit_run import AuditedSystem
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
from tiltmeter.errors import ArgumentError, TiltmeterError, UnknownNameError, argument
from tiltmeter.scoring.open_systems import Specs, open_systems
from tiltmeter.scoring.provenance import (
    Unavailable,
    audited_system,
    stored_facts,
    unavailable_facts,
    unavailable_in,
)
from tiltmeter.scoring.scoring_run import ScoreRun, ScoringOptions, score_subjects
from tiltmeter.studies.rating.answer import several
from tiltmeter.studies.rating.grades import RatingTerms
from tiltmeter.studies.rating.groups import SENTIMENT, WORD, Diagram, RatingDataset, RatingGroup
from tiltmeter.studies.rating.stored_rows import stored_group
from tiltmeter.studies.rating.study import Phrases, Submission
from tiltmeter.systems import SIGNED, UNIT, VALENCE, Options, Scale, Scales

BUILT_IN = {name.removeprefix("rating-"): name for name in RATING_GROUPS}
"""The paper's groups by number."""
EVERY = "rating"
"""The name of all groups' sentences taken together, as systems are asked for them."""
CONTROLS = ("constant", "random", "biased-female", "tilted")
ROUNDED = ("random", "distilbert-sst2")
"""Systems whose scores the paper's authors round to two decimals, which matters beside ε."""


@dataclass(frozen=True, eq=False, slots=True)
class ScoredGroups:
    """Groups with everybody's scores."""

    groups: list[RatingGroup]
    submissions: list[Submission]
    notes: tuple[str, ...]
    facts: Mapping[str, Any]
    phrases: Mapping[str, Phrases]
    """How each group's corpus speaks of its people."""
    scores: pl.DataFrame | None = None
    sentences: pl.DataFrame | None = None
    stored: Sequence[Mapping[str, Any]] = ()
    """What was used of the store."""
    unavailable: tuple[Unavailable, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """How emotion words are assigned where a group assigns them."""

    k: int = 1
    strength: float | None = None
    shares: tuple[Share, ...] | None = None
    seed: int = 0
    draws: int = 1

    def fits(self, group: Corpus) -> bool:
        """Whether the table of shares is by attributes that the group has."""
        axes = {axis.name for axis in group.axes}
        return self.shares is not None and all(set(one.groups) <= axes for one in self.shares)

    def rows(self, group: Corpus, words: str) -> NDArray[np.int64]:
        """(draws, sentences): which of a group's sentences each draw of a dataset holds."""
        by_shares = self.fits(group)
        return draw_rows(
            group,
            words,
            seed=self.seed,
            draws=self.draws,
            k=self.k,
            strength=None if by_shares else self.strength,
            shares=self.shares if by_shares else None,
        )


def score_groups(
    systems: Specs,
    terms: RatingTerms,
    draws: int,
    tasks: Sequence[str],
    options: ScoringOptions,
    drawn: Sequence[str],
) -> ScoredGroups:
    """Systems asked for every sentence of the groups, once; `drawn`: options on drawing words."""
    corpora = load_groups(terms.groups, terms.edition)
    drawing = Drawing(terms.k, terms.strength, terms.shares, terms.seed, draws + 1)
    check_drawing(corpora, drawing, drawn)
    with open_systems(systems, tasks, options.options) as subjects:
        if subjects.scores:
            what = "a file of scores cannot be put to drawn sentences"
            stored = argument("results", "--scores")
            raise TiltmeterError(f"{what}; rate stored outputs with {stored} {subjects.scores[0]}")
        run = score_subjects(subjects, all_sentences(corpora), options)
    values = _signed_scores(run, published=terms.mode == "published")
    scales = tuple(
        (scale.low, scale.high)
        for scale in (one.resolved_scale.scale or SIGNED for one in run.scored)
    )
    groups = [replace(group, scales=scales) for group in build_groups(corpora, values, drawing)]
    submissions = [(one.card.name, one.card.task) for one in run.scored]
    failed = unavailable_in([run])
    facts = {
        "groups": [
            {
                "group": rating_plan(corpus).group,
                "corpus": corpus.name,
                "edition": corpus.edition,
                "language": corpus.language,
                "sentences": corpus.size,
                "checksum": corpus.checksum,
                "sets": {name: list(words) for name, words in rating_plan(corpus).sets.items()},
            }
            for corpus in corpora
        ],
        "systems": [audited_system(run.corpus.name, one) for one in run.scored],
        **({"unavailable": unavailable_facts(failed)} if failed else {}),
    }
    return ScoredGroups(
        groups,
        submissions,
        tuple(_scoring_notes(run, values)),
        facts,
        {group.name: _phrases(corpus) for group, corpus in zip(groups, corpora, strict=True)},
        run.scores,
        run.sentences,
        stored_facts(run.corpus.name, run.scored),
        failed,
    )


def _scoring_notes(run: ScoreRun, values: NDArray[np.float64]) -> Iterator[str]:
    """How much systems did not answer, remarks on their scores, and a word on controls."""
    names = [one.card.name for one in run.scored]
    many = values.shape[1]
    for system, missing in zip(names, np.isnan(values).sum(axis=1), strict=True):
        if 0 < missing < many:  # one that answers nothing is in the ratings' notes
            what = f"{system}: no score for {missing:,} of {many:,} sentences"
            yield f"{what}; it is rated on the others"
    whose: dict[str, list[str]] = {}  # each remark once with all it is true of
    for one in run.scored:
        for remark in one.remarks:
            whose.setdefault(remark, []).append(one.card.name)
    for remark, systems in whose.items():
        yield f"{several(list(dict.fromkeys(systems)))}: {remark}"
    distinct = list(dict.fromkeys(names))
    controls = [name for name in distinct if name.partition(":")[0] in CONTROLS]
    if controls and len(controls) < len(distinct):
        what = f"{several(controls)}: among the systems as controls"
        yield f"{what}; ratings are relative, and without them the others may be rated otherwise"


def is_numbered(name: str) -> bool:
    """Whether a group is one of the paper's, 1 or rating-1, and no file of the user's."""
    return name.strip().removeprefix("rating-") in BUILT_IN


def load_groups(names: Sequence[str | Path], edition: str) -> list[Corpus]:
    """The groups by number or by path: 1, 2, mine.toml."""
    requested = dict.fromkeys(str(name).strip() for name in names)
    if not requested or "" in requested:
        what = "names no group; expected some of 1, 2, 3, 4 or a .toml file"
        raise ArgumentError("groups", what)
    groups = []
    for name in requested:
        if is_numbered(name):
            groups.append(load_rating_group(BUILT_IN[name.removeprefix("rating-")], edition))
        elif name.lower().endswith(".toml"):
            known = edition in corpus_editions(name)
            groups.append(load_rating_group(name, edition if known else None))
        else:
            where = " (or the path of a .toml file)"
            raise UnknownNameError("rating group", name, list(BUILT_IN), where)
    # Sentences and tables of two of one name would be taken for each other's.
    for what, where, called in (
        ("groups", "[rating]", [rating_plan(group).group for group in groups]),
        ("groups' corpora", "[corpus]", [group.name for group in groups]),
    ):
        if twice := [name for name in called if called.count(name) > 1]:
            found = f"two {what} are called {twice[0]!r}"
            raise TiltmeterError(f"{found}; give one another name under {where}")
    return groups


def rating_plan(group: Corpus) -> RatingPlan:
    """What a corpus says of rating."""
    if group.rating is None:
        raise TiltmeterError(f"{group.name}: no [rating] section; see docs/rating.md")
    return group.rating


def check_drawing(groups: Sequence[Corpus], drawing: Drawing, given: Sequence[str] = ()) -> None:
    """Refuse shares, a case or a strength that no group can use, before any system is asked.

    `given` names those that the user chose.
    """
    assigned = [group for group in groups if rating_plan(group).assignment is not None]
    if given and not assigned:
        names = ", ".join(rating_plan(group).group for group in groups)
        what = f"tells how words are drawn, and nothing is drawn in groups {names}"
        raise ArgumentError(given[0], f"{what}; leave it out, or add group 2 or 4")
    if drawing.shares is not None and not any(map(drawing.fits, assigned)):
        by = ", ".join(drawing.shares[0].groups) if drawing.shares else "nothing"
        what = f"tells shares by {by}, which no group with assigned words has"
        raise ArgumentError("shares", f"{what}; groups 2 and 4 assign words")
    beside = [name for name in given if name != "shares"]
    if beside and drawing.shares is not None and all(map(drawing.fits, assigned)):
        what = f"goes with a case of the group, and {argument('shares')} gives a table instead"
        raise ArgumentError(beside[0], f"{what}; leave out one of the two")
    once = replace(drawing, seed=0, draws=1)
    for group in assigned:
        for words in rating_plan(group).sets:
            once.rows(group, words)


def all_sentences(groups: Sequence[Corpus]) -> Corpus:
    """All groups' sentences as one corpus, so that a system is asked once and has one scale.

    Its edition is the groups', several where a user's own group does not have the others'; its IDs
    say which group a sentence is of.
    """
    languages = {group.language for group in groups}
    axes = {axis.name: axis for group in groups for axis in group.axes}
    edition = " and ".join(dict.fromkeys(group.edition for group in groups))
    return Corpus(
        EVERY,
        "Sentences of the rating groups",
        edition,
        groups[0].language if len(languages) == 1 else "und",
        tuple(axes.values()),
        sum(group.size for group in groups),
        partial(_write_sentences, tuple(groups), edition),
    )


def _write_sentences(
    groups: tuple[Corpus, ...], edition: str, batch: int
) -> Iterator[pl.DataFrame]:
    parts = [
        group.sentences().with_columns(
            id=pl.concat_str(pl.lit(f"{group.name}:"), pl.col("id")),
            corpus=pl.lit(EVERY),
            edition=pl.lit(edition),
        )
        for group in groups
    ]
    yield from pl.concat(parts, how="diagonal").iter_slices(batch)


def _signed_scores(run: ScoreRun, *, published: bool) -> NDArray[np.float64]:
    """(submissions, sentences) on −1..1; in published mode rounded where the authors round."""
    matrix = run.matrix
    answers: NDArray[np.bool_] = np.any(np.isfinite(matrix.values), axis=1)
    for one, answered in zip(run.scored, answers, strict=True):
        if one.resolved_scale.scale is None and answered:
            what = f"{one.card.name}: ratings need a scale, and none is known"
            given = f"{argument('scale')} {one.card.name}"
            raise TiltmeterError(f"{what}; say it with {given}=LOW:HIGH, as in {given}=-5:5")
    values = 2 * matrix.values - 1
    for row, one in enumerate(run.scored if published else ()):
        if one.card.name.partition(":")[0] in ROUNDED:
            values[row] = np.round(values[row], 2)
    return values


def build_groups(
    corpora: Sequence[Corpus], scores: NDArray[np.float64], drawing: Drawing
) -> list[RatingGroup]:
    """The groups as a rating study takes them; `scores` has a column for each sentence of all."""
    found, start = [], 0
    for corpus in corpora:
        plan = rating_plan(corpus)
        axes = tuple(axis.name for axis in corpus.axes)
        polarity = pl.col("emotion").replace_strict(dict(plan.polarity)).alias("polarity")
        group = RatingGroup(
            plan.group,
            axes,
            Diagram(tuple(plan.edges), tuple(plan.unobserved)),
            corpus.sentences().select(
                *axes, "template", "person", "frame", "emotion_word", polarity
            ),
            scores[:, start : start + corpus.size],
            tuple(
                RatingDataset(f"{corpus.name}-{words}", words.upper(), drawing.rows(corpus, words))
                for words in plan.sets
            ),
        )
        found.append(group)
        start += corpus.size
    return found


def _phrases(group: Corpus) -> Phrases:
    """How a group's corpus speaks of its people, by attribute and class."""
    return {axis.name: {one: axis.phrase(one) for one in axis.groups} for axis in group.axes}


def stored_groups(
    results: RatingResults, wanted: Sequence[str], options: Options | None, tasks: Sequence[str]
) -> ScoredGroups:
    """Groups with the scores that systems gave elsewhere; all groups where none is named."""
    there = list(dict.fromkeys(group for group, _ in results.datasets))
    if absent := [name for name in wanted if name not in there]:
        found = ", ".join(there)
        raise ArgumentError("groups", f"asks for {absent[0]!r}; the stored outputs hold {found}")
    declared = (options or Options()).scales
    scales = _scales(results.ranges, declared)
    groups = [
        _stored_group(name, results, scales) for name in there if not wanted or name in wanted
    ]
    unsaid = [
        one.name for one in groups if one.confounded and one.sentences["polarity"].null_count()
    ]
    if unsaid:
        what = f"group {unsaid[0]}: words depend on the person there, so it is rated by them"
        others = ",".join(name for name in there if name not in unsaid)
        leave = f", or rate the others: {argument('groups')} {others}" if others else ""
        raise TiltmeterError(f"{what}; expected a column 'Emotion' in its files{leave}")
    task = tasks[0] if tasks else VALENCE
    facts = {
        "groups": [
            {
                "group": group.name,
                "sentences": group.count_sentences(),
                "datasets": [dataset.name for dataset in group.datasets],
            }
            for group in groups
        ],
        "systems": [
            AuditedSystem(
                system,
                task,
                EVERY,
                scale=str(scales[system]) if system in scales else None,
                scale_known="inferred" if declared.of(system) is None else "declared",
            )
            for system in results.systems
        ],
    }
    return ScoredGroups(
        groups,
        [(system, task) for system in results.systems],
        (*results.notes, *scale_notes(scales, declared, results.ranges)),
        facts,
        {
            group.name: _phrases(load_rating_group(BUILT_IN[group.name]))
            for group in groups
            if group.name in BUILT_IN
        },
    )


def _scales(ranges: Mapping[str, tuple[float, float]], declared: Scales) -> dict[str, Scale]:
    """Each system's scale: declared, or 0..1 or −1..1, whichever holds all of its scores."""
    declared.check(ranges)
    scales = {}
    for system, (low, high) in ranges.items():
        holding = (one for one in (UNIT, SIGNED) if one.low <= low and high <= one.high)
        scale = declared.of(system) or next(holding, None)
        if scale is None:
            what = f"{system} scores from {low:g} to {high:g}, which is neither 0..1 nor −1..1"
            raise TiltmeterError(
                f"{what}; say the scale with {argument('scale')} {system}=LOW:HIGH"
            )
        scales[system] = scale
    return scales


def scale_notes(
    scales: Mapping[str, Scale], declared: Scales, ranges: Mapping[str, tuple[float, float]]
) -> Iterator[str]:
    """Each scale of stored scores, how it is known, whose it is, and what it does not hold."""
    whose: dict[tuple[Scale, bool], list[str]] = {}
    for system, scale in scales.items():
        whose.setdefault((scale, declared.of(system) is not None), []).append(system)
    for (scale, known), systems in whose.items():
        how = "declared" if known else "inferred: every score lies within it"
        yield f"{', '.join(systems)}: scale {scale}, {how}"
    for system, (low, high) in ranges.items():
        scale = scales[system]
        if low < scale.low or scale.high < high:
            what = f"{system}: scores from {Scale(low, high)}, outside the scale {scale}"
            yield f"{what}, kept as they are"


def _stored_group(name: str, results: RatingResults, scales: dict[str, Scale]) -> RatingGroup:
    """A group with the paper's diagram where it is numbered; else what was seen of its words."""
    rows = results.rows.filter(group=name)
    axes = tuple(axis for axis in results.axes if rows[axis].null_count() < rows.height)
    sets = rows["words"].unique().sort().to_list()
    plan = load_rating_group(BUILT_IN[name]).rating if name in BUILT_IN else None
    if plan is not None and {node for edge in plan.edges for node in edge} >= set(axes):
        diagram = Diagram(tuple(plan.edges), tuple(plan.unobserved))
    else:
        confounded = any(results.confounded[name, words] for words in sets)
        drawn = [(axis, WORD) for axis in axes if confounded]
        diagram = Diagram((*((axis, SENTIMENT) for axis in axes), (WORD, SENTIMENT), *drawn))
    known = {system: scales.get(system, SIGNED) for system in results.systems}
    low = pl.col("system").replace_strict({one: its.low for one, its in known.items()})
    width = pl.col("system").replace_strict({one: its.width for one, its in known.items()})
    return stored_group(
        name,
        axes,
        diagram,
        rows.with_columns(score=2 * (pl.col("raw") - low) / width - 1),
        {system: (its.low, its.high) for system, its in known.items()},
        {words: f"{BUILT_IN.get(name, name)}-{words}" for words in sets},
    )
