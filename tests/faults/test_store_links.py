"""Links in a store, made by somebody else: nothing is read, written or deleted through them."""

import shutil

import polars as pl
import pytest

from tiltmeter.cli import main
from tiltmeter.errors import StoreError
from tiltmeter.scoring import Store
from tiltmeter.scoring.store import SCHEMA
from tiltmeter.systems import Card

CARD = Card("vader", version="1")
ANSWERS = pl.DataFrame([("a", 0, 0.5, None)], SCHEMA, orient="row")


@pytest.fixture
def victim(tmp_path):
    """A folder that is none of ours, with a folder in it."""
    folder = tmp_path / "victim"
    (folder / "inner").mkdir(parents=True)
    (folder / "letter.txt").write_text("dear")
    (folder / "inner" / "diary.txt").write_text("today")
    return folder


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def run(monkeypatch, capfd, *words):
    """What a command ends with, and all that it says."""
    monkeypatch.setattr("sys.argv", ["tiltmeter", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capfd.readouterr()
    return ended.value.code, " ".join((captured.out + captured.err).split())


def test_prune_deletes_nothing_through_a_linked_folder(tmp_path, victim, monkeypatch, capfd):
    store = Store(tmp_path / "store")
    store.write(CARD, ANSWERS)
    link = store.path / ("f" * 32)
    link.symlink_to(victim)
    before = names_in(victim)
    code, _ = run(monkeypatch, capfd, "store", "prune", "--older-than", 0, "--store", store.path)
    assert (code, names_in(victim)) == (0, before)
    assert not (store.path / CARD.fingerprint).exists()
    with pytest.raises(StoreError, match="is a link"):
        store.remove([link.name])
    assert names_in(victim) == before


def test_a_linked_folder_is_not_listed_and_verify_names_it(tmp_path, victim, monkeypatch, capfd):
    store = Store(tmp_path / "store")
    store.path.mkdir()
    Store(victim.parent / "other").write(CARD, ANSWERS)
    link = store.path / CARD.fingerprint
    link.symlink_to(victim.parent / "other" / CARD.fingerprint)
    assert store.entries() == []
    code, output = run(monkeypatch, capfd, "store", "verify", "--store", store.path)
    assert code == 4
    assert f"{link}: is a link, which is not followed" in output
    assert run(monkeypatch, capfd, "store", "prune", "--broken", "--store", store.path)[0] == 0
    assert not link.is_symlink()
    assert Store(victim.parent / "other").read(CARD.fingerprint)[0].height == 1


def test_scores_are_not_written_through_a_linked_folder(tmp_path, victim, monkeypatch, capfd):
    """Nor read: a link stands where the system's own folder was."""
    store, output = tmp_path / "store", tmp_path / "scores.csv"
    ask = ["score", "vader", "--corpus", "eec", "--sample", 11, "--store", store, "-o", output]
    assert run(monkeypatch, capfd, *ask)[0] == 0
    (folder,) = store.iterdir()
    shutil.rmtree(folder)
    folder.symlink_to(victim)
    before = names_in(victim)
    output.unlink()
    code, said = run(monkeypatch, capfd, *ask)
    assert code == 4
    assert "is a link, which is not followed; expected a folder of the store" in said
    assert "--store DIR" in said
    assert (names_in(victim), output.exists()) == (before, False)


def test_linked_files_are_neither_read_nor_written_and_go_without_their_targets(tmp_path, victim):
    store, other = Store(tmp_path / "store"), Store(tmp_path / "other")
    elsewhere = other.write(CARD, ANSWERS)
    folder = store.path / CARD.fingerprint
    folder.mkdir(parents=True)
    links = {
        "00000000001500000000-aa.parquet": elsewhere, "card.json": victim / "letter.txt",
        "pace.json": victim / "letter.txt", ".aside-1": victim / "letter.txt", "inner": victim,
    }  # fmt: skip
    for name, target in links.items():
        (folder / name).symlink_to(target)
    assert store.read(CARD.fingerprint)[0].is_empty()
    assert store.pace(CARD) is None
    assert store.entries()[0].name == "(card unreadable)"
    linked = {fault.path.name for fault in store.verify() if "is a link" in fault.what}
    assert linked == set(links)
    store.write(CARD, ANSWERS)
    store.note_pace(CARD, 10, 1.0)
    assert (victim / "letter.txt").read_text() == "dear"
    assert not (folder / "card.json").is_symlink()
    store.remove([CARD.fingerprint])
    assert not folder.exists()
    assert names_in(victim) == ["inner", "inner/diary.txt", "letter.txt"]
    assert elsewhere.exists()


def test_a_folder_within_a_systems_folder_is_left_alone(tmp_path, monkeypatch, capfd):
    store = Store(tmp_path / "store")
    store.write(CARD, ANSWERS)
    diary = store.path / CARD.fingerprint / "inner" / "diary.txt"
    diary.parent.mkdir()
    diary.write_text("today")
    code, output = run(monkeypatch, capfd, "store", "prune", "--broken", "--store", store.path)
    assert code == 0
    assert "0 broken files" in output
    assert "inner: is a folder, which no part of a store is, and was left alone" in output
    store.remove([CARD.fingerprint])
    assert diary.read_text() == "today"


def test_the_store_itself_may_be_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "kept").symlink_to(tmp_path / "disk")
    store = Store(tmp_path / "kept")
    store.write(CARD, ANSWERS)
    assert store.read(CARD.fingerprint)[0].height == store.entries()[0].scores == 1
    store.remove([CARD.fingerprint])
    assert list((tmp_path / "disk").iterdir()) == []
