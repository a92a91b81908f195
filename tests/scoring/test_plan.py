"""What is asked: what the store does not know, equal texts once."""

from itertools import pairwise

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.scoring import Settings, Store, frames_drawn, score_system, texts_of
from tiltmeter.scoring.store import SCHEMA
from tiltmeter.systems import Card, System

SENTENCES = pl.DataFrame(
    {"corpus": ["c"] * 4, "id": ["1", "2", "3", "4"], "text": ["a", "b", "a", "c"]}
)


def sample_frames(sentences, frames, seed):
    known = sentences.select("template", "frame", "emotion").unique(maintain_order=True)
    return sentences.filter(pl.col("frame").is_in(frames_drawn(known, frames, seed)))


@pytest.fixture
def asked(tmp_path):
    """What a system is asked where such rows are stored, and in which rounds it answered."""

    def scored(rows, **settings):
        heard, store = [], Store(tmp_path / str(len(list(tmp_path.iterdir()))))
        system = System(Card("asked"), lambda texts: heard.extend(texts) or [0.5] * len(texts))
        store.write(system.card, pl.DataFrame(rows, SCHEMA, orient="row"))
        found = score_system(system, texts_of(SENTENCES), store, Settings(check=0, **settings))
        new = found.scores.filter(pl.col("raw") == 0.5)["repeat"].unique().sort().to_list()
        return heard, new

    return scored


def test_equal_texts_are_asked_once(asked):
    assert asked([]) == (["a", "b", "c"], [0])


def test_what_is_stored_is_not_asked(asked):
    assert asked([("a", 0, 0.1, None), ("x", 0, 0.1, None)]) == (["b", "c"], [0])


def test_a_stored_null_is_asked_again(asked):
    assert asked([("a", 0, None, "timeout")]) == (["a", "b", "c"], [0])


def test_never_asks_everything_anew(asked):
    everything = [("a", 0, 0.1, None), ("b", 0, 0.1, None), ("c", 0, 0.1, None)]
    assert asked(everything) == ([], [])
    assert asked(everything, reuse="never") == (["a", "b", "c"], [0])


def test_stored_asks_nothing(asked):
    assert asked([], reuse="stored") == ([], [])


def test_repeats_ask_only_the_rounds_that_are_not_stored(asked):
    first = [("a", 0, 0.1, None), ("b", 0, 0.1, None), ("c", 0, 0.1, None)]
    assert asked(first, repeats=2) == (["a", "b", "c"], [1])


def test_a_sample_takes_whole_frames_in_the_corpus_proportions():
    eec = load_corpus("eec").sentences()
    part = sample_frames(eec, 36, seed=3)
    sizes = part.group_by("frame").len()["len"].unique().to_list()
    frames = part.select("template", "frame").unique().group_by("template").len()
    assert sizes == [60]
    assert part["frame"].n_unique() == 36
    # 144 frames: 20 in each of templates 1-7, one in each of 8-11. All keep one; the other 25 go
    # to the large ones alike, 3.6 each: four of them have 5 and three have 4
    assert sorted(frames["len"]) == [1, 1, 1, 1, 4, 4, 4, 5, 5, 5, 5]
    assert frames["len"].sum() == 36


def kept(part):
    return set(part["template"])


@pytest.mark.parametrize("seed", range(5))
def test_every_template_keeps_a_frame_the_neutral_ones_too(seed):
    """Eleven frames drawn in proportion lost templates 8 to 11 mostly, all without an emotion."""
    eec = load_corpus("eec").sentences()
    for frames in (11, 12, 20, 72):
        assert kept(sample_frames(eec, frames, seed)) == kept(eec)


def test_a_template_of_both_kinds_keeps_a_frame_without_an_emotion_word():
    known = pl.DataFrame(
        {
            "template": ["1"] * 21 + ["2"] * 10,
            "frame": [f"f{nth}" for nth in range(31)],
            "emotion": ["joy"] * 20 + [None] + ["joy"] * 10,
        }
    )
    for seed in range(10):
        assert "f20" in frames_drawn(known, 3, seed)


@pytest.mark.parametrize("seed", range(3))
def test_a_larger_sample_holds_every_smaller_one(seed):
    eec = load_corpus("eec").sentences()
    drawn = [set(sample_frames(eec, frames, seed)["frame"]) for frames in range(1, 145, 4)]
    assert all(less < more for less, more in pairwise(drawn))


def test_fewer_frames_than_templates_have_some_of_both_kinds():
    eec = load_corpus("eec").sentences()
    for seed in range(5):
        part = sample_frames(eec, 4, seed)
        assert part.filter(pl.col("emotion").is_null())["frame"].n_unique() == 2


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
