"""SEAT: words in sentences, the word as unit, and what sentences as units do to p."""

import numpy as np
import pytest

from made_up_words import word_test
from tiltmeter.studies.embeddings.space import Space
from tiltmeter.studies.embeddings.weat import (
    in_sentences,
    mean_of_sentences,
    weat_study,
)

WORDS = {"first": "x1 x2 x3", "second": "y1 y2 y3", "good": "a1 a2 a3", "bad": "b1 b2 b3"}
TEST = word_test("toy", "A toy", "X", ("x1", "x2", "x3"), "Y", ("y1", "y2", "y3"),
                "A", ("a1", "a2", "a3"), "B", ("b1", "b2", "b3"))  # fmt: skip
SENTENCES = {
    word: (f"This is {word}.", f"There is {word}.")
    for words in WORDS.values()
    for word in words.split()
}
TEXTS = tuple(text for texts in SENTENCES.values() for text in texts)


def encoded(rng, scatter=0.1, dimension=8):
    """Texts whose vectors are those of their words, and a little of their own."""
    words = {word: rng.normal(size=dimension) for word in SENTENCES}
    rows = [
        words[word] + scatter * rng.normal(size=dimension)
        for word, texts in SENTENCES.items()
        for _ in texts
    ]
    return Space("encoder", TEXTS, np.array(rows))


def test_a_words_vector_is_the_mean_of_its_sentences_directions():
    # (3, 4)/5 and (0, 1): the mean is (0.3, 0.9), however long the second is
    texts = Space("e", ("one", "other"), np.array([[3.0, 4.0], [0.0, 70.0]]))
    found = mean_of_sentences(texts, {"word": ("one", "other")})
    assert found.words == ("word",)
    np.testing.assert_allclose(found.vectors, [[0.3, 0.9]])


def test_a_word_with_a_sentence_missing_or_without_direction_is_left_out():
    texts = Space("e", ("one", "none"), np.array([[3.0, 4.0], [0.0, 0.0]]))
    given = {"half": ("one", "lost"), "flat": ("one", "none"), "no": (), "whole": ("one",)}
    assert mean_of_sentences(texts, given).words == ("whole",)
    assert mean_of_sentences(texts, {}).vectors.shape == (0, 2)


def test_corrected_is_weat_on_the_words():
    texts = encoded(np.random.default_rng(0))
    seat = weat_study(texts, [TEST], SENTENCES)
    weat = weat_study(mean_of_sentences(texts, SENTENCES), [TEST])
    assert seat.weat["kind"].to_list() == ["seat"]
    assert seat.weat.drop("kind").equals(weat.weat.drop("kind"))
    assert seat.weat["n_first"][0] == 3
    assert seat.weat["permutations"][0] == 20  # C(6, 3)
    assert seat.associations["word"].to_list() == [*TEST.first, *TEST.second]
    assert seat.others.equals(weat.others)


def test_published_is_weat_on_the_sentences():
    texts = encoded(np.random.default_rng(1))
    seat = weat_study(texts, [TEST], SENTENCES, mode="published")
    assert seat.weat["n_first"][0] == 6
    assert seat.weat["permutations"][0] == 924  # C(12, 6)
    assert seat.associations["word"].to_list() == [*TEXTS[:12]]
    weat = weat_study(texts, [in_sentences(TEST, SENTENCES)])
    assert seat.weat.drop("kind").equals(weat.weat.drop("kind"))


@pytest.mark.parametrize("mode", ["corrected", "published"])
def test_a_word_without_sentences_is_missing(mode):
    texts = encoded(np.random.default_rng(2))
    given = {word: lines for word, lines in SENTENCES.items() if word != "x1"}
    row = weat_study(texts, [TEST], given, mode=mode, coverage=0.6).weat.row(0, named=True)
    assert row["missing_words"] == ["x1"]
    assert row["effect"] is not None
    refused = weat_study(texts, [TEST], given, coverage=0.7).weat.row(0, named=True)
    assert refused["reason"].startswith("2 of 3 words of 'X' are in the embedding")


@pytest.mark.slow
def test_sentences_as_units_give_false_alarms_and_words_do_not():
    rng = np.random.default_rng(3)
    how = {"resamples": 0, "permutations": 500}
    p = {
        mode: np.array([
            weat_study(encoded(rng), [TEST], SENTENCES, mode=mode, **how).weat["p"][0]
            for _ in range(150)
        ])
        for mode in ("corrected", "published")
    }  # fmt: skip
    # no word is closer to anything but by chance; 3 words a side can reach 2/20 = 0.1
    error = np.sqrt(0.1 * 0.9 / 150)
    assert np.mean(p["corrected"] <= 0.1) < 0.1 + 3 * error
    assert np.mean(p["published"] <= 0.1) > 0.1 + 5 * error
