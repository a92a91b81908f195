"""Large corpora are asked block by block: once, whole, and from where a killed run stopped."""

from dataclasses import replace

import polars as pl
import pytest

from tiltmeter.errors import IncompleteError
from tiltmeter.scoring import (
    Block,
    Settings,
    Store,
    blocks_of,
    score_blocks,
    score_system,
    texts_of,
)
from tiltmeter.systems import Card, Missing, Pace, Scale, System

TEXTS = [f"text {nth}" for nth in range(100)]


class Counting:
    """A system that remembers what it was asked."""

    def __init__(self, stop_after=None, batch=7):
        self.asked, self.stop_after = [], stop_after
        self.system = System(
            Card("counting", scale=Scale(0.0, 1.0)), self.answer, Pace(batch=batch)
        )

    def answer(self, texts):
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked += texts
        return [len(text) / 10 + int(text.split()[1]) / 1000 for text in texts]


def blocks(texts=TEXTS, size=30):
    for start in range(0, len(texts), size):
        yield Block(pl.Series("text", texts[start : start + size]))


def scored(system, store, settings=None, **how):
    return score_blocks(system, blocks_of(lambda: blocks(**how)), store, settings or Settings())


def test_every_text_is_asked_once_and_found_again(tmp_path):
    one, store = Counting(), Store(tmp_path)
    tally = scored(one.system, store)
    assert (tally.asked, tally.known) == (100, 0)
    assert sorted(one.asked) == sorted(TEXTS)
    again = scored(one.system, store, Settings(check=0))
    assert (again.asked, again.known) == (0, 100)
    assert len(one.asked) == 100


def test_shards_are_the_blocks_in_order_and_nothing_else(tmp_path):
    one, store = Counting(), Store(tmp_path)
    tally = scored(one.system, store)
    shards = store.shards(one.system.card.fingerprint)
    assert len(shards) == 4
    for block, shard in zip(blocks(), shards, strict=True):
        assert pl.read_parquet(shard)["text"].equals(block.texts)
        found = tally.answers(block)["raw"].to_list()
        assert found == [len(text) / 10 + int(text.split()[1]) / 1000 for text in block.texts]
    assert store.verify() == []


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    store = Store(tmp_path)
    first = Counting(stop_after=50)
    with pytest.raises(KeyboardInterrupt):
        scored(first.system, store)
    second = Counting()
    tally = scored(second.system, store, Settings(check=0))
    assert not set(first.asked) & set(second.asked)
    assert len(first.asked) + len(second.asked) == 100
    assert tally.asked == len(second.asked)
    alone = Counting()
    score_system(alone.system, texts_of(sentences()), Store(tmp_path / "other"), Settings())
    assert answers(store, first.system) == answers(Store(tmp_path / "other"), alone.system)


def sentences():
    return pl.DataFrame({"corpus": "c", "id": TEXTS, "text": TEXTS})


def answers(store, system):
    found, faults = store.read(system.card.fingerprint)
    assert not faults
    assert found.height == found["text"].n_unique()
    return dict(found.select("text", "raw").rows())


def test_another_cut_finds_what_is_stored_by_text(tmp_path):
    """A small run's answers serve a large one, and the other way round."""
    store, one = Store(tmp_path), Counting()
    score_system(one.system, texts_of(sentences().head(40)), store, Settings())
    tally = scored(one.system, store)
    assert tally.asked == 60
    small = score_system(one.system, texts_of(sentences()), store, Settings())
    assert (small.asked, small.known) == (0, 100)


def test_a_larger_corpus_in_other_blocks_asks_only_what_is_new(tmp_path):
    """As a larger draw of people does: every frame has more sentences, so no block is the same."""
    store, one = Store(tmp_path), Counting()
    scored(one.system, store)
    one.asked.clear()
    more = [text for nth in range(150) for text in (f"text {nth}", f"new {nth}")]
    tally = scored(one.system, store, Settings(check=0), texts=more)
    assert (tally.asked, tally.known) == (200, 100)
    assert not set(one.asked) & set(TEXTS)
    for block in blocks(more):
        assert tally.answers(block)["raw"].null_count() == 0
    again = scored(one.system, store, Settings(check=0), texts=more)
    assert (again.asked, again.known) == (0, 300)
    assert store.entries()[0].scores == 300


def test_what_was_asked_anew_in_memory_counts_in_blocks(tmp_path):
    store, one = Store(tmp_path), Counting()
    scored(one.system, store)
    other = replace(one.system, answer=lambda texts: [0.25] * len(texts))
    score_system(other, texts_of(sentences().head(40)), store, Settings(reuse="never"))
    tally = scored(one.system, store, Settings(check=0))
    assert tally.asked == 0
    found = [answer for block in blocks() for answer in tally.answers(block)["raw"]]
    assert found[:40] == [0.25] * 40
    assert 0.25 not in found[40:]


def test_what_is_missing_when_all_is_asked_anew_is_not_filled_from_before(tmp_path):
    store, one = Store(tmp_path), Counting()
    scored(one.system, store)
    silent = replace(
        one.system,
        answer=lambda texts: [Missing("busy") if text == "text 5" else 0.5 for text in texts],
    )
    tally = scored(silent, store, Settings(max_missing=0.5, reuse="never"))
    found = tally.answers(next(blocks()))
    assert found["raw"].to_list()[4:7] == [0.5, None, 0.5]
    assert found["reason"][5] == "busy"


def test_never_asks_anew_and_the_newer_answer_wins(tmp_path):
    store, one = Store(tmp_path), Counting()
    scored(one.system, store)
    other = replace(one.system, answer=lambda texts: [0.25] * len(texts))
    tally = scored(other, store, Settings(reuse="never"))
    assert tally.asked == 100
    assert set(answers(store, other).values()) == {0.25}


def test_stored_asks_nothing(tmp_path):
    one = Counting()
    assert scored(one.system, Store(tmp_path), Settings(reuse="stored")).asked == 0
    assert one.asked == []


def test_repeats_are_blocks_of_their_own(tmp_path):
    store, one = Store(tmp_path), Counting()
    tally = scored(one.system, store, Settings(repeats=3))
    assert tally.asked == len(one.asked) == 300
    assert len(store.blocks(one.system.card.fingerprint)) == 12


def test_a_missing_answer_is_asked_again(tmp_path):
    store, one = Store(tmp_path), Counting()
    silent = replace(
        one.system,
        answer=lambda texts: [Missing("busy") if text == "text 5" else 0.5 for text in texts],
    )
    scored(silent, store, Settings(max_missing=0.5))
    assert scored(one.system, store, Settings(check=0)).asked == 1
    assert one.asked == ["text 5"]


def test_too_much_missing_stops_and_what_was_answered_stays(tmp_path):
    store, one = Store(tmp_path), Counting()
    answer = lambda texts: [0.5 if int(t.split()[1]) < 35 else Missing("down") for t in texts]  # noqa: E731
    with pytest.raises(IncompleteError, match="down"):
        scored(replace(one.system, answer=answer), store)
    assert sum(value is not None for value in answers(store, one.system).values()) == 35


def test_a_broken_block_is_asked_again_and_said(tmp_path):
    store, one = Store(tmp_path), Counting()
    scored(one.system, store)
    shard = min(store.blocks(one.system.card.fingerprint).values())
    shard.write_bytes(b"not a shard")
    tally = scored(one.system, store)
    assert tally.asked == 30
    assert "its texts count as not stored" in tally.notes[0]


def test_threads_and_one_by_one_give_the_same(tmp_path):
    one = Counting(batch=1)
    threads = replace(one.system, pace=Pace(batch=3, parallel="threads", workers=4))
    scored(one.system, Store(tmp_path / "a"))
    scored(threads, Store(tmp_path / "b"))
    assert answers(Store(tmp_path / "a"), one.system) == answers(Store(tmp_path / "b"), threads)


def test_a_store_counts_what_stands_in_blocks(tmp_path):
    store, one = Store(tmp_path), Counting()
    scored(one.system, store, Settings(repeats=2))
    [entry] = store.entries()
    assert (entry.scores, entry.shards) == (200, 8)
