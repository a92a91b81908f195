"""The tables of a rating for spreadsheets: the paper's numbers, and nothing lost on the way."""

from dataclasses import replace

import polars as pl
import pytest

from rating_examples import (
    ATTRIBUTE,
    OVERALL,
    RATINGS,
    SYSTEMS,
    columns_frame,
    csv_tables,
    example,
    many_examples,
    raw,
    renamed,
    silenced,
    with_frames,
    without_repeats,
)
from tiltmeter.files import without_formulas
from tiltmeter.studies.rating.tables import die_frame, huge, superscript

PAPER = example()

COLUMNS = ["G1", "G2", "G3-R", "G3-G", "G3-RG", "G4"]


@pytest.fixture(scope="module")
def tables():
    return csv_tables(PAPER)


def test_every_table_is_there_and_none_is_empty(tables):
    wide = [
        f"t-values-wide-{column}-{variant}"
        for variant in ("continuous", "discretised")
        for column in ("g1", "g3-r", "g3-g", "g3-rg")
    ]
    assert list(tables) == [
        *("ratings", "raw-scores", "t-values", *wide, "die", "ate"),
        *("frequencies", "order", "columns"),
    ]
    assert all(frame.height for frame in tables.values())


def test_every_table_can_be_written_as_csv(tables):
    for frame in tables.values():
        assert pl.read_csv(without_formulas(frame).write_csv().encode()).height == frame.height


@pytest.mark.parametrize("variant", ["continuous", "discretised"])
def test_ratings_are_the_papers_tables_6_and_7(tables, variant):
    rows = tables["ratings"].filter(variant=variant)
    assert rows["system"].to_list() == list(SYSTEMS)
    assert rows.select(COLUMNS).rows() == list(RATINGS[variant])
    assert rows["overall"].to_list() == list(OVERALL[variant])


def test_the_spread_of_ratings_stands_after_them(tables):
    names = tables["ratings"].columns
    assert names[:12] == ["system", "task", "variant", *COLUMNS, "overall", "mean", "dominates"]
    assert names[12:15] == ["G1 low", "G1 high", "G1 steady"]
    assert names[-3:] == ["overall low", "overall high", "overall steady"]
    gru = tables["ratings"].row(by_predicate=(pl.col("system") == "gru")
                                & (pl.col("variant") == "discretised"), named=True)  # fmt: skip
    assert (gru["G2"], gru["G2 low"], gru["G2 high"], gru["G2 steady"]) == (3, 2, 3, 0.71)


def test_raw_scores_are_in_the_papers_order_with_x_last(tables):
    # Table 2, Group-2: {S_d: 0, S_t: 0, S_r: 10.87, S_b: 128.5, S_g: X}
    own = tables["raw-scores"].filter(variant="discretised", column="G2")
    assert own.select("system", "psi", "x", "rating").rows() == [
        ("distilbert", 0.0, False, 1),
        ("textblob", 0.0, False, 1),
        ("random", 10.87, False, 2),
        ("biased-female", 128.5, False, 3),
        ("gru", None, True, 3),
    ]


def test_what_is_not_rated_stands_last_with_its_reason():
    found = csv_tables(silenced(PAPER, "textblob"))
    own = found["raw-scores"].filter(variant="discretised", column="G2")
    assert own["system"].to_list()[-2:] == ["gru", "textblob"]  # X is an answer, silence is none
    assert own.row(-1, named=True)["reason"] == "it answered none of the 240 sentences"
    rated = found["ratings"].filter(system="textblob")
    assert rated.select(*COLUMNS, "overall").null_count().row(0) == (2,) * 7


def test_a_wide_table_has_the_papers_row_of_the_biased_system(tables):
    # Table 4, S_b: male and NA 0, male and female H, female and NA H, each raised 1. Of E1, the
    # means are -1 and 1 and no score varies: t = (-1 - 1) / 0.0001.
    own = tables["t-values-wide-g1-discretised"].filter(system="biased-female")
    assert own["words"].to_list() == ["E1", "E2", "E3", "E4", "E5"]
    assert set(own.drop("dataset", "words").rows()) == {
        ("biased-female", "valence", -20000.0, 1, 0.0, None, 20000.0, 1)
    }
    assert own.columns[4:] == [
        *("male - female t", "male - female superscript"),
        *("male - NA t", "male - NA superscript"),
        *("female - NA t", "female - NA superscript"),
    ]


def test_the_long_table_says_what_is_printed_as_h(tables):
    long = tables["t-values"].filter(pl.col("huge"))
    assert set(long["system"]) == {"biased-female"}
    assert set(long["t"].abs()) == {20000.0}
    assert set(long["superscript"]) == {1}


@pytest.mark.parametrize(
    ("t", "first", "second", "printed"),
    [
        (20000.0, 1.0, -1.0, True),  # 2 / 0.0001
        (-100.0, 0.0, 0.01, True),
        (10.0, 0.001, 0.0, False),  # nothing varies, but 10 can be printed
        (150.0, 0.9, 0.0, False),  # 0.9 / 150 = 0.006: scores vary
        (None, None, 0.0, False),
        (float("inf"), 1.0, 0.0, True),
    ],
)
def test_h_is_a_large_t_of_scores_that_never_vary(t, first, second, printed):
    one = {"t": [t], "mean_first": [first], "mean_second": [second]}
    frame = pl.DataFrame(one, schema_overrides=dict.fromkeys(one, pl.Float64))
    assert frame.select(huge()).item() is printed


def test_raised_numbers_count_from_the_level_that_is_hardest_to_pass():
    frame = pl.DataFrame({"rejected": [2, 1, 0]})
    assert frame.select(superscript(2))["superscript"].to_list() == [1, 2, None]


def effect(words, polarity, die, x=False):
    return {
        "system": "s", "task": "valence", "variant": "continuous", "column": "G2",
        "dataset": f"d-{words}", "words": words, "polarity": polarity, "observed": 1.0,
        "interventional": 2.0, "die": die, "x": x, "empty": "", "n": 4,
    }  # fmt: skip


def test_both_polarities_stand_in_one_row_with_the_largest():
    # Table 16, S_b: E3 (50, 84) -> 84, E4 (50, 105.4) -> 105.4, which is its psi.
    frame = die_frame(pl.DataFrame([
        effect("E3", "negative", 50.0), effect("E3", "positive", 84.0),
        effect("E4", "negative", 50.0), effect("E4", "positive", 105.4),
    ]))  # fmt: skip
    assert frame.select("die_negative", "die_positive", "largest", "worst").rows() == [
        (50.0, 84.0, 84.0, False),
        (50.0, 105.4, 105.4, True),
    ]


def test_an_x_is_worse_than_any_number_and_a_missing_polarity_is_left_empty():
    frame = die_frame(pl.DataFrame([
        effect("E3", "negative", 300.0), effect("E3", "positive", 1.0),
        effect("E4", "negative", None, x=True), effect("E4", "positive", 2.0),
        effect("E5", "positive", None),
    ]))  # fmt: skip
    assert frame.select("largest", "x", "worst").rows() == [
        (300.0, False, False),
        (2.0, True, True),
        (None, False, False),
    ]
    assert frame.row(2, named=True)["observed_negative"] is None


def test_no_impact_at_all_marks_no_dataset():
    frame = die_frame(pl.DataFrame([effect("E3", "negative", 0.0), effect("E4", "negative", 0.0)]))
    assert not frame["worst"].any()


def test_diagrams_and_datasets_are_plain_text(tables):
    own = tables["columns"].row(by_predicate=pl.col("column") == "G2", named=True)
    assert own["edges"].startswith("gender -> sentiment; emotion word -> sentiment; gender -> ")
    assert own["datasets"] == "rating-2-e3, rating-2-e4, rating-2-e5"


def test_formulas_in_names_are_neutralised_and_negative_numbers_are_kept():
    named = renamed(PAPER, {"gru": "=HYPERLINK(1)", "random": "+1", "textblob": "-x"})
    for frame in csv_tables(named).values():
        safe = without_formulas(frame)
        for column in safe.select(pl.col(pl.String)):
            assert not column.str.contains(r"^[=+\-@\t\r]").any()
        assert safe.select(pl.col(pl.Float64)).equals(frame.select(pl.col(pl.Float64)))


def test_columns_named_like_ours_do_not_clash():
    theirs = {"G1": "system", "G2": "overall", "G4": "mean"}
    odd = with_frames(
        PAPER,
        raw=raw().with_columns(pl.col("column").replace(theirs)),
        columns=columns_frame().with_columns(pl.col("column").replace(theirs)),
    )
    names = csv_tables(odd)["ratings"].columns
    assert names[:11] == ["system", "task", "variant", "system-2", "overall", "G3-R", "G3-G",
                          "G3-RG", "mean", "overall-2", "mean-2"]  # fmt: skip


def test_without_repeats_there_is_no_table_of_frequencies_or_order():
    found = csv_tables(without_repeats(PAPER))
    assert not {"frequencies", "order"} & set(found)
    assert found["ratings"]["G1 low"].null_count() == found["ratings"].height


def test_one_system_on_one_group_is_enough():
    alone = example(("gru",), ("continuous",), ("G1",))
    assert list(csv_tables(alone)) == [
        *("ratings", "raw-scores", "t-values", "t-values-wide-g1-continuous"),
        *("frequencies", "columns"),
    ]
    assert ATTRIBUTE["G1"] == csv_tables(alone)["raw-scores"]["attribute"].item()


def test_only_assigned_words_leave_no_t_values():
    found = csv_tables(example(columns=("G2", "G4")))
    assert {"die", "ate"} < set(found)
    assert not [name for name in found if name.startswith("t-values")]


def test_ten_systems_keep_their_rows_in_order():
    many = many_examples(10)
    rows = csv_tables(many)["ratings"]
    assert rows.select("system", "task", "variant").equals(
        many.overall.select("system", "task", "variant")
    )


def test_tasks_of_one_system_are_told_apart():
    joy = {
        name: pl.concat([frame, frame.with_columns(task=pl.lit("joy"))])
        for name in ("raw", "overall", "tests", "effects", "ates", "frequencies")
        for frame in [getattr(PAPER, name)]
    }
    found = csv_tables(replace(PAPER, **joy))
    assert found["ratings"].height == 2 * csv_tables(PAPER)["ratings"].height
    assert set(found["t-values-wide-g1-continuous"]["task"]) == {"valence", "joy"}


def test_the_rows_of_a_system_stand_together_whatever_order_they_come_in():
    by_words = ["variant", "column", "words", "system"]
    mixed = with_frames(
        PAPER, tests=PAPER.tests.sort(by_words), effects=PAPER.effects.sort(by_words)
    )
    found = csv_tables(mixed)
    own = found["t-values-wide-g1-continuous"]
    assert own["system"].to_list() == [name for name in sorted(SYSTEMS) for _ in range(5)]
    die = found["die"].filter(column="G2", variant="continuous")
    assert die["words"].to_list() == ["E3", "E4", "E5"] * len(SYSTEMS)
