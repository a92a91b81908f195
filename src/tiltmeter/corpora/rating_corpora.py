"""The sixteen rating datasets by name, and one dataset of any group as a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.corpora.assigning import draw_rows, lemmas_of, plan_of, shares_used
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.rating_plan import Assignment, Dataset, Share
from tiltmeter.errors import TiltmeterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        _nothing_to_draw(name, seed=seed, k=k, strength=strength, shares=shares)
    else:
        told = _how_drawn(universe, plan.assignment, told, seed, k, strength, shares)
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


def _how_drawn(
    universe: Corpus,
    assignment: Assignment,
    told: Dataset,
    seed: int | None,
    k: int | None,
    strength: float | None,
    shares: Sequence[Share] | None,
) -> Dataset:
    if shares is not None and k is not None:
        what = f"k = {k} chooses a case of the group, and a table of shares is given instead"
        raise TiltmeterError(f"{what}; leave out one of the two")
    case = 1 if k is None else k
    used, otherwise = shares_used(universe, assignment, case, strength, shares)
    chosen = "a table of its own" if shares is not None else f"k = {case}"
    if strength is not None:
        chosen += f" at strength {strength:g}"
    drawn = 0 if seed is None else seed
    return replace(told, seed=drawn, shares=used, otherwise=otherwise, chosen=chosen)


def _nothing_to_draw(name: str, **given: object) -> None:
    if said := [f"--{option}" for option, value in given.items() if value is not None]:
        what = f"{', '.join(said)}: only where words are drawn, and {name!r} says every word with"
        raise TiltmeterError(f"{what} every person; leave it out")


def _write(
    universe: Corpus, name: str, rows: NDArray[np.int64], batch: int
) -> Iterator[pl.DataFrame]:
    """The chosen sentences of the universe, in batches, as a corpus of another name."""
    chosen = universe.sentences()[rows].with_columns(corpus=pl.lit(name))
    yield from chosen.iter_slices(batch)
