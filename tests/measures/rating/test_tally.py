"""Sentences counted: what is at hand exactly as listed, what is drawn of the same distribution."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_groups import CONFOUNDED, PLAIN, assigned, crossed, study, universe

from tiltmeter.errors import TiltmeterError
from tiltmeter.measures import RatingDataset, RatingGroup, RatingTally, rating_manner, rating_study
from tiltmeter.measures.rating.columns import columns_of
from tiltmeter.measures.rating.raw_scores import raw_scores
from tiltmeter.measures.rating.redrawn import draw_weights
from tiltmeter.measures.rating.tallied import tallied
from tiltmeter.measures.rating.tallied_scores import tallied_scores
from tiltmeter.measures.rating.tally import tally_discretised
from tiltmeter.measures.stats.class_sums import class_sums

SYSTEMS = ("a", "b")
WORDS = {"grim": "negative", "sad": "negative", "happy": "positive"}


def stored(rng, many, digits=1, missing=0.05):
    """Rows of two systems, men and women, three words, in two datasets, as stored outputs are."""
    words = rng.choice(list(WORDS), many)
    score = rng.normal(0, 0.4, many).clip(-1, 1).round(digits)
    score[rng.random(many) < missing] = np.nan
    rows = pl.DataFrame(
        {
            "system": rng.choice(SYSTEMS, many),
            "words": rng.choice(["e1", "e3"], many),
            "gender": rng.choice(np.array(["female", "male", None]), many).tolist(),
            "emotion_word": words,
            "polarity": [WORDS[word] for word in words],
            "raw": score,
        },
        schema_overrides={"gender": pl.String},
    )
    return rows.sort(rows.columns)


def datasets(rows):
    places = {name: (rows["words"] == name).arg_true().to_numpy() for name in ("e1", "e3")}
    return tuple(
        RatingDataset(f"rating-1-{name}", name.upper(), place.astype(np.int64)[None])
        for name, place in places.items()
    )


def listed(rows, diagram=PLAIN):
    whose = rows["system"].replace_strict(SYSTEMS, [0, 1]).to_numpy()
    scores = np.where(whose == np.arange(2)[:, None], rows["raw"].to_numpy(), np.nan)
    within = ("system", "words")
    return RatingGroup("1", ("gender",), diagram, rows, scores, datasets(rows), within)


def counted(rows, diagram=PLAIN):
    """The same sentences, those alike in all columns as one row."""
    keys = [name for name in rows.columns if name != "raw"]
    like = rows.group_by(*keys, "raw").agg(pl.len().alias("n")).sort(*keys, "raw")
    word = pl.struct("system", "words", "emotion_word", "raw").rank("dense")
    tally = RatingTally(
        submissions=2,
        whose=like["system"].replace_strict(SYSTEMS, [0, 1], return_dtype=pl.Int64).to_numpy(),
        count=like["n"].cast(pl.Int64).to_numpy(),
        mean=like["raw"].to_numpy(),
        square=like["raw"].to_numpy() ** 2,
        like=like.select(word.cast(pl.Int64)).to_series().to_numpy(),
    )
    return replace(listed(like, diagram), scores=np.empty((2, 0)), tally=tally)


def tables(group, **how):
    manner = rating_manner(**how)
    return rating_study([group], [(name, "valence") for name in SYSTEMS], 3, manner)


def assert_equal(one, other):
    """Two tables with the same cells, numbers to 1e-10."""
    assert one.schema == other.schema
    assert one.height == other.height > 0
    for name in one.columns:
        if one[name].dtype == pl.Float64:
            assert one[name].is_null().to_list() == other[name].is_null().to_list(), name
            left, right = (table[name].fill_null(0).to_numpy() for table in (one, other))
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10, err_msg=name)
        else:
            assert one[name].to_list() == other[name].to_list(), name


@pytest.mark.parametrize("raw", ["die", "ate"])
@pytest.mark.parametrize("mode", ["corrected", "published"])
@pytest.mark.parametrize("diagram", [PLAIN, CONFOUNDED], ids=["crossed", "confounded"])
@given(st.integers(0, 10**6), st.integers(6, 400), st.sampled_from([0, 1, 15]))
@settings(max_examples=6, deadline=None)
def test_everything_at_hand_is_as_if_every_sentence_were_listed(
    raw, mode, diagram, seed, many, digits
):
    # Some classes have no sentence, some words no answer, some systems nothing but −1, 0 and 1.
    rows = stored(np.random.default_rng(seed), many, digits)
    one, other = (tables(made(rows, diagram), raw=raw, mode=mode) for made in (listed, counted))
    assert_equal(one.raw, other.raw)
    assert_equal(one.overall, other.overall)
    for name in ("tests", "effects", "ates"):
        if getattr(one, name).height:
            assert_equal(getattr(one, name), getattr(other, name))
    assert one.columns.equals(other.columns)


def both_raw(rows, diagram, repeats):
    """The raw scores of the one column, sentences listed and counted."""
    manner = rating_manner(repeats=repeats)
    group, like = listed(rows, diagram), counted(rows, diagram)
    (column,), (of_like,) = columns_of(group, "die"), columns_of(like, "die")
    weights = {one.name: draw_weights(group, one, repeats, 0) for one in group.datasets}
    one = raw_scores(column, group.scores, weights, manner)
    return one, tallied_scores(of_like, tallied(like, like.tally, repeats, 0), manner)


@pytest.mark.parametrize("diagram", [PLAIN, CONFOUNDED], ids=["crossed", "confounded"])
def test_sentences_that_are_each_alone_are_redrawn_with_the_very_same_luck(diagram):
    rows = stored(np.random.default_rng(4), 300, digits=15, missing=0)
    one, other = both_raw(rows, diagram, 40)
    np.testing.assert_allclose(one.repeated, other.repeated, rtol=1e-9)


@pytest.mark.parametrize("what", ["repeated", "chance"])
@pytest.mark.parametrize("diagram", [PLAIN, CONFOUNDED], ids=["crossed", "confounded"])
def test_draws_of_counted_sentences_have_the_distribution_of_draws_of_listed_ones(diagram, what):
    # 800 draws of either: a share near one half has a standard error of √(¼/800) · √2 = 0.025.
    rows = stored(np.random.default_rng(5), 400)
    one, other = (getattr(found, what) for found in both_raw(rows, diagram, 800))
    for mine, its in zip(one, other, strict=True):
        assert not np.isnan([mine, its]).any()  # an X is infinite
        for level in np.quantile(mine, [0.1, 0.25, 0.5, 0.75, 0.9], method="inverted_cdf"):
            assert np.mean(mine <= level) == pytest.approx(np.mean(its <= level), abs=0.1)


def test_drawing_keeps_sizes_and_dealing_keeps_sums():
    # Whoever is dealt what: the sentences of a word stay, and every class has as many as before.
    rows = stored(np.random.default_rng(6), 500)
    group = counted(rows)
    found = tallied(group, group.tally, 50, 3)
    polarity = group.polarity[found.cells.row]
    for sums in (found.dealt, found.redrawn):
        np.testing.assert_array_equal(
            sums.every, np.broadcast_to(found.at_hand.every, sums.every.shape)
        )
    for kind in (0, 1):
        for name in ("n", "total", "squares"):
            dealt, at_hand = (
                getattr(one, name)[:, polarity == kind].sum(axis=1)
                for one in (found.dealt, found.at_hand)
            )
            np.testing.assert_allclose(dealt, np.broadcast_to(at_hand, dealt.shape), atol=1e-9)


def test_counted_scores_are_split_at_0_but_for_a_system_of_nothing_but_ends():
    tally = RatingTally(
        submissions=2,
        whose=np.array([0, 0, 0, 1, 1]),
        count=np.array([3, 2, 1, 4, 4]),
        mean=np.array([-0.2, 0.0, np.nan, -1.0, 1.0]),
        square=np.array([0.05, 0.0, np.nan, 1.0, 1.0]),
        like=np.arange(5),
    )
    told = tally_discretised(tally, np.array([False, False]), tally.mean)
    np.testing.assert_array_equal(told.mean, [0, 1, np.nan, 0, 1])
    np.testing.assert_array_equal(told.square, told.mean)
    kept = tally_discretised(tally, np.array([False, True]), tally.mean)
    np.testing.assert_array_equal(kept.mean, [0, 1, np.nan, -1, 1])
    np.testing.assert_array_equal(kept.square, [0, 1, np.nan, 1, 1])


def test_more_sentences_than_can_be_dealt_are_told_with_what_to_do():
    group = counted(stored(np.random.default_rng(7), 60))
    many = replace(group.tally, count=group.tally.count * 10**9)
    tallied(group, many, 0, 0)
    with pytest.raises(TiltmeterError, match=r"fewer than 1,000,000,000 can be dealt.*--draws 0"):
        tallied(group, many, 5, 0)


def test_sums_of_classes_by_hand():
    # Women: 0.5 three times, 1 once; n = 4, Σ = 2.5, Σ² = 1.75. Men: no answer to two, −1 once.
    rows = pl.DataFrame(
        {
            "system": ["a"] * 7, "words": ["e1"] * 7,
            "gender": ["female"] * 4 + ["male"] * 3,
            "emotion_word": ["grim"] * 7, "polarity": ["negative"] * 7,
            "raw": [0.5, 0.5, 0.5, 1.0, None, None, -1.0],
        }
    ).with_columns(pl.col("raw").fill_null(float("nan")))  # fmt: skip
    group = counted(rows)
    found = tallied(group, group.tally, 0, 0)
    assert group.size == 7
    np.testing.assert_array_equal(found.at_hand.every, [[4, 3]])
    np.testing.assert_array_equal(found.at_hand.n, [[4, 1]])
    np.testing.assert_allclose(found.at_hand.total, [[2.5, -1]])
    np.testing.assert_allclose(found.at_hand.squares, [[1.75, 1]])
    plain = class_sums(rows["raw"].to_numpy()[None], np.ones((1, 7)), np.repeat([0, 1], [4, 3]), 2)
    np.testing.assert_allclose(found.at_hand.total, plain.total[0])


def test_a_study_of_large_groups_is_the_same_some_draws_at_a_time(monkeypatch):
    # With room for a few draws only, everything is cut: draws, deals, people's places.
    sentences = universe(people=6, templates=3)
    scores = np.random.default_rng(8).normal(0, 0.3, (3, sentences.height))
    shares = {"female": 0.2, "male": 0.8, None: 0.5}
    groups = [crossed(scores, sentences), assigned(scores, sentences, shares, draws=31)]
    plain = study(*groups, repeats=30)
    for place in ("stats.class_sums", "rating.redrawn", "rating.dealt_sentences"):
        monkeypatch.setattr(f"tiltmeter.measures.{place}.ROOM", 500)
    cut = study(*groups, repeats=30)
    for name in ("raw", "overall", "tests", "effects", "frequencies", "order"):
        assert_equal(getattr(plain, name), getattr(cut, name))
