"""The store: what is written is found, whole, whoever else writes."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.errors import StoreError
from tiltmeter.scoring import Store, default_store
from tiltmeter.scoring.store import SCHEMA
from tiltmeter.systems import Card

CARD = Card("vader", version="1")


def answers(*rows):
    return pl.DataFrame(
        [(text, repeat, raw, reason) for text, repeat, raw, reason in rows], SCHEMA, orient="row"
    )


def test_what_is_written_is_read_back(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None), ("b", 0, None, "timeout")))
    found, faults = store.read(CARD.fingerprint)
    assert found.rows() == [("a", 0, 0.5, None), ("b", 0, None, "timeout")]
    assert faults == []


def test_a_score_wins_over_a_null_and_the_newer_over_the_older(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.7, None), ("b", 0, 0.1, None), ("c", 0, None, "old")))
    store.write(CARD, answers(("a", 0, None, "timeout"), ("b", 0, 0.2, None), ("c", 0, 0.3, None)))
    found, _ = store.read(CARD.fingerprint)
    assert dict(found.select("text", "raw").iter_rows()) == {"a": 0.7, "b": 0.2, "c": 0.3}


def test_a_shard_whose_content_changed_is_found_by_its_digest(tmp_path):
    store = Store(tmp_path)
    shard = store.write(CARD, answers(("a", 0, 0.5, None)))
    about = pl.read_parquet_metadata(shard)["tiltmeter.sha256"]
    changed = answers(("a", 0, 0.6, None))
    changed.write_parquet(shard, metadata={"tiltmeter.sha256": about})
    assert "does not hold what was written" in store.verify()[0].what


def test_a_shard_with_a_score_that_is_no_number_is_a_fault(tmp_path):
    store = Store(tmp_path)
    shard = store.write(CARD, answers(("a", 0, 0.5, None)))
    answers(("a", 0, float("nan"), None)).write_parquet(shard)
    assert store.read(CARD.fingerprint)[1][0].what == "holds a score that is no number"


def test_a_lost_card_is_written_again(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None)))
    (tmp_path / CARD.fingerprint / "card.json").unlink()
    assert store.verify()
    store.keep_card(CARD)
    assert store.verify() == []


def test_a_folder_where_a_shard_should_be_is_cleared(tmp_path):
    store = Store(tmp_path)
    shard = store.write(CARD, answers(("a", 0, 0.5, None)))
    (shard.parent / "x.parquet").mkdir()
    store.clear(store.verify())
    assert store.verify() == []
    assert store.read(CARD.fingerprint)[0].height == 1


def test_systems_with_other_settings_do_not_share_scores(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None)))
    other = Card("vader", version="1", settings={"threshold": 2})
    assert store.read(other.fingerprint)[0].is_empty()


def test_a_truncated_shard_is_a_fault_and_the_others_are_still_read(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None)))
    broken = store.write(CARD, answers(("b", 0, 0.6, None)))
    broken.write_bytes(broken.read_bytes()[:-20])
    found, faults = store.read(CARD.fingerprint)
    assert found["text"].to_list() == ["a"]
    assert [fault.path for fault in faults] == [broken]
    assert [fault.path for fault in store.verify()] == [broken]
    store.clear(store.verify())
    assert store.verify() == []


def test_a_file_that_is_no_shard_of_ours_is_a_fault(tmp_path):
    store = Store(tmp_path)
    shard = store.write(CARD, answers(("a", 0, 0.5, None)))
    pl.DataFrame({"x": [1]}).write_parquet(shard)
    assert "no shard of ours" in store.verify()[0].what


def test_what_a_crashed_run_left_behind_is_found(tmp_path):
    store = Store(tmp_path)
    shard = store.write(CARD, answers(("a", 0, 0.5, None)))
    (shard.parent / ".aside-123").write_bytes(b"half")
    assert "did not finish" in store.verify()[0].what
    assert store.read(CARD.fingerprint)[0].height == 1


def test_merging_keeps_every_answer_in_the_order_asked(tmp_path):
    store = Store(tmp_path)
    shards = [
        store.write(CARD, answers(("b", 0, 0.2, None))),
        store.write(CARD, answers(("a", 0, 0.1, None))),
    ]
    store.merge(CARD, shards, answers(("a", 0, 0.1, None), ("b", 0, 0.2, None)))
    assert store.read(CARD.fingerprint)[0]["text"].to_list() == ["a", "b"]
    assert [entry.shards for entry in store.entries()] == [1]


def test_many_writers_at_once_lose_nothing(tmp_path):
    store = Store(tmp_path)

    def write(worker):
        for number in range(10):
            store.write(CARD, answers((f"{worker}-{number}", 0, number / 10, None)))

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read(CARD.fingerprint)[0].height == 80
    assert store.verify() == []


def test_entries_name_the_system_and_count_its_scores(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None)))
    (entry,) = store.entries()
    assert (entry.name, entry.task, entry.scores) == ("vader", "valence", 1)


def test_removing_a_system_leaves_the_others(tmp_path):
    store = Store(tmp_path)
    store.write(CARD, answers(("a", 0, 0.5, None)))
    store.write(Card("afinn"), answers(("a", 0, 1.0, None)))
    store.remove([CARD.fingerprint])
    assert [entry.name for entry in store.entries()] == ["afinn"]


def test_a_store_that_cannot_be_written_is_a_clear_error_with_exit_4(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match=r"cannot be written: .*store DIR") as caught:
        Store(tmp_path / "file").write(CARD, answers(("a", 0, 0.5, None)))
    assert caught.value.exit_code == 4


def test_a_full_disk_is_a_clear_error_and_what_was_stored_is_safe(tmp_path):
    code = f"""
import resource
from pathlib import Path
import polars as pl
from tiltmeter.scoring import Store
from tiltmeter.systems import Card
store = Store(Path({str(tmp_path)!r}))
def frame(n): return pl.DataFrame({{"text": [f"{{i}} " + "x" * 50 for i in range(n)],
    "repeat": [0] * n, "raw": [float(i) for i in range(n)], "reason": [None] * n}},
    {{"text": pl.String, "repeat": pl.Int64, "raw": pl.Float64, "reason": pl.String}})
store.write(Card("small"), frame(10))
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
store.write(Card("large"), frame(100_000))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "StoreError: the store" in done.stderr, done.stderr
    assert "cannot be written" in done.stderr
    store = Store(tmp_path)
    assert store.read(Card("small").fingerprint)[0].height == 10
    assert store.read(Card("large").fingerprint)[0].is_empty()


def test_the_default_store_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TILTMETER_STORE", str(tmp_path / "here"))
    assert default_store() == tmp_path / "here"
    monkeypatch.delenv("TILTMETER_STORE")
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    assert default_store() == tmp_path / "cache" / "scores"
    monkeypatch.delenv("TILTMETER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_store() == tmp_path / "tiltmeter" / "scores"


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX here")
def test_a_store_is_for_its_owner_only(tmp_path):
    Store(tmp_path / "s").write(CARD, answers(("a", 0, 0.5, None)))
    assert Path(tmp_path / "s" / CARD.fingerprint).stat().st_mode & 0o077 == 0
