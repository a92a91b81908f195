"""Least squares from sums over cells: by hand and against statsmodels."""

import numpy as np
import pytest

from crossed_names import TWO, crossed_names, drawn
from tiltmeter.stats.clustered import fit_least_squares
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.study import regression_study
from tiny import one, scores_of

statsmodels = pytest.importorskip("statsmodels.api", reason="statsmodels is a dev extra")

TWO_CELLS = np.array([[1.0, 0.0], [1.0, 1.0]])


def fitted(scores, cell, design):
    """Fit (submissions, sentences), of which each is in a cell."""
    add = np.eye(len(design))[cell]
    return fit_least_squares(np.ones_like(scores) @ add, scores @ add, scores**2 @ add, design)


def test_two_groups_by_hand():
    # 1, 3 against 4, 8: means 2 and 6, so that β = (2, 4). Residuals ∓1, ∓2: Σ = 1+1+4+4 = 10,
    # s² = 10/2 = 5. (X'X)⁻¹ of n = 2 and 2: Var β₀ = 5/2, Var β₁ = 5/2 + 5/2 = 5, Cov = −5/2.
    found = fitted(np.array([[1.0, 3.0, 4.0, 8.0]]), np.array([0, 0, 1, 1]), TWO_CELLS)
    assert found.parameters[0] == pytest.approx([2, 4])
    assert found.covariance[0] == pytest.approx(np.array([[2.5, -2.5], [-2.5, 5.0]]))
    assert found.df.tolist() == [2]


def test_random_designs_agree_with_statsmodels():
    rng = np.random.default_rng(0)
    for size in (3, 5, 8):
        design = np.column_stack([np.ones(size), rng.normal(size=(size, 2))])
        cell = np.concatenate([np.arange(size), rng.integers(0, size, 25)])
        scores = rng.random((4, len(cell)))
        found = fitted(scores, cell, design)
        for at, y in enumerate(scores):
            peer = statsmodels.OLS(y, design[cell]).fit()
            assert found.parameters[at] == pytest.approx(peer.params, rel=1e-9)
            assert found.covariance[at] == pytest.approx(peer.cov_params(), rel=1e-9)
            assert found.df[at] == peer.df_resid


def test_a_studys_rows_agree_with_statsmodels():
    rng = np.random.default_rng(1)
    sentences = crossed_names(TWO, [2, 3, 4, 5], 3, 2)
    values = drawn(sentences, TWO, rng, many=4)
    values[1, ::9] = np.nan
    values[2, :3] = (-0.4, 1.7, 0.0)  # taken as they are: nothing is clipped
    female = (sentences["gender"] == "female").to_numpy().astype(float)
    group = (sentences["race"] == "A").to_numpy().astype(float)
    template = [(sentences["template"] == name).to_numpy() for name in ("t1", "t2")]
    columns = np.column_stack([np.ones(len(group)), female, group, female * group, *template])
    study = regression_study(
        sentences,
        scores_of(sentences, values, tasks=["joy"] * 4),
        TWO,
        Model("gender * race + template"),
    )
    for at, y in enumerate(values):
        known = ~np.isnan(y)
        peer = statsmodels.OLS(y[known], columns[known].astype(float)).fit()
        for place, axis in ((1, "gender"), (2, "race"), (3, "gender:race")):
            row = one(study.estimates, system=f"s{at}", axis=axis, measure="least_squares")
            assert row["value"] == pytest.approx(peer.params[place], rel=1e-9)
            assert row["se"] == pytest.approx(peer.bse[place], rel=1e-9)
            assert row["statistic"] == pytest.approx(peer.tvalues[place], rel=1e-9)
            assert row["p"] == pytest.approx(peer.pvalues[place], rel=1e-9)
            assert row["df"] == peer.df_resid
            low, high = peer.conf_int()[place]
            assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-9)


def test_as_many_scores_as_parameters_leave_nothing_to_go_by():
    found = fitted(np.array([[0.2, 0.4]]), np.array([0, 1]), TWO_CELLS)
    assert np.isnan(found.parameters).all()
    assert np.isnan(found.df).all()


def test_a_cell_without_scores_leaves_its_column_unknown():
    n, total = np.array([[3.0, 0.0]]), np.array([[1.2, 0.0]])
    found = fit_least_squares(n, total, np.array([[0.5, 0.0]]), TWO_CELLS)
    assert np.isnan(found.parameters).all()
    assert np.isnan(found.covariance).all()


def test_digits_survive_a_narrow_spread():
    # Around 0.9 with a spread of 1e-6, Σ y² − (Σ y)²/n keeps few digits: the error to about 1e-3.
    rng = np.random.default_rng(2)
    y = 0.9 + rng.normal(0, 1e-6, (1, 200))
    cell = np.repeat([0, 1], 100)
    found = fitted(y, cell, TWO_CELLS)
    peer = statsmodels.OLS(y[0], TWO_CELLS[cell]).fit()
    assert np.sqrt(found.covariance[0, 1, 1]) == pytest.approx(peer.bse[1], rel=1e-2)


def test_a_submission_does_not_depend_on_its_batch():
    rng = np.random.default_rng(3)
    cell, scores = np.repeat([0, 1], 6), rng.random((5, 12))
    whole = fitted(scores, cell, TWO_CELLS)
    for at in range(5):
        alone = fitted(scores[at : at + 1], cell, TWO_CELLS)
        assert alone.parameters[0] == pytest.approx(whole.parameters[at], rel=1e-13)
        assert alone.covariance[0] == pytest.approx(whole.covariance[at], rel=1e-13)
