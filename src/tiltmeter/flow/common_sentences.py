"""The sentences that two audits share: whole frames, alike in every respect."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from tiltmeter.schemas import SENTENCES

ASIDE = ("corpus", "edition", "language")
"""What need not agree: the same sentence may stand in two editions."""


@dataclass(frozen=True, slots=True)
class Common:
    """What two audits share of one corpus."""

    corpus: str
    sentences: pl.DataFrame
    """In the newer audit's order."""
    old_size: int
    new_size: int

    @property
    def whole(self) -> bool:
        """Whether both audits hold exactly these sentences."""
        return self.sentences.height == self.old_size == self.new_size


def common_sentences(old: pl.DataFrame, new: pl.DataFrame, corpus: str) -> Common:
    """Sentences of a corpus in both audits, of frames that both hold whole.

    A frame of which one audit has more or other sentences would compare other people.
    """
    before, after = (frame.filter(pl.col("corpus") == corpus) for frame in (old, new))
    axes = [name for name in after.columns if name not in SENTENCES.columns]
    by = [name for name in SENTENCES.columns if name not in ASIDE]
    by += [axis for axis in axes if axis in before.columns]
    shared = after.join(before, on=by, how="semi", nulls_equal=True, maintain_order="left")
    sizes = [frame.group_by("frame").len(name) for name, frame in
             (("old", before), ("new", after), ("both", shared))]  # fmt: skip
    counted = sizes[2].join(sizes[0], on="frame").join(sizes[1], on="frame")
    whole = counted.filter(pl.col("both") == pl.col("old"), pl.col("both") == pl.col("new"))
    kept = shared.join(whole, on="frame", how="semi", maintain_order="left")
    return Common(corpus, kept, before.height, after.height)
