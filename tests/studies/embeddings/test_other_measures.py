"""ECT, RND, RIPA and MAC: by hand in the plane, by plain loops, and where they are undefined."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

from made_up_words import word_test
from tiltmeter.studies.embeddings.space import Space
from tiltmeter.studies.embeddings.weat import (
    coherence,
    inner_product,
    mean_average_cosine,
    relative_norm_distance,
    weat_study,
)

MEASURES = (coherence, relative_norm_distance, inner_product, mean_average_cosine)


@pytest.fixture
def four():
    """First, second, good and bad vectors."""
    rng = np.random.default_rng(0)
    return [rng.normal(size=(size, 7)) for size in (4, 5, 3, 6)]


def rows(*vectors):
    return np.array(vectors, float)


def test_coherence_is_scipys_rank_correlation_with_the_means(four):
    first, second, good, bad = four
    one, other = (
        [1 - distance.cosine(side.mean(axis=0), word) for word in (*good, *bad)]
        for side in (first, second)
    )
    assert coherence(*four) == pytest.approx(stats.spearmanr(one, other).statistic)


def test_coherence_by_hand():
    # cosines with (1, 0) order (4, 3), (3, 4), (0, 1); those with (0, 1) the other way round
    right, up, attributes = rows([1, 0]), rows([0, 1]), (rows([4, 3], [3, 4]), rows([0, 1]))
    assert coherence(right, up, *attributes) == pytest.approx(-1)
    assert coherence(right, 2 * right, *attributes) == pytest.approx(1)


def test_relative_norm_distance_by_hand():
    # X is (1, 0), Y is (0, 1); from (0.6, 0.8) they are √(0.16 + 0.64) = √0.8 and √(0.36 + 0.04) =
    # √0.4 away, from (1, 0) 0 and √2: (√0.8 − √0.4) − (0 − √2)
    found = relative_norm_distance(rows([5, 0]), rows([0, 2]), rows([3, 4]), rows([1, 0]))
    assert found == pytest.approx(math.sqrt(0.8) - math.sqrt(0.4) + math.sqrt(2))


def test_relative_norm_distance_one_number_at_a_time(four):
    units = [[row / math.sqrt(sum(v * v for v in row)) for row in side] for side in four]
    one, other = (sum(side) / len(side) for side in units[:2])
    good, bad = (
        sum(math.dist(word, one) - math.dist(word, other) for word in side) / len(side)
        for side in units[2:]
    )
    assert relative_norm_distance(*four) == pytest.approx(good - bad)


def test_inner_products_by_hand():
    # x − y is (3, −4) or, with the second y, (0, 1) after scaling: b is (0.6, −0.8) and (0, 1).
    # ⟨good, b⟩: (2, 1) has 0.4 and 1, mean 0.7; bad (0, 5) has −4 and 5, mean 0.5
    found = inner_product(rows([3, 0]), rows([0, 4], [3, -7]), rows([2, 1]), rows([0, 5]))
    assert found == pytest.approx(0.7 - 0.5)


def test_inner_products_one_pair_at_a_time(four):
    first, second, good, bad = four

    def mean(words):
        pairs = [(x - y) / math.dist(x, y) for x in first for y in second]
        return sum(word @ pair for word in words for pair in pairs) / len(words) / len(pairs)

    assert inner_product(*four) == pytest.approx(mean(good) - mean(bad))


def test_mean_average_cosines_one_at_a_time(four):
    first, second, good, bad = four
    sets = [
        np.mean([distance.cosine(target, word) for word in side])
        for target in (*first, *second)
        for side in (good, bad)
    ]
    assert mean_average_cosine(*four) == pytest.approx(np.mean(sets))


def test_mean_average_cosine_weighs_good_and_bad_alike_by_hand():
    # with (1, 0): good has cosine 1, distance 0; bad has 0 twice, distance 1: (0 + 1) / 2
    side = rows([1, 0])
    assert mean_average_cosine(side, side, side, rows([0, 1], [0, 9])) == 0.5


def test_directions_turn_with_the_targets(four):
    first, second, good, bad = four
    for measure, sign in zip(MEASURES, (1, -1, -1, 1), strict=True):
        turned = measure(second, first, good, bad)
        assert turned == pytest.approx(sign * measure(*four)), measure


def test_only_inner_products_depend_on_lengths(four):
    longer = [3 * side for side in four]
    for measure, times in zip(MEASURES, (1, 1, 3, 1), strict=True):
        assert measure(*longer) == pytest.approx(times * measure(*four)), measure


def told(vectors):
    words = tuple(vectors)
    sides = (words[:2], words[2:4], words[4:6], words[6:8])
    test = word_test("toy", "A toy", "X", sides[0], "Y", sides[1], "A", sides[2], "B", sides[3])
    space = Space("plane", words, np.array([*vectors.values()], float))
    return weat_study(space, [test], resamples=0).others


def test_a_row_for_each_measure(four):
    found = told(dict(zip("abcdefgh", np.concatenate(four)[:8], strict=True)))
    assert found["measure"].to_list() == ["ect", "rnd", "ripa", "mac"]
    assert found["reason"].null_count() == 4
    assert found["embedding"].unique().to_list() == ["plane"]


def test_what_is_undefined_says_why(four):
    vectors = dict(zip("abcdefgh", np.concatenate(four)[:8], strict=True))
    vectors["b"] = -vectors["a"]  # their mean has no direction
    vectors["c"] = vectors["a"]  # a first and a second target are one
    reasons = dict(told(vectors).select("measure", "reason").iter_rows())
    assert reasons == {
        "ect": "the mean of a set of targets is close to no attribute word, or to all alike",
        "rnd": None,
        "ripa": "a first and a second target word have the same vector",
        "mac": None,
    }
