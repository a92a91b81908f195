"""Word vectors from texts alone: counts, mutual information, the SVD, and what comes of them."""

from math import log

import numpy as np
import pytest
from scipy.sparse import csr_array

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.training import word_vectors
from tiltmeter.studies.training.word_vectors import (
    VectorSettings,
    context_counts,
    frequent_words,
    ppmi,
    truncated_svd,
    vectors_of_texts,
)

THREE = [["sad", "day"], ["sad", "day", "now"], ["day", "now"]]
"""Three short texts, cut."""


def counts(window):
    return context_counts(THREE, ("day", "now", "sad"), window).toarray().tolist()


def test_a_pair_of_words_is_counted_both_ways_within_the_window():
    # day–now: texts 2 and 3; day–sad: texts 1 and 2; now–sad: text 2 alone, two words apart.
    assert counts(1) == [[0, 2, 2], [2, 0, 0], [2, 0, 0]]
    assert counts(2) == [[0, 2, 2], [2, 0, 1], [2, 1, 0]]


def test_a_word_that_is_too_rare_is_taken_out_before_windows_are_laid():
    # "rare" is none of the words, so a and b stand beside each other.
    found = context_counts([["a", "rare", "b"]], ("a", "b"), 1)
    assert found.toarray().tolist() == [[0, 1], [1, 0]]
    assert frequent_words([["b", "a", "rare"], ["a", "b"]], 2) == ("a", "b")


def test_mutual_information_is_that_of_the_formula_with_smoothed_contexts():
    found = ppmi(context_counts(THREE, ("day", "now", "sad"), 2)).toarray()
    # Row sums: day 2 + 2 = 4, now 2 + 1 = 3, sad 2 + 1 = 3. Contexts to the power 0.75:
    # 4^0.75 = 2.8284, 3^0.75 = 2.2795 twice; together 7.3874.
    smoothed = 4**0.75 + 2 * 3**0.75
    # PMI(day, now) = log(2 · 7.3874 / (4 · 2.2795)) = log 1.6204 = 0.4827
    assert found[0, 1] == pytest.approx(log(2 * smoothed / (4 * 3**0.75)))
    assert found[0, 1] == pytest.approx(0.4827, abs=1e-4)
    # PMI(now, day) = log(2 · 7.3874 / (3 · 2.8284)) = log 1.7413 = 0.5546: smoothing is of contexts
    assert found[1, 0] == pytest.approx(0.5546, abs=1e-4)
    # PMI(now, sad) = log(1 · 7.3874 / (3 · 2.2795)) = log 1.0803 = 0.0772
    assert found[1, 2] == pytest.approx(0.0772, abs=1e-4)
    assert found[0, 0] == found[1, 1] == found[2, 2] == 0  # never together


def test_what_stands_together_less_often_than_by_chance_counts_as_nothing():
    # Row sums 11, 11, 2, 2; contexts 11^0.75 = 6.0401 twice, 2^0.75 = 1.6818 twice: 15.4438.
    # PMI(a, c) = log(1 · 15.4438 / (11 · 1.6818)) = log 0.8348 < 0
    n = np.array([[0, 10, 1, 0], [10, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], float)
    found = ppmi(csr_array(n)).toarray()
    assert found[0, 2] == 0
    assert found[0, 1] == pytest.approx(log(10 * 15.4438 / (11 * 6.0401)), abs=1e-4)


def test_rows_are_left_singular_vectors_times_the_root_of_their_values():
    # [[0, 4], [1, 0]] has the singular values 4 and 1, with left vectors (1, 0) and (0, 1); of
    # two words one dimension can stay: (√4, 0).
    assert truncated_svd(csr_array(np.array([[0.0, 4.0], [1.0, 0.0]])), 5).tolist() == [
        [2.0],
        [0.0],
    ]
    assert truncated_svd(csr_array(np.array([[0.0, -4.0], [-1.0, 0.0]])), 5).tolist() == [
        [2.0],
        [0.0],
    ]


def many(seed=0, size=400, words=600):
    rng = np.random.default_rng(seed)
    drawn = np.minimum(rng.zipf(1.3, (size, 12)), words)
    return [" ".join(f"w{number}" for number in text) for text in drawn]


@pytest.mark.parametrize("dense", [0, 10_000])
def test_the_same_texts_in_any_order_give_the_same_vectors(dense, monkeypatch):
    monkeypatch.setattr(word_vectors, "DENSE", dense)
    texts, how = many(), VectorSettings(20, 5, 2)
    first, again = vectors_of_texts(texts, how), vectors_of_texts(texts[::-1], how)
    assert first.words == again.words
    np.testing.assert_allclose(first.rows, again.rows, atol=1e-6)


def test_a_part_of_the_svd_and_the_whole_of_it_give_the_same_vectors(monkeypatch):
    texts, how = many(), VectorSettings(20, 5, 2)
    found = []
    for dense in (0, 10_000):
        monkeypatch.setattr(word_vectors, "DENSE", dense)
        found.append(vectors_of_texts(texts, how).rows)
    np.testing.assert_allclose(*found, atol=1e-6)


def test_words_that_share_contexts_lie_nearer_than_words_that_do_not():
    who = ("sister", "brother", "friend", "teacher")
    glad, grim = ("glad", "merry", "sunny"), ("grim", "bitter", "sad")
    texts = [f"my {one} sang a {word} song" for one in who for word in glad]
    texts += [f"that {one} lost some {word} game" for one in who for word in grim]
    made = vectors_of_texts(texts, VectorSettings(6, 5, 2))
    unit = made.rows / np.linalg.norm(made.rows, axis=1, keepdims=True)
    rows = dict(zip(made.words, unit, strict=True))
    for word, alike, other in (("glad", "merry", "grim"), ("grim", "sad", "sunny")):
        assert rows[word] @ rows[alike] > rows[word] @ rows[other] + 0.3


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ([], "the 0 training texts hold 0 words seen 2 times or more"),
        (["a day", "a night"], "hold 1 words seen 2 times or more"),
        ([f"w{n}" for n in range(20)] * 2, "20 words seen 2 times or more, 0 pairs of them"),
    ],
)
def test_too_little_text_is_one_clear_message(texts, what):
    with pytest.raises(TiltmeterError, match=f"{what}.*expected at least 10 such words"):
        vectors_of_texts(texts)
