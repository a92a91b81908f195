"""What is measured of a space before it is moved and after, in the same way each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tiltmeter.measures.vectors.mending.analogies import Question, analogy_rows
from tiltmeter.measures.vectors.mending.clusters import Leaners, cluster_alignment, leaners
from tiltmeter.measures.vectors.mending.directions import unit
from tiltmeter.measures.vectors.mending.methods import Task
from tiltmeter.measures.vectors.mending.probing import probe
from tiltmeter.measures.vectors.mending.quality import (
    Places,
    nearest,
    neighbour_sample,
    neighbours,
    similarity,
)
from tiltmeter.measures.vectors.mending.rows import Row, proportion_row, refused
from tiltmeter.measures.vectors.space import Space

Measured = Callable[[Space], Iterable[Row]]
ScoredPairs = tuple[str, Sequence[tuple[str, str, float]]]
"""A name, and word pairs with the scores people gave them."""

LEANING = "words that leaned most"
"""What is clustered and probed."""


@dataclass(frozen=True, eq=False)
class Ruler:
    """Every measure, the same for each space: the same sample, the same words that leaned."""

    task: Task
    measured: Measured
    similarities: ScoredPairs | None
    analogies: tuple[Question, ...]

    @cached_property
    def leaners(self) -> Leaners:
        """Chosen before anything moves."""
        direction = self.task.direction
        if direction.vector is None:
            return Leaners(reason=direction.reason)
        return leaners(self.task.space, self.task.neutral, direction.vector)

    @cached_property
    def sample(self) -> tuple[Places, Places]:
        """Words whose neighbours are compared, and their neighbours before."""
        places = neighbour_sample(self.task.space, self._rng(2))
        return places, nearest(self.task.space, places)

    def rows(self, space: Space) -> list[Row]:
        """All numbers of one space."""
        likeness = [] if self.similarities is None else [similarity(space, *self.similarities)]
        return [
            *self.measured(space),
            *likeness,
            *analogy_rows(space, self.analogies),
            *self._neighbours(space),
            *self._cosmetic(space),
        ]

    def _neighbours(self, space: Space) -> list[Row]:
        places, before = self.sample
        return [neighbours(before, nearest(space, places))]

    def _cosmetic(self, space: Space) -> list[Row]:
        """Whether the sides can be found again in what is left."""
        words, side, reason = self.leaners.words, self.leaners.side, self.leaners.reason
        if reason is not None:
            return [refused(measure, LEANING, reason) for measure in ("cluster", "probe")]
        rows = unit(space.rows(words))
        return [
            proportion_row("cluster", LEANING, cluster_alignment(rows, side, self._rng(3))),
            proportion_row("probe", LEANING, probe(rows, side, self._rng(4))),
        ]

    def _rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.task.seed, stream])
