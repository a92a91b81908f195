"""The direction of an identity: from pairs, from lists, or why there is none."""

import numpy as np
import pytest
from planted_words import GENDER, planted

from made_up_words import direction
from tiltmeter.studies.embeddings.space import Space, direction_of, leaning, not_to_lean


def words_of(pairs=(), first=(), second=(), neutral=()):
    return direction("d", "D", "one", "other", tuple(pairs), first, second, neutral)


THREE = (("a", "b"), ("c", "d"), ("e", "f"))
# of length 1; differences halved: (0.6, 0), (0.8, 0), (0, 0.6)
TOY = Space(
    "toy",
    ("a", "b", "c", "d", "e", "f"),
    np.array([[0.6, 0.8], [-0.6, 0.8], [0.8, 0.6], [-0.8, 0.6], [0.8, 0.6], [0.8, -0.6]]),
)


def test_the_share_of_variance_is_that_of_the_first_component():
    # The halves are orthogonal: (0.6² + 0.8²) along x, 0.6² along y; 1 / 1.36
    found = direction_of(TOY, words_of(THREE))
    np.testing.assert_allclose(found.vector, [1.0, 0.0], atol=1e-12)
    assert found.share == pytest.approx(1 / 1.36)
    assert (found.n, found.made_from, found.missing) == (3, "pairs", ())


def test_it_points_to_the_first_side():
    turned = words_of((pair[1], pair[0]) for pair in THREE)
    np.testing.assert_allclose(direction_of(TOY, turned).vector, [-1.0, 0.0], atol=1e-12)


def test_long_vectors_count_no_more_than_short_ones():
    longer = TOY.moved(TOY.vectors * np.array([[1], [1], [1], [1], [100], [100]]))
    np.testing.assert_allclose(direction_of(longer, words_of(THREE)).vector, [1, 0], atol=1e-12)


def test_it_is_the_principal_component_of_pairs_about_their_means():
    space = planted()
    found = direction_of(space, GENDER)
    rows = space.vectors / np.linalg.norm(space.vectors, axis=1, keepdims=True)
    places = [[space.places[w] for w in pair] for pair in GENDER.pairs]
    about = np.vstack([rows[place] - rows[place].mean(axis=0) for place in places])
    sizes, axes = np.linalg.eigh(about.T @ about)
    assert abs(axes[:, -1] @ found.vector) == pytest.approx(1.0)
    assert found.share == pytest.approx(sizes[-1] / sizes.sum())


def test_pairs_that_are_not_there_are_listed_and_two_are_too_few():
    found = direction_of(TOY, words_of((*THREE[:2], ("a", "zz"), ("x", "y"))))
    assert found.vector is None
    assert found.missing == ("a/zz", "x/y")
    assert found.reason == "2 of 4 definitional pairs are in the embedding; expected at least 3"


def test_pairs_of_the_same_vector_have_no_direction():
    same = Space("s", TOY.words, np.ones((6, 2)))
    found = direction_of(same, words_of(THREE))
    assert found.vector is None
    assert "same vector" in found.reason


def test_without_pairs_it_is_the_difference_of_means():
    first, second = tuple("abcde"), tuple("fghij")
    rows = np.repeat([[3.0, 4.0], [0.0, 1.0]], 5, axis=0)
    found = direction_of(Space("s", first + second, rows), words_of((), first, second))
    # (0.6, 0.8) − (0, 1) = (0.6, −0.2), of length √0.4
    np.testing.assert_allclose(found.vector, np.array([0.6, -0.2]) / np.sqrt(0.4))
    assert (found.made_from, found.n, found.share) == ("lists", 10, None)


def test_four_words_of_a_side_are_too_few():
    found = direction_of(TOY, words_of((), tuple("abcdz"), tuple("efabc")))
    assert found.reason.startswith("4 and 5 words of the two sides are in the embedding; expected")
    assert found.missing == ("z",)


def test_leaning_is_a_cosine():
    np.testing.assert_allclose(leaning(TOY, ["b", "c"], np.array([1.0, 0.0])), [-0.6, 0.8])


def test_words_that_define_the_sides_may_lean():
    words = words_of(THREE[:1], ("c",), (), neutral=("a", "e"))
    assert not_to_lean(TOY, words) == ("d", "e", "f")
    assert not_to_lean(TOY, words, ("f", "e", "q")) == ("e", "f")
