"""A table in blocks: the rows, lines, notes and messages it has when it is read whole."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.corpora.files import read_table
from tiltmeter.corpora.table_blocks import TableBlocks
from tiltmeter.errors import CorpusError

SIZES = (1, 7, 40, 100)
"""Bytes of a block: smaller than a row, and several rows."""


def whole(path, encoding=None):
    """Columns, rows with their lines, and notes; or the message."""
    try:
        table = read_table(path, encoding)
    except CorpusError as error:
        return str(error)
    return table.frame.columns, [*zip(table.lines, table.frame.rows(), strict=True)], table.notes


def in_blocks(path, size, encoding=None):
    """The same, gone through in blocks; that there are several is part of the test."""
    blocks = TableBlocks(path, encoding, size)
    rows, columns, seen = [], None, 0
    try:
        for table in blocks:
            assert columns in (None, table.frame.columns)
            columns, seen = table.frame.columns, seen + 1
            rows += zip(table.lines, table.frame.rows(), strict=True)
    except CorpusError as error:
        return str(error)
    assert seen > 1 or size >= 40
    return columns, rows, tuple(blocks.notes)


def same(path, encoding=None):
    expected = whole(path, encoding)
    for size in SIZES:
        assert in_blocks(path, size, encoding) == expected, size
    return expected


ROWS = "".join(f"line {n},{n / 8}\n" for n in range(30))
SOUND = {
    "plain": "a,b\n" + ROWS,
    "without an end": "a,b\n" + ROWS + "last,1",
    "blank lines": "\n\na,b\n" + ROWS + "\n\n" + ROWS,
    "empty cells": "a,b\n" + ROWS + "x,\n,\n,2\n" * 4,
    "quotes": 'a,b\n"x, y",1\n' + ROWS + '"z ""w""",2\n' * 5,
    "cells over several lines": 'a,b\n"x\ny",1\n' + ROWS + '"\n\n",2\nq,"r\ns"\n' * 3,
    "names over two lines": '"a\nc",b\n' + ROWS + '"x",1\n',
    "quotes within words": 'a,b\n5" here,1\n' + ROWS + '6" there,2\n' * 4,
    "windows": ("a,b\n" + ROWS).replace("\n", "\r\n"),
    "old macintosh": ("a,b\n" + ROWS).replace("\n", "\r"),
    "a name that lacks": "a,\n" + ROWS,
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND.keys())
def test_a_sound_table_is_the_same_in_blocks(text, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    columns, rows, _ = same(path)
    assert len(columns) == 2
    assert len(rows) >= 30


BROKEN = {
    "rows of another length": "a,b\n" + ROWS + "x\n" * 8 + ROWS + "x,y,z\n",
    "a quote that does not close": 'a,b\n"x",1\n' + ROWS + '"open,2\n' + ROWS,
    "a quote that closes too early": 'a,b\n"x"y,1\n' + ROWS,
    "both": 'a,b\nx\n"y"\n' + ROWS + '"open,2\n',
    "names twice": "a,a\n" + ROWS,
    "another separator": "a;b\n" + ROWS.replace(",", ";"),
    "no rows": "a,b\n" + "\n" * 50,
    "nothing": "\n" * 50,
    "a NUL": "a,b\n" + ROWS + "x,\0\n",
    "another encoding": ("a,b\n" + ROWS + "é,1\n").encode("latin-1"),
    "another encoding at the end": ("a,b\n" + ROWS + "1,é").encode("latin-1"),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_is_said_in_the_same_words_with_the_same_lines(text, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert isinstance(same(path), str)


@pytest.mark.parametrize(
    "text",
    [
        'a\tb\nsay "x" and\t1\n"y\t2\n' + ROWS.replace(",", "\t"),  # a quote is a letter here
        'a\tb\n"x, y"\t1\n' + ROWS.replace(",", "\t"),
        'a\tb\n"x\ny"\t1\n' + ROWS.replace(",", "\t"),  # without quotes there would be short rows
        'a\tb\n"x\t1\n' + ROWS.replace(",", "\t") + "x\n",
    ],
    ids=["letters", "enclosing", "over two lines", "broken either way"],
)
def test_quotes_of_a_tab_separated_file_are_judged_by_the_whole_of_it(text, tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(text)
    same(path)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-32", "utf-8-sig", "utf-8"])
def test_other_encodings_are_the_same_in_blocks(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(("a,b\n" + ROWS + "é,ü\n").encode(encoding))
    same(path, None if encoding.startswith("utf-") else encoding)
    same(path, encoding)


@pytest.mark.parametrize("encoding", ["nonsense", "hex"])
def test_encodings_that_are_none_are_refused_in_the_same_words(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + ROWS)
    assert "there is no encoding called" in same(path, encoding)


def test_objects_in_lines_may_hold_different_things(tmp_path):
    path = tmp_path / "t.jsonl"
    objects = [{"a": f"x {n}", "b": n / 4} for n in range(20)]
    objects += [{"a": "y", "c": 1}, {"b": None}, {"c": "z", "b": 2}] * 4
    path.write_text("\n\n".join(json.dumps(one) for one in objects))
    columns, rows, _ = same(path)
    assert columns == ["a", "b", "c"]
    assert len(rows) == 28  # 20 and 12, of which every third holds nothing
    with path.open("a") as file:
        file.write('\n{"a": \n[1]\n' * 9)
    message = same(path)
    assert "… and 13 more lines like these" in message


def test_a_parquet_file_has_its_rows_numbered_through(tmp_path):
    path = tmp_path / "t.parquet"
    frame = pl.DataFrame({"a": [f"x{n}" for n in range(50)], "b": [n / 4 for n in range(50)]})
    frame.write_parquet(path, row_group_size=7)
    expected = whole(path)
    for size in (64, 64 * 7, 64 * 49):
        assert in_blocks(path, size) == expected
    path.write_bytes(path.read_bytes()[:-30])
    assert in_blocks(path, 64) == whole(path)


CELLS = st.text(st.sampled_from('xé",\n\r\t '), max_size=4)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=4, max_size=12), st.integers(1, 30))
@settings(max_examples=150, deadline=None)
def test_whatever_stands_in_cells_and_wherever_blocks_end(tmp_path_factory, cells, size):
    path = tmp_path_factory.mktemp("blocks") / "t.csv"
    pl.DataFrame(cells, ["a", "b"], orient="row").write_csv(path, quote_style="necessary")
    expected, found = whole(path), in_blocks_of_any_number(path, size)
    assert found == expected


def in_blocks_of_any_number(path, size):
    blocks = TableBlocks(path, None, size)
    rows, columns = [], None
    try:
        for table in blocks:
            columns = table.frame.columns
            rows += zip(table.lines, table.frame.rows(), strict=True)
    except CorpusError as error:
        return str(error)
    return columns, rows, tuple(blocks.notes)
