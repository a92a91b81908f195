"""The groups that systems are rated on: sentences of every dataset, scored, with their diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    Share,
    corpus_editions,
    draw_rows,
    load_rating_group,
)
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.measures import Diagram, RatingDataset, RatingGroup

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
    groups = [_group(name, known, edition) for name in wanted]
    _check_names([_plan(group).group for group in groups], "groups", "[rating]")
    _check_names([group.name for group in groups], "groups' corpora", "[corpus]")
    return groups


def _check_names(called: list[str], what: str, where: str) -> None:
    """Refuse a name that two have: their sentences and tables would be taken for each other's."""
    if twice := [name for name in called if called.count(name) > 1]:
        found = f"two {what} are called {twice[0]!r}"
        raise TiltmeterError(f"{found}; give one another name under {where}")


def _group(name: str, known: list[str], edition: str) -> Corpus:
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
