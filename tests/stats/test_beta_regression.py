"""Beta regression: by hand, against SciPy and statsmodels, and what it may not depend on."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.special import digamma, expit, gammaln, logit

from crossed_names import ONE, THREE_AXES, THREE_GROUPS, TWO, crossed_names, drawn
from tiltmeter.stats.beta import (
    Sums,
    derivatives,
    fit_beta,
    information,
    log_likelihood,
    means_and_precisions,
    shape_of,
)
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study
from tiny import scores_of

betareg = pytest.importorskip("statsmodels.othermod.betareg", reason="statsmodels is a dev extra")

EACH = 11
"""Submissions of every design."""
DESIGNS = [
    # axes, names of each group, templates, words, formula, precision, how scores are drawn
    (ONE, 2, 3, 1, None, None, {}),  # 12 sentences
    (ONE, 2, 3, 1, None, None, {"phi": 2.0}),
    (TWO, 3, 1, 1, None, None, {}),  # 12 sentences and 5 parameters
    (TWO, 3, 1, 1, "gender + race", None, {"phi": 200.0}),
    (TWO, 2, 3, 1, None, None, {}),
    (TWO, [2, 2, 3, 11], 2, 1, None, None, {}),  # unbalanced
    (TWO, [9, 2, 2, 2], 3, 2, None, None, {"phi": 5.0}),
    (TWO, 3, 3, 2, None, None, {"level": -4.0, "phi": 30.0}),  # near 0, many clipped at 1e-4
    (TWO, 3, 3, 2, None, None, {"level": 4.0, "phi": 30.0}),  # near 1
    (TWO, 3, 3, 2, None, None, {"level": -6.0, "phi": 400.0}),
    (TWO, 3, 3, 2, None, None, {"phi": 0.5}),  # U-shaped: scores at either end
    (TWO, 3, 3, 2, None, None, {"phi": 1e4}),
    (TWO, 3, 3, 2, None, None, {"phi": 1e6, "effect": 5e-4}),
    (TWO, 3, 2, 3, "gender * race + template", None, {}),
    (TWO, 3, 2, 3, "gender * race + emotion_word", None, {"phi": 50.0}),
    (TWO, 3, 3, 3, "gender * race + template + emotion_word", None, {}),
    (TWO, 3, 3, 3, "gender * race + frame", None, {"level": -2.0}),
    (TWO, 3, 3, 3, "gender + race + template", None, {"phi": 3.0}),
    (THREE_GROUPS, 2, 2, 2, None, None, {}),
    (THREE_GROUPS, 2, 2, 2, "gender + race", None, {"phi": 100.0}),
    (THREE_GROUPS, 2, 2, 2, "gender * race + template", None, {"level": 2.0}),
    (THREE_AXES, 2, 2, 2, None, None, {}),
    (THREE_AXES, 2, 2, 2, "gender * race * age", None, {"phi": 60.0}),
    (THREE_AXES, 2, 3, 2, "gender * age + race + template", None, {}),
    (ONE, 3, 2, 2, None, "gender", {}),
    (TWO, 3, 3, 2, None, "gender", {}),
    (TWO, 3, 3, 2, None, "gender * race", {"phi": 100.0}),
    (TWO, 3, 3, 2, "gender * race + template", "gender + race", {"phi": 8.0}),
    (THREE_GROUPS, 3, 2, 2, "gender + race", "gender", {}),
    (TWO, 4, 3, 2, None, "race", {"level": -3.0, "phi": 15.0}),
]


def dummies(sentences, axes, formula):
    """The columns of a formula as an outsider would write them, last groups as reference."""
    names, columns = ["intercept"], [np.ones(sentences.height)]
    levels = {axis: [(group, sentences[axis] == group) for group in groups[:-1]]
              for axis, groups in axes.items()}  # fmt: skip
    for term in formula.split(" + "):
        if term in ("template", "emotion_word", "frame"):
            seen = sentences[term].unique(maintain_order=True).to_list()[1:]
            parts = [(f"{term} {value}", sentences[term] == value) for value in seen]
        else:
            parts = [("", pl.Series([True] * sentences.height))]
            for axis in term.split(":"):
                parts = [(f"{name}:{group}-{axes[axis][-1]}".lstrip(":"), one & other)
                         for name, one in parts for group, other in levels[axis]]  # fmt: skip
        names += [name for name, _ in parts]
        columns += [column.to_numpy().astype(float) for _, column in parts]
    return names, np.column_stack(columns)


def peer(scores, mean, precision):
    """statsmodels' fit: parameters, standard errors, likelihood; its BFGS warns when, at the last
    digits, it gets no further."""
    extra = {} if precision is None else {"exog_precision": precision}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = betareg.BetaModel(scores, mean, **extra)
        found = model.fit(disp=0, gtol=1e-10)
        return found.params, found.bse, found.llf


@pytest.fixture(scope="module")
def against_statsmodels():
    """Each design's submissions, by us in one go and by statsmodels one after the other."""
    rng, found = np.random.default_rng(6), []
    for axes, names, templates, words, formula, spread, how in DESIGNS:
        sentences = crossed_names(axes, names, templates, words)
        values = drawn(sentences, axes, rng, many=EACH, **how)
        if sentences.height > 20:  # a few scores are missing, in other places each time
            values[rng.random(values.shape) < 0.05] = np.nan
        scores = scores_of(sentences, values, tasks=["joy"] * EACH)
        study = regression_study(sentences, scores, axes, Model(formula=formula, precision=spread))
        kinds = ("coefficient_naive", "precision")
        rows = study.estimates.filter(pl.col("measure").is_in(kinds))
        for at, fit in enumerate(study.fits.rows(named=True)):
            known = ~np.isnan(values[at])
            here = sentences.filter(known)
            names_, mean = dummies(here, axes, study.formula)
            z_names, z = (
                dummies(here, axes, WRITTEN_OUT.get(spread, spread)) if spread else ((), None)
            )
            found.append(
                {
                    "fit": fit,
                    "ours": rows.filter(system=fit["system"]).rows(named=True),
                    "names": [("coefficient_naive", name) for name in names_]
                    + [("precision", name) for name in z_names],
                    "theirs": peer(values[at][known], mean, z),
                    "design": (axes, formula, spread, how),
                }
            )
    return found


WRITTEN_OUT = {"gender * race": "gender + race + gender:race"}


def agrees(one):
    """Whether a fit is statsmodels': coefficients to 1e-6 of their standard errors, standard
    errors to 1e-6 of themselves, the log likelihood to 1e-9 of its size."""
    params, errors, likelihood = one["theirs"]
    ours = {(row["measure"], row["contrast"]): row for row in one["ours"]}
    places = [at for at, name in enumerate(one["names"]) if name in ours]
    assert len(places) == len(ours)
    apart, wider = list[float](), list[float]()
    for at in places:
        row = ours[one["names"][at]]
        apart.append(abs(row["value"] - params[at]) / errors[at])
        if row["measure"] == "coefficient_naive":
            wider.append(abs(row["se"] / errors[at] - 1))
    if (phi := one["fit"]["precision"]) is not None:
        apart.append(abs(np.log(phi) - params[-1]) / errors[-1])
    near = abs(one["fit"]["log_likelihood"] - likelihood) <= 1e-9 * max(1.0, abs(likelihood))
    return bool(near and max(apart) < 1e-6 and max(wider) < 1e-6)


def test_hundreds_of_designs_agree_with_statsmodels(against_statsmodels):
    fitted = [one for one in against_statsmodels if one["fit"]["reason"] is None]
    assert len(fitted) == len(against_statsmodels) >= 330
    stopped = [one for one in fitted if not agrees(one)]
    assert len(stopped) <= len(fitted) // 30, [one["design"][1:] for one in stopped]
    # 8 of 330 when this was written, nearly all with φ near 1e6. In 60 digits (mpmath, not at test
    # time) our coefficients were within 7e-12 standard errors of the maximum in all 8, statsmodels'
    # 8e-7 to 1e-4 away. Likelihoods tell no more than their rounding, 3e-7 there, in which
    # statsmodels' may come out the higher one.
    for one in stopped:
        ours, theirs = one["fit"]["log_likelihood"], one["theirs"][2]
        largest = one["fit"]["n"] * abs(gammaln(one["fit"]["precision"] or 1.0))
        rounding = 1e-12 * abs(ours) + 8 * np.finfo(float).eps * largest
        assert theirs <= ours + rounding, one["design"]


def test_designs_of_every_kind_were_held_against_statsmodels(against_statsmodels):
    n = [one["fit"]["n"] for one in against_statsmodels]
    phi = [one["fit"]["precision"] for one in against_statsmodels if one["fit"]["precision"]]
    assert min(n) == 12
    assert min(phi) < 1
    assert max(phi) > 1e5
    assert sum(one["fit"]["n_dropped"] > 0 for one in against_statsmodels) > 100


def sums_of(scores, cell, cells):
    """n, Σ log y and Σ log(1 − y) of each cell, for (submissions, sentences)."""
    add = np.eye(cells)[cell]
    return Sums(np.ones_like(scores) @ add, np.log(scores) @ add, np.log1p(-scores) @ add)


def simple_start(scores, columns):
    """A poor guess: the mean of all, and a spread of one kind."""
    start = np.zeros((len(scores), columns))
    start[:, 0] = logit(scores.mean(axis=1))
    return start


RANDOM = 200


def random_design(rng):
    """Cells with any columns, any numbers of scores in them, any level and spread."""
    columns, cells = int(rng.integers(1, 5)), int(rng.integers(5, 11))
    x = rng.choice([rng.normal(size=(cells, columns)), rng.integers(0, 2, (cells, columns))])
    mean = np.column_stack([np.ones(cells), x[:, np.ptp(x, axis=0) > 0]])
    if np.linalg.matrix_rank(mean) < mean.shape[1]:
        return random_design(rng)
    cell = np.repeat(np.arange(cells), rng.integers(1, rng.choice([3, 12, 60]), cells))
    level, phi = rng.choice([-3.0, 0.0, 0.0, 3.0]), rng.choice([0.7, 5.0, 40.0, 2000.0])
    mu = expit(level + mean @ rng.normal(0, 0.4, mean.shape[1]))[cell]
    return mean, cell, np.clip(rng.beta(mu * phi, (1 - mu) * phi), 1e-6, 1 - 1e-6)


@pytest.mark.slow
def test_two_hundred_random_designs_agree_with_statsmodels():
    rng, sizes, off = np.random.default_rng(200), list[int](), 0
    for _ in range(RANDOM):
        mean, cell, scores = random_design(rng)
        if scores.size < mean.shape[1] + 3:
            continue
        sums = sums_of(scores[None], cell, len(mean))
        start = simple_start(scores[None], mean.shape[1] + 1)
        fit = fit_beta(sums, mean, np.ones((len(mean), 1)), start)
        params, errors, likelihood = peer(scores, mean[cell], None)
        sizes.append(scores.size)
        assert fit.converged[0]
        se = np.sqrt(np.diag(fit.covariance[0]))
        close = np.abs(fit.parameters[0] - params).max() < 1e-6 and np.abs(se - errors).max() < 1e-6
        off += not close
        if not close:  # its optimiser stopped short, or 1e-6 is less than its rounding
            assert likelihood <= fit.log_likelihood[0] + 1e-8 * max(1.0, abs(likelihood))
    assert len(sizes) > RANDOM * 0.9
    assert min(sizes) < 12 < 200 < max(sizes)
    assert off <= len(sizes) // 20, off


CELLS = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], float)
"""The rows of gender * race."""
COMMON = np.ones((4, 1))


def some_scores(rng, many=6, n=40, phi=15.0):
    cell = rng.integers(0, 4, n)
    cell[:4] = range(4)
    mu = expit(rng.normal(0, 0.7, (many, 4)))[:, cell]
    return np.clip(rng.beta(mu * phi, (1 - mu) * phi), 1e-6, 1 - 1e-6), cell


def test_statsmodels_finds_our_maximum_flat_and_as_curved():
    # Its gradient at our parameters is 0 (in standard errors), and its Hessian the inverse of our
    # covariance: all parameters, the intercept and the precision too.
    scores, cell = some_scores(np.random.default_rng(1))
    for precision in (COMMON, CELLS[:, :2], CELLS):
        start = simple_start(scores, 4 + precision.shape[1])
        fit = fit_beta(sums_of(scores, cell, 4), CELLS, precision, start)
        assert fit.converged.all()
        for at, y in enumerate(scores):
            model = betareg.BetaModel(y, CELLS[cell], exog_precision=precision[cell])
            se = np.sqrt(np.diag(fit.covariance[at]))
            assert np.abs(model.score(fit.parameters[at]) * se).max() < 1e-9
            hessian = np.asarray(model.hessian(fit.parameters[at]))
            assert -hessian @ fit.covariance[at] == pytest.approx(np.eye(len(se)), abs=1e-8)
            assert fit.log_likelihood[at] == pytest.approx(model.loglike(fit.parameters[at]))


def test_one_cell_by_hand():
    # One cell: setting the two derivatives of ℓ to 0 leaves
    #   ψ(μφ) − ψ(φ) = mean log y   and   ψ((1 − μ)φ) − ψ(φ) = mean log(1 − y),
    # the maximum-likelihood equations of Beta(a, b) with a = μφ and b = (1 − μ)φ.
    y = np.array([[0.1, 0.2, 0.25, 0.4, 0.7]])
    one = np.ones((1, 1))
    fit = fit_beta(sums_of(y, np.zeros(5, int), 1), one, one, simple_start(y, 2))
    mu, phi = float(expit(fit.parameters[0, 0])), float(np.exp(fit.parameters[0, 1]))
    a, b = mu * phi, (1 - mu) * phi
    assert digamma(a) - digamma(phi) == pytest.approx(np.log(y).mean(), abs=1e-12)
    assert digamma(b) - digamma(phi) == pytest.approx(np.log1p(-y).mean(), abs=1e-12)
    scipys = stats.beta.fit(y[0], floc=0, fscale=1)
    assert (a, b) == pytest.approx(scipys[:2], rel=1e-8)
    assert fit.log_likelihood[0] == pytest.approx(stats.beta.logpdf(y[0], a, b).sum(), rel=1e-12)


def test_two_cells_with_a_precision_of_their_own_are_two_fits_of_one():
    # With every cell its own mean and precision, the likelihood falls apart into cells.
    rng = np.random.default_rng(2)
    first, second = rng.beta(2, 5, 15), rng.beta(8, 3, 9)
    y, cell = np.concatenate([first, second])[None], np.repeat([0, 1], [15, 9])
    both = np.array([[1.0, 0.0], [1.0, 1.0]])
    fit = fit_beta(sums_of(y, cell, 2), both, both, simple_start(y, 4))
    mu, phi = means_and_precisions(both, both, fit.parameters)
    for at, alone in enumerate((first, second)):
        a, b, *_ = stats.beta.fit(alone, floc=0, fscale=1)
        assert (mu[0, at], phi[0, at]) == pytest.approx((a / (a + b), a + b), rel=1e-7)


def test_half_and_half_by_hand():
    # y and 1 − y both in the sample: by symmetry μ = 1/2 exactly, whatever the precision.
    y = np.array([[0.2, 0.8, 0.35, 0.65]])
    one = np.ones((1, 1))
    fit = fit_beta(sums_of(y, np.zeros(4, int), 1), one, one, np.array([[0.3, 1.0]]))
    assert fit.parameters[0, 0] == pytest.approx(0, abs=1e-12)
    # η and ζ are then orthogonal, and Var β₀ = 1 / (n (φ/4)² · 2 ψ′(φ/2)).
    phi = np.exp(fit.parameters[0, 1])
    trigamma = (digamma(phi / 2 + 1e-5) - digamma(phi / 2 - 1e-5)) / 2e-5
    assert fit.covariance[0, 0, 1] == pytest.approx(0, abs=1e-12)
    assert fit.covariance[0, 0, 0] == pytest.approx(1 / (4 * (phi / 4) ** 2 * 2 * trigamma))


def test_the_derivatives_are_those_of_the_likelihood():
    rng = np.random.default_rng(3)
    scores, cell = some_scores(rng, many=3)
    sums, at, h = sums_of(scores, cell, 4), rng.normal(0, 1, (3, 6)), 1e-5
    z = CELLS[:, :2]
    parts = derivatives(sums, shape_of(CELLS, z, at))
    gradient = np.concatenate([parts.eta @ CELLS, parts.zeta @ z], axis=1)
    for one, unit in enumerate(np.eye(6) * h):
        up, down = (log_likelihood(sums, CELLS, z, at + way * unit) for way in (1, -1))
        assert gradient[:, one] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-6)


def test_the_expected_information_is_the_mean_of_the_observed():
    # The second derivatives depend on the scores linearly, so that at E log y and E log(1 − y) they
    # are minus the expected information.
    mu, phi, n = np.array([[0.3, 0.8]]), np.array([[4.0, 90.0]]), np.array([[7.0, 2.0]])
    shape = shape_of(np.eye(2), np.eye(2), np.concatenate([logit(mu), np.log(phi)], axis=1))
    of_log = (digamma(part * phi) - digamma(phi) for part in (mu, 1 - mu))
    parts = derivatives(Sums(n, *(n * part for part in of_log)), shape)
    assert np.abs(parts.eta).max() < 1e-10
    assert np.abs(parts.zeta).max() < 1e-10
    for seen, expected in zip(
        (parts.eta_eta, parts.eta_zeta, parts.zeta_zeta), information(n, shape), strict=True
    ):
        assert -seen == pytest.approx(expected, rel=1e-9)


def test_many_at_once_are_each_alone():
    rng = np.random.default_rng(4)
    scores, cell = some_scores(rng, many=25)
    narrow = range(3, 6)  # easy and hard ones side by side
    scores[narrow] = np.clip(scores[narrow], 0.499, 0.501)
    scores[6] = rng.beta(0.1, 0.1, scores.shape[1]).clip(1e-4, 1 - 1e-4)
    whole = fit_beta(sums_of(scores, cell, 4), CELLS, COMMON, simple_start(scores, 5))
    for at in range(25):
        y = scores[at : at + 1]
        alone = fit_beta(sums_of(y, cell, 4), CELLS, COMMON, simple_start(y, 5))
        close = 1e-9 if at in narrow else 1e-12  # with φ = 5e5 rounding is 5e5 times as large
        assert alone.parameters[0] == pytest.approx(whole.parameters[at], rel=close, abs=close)
        assert alone.covariance[0] == pytest.approx(whole.covariance[at], rel=close, abs=close)
        # the last step may be as small as rounding, and rounding is not the same on every processor
        assert abs(int(alone.iterations[0]) - int(whole.iterations[at])) <= 1


def test_the_start_does_not_matter():
    rng = np.random.default_rng(5)
    scores, cell = some_scores(rng, many=8)
    sums = sums_of(scores, cell, 4)
    near = fit_beta(sums, CELLS, COMMON, simple_start(scores, 5))
    for wild in (rng.normal(0, 3, (8, 5)), np.full((8, 5), -4.0), np.full((8, 5), 6.0)):
        far = fit_beta(sums, CELLS, COMMON, wild)
        assert far.converged.all()
        assert far.parameters == pytest.approx(near.parameters, abs=1e-9)


def test_a_submission_without_a_start_is_left_alone():
    scores, cell = some_scores(np.random.default_rng(6), many=3)
    start = simple_start(scores, 5)
    start[1, 2] = np.nan
    fit = fit_beta(sums_of(scores, cell, 4), CELLS, COMMON, start)
    assert fit.converged.tolist() == [True, False, True]
    assert np.isnan(fit.parameters[1]).all()
    assert np.isnan(fit.covariance[1]).all()
    assert fit.iterations[1] == 0


def test_an_unidentified_column_does_not_converge():
    # Twice the same column: any split of its coefficient is as good. No fit may be claimed.
    scores, cell = some_scores(np.random.default_rng(7), many=2)
    twice = np.column_stack([CELLS, CELLS[:, 1]])
    fit = fit_beta(sums_of(scores, cell, 4), twice, COMMON, simple_start(scores, 6))
    assert not fit.converged.any()
    assert np.isnan(fit.parameters).all()


@pytest.mark.parametrize("sd", [1e-3, 1e-4, 1e-5])
def test_a_spread_near_to_nothing_is_still_that_of_least_squares(sd):
    # Far from 0 and 1 and within so little room the logit is a straight line: with m = μ(1 − μ),
    # β m is the difference of means, its error that of least squares (with n for n − 2).
    rng = np.random.default_rng(8)
    y = 0.4 + rng.normal(0, sd, (5, 60))
    cell, two = np.repeat([0, 1], 30), np.array([[1.0, 0.0], [1.0, 1.0]])
    y[:, 30:] += 2 * sd
    start = np.tile([logit(0.4), 0.0, np.log(0.24 / sd**2)], (5, 1))
    fit = fit_beta(sums_of(y, cell, 2), two, np.ones((2, 1)), start)
    assert fit.converged.all()
    gap = y[:, 30:].mean(axis=1) - y[:, :30].mean(axis=1)
    assert fit.parameters[:, 1] * 0.24 == pytest.approx(gap, rel=0.02)
    within = (y[:, :30].var(axis=1) + y[:, 30:].var(axis=1)) / 2
    error = np.sqrt(within * (2 / 30))
    assert np.sqrt(fit.covariance[:, 1, 1]) * 0.24 == pytest.approx(error, rel=0.02)


def test_the_order_of_sentences_does_not_matter():
    rng = np.random.default_rng(9)
    sentences = crossed_names(TWO, 3, 3, 2)
    values = drawn(sentences, TWO, rng, many=3)
    shuffled = rng.permutation(sentences.height)
    one = regression_study(sentences, scores_of(sentences, values, tasks=["joy"] * 3), TWO)
    other = regression_study(
        sentences[shuffled],
        scores_of(sentences[shuffled], values[:, shuffled], tasks=["joy"] * 3),
        TWO,
    )
    for name in ("value", "se", "df", "p"):
        assert one.estimates[name].to_numpy() == pytest.approx(
            other.estimates[name].to_numpy(), rel=1e-9, abs=1e-11, nan_ok=True
        )


def test_only_the_sums_of_logarithms_matter():
    # Three scores of a cell are replaced by three others with the same Σ log y and Σ log(1 − y):
    # for a given first, y and y′ follow from their product and that of 1 − y and 1 − y′.
    rng = np.random.default_rng(10)
    cell = np.repeat(np.arange(4), 5)
    scores = rng.uniform(0.3, 0.7, (1, 20))
    other = scores.copy()
    for at in range(0, 20, 5):
        a, b, c = scores[0, at : at + 3]
        first = a + 0.01
        product = a * b * c / first
        rest = (1 - a) * (1 - b) * (1 - c) / (1 - first)  # (1 − y)(1 − y′) = 1 − sum + product
        total = 1 - rest + product
        root = np.sqrt(total**2 - 4 * product + 0j)
        if abs(root.imag) > 0:
            first = a - 0.01
            product = a * b * c / first
            total = 1 - (1 - a) * (1 - b) * (1 - c) / (1 - first) + product
            root = np.sqrt(total**2 - 4 * product + 0j)
        assert root.imag == 0
        other[0, at : at + 3] = first, (total + root.real) / 2, (total - root.real) / 2
    assert np.abs(other - scores).max() > 0.005
    one, two = (
        fit_beta(sums_of(y, cell, 4), CELLS, COMMON, simple_start(scores, 5))
        for y in (scores, other)
    )
    assert two.parameters == pytest.approx(one.parameters, abs=1e-11)
    assert two.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-12)
