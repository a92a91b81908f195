"""Adjustment by hand, in a simulated world whose truth is known, and against outside references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiltmeter.stats.causal import Expectations, class_sums, expectations, impact, treatment_effects

# The 2 × 2 × 2 table: class, polarity, score 0 or 1, and how many sentences.
#                  score 0   score 1     n    mean
#   women negative    2         1        3    1/3
#   women positive    0         1        1    1
#   men   negative    1         0        1    0
#   men   positive    1         2        3    2/3
WOMEN, MEN, NA = 0, 1, 2
NEGATIVE, POSITIVE = 0, 1
TABLE = (
    [(WOMEN, NEGATIVE, 0)] * 2 + [(WOMEN, NEGATIVE, 1)] + [(WOMEN, POSITIVE, 1)]
    + [(MEN, NEGATIVE, 0)] + [(MEN, POSITIVE, 0)] + [(MEN, POSITIVE, 1)] * 2
)  # fmt: skip


def summed(rows, classes=2):
    """The sums of a list of (class, polarity, score) over (classes, polarities)."""
    place, polarity, score = (np.array(part) for part in zip(*rows, strict=True))
    weights = np.ones((1, len(rows)))
    sums = class_sums(score[None].astype(float), weights, place * 2 + polarity, classes * 2)
    return sums.over(classes, 2)


def test_die_by_hand_on_a_table():
    # P(women) = P(men) = 4/8.
    # E[S | neg] = (1 + 0)/4 = 1/4, E[S | do(neg)] = 1/2 · 1/3 + 1/2 · 0 = 1/6:
    #   DIE = (1/12)/(1/4) = 33.33 %.
    # E[S | pos] = (1 + 2)/4 = 3/4, E[S | do(pos)] = 1/2 · 1 + 1/2 · 2/3 = 5/6:
    #   DIE = (1/12)/(3/4) = 11.11 %.
    found = expectations(summed(TABLE))
    np.testing.assert_allclose(found.observed[0, 0], [1 / 4, 3 / 4])
    np.testing.assert_allclose(found.interventional[0, 0], [1 / 6, 5 / 6])
    np.testing.assert_allclose(impact(found).percent[0, 0], [100 / 3, 100 / 9])


def test_the_effect_of_a_word_by_hand_on_the_same_table():
    # Naive: 3/4 − 1/4 = 1/2. Adjusted: 1/2 · (1 − 1/3) + 1/2 · (2/3 − 0) = 2/3; it moves by
    # (1/6)/(1/2) = 33.33 %. Propensities are 1/4 and 3/4, so everyone is matched within the class.
    found = treatment_effects(summed(TABLE))
    assert found.naive.item() == pytest.approx(1 / 2)
    assert found.adjusted.item() == pytest.approx(2 / 3)
    assert found.matched.item() == pytest.approx(2 / 3)
    assert found.unmatched.item() == 0
    assert found.change.percent.item() == pytest.approx(100 / 3)


def test_where_positivity_fails_both_terms_are_of_the_other_classes():
    # Two more sentences, of people whose gender is not said, positive and scored 1.
    # Negative: NA has none. E[S | neg] = 1/4 as before; P(women) = P(men) = 4/8 of those two, so
    # E[S | do(neg)] = 1/6 as before. (Counting the empty cell as 0 would give 2/15.)
    # Positive: E[S | pos] = (1 + 2 + 2)/6 = 5/6;
    # do(pos): 4/10 · 1 + 4/10 · 2/3 + 2/10 · 1 = 13/15; DIE = (1/30)/(5/6) = 4 %.
    sums = summed([*TABLE, (NA, POSITIVE, 1), (NA, POSITIVE, 1)], 3)
    found = expectations(sums)
    np.testing.assert_allclose(found.observed[0, 0], [1 / 4, 5 / 6])
    np.testing.assert_allclose(found.interventional[0, 0], [1 / 6, 13 / 15])
    np.testing.assert_allclose(impact(found).percent[0, 0], [100 / 3, 4])
    # The effect is told of those who have both polarities, as if NA were not there.
    effects = treatment_effects(sums)
    assert effects.naive.item() == pytest.approx(1 / 2)
    assert effects.adjusted.item() == effects.matched.item() == pytest.approx(2 / 3)
    assert effects.unmatched.item() == 2


def test_a_polarity_that_nobody_has_is_not_told():
    sums = summed([(WOMEN, POSITIVE, 1), (MEN, POSITIVE, 0)])
    assert np.isnan(expectations(sums).observed[0, 0, NEGATIVE])
    assert np.isnan(impact(expectations(sums)).percent[0, 0, NEGATIVE])
    effects = treatment_effects(sums)
    assert np.isnan([effects.naive.item(), effects.adjusted.item(), effects.matched.item()]).all()
    assert effects.unmatched.item() == 2


def test_nothing_over_nothing_is_0_and_something_over_nothing_is_x():
    # Over 0: 0 → 0, 0 → 0.1, and 0 → 1e−6, which is less than a millionth of the scale.
    observed, adjusted = np.zeros((1, 1, 3)), np.array([[[0.0, 0.1, 1e-6]]])
    found = impact(Expectations(observed, adjusted))
    assert found.percent[0, 0].tolist() == [0, np.inf, 0]
    assert found.undefined[0, 0].tolist() == [False, True, False]


def test_a_mean_of_0_that_adjustment_moves_is_x():
    # Women: 1 negative, scored 1, and 3 positive. Men: 1 negative, scored −1. Observed 0;
    # adjusted 4/5 · 1 + 1/5 · (−1) = 0.6.
    rows = [(WOMEN, NEGATIVE, 1), (MEN, NEGATIVE, -1), *[(WOMEN, POSITIVE, 1)] * 3]
    found = expectations(summed(rows))
    assert found.observed[0, 0, NEGATIVE] == 0
    assert found.interventional[0, 0, NEGATIVE] == pytest.approx(0.6)
    assert np.isinf(impact(found).percent[0, 0, NEGATIVE])


@pytest.mark.parametrize("score", [0.0, -1.0, 0.1])
def test_a_system_that_answers_everyone_alike_is_not_moved(score):
    # The paper prints −0.26 for a system that answers −1 to every negative sentence; by its
    # own equation Σ_z (−1) · P(z) = −1.
    rows = [(place, polarity, score) for place, polarity, _ in TABLE]
    found = expectations(summed(rows))
    np.testing.assert_allclose(found.interventional, score, atol=1e-15)
    assert impact(found).percent[0, 0].tolist() == [0, 0]


def world(n, seed, strength=0.9):
    """Women get positive words with 1 − strength, men with strength; who and word move scores.

    S = 0.6 · woman + (0.1 + 0.2 · woman) · positive + noise: the truth is E[S | do(pos)] −
    E[S | do(neg)] = 1/2 · 0.3 + 1/2 · 0.1 = 0.2.
    """
    rng = np.random.default_rng(seed)
    woman = rng.random(n) < 0.5
    positive = rng.random(n) < np.where(woman, 1 - strength, strength)
    score = 0.6 * woman + (0.1 + 0.2 * woman) * positive + rng.normal(0, 0.3, n)
    return np.where(woman, WOMEN, MEN), positive.astype(int), score


def test_adjustment_finds_the_truth_of_a_simulated_world_where_the_naive_effect_is_far_off():
    # Naive: P(woman | pos) = 0.1, P(woman | neg) = 0.9, so E[S | pos] = 0.06 + 0.12 = 0.18 and
    # E[S | neg] = 0.54: −0.36, the wrong sign. The adjusted effect is the mean of two strata's;
    # a stratum of 20,000 has a cell of 2,000 and one of 18,000, so its standard error is
    # 0.3 · √(1/2000 + 1/18000) = 0.0071, and that of the mean 0.0050: bounds are four of them.
    found = treatment_effects(summed(list(zip(*world(40_000, 11), strict=True))))
    assert found.naive.item() == pytest.approx(-0.36, abs=0.02)
    assert abs(found.naive.item() - 0.2) > 0.5
    assert found.adjusted.item() == pytest.approx(0.2, abs=0.02)
    assert found.matched.item() == pytest.approx(found.adjusted.item(), abs=1e-12)


def test_the_adjusted_means_are_those_of_a_world_where_words_are_dealt_out_evenly():
    # E[S | do(neg)] = 0.6/2 = 0.3, E[S | do(pos)] = 0.3 + 0.2 = 0.5. With words dealt out evenly
    # nothing confounds, and the observed means are these, too.
    told = expectations(summed(list(zip(*world(40_000, 12), strict=True))))
    even = expectations(summed(list(zip(*world(40_000, 13, strength=0.5), strict=True))))
    np.testing.assert_allclose(told.interventional[0, 0], [0.3, 0.5], atol=0.02)
    np.testing.assert_allclose(told.observed[0, 0], [0.54, 0.18], atol=0.02)
    np.testing.assert_allclose(even.observed[0, 0], [0.3, 0.5], atol=0.02)
    # So the worst DIE is near |0.5 − 0.18|/0.18 = 178 %, and next to nothing without confounding.
    assert impact(told).percent.max() == pytest.approx(178, abs=15)
    assert impact(even).percent.max() < 8


@pytest.fixture(scope="module")
def several():
    """Four classes, two of them with the same share of positive words; 120 sentences."""
    rng = np.random.default_rng(21)
    rows = []
    for place, (negative, positive) in enumerate([(9, 21), (21, 9), (15, 15), (15, 15)]):
        for polarity, many in ((NEGATIVE, negative), (POSITIVE, positive)):
            scores = rng.normal(0.3 * place + 0.2 * polarity * (place - 1), 0.3, many)
            rows += [(place, polarity, score) for score in scores]
    return rows


def test_least_squares_on_every_class_and_word_gives_the_adjusted_effect(several):
    import statsmodels.api as sm

    place, polarity, score = (np.array(part) for part in zip(*several, strict=True))
    dummies = np.eye(4)[place]
    design = np.hstack([dummies, dummies * polarity[:, None]])
    fitted = sm.OLS(score, design).fit()
    each = [np.hstack([dummies, dummies * word]) for word in (1, 0)]
    positive, negative = (fitted.predict(one).mean() for one in each)
    told = expectations(summed(several, 4))
    np.testing.assert_allclose(told.interventional[0, 0], [negative, positive])
    naive = score[polarity == 1].mean() - score[polarity == 0].mean()
    found = treatment_effects(summed(several, 4))
    np.testing.assert_allclose(found.adjusted.item(), positive - negative)
    np.testing.assert_allclose(found.naive.item(), naive)
    assert abs(found.adjusted.item() - naive) > 0.05


def test_weighting_by_the_inverse_propensity_gives_it_too(several):
    import statsmodels.api as sm

    place, polarity, score = (np.array(part) for part in zip(*several, strict=True))
    share = np.array([polarity[place == one].mean() for one in range(4)])[place]
    weight = np.where(polarity == 1, 1 / share, 1 / (1 - share))
    expected = sm.WLS(score, sm.add_constant(polarity.astype(float)), weights=weight).fit()
    found = treatment_effects(summed(several, 4))
    np.testing.assert_allclose(found.adjusted.item(), expected.params[1])


def test_nearest_neighbours_on_fitted_propensities_give_the_matched_effect(several):
    from sklearn.linear_model import LogisticRegression

    place, polarity, score = (np.array(part) for part in zip(*several, strict=True))
    dummies = np.eye(4)[place]
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(dummies, polarity)
    propensity = model.predict_proba(dummies)[:, 1]
    effects = []
    for one in range(len(score)):
        others = np.flatnonzero(polarity != polarity[one])
        distance = np.abs(propensity[others] - propensity[one])
        nearest = others[distance <= distance.min() + 1e-6]
        gap = score[one] - score[nearest].mean()
        effects.append(gap if polarity[one] else -gap)
    found = treatment_effects(summed(several, 4))
    np.testing.assert_allclose(found.matched.item(), np.mean(effects))


def sentences_of(n, mean):
    """As many sentences of each class and polarity as n says, each scored its mean."""
    return [
        (place, polarity, mean[place, polarity])
        for place, polarity in np.ndindex(3, 2)
        for _ in range(n[place, polarity])
    ]


@given(
    arrays(np.int64, (3, 2), elements=st.integers(0, 4)),
    arrays(float, (3, 2), elements=st.floats(-1, 1)),
)
def test_matching_on_a_propensity_by_class_is_adjustment_by_class(n, mean):
    # Classes of one propensity are pooled; since their sizes are in proportion, so are the means.
    rows = sentences_of(n, mean)
    if rows:
        found = treatment_effects(summed(rows, 3))
        np.testing.assert_allclose(found.matched, found.adjusted, atol=1e-12)


@given(
    arrays(np.int64, (3, 2), elements=st.integers(0, 4)),
    arrays(float, (3, 2), elements=st.floats(-1, 1)),
)
def test_means_stay_within_those_of_the_cells_there_are(n, mean):
    rows = sentences_of(n, mean)
    if not rows:
        return
    found = expectations(summed(rows, 3))
    for polarity in (NEGATIVE, POSITIVE):
        there = mean[n[:, polarity] > 0, polarity]
        for told in (found.observed[0, 0, polarity], found.interventional[0, 0, polarity]):
            if there.size:
                assert there.min() - 1e-9 <= told <= there.max() + 1e-9
            else:
                assert np.isnan(told)
