"""Datasets drawn anew: other words where words are assigned, and sentences resampled in blocks.

Sentences about one person share whatever a system makes of the name. So people are resampled, each
with all their sentences, as many of each class as there are: a rating that rests on one name is not
steady. Where a class has too few people for that, templates are resampled, the same for all
classes. Either way a system that is even stays so, and datasets that share sentences share luck.
"""

from __future__ import annotations

import zlib

import numpy as np

from tiltmeter.measures.rating.group import ENOUGH_PEOPLE, RatingDataset, RatingGroup, strata_of
from tiltmeter.measures.stats.class_sums import Array, Index


def draw_weights(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Array:
    """(1 + repeats, sentences): how often each sentence stands in each draw of the dataset.

    Draw 0 is the dataset itself.
    """
    rows = dataset.rows[np.arange(repeats + 1) % len(dataset.rows)] if repeats else dataset.rows[:1]
    counts = np.ones(rows.shape)
    counts[1:] = _resampled(group, dataset, repeats, seed)
    weights = np.zeros((repeats + 1, group.sentences.height))
    np.add.at(weights, (np.arange(repeats + 1)[:, None], rows), counts)
    return weights


def _resampled(group: RatingGroup, dataset: RatingDataset, repeats: int, seed: int) -> Array:
    """(repeats, sentences of the dataset): how often each is taken.

    A slot's person and template are the same in every draw of a dataset, so the first tells them.
    """
    strata, block = _blocks(group)
    rng = np.random.default_rng([seed, zlib.crc32(group.name.encode())])
    counts = _counts(strata, block, repeats, rng)
    return counts[:, block[dataset.rows[0]]]


def _blocks(group: RatingGroup) -> tuple[Index, Index]:
    """What is resampled within what, and in which block: a number each for every sentence."""
    columns = group.sentences.columns
    if group.fewest_people(group.axes) >= ENOUGH_PEOPLE:
        return strata_of(group, group.axes), strata_of(group, ("person",))
    if "template" in columns:
        return strata_of(group, ()), strata_of(group, ("template",))
    words = () if group.confounded else ("emotion_word",)
    return strata_of(group, (*group.axes, *words)), np.arange(group.sentences.height)


def _counts(strata: Index, block: Index, repeats: int, rng: np.random.Generator) -> Array:
    """(repeats, blocks): how often each block is taken when as many are drawn from each stratum."""
    counts = np.zeros((repeats, int(block.max()) + 1))
    for stratum in np.unique(strata):
        here = np.unique(block[strata == stratum])
        counts[:, here] = rng.multinomial(here.size, np.full(here.size, 1 / here.size), repeats)
    return counts
