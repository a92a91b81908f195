"""Which sentences of a universe make a rating dataset: all of some words, or one for each slot.

The *universe* holds every sentence the group could. A *slot* is one template with one person (and
whoever else the template holds fixed). Where words are assigned, a slot takes one of them: positive
with the share of the person's class, then uniform among the words of that polarity in the set.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Design, Person
from tiltmeter.corpora.expand import cells
from tiltmeter.corpora.rating_plan import NEGATIVE, POSITIVE, Assignment, Dataset, RatingPlan, Share
from tiltmeter.corpora.shares import at_strength, fitting, shares_of_case
from tiltmeter.errors import TiltmeterError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


TOGETHER = 2_000_000
"""Slots whose words are drawn at a time."""


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of one template within the universe.

    Sentence `first + word · count + slot` says the template's word in that slot.
    """

    first: int
    count: int
    people: tuple[Person, ...]
    """The people under comparison, who change fastest: slot s is about `people[s % P]`."""
    words: dict[str, Rows]
    """By polarity, the numbers of the set's words in the template's list."""


def draw_rows(
    universe: Corpus,
    words: str,
    *,
    seed: int,
    draws: int = 1,
    k: int = 1,
    strength: float | None = None,
    shares: Sequence[Share] | None = None,
) -> Rows:
    """Row numbers into `universe.sentences()` of the dataset with this set of words.

    Shape (1, n) where the group assigns nothing: every slot says every word, and nothing is random.
    Else (draws, slots): one sentence for each slot. Draw r of a seed is the same however many are
    asked for; sets and groups are drawn independently of each other.
    """
    plan, design = plan_of(universe)
    lemmas = lemmas_of(plan, words, universe.name)
    slots = _slots(design, plan, lemmas)
    if plan.assignment is None:
        every = []  # the rows of all the set's words in all slots of a template
        for one in slots:
            said = np.concatenate([one.words[POSITIVE], one.words[NEGATIVE]])
            every.append(one.first + said[:, None] * one.count + np.arange(one.count))
        return np.sort(np.concatenate([rows.ravel() for rows in every]))[np.newaxis]
    used = shares_used(universe, plan.assignment, k, strength, shares)
    positive = np.concatenate([_share_of_slot(one, *used) for one in slots])
    # A generator of the seed and the dataset, so that two datasets do not share their luck
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise TiltmeterError(f"the seed is {seed!r}; expected a whole number, 0 or more")
    rng = np.random.default_rng([int(seed), zlib.crc32(f"{universe.name}-{words}".encode())])
    if draws < 1:
        raise TiltmeterError(f"draws is {draws}; expected 1 or more")
    drawn: list[Rows] = []
    step = max(1, TOGETHER // len(positive))
    for start in range(0, draws, step):
        # Filled draw by draw, so that more of them leave the earlier ones as they were.
        uniform = rng.random((min(step, draws - start), len(positive), 2))
        drawn.append(_choose_rows(slots, uniform[..., 0] < positive, uniform[..., 1]))
    return np.concatenate(drawn)


def plan_of(universe: Corpus) -> tuple[RatingPlan, Design]:
    """What the corpus declares for rating; an error where it declares nothing."""
    if universe.rating is None or universe.design is None or universe.dataset is not None:
        what = f"the corpus {universe.name!r} is no group for rating"
        raise TiltmeterError(f"{what}; load one with load_rating_group")
    return universe.rating, universe.design


def lemmas_of(plan: RatingPlan, words: str, name: str) -> tuple[str, ...]:
    """The words of a set; an error names the sets there are."""
    if words not in plan.sets:
        raise UnknownNameError(f"set of words in {name!r}", words, plan.sets)
    return plan.sets[words]


def shares_used(
    universe: Corpus,
    assignment: Assignment,
    k: int,
    strength: float | None,
    shares: Sequence[Share] | None,
) -> tuple[tuple[Share, ...], float]:
    """The shares in force, and that of every other class: a user's own, or those of case k."""
    if shares is not None:
        if strength is not None:
            what = "a strength rescales the shares of a case k, and here a table of shares is given"
            raise TiltmeterError(f"{what}; leave out one of the two")
        return fitting(shares, universe.axes), assignment.otherwise
    declared = shares_of_case(assignment, k)
    rescaled = [Share(one.groups, at_strength(one.positive, strength)) for one in declared]
    return tuple(rescaled), at_strength(assignment.otherwise, strength)


def _slots(design: Design, plan: RatingPlan, lemmas: tuple[str, ...]) -> list[Slots]:
    found, first = [], 0
    for template in design.templates:
        layout = cells(template)
        said = template.word_slots[0].words
        numbers = {
            polarity: np.array(
                [
                    number
                    for number, word in enumerate(said)
                    if word.lemma in lemmas and plan.polarity[word.emotion] == polarity
                ],
                dtype=np.int64,
            )
            for polarity in (POSITIVE, NEGATIVE)
        }
        count = len(layout.others) * len(layout.people)
        found.append(Slots(first, count, layout.people, numbers))
        first += layout.size
    return found


def _share_of_slot(
    slots: Slots, shares: tuple[Share, ...], otherwise: float
) -> NDArray[np.float64]:
    """The share of positive words of whoever each slot is about, shape (slots,)."""
    by = tuple(shares[0].groups) if shares else ()
    table = {tuple(share.groups[axis] for axis in by): share.positive for share in shares}
    people = [
        table.get(tuple(person.groups.get(axis) for axis in by), otherwise) if by else otherwise
        for person in slots.people
    ]
    return np.tile(np.array(people, dtype=np.float64), slots.count // len(people))


def _choose_rows(
    slots: list[Slots], positive: NDArray[np.bool_], uniform: NDArray[np.float64]
) -> Rows:
    """One row for each slot, from its polarity and a number below 1; shape (draws, slots)."""
    rows = np.empty(positive.shape, dtype=np.int64)
    start = 0
    for one in slots:
        here = slice(start, start + one.count)
        picked = [
            one.words[polarity][(uniform[:, here] * len(one.words[polarity])).astype(np.int64)]
            for polarity in (POSITIVE, NEGATIVE)
        ]
        word = np.where(positive[:, here], *picked)
        rows[:, here] = one.first + word * one.count + np.arange(one.count)
        start += one.count
    return rows


# -------------------------------- the datasets by name, and one as a corpus


ALL_SETS, BOTH_POLARITIES = ("e1", "e2", "e3", "e4", "e5"), ("e3", "e4", "e5")
SETS = {
    "rating-1": ALL_SETS,
    "rating-2": BOTH_POLARITIES,
    "rating-3": ALL_SETS,
    "rating-4": BOTH_POLARITIES,
}
"""The sets of words of each group: where words are assigned, a set needs both polarities."""
RATING_GROUPS = tuple(SETS)
DATASETS = {f"{group}-{words}": (group, words) for group in SETS for words in SETS[group]}
"""Group and set by the name of the dataset: Lakkaraju et al. 2023, Table 1."""


def dataset(
    universe: Corpus,
    words: str,
    *,
    seed: int | None = None,
    k: int | None = None,
    strength: float | None = None,
    shares: Sequence[Share] | None = None,
) -> Corpus:
    """One dataset of a group, its sentences under the IDs they have in the universe.

    Without a seed it is drawn with 0, without k by case 1.
    """
    plan, design = plan_of(universe)
    lemmas = lemmas_of(plan, words, universe.name)
    name = f"{universe.name}-{words}"
    told = Dataset(universe.name, words, lemmas)
    if plan.assignment is None:
        given = {"seed": seed, "k": k, "strength": strength, "shares": shares}
        if unfit := [f"--{option}" for option, value in given.items() if value is not None]:
            what = f"{', '.join(unfit)}: only where words are drawn, and {name!r} says every word"
            raise TiltmeterError(f"{what} with every person; leave it out")
    else:
        if shares is not None and k is not None:
            what = f"k = {k} chooses a case of the group, and a table of shares is given instead"
            raise TiltmeterError(f"{what}; leave out one of the two")
        case = 1 if k is None else k
        used, otherwise = shares_used(universe, plan.assignment, case, strength, shares)
        chosen = "a table of its own" if shares is not None else f"k = {case}"
        if strength is not None:
            chosen += f" at strength {strength:g}"
        drawn = 0 if seed is None else seed
        told = replace(told, seed=drawn, shares=used, otherwise=otherwise, chosen=chosen)
    rows = draw_rows(
        universe, words, seed=told.seed or 0, k=1 if k is None else k, strength=strength,
        shares=shares,
    )[0]  # fmt: skip
    title = f"{universe.title}, words {words}"
    return replace(
        universe,
        name=name,
        title=title,
        size=len(rows),
        write=partial(_write, universe, name, rows),  # not a closure, which would not pickle
        design=replace(design, name=name, title=title),
        notes=told.notes,
        dataset=told,
    )


def _write(
    universe: Corpus, name: str, rows: NDArray[np.int64], batch: int
) -> Iterator[pl.DataFrame]:
    """The chosen sentences of the universe, in batches, as a corpus of another name."""
    chosen = universe.sentences()[rows].with_columns(corpus=pl.lit(name))
    yield from chosen.iter_slices(batch)
