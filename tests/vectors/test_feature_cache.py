"""Rows of texts are computed once, kept by the texts' hashes, and survive what happens to files."""

import hashlib
import io
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import Encoder, cache, features

DIGEST = "d" * 64
TEXTS = [f"She feels {at}." for at in range(40)]


def by_hand(text):
    """A row with nothing to do with any model: how long the text is, and its last letters."""
    return [len(text), ord(text[-2]) / 7, ord(text[-3]) / 7] if len(text) > 2 else [len(text), 0, 0]


def expected(texts):
    return np.array([by_hand(text) for text in texts], np.float32)


class Counted:
    """An encoder that remembers what it was asked, and breaks after some texts."""

    def __init__(self, breaks_after=None):
        self.asked, self.breaks_after = [], breaks_after

    def __call__(self, texts):
        if self.breaks_after is not None and len(self.asked) >= self.breaks_after:
            raise KeyboardInterrupt
        self.asked += texts
        return expected(texts)

    @property
    def encoder(self):
        return Encoder("counted", 3, DIGEST, self)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(cache, "CHUNK", 10)


def kept_in(folder):
    return sorted((folder / DIGEST).glob("*.npz"))


def test_a_text_is_encoded_once_however_often_and_whenever_it_comes(tmp_path):
    counted = Counted()
    found = features(counted.encoder, ["b.b.", "a.a.", "b.b.", ""], tmp_path)
    np.testing.assert_array_equal(found, expected(["b.b.", "a.a.", "b.b.", ""]))
    assert found.dtype == np.float32
    assert counted.asked == ["b.b.", "a.a.", ""]
    again = features(counted.encoder, ["a.a.", "c.c.", "b.b."], tmp_path)
    np.testing.assert_array_equal(again, expected(["a.a.", "c.c.", "b.b."]))
    assert counted.asked == ["b.b.", "a.a.", "", "c.c."]


def test_no_text_gives_no_row_and_writes_nothing(tmp_path):
    assert features(Counted().encoder, [], tmp_path).shape == (0, 3)
    assert list(tmp_path.iterdir()) == []


def test_another_encoder_has_rows_of_its_own(tmp_path):
    one, other = Counted(), Counted()
    features(one.encoder, TEXTS, tmp_path)
    features(Encoder("other", 3, "e" * 64, other), TEXTS, tmp_path)
    assert other.asked == TEXTS


def test_an_encoder_quicker_than_the_disk_leaves_nothing_on_it(tmp_path):
    quick = Encoder("quick", 3, DIGEST, expected, kept=False)
    np.testing.assert_array_equal(features(quick, TEXTS, tmp_path), expected(TEXTS))
    assert list(tmp_path.iterdir()) == []


def test_the_user_s_cache_is_where_rows_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    features(Counted().encoder, TEXTS)
    assert kept_in(tmp_path / "features")


def test_no_text_stands_in_the_cache_only_its_hash(tmp_path):
    features(Counted().encoder, ["Nobody may copy this tweet."], tmp_path)
    (shard,) = kept_in(tmp_path)
    whole = shard.read_bytes()
    assert b"tweet" not in whole
    assert hashlib.sha256(b"Nobody may copy this tweet.").digest() in whole


@pytest.mark.usefixtures("small")
def test_progress_counts_the_distinct_texts_and_what_was_kept_already(tmp_path):
    told = []
    features(Counted().encoder, TEXTS[:15], tmp_path)
    # 15 of 40 are kept; the other 25 come in chunks of 10, 10 and 5.
    features(Counted().encoder, TEXTS + TEXTS, tmp_path, lambda *counts: told.append(counts))
    assert told == [(15, 40), (25, 40), (35, 40), (40, 40)]


@pytest.mark.usefixtures("small")
def test_a_run_that_is_killed_loses_the_chunk_it_was_at_and_no_more(tmp_path):
    killed, after = Counted(breaks_after=20), Counted()
    with pytest.raises(KeyboardInterrupt):
        features(killed.encoder, TEXTS, tmp_path)
    np.testing.assert_array_equal(features(after.encoder, TEXTS, tmp_path), expected(TEXTS))
    assert after.asked == TEXTS[20:]


def flipped(whole):
    """One bit changed in the middle, where the rows are."""
    middle = len(whole) // 2
    return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]


def not_finite(_):
    file = io.BytesIO()
    key = np.frombuffer(hashlib.sha256(TEXTS[0].encode()).digest(), np.uint8)[None]
    np.savez(file, keys=key, rows=np.full((1, 3), np.nan, np.float32))
    return file.getvalue()


@pytest.mark.parametrize(
    "damage",
    [flipped, lambda whole: whole[:-30], lambda _: b"", lambda _: b"\x80\x04.", not_finite],
    ids=["a bit flipped", "cut short", "empty", "a pickle", "not finite"],
)
def test_a_damaged_shard_is_made_again(tmp_path, damage):
    features(Counted().encoder, TEXTS, tmp_path)
    (shard,) = kept_in(tmp_path)
    shard.write_bytes(damage(shard.read_bytes()))
    again = Counted()
    np.testing.assert_array_equal(features(again.encoder, TEXTS, tmp_path), expected(TEXTS))
    assert again.asked == TEXTS
    assert shard not in kept_in(tmp_path)
    last = Counted()
    features(last.encoder, TEXTS, tmp_path)
    assert last.asked == []


def test_where_nothing_can_be_written_rows_come_all_the_same(tmp_path, caplog):
    file = tmp_path / "a-file"
    file.write_text("in the way")
    found = features(Counted().encoder, TEXTS, file)
    np.testing.assert_array_equal(found, expected(TEXTS))
    (said,) = [line.getMessage() for line in caplog.records]
    assert said.startswith("what is computed is not kept for the next time: ")
    assert file.read_text() == "in the way"


def test_many_small_shards_become_few_and_keep_every_row(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "CHUNK", 1)
    # 40 texts in chunks of 1 are 40 shards of about 5 rows' bytes each (the zip around them).
    features(Counted().encoder, TEXTS, tmp_path)
    assert len(kept_in(tmp_path)) < cache.MANY
    again = Counted()
    np.testing.assert_array_equal(features(again.encoder, TEXTS, tmp_path), expected(TEXTS))
    assert again.asked == []


def test_what_a_killed_run_left_half_written_goes_when_it_is_old(tmp_path):
    folder = tmp_path / DIGEST
    folder.mkdir()
    old, new = folder / ".0a.npz.abcdefgh", folder / ".0b.npz.abcdefgh"
    for half in (old, new):
        half.write_bytes(b"half")
    long_ago = time.time() - 2 * cache.STALE
    os.utime(old, (long_ago, long_ago))
    features(Counted().encoder, TEXTS, tmp_path)
    assert (old.exists(), new.exists()) == (False, True)


def in_another_process(folder):
    cache.CHUNK, cache.MANY = 3, 2
    rows = [features(Counted().encoder, TEXTS[::step], folder) for step in (1, -1, 2, -3)]
    return all(
        np.array_equal(found, expected(TEXTS[::step]))
        for found, step in zip(rows, (1, -1, 2, -3), strict=True)
    )


def test_two_processes_at_once_write_and_merge_and_lose_nothing(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawn) as pool:
        assert all(pool.map(in_another_process, [tmp_path, tmp_path, tmp_path, tmp_path]))
    last = Counted()
    np.testing.assert_array_equal(features(last.encoder, TEXTS, tmp_path), expected(TEXTS))
    assert last.asked == []


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (lambda texts: np.full((len(texts), 3), np.inf), "not finite to 2 of 2 texts"),
        (lambda texts: np.zeros((len(texts), 4)), r"shape \(2, 4\) to 2 texts; expected 3 numbers"),
        (lambda _: np.zeros((1, 3)), r"shape \(1, 3\) to 2 texts"),
    ],
)
def test_rows_that_no_encoder_may_give_are_told_and_not_kept(tmp_path, rows, said):
    encoder = Encoder("odd", 3, DIGEST, rows)
    with pytest.raises(TiltmeterError, match=f"the encoder 'odd' gives .*{said}"):
        features(encoder, ["She sings.", "He sings."], tmp_path)
    assert kept_in(tmp_path) == []


def test_a_text_that_is_not_valid_unicode_has_a_key_too(tmp_path):
    assert features(Counted().encoder, ["ab\ud800"], tmp_path).shape == (1, 3)


ODD_TEXTS = ["a kind day", "a cold day", "", "😀"]


@pytest.mark.parametrize("rubbish", [b"", b"PK\x03\x04", b"\x00" * 5000])
def test_rubbish_in_the_cache_is_computed_anew(tmp_path, rubbish):
    features(Counted().encoder, ODD_TEXTS, tmp_path)
    for shard in tmp_path.rglob("*.npz"):
        shard.write_bytes(rubbish)
    assert features(Counted().encoder, ODD_TEXTS, tmp_path).tolist() == expected(ODD_TEXTS).tolist()


def test_a_folder_called_like_a_shard_does_no_harm(tmp_path):
    (tmp_path / DIGEST / "x.npz").mkdir(parents=True)
    assert features(Counted().encoder, ODD_TEXTS, tmp_path).tolist() == expected(ODD_TEXTS).tolist()


def test_a_cache_that_is_a_file_keeps_nothing_and_answers(tmp_path):
    place = tmp_path / "cache"
    place.write_text("not a folder")
    assert features(Counted().encoder, ODD_TEXTS, place).tolist() == expected(ODD_TEXTS).tolist()
    assert place.read_text() == "not a folder"


def test_the_order_and_the_company_of_texts_do_not_matter(tmp_path):
    whole = features(Counted().encoder, ODD_TEXTS, tmp_path)
    again = features(Counted().encoder, [ODD_TEXTS[3], ODD_TEXTS[0], ODD_TEXTS[3]], tmp_path)
    assert again.tolist() == [whole[3].tolist(), whole[0].tolist(), whole[3].tolist()]
