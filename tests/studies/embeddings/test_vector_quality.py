"""Quality of vectors: similarity, analogies and neighbours, on spaces small enough to check."""

import numpy as np
import pytest

from tiltmeter.studies.embeddings.mitigation_metrics import (
    analogy_rows,
    answers,
    nearest,
    neighbours,
    similarity,
    worth,
)
from tiltmeter.studies.embeddings.space import Space, unit


def wheel(n):
    """Words at even angles of a quarter circle, of different lengths."""
    angles = np.linspace(0, np.pi / 2, n)
    rows = np.column_stack([np.cos(angles), np.sin(angles)]) * np.arange(1, n + 1)[:, None]
    return Space("wheel", tuple(f"w{i}" for i in range(n)), rows)


def test_scores_in_the_order_of_the_cosines_correlate_fully():
    pairs = [("w0", f"w{i}", 12.0 - i) for i in range(1, 12)]
    told = similarity(wheel(12), "own", pairs)
    assert (told["measure"], told["what"], told["n"]) == ("similarity", "own", 11)
    assert told["value"] == pytest.approx(1.0)
    swapped = similarity(wheel(12), "own", [(b, a, -score) for a, b, score in pairs])
    assert swapped["value"] == pytest.approx(-1.0)


def test_pairs_that_are_not_there_are_left_out_and_few_are_refused():
    pairs = [("w0", f"w{i}", float(i)) for i in range(1, 30)]
    assert similarity(wheel(12), "own", pairs)["n"] == 11
    told = similarity(wheel(10), "own", pairs)
    assert told["value"] is None
    assert told["reason"] == "9 of 29 scored pairs are in the embedding; expected at least 10"


KINGS = Space(
    "kings",
    ("man", "woman", "king", "queen", "apple"),
    np.array([[1, 0, 0], [1, 1, 0], [1, 0, 2], [1, 1, 2], [-3, 0, 0.1]], float),
)


def test_man_is_to_woman_as_king_is_to_queen():
    told = analogy_rows(KINGS, [("family", ("man", "woman", "king", "queen"))])
    assert [(row["what"], row["value"], row["n"]) for row in told] == [("family", 1.0, 1)]


def test_words_of_the_question_are_no_answer():
    # b − a + c = king for a = b: the nearest word is king itself, which is left out
    found = answers(unit(KINGS.vectors), np.array([[0, 0, 2]]))
    assert KINGS.words[found[0]] == "queen"


def test_analogies_are_counted_by_section_and_overall():
    asked = [
        ("family", ("man", "woman", "king", "queen")),
        ("family", ("man", "woman", "king", "apple")),
        ("family", ("man", "woman", "king", "unknown")),
        ("fruit", ("pear", "pears", "apple", "apples")),
    ]
    told = {row["what"]: row for row in analogy_rows(KINGS, asked)}
    assert {what: (row["value"], row["n"]) for what, row in told.items()} == {
        "family": (0.5, 2), "fruit": (None, 0), "overall": (0.5, 2),
    }  # fmt: skip
    assert told["fruit"]["reason"] == "no question has all four words in the embedding"


def test_no_questions_give_no_rows():
    assert analogy_rows(KINGS, []) == []


def test_answers_do_not_depend_on_how_many_are_asked_at_once(monkeypatch):
    from tiltmeter.studies.embeddings import mitigation_metrics as analogies

    rng = np.random.default_rng(4)
    rows, asked = unit(rng.standard_normal((50, 8))), rng.integers(0, 50, (33, 3))
    whole = answers(rows, asked)
    monkeypatch.setattr(analogies, "CELLS", 100)
    np.testing.assert_array_equal(answers(rows, asked), whole)


def test_questions_that_share_their_pairs_are_worth_fewer():
    # 20 pairs, each with all others: 380 questions. A question is right if its second pair is good,
    # so there is as much to know as there are pairs.
    pairs = np.arange(40).reshape(20, 2)
    order = [(i, j) for i in range(20) for j in range(20) if i != j]
    asked = np.array([[*pairs[i], *pairs[j]] for i, j in order])
    good = np.array([j % 2 == 0 for _, j in order])
    assert worth(asked, good) == pytest.approx(20, rel=0.15)
    assert worth(asked, np.ones(380, bool)) == 20


def test_independent_questions_are_worth_their_number():
    asked = np.arange(400).reshape(100, 4)
    assert worth(asked, np.arange(100) % 2 == 0) == pytest.approx(100, rel=0.05)


def test_neighbours_that_stay_are_counted():
    before = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20]])
    after = np.array([[10, 9, 8, 7, 6, 5, 4, 3, 2, 1], [11, 12, 13, 14, 15, 0, 1, 2, 3, 4]])
    # all ten of the first word in another order, five of ten of the second
    assert neighbours(before, after)["value"] == 0.75
    assert neighbours(before, before)["value"] == 1.0


def test_neighbours_are_by_angle_and_never_the_word_itself():
    found = nearest(wheel(40), np.array([0, 20]))
    assert set(found[0]) == set(range(1, 11))
    assert set(found[1]) == {*range(15, 20), *range(21, 26)}


def test_a_handful_of_words_has_too_few_neighbours():
    near = nearest(wheel(5), np.array([0, 1]))
    assert neighbours(near, near)["value"] is None
    assert "expected at least 11" in neighbours(near, near)["reason"]
