"""The paired study of a corpus too large to be held: sums of differences, block by block.

Every subset is a union of parts with one template and one emotion, so differences are summed by
part, and the parts put together in the end. Means, tests, spreads and sizes are those that the
study in memory would give; quartiles come from a grid, within half a step of it; the sign-flip test
is left out, since every pattern of signs would need every pair again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.measures.contrasts import Contrast, comparisons, subsets
from tiltmeter.measures.estimates import Block, estimates_table
from tiltmeter.measures.pairs import OF_A_RUN, OWN, PairStudy, Part, blocks_of, sides_of
from tiltmeter.measures.stats.grid import empty_grid
from tiltmeter.measures.stats.moments import pooled
from tiltmeter.measures.stats.paired import described_by, paired_t_of, without_dust
from tiltmeter.measures.streamed.group_sums import GroupSums
from tiltmeter.measures.streamed.largest import LargestPairs
from tiltmeter.measures.streamed.people import PeopleSums
from tiltmeter.measures.whole import Whole

Array = NDArray[np.float64]

OF_A_CONTRAST = ("axis", "contrast", "first", "second")
OF_A_PART = (*OF_A_CONTRAST, "template", "emotion")
OF_A_WORD = ("axis", "contrast", "template", "emotion", "emotion_word")
OF_A_MATCH = ("axis", "contrast", "first", "second", "match")
MOST_WORDS = 50_000
"""Templates × words whose own means are held; beyond, the table of words is left out."""
MOST_MATCHES = 50_000


class PairSums:
    """Takes blocks of sentences and scores, and gives the study in the end."""

    def __init__(
        self, submissions: pl.DataFrame, contrasts: Sequence[Contrast], axes: Sequence[str]
    ) -> None:
        """`submissions` as a `ScoreSummary` gives them."""
        many = submissions.height
        self._submissions, self._contrasts = submissions, list(dict.fromkeys(contrasts))
        self._width = submissions["width"].to_numpy()
        self._parts = GroupSums(many, OF_A_PART)
        self._words = GroupSums(many, OF_A_WORD, MOST_WORDS)
        self._matches = GroupSums(many, OF_A_MATCH, MOST_MATCHES)
        self._grids = {one: empty_grid(self._width) for one in self._contrasts}
        self._largest = LargestPairs(many, len(self._contrasts))
        self._people = PeopleSums(submissions, axes)
        self._of = dict.fromkeys(OF_A_RUN, "")

    def add(self, sentences: pl.DataFrame, values: Array) -> None:
        """Take a block: whole frames, and their scores, (submissions, sentences)."""
        self._of = {name: str(sentences[name][0]) for name in OF_A_RUN}
        self._people.add(sentences, values)
        found = comparisons(sentences, self._contrasts)
        first, second = (sides_of(values, side) for side in (found.first, found.second))
        deltas = without_dust(first - second, self._width)
        texts = sentences["text"]
        pairs = found.pairs.with_columns(
            text_first=texts.gather(found.pairs["example_first"]),
            text_second=texts.gather(found.pairs["example_second"]),
        )
        for sums in (self._parts, self._words, self._matches):
            sums.add(pairs, deltas)
        for contrast, grid in self._grids.items():
            mine = (pairs["axis"] == contrast.axis) & (pairs["contrast"] == contrast.name)
            grid.add(deltas[:, mine.to_numpy()])
        self._largest.add(pairs, first, second, deltas)

    def study(self, mode: str) -> PairStudy:
        """What all blocks came to; its pairs are the largest only, its estimates of all."""
        keys = self._parts.keys
        blocks = [block for contrast in self._contrasts for block in self._blocks(contrast, keys)]
        table = estimates_table(blocks, self._submissions, {**self._of, "mode": mode})
        held = self._largest
        held.put_in_order([(one.axis, one.name) for one in self._contrasts])
        arrays = (held.first, held.second, held.deltas)
        return PairStudy(self._submissions, held.pairs, *arrays, table, self._whole(keys))

    def _blocks(self, contrast: Contrast, keys: pl.DataFrame) -> Iterator[Block]:
        mine = keys.with_row_index("place").filter(
            (pl.col(name) == getattr(contrast, name)) for name in ("axis", "first", "second")
        )
        everyone, tasks = np.arange(self._submissions.height), self._submissions["task"]
        for name, inside in subsets(mine):
            yield from self._measured(contrast, name, everyone, mine.filter(inside))
        for task in tasks.unique(maintain_order=True):
            own = mine.filter((mine["emotion"] == task).fill_null(False))
            if own.height:
                rows = everyone[(tasks == task).to_numpy()]
                yield from self._measured(contrast, OWN, rows, own)

    def _measured(
        self, contrast: Contrast, subset: str, rows: NDArray[np.int64], parts: pl.DataFrame
    ) -> Iterator[Block]:
        """Every measure of some submissions on a subset."""
        columns = parts["place"].to_numpy().astype(np.int64)
        found = pooled(self._parts.moments.rows(rows).columns(columns))
        n, n_up, n_down = (
            part[:, 0].astype(np.int64) for part in (found.n, found.n_up, found.n_down)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(n > 0, found.mean[:, 0], np.nan)
            sd = np.where(n > 1, np.sqrt(found.m2[:, 0] / (n - 1)), np.nan)
        test = paired_t_of(n, mean, sd, self._width[rows])
        shape = described_by(
            n, found.up[:, 0], n_up, found.down[:, 0], n_down, found.top[:, 0], found.bottom[:, 0]
        )
        part = Part(contrast, subset, rows, columns)
        yield from blocks_of(part, self._submissions, test, shape, int(parts["size"].sum()))

    def _whole(self, keys: pl.DataFrame) -> Whole:
        rows = [(one.axis, one.name, one.first, one.second) for one in self._contrasts]
        every = pl.DataFrame(rows, dict.fromkeys(OF_A_CONTRAST, pl.String), orient="row")
        sizes = keys.group_by(OF_A_CONTRAST).agg(pairs=pl.col("size").sum())
        counts = every.join(sizes, on=OF_A_CONTRAST, how="inner", maintain_order="left")
        full = [
            f"there are too many {name} to tell the mean difference of each"
            for name, sums in (("words", self._words), ("matches", self._matches))
            if sums.full
        ]
        grids = {(one.axis, one.first, one.second): grid for one, grid in self._grids.items()}
        return Whole(
            counts,
            tuple(grids[axis, first, second] for axis, _, first, second, _ in counts.rows()),
            self._words.keys.drop("size"),
            self._words.moments,
            self._matches.keys.drop("size"),
            self._matches.moments,
            self._people.people(),
            tuple(full),
        )
