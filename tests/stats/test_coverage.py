"""Coverage by group and the tilt without a cut-off: by hand, on the Census, and its error."""

from importlib.resources import files

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import ArgumentError
from tiltmeter.stats.coverage import group_coverage, tilt_without_cutoff
from tiltmeter.stats.survey import hajek

GROUPS = ("black", "white", "asian", "hispanic")


@pytest.fixture(scope="module")
def census():
    table = files("tiltmeter.corpora") / "data" / "people" / "us-first-names.parquet"
    return pl.read_parquet(str(table))


def test_the_census_at_eighty_percent(census):
    """METHODS §10.3: 8.1 % of Black, 39.9 % of White, 19.9 % Asian, 34.5 % Hispanic bearers."""
    assert census.height == 53_615  # the whole table is in the package
    shares = np.stack([census[group].to_numpy() / 10_000 for group in GROUPS])
    female = census["female"].to_numpy()
    inside = (shares >= 0.8) & ((female >= 9_000) | (female <= 1_000))
    coverage = group_coverage(census["bearers"].to_numpy().astype(float), shares, inside)
    assert coverage.round(3).tolist() == [0.081, 0.399, 0.199, 0.345]


def test_a_tilt_that_goes_with_the_share_by_hand():
    """Names of 10, 20, 30 bearers, shares 1, ½, 0 and 0, ½, 1; effects 6, 3, 0.

    First: (10·6 + 10·3)/20 = 4.5; second: (10·3 + 30·0)/40 = 0.75; θ = 3.75. A cut-off at 80 %
    would leave the middle name out, and say 6 − 0.
    """
    bearers, first = np.array([10.0, 20, 30]), np.array([1.0, 0.5, 0])
    tilt = tilt_without_cutoff(np.array([[6.0, 3, 0]]), bearers, first, 1 - first)
    assert (tilt.first[0], tilt.second[0], tilt.value[0]) == (4.5, 0.75, 3.75)
    assert (tilt.se[0], tilt.n[0], tilt.covered[0].tolist()) == (0, 3, [1, 1])


def test_names_without_an_effect_are_counted():
    bearers, first = np.array([10.0, 20, 30]), np.array([1.0, 0.5, 0])
    effects = np.array([[6.0, np.nan, 0], [np.nan] * 3])
    tilt = tilt_without_cutoff(effects, bearers, first, 1 - first, totals=(20.0, 40.0))
    assert tilt.value[0] == 6
    assert tilt.covered[0].tolist() == [0.5, 0.75]
    assert np.isnan(tilt.value[1])
    assert np.isnan(tilt.se[1])


def test_with_whole_shares_it_is_the_difference_of_two_means():
    """Shares of 0 and 1 are groups without a cut-off: as `hajek` has it, group by group."""
    rng = np.random.default_rng(0)
    bearers, effects = rng.exponential(10, 30), rng.normal(size=(1, 30))
    chance, first = rng.uniform(0.1, 0.9, 30), np.repeat([1.0, 0.0], 15)
    tilt = tilt_without_cutoff(effects, bearers, first, 1 - first, chance)
    none = np.zeros((1, 15))
    left, right = (
        hajek(effects[:, at], bearers[at], chance[at], none, none[0], np.zeros(1))
        for at in (slice(15), slice(15, 30))
    )
    assert tilt.value[0] == pytest.approx(left.value[0] - right.value[0])
    assert tilt.se[0] ** 2 == pytest.approx(left.people[0] + right.people[0])


def test_the_error_is_what_draws_show():
    """Poisson samples of a population; the mean variance is that of the estimates within 15 %."""
    rng = np.random.default_rng(1)
    size = 3_000
    bearers, first = rng.lognormal(3, 1, size), rng.beta(0.3, 0.3, size)
    effects = rng.normal(size=size) + 2 * first
    chance = np.minimum(1, 300 * bearers / bearers.sum())
    values, variances = [], []
    for _ in range(1_500):
        drawn = rng.random(size) < chance
        tilt = tilt_without_cutoff(
            effects[None, drawn], bearers[drawn], first[drawn], 1 - first[drawn], chance[drawn]
        )
        values.append(tilt.value[0])
        variances.append(tilt.se[0] ** 2)
    truth = tilt_without_cutoff(effects[None], bearers, first, 1 - first).value[0]
    assert np.mean(values) == pytest.approx(truth, abs=4 * np.std(values) / np.sqrt(1_500) + 0.01)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.15)


def test_percent_are_no_shares():
    with pytest.raises(ArgumentError, match="divide percent by 100"):
        group_coverage(np.ones(2), np.array([[90.0, 10.0]]), np.ones(2, bool))
    with pytest.raises(ArgumentError, match="expected 3"):
        group_coverage(np.ones(3), np.ones((1, 2)), np.ones(2, bool))
