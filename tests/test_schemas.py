import re
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TableError
from tiltmeter.schemas import (
    ESTIMATES,
    FINDINGS,
    SCORES,
    SENTENCES,
    TABLES,
    VECTORS,
    ColumnSchema,
    TableSchema,
    validate,
)

# What ARCHITECTURE.md lists; the pieces that pass tables to each other rely on every name.
CONTRACT = {
    "sentences": """id text corpus edition language template person emotion emotion_word frame
        match""",
    "people": "corpus person match family bearers weight probability frames word",
    "scores": "system task corpus id repeat raw score reason",
    "vectors": "encoder text vector",
    "estimates": """system task corpus edition mode axis contrast reference subset measure value
        unit se low high statistic df p n n_dropped""",
    "findings": """id system task corpus edition mode axis contrast subset measure value low high p
        p_adjusted family n significance verdict margin rule sentence""",
}
KEYS = {
    "sentences": "corpus edition id",
    "people": "corpus person",
    "scores": "system task corpus id repeat",
    "vectors": "encoder text",
    "estimates": "system task corpus edition mode axis contrast reference subset measure",
    "findings": "id",
}

EXAMPLES = {
    "String": "a", "Float64": 0.5, "Int64": 1, "Boolean": True, "List(Float32)": [0.5, 1.0],
}  # fmt: skip
TYPES = {
    "String": pl.String,
    "Float64": pl.Float64,
    "Int64": pl.Int64,
    "Boolean": pl.Boolean,
    "List(Float32)": pl.List(pl.Float32),
}


def good(table: TableSchema, rows: int = 3) -> pl.DataFrame:
    """A frame that keeps to a table, its rows told apart by the last column of the key."""
    frame = pl.DataFrame(
        {
            name: pl.Series(
                [column.values[0] if column.values else EXAMPLES[column.dtype]] * rows,
                dtype=TYPES[column.dtype],
            )
            for name, column in table.columns.items()
        }
    )
    last, numbers = table.key[-1], pl.Series(range(rows))
    return frame.with_columns(numbers.cast(TYPES[table.columns[last].dtype]).alias(last))


def put(frame: pl.DataFrame, column: str, values: dict[int, object]) -> pl.DataFrame:
    """The frame with other values in some rows of a column, counted from 0."""
    series = frame[column].to_list()
    for row, value in values.items():
        series[row] = value
    return frame.with_columns(pl.Series(column, series, dtype=frame.schema[column]))


def faults(frame: pl.DataFrame, table: TableSchema) -> list[str]:
    with pytest.raises(TableError) as caught:
        validate(frame, table)
    return [problem.what for problem in caught.value.problems]


every_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())


# ---------------------------------------------------------------- the contract


def test_there_are_six_tables():
    assert list(TABLES) == ["sentences", "people", "scores", "vectors", "estimates", "findings"]


@every_table
def test_a_table_has_exactly_the_columns_the_architecture_lists(table):
    assert list(table.columns) == CONTRACT[table.name].split()


@every_table
def test_the_projects_own_architecture_page_lists_the_same_columns(table):
    page = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {table.name} \|.*\|(.*)\|$", page, re.MULTILINE)
    plain = " ".join(re.sub(r"\([^)]*\)", "", row).split()).replace(" ,", ",")
    keys = [key for key in KEYS["estimates"].split() if key != "reference"]
    plain = plain.replace("the estimate's keys and value", ", ".join([*keys, "value"]))
    listed = [name for name in plain.split(", ") if name != "one column per axis"]
    assert listed == list(table.columns)


@every_table
def test_a_table_is_identified_by_its_key(table):
    assert list(table.key) == KEYS[table.name].split()


def test_verdict_and_significance_hold_the_words_of_the_architecture():
    words = {name: FINDINGS.columns[name].values for name in ("significance", "verdict")}
    assert words == {
        "significance": ("none", "up", "down", "not_estimable"),
        "verdict": ("tilted", "even", "undecided", "no_signal", "not_estimable"),
    }
    assert FINDINGS.columns["verdict"].nullable
    assert not FINDINGS.columns["significance"].nullable


# ---------------------------------------------------------------- frames that keep to a table


@every_table
@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_good_frame_comes_back_as_it_is(table, rows):
    frame = good(table, rows)
    assert validate(frame, table) is frame


@every_table
def test_the_order_of_the_columns_does_not_matter(table):
    validate(good(table).select(reversed(table.columns)), table)


@every_table
def test_null_is_allowed_where_something_may_be_missing_and_nowhere_else(table):
    for name, column in table.columns.items():
        frame = put(good(table), name, {1: None})
        if column.nullable:
            validate(frame, table)
        else:
            assert f"column {name!r} is empty in row 2; expected a value" in faults(frame, table)


def test_what_may_be_missing():
    optional = {
        table.name: [name for name, column in table.columns.items() if column.nullable]
        for table in TABLES.values()
    }
    assert optional == {
        "sentences": ["emotion", "emotion_word"],
        "people": ["family", "bearers", "probability", "word"],
        "scores": ["raw", "score", "reason"],
        "vectors": [],
        "estimates": ["value", "se", "low", "high", "statistic", "df", "p"],
        "findings": ["value", "low", "high", "p", "p_adjusted", "verdict", "margin"],
    }


def test_sentences_may_have_any_axis_with_gaps():
    frame = good(SENTENCES).with_columns(pl.Series("race", ["x", None, "y"]))
    assert validate(frame, SENTENCES) is frame


def test_an_axis_must_be_text():
    frame = good(SENTENCES).with_columns(age=pl.lit(30))
    assert faults(frame, SENTENCES) == ["column 'age' holds Int32; expected String"]


def test_a_real_corpus_keeps_to_the_sentences_table():
    validate(load_corpus("eec").sentences(), SENTENCES)


# ---------------------------------------------------------------- frames that do not


@every_table
def test_each_missing_column_is_named(table):
    for name in table.columns:
        (fault,) = faults(good(table).drop(name), table)
        assert fault == f"no column {name!r}; expected {', '.join(table.columns)}"


@every_table
def test_an_unknown_column_is_named_unless_the_table_takes_axes(table):
    frame = good(table).with_columns(surprise=pl.lit("x"))
    if table is SENTENCES:
        validate(frame, table)
    else:
        (fault,) = faults(frame, table)
        assert fault.startswith("unknown column 'surprise'; expected ")


@every_table
def test_a_column_of_another_type_is_named_with_both_types(table):
    for name, column in table.columns.items():
        # Dates stand in no table. The key may repeat now, which is a problem of its own.
        frame = good(table).with_columns(pl.lit(None, dtype=pl.Date).alias(name))
        assert f"column {name!r} holds Date; expected {column.dtype}" in faults(frame, table)


@pytest.mark.parametrize("table", [SCORES, ESTIMATES, FINDINGS], ids=lambda table: table.name)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_named_with_its_row(table, number):
    for name, column in table.columns.items():
        if column.dtype == "Float64":
            frame = put(good(table), name, {0: None, 2: number})
            assert faults(frame, table) == [
                f"column {name!r} is NaN or infinite in row 3; expected a number"
            ]


def test_a_vector_with_a_number_that_is_none_is_named_with_its_row():
    frame = put(good(VECTORS), "vector", {1: [0.5, float("nan")]})
    assert "row 2" in faults(frame, VECTORS)[0]


def test_a_word_that_is_not_in_the_list_is_named_with_its_row_and_the_list():
    frame = put(good(FINDINGS), "verdict", {1: "biased", 2: None})
    assert faults(frame, FINDINGS) == [
        "column 'verdict' holds 'biased' in row 2; expected one of tilted, even, undecided, "
        "no_signal, not_estimable"
    ]


@every_table
def test_rows_with_the_same_key_are_all_named(table):
    frame = good(table)
    repeated = pl.concat([frame, frame.slice(1, 1)])
    (fault,) = faults(repeated, table)
    # Row 2 stands again as row 4.
    assert fault.endswith("stands more than once, in rows 2, 4; expected unique rows")
    for name, value in zip(table.key, frame.select(table.key).row(1), strict=True):
        assert f"{name}={value!r}" in fault


def test_five_rows_are_named_and_the_rest_counted():
    frame = put(good(SCORES, 1200), "task", dict.fromkeys(range(1000, 1200), None))
    assert faults(frame, SCORES) == [
        "column 'task' is empty in rows 1,001, 1,002, 1,003, 1,004, 1,005 and 195 more; "
        "expected a value"
    ]


def test_exactly_five_rows_are_named_without_a_count():
    frame = put(good(SCORES, 6), "task", dict.fromkeys(range(5), None))
    (fault,) = faults(frame, SCORES)
    assert "rows 1, 2, 3, 4, 5;" in fault


def test_everything_wrong_is_reported_at_once():
    frame = put(put(good(SCORES), "score", {0: float("nan")}), "task", {1: None})
    frame = frame.drop("reason").with_columns(extra=pl.lit(1))
    assert [fault.split(";")[0] for fault in faults(frame, SCORES)] == [
        "no column 'reason'",
        "column 'task' is empty in row 2",
        "column 'score' is NaN or infinite in row 1",
        "unknown column 'extra'",
    ]


def test_the_message_says_where_the_frame_came_from():
    with pytest.raises(TableError) as caught:
        validate(good(VECTORS).drop("text"), VECTORS, where="vectors.parquet")
    assert str(caught.value) == (
        "the vectors table is not as it should be:\n"
        "  vectors.parquet: no column 'text'; expected encoder, text, vector"
    )


def test_a_table_without_a_key_may_repeat_its_rows():
    frame = pl.DataFrame({"word": ["a", "a"]})
    assert validate(frame, TableSchema("words", {"word": ColumnSchema()})) is frame
