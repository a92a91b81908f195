"""Fractional logit: by hand, against statsmodels, and that it keeps the means of groups."""

import warnings

import numpy as np
import pytest
from scipy.special import logit, stdtr

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.clustered import cr2
from tiltmeter.stats.fractional_logit import (
    cluster_parts,
    clustered_covariance,
    fit_fractional_logit,
    mean_contrasts,
    robust_covariance,
)

sm = pytest.importorskip("statsmodels.api", reason="statsmodels is a dev extra")

SIZE, NAMES = 240, 24


def scores_of_names(rng):
    """Scores of 24 names in two groups, with three templates; some are 0 and some are 1."""
    name = np.repeat(np.arange(NAMES), SIZE // NAMES)
    group = (name < NAMES // 2).astype(float)
    template = np.tile(np.arange(3), SIZE // 3)
    level = 0.4 * group + 0.5 * (template == 1) + rng.normal(0, 0.5, NAMES)[name]
    y = np.clip(0.5 + 0.25 * level + rng.normal(0, 0.25, SIZE), 0, 1)
    design = np.column_stack([np.ones(SIZE), group, template == 1, template == 2]).astype(float)
    return y, design, name


def in_cells(y, design, cluster=None):
    """n, Σ y, Σ y² of every cell, and of every cluster's cells; the cells' design."""
    cells, cell = np.unique(design, axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    sums = [np.bincount(cell, value, len(cells))[None] for value in (np.ones(y.size), y, y**2)]
    if cluster is None:
        return *sums, cells
    size = (int(cluster.max()) + 1) * len(cells)
    parts = [
        np.bincount(cluster * len(cells) + cell, value, size).reshape(1, -1, len(cells))
        for value in (np.ones(y.size), y)
    ]
    return *sums, cells, *parts


@pytest.fixture(params=range(4))
def data(request):
    return scores_of_names(np.random.default_rng(request.param))


def peer(y, design, **options):
    """statsmodels' binomial GLM, which warns that scores are no counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sm.GLM(y, design, family=sm.families.Binomial())
        return model.fit(tol=1e-14, maxiter=200, **options)


def test_coefficients_are_those_of_statsmodels(data):
    y, design, _ = data
    n, total, _, cells = in_cells(y, design)
    fit = fit_fractional_logit(n, total, cells)
    assert fit.converged.tolist() == [True]
    assert fit.parameters[0] == pytest.approx(peer(y, design).params, abs=1e-8)


def test_errors_over_single_scores_are_those_of_statsmodels(data):
    y, design, _ = data
    n, total, squares, cells = in_cells(y, design)
    fit = fit_fractional_logit(n, total, cells)
    ours = robust_covariance(fit, n, total, squares, cells)
    theirs = peer(y, design, cov_type="HC0").cov_params()
    assert ours[0] == pytest.approx(theirs, rel=1e-6)


def test_errors_over_names_are_those_of_statsmodels(data):
    y, design, name = data
    n, total, _, cells, of_names, totals_of_names = in_cells(y, design, name)
    fit = fit_fractional_logit(n, total, cells)
    parts = cluster_parts(fit, of_names, totals_of_names, cells)
    options = {"groups": name, "use_correction": False}
    theirs = peer(y, design, cov_type="cluster", cov_kwds=options).cov_params()
    assert clustered_covariance(fit, parts)[0] == pytest.approx(theirs, rel=1e-6)


def test_with_few_names_cr2_takes_the_same_parts(data):
    """Bell & McCaffrey's correction makes errors larger; with a group's column by itself, CR2 of
    its logit is (n − 1)-corrected: 12 names a group make it √(12/11) times the plain one."""
    y, design, name = data
    groups = design[:, :2]
    n, total, _, cells, of_names, totals_of_names = in_cells(y, groups, name)
    fit = fit_fractional_logit(n, total, cells)
    parts = cluster_parts(fit, of_names, totals_of_names, cells)
    ask = np.array([[[0.0, 1.0]]])
    corrected = cr2(parts.scores, parts.information, fit.inverse, ask)
    plain = clustered_covariance(fit, parts)[0, 1, 1]
    assert corrected.variance[0, 0] == pytest.approx(plain * 12 / 11)
    # Welch's: above the 11 of a group by itself, at most the 22 of both.
    assert 11 < corrected.df[0, 0] <= 22 + 1e-6


def test_the_scores_add_up_to_nothing(data):
    """X'(y − μ) = 0 is what makes fitted means those of the scores."""
    y, design, name = data
    n, total, _, cells, of_names, totals_of_names = in_cells(y, design, name)
    fit = fit_fractional_logit(n, total, cells)
    parts = cluster_parts(fit, of_names, totals_of_names, cells)
    assert np.abs(parts.scores.sum(axis=1)).max() < 1e-9
    assert np.linalg.inv(parts.information.sum(axis=1))[0] == pytest.approx(fit.inverse[0])


def test_two_groups_by_hand():
    """Women 0, ½, 1 (mean ½), men 0, 0, ¾ (mean ¼): logits 0 and −log 3, the difference log 3.

    Σ (y − μ)²: women ½, men 1/16 + 1/16 + 1/4 = 3/8. Information n μ (1 − μ): 3/4 and 9/16.
    HC0 of a logit: ½/(9/16) = 8/9 and (3/8)/(81/256) = 32/27; of their difference 8/9 + 32/27
    = 56/27. In points: women ½/9 = 1/18, men (3/8)/9 = 1/24; together 7/72.
    """
    design = np.array([[1.0, 1.0], [1.0, 0.0]])
    n, total = np.array([[3.0, 3.0]]), np.array([[1.5, 0.75]])
    squares = np.array([[1.25, 0.5625]])
    fit = fit_fractional_logit(n, total, design)
    assert fit.parameters[0] == pytest.approx([-np.log(3), np.log(3)])
    covariance = robust_covariance(fit, n, total, squares, design)
    assert covariance[0, 1, 1] == pytest.approx(56 / 27)
    points = mean_contrasts(fit, np.array([[1.0, -1.0]]), design)
    assert points.value[0, 0] == pytest.approx(0.25)
    combination = points.combinations[0, 0]
    assert combination @ covariance[0] @ combination == pytest.approx(7 / 72)


def test_it_reproduces_the_means_of_cells():
    """A column for each cell: fitted means are the cells', so a balanced difference in points is
    the raw one, where a Beta regression moved −1.91 to −1.68 (METHODS §10.8)."""
    rng = np.random.default_rng(5)
    n = rng.integers(1, 9, (6, 4)).astype(float)
    total = n * rng.uniform(0.02, 0.98, (6, 4))
    design = np.column_stack([np.ones(4), [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]]).astype(float)
    fit = fit_fractional_logit(n, total, design)
    assert fit.means == pytest.approx(total / n)
    raw = (total / n) @ np.array([0.5, 0.5, -0.5, -0.5])
    value = mean_contrasts(fit, np.array([[0.5, 0.5, -0.5, -0.5]]), design).value
    assert value[:, 0] == pytest.approx(raw)


def test_without_interactions_it_still_keeps_the_groups_means():
    y, design, _ = scores_of_names(np.random.default_rng(6))
    n, total, _, cells = in_cells(y, design)
    fit = fit_fractional_logit(n, total, cells)
    for column in cells.T:
        mine = column == 1
        fitted = (n * fit.means)[0, mine].sum()
        assert fitted == pytest.approx(total[0, mine].sum())


def test_submissions_do_not_touch_each_other():
    rng = np.random.default_rng(7)
    design = np.column_stack([np.ones(3), [0, 1, 0], [0, 0, 1]]).astype(float)
    n = rng.integers(2, 9, (5, 3)).astype(float)
    total = n * rng.uniform(0.05, 0.95, (5, 3))
    together = fit_fractional_logit(n, total, design).parameters
    for row in range(5):
        single = fit_fractional_logit(n[row : row + 1], total[row : row + 1], design).parameters
        assert together[row] == pytest.approx(single[0], rel=1e-12)


def test_scores_near_an_end_converge():
    design = np.array([[1.0, 1.0], [1.0, 0.0]])
    shares = np.array([[1e-6, 0.5], [0.999_999, 0.5], [1e-4, 1e-5]])
    fit = fit_fractional_logit(np.full((3, 2), 1000.0), 1000 * shares, design)
    assert fit.converged.all()
    assert fit.parameters[:, 0] == pytest.approx(logit(shares[:, 1]))


def test_where_there_is_no_maximum_there_is_no_number():
    """All of a group's scores 0; two columns alike; no score at all; a sound one beside them."""
    design = np.array([[1.0, 1.0], [1.0, 0.0]])
    n = np.array([[4.0, 4], [0, 4], [0, 0], [4, 4]])
    total = np.array([[0.0, 2], [0, 2], [0, 0], [1, 2]])
    fit = fit_fractional_logit(n, total, design)
    assert fit.converged.tolist() == [False, False, False, True]
    assert np.isnan(fit.parameters[:3]).all()
    assert np.isnan(fit.means[:3]).all()
    assert np.isfinite(fit.parameters[3]).all()


def test_the_level_holds_over_names():
    """Names with effects of their own, lexicon-like: 0.5 but for one score in four at 0.9. 600
    draws at 5 %, three errors are 2.7 %; CR2 with its degrees of freedom."""
    rng, missed = np.random.default_rng(8), 0
    for _ in range(600):
        name = np.repeat(np.arange(20), 12)
        group = (name < 10).astype(float)
        moved = rng.random(20)[name] < 0.25
        y = np.where(moved, 0.9, 0.5)
        n, total, _, cells, of_names, totals = in_cells(
            y, np.column_stack([np.ones(240), group]), name
        )
        fit = fit_fractional_logit(n, total, cells)
        parts = cluster_parts(fit, of_names, totals, cells)
        ask = mean_contrasts(fit, (2 * cells[:, 1] - 1)[None], cells)
        error = cr2(parts.scores, parts.information, fit.inverse, ask.combinations)
        if error.variance[0, 0] > 0:
            t = abs(ask.value[0, 0]) / np.sqrt(error.variance[0, 0])
            missed += 2 * stdtr(error.df[0, 0], -t) < 0.05
    assert missed <= 600 * (0.05 + 0.027)


def test_what_cannot_be_used_is_an_error():
    with pytest.raises(ArgumentError, match="beyond 0 to 1"):
        fit_fractional_logit(np.array([[2.0]]), np.array([[3.0]]), np.ones((1, 1)))
    with pytest.raises(ArgumentError, match="the shapes"):
        fit_fractional_logit(np.ones((1, 2)), np.ones((1, 2)), np.ones((3, 1)))
