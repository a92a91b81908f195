"""A plan from assumed spreads, from systems and from an audit's folder, which tell the same."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import tiltmeter
from tiltmeter import load_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.planning.design import Spreads
from tiltmeter.studies.planning.run import TYPICAL, plan

SYSTEMS = ["vader", "tilted:gender=0.01,noise=0.05", "constant"]
CLAIMS = [("gender", "names"), ("gender", "couples"), ("race", "names")]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("plan") / "store"


@pytest.fixture(scope="module")
def of_systems(store):
    return plan(SYSTEMS, store=store)


def row(found, system, axis, kind="names"):
    return found.table.filter(
        pl.col("system").eq_missing(pl.lit(system)), pl.col("axis") == axis, pl.col("kind") == kind
    ).row(0, named=True)


class TestAssumed:
    def test_a_row_for_each_claim_with_its_units(self):
        found = plan(corpus="eec")
        assert found.assumed == TYPICAL
        assert found.family == 3
        units = found.table.select("axis", "kind", "people", "templates", "words", "sentences")
        assert units.rows() == [
            ("gender", "names", 40, 11, 40, 5760),
            ("gender", "couples", 10, 11, 40, 2880),
            ("race", "names", 40, 11, 40, 5760),
        ]

    def test_a_spread_of_people_alone_by_hand(self):
        """Race: four cells of ten, each counting a half: se² = 4 · ¼ · σ²/10 = 0.01²/10, and the
        floor adds p₀ (1 − p₀) = 0.0434 of it, as w is no less than what people do."""
        found = plan(spreads=Spreads(0.01, 0.0, 0.0, 0.0, 0.0), level=0.15, power=0.8)
        race = row(found, None, "race")
        p = 0.5 / 11
        se = 0.01 * np.sqrt(0.1 * (1 + p * (1 - p)))
        assert race["se"] == pytest.approx(se)
        assert race["df"] == pytest.approx(36 * (1 + p * (1 - p)) ** 2)
        # Level 0.15 shared by three claims, two-sided: 0.025 each side.
        assert race["half_width"] == pytest.approx(stats.t.ppf(0.975, race["df"]) * se)
        assert race["even_within"] == pytest.approx(3.33 * se, rel=0.02)
        assert race["tilted_from"] == pytest.approx(0.01 + 2.88 * se, rel=0.02)

    def test_more_names_are_those_of_the_census(self):
        found = plan(corpus="eec", family=2)
        race = found.more.filter(pl.col("axis") == "race")
        assert race["population"].unique().to_list() == ["names-us"]
        assert race["people"].to_list() == [10, 40, 100, 300, 600, 10_469]
        assert race["census"].to_list() == [False] * 5 + [True]
        assert race["half_width"].is_sorted(descending=True)
        sizes = [load_corpus("names-us", people=n).size for n in (40, 300)]
        told = race.filter(pl.col("people").is_in([40, 300]))["sentences"]
        assert told.to_list() == pytest.approx(sizes, rel=0.05)

    def test_a_list_of_ones_own_is_planned_to_grow_without_end(self, tmp_path):
        rows = ["text,age,person,template"]
        rows += [
            f"{who} {nth} is here {place}.,{who},{who} {nth},{place}"
            for place in "abc" for who in ("young", "old") for nth in range(3)
        ]  # fmt: skip
        (tmp_path / "ages.csv").write_text("\n".join(rows))
        found = plan(
            corpus=tmp_path / "ages.csv", spreads=Spreads(0.01, 0.0, 0.0, 0.0, 0.0), family=1
        )
        assert found.more["population"].null_count() == found.more.height == 5
        assert found.more["sentences"].to_list() == [2 * 3 * n for n in (10, 40, 100, 300, 600)]
        at = dict(found.more.select("people", "se").rows())
        assert at[100] / at[600] == pytest.approx(np.sqrt(6), rel=0.01)

    def test_a_smaller_margin_needs_more_names(self):
        needed = [row(plan(margin=one), None, "race")["needed_people"] for one in (0.02, 0.005)]
        assert 10 < needed[0] < needed[1]

    def test_where_words_add_too_much_no_number_of_names_would_do(self):
        found = plan(spreads=Spreads(0.01, 0.01, 0.1, 0.01, 0.1), margin=0.005)
        assert row(found, None, "race")["needed_people"] is None

    def test_a_margin_for_each_axis(self):
        found = plan(margin={"race": 0.03, "default": 0.02})
        assert found.table["margin"].to_list() == [0.02, 0.02, 0.03]

    def test_a_family_given_shares_the_level_among_more(self):
        few, many = (plan(family=one).table["half_width"][0] for one in (1, 438))
        assert many > 1.5 * few


class TestMeasured:
    def test_the_noise_of_a_control_is_what_was_planted(self, of_systems):
        found = row(of_systems, "tilted:gender=0.01,noise=0.05", "race")
        assert found["sd_noise"] == pytest.approx(0.05, rel=0.1)
        assert found["sd_people"] < 0.01

    def test_forty_names_say_little_of_a_lexicons_spread(self, of_systems):
        found = row(of_systems, "vader", "race")
        assert found["sd_low"] < found["sd_people"] < found["sd_high"]
        assert found["sd_high"] > 2 * found["sd_low"]

    def test_a_system_that_nothing_moves_says_nothing(self, of_systems):
        found = row(of_systems, "constant", "gender")
        assert found["se"] is None
        assert "nothing moves its scores" in found["reason"]

    def test_from_an_audits_folder_it_is_the_same(self, of_systems, store, tmp_path):
        audit = tiltmeter.audit(SYSTEMS, store=store, measures="pairs", flips=0)
        audit.report(tmp_path / "out")
        found = plan(folder=tmp_path / "out")
        assert found.corpus == "eec"
        keys = ["axis", "kind", "system"]
        assert_frame_equal(found.table.sort(keys), of_systems.table.sort(keys), abs_tol=1e-9)
        assert_frame_equal(
            found.more.sort([*keys, "people"]), of_systems.more.sort([*keys, "people"]),
            abs_tol=1e-9,
        )  # fmt: skip

    def test_the_error_is_that_of_the_audits_claims(self, of_systems, store):
        audit = tiltmeter.audit(SYSTEMS[:2], store=store, measures="pairs", flips=0)
        tilt = audit.estimates.filter(pl.col("measure") == "tilt")
        for system, axis, kind, se in tilt.select("system", "axis", "subset", "se").rows():
            assert row(of_systems, system, axis, kind)["se"] == pytest.approx(se, rel=0.1)

    def test_an_unknown_scale_is_a_reason(self, store):
        found = plan({"odd": lambda texts: [7.0 * len(text) for text in texts]}, store=store)
        assert found.table["se"].null_count() == 3
        assert "give --scale" in found.table["reason"][0]

    def test_the_median_is_over_rows_with_an_error(self, of_systems):
        some = of_systems.table.filter(pl.col("se") > 0, pl.col("kind") == "names")
        assert of_systems.typical.people == np.median(some["sd_people"].to_numpy())
        assert plan().typical is None


class TestRefused:
    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"power": 1.2}, "the power lies between 0 and 1"),
            ({"level": 0.0}, "the level lies between 0 and 1"),
            ({"margin": 0.0}, "margin"),
            ({"margin": {"rase": 0.02}}, "did you mean 'race'"),
            ({"spreads": Spreads(-1.0, 0.0, 0.0, 0.0, 0.0)}, "standard deviation of people is -1"),
            ({"systems": ["vader"], "spreads": TYPICAL}, "leave out the assumed"),
            ({"systems": ["vader"], "folder": "out"}, "give one of them"),
            ({"folder": "nowhere"}, "no such folder"),
        ],
    )
    def test_with_one_message(self, asked, said):
        with pytest.raises(TiltmeterError, match=said):
            plan(**asked)
