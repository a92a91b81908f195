"""Mixed models: by hand, against statsmodels, and where there is nothing to fit."""

import warnings
from dataclasses import fields

import numpy as np
import pytest

from tiltmeter.stats.mixed import DUST, fit_mixed

ONE = np.ones((1, 1))
PARTS = ("coefficients", "covariance", "estimate", "se", "df", "variances", "log_likelihood")


def small_corpus(people=12, templates=4, words=2):
    """Design with two axes and their product, and three crossed factors."""
    person, template, word = (a.ravel() for a in np.indices((people, templates, words)))
    race, gender = person % 4 // 2, person % 2
    design = np.column_stack([np.ones(person.size), race, gender, race * gender])
    return design, [person, template, template * words + word]


def simulated(rng, s, factors, spreads):
    y = spreads[-1] * rng.standard_normal((s, factors[0].size))
    for codes, spread in zip(factors, spreads, strict=False):
        y += spread * rng.standard_normal((s, codes.max() + 1))[:, codes]
    return y


def assert_same(left, right, rtol=1e-6):
    np.testing.assert_array_equal(left.converged, right.converged)
    for part in PARTS:
        ours, theirs = getattr(left, part), getattr(right, part)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-9, err_msg=part)


def assert_nothing(fit, rows=slice(None)):
    assert not fit.converged[rows].any()
    assert all(np.isnan(getattr(fit, part)[rows]).all() for part in PARTS)


# By hand.


def test_balanced_people_give_the_classical_analysis_of_variance():
    y = np.array([[1.0, 3.0, 2.0, 4.0, 7.0, 7.0]])
    fit = fit_mixed(y, np.ones((6, 1)), [np.array([0, 0, 1, 1, 2, 2])], 2 * ONE)
    # Means 2, 3, 7 around 4: MS between = 2(4 + 1 + 9)/2 = 14; MS within = (2 + 2 + 0)/3 = 4/3.
    # σ² = 4/3; σ_person² = (14 − 4/3)/2 = 19/3; the mean's variance is 14/6, with 3 − 1 df.
    np.testing.assert_allclose(fit.variances, [[19 / 3, 4 / 3]], rtol=1e-9)
    np.testing.assert_allclose(fit.covariance, [[[14 / 6]]], rtol=1e-9)
    np.testing.assert_allclose([fit.estimate[0, 0], fit.se[0, 0]], [8, 2 * np.sqrt(14 / 6)])
    np.testing.assert_allclose(fit.df, [[2.0]], rtol=1e-7)
    # V has the roots 14 and 4/3, three times each, and X'V⁻¹X = 6/14:
    # −2ℓ = 5 log 2π + log|V| + log(6/14) + 5.
    twice = 5 * np.log(2 * np.pi) + 3 * np.log(14) + 3 * np.log(4 / 3) + np.log(6 / 14) + 5
    np.testing.assert_allclose(fit.log_likelihood, [-twice / 2], rtol=1e-10)


def test_people_more_alike_than_chance_have_a_variance_of_exactly_zero():
    y = np.array([[1.0, 5.0, 2.0, 4.0, 3.0, 3.5]])
    fit = fit_mixed(y, np.ones((6, 1)), [np.array([0, 0, 1, 1, 2, 2])], ONE)
    # Means 3, 3, 3.25: less than within people. Then σ² is the plain variance, with n − 1 df.
    assert fit.converged.all()
    assert fit.variances[0, 0] == 0.0
    np.testing.assert_allclose(fit.variances[0, 1], np.var(y, ddof=1))
    np.testing.assert_allclose(fit.se, [[np.sqrt(np.var(y, ddof=1) / 6)]])
    np.testing.assert_allclose(fit.df, [[5.0]])


def test_people_crossed_with_templates_give_the_classical_analysis_of_variance():
    table = np.array([[3.0, 5.0, 4.0], [6.0, 9.0, 9.0], [1.0, 4.0, 4.0], [8.0, 9.0, 10.0]])
    person, template = (a.ravel() for a in np.indices(table.shape))
    fit = fit_mixed(table.reshape(1, -1), np.ones((12, 1)), [person, template], ONE)
    # Rows 4, 8, 3, 9; columns 4.5, 6.75, 6.75; all 6. MS people = 3(4 + 4 + 9 + 9)/3 = 26;
    # MS templates = 4(2.25 + .5625 + .5625)/2 = 6.75; the table has 94 in all, so that
    # MS rest = (94 − 78 − 13.5)/6 = 5/12.
    rest = 5 / 12
    expected = [(26 - rest) / 3, (6.75 - rest) / 4, rest]
    np.testing.assert_allclose(fit.variances, [expected], rtol=1e-8)
    # The mean: (26 + 6.75 − rest)/12, with Satterthwaite's df by the classical formula.
    total = 26 + 6.75 - rest
    np.testing.assert_allclose(fit.covariance, [[[total / 12]]], rtol=1e-8)
    df = total**2 / (26**2 / 3 + 6.75**2 / 2 + rest**2 / 6)
    np.testing.assert_allclose(fit.df, [[df]], rtol=1e-6)


def test_without_factors_it_is_least_squares():
    x = np.column_stack([np.ones(4), [0.0, 1.0, 2.0, 3.0]])
    fit = fit_mixed(np.array([[1.0, 2.0, 2.0, 4.0]]), x, [], np.eye(2))
    # Slope 4.5/5 = 0.9; squares left: 4.75 − 4.05 = 0.7 over two df; se = √(.35/5).
    np.testing.assert_allclose(fit.estimate[0, 1], 0.9)
    np.testing.assert_allclose(fit.se[0, 1], np.sqrt(0.35 / 5))
    np.testing.assert_allclose(fit.df, [[2.0, 2.0]])


# Against statsmodels.


def peer(y, x, groups, **kind):
    from statsmodels.regression.mixed_linear_model import MixedLM

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its remarks on its own optimiser
        model = MixedLM(y, x, groups=groups, **kind)
        return model.fit(reml=True, method=["bfgs", "lbfgs"], gtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_one_factor_is_that_of_statsmodels_however_unbalanced(seed):
    rng = np.random.default_rng(seed)
    design, factors = small_corpus()
    y = simulated(rng, 1, factors[:1], (0.7, 0.5))
    y[0, rng.random(y.size) < 0.4] = np.nan
    here = ~np.isnan(y[0])
    fit = fit_mixed(y, design, factors[:1], np.eye(4))
    theirs = peer(y[0, here], design[here], factors[0][here])
    np.testing.assert_allclose(fit.log_likelihood[0], theirs.llf, atol=1e-6)
    np.testing.assert_allclose(fit.coefficients[0], theirs.fe_params, atol=1e-5)
    # Their bse_fe inverts the second derivatives in β and γ together, and is a few 1e-4 larger
    # when unbalanced; the block in β is (X'V⁻¹X), which lme4 and we report.
    block = -theirs.model.hessian(theirs.params_object)[0][:4, :4]
    np.testing.assert_allclose(fit.covariance[0], np.linalg.inv(block), rtol=1e-4, atol=1e-7)
    found = [np.ravel(theirs.cov_re)[0], theirs.scale]
    np.testing.assert_allclose(fit.variances[0], found, rtol=1e-4)


def test_crossed_factors_are_those_of_statsmodels():
    from statsmodels.regression.mixed_linear_model import VCSpec

    rng = np.random.default_rng(3)
    design, factors = small_corpus(8, 4, 1)
    y = simulated(rng, 1, factors[:2], (0.8, 0.6, 0.4))
    y[0, [1, 6, 20]] = np.nan
    here = ~np.isnan(y[0])
    fit = fit_mixed(y, design, factors[:2], np.eye(4))
    blocks = [np.equal.outer(f[here], np.unique(f)).astype(float) for f in factors[:2]]
    labels = [[[str(level) for level in np.unique(f)]] for f in factors[:2]]
    kinds = VCSpec(["person", "template"], labels, [[block] for block in blocks])
    theirs = peer(y[0, here], design[here], np.ones(here.sum()), exog_vc=kinds)
    np.testing.assert_allclose(fit.log_likelihood[0], theirs.llf, atol=1e-5)
    np.testing.assert_allclose(fit.coefficients[0], theirs.fe_params, atol=1e-5)
    np.testing.assert_allclose(fit.variances[0], [*theirs.vcomp, theirs.scale], rtol=1e-3)


# Properties.


@pytest.fixture(scope="module")
def mixture():
    """Forty submissions with every kind of spread, some with missing sentences."""
    rng = np.random.default_rng(11)
    design, factors = small_corpus()
    spreads = [(0.5, 0.5, 0.3, 0.4), (0.0, 0.0, 0.0, 1.0), (2.0, 0.0, 0.1, 0.05), (0, 1, 0, 9)]
    y = np.concatenate([simulated(rng, 10, factors, spread) for spread in spreads])
    y[::3, rng.random(y.shape[1]) < 0.2] = np.nan
    y[4, :9] = np.nan
    return y, design, factors, fit_mixed(y, design, factors, np.eye(4))


def test_every_submission_converges_soon(mixture):
    fit = mixture[3]
    assert fit.converged.all()
    assert fit.iterations.max() <= 25
    assert 0.05 < np.mean(fit.variances == 0.0) < 0.5


def test_all_at_once_is_one_at_a_time(mixture):
    y, design, factors, fit = mixture
    alone = [fit_mixed(row[None], design, factors, np.eye(4)) for row in y]
    for field in fields(fit):
        together = np.concatenate([getattr(one, field.name) for one in alone])
        np.testing.assert_allclose(getattr(fit, field.name), together, rtol=1e-7, atol=1e-12)


def test_a_missing_sentence_is_a_sentence_left_out(mixture):
    y, design, factors, fit = mixture
    here = ~np.isnan(y[4])
    left = fit_mixed(y[4:5, here], design[here], [f[here] for f in factors], np.eye(4))
    for part in PARTS:
        np.testing.assert_allclose(getattr(left, part)[0], getattr(fit, part)[4], rtol=1e-9)


def test_the_order_of_sentences_and_the_names_of_levels_do_not_matter(mixture):
    y, design, factors, fit = mixture
    order = np.random.default_rng(0).permutation(y.shape[1])
    renamed = [1000 - 7 * f[order] for f in factors]
    assert_same(fit_mixed(y[:, order], design[order], renamed, np.eye(4)), fit)


@pytest.mark.parametrize("scale", [1e-4, 1e5])
def test_another_unit_changes_only_the_unit(mixture, scale):
    y, design, factors, fit = mixture
    other = fit_mixed(scale * y, design, factors, np.eye(4))
    np.testing.assert_allclose(other.estimate, scale * fit.estimate, rtol=1e-6, atol=1e-9 * scale)
    np.testing.assert_allclose(other.variances, scale**2 * fit.variances, rtol=1e-5)
    np.testing.assert_allclose(other.df, fit.df, rtol=1e-5)


def test_no_ratio_nearby_is_more_likely(mixture):
    """A maximum by its definition: γ moved either way lowers the likelihood, never raises it."""
    from tiltmeter.stats.mixed import criterion, reduce_sentences

    y, design, factors, fit = mixture
    whole = np.flatnonzero(~np.isnan(y).any(axis=1))
    _, _, reduced = reduce_sentences(y[whole], design, factors)
    ratios = fit.variances[whole, :3] / fit.variances[whole, 3:]
    best = criterion(reduced, ratios).value
    for part in range(3):
        for factor in (0.9, 1.1):
            moved = ratios.copy()
            moved[:, part] = np.where(moved[:, part] > 0, moved[:, part] * factor, 1e-4)
            assert (criterion(reduced, moved).value > best).all()


def test_planted_spreads_are_found_on_average():
    rng = np.random.default_rng(5)
    design, factors = small_corpus()
    y = simulated(rng, 300, factors[:2], (1.0, 0.8, 0.5)) + design @ [0.3, 0.2, -0.1, 0.4]
    fit = fit_mixed(y, design, factors[:2], np.eye(4))
    spread = fit.variances.std(axis=0) / np.sqrt(300)
    assert (np.abs(fit.variances.mean(axis=0) - [1.0, 0.64, 0.25]) < 4 * spread).all()
    off = np.abs(fit.estimate.mean(axis=0) - [0.3, 0.2, -0.1, 0.4])
    assert (off < 4 * fit.se.mean(axis=0) / np.sqrt(300)).all()


# Where there is nothing to fit, or nothing to tell apart.


def test_values_that_leave_nothing_over_are_not_fitted():
    design, factors = small_corpus()
    rng = np.random.default_rng(2)
    person, frame = (rng.standard_normal(f.max() + 1)[f] for f in (factors[0], factors[2]))
    fine = simulated(rng, 1, factors, (1, 1, 1, 1))[0]
    nothing = np.full_like(fine, np.nan)
    scarce = np.where(np.arange(fine.size) < 4, fine, np.nan)
    constant, exact = np.full_like(fine, -0.7), design @ [0.1, 0.7, -0.3, 0.4]
    dusty = person + frame + 0.1 * DUST * fine
    rows = [constant, 0 * fine, exact, person, person + frame, dusty, nothing, scarce, fine]
    fit = fit_mixed(np.array(rows), design, factors, np.eye(4))
    assert_nothing(fit, slice(0, -1))
    assert fit.converged[-1]


def test_a_group_without_sentences_leaves_no_fit():
    design, factors = small_corpus()
    y = simulated(np.random.default_rng(2), 1, factors, (1, 1, 1, 1))
    y[0, design[:, 3] == 1] = np.nan
    assert_nothing(fit_mixed(y, design, factors, np.eye(4)))


def test_no_submissions_are_no_fits():
    design, factors = small_corpus()
    assert fit_mixed(np.empty((0, 96)), design, factors, np.eye(4)).estimate.shape == (0, 4)


def test_a_factor_that_cannot_be_told_apart_is_left_out():
    design, factors = small_corpus(words=1)  # a frame is a template
    y = simulated(np.random.default_rng(4), 3, factors[:2], (0.6, 0.4, 0.5))
    sentence, same, group = np.arange(y.shape[1]), np.zeros(y.shape[1], int), factors[0] % 4
    plain = fit_mixed(y, design, factors[:2], np.eye(4))
    more = [same, *factors, sentence, group]
    fit = fit_mixed(y, design, more, np.eye(4))
    np.testing.assert_array_equal(np.isnan(fit.variances), [[1, 0, 0, 1, 1, 1, 0]] * 3)
    np.testing.assert_allclose(fit.variances[:, [1, 2, -1]], plain.variances)
    np.testing.assert_allclose(fit.df, plain.df)
