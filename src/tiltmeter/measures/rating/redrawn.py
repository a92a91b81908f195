"""Datasets drawn anew: other words where words are assigned, and sentences resampled in blocks.

Sentences about one person share whatever a system makes of the name. So people are resampled, each
with all their sentences, as many of each class as there are: a rating that rests on one name is not
steady. Where a class has too few people for that, templates are resampled, the same for all
classes. Either way a system that is even stays so, and datasets that share sentences share luck.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measures.rating.group import (
    ENOUGH_PEOPLE,
    RatingDataset,
    RatingGroup,
    resampled_within,
    strata_of,
)
from tiltmeter.measures.stats.class_sums import ROOM, Array, Draws, Index


@dataclass(frozen=True, eq=False, slots=True)
class _Redrawn:
    """Draws of a dataset, their weights made when they are asked for."""

    rows: Index
    """(draws, sentences of the dataset)."""
    counts: NDArray[np.uint16]
    """(repeats, blocks): how often each block is taken; small numbers, of perhaps millions."""
    block: Index
    """A slot's block is the same in every draw of a dataset, so the first draw tells it."""
    sentences: int

    def __len__(self) -> int:
        return len(self.counts) + 1

    def __getitem__(self, some: slice) -> Array:
        numbers = np.arange(len(self))[some]
        weights = np.empty((numbers.size, self.sentences))
        for place, number in enumerate(numbers):
            taken = self.counts[number - 1, self.block] if number else np.ones(self.block.size)
            row = self.rows[number % len(self.rows)]
            weights[place] = np.bincount(row, weights=taken, minlength=self.sentences)
        return weights


def draws_of(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Draws:
    """How often each sentence stands in each draw of the dataset; draw 0 is the dataset itself.

    Made at once where there is room for all, and else when some of them are asked for.
    """
    strata, block = _blocks(group)
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    counts = _counts(strata, block, repeats, rng)
    rows = dataset.rows if repeats else dataset.rows[:1]
    drawn = _Redrawn(rows, counts, block[dataset.rows[0]], group.sentences.height)
    return drawn[:] if len(drawn) * drawn.sentences <= ROOM else drawn


def draw_weights(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Array:
    """(1 + repeats, sentences): the draws of a dataset, all at once."""
    return draws_of(group, dataset, repeats, seed)[:]


def _blocks(group: RatingGroup) -> tuple[Index, Index]:
    """What is resampled within what, and in which block: a number each for every sentence."""
    columns = group.sentences.columns
    if group.fewest_people(group.axes) >= ENOUGH_PEOPLE:
        return strata_of(group, group.axes), strata_of(group, ("person",))
    if "template" in columns:
        return strata_of(group, ()), strata_of(group, ("template",))
    return resampled_within(group), np.arange(group.sentences.height)


def _counts(
    strata: Index, block: Index, repeats: int, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """(repeats, blocks): how often each block is taken when as many are drawn from each stratum."""
    counts = np.zeros((repeats, int(block.max()) + 1), np.uint16)
    for stratum in np.unique(strata):
        here = np.unique(block[strata == stratum])
        counts[:, here] = rng.multinomial(here.size, np.full(here.size, 1 / here.size), repeats)
    return counts
