"""The power of verdicts, and how many people would reach one: by hand, and beside SciPy."""

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from tiltmeter.claims.power import (
    people_needed,
    power_even,
    power_tilted,
    reach,
    smallest_even,
    smallest_tilted,
)

CLOSE = 0.005
MANY = np.inf


def exact_even(tilt, se, df, margin, level):
    """P(|estimate| < margin − t · s), integrated over the distribution of s."""
    t = stats.t.ppf(1 - level, df)

    def given(s):
        room = margin - t * se * s
        inside = stats.norm.cdf((room - tilt) / se) - stats.norm.cdf((-room - tilt) / se)
        return max(inside, 0.0) * stats.chi.pdf(s * df**0.5, df) * df**0.5

    return integrate.quad(given, 0, min(margin / (t * se), 8.0), limit=200)[0]


class TestPower:
    @pytest.mark.parametrize("df", [3.0, 4.5, 9.0, 30.0, 400.0])
    @pytest.mark.parametrize("apart", [-1.0, 0.5, 2.0, 4.0])
    @pytest.mark.parametrize("level", [0.05, 0.001])
    def test_tilted_is_the_noncentral_t_distribution(self, df, apart, level):
        # With se 1 and margin 3, a tilt of 3 + apart stands `apart` standard errors beyond it.
        expected = stats.nct.sf(stats.t.ppf(1 - level, df), df, apart)
        assert power_tilted(3 + apart, 1.0, df, 3.0, level) == pytest.approx(expected, abs=CLOSE)

    def test_tilted_beside_statsmodels(self):
        # 20 numbers with sd 0.04: se = 0.04 / √20, effect size (0.035 − 0.01) / 0.04 = 0.625.
        expected = TTestPower().power(0.625, 20, 0.05, alternative="larger")
        found = power_tilted(0.035, 0.04 / 20**0.5, 19, 0.01, 0.05)
        assert found == pytest.approx(expected, abs=CLOSE)

    @pytest.mark.parametrize("df", [2.0, 4.0, 9.0, 30.0, 400.0])
    @pytest.mark.parametrize("se", [0.001, 0.003, 0.005, 0.01])
    @pytest.mark.parametrize("tilt", [0.0, 0.004, 0.01])
    def test_even_is_what_integration_gives(self, df, se, tilt):
        expected = exact_even(tilt, se, df, 0.01, 0.05)
        assert power_even(tilt, se, df, 0.01, 0.05) == pytest.approx(expected, abs=2 * CLOSE)

    def test_even_is_as_often_as_simulated_estimates_are(self):
        rng, df, se = np.random.default_rng(0), 8, 0.0035
        value = rng.normal(0.002, se, 200_000)
        error = se * np.sqrt(rng.chisquare(df, 200_000) / df)
        seen = np.mean(np.abs(value) + stats.t.ppf(0.95, df) * error < 0.01)
        assert power_even(0.002, se, df, 0.01, 0.05) == pytest.approx(seen, abs=0.006)

    def test_the_side_of_a_tilt_does_not_matter(self):
        assert power_even(-0.004, 0.003, 9, 0.01, 0.05) == power_even(0.004, 0.003, 9, 0.01, 0.05)
        assert power_tilted(-0.02, 0.003, 9, 0.01, 0.05) == power_tilted(0.02, 0.003, 9, 0.01, 0.05)

    def test_without_any_noise_a_verdict_is_certain(self):
        assert power_even(0.0, 0.0, 9, 0.01, 0.05) == 1.0
        assert power_tilted(0.02, 0.0, 9, 0.01, 0.05) == 1.0
        assert power_tilted(0.005, 0.0, 9, 0.01, 0.05) == 0.0

    @pytest.mark.parametrize("df", [3.0, 12.0, MANY])
    @pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
    def test_the_smallest_sizes_have_the_power_asked_for(self, df, power):
        tilt = smallest_tilted(0.004, df, 0.01, 0.02, power)
        assert power_tilted(tilt, 0.004, df, 0.01, 0.02) == pytest.approx(power, abs=1e-6)
        margin = smallest_even(0.004, df, 0.02, power)
        assert power_even(0.0, 0.004, df, margin, 0.02) == pytest.approx(power, abs=1e-6)


class TestReach:
    def test_of_many_degrees_of_freedom_by_hand(self):
        """Two-sided 0.05: z = 1.96; even needs 1.96 + 1.2816, tilted 1.96 + 0.8416 errors more."""
        found = reach([0.002], [1e9], 0.01, 0.05, 0.8)
        assert found.half_width[0] == pytest.approx(1.96 * 0.002, rel=1e-3)
        assert found.even_within[0] == pytest.approx(3.2415 * 0.002, rel=1e-3)
        assert found.tilted_from[0] == pytest.approx(0.01 + 2.8016 * 0.002, rel=1e-3)
        assert found.decides.tolist() == [True]

    def test_without_any_error_everything_is_told(self):
        found = reach([0.0], [1e9], 0.01, 0.05, 0.8)
        assert (found.half_width[0], found.even_within[0], found.tilted_from[0]) == (0, 0, 0.01)

    def test_few_degrees_of_freedom_ask_for_more(self):
        few, many = (reach([0.002], [df], 0.01, 0.05, 0.8).even_within[0] for df in (3, 300))
        assert few > 1.4 * many


class TestPeopleNeeded:
    def needed(self, value, *, seen=0.01, floor=0.0, rest=0.0, people=10):
        se_people = (seen**2 + floor**2) ** 0.5
        se = (se_people**2 + rest**2) ** 0.5
        asked = [value], [se], [se_people], [floor], [1e9], [people], [0.01], [0.05]
        return people_needed(*asked)[0]

    def test_inside_the_margin_people_are_counted_for_even(self):
        """The room of 0.006 must be 1.96 + 0.8416 errors: (0.01 · 2.8016/0.006)² = 21.8 times."""
        assert self.needed(-0.004) == 219

    def test_outside_it_for_tilted(self):
        """0.01 beyond the margin: (2.8016 · 0.01/0.01)² = 7.85 times ten."""
        assert self.needed(0.02) == 79

    def test_a_floor_falls_twice_over(self):
        """All of it the floor: 0.01/a = 0.01/3.2415, so 3.24 times ten and not 10.5."""
        assert self.needed(0.0, seen=0.0, floor=0.01) == 33

    def test_where_words_add_too_much_no_number_would_do(self):
        assert np.isnan(self.needed(0.0, rest=0.005))

    def test_on_the_margin_nothing_would_decide(self):
        assert np.isnan(self.needed(0.01))
