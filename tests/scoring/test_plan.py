"""What is asked: what the store does not know, equal texts once."""

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.scoring import frames_drawn, make_plan, texts_of
from tiltmeter.scoring.shard import SCHEMA

SENTENCES = pl.DataFrame(
    {"corpus": ["c"] * 4, "id": ["1", "2", "3", "4"], "text": ["a", "b", "a", "c"]}
)


def sample_frames(sentences, frames, seed):
    known = sentences.select("template", "frame").unique(maintain_order=True)
    return sentences.filter(pl.col("frame").is_in(frames_drawn(known, frames, seed)))


def stored(*rows):
    return pl.DataFrame(list(rows), SCHEMA, orient="row")


def asked(rows, repeats=1, reuse="missing"):
    return make_plan(texts_of(SENTENCES), stored(*rows), repeats, reuse).asks.rows()


def test_equal_texts_are_asked_once():
    assert asked([]) == [("a", 0), ("b", 0), ("c", 0)]


def test_what_is_stored_is_not_asked():
    assert asked([("a", 0, 0.1, None), ("x", 0, 0.1, None)]) == [("b", 0), ("c", 0)]


def test_a_stored_null_is_asked_again():
    assert asked([("a", 0, None, "timeout")]) == [("a", 0), ("b", 0), ("c", 0)]


def test_never_asks_everything_anew():
    everything = [("a", 0, 0.1, None), ("b", 0, 0.1, None), ("c", 0, 0.1, None)]
    assert asked(everything) == []
    assert asked(everything, reuse="never") == [("a", 0), ("b", 0), ("c", 0)]


def test_stored_asks_nothing():
    assert asked([], reuse="stored") == []


def test_repeats_ask_only_the_rounds_that_are_not_stored():
    first = [("a", 0, 0.1, None), ("b", 0, 0.1, None), ("c", 0, 0.1, None)]
    assert asked(first, repeats=2) == [("a", 1), ("b", 1), ("c", 1)]


def test_a_sample_takes_whole_frames_in_the_corpus_proportions():
    eec = load_corpus("eec").sentences()
    part = sample_frames(eec, 36, seed=3)
    sizes = part.group_by("frame").len()["len"].unique().to_list()
    frames = part.select("template", "frame").unique().group_by("template").len()
    assert sizes == [60]
    assert part["frame"].n_unique() == 36
    # 144 frames: 20 in each of templates 1-7, one in each of 8-11; a quarter is 5 and 0.25
    assert sorted(frames.filter(pl.col("len") == 5)["template"]) == list("1234567")
    assert frames["len"].sum() == 36


def test_a_sample_is_the_same_for_the_same_seed_and_differs_for_another():
    eec = load_corpus("eec").sentences()
    first, again, other = (sample_frames(eec, 10, seed) for seed in (0, 0, 1))
    assert first.equals(again)
    assert not first.equals(other)


def test_a_sample_larger_than_the_corpus_is_the_corpus():
    eec = load_corpus("eec").sentences()
    assert sample_frames(eec, 1000, 0).equals(eec)


@pytest.mark.parametrize("frames", [1, 7, 143])
def test_a_sample_has_as_many_frames_as_asked(frames):
    assert sample_frames(load_corpus("eec").sentences(), frames, 5)["frame"].n_unique() == frames
