"""WEAT: by hand in the plane, by plain loops, at its level, and what words it refuses."""

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_words import word_test
from tiltmeter.errors import TiltmeterError
from tiltmeter.stats.association import cosines, effect_draws, effect_size, unit_rows
from tiltmeter.studies.embeddings.space import Space
from tiltmeter.studies.embeddings.weat import SIDES, weat_study

SETS = ("x1 x2", "y1 y2", "a1 a2", "b1 b2")
PLANE = {
    "x1": (1, 0), "x2": (4, 3), "y1": (0, 1), "y2": (3, 4),
    "a1": (1, 0), "a2": (2, 0), "b1": (0, 1), "b2": (0, 3),
}  # fmt: skip


def sets(*words, name="toy"):
    first, second, good, bad = (tuple(each.split()) for each in words)
    return word_test(name, "A toy", "X", first, "Y", second, "A", good, "B", bad, published=1.5)


def space(vectors):
    return Space("plane", tuple(vectors), np.array([*vectors.values()], float))


def row_of(vectors, test, **how):
    return weat_study(space(vectors), [test], **({"resamples": 0} | how)).weat.row(0, named=True)


def random_space(rng, sizes=(5, 5, 4, 6), dimension=6):
    """Words w0, w1 … with random vectors, and a test on them."""
    ends = np.cumsum([0, *sizes])
    words = [f"w{place}" for place in range(ends[-1])]
    test = sets(*(" ".join(words[i:j]) for i, j in pairwise(ends)))
    return dict(zip(words, rng.normal(size=(ends[-1], dimension)), strict=True)), test


def looped(vectors, test):
    """d and the exact p, one number at a time."""

    def cosine(u, v):
        dot = sum(a * b for a, b in zip(vectors[u], vectors[v], strict=True))
        return dot / math.sqrt(sum(a * a for a in vectors[u]) * sum(b * b for b in vectors[v]))

    def closer(word):
        toward = sum(cosine(word, a) for a in test.good) / len(test.good)
        return toward - sum(cosine(word, b) for b in test.bad) / len(test.bad)

    s = {word: closer(word) for word in test.first + test.second}

    def apart(chosen):
        rest = [word for word in s if word not in chosen]
        return sum(s[w] for w in chosen) / len(chosen) - sum(s[w] for w in rest) / len(rest)

    middle = sum(s.values()) / len(s)
    spread = math.sqrt(sum((each - middle) ** 2 for each in s.values()) / (len(s) - 1))
    seen = apart(test.first)
    chance = [abs(apart(chosen)) >= abs(seen) - 1e-9 for chosen in combinations(s, len(test.first))]
    return seen / spread, sum(chance) / len(chance)


def test_four_words_in_the_plane_by_hand():
    # cos(x1, a) = 1 and cos(x1, b) = 0; (4, 3) has 4/5 and 3/5. s: 1, 0.2 | −1, −0.2
    study = weat_study(space(PLANE), [sets(*SETS)])
    words = study.associations
    assert words["word"].to_list() == ["x1", "x2", "y1", "y2"]
    assert words["side"].to_list() == ["first", "first", "second", "second"]
    np.testing.assert_allclose(words["association"], [1, 0.2, -1, -0.2], atol=1e-15)
    # d = (0.6 − −0.6) / √((1 + 0.04 + 1 + 0.04) / 3) = 1.2 / 0.832666
    row = study.weat.row(0, named=True)
    assert row["effect"] == pytest.approx(1.441153, abs=1e-6)
    # sums of two of the four: ±1.2, ±0.8, 0, 0; 2 of 6 are as far from 0 as 1.2
    assert (row["p"], row["exact"], row["permutations"]) == (pytest.approx(2 / 6), True, 6)


def test_a_row_says_what_was_compared():
    row = row_of(PLANE, sets(*SETS))
    assert (row["embedding"], row["test"], row["title"]) == ("plane", "toy", "A toy")
    assert row["kind"] == "weat"
    assert [row[side] for side in SIDES] == ["X", "Y", "A", "B"]
    assert [row[f"n_{side}"] for side in SIDES] == [2, 2, 2, 2]
    assert (row["missing"], row["published"], row["reason"]) == (0, 1.5, None)


def test_plain_loops_over_every_division_give_the_same():
    rng = np.random.default_rng(0)
    for sizes in ((5, 5, 4, 6), (3, 6, 2, 2), (6, 2, 5, 3)):
        vectors, test = random_space(rng, sizes)
        row = row_of(vectors, test)
        effect, p = looped(vectors, test)
        assert (row["effect"], row["p"]) == pytest.approx((effect, p), abs=1e-12)


@pytest.mark.slow
def test_random_vectors_give_false_alarms_at_the_promised_rate():
    rng = np.random.default_rng(1)
    p = [row_of(*random_space(rng, (5, 5, 5, 5)))["p"] for _ in range(400)]
    # 252 divisions, in pairs: 0.05 is reached by 12 of them, 0.048; 400 tries are within 3 errors
    assert abs(np.mean(np.array(p) <= 0.05) - 0.048) < 3 * np.sqrt(0.048 * 0.952 / 400)


def test_a_planted_association_is_found_and_points_the_right_way():
    rng = np.random.default_rng(2)
    vectors, test = random_space(rng, (12, 12, 8, 8), 50)
    toward = np.zeros(50)
    toward[0] = 3.0
    planted = {"first": toward, "good": toward, "second": -toward, "bad": -toward}
    for side, move in planted.items():
        for word in getattr(test, side):
            vectors[word] = vectors[word] + move
    row = row_of(vectors, test, resamples=500)
    assert row["p"] < 0.001
    assert 1.5 < row["effect"] <= 2 * math.sqrt(23 / 24)
    assert 1.0 < row["low"] < row["effect"] < row["high"]
    back = row_of(vectors, replace(test, good=test.bad, bad=test.good))
    assert back["effect"] == pytest.approx(-row["effect"])


@given(st.integers(0, 10_000))
def test_rotation_scaling_and_the_order_of_words_change_nothing(seed):
    rng = np.random.default_rng(seed)
    vectors, test = random_space(rng, (4, 5, 3, 3))
    seen = row_of(vectors, test, resamples=50)
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    turned = {word: vector @ rotation for word, vector in vectors.items()}
    scaled = {word: vector * rng.uniform(1e-3, 1e3) for word, vector in vectors.items()}
    mixed = replace(test, **{side: tuple(rng.permutation(getattr(test, side))) for side in SIDES})
    for other in ((turned, test), (scaled, test), (vectors, mixed)):
        found = row_of(*other, resamples=50)
        for number in ("effect", "low", "high", "p"):
            assert found[number] == pytest.approx(seen[number], abs=1e-9)


@given(st.integers(0, 10_000))
def test_swapping_the_targets_turns_the_effect_and_keeps_p(seed):
    vectors, test = random_space(np.random.default_rng(seed), (4, 6, 3, 3))
    seen = row_of(vectors, test)
    turned = row_of(vectors, replace(test, first=test.second, second=test.first))
    assert turned["effect"] == pytest.approx(-seen["effect"], abs=1e-12)
    assert turned["p"] == seen["p"]


def test_drawn_divisions_and_resamples_do_not_depend_on_other_tests():
    rng = np.random.default_rng(3)
    vectors, test = random_space(rng, (12, 12, 5, 5))
    other = replace(test, name="another", first=test.first[:11])
    alone, beside = (weat_study(space(vectors), tests) for tests in ([test], [other, test]))
    assert not alone.weat["exact"][0]
    assert alone.weat.row(0) == beside.weat.row(1)
    again = weat_study(space(vectors), [replace(test, name="renamed")]).weat.row(0, named=True)
    assert again["effect"] == alone.weat["effect"][0]
    assert (again["p"], again["low"]) != (alone.weat["p"][0], alone.weat["low"][0])


def test_resampled_effects_by_hand():
    # drawn: x1 twice, y2 twice, a1 twice, b2 twice. s: 1, 1 | −0.2, −0.2
    # d = 1.2 / √((0.6² · 4) / 3) = 1.2 / 0.692820
    similar = tuple(
        cosines(np.array([PLANE[w] for w in ("x1", "x2", "y1", "y2")], float),
                np.array([PLANE[w] for w in pair], float))
        for pair in (("a1", "a2"), ("b1", "b2"))
    )  # fmt: skip
    counts = [np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [2.0, 1.0]])]
    counts += [np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0], [2.0, 1.0]])]
    # the second resample draws every word once, and so gives d itself
    np.testing.assert_allclose(effect_draws(similar, (2, 2), counts), [1.732051, 1.441153], 1e-6)


def test_an_interval_needs_resamples():
    row = row_of(PLANE, sets(*SETS), resamples=0)
    assert (row["low"], row["high"]) == (None, None)
    assert row["effect"] is not None


def test_a_missing_word_is_named_and_the_rest_computed():
    vectors = PLANE | {"x3": (2, 1)}
    row = row_of(vectors, sets("x1 x2 x3", "y1 y2 lost", *SETS[2:]), coverage=0.6)
    assert (row["n_second"], row["missing"], row["missing_words"]) == (2, 1, ["lost"])
    whole = row_of(vectors, sets("x1 x2 x3", *SETS[1:]))
    assert (row["effect"], row["p"]) == (whole["effect"], whole["p"])


def test_too_many_missing_words_void_a_test_and_say_so():
    study = weat_study(space(PLANE), [sets("x1 x2 u v", "y1 y2 w", *SETS[2:])])
    row = study.weat.row(0, named=True)
    assert row["reason"] == (
        "2 of 4 words of 'X' are in the embedding (at least 70 % are needed); "
        "2 of 3 words of 'Y' are in the embedding (at least 70 % are needed)"
    )
    numbers = ("effect", "low", "high", "p", "exact", "permutations")
    assert [row[number] for number in numbers] == [None] * 6
    assert row["missing_words"] == ["u", "v", "w"]
    assert study.associations.is_empty()
    assert study.others["value"].null_count() == study.others.height == 4
    assert set(study.others["reason"]) == {row["reason"]}


def test_the_floor_itself_is_enough():
    # 11 of 20 is 0.55, and 0.55 · 20 is 11.000000000000002 to a computer
    vectors = PLANE | {f"z{n}": (n, 1) for n in range(9)}
    names = " ".join(["x1 x2", *(f"z{n}" for n in range(18))])
    assert row_of(vectors, sets(names, *SETS[1:]), coverage=0.55)["effect"] is not None


@pytest.mark.parametrize("place", range(4))
def test_one_word_is_no_set(place):
    words = [each.split()[0] if n == place else each for n, each in enumerate(SETS)]
    reason = row_of(PLANE, sets(*words))["reason"]
    assert reason == f"1 of 1 words of {'XYAB'[place]!r} are in the embedding (a set needs 2)"


@pytest.mark.parametrize("vector", [(0, 0), (np.nan, 1), (np.inf, 1)])
def test_a_vector_without_a_direction_counts_as_missing(vector):
    row = row_of(PLANE | {"x3": vector}, sets("x1 x2 x3", *SETS[1:]), coverage=0.6)
    assert row["missing_words"] == ["x3"]
    assert row["effect"] == pytest.approx(1.441153, abs=1e-6)


def test_targets_that_do_not_differ_have_no_effect_size():
    alike = dict.fromkeys(("x1", "x2", "y1", "y2"), (1, 1))
    row = row_of(PLANE | alike, sets(*SETS))
    assert row["reason"] == "all target words are equally close to both sets of attributes"
    assert (row["effect"], row["p"]) == (None, None)


def test_a_word_that_stands_twice_is_an_error():
    with pytest.raises(TiltmeterError, match="'x1' in X; expected each word once"):
        row_of(PLANE, sets("x1 x1", *SETS[1:]))
    with pytest.raises(TiltmeterError, match="'y1' in X and Y"):
        row_of(PLANE, sets("x1 y1", *SETS[1:]))
    with pytest.raises(TiltmeterError, match="'b1' in Y and B"):
        row_of(PLANE, sets(SETS[0], "y1 b1", *SETS[2:]))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"coverage": 1.2}, "coverage is 1.2; expected a share from 0 to 1"),
        ({"mode": "new"}, "mode is 'new'; expected corrected or published"),
        ({"permutations": 0}, "permutations is 0; expected a whole number of at least 1"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
    ],
)
def test_a_test_that_cannot_be_made_says_why(how, said):
    with pytest.raises(TiltmeterError, match=said):
        row_of(PLANE, sets(*SETS), **how)


def test_no_tests_give_empty_frames_with_their_columns():
    study = weat_study(space(PLANE), [])
    for frame, column in ((study.weat, "effect"), (study.associations, "association"),
                          (study.others, "value")):  # fmt: skip
        assert frame.is_empty()
        assert frame.schema[column] == pl.Float64
        assert frame.columns[0] == "embedding"


def test_tiny_and_huge_vectors_have_a_direction():
    rows = unit_rows(np.array([[3e-200, 4e-200], [3e200, 4e200]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.6, 0.8]])


def test_the_largest_effect_is_bounded():
    # all of X at 1 and all of Y at −1, n = 6: 2 / √(6/5) = 2√(5/6)
    found = effect_size(np.ones(3), -np.ones(3))
    assert found == pytest.approx(2 * math.sqrt(5 / 6))
