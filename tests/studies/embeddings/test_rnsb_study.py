"""RNSB: planted spaces with known values, what is refused, what intervals and baselines say."""

import numpy as np
import polars as pl
import pytest
from planted_space import (
    EACH,
    NEGATIVE,
    POSITIVE,
    RIDGE,
    SENTIMENT,
    SIX_HUNDRED,
    TEN,
    listed,
    noisy_space,
    planted_space,
)

from made_up_words import lexicon
from tiltmeter.studies.embeddings.rnsb import (
    RnsbConfig,
    by_chance,
    compared_spaces,
    drawn_weights,
    interval,
    principal_plane,
    rnsb,
    rnsb_study,
    shares,
)
from tiltmeter.studies.embeddings.space import Space

GIVEN = RnsbConfig(ridge=RIDGE, resamples=0)
THREE = {"swedish": 0.2, "irish": 0.4, "dutch": 0.6}


def row(study, name="people"):
    return study.rnsb.filter(list=name).row(0, named=True)


# ---------------------------------------------------------------- known values


def test_a_planted_rnsb_is_found():
    # shares 1/6, 1/3, 1/2: (1/6) ln(1/2) + (1/3) ln 1 + (1/2) ln(3/2)
    study = rnsb_study(planted_space(THREE), [listed(THREE)], SENTIMENT, config=GIVEN)
    found = row(study)
    by_hand = np.log(0.5) / 6 + np.log(1.5) / 2
    assert found["rnsb"] == pytest.approx(by_hand, abs=1e-9)
    assert (found["most"], found["least"]) == ("dutch", "swedish")
    terms = study.terms.filter(list="people")
    np.testing.assert_allclose(terms["probability"], [0.2, 0.4, 0.6], atol=1e-9)
    np.testing.assert_allclose(terms["share"], [1 / 6, 1 / 3, 1 / 2], atol=1e-9)


@pytest.mark.parametrize("negative", [60, 120, 240, 480])
def test_a_lexicon_with_more_negative_words_gives_the_same_rnsb(negative):
    # Both sides weigh half, so with ridge n / (1 + e) the slope is 1 and the intercept 0 for every
    # number of negative words (tests/stats/test_ridge_logistic.py), and the RNSB that of above.
    bad = tuple(f"bad{nth}" for nth in range(negative))
    at = [-1.0] * EACH + [1.0] * negative + [np.log(p / (1 - p)) for p in THREE.values()]
    space = Space(
        "planted", (*POSITIVE, *bad, *THREE), np.pad(np.array(at)[:, None], ((0, 0), (0, 2)))
    )
    manner = RnsbConfig(ridge=(EACH + negative) / (1 + np.e), resamples=40)
    study = rnsb_study(space, [listed(THREE)], lexicon("l", POSITIVE, bad), config=manner)
    found = row(study)
    assert found["rnsb"] == pytest.approx(np.log(0.5) / 6 + np.log(1.5) / 2, abs=1e-9)
    # Every resample draws the same two places, balanced anew: nothing varies.
    assert found["low"] == pytest.approx(found["high"], abs=1e-6)
    assert study.classifiers["classes"].to_list() == ["balanced"]


def test_the_published_mode_keeps_the_weights_of_the_words():
    # 60 positive words at −1 and 240 negative ones at +1: the intercept is above 0.
    bad = tuple(f"bad{nth}" for nth in range(240))
    space = Space("p", (*POSITIVE, *bad, "here"), np.array([[-1.0]] * 60 + [[1.0]] * 240 + [[0.0]]))
    study = rnsb_study(
        space, [listed(["here"])], lexicon("l", POSITIVE, bad),
        config=RnsbConfig(mode="published"),
    )  # fmt: skip
    assert study.classifiers["classes"].to_list() == ["as listed"]
    assert study.terms["probability"][0] > 0.5


def test_positive_sentiment_is_that_of_the_other_side():
    # probabilities 0.8, 0.6, 0.4: shares 4/9, 3/9, 2/9
    manner = RnsbConfig(ridge=RIDGE, resamples=0, polarity="positive")
    found = row(rnsb_study(planted_space(THREE), [listed(THREE)], SENTIMENT, config=manner))
    parts = np.array([4, 3, 2]) / 9
    assert found["rnsb"] == pytest.approx(np.sum(parts * np.log(3 * parts)), abs=1e-9)
    assert found["most"] == "swedish"


def test_even_terms_have_an_rnsb_of_zero_and_one_term_alone_has_log_n():
    assert rnsb(np.full(7, 0.3)) == 0
    assert rnsb(np.array([0.9, 0.0, 0.0])) == pytest.approx(np.log(3))
    assert rnsb(np.zeros(3)) == 0


def test_rnsb_is_scipys_entropy_of_the_shares_against_even_ones():
    from scipy.stats import entropy

    p = np.random.default_rng(0).uniform(size=(9, 4))
    np.testing.assert_allclose(rnsb(p), entropy(shares(p), np.full((9, 4), 1 / 9)), atol=1e-12)


def test_scores_do_not_depend_on_the_order_of_the_words():
    space, one = planted_space(THREE), listed(THREE)
    turned = Space("planted", space.words[::-1], space.vectors[::-1])
    both = [
        rnsb_study(each, [one], SENTIMENT, config=RnsbConfig(resamples=60)).rnsb
        for each in (space, turned)
    ]
    for name in ("rnsb", "low", "high"):
        np.testing.assert_allclose(both[0][name], both[1][name], atol=1e-9)


def test_a_lexicon_word_that_is_a_term_is_not_learned_from():
    # Term bad0 stands among the negative words: with it the classifier would be told the answer.
    space = planted_space(THREE)
    study = rnsb_study(space, [listed((*THREE, "bad0"))], SENTIMENT, config=GIVEN)
    assert study.classifiers["n_negative"].to_list() == [EACH - 1]
    published = rnsb_study(
        space, [listed((*THREE, "bad0"))], SENTIMENT, config=RnsbConfig(mode="published")
    )
    assert published.classifiers["n_negative"].to_list() == [EACH]


# ---------------------------------------------------------------- refusals


def test_a_list_of_which_too_many_terms_lack_is_refused_and_the_others_are_not():
    lists = [
        listed((*THREE, "filipino", "norwegian", "scottish"), name="many"),
        listed((*THREE, "filipino"), name="few"),
    ]
    study = rnsb_study(planted_space(THREE), lists, SENTIMENT, config=GIVEN)
    refused = row(study, "many")
    assert refused["rnsb"] is refused["p"] is None
    assert refused["reason"] == (
        "3 of 6 terms are there (at least 5 are needed); missing: filipino, norwegian, scottish"
    )
    assert row(study, "few")["rnsb"] is not None
    assert row(study, "few")["coverage"] == 0.75
    assert set(study.groups["list"]) | set(study.correlations["list"]) == {"few"}


def test_terms_of_a_refused_list_still_say_which_are_there():
    study = rnsb_study(planted_space(THREE), [listed((*THREE, *"abcd"))], SENTIMENT, config=GIVEN)
    there = study.terms.filter(pl.col("found_as").is_not_null())
    assert there["term"].to_list() == [*THREE]
    assert study.terms.height == 7


def test_a_classifier_that_guesses_is_refused():
    rng = np.random.default_rng(1)
    space = planted_space(THREE)
    noise = Space("noise", space.words, rng.normal(size=space.vectors.shape))
    study = rnsb_study(noise, [listed(THREE)], SENTIMENT, config=RnsbConfig(resamples=50))
    assert study.rnsb["rnsb"].null_count() == 1
    assert "50 % is guessing" in study.rnsb["reason"][0]
    assert study.classifiers["reason"][0] == study.rnsb["reason"][0]
    assert study.terms["probability"].null_count() == 3
    assert study.terms["found_as"].null_count() == 0
    assert study.fit is None


def test_random_vectors_are_refused_at_nearly_every_seed():
    space = planted_space(THREE)
    passed = 0
    for seed in range(20):
        vectors = np.random.default_rng(seed).normal(size=space.vectors.shape)
        study = rnsb_study(
            Space("noise", space.words, vectors), [listed(THREE)], SENTIMENT,
            config=RnsbConfig(resamples=0),
        )  # fmt: skip
        passed += study.rnsb["rnsb"].count()
    assert passed <= 1


def test_too_few_lexicon_words_are_refused_with_their_number():
    few = lexicon("few", POSITIVE[:10], NEGATIVE)
    study = rnsb_study(planted_space(THREE), [listed(THREE)], few, config=GIVEN)
    assert "holds 10 positive and 60 negative words" in study.rnsb["reason"][0]
    assert study.classifiers["ridge"].to_list() == [None]


def test_one_term_alone_is_no_distribution():
    study = rnsb_study(planted_space({"irish": 0.4}), [listed(["irish"])], SENTIMENT, config=GIVEN)
    assert study.rnsb["reason"][0].startswith("1 of 1 terms are there (at least 2 are needed)")


# ---------------------------------------------------------------- intervals


def test_an_interval_holds_its_value_and_depends_on_the_seed_alone():
    space = noisy_space()
    manner = RnsbConfig(resamples=100)
    first, again = (rnsb_study(space, [listed(TEN)], SIX_HUNDRED, config=manner) for _ in "ab")
    other = rnsb_study(space, [listed(TEN)], SIX_HUNDRED, config=RnsbConfig(resamples=100, seed=1))
    assert first.rnsb.equals(again.rnsb)
    assert row(first)["low"] != row(other)["low"]
    assert row(first)["rnsb"] == pytest.approx(row(other)["rnsb"], abs=0.05)
    assert 0 <= row(first)["low"] <= row(first)["rnsb"] <= row(first)["high"]
    terms = first.terms
    for low, value, high in (
        ("low", "probability", "high"), ("share_low", "share", "share_high")
    ):  # fmt: skip
        assert ((terms[low] <= terms[value]) & (terms[value] <= terms[high])).all()


def test_an_interval_is_as_wide_as_the_draws_vary_wherever_they_lie():
    # draws 11, 12 and 13 have the standard deviation 1
    low, high = interval(np.array(10.0), np.array([11.0, 12.0, 13.0]))
    assert (float(low), float(high)) == pytest.approx((10 - 1.959964, 10 + 1.959964))


@pytest.mark.slow
def test_an_interval_holds_the_truth_about_as_often_as_promised():
    # The truth: the fit to forty times as many words. Percentiles of the draws, the usual choice,
    # hold it far less often (benchmarks/simulate_rnsb.py).
    ridge, terms = 3.0, noisy_space(seed=99).vectors[-10:]
    large = noisy_space(seed=1000, each=12_000)
    words = tuple(f"good{n}" for n in range(12_000)), tuple(f"bad{n}" for n in range(12_000))
    moved = Space("large", large.words, np.vstack([large.vectors[:-10], terms]))
    many = RnsbConfig(ridge=ridge * 40, resamples=0)
    truth = row(rnsb_study(moved, [listed(TEN)], lexicon("l", *words), config=many))["rnsb"]
    held = 0
    for seed in range(40):
        small = noisy_space(seed=seed)
        space = Space("small", small.words, np.vstack([small.vectors[:-10], terms]))
        manner = RnsbConfig(ridge=ridge, resamples=100, seed=seed)
        found = row(rnsb_study(space, [listed(TEN)], SIX_HUNDRED, config=manner))
        held += found["low"] <= truth <= found["high"]
    assert held >= 34  # of 40; at 95 % fewer are seen once in 300 runs


def test_the_same_words_are_drawn_for_every_embedding():
    weights = drawn_weights(4, 3, 50, seed=2)
    assert np.array_equal(weights, drawn_weights(4, 3, 50, seed=2))
    assert (weights[:4].sum(axis=0) == 4).all()
    assert not np.array_equal(weights, drawn_weights(4, 3, 50, seed=3))


def test_no_resamples_no_intervals():
    study = rnsb_study(noisy_space(), [listed(TEN)], SIX_HUNDRED, config=RnsbConfig(resamples=0))
    assert row(study)["low"] is row(study)["bias"] is None
    assert study.terms["low"].null_count() == 10
    assert study.correlations["r"].null_count() == 100


def test_a_list_too_long_for_a_matrix_has_no_correlations():
    many = tuple(f"term{n}" for n in range(151))
    space = noisy_space(terms=151)
    manner = RnsbConfig(ridge=1.0, resamples=40)
    study = rnsb_study(space, [listed(many)], SIX_HUNDRED, config=manner)
    assert study.correlations.height == 0
    fewer = rnsb_study(space, [listed(many[:150])], SIX_HUNDRED, config=manner)
    assert fewer.correlations.height == 150**2


@pytest.mark.parametrize("value", [0.0, 1.5])
def test_words_that_all_have_one_vector_are_refused(value):
    space = noisy_space()
    alike = space.moved(np.full_like(space.vectors, value))
    found = row(rnsb_study(alike, [listed(TEN)], SIX_HUNDRED))
    assert (found["rnsb"], found["reason"]) == (
        None, "all words of the lexicon have the same vector",
    )  # fmt: skip


# ---------------------------------------------------------------- beside ordinary words


def test_terms_as_uneven_as_ordinary_words_have_a_middling_p_and_uneven_ones_a_small_one():
    rng = np.random.default_rng(4)
    ordinary = rng.uniform(0.3, 0.7, 200)
    alike = by_chance(rng.uniform(0.3, 0.7, 10), ordinary, seed=0)
    assert alike.low < alike.middle < alike.high
    assert 0.05 < alike.p < 0.95
    uneven = np.array([0.99, 0.99] + [0.001] * 8)
    assert by_chance(uneven, ordinary, seed=0).p == pytest.approx(1 / 10_001)


@pytest.mark.slow
def test_p_is_uniform_where_terms_are_like_ordinary_words():
    rng = np.random.default_rng(6)
    found = [by_chance(rng.beta(2, 3, 40), rng.beta(2, 3, 100), seed=0).p for _ in range(60)]
    small = np.mean(np.array(found) <= 0.05)
    assert small <= 0.15  # 0.05 promised; 0.15 is exceeded once in 1,000 runs
    assert 0.38 < np.mean(found) < 0.62


def test_with_too_few_ordinary_words_there_is_no_baseline():
    chance = by_chance(np.full(10, 0.5), np.full(19, 0.5), seed=0)
    assert np.isnan([chance.low, chance.middle, chance.high, chance.p]).all()
    study = rnsb_study(planted_space(THREE), [listed(THREE)], SENTIMENT, ("irish",), GIVEN)
    assert row(study)["p"] is None


def test_ordinary_words_are_looked_up_in_the_same_space():
    words = {**THREE, **{f"table{n}": 0.5 for n in range(20)}}
    table = [word for word in words if word.startswith("table")]
    study = rnsb_study(planted_space(words), [listed(THREE)], SENTIMENT, table, GIVEN)
    # Twenty words that are all alike are even. Of all draws of three words from the 23, one in
    # C(23, 3) = 1,771 is the terms themselves; others with 0.2 and 0.6 are as uneven.
    assert (row(study)["by_chance"], row(study)["even_high"]) == (0.0, 0.0)
    assert row(study)["p"] < 0.02


# ---------------------------------------------------------------- groups, correlations, maps


def test_groups_of_terms_are_compared_by_their_means():
    terms = {"she": 0.6, "her": 0.5, "woman": 0.7, "he": 0.3, "him": 0.2, "man": 0.1}
    groups = ("female",) * 3 + ("male",) * 3
    study = rnsb_study(planted_space(terms), [listed(terms, groups)], SENTIMENT, config=GIVEN)
    [told] = study.groups.rows(named=True)
    assert told["difference"] == pytest.approx(0.6 - 0.2)
    assert told["p"] == pytest.approx(2 / 20)  # of C(6, 3) = 20 divisions, this one and its mirror
    assert told["exact"]


def test_published_correlations_are_products_of_probabilities():
    manner = RnsbConfig(mode="published")
    study = rnsb_study(noisy_space(), [listed(TEN)], SIX_HUNDRED, config=manner)
    p = study.terms["probability"].to_numpy()
    r = study.correlations["r"].to_numpy().reshape(10, 10)
    np.testing.assert_allclose(r, np.outer(p, p))
    assert row(study)["low"] is row(study)["p"] is None


def test_corrected_correlations_are_over_resamples():
    study = rnsb_study(noisy_space(), [listed(TEN)], SIX_HUNDRED, config=RnsbConfig(resamples=80))
    r = study.correlations["r"].to_numpy().reshape(10, 10)
    np.testing.assert_allclose(np.diag(r), 1)
    np.testing.assert_allclose(r, r.T, atol=1e-12)
    assert np.abs(r[~np.eye(10, dtype=bool)]).max() < 1


def test_two_terms_at_one_place_go_together():
    space = noisy_space()
    vectors = space.vectors.copy()
    vectors[-1] = vectors[-2]
    study = rnsb_study(
        Space("twins", space.words, vectors), [listed(TEN)], SIX_HUNDRED,
        config=RnsbConfig(resamples=60),
    )  # fmt: skip
    pair = study.correlations.filter(first="term8", second="term9")["r"]
    assert pair[0] == pytest.approx(1)


def test_a_map_holds_the_directions_of_most_variance():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 6)) * [5, 3, 1, 0.1, 0.1, 0.1]
    at, (first, second) = principal_plane(vectors)
    values = np.linalg.eigvalsh(np.cov(vectors.T))[::-1]
    assert (first, second) == pytest.approx(tuple(values[:2] / values.sum()))
    np.testing.assert_allclose(at.var(axis=0, ddof=1), values[:2])
    mirrored, _ = principal_plane(-vectors)
    np.testing.assert_allclose(mirrored, -at, atol=1e-9)


def test_the_map_names_every_term_that_is_there():
    study = rnsb_study(planted_space(THREE), [listed((*THREE, "dutchy"))], SENTIMENT, config=GIVEN)
    assert study.plane.filter(kind="term")["text"].to_list() == [*THREE]
    assert set(study.plane["kind"]) == {"positive", "negative", "term"}


# ---------------------------------------------------------------- two embeddings side by side


def test_two_embeddings_are_compared_on_the_terms_both_hold():
    one = planted_space({**THREE, "german": 0.9})
    other = planted_space({"swedish": 0.5, "irish": 0.5, "dutch": 0.5}, name="even")
    lists = [listed((*THREE, "german"))]
    studies = {
        space.name: rnsb_study(space, lists, SENTIMENT, config=GIVEN) for space in (one, other)
    }
    [told] = compared_spaces(studies).rows(named=True)
    assert told["n_terms"] == 3
    assert told["rnsb_second"] == pytest.approx(0, abs=1e-12)
    by_hand = np.log(0.5) / 6 + np.log(1.5) / 2
    assert told["difference"] == pytest.approx(by_hand, abs=1e-9)


def test_an_embedding_beside_itself_differs_by_nothing_in_any_resample():
    space, manner = noisy_space(), RnsbConfig(resamples=60)
    study = rnsb_study(space, [listed(TEN)], SIX_HUNDRED, config=manner)
    [told] = compared_spaces({"a": study, "b": study}).rows(named=True)
    assert (told["difference"], told["low"], told["high"]) == (0, 0, 0)
