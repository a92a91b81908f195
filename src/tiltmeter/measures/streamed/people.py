"""Each person's average deviation, where the sentences are not held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.people import People, deviations_of
from tiltmeter.measures.stats.paired import without_dust
from tiltmeter.measures.streamed.group_sums import GroupSums

Array = NDArray[np.float64]


class PeopleSums:
    """Takes blocks of whole frames, in which everyone compared stands together."""

    def __init__(self, submissions: pl.DataFrame, axes: Sequence[str]) -> None:
        self._submissions = submissions
        self._sums = GroupSums(submissions.height, ["person", "match", *axes])

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block."""
        self._sums.add(sentences, deviations_of(values, sentences))

    def people(self) -> People:
        """What all blocks came to."""
        found = self._sums.moments
        mean = np.where(found.n > 0, found.mean, np.nan)
        clean = without_dust(mean, self._submissions["width"].to_numpy())
        return People(self._submissions, self._sums.keys.rename({"size": "n"}), clean)
