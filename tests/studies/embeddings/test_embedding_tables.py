"""The tables of embeddings for spreadsheets: the paper's Table 1, and nothing lost on the way."""

from dataclasses import replace

import polars as pl
import pytest

from made_up_embeddings import (
    GLOVE,
    HOSTILE,
    NAMES,
    NEWS,
    ORIGIN,
    RELIGION,
    TEXTS,
    all_refused,
    frame,
    made_up_material,
    many_embeddings,
    odd_material,
    one_embedding,
)
from tiltmeter.files import without_formulas
from tiltmeter.studies.embeddings.tables import in_plain_cells, spreadsheets, square

STUDY = made_up_material()
PAPER = {
    ("GloVe", ORIGIN): 0.6225, ("GloVe", RELIGION): 0.3692,
    ("Word2Vec", ORIGIN): 0.1945, ("Word2Vec", RELIGION): 0.1026,
    ("ConceptNet", ORIGIN): 0.0102, ("ConceptNet", RELIGION): 0.0291,
}  # fmt: skip


@pytest.fixture(scope="module")
def tables():
    return spreadsheets(STUDY)


def test_every_table_is_there_and_none_is_empty(tables):
    assert [name for name in tables if not name.startswith("correlations-")] == [
        *("table-1", "embeddings", "rnsb", "terms", "groups", "comparisons", "correlations"),
        *(
            "classifiers",
            "ridges",
            "map",
            "weat",
            "associations",
            "others",
            "links",
            "link-names",
            "link-gaps",
        ),
        *("mitigation", "missing-terms"),
    ]
    assert all(one.height for one in tables.values())


def test_table_1_is_laid_out_as_in_the_paper():
    rows = [
        {"embedding": name, "list": of, "title": of, "rnsb": value}
        for (name, of), value in PAPER.items()
    ]
    table = spreadsheets(made_up_material(rnsb=frame("rnsb", rows)))["table-1"]
    assert table.select("list", "GloVe", "Word2Vec", "ConceptNet").rows() == [
        (ORIGIN, 0.6225, 0.1945, 0.0102),
        (RELIGION, 0.3692, 0.1026, 0.0291),
    ]
    assert not [name for name in table.columns if "reason" in name]


def test_a_refused_cell_is_empty_and_a_column_says_why(tables):
    table = tables["table-1"]
    assert table.columns == [
        *("list", "title", GLOVE, f"{GLOVE} low", f"{GLOVE} high"),
        *(NEWS, f"{NEWS} low", f"{NEWS} high", TEXTS, f"{TEXTS} low", f"{TEXTS} high"),
        f"{NEWS} reason",
    ]
    religion = table.row(by_predicate=pl.col("list") == RELIGION, named=True)
    assert (religion[NEWS], religion[f"{NEWS} low"]) == (None, None)
    assert religion[f"{NEWS} reason"].startswith("2 of 7 terms are in the embedding")
    assert religion[GLOVE] is not None
    assert religion["title"] == "Religion"


def test_where_all_is_refused_table_1_still_says_why():
    table = spreadsheets(all_refused())["table-1"]
    assert table.select(GLOVE, NEWS).null_count().row(0) == (3, 3)
    assert table.schema[GLOVE] == pl.Float64
    assert table[f"{GLOVE} reason"].null_count() == 0


def test_terms_without_a_vector_are_listed(tables):
    missing = tables["missing-terms"]
    assert missing.filter(list=ORIGIN).rows() == [
        (NEWS, ORIGIN, "swedish", None),
        (NEWS, ORIGIN, "filipino", None),
        (NEWS, ORIGIN, "norwegian", None),
    ]
    assert missing.filter(list=NAMES).select("term", "group").rows() == [
        ("Latisha", "African American")
    ]


def test_what_was_found_odd_stands_beside_what_was_read(tables):
    read = tables["embeddings"]
    assert read["remarks"].to_list() == [
        "line 17: 49 values instead of 50, skipped; 2 words stand twice; the first was kept",
        "",
        "",
    ]


def test_correlations_stand_in_a_square_for_each_list_and_embedding(tables):
    own = tables[f"correlations-{ORIGIN}-{NEWS}"]
    assert own.columns == ["term", *own["term"]]
    assert own.height == 12  # of 15, three are missing
    assert own["irish"][0] == 1.0
    numbers = own.drop("term").to_numpy()
    assert (numbers == numbers.T).all()
    assert f"correlations-{RELIGION}-{NEWS}" not in tables


def test_a_square_is_filled_from_one_of_two_orders():
    rows = pl.DataFrame({"first": ["a", "a"], "second": ["b", "term"], "r": [0.5, -0.25]})
    assert square(rows).rows() == [
        ("a", None, 0.5, -0.25),
        ("b", 0.5, None, None),
        ("term", -0.25, None, None),
    ]
    assert square(rows).columns == ["term", "a", "b", "term-2"]


def test_many_embeddings_have_no_squares():
    found = spreadsheets(many_embeddings(41))
    assert "correlations" in found
    assert not [name for name in found if name.startswith("correlations-")]
    assert found["table-1"].width == 2 + 3 * 41


def test_one_embedding_alone_leaves_out_what_was_not_measured():
    assert list(spreadsheets(one_embedding())) == [
        *("table-1", "embeddings", "rnsb", "terms", "correlations", "classifiers", "ridges"),
        *("map", f"correlations-{ORIGIN}-{GLOVE}"),
    ]


def test_frames_without_rows_are_left_out():
    empty = {name: getattr(STUDY, name).clear() for name in ("rnsb", "terms", "correlations")}
    bare = replace(STUDY, **empty)
    found = spreadsheets(bare)
    assert not {"table-1", "rnsb", "terms", "missing-terms", "correlations"} & set(found)


@pytest.mark.parametrize("material", [STUDY, odd_material(), all_refused()])
def test_every_table_can_be_written_as_csv(material):
    for table in spreadsheets(material).values():
        written = without_formulas(table).write_csv().encode()
        assert pl.read_csv(written, infer_schema_length=None).height == table.height


def test_formulas_in_names_are_neutralised_and_negative_numbers_are_kept():
    odd = made_up_material(("=HYPERLINK(1)", "+1", "-x"))
    for table in spreadsheets(odd).values():
        safe = without_formulas(table)
        assert not [name for name in safe.columns if name.startswith(("=", "+", "-", "@"))]
        for column in safe.select(pl.col(pl.String)):
            assert not column.str.contains(r"^[=+\-@\t\r]").any()
        assert safe.select(pl.col(pl.Float64)).rows() == table.select(pl.col(pl.Float64)).rows()


def test_embeddings_named_like_our_columns_do_not_clash():
    table = spreadsheets(made_up_material(("list", "list low"), further=False))["table-1"]
    assert table.columns[:5] == ["list", "title", "list-2", "list low", "list high"]
    assert table.columns[5] == "list low-2"
    assert table["list"].to_list() == [ORIGIN, RELIGION, NAMES]


def test_files_of_odd_names_are_plain_and_distinct():
    found = spreadsheets(odd_material())
    squares = [name for name in found if name.startswith("correlations-")]
    assert len(squares) == 4  # two embeddings with a classifier, two lists
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in squares)
    assert HOSTILE in set(found["rnsb"]["embedding"])


def test_lists_in_cells_are_text_and_no_number_is_empty():
    odd = pl.DataFrame({"words": [["a", "b"], None], "n": [[1, 2], []], "p": [float("inf"), -0.5]})
    assert in_plain_cells(odd).rows() == [("a, b", "1, 2", None), (None, "", -0.5)]
