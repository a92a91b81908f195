"""Files written whole or not at all, for good, and as the user's own settings say."""

import os
import stat

import pytest

from tiltmeter.writing import write_text


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
