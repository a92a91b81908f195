"""Files read within bounds, written whole or not at all; the process is left as it was."""

import os
import stat

import polars as pl
import pytest

from tiltmeter.files import parquet_frame, write_text
from tiltmeter.scoring.store import SCHEMA, read_shard, rows_of


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


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_files_have_the_mode_that_the_users_mask_leaves(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_text("ours", tmp_path / "ours.txt")
        (tmp_path / "usual.txt").write_text("as any program writes it")
    finally:
        os.umask(before)
    ours, usual = (tmp_path / name for name in ("ours.txt", "usual.txt"))
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode) == 0o666 & ~mask


def test_the_mask_of_the_process_is_left_alone(tmp_path, monkeypatch):
    # Another thread's file would be open to everybody while the mask is 0.
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the mask of the process was changed"))
    write_text("ours", tmp_path / "ours.txt")
    assert (tmp_path / "ours.txt").read_text() == "ours"


def test_a_file_is_on_disk_before_it_takes_its_place_and_its_name_after(tmp_path, monkeypatch):
    place, told, sync = tmp_path / "ours.txt", [], os.fsync
    place.write_text("old")

    def watched(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        told.append((kind, os.fstat(handle).st_size if kind == "file" else 0, place.read_text()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_text("newer", place)
    assert told == [("file", 5, "old"), ("folder", 0, "newer")]


def test_a_folder_that_takes_no_order_to_sync_is_no_error(tmp_path, monkeypatch):
    sync = os.fsync

    def refusing(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(22, "Invalid argument")
        sync(handle)

    monkeypatch.setattr(os, "fsync", refusing)
    write_text("ours", tmp_path / "ours.txt")
    assert (tmp_path / "ours.txt").read_text() == "ours"
