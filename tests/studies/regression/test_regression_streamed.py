"""The streamed regression: blocks of any cut, in any order of merging, tell what memory would."""

import pickle
from functools import reduce
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossed_names import THREE_GROUPS, TWO, crossed_names, drawn
from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring.matrix import score_matrix
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import RegressionSums, regression_study
from tiny import scores_of

TABLES = ("estimates", "fits", "groups", "people")


def summed(matrix, sentences, cuts, axes=TWO, subset=None, **model):
    """The first pass over blocks cut at these places."""
    sums = RegressionSums(matrix.submissions, axes, Model(**model), subset=subset)
    for begin, end in pieces(cuts, sentences.height):
        sums.add(sentences[begin:end], matrix.values[:, begin:end])
    return sums


def pieces(cuts, size):
    ends = [0, *sorted(cuts), size]
    return list(pairwise(ends))


def streamed(matrix, sentences, cuts, **how):
    """The study of blocks, with a second pass where one is needed."""
    sums = summed(matrix, sentences, cuts, **how)
    if not sums.needs_second_pass:
        return sums.study()
    again = sums.second_pass()
    for begin, end in pieces(cuts, sentences.height):
        again.add(sentences[begin:end], matrix.values[:, begin:end])
    return again.study()


def in_memory(sentences, scores, axes=TWO, subset=None, **model):
    return regression_study(sentences, scores, axes, Model(**model), subset=subset)


def assert_same(found, expected):
    """Equal names, counts, reasons and order; numbers to 1e-9."""
    assert (found.formula, found.effects) == (expected.formula, expected.effects)
    for name in TABLES:
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert ours.schema == theirs.schema
        numbers = [column for column, kind in theirs.schema.items() if kind == pl.Float64]
        assert ours.drop(numbers).equals(theirs.drop(numbers))
        for column in numbers:
            mine, other = ours[column].to_numpy(), theirs[column].to_numpy()
            assert np.allclose(mine, other, rtol=1e-9, atol=1e-11, equal_nan=True), (name, column)


@pytest.fixture(scope="module")
def eec():
    """English names; systems of emotions, of valence, with gaps, with scores of 0 and 1."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    rng = np.random.default_rng(1)
    values = rng.uniform(0.1, 0.9, (6, sentences.height))
    values[1, rng.random(sentences.height) < 0.1] = np.nan
    values[2] = np.clip(rng.normal(0.5, 0.4, sentences.height), 0, 1)
    values[3] = rng.uniform(-0.2, 1.1, sentences.height)
    values[4] = 0.5
    values[5] = np.nan
    tasks = ["joy", "valence", "joy", "valence", "anger", "anger"]
    scores = scores_of(sentences, values, tasks=tasks)
    axes = {axis.name: axis.groups for axis in corpus.axes}
    return sentences, scores, axes


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"errors": "naive"},
        {"precision": "gender"},
        {"no_reference": True},
        {"formula": "gender"},
        {"formula": "gender * race + template"},
        {"formula": "gender + race + emotion_word"},
        *({"subset": name} for name in ("emotion", "neutral", "own-emotion", "emotion:joy")),
        *({"subset": name} for name in ("template:3", "template:none")),
    ],
    ids=str,
)
def test_blocks_tell_what_the_whole_does(eec, how):
    sentences, scores, axes = eec
    matrix = score_matrix(scores, sentences)
    found = streamed(matrix, sentences, [1000, 1001, 5000, 8000], axes=axes, **how)
    assert_same(found, in_memory(sentences, scores, axes, **how))


def test_the_published_mode_is_said_in_every_row(eec):
    sentences, scores, axes = eec
    matrix = score_matrix(scores, sentences)
    sums = RegressionSums(matrix.submissions, axes, Model(errors="naive"), mode="published")
    sums.add(sentences, matrix.values)
    again = sums.second_pass()
    again.add(sentences, matrix.values)
    expected = regression_study(sentences, scores, axes, Model(errors="naive"), mode="published")
    assert_same(again.study(), expected)


def test_scores_without_a_known_scale_need_no_second_pass(eec):
    sentences, _, axes = eec
    values = np.random.default_rng(2).integers(0, 5, (2, sentences.height)).astype(float)
    scores = scores_of(sentences, values, raw=True)
    matrix = score_matrix(scores, sentences)
    assert not summed(matrix, sentences, [], axes=axes).needs_second_pass
    found = streamed(matrix, sentences, [4000], axes=axes)
    assert_same(found, in_memory(sentences, scores, axes))


def test_a_sample_is_fitted_on_the_emotions_of_the_whole_corpus(eec):
    whole, _, axes = eec
    sentences = whole.filter(emotion="anger").head(500)
    values = np.random.default_rng(3).uniform(0.2, 0.8, (3, sentences.height))
    scores = scores_of(sentences, values, tasks=["joy", "valence", "anger"])
    matrix = score_matrix(scores, sentences)
    emotions = whole["emotion"].unique()
    sums = RegressionSums(matrix.submissions, axes, emotions=emotions)
    sums.add(sentences, matrix.values)
    expected = regression_study(sentences, scores, axes, whole=whole)
    assert expected.fits["n"].to_list()[:2] == [0, 0]
    assert_same(sums.study(), expected)


@pytest.mark.parametrize("emotions", [[None], ["joy"], ["joy", None], [None, "fear"], []])
def test_what_a_task_is_fitted_on_may_show_in_the_last_block(emotions):
    # The first sentences have another emotion, or none: only the last block says which are wanted.
    parts = [crossed_names(TWO, 3, 2, 2, emotion=one).with_columns(at=pl.lit(at))
             for at, one in enumerate(["anger", *emotions])]  # fmt: skip
    sentences = (
        pl.concat(parts).with_columns(id=pl.concat_str("id", "at", separator="/")).drop("at")
    )
    values = drawn(crossed_names(TWO, 3, 2, 2 * len(parts)), TWO, np.random.default_rng(4), many=2)
    scores = scores_of(sentences, values, tasks=["joy", "valence"])
    matrix = score_matrix(scores, sentences)
    step = parts[0].height
    found = streamed(matrix, sentences, range(step, sentences.height, step))
    assert_same(found, in_memory(sentences, scores))


# Any design, any cut, any order.


@st.composite
def studies(draw):
    """Scores of a random design, with gaps, scores at and beyond the ends, and cuts."""
    axes = draw(st.sampled_from([TWO, THREE_GROUPS]))
    groups = int(np.prod([len(names) for names in axes.values()]))
    names = draw(st.lists(st.integers(1, 4), min_size=groups, max_size=groups))
    sentences = crossed_names(axes, names, draw(st.integers(1, 3)), draw(st.integers(1, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    emotions = draw(st.sampled_from([["joy"], ["joy", None], [None], ["joy", "fear", None]]))
    sentences = sentences.with_columns(
        emotion=pl.Series(
            [emotions[at] for at in rng.integers(0, len(emotions), sentences.height)],
            dtype=pl.String,
        )
    ).sample(fraction=1, shuffle=draw(st.booleans()), seed=7)
    values = drawn(sentences, axes, rng, many=3)
    values[rng.random(values.shape) < draw(st.sampled_from([0, 0.2, 0.9]))] = np.nan
    ends = draw(st.sampled_from([0, 0.02, 0.5]))
    values[1:][rng.random(values[1:].shape) < ends] = draw(st.sampled_from([0.0, 1.0, 1.5]))
    tasks = draw(st.lists(st.sampled_from(["joy", "valence", "fear"]), min_size=3, max_size=3))
    cuts = draw(st.lists(st.integers(0, sentences.height), max_size=5))
    return sentences, scores_of(sentences, values, tasks=tasks), axes, cuts


MODELS = [{}, {"precision": "gender"}, {"formula": "gender + race + template"}]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(studies(), st.sampled_from(MODELS), st.sampled_from(["all", "neutral", "template:t1"]))
def test_any_cut_of_any_design_tells_what_memory_does(study, model, subset):
    sentences, scores, axes, cuts = study
    matrix = score_matrix(scores, sentences)
    found = streamed(matrix, sentences, cuts, axes=axes, subset=subset, **model)
    assert_same(found, in_memory(sentences, scores, axes, subset, **model))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(studies(), st.randoms(use_true_random=False))
def test_blocks_summed_apart_may_be_merged_in_any_order(study, chance):
    sentences, scores, axes, cuts = study
    matrix = score_matrix(scores, sentences)
    shards = pieces(cuts, sentences.height)
    chance.shuffle(shards)

    def apart(begin, end):
        sums = RegressionSums(matrix.submissions, axes)
        sums.add(sentences[begin:end], matrix.values[:, begin:end], begin)
        return pickle.loads(pickle.dumps(sums))

    def again(begin, end):
        sums = first.second_pass()
        sums.add(sentences[begin:end], matrix.values[:, begin:end])
        return sums

    first = reduce(lambda one, other: one.merge(other), [apart(*piece) for piece in shards])
    chance.shuffle(shards)
    second = reduce(lambda one, other: one.merge(other), [again(*piece) for piece in shards])
    assert_same(second.study(), in_memory(sentences, scores, axes))


# The second pass.


@pytest.fixture
def half():
    """One system well inside the scale, one with a score of 1, one of native units."""
    sentences = crossed_names(TWO, 3, 2, 2)
    values = drawn(sentences, TWO, np.random.default_rng(5), many=2)
    values[1, 7] = 1.0
    return sentences, score_matrix(scores_of(sentences, values, tasks=["joy"] * 2), sentences)


def test_only_submissions_with_a_score_of_0_or_1_need_a_second_pass(half):
    sentences, matrix = half
    sums = summed(matrix, sentences, [])
    assert sums.needs_second_pass
    again = sums.second_pass()
    assert again.rows.tolist() == [1]
    others = matrix.values.copy()
    others[0] = np.nan
    again.add(sentences, others)
    expected = streamed(matrix, sentences, [])
    assert again.study().estimates.equals(expected.estimates)


def test_squeezed_scores_are_squeezed_by_the_number_of_all(half):
    # 48 scores in two blocks: a 1 becomes (1 · 47 + 0.5) / 48, not (1 · 23 + 0.5) / 24. The sum of
    # log(1 − y) of its atom is then log(0.5 / 48) and that of its two other scores, alike moved.
    sentences, matrix = half
    assert sentences.height == 48
    sums = summed(matrix, sentences, [24])
    again = sums.second_pass()
    again.add(sentences[:24], matrix.values[:, :24])
    again.add(sentences[24:], matrix.values[:, 24:])
    person, template = sentences["person"][7], sentences["template"][7]
    own = (sentences["person"] == person) & (sentences["template"] == template)
    moved = (matrix.values[1, own.to_numpy()] * 47 + 0.5) / 48
    found = again._sums["joy"]
    at = found.keys.with_row_index().filter(person=person, template=template)["index"][0]
    assert found.reduction().sums.log_rest[0, at] == pytest.approx(
        np.log(1 - moved).sum(), rel=1e-12
    )


def test_the_study_says_that_a_second_pass_is_wanted(half):
    sentences, matrix = half
    with pytest.raises(TiltmeterError, match=r"some scores are 0 or 1.*second_pass"):
        summed(matrix, sentences, []).study()


@pytest.mark.parametrize("change", ["fewer", "other", "gap"])
def test_a_second_pass_over_other_scores_is_refused(half, change):
    sentences, matrix = half
    again = summed(matrix, sentences, []).second_pass()
    values = matrix.values.copy()
    if change == "gap":
        values[1, 0] = np.nan
    if change == "other":
        sentences = sentences.with_columns(template=pl.lit("elsewhere"))
    size = 3 if change == "fewer" else sentences.height
    again.add(sentences[:size], values[:, :size])
    with pytest.raises(TiltmeterError, match="found others than the first"):
        again.study()


# What is refused, and what does not grow.


def test_mixed_errors_are_refused_with_what_to_do(half):
    _, matrix = half
    with pytest.raises(TiltmeterError, match="take errors crossed, or draw a sample"):
        RegressionSums(matrix.submissions, TWO, Model(errors="mixed"))


def test_scores_of_another_shape_are_refused(half):
    sentences, matrix = half
    sums = summed(matrix, sentences, [])
    with pytest.raises(TiltmeterError, match=r"shape \(2, 47\); expected \(2, 48\)"):
        sums.add(sentences, matrix.values[:, 1:])


def test_blocks_of_another_corpus_are_refused(half):
    sentences, matrix = half
    sums = summed(matrix, sentences, [])
    other = sentences.with_columns(corpus=pl.lit("another"))
    for block in (other, pl.concat([sentences[:24], other[24:]])):
        with pytest.raises(TiltmeterError, match=r"of several corpora: crossed .*another"):
            sums.add(block, matrix.values)


def test_sums_of_two_regressions_are_not_merged(half):
    sentences, matrix = half
    other = summed(matrix, sentences, [], formula="gender + race")
    with pytest.raises(TiltmeterError, match="of two different regressions"):
        summed(matrix, sentences, []).merge(other)


def test_what_is_kept_does_not_grow_with_sentences(half):
    # 12 names in 2 templates: 24 atoms, however many sentences there are.
    sentences, matrix = half
    sums = summed(matrix, sentences, [])
    once = len(pickle.dumps(sums))
    for _ in range(50):
        sums.add(sentences, matrix.values)
    assert sums.of_task("joy")[1].keys.height == 24
    assert len(pickle.dumps(sums)) <= 1.05 * once


def test_no_block_at_all_says_why_there_is_no_fit(half):
    _, matrix = half
    study = RegressionSums(matrix.submissions, TWO).study()
    assert study.fits["n"].to_list() == [0, 0]
    assert set(study.fits["reason"]) == {
        "there is no sentence of the subset all about a person with a group on every axis"
    }
