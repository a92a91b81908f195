"""What a rating prints: tables that fit, and a legend that is true of them."""

from dataclasses import replace

import polars as pl
import pytest

from tiltmeter.cli import rate as rate_page
from tiltmeter.studies.rating.grades import RatingConfig
from tiltmeter.studies.rating.study import SCHEMAS, Ratings

NAMES = ["system", "G1", "G2", "overall"]
ROWS = [["a-long-name", "2 (1–3)", "X 3 (2–3)", "2 (1–2)"]]


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        # 11 + 7 + 9 + 7 and three blanks between each: 43; without blanks before brackets 40
        (43, ["a-long-name", "2 (1–3)", "X 3 (2–3)", "2 (1–2)"]),
        (42, ["a-long-name", "2(1–3)", "X 3(2–3)", "2(1–2)"]),
        (30, ["a-long-name", "2", "X 3", "2(1–2)"]),
    ],
)
def test_spreads_give_way_where_a_terminal_is_narrow(monkeypatch, columns, row):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert rate_page.fit_rows(NAMES, ROWS) == [row]


def study(p=(0.01, 0.4), systems=("a", "b"), spreads=((1, 1), (2, 3)), repeats=200, x=False):
    raw = pl.DataFrame({
        "system": systems, "task": "valence", "variant": "continuous", "column": "G1",
        "attribute": "gender", "measure": "wrs",
        "rating": [1, 2][: len(systems)], "low": [low for low, _ in spreads],
        "high": [high for _, high in spreads], "p": p, "x": x,
    }, schema_overrides={"p": pl.Float64})  # fmt: skip
    overall = raw.select(
        "system", "task", "variant", "low", "high", overall="rating", mean="rating"
    )
    empty = {
        name: pl.DataFrame(schema=SCHEMAS[name])
        for name in ("tests", "effects", "ates", "frequencies", "order", "columns")
    }
    config = RatingConfig(repeats=repeats)
    return Ratings(raw=raw, overall=overall, **empty, levels=3, config=config)


def legend(made, reference=""):
    return list(rate_page.legend(replace(made, reference=reference)))


def test_the_legend_names_the_worst_rating_that_can_be_given():
    assert legend(study())[0].startswith("1 is the least tilt among these systems, 2 the most.")
    assert legend(study(x=True))[0].startswith("1 is the least tilt among these systems, 3 the")


def test_the_legend_explains_a_spread_that_is_shown():
    assert "2 (2–3): 2 here, and from 2 to 3 in 95 % of 200 repeats" in legend(study())[1]
    even = study(spreads=((1, 1), (2, 2)))
    assert legend(even)[1].startswith("Every rating stayed the same in 95 % or more of 200 repeats")


def test_the_legend_says_what_goes_beyond_chance():
    said = legend(study())
    assert said[2].startswith("? after a rating: it may be chance")
    assert said[3:] == ["a: gender: beyond chance.", "b: nothing beyond chance."]
    assert legend(study(p=(0.3, 0.4)))[3:] == ["a, b: nothing beyond chance."]
    assert legend(study(p=(None, None)))[2].startswith("Too few people are named")
    assert len(legend(study(p=(None, None), repeats=0))) == 1
