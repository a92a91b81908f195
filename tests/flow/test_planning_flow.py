"""A plan from assumed noise, from systems and from an audit's folder, which tell the same."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import tiltmeter
from tiltmeter.errors import TiltmeterError
from tiltmeter.flow import TYPICAL, plan
from tiltmeter.measures import Spreads

SYSTEMS = ["vader", "tilted:gender=0.01,noise=0.05", "constant"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("plan") / "store"


@pytest.fixture(scope="module")
def of_systems(store):
    return plan(SYSTEMS, store=store)


def row(found, system, axis):
    return found.table.filter(
        pl.col("system").eq_missing(pl.lit(system)), pl.col("axis") == axis
    ).row(0, named=True)


class TestAssumed:
    def test_a_row_for_each_contrast_with_its_units(self):
        found = plan(corpus="eec")
        assert found.assumed == TYPICAL
        assert found.family == 2
        assert found.table["system"].null_count() == 2
        units = found.table.select("axis", "people", "templates", "words", "pairs").rows()
        assert units == [("gender", 30, 11, 40, 1584), ("race", 20, 11, 40, 144)]

    def test_noise_of_people_alone_by_hand(self):
        # Race: 20 names a side, each with sd 0.01: se = 0.01 · √(2/20) = 0.00316.
        found = plan(spreads=Spreads(0.01, 0.0, 0.0, 0.0), level=0.1, power=0.8)
        race = row(found, None, "race")
        assert race["se"] == pytest.approx(0.01 * 0.1**0.5)
        assert race["df"] == pytest.approx(36)
        # Level 0.1 shared by two: 0.05. About (t(0.95) + t(0.9)) · se = (1.688 + 1.306) · 0.00316.
        assert race["even_within"] == pytest.approx(2.99 * 0.00316, rel=0.01)
        assert race["tilted_from"] == pytest.approx(0.01 + (1.688 + 0.852) * 0.00316, rel=0.01)
        assert race["needed_people"] == 20

    def test_a_smaller_margin_needs_more_names_with_the_square(self):
        spreads = Spreads(0.01, 0.0, 0.0, 0.0)
        needed = [
            row(plan(spreads=spreads, margin=one), None, "race")["needed_people"]
            for one in (0.002, 0.001)
        ]
        assert needed[1] / needed[0] == pytest.approx(4, rel=0.02)

    def test_templates_that_are_too_few_are_said_to_be(self):
        found = row(plan(spreads=Spreads(0.0, 0.02, 0.0, 0.0)), None, "race")
        assert found["needed_people"] is None
        assert found["needed_templates"] > 11
        assert found["both_templates"] == found["needed_templates"]

    def test_a_margin_for_each_axis(self):
        found = plan(margin={"race": 0.03, "default": 0.02})
        assert found.table["margin"].to_list() == [0.02, 0.03]

    def test_a_family_given_shares_the_level_among_more(self):
        few, many = (plan(family=one).table["even_within"][0] for one in (1, 438))
        assert many > 1.5 * few


class TestMeasured:
    def test_the_noise_of_a_control_is_what_was_planted(self, of_systems):
        found = row(of_systems, "tilted:gender=0.01,noise=0.05", "race")
        assert found["sd_noise"] == pytest.approx(0.05, rel=0.1)
        assert found["sd_people"] < 0.01

    def test_a_system_without_noise_is_told_at_once(self, of_systems):
        found = row(of_systems, "constant", "gender")
        assert (found["se"], found["even_within"], found["needed_people"]) == (0, 0, 30)
        assert found["tilted_from"] == found["margin"]

    def test_from_an_audits_folder_it_is_the_same(self, of_systems, store, tmp_path):
        audit = tiltmeter.audit(SYSTEMS, store=store, measures="pairs", flips=0)
        audit.report(tmp_path / "out")
        found = plan(folder=tmp_path / "out")
        assert found.corpus == "eec"
        keys = ["axis", "system"]
        assert_frame_equal(found.table.sort(keys), of_systems.table.sort(keys), abs_tol=1e-9)
        tilt = audit.estimates.filter(pl.col("measure") == "tilt", pl.col("subset") == "all")
        for name, axis, se, df in tilt.select("system", "axis", "se", "df").rows():
            mine = row(found, name, axis)
            assert mine["se"] == pytest.approx(se)
            assert se == 0 or mine["df"] == pytest.approx(df)

    def test_an_unknown_scale_is_a_reason(self, store):
        found = plan({"odd": lambda texts: [7.0 * len(text) for text in texts]}, store=store)
        assert found.table["se"].null_count() == 2
        assert "give --scale" in found.table["reason"][0]

    def test_the_median_is_over_rows_with_noise(self, of_systems):
        noisy = of_systems.table.filter(pl.col("se") > 0)
        assert noisy.height == 4
        assert of_systems.typical.people == np.median(noisy["sd_people"].to_numpy())
        assert plan().typical is None


class TestRefused:
    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"power": 1.2}, "the power lies between 0 and 1"),
            ({"level": 0.0}, "the level lies between 0 and 1"),
            ({"margin": 0.0}, "margin"),
            ({"margin": {"rase": 0.02}}, "did you mean 'race'"),
            ({"spreads": Spreads(-1.0, 0.0, 0.0, 0.0)}, "standard deviation of people is -1"),
            ({"systems": ["vader"], "spreads": TYPICAL}, "leave out the assumed"),
            ({"systems": ["vader"], "folder": "out"}, "give one of them"),
            ({"folder": "nowhere"}, "no such folder"),
        ],
    )
    def test_with_one_message(self, asked, said):
        with pytest.raises(TiltmeterError, match=said):
            plan(**asked)
