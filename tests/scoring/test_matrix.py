"""Scores as a matrix, by whichever path."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring.matrix import _join_by_id, _reshape_tiles, score_matrix
from tiny import scores_of, tiny

SENTENCES = tiny()
N = SENTENCES.height


def test_rows_are_submissions_and_columns_sentences():
    values = np.arange(2 * N).reshape(2, N) / 100
    found = score_matrix(scores_of(SENTENCES, values, systems=["b", "a"]), SENTENCES)
    assert found.submissions["system"].to_list() == ["b", "a"]
    assert np.array_equal(found.values, values)
    assert found.submissions["unit"].to_list() == ["scale", "scale"]
    assert found.submissions["width"].to_list() == [1.0, 1.0]


def test_a_system_with_two_tasks_is_two_submissions():
    scores = scores_of(SENTENCES, np.zeros((2, N)), systems=["a", "a"], tasks=["joy", "anger"])
    assert score_matrix(scores, SENTENCES).submissions.select("system", "task").rows() == [
        ("a", "joy"), ("a", "anger"),
    ]  # fmt: skip


def test_shuffled_rows_find_their_sentences():
    values = np.random.default_rng(0).random((3, N))
    scores = scores_of(SENTENCES, values)
    shuffled = scores.sample(fraction=1.0, shuffle=True, seed=1)
    assert _reshape_tiles(shuffled, SENTENCES) is None
    found = score_matrix(shuffled, SENTENCES)
    order = [f"s{number}" for number in range(3)]
    rows = [found.submissions["system"].to_list().index(name) for name in order]
    assert np.array_equal(found.values[rows], values)


def test_repeats_are_averaged_over_those_with_an_answer():
    first, second = np.full(N, 0.2), np.full(N, 0.4)
    second[0] = np.nan
    scores = pl.concat([
        scores_of(SENTENCES, first), scores_of(SENTENCES, second, repeat=1),
    ])  # fmt: skip
    found = score_matrix(scores, SENTENCES)
    assert found.values[0] == pytest.approx([0.2] + [0.3] * (N - 1))
    assert found.submissions["n_missing"].to_list() == [0]


def test_a_missing_score_and_a_missing_row_are_the_same():
    values = np.full((1, N), 0.5)
    values[0, 3] = np.nan
    with_null = scores_of(SENTENCES, values)
    without_row = with_null.filter(pl.col("score").is_not_null())
    for scores in (with_null, without_row):
        found = score_matrix(scores, SENTENCES)
        assert np.isnan(found.values[0]).tolist() == [place == 3 for place in range(N)]
        assert found.submissions["n_missing"].to_list() == [1]


@pytest.mark.parametrize("shuffle", [False, True])
def test_what_is_not_a_number_counts_as_missing(shuffle):
    scores = scores_of(SENTENCES, np.full((1, N), 0.5)).with_columns(
        score=pl.Series([np.nan, np.inf, -np.inf] + [0.5] * (N - 3))
    )
    scores = scores.reverse() if shuffle else scores
    found = score_matrix(scores, SENTENCES)
    assert np.isnan(found.values[0]).tolist() == [True] * 3 + [False] * (N - 3)
    assert found.submissions["n_missing"].to_list() == [3]


def test_without_a_scale_the_own_units_stand_and_the_width_is_their_range():
    values = np.full((1, N), 3.0)
    values[0, :2] = -1.0, 7.0
    found = score_matrix(scores_of(SENTENCES, values, raw=True), SENTENCES).submissions
    assert found["unit"].to_list() == ["native"]
    assert found["width"].to_list() == [8.0]  # 7 − (−1)
    # mean 3 + (−4 + 4)/18 = 3; squares 16 + 16; 32 / 17
    assert found["sd"].to_list() == pytest.approx([(32 / 17) ** 0.5])


def test_the_same_answer_everywhere_has_a_width_that_rounding_cannot_reach():
    found = score_matrix(scores_of(SENTENCES, np.full((1, N), -3.7), raw=True), SENTENCES)
    assert found.submissions["width"].to_list() == pytest.approx([3.7e-6])


def test_a_system_without_any_score_keeps_its_row():
    values = np.full((2, N), np.nan)
    values[1] = 0.5
    found = score_matrix(scores_of(SENTENCES, values), SENTENCES).submissions
    assert found["n_missing"].to_list() == [N, 0]
    assert found["width"].to_list() == [0.0, 1.0]


def test_scores_of_another_corpus_are_left_aside():
    # both corpora have the same IDs
    scores = pl.concat([
        scores_of(tiny("other"), np.full((1, N), 0.9)), scores_of(SENTENCES, np.full((1, N), 0.1)),
    ])  # fmt: skip
    assert score_matrix(scores, SENTENCES).values.max() == 0.1


def test_scores_of_other_corpora_alone_are_refused():
    with pytest.raises(TiltmeterError, match="no score of the corpus 'tiny'; found scores of x"):
        score_matrix(scores_of(tiny("x"), np.zeros((1, N))), SENTENCES)


def test_sentences_of_several_corpora_are_refused():
    both = pl.concat([SENTENCES, tiny("other")])
    with pytest.raises(TiltmeterError, match=r"tiny \(corrected\), other \(corrected\)"):
        score_matrix(scores_of(SENTENCES, np.zeros((1, N))), both)


def test_no_scores_at_all_give_an_empty_matrix():
    found = score_matrix(scores_of(SENTENCES, np.zeros((1, N))).head(0), SENTENCES)
    assert found.values.shape == (0, N)
    assert found.submissions.columns == ["system", "task", "unit", "width", "sd", "n_missing"]


@given(
    st.integers(1, 4), st.integers(0, 2**32 - 1), st.floats(0, 1), st.sampled_from([False, True])
)
def test_the_quick_path_and_the_join_agree(systems, seed, gaps, raw):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((systems, N)) < gaps, np.nan, rng.random((systems, N)))
    scores = scores_of(SENTENCES, values, raw=raw)
    quick, slow = _reshape_tiles(scores, SENTENCES), _join_by_id(scores, SENTENCES)
    assert_frame_equal(quick[0], slow[0])
    for column in ("score", "raw"):
        assert np.array_equal(quick[1](column), slow[1](column), equal_nan=True)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda scores: scores.head(scores.height - 1),
        lambda scores: scores.reverse(),
        lambda scores: pl.concat([scores, scores]),
        lambda scores: scores.with_columns(repeat=pl.lit(1, pl.Int64)),
        lambda scores: scores.with_columns(system=pl.Series([*"ab"] * N)),
        lambda scores: scores.with_columns(system=pl.Series([*"a" * (N - 1), *"b" * (N + 1)])),
        lambda scores: scores.with_columns(
            id=pl.concat([SENTENCES["id"], SENTENCES["id"].reverse()])
        ),
        lambda scores: scores.with_columns(id=scores["id"].gather([1, 0, *range(2, 2 * N)])),
    ],
    ids=[
        "short",
        "reversed",
        "twice",
        "repeat",
        "mixed",
        "a row of another",
        "one block reversed",
        "two swapped",
    ],
)
def test_the_quick_path_leaves_what_is_not_in_blocks_to_the_join(spoil):
    scores = scores_of(SENTENCES, np.random.default_rng(0).random((2, N)))
    assert _reshape_tiles(scores, SENTENCES) is not None
    assert _reshape_tiles(spoil(scores), SENTENCES) is None
