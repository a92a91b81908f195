"""The power of verdicts, and what it would take to reach one: by hand, and beside SciPy."""

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from tiltmeter.findings import reach, uncertainty
from tiltmeter.findings.enlarging import PEOPLE, TEMPLATES, enlarged
from tiltmeter.findings.needed import times_needed, units_needed
from tiltmeter.findings.power import power_even, power_tilted, smallest_even, smallest_tilted

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


class TestEnlarging:
    def test_noise_falls_with_either_and_the_rest_stays(self):
        # People add 9, templates 5, both with noise 1 in them: 9 + 5 − 1 = 13, and 2 besides: 15.
        made = uncertainty([15**0.5], [[3.0, 5**0.5, 2.0, 1.0]], [[8.0, 4.0, 30.0, np.nan]])
        # Twice the people: 8/2 + 4 + 1/2 + 2 = 10.5; twice both: 8/2 + 4/2 + 1/4 + 2 = 8.25.
        assert enlarged(made, 1, 1)[0] == pytest.approx(15**0.5)
        assert enlarged(made, 2, 1)[0] == pytest.approx(10.5**0.5)
        assert enlarged(made, 2, 2)[0] == pytest.approx(8.25**0.5)
        # df: 15² / (9²/8 + 5²/4 + 4²/30) = 225 / 16.908 = 13.307
        assert enlarged(made, 1, 1)[1] == pytest.approx(13.307, abs=1e-3)

    def test_more_noise_than_a_source_has_is_no_more_than_it(self):
        # The whole is never less than people's part: 4; noise of 9 cannot be in it.
        made = uncertainty([2.0], [[2.0, 1.0, 0.0, 3.0]], [[5.0, 5.0, 5.0, 0.0]])
        assert enlarged(made, 1, 1)[0] == pytest.approx(2.0)

    def test_a_source_that_is_not_there_adds_nothing(self):
        made = uncertainty([3.0], [[3.0, np.nan, np.nan, np.nan]], [[9.0, np.nan, np.nan, np.nan]])
        assert enlarged(made, 9, 1) == (pytest.approx(1.0), pytest.approx(81.0))


class TestNeeded:
    def made(self, people=0.01, templates=0.0):
        se = (people**2 + templates**2) ** 0.5
        return uncertainty([se], [[people, templates, 0.0, 0.0]], [[MANY, MANY, MANY, 0.0]])

    def test_outside_the_margin_people_are_counted_for_tilted(self):
        # 0.01 beyond the margin must be 1.6449 + 0.8416 = 2.4865 standard errors, 0.004022 each:
        # (0.01 / 0.004022)² = 6.183 times 10 people.
        people, templates = units_needed([0.02], self.made(), 10, 7, 0.01, 0.05)
        assert people == 62
        assert np.isnan(templates)

    def test_inside_it_for_even(self):
        # 0.006 of room on the near side: 2.4865 standard errors, 0.002413; the far side is 0.014
        # away, 5.8 of them, and adds nothing. (0.01 / 0.002413)² = 17.17 times 10.
        assert units_needed([-0.004], self.made(), 10, 7, 0.01, 0.05)[0] == 172

    def test_templates_that_are_too_few_cannot_be_made_up_for_by_people(self):
        # Templates alone: 0.005 > 0.01 / 2.9264 = 0.003417.
        people, templates = units_needed([0.0], self.made(0.001, 0.005), 10, 7, 0.01, 0.05)
        assert np.isnan(people)
        # 0.003417² − 0.001² = 0.003267²; (0.005 / 0.003267)² = 2.342 times 7.
        assert templates == 17

    def test_on_the_margin_nothing_would_decide(self):
        assert np.isnan(units_needed([0.01], self.made(), 10, 7, 0.01, 0.05)).all()

    def test_rows_and_margins_go_side_by_side(self):
        made = uncertainty([0.01] * 2, [[0.01, 0, 0, 0]] * 2, [[MANY, 6, 39, 0]] * 2)
        people, _ = units_needed([0.0, 0.0], made, [10, 20], [7, 7], [0.01, 0.02], 0.05)
        assert people.tolist() == [86, 43]  # 8.564 · 10; a quarter of it · 20 = 42.8

    def test_a_tilt_that_is_not_known_needs_nothing_known(self):
        made = uncertainty([np.nan], [[np.nan] * 4], [[np.nan] * 4])
        assert np.isnan(units_needed([np.nan], made, 10, 7, 0.01, 0.05)).all()

    def test_what_is_needed_has_the_power_and_one_less_has_not(self):
        made = uncertainty([0.0085], [[0.006, 0.006, 0.001, 0.001]], [[9.0, 6.0, 30.0, 0.0]])
        for source, there in ((PEOPLE, 30), (TEMPLATES, 11)):
            times = times_needed(np.zeros(1), np.full(1, 0.028), made, 0.01, 0.8, source)
            for units, enough in ((np.ceil(times * there), True), (times * there - 1, False)):
                factors = [units / there if one == source else 1.0 for one in (PEOPLE, TEMPLATES)]
                se, df = enlarged(made, *factors)
                assert (power_even(0.0, se, df, 0.028, 0.01) >= 0.8) == enough

    def test_enough_is_once_as_many(self):
        made = uncertainty([0.001], [[0.001, 0, 0, 0]], [[9.0, 6.0, 30.0, 0.0]])
        found = reach(made, 0.01, 0.05, 0.8)
        assert [found.people, found.templates, found.both] == pytest.approx([1.0] * 3, abs=1e-5)
        assert found.even_within < 0.01 < found.tilted_from < 0.014
