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
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import (
    NA,
    NEGATIVE,
    POSITIVE,
    Assignment,
    Axis,
    Dataset,
    Design,
    Person,
    RatingPlan,
    Share,
    class_name,
    is_share,
)
from tiltmeter.corpora.expand import cells
from tiltmeter.errors import (
    CorpusError,
    Problem,
    TiltmeterError,
    UnknownNameError,
    argument,
    cap_problems,
    did_you_mean,
)
from tiltmeter.table_files import read_table

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


# -------------------------------- shares: a case k of the group, or a user's own table


UNUSABLE_SHARES = "the table of shares cannot be used"
DECLARED = 0.9
"""The larger share of Table 8, which a strength stands in for."""
EVEN = 0.5


def read_shares(path: Path | str) -> tuple[Share, ...]:
    """A user's own assignment from a CSV, TSV, JSONL or Parquet file.

    A row for each class: a column for each axis it is by, NA or nothing for people without a group,
    and `positive`, the share of positive words from 0 to 1.
    """
    table = read_table(Path(path), subject=UNUSABLE_SHARES)
    names = [name for name in table.frame.columns if name != POSITIVE]
    if POSITIVE not in table.frame.columns or not names:
        found = ", ".join(table.frame.columns)
        what = f"found the columns {found}; expected {POSITIVE} and an axis or more, as in gender"
        raise CorpusError(UNUSABLE_SHARES, [Problem(table.at(), what)])
    shares, unfit, repeated = list[Share](), list[Problem](), list[Problem]()
    seen: dict[object, int] = {}
    for line, row in zip(table.lines, table.frame.rows(named=True), strict=True):
        positive = _number(row[POSITIVE])
        if positive is None:
            found = "nothing" if row[POSITIVE] is None else repr(row[POSITIVE])
            what = f"found {found} for {POSITIVE}; expected a share from 0 to 1, as in 0.9"
            unfit.append(Problem(table.at(line), what))
        groups = {name: None if row[name] in (None, NA) else str(row[name]) for name in names}
        share = Share(groups, EVEN if positive is None else positive)
        shares.append(share)
        if share.key in seen:
            before = table.among([seen[share.key]])
            what = f"{class_name(groups)!r} has a row already, in {before}; keep one"
            repeated.append(Problem(table.at(line), what))
        seen.setdefault(share.key, line)
    if problems := [
        *cap_problems(unfit, "shares like these"),
        *cap_problems(repeated, "classes like these"),
    ]:
        raise CorpusError(UNUSABLE_SHARES, problems)
    return tuple(shares)


def _number(text: object) -> float | None:
    """The share a cell holds; None where it holds none."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if is_share(value) else None


def shares_of_case(assignment: Assignment, k: int) -> tuple[Share, ...]:
    """The shares that a group declares for a case; an error lists the cases there are."""
    if k not in assignment.cases:
        there = ", ".join(str(case) for case in sorted(assignment.cases))
        raise TiltmeterError(f"there is no case k = {k} here; expected one of {there}")
    return assignment.cases[k]


def fitting(shares: Sequence[Share], axes: tuple[Axis, ...]) -> tuple[Share, ...]:
    """A user's shares, with an error for every axis or group that the corpus does not have."""
    known = {axis.name: (*axis.groups, NA) for axis in axes}
    problems = []
    for share in shares:
        if not is_share(share.positive):
            what = f"{class_name(share.groups)!r} has positive = {share.positive!r}"
            problems.append(f"{what}; expected a share from 0 to 1")
        for axis, group in share.groups.items():
            if axis not in known:
                near = did_you_mean(axis, known) or f"the axes are {', '.join(known)}"
                problems.append(f"the column {axis!r} is no axis of the corpus: {near}")
            elif group is not None and group not in known[axis]:
                near = did_you_mean(group, known[axis]) or f"there are {', '.join(known[axis])}"
                problems.append(f"{axis} has no group {group!r}: {near}")
    if not shares:
        problems.append("it is empty; expected a share for one class or more")
    if len({tuple(sorted(share.groups)) for share in shares}) > 1:
        problems.append("its rows are by different axes; expected the same axes in each")
    if len({share.key for share in shares}) < len(shares):
        problems.append("a class stands in it twice; keep one row for each")
    if problems:
        raise CorpusError(UNUSABLE_SHARES, [Problem("", what) for what in dict.fromkeys(problems)])
    return tuple(shares)


def at_strength(share: float, strength: float | None) -> float:
    """The share rescaled so that a declared 0.9 becomes the strength: 0.5 + (p − 0.5)(s − 0.5)/0.4.

    >>> [round(at_strength(share, 0.7), 3) for share in (0.9, 0.5, 0.1)]
    [0.7, 0.5, 0.3]
    """
    if strength is None:
        return share
    if not isinstance(strength, int | float) or not EVEN <= strength <= 1:
        what = f"the strength is {strength!r}; expected a number from 0.5 (even) to 1 (always)"
        raise TiltmeterError(what)
    scaled = EVEN + (share - EVEN) * (strength - EVEN) / (DECLARED - EVEN)
    if not -1e-9 <= scaled <= 1 + 1e-9:
        what = f"strength {strength:g} would make the declared share {share:g} one of {scaled:g}"
        raise TiltmeterError(f"{what}; expected 0 to 1: choose a smaller one, or give shares")
    return min(max(scaled, 0.0), 1.0)


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
        if unfit := [argument(name) for name, value in given.items() if value is not None]:
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
