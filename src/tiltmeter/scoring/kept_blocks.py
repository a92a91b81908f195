"""What a store knows of a block's texts, from the block's own shard or from any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import polars as pl

from tiltmeter.scoring.blocks import Block
from tiltmeter.scoring.shard import Fault, read_shard, time_span
from tiltmeter.scoring.store import Store


@dataclass(frozen=True)
class KeptBlocks:
    """One system's stored answers, found block by block."""

    store: Store
    fingerprint: str
    faults: list[str] = field(default_factory=list)
    """What was found broken, and is therefore asked again."""

    @cached_property
    def shards(self) -> Mapping[str, Path]:
        """Where each block's own shard is, by the block's key."""
        return self.store.blocks(self.fingerprint)

    @cached_property
    def by_text(self) -> pl.DataFrame:
        """Answers stored apart from any block: by smaller runs, or by one that was stopped."""
        return self.store.read(self.fingerprint, blocks=False)[0]

    def written(self, keys: Iterable[str]) -> tuple[float, float] | None:
        """When the first and the last stored of these blocks was written; else of what is there."""
        own = [self.shards[key] for key in keys if key in self.shards]
        return time_span(own or self.store.shards(self.fingerprint))

    def answers(self, block: Block) -> pl.DataFrame:
        """A row for each text of the block, in order; `raw` is null where nothing is known."""
        own = self._own(block)
        if own is not None and not own["raw"].null_count():
            return own
        if own is None:
            own = self.nothing(block)
        keys = ["text", "repeat"]
        other = own.select(keys).join(self.by_text, on=keys, how="left", maintain_order="left")
        return own.with_columns(
            raw=own["raw"].fill_null(other["raw"]),
            reason=other["reason"].fill_null(own["reason"]),
        )

    def nothing(self, block: Block) -> pl.DataFrame:
        """The block's texts without any answer."""
        return pl.DataFrame({"text": block.texts}).select(
            "text",
            repeat=pl.lit(block.repeat, pl.Int64),
            raw=pl.lit(None, pl.Float64),
            reason=pl.lit(None, pl.String),
        )

    def numbers(self, block: Block) -> pl.DataFrame:
        """The same without the texts, which take most of the time to read: raw, reason."""
        own = self.shards.get(block.key)
        if own is not None:
            try:
                found = pl.read_parquet(own, columns=["raw", "reason"], memory_map=False)
            except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
                found = pl.DataFrame()
            if found.height == block.texts.len():
                return found
        return self.answers(block).select("raw", "reason")

    def _own(self, block: Block) -> pl.DataFrame | None:
        """The block's own shard, if it is there and holds the block's texts."""
        shard = self.shards.get(block.key)
        if shard is None:
            return None
        found = read_shard(shard)
        if isinstance(found, Fault):
            self.faults.append(f"{shard.name} in the store {found.what}; it counts as not stored")
            return None
        return found if found["text"].equals(block.texts) else None
