"""Files read within bounds, and nothing of the process changed meanwhile."""

import os

import polars as pl
import pytest

from tiltmeter.reading import parquet_frame
from tiltmeter.scoring.shard import SCHEMA, read_shard, rows_of


def test_the_error_stream_of_the_process_stays_where_it_is(tmp_path, monkeypatch):
    """What another thread writes to it meanwhile would be held back, and out of order."""
    shard = tmp_path / "shard.parquet"
    rows = {"text": ["a"], "repeat": [0], "raw": [0.5], "reason": [None]}
    pl.DataFrame(rows, schema=SCHEMA).write_parquet(shard)
    swaps = []
    with monkeypatch.context() as patch:  # pytest swaps it too, to capture
        patch.setattr(os, "dup2", lambda *_: swaps.append("swapped"))
        assert parquet_frame(shard).height == parquet_frame(shard.read_bytes()).height == 1
        assert read_shard(shard).height == rows_of(shard) == 1
        shard.write_bytes(b"PAR1 is how it begins")
        with pytest.raises(OSError, match="damaged or not Parquet"):
            parquet_frame(shard)
        assert rows_of(shard) == 0
    assert not swaps
