"""Reading a table: bytes in, text and line numbers out, and a clear word on everything else."""

import datetime
import json
import random

import polars as pl
import pytest

from tiltmeter.columns import fold_name
from tiltmeter.errors import CorpusError, Problem, cap_problems
from tiltmeter.table_files import TABLE_FILES, read_table


@pytest.fixture
def read(tmp_path):
    """Read a table from its bytes or text."""

    def read_bytes(data: bytes | str, name: str = "t.csv", encoding: str | None = None):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read_table(path, encoding)

    return read_bytes


@pytest.fixture
def complaint(read, tmp_path):
    """The message with which a table is refused, with the folder left out."""

    def refused(data: bytes | str, name: str = "t.csv", encoding: str | None = None) -> str:
        with pytest.raises(CorpusError) as caught:
            read(data, name, encoding)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return refused


def parquet(frame: pl.DataFrame, tmp_path) -> bytes:
    frame.write_parquet(tmp_path / "made.parquet")
    return (tmp_path / "made.parquet").read_bytes()


# ------------------------------------------------------------------ CSV


def test_every_cell_of_a_csv_is_text_and_every_row_has_its_line(read):
    table = read("id,n\n007,1.50\n008,true\n")
    assert table.frame.rows(named=True) == [
        {"id": "007", "n": "1.50"},
        {"id": "008", "n": "true"},
    ]
    assert table.lines.to_list() == [2, 3]
    assert table.notes == ()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_ending_is_read(read, end):
    table = read(end.join(["a,b", "1,2", "3,4", ""]))
    assert table.frame.rows() == [("1", "2"), ("3", "4")]


def test_a_missing_newline_at_the_end_loses_nothing(read):
    assert read("a,b\n1,2").frame.rows() == [("1", "2")]


def test_empty_cells_are_null_quoted_or_not_and_spaces_are_kept(read):
    assert read('a,b\n"",x\n,y\n z ,w\n').frame["a"].to_list() == [None, None, " z "]


def test_words_that_mean_missing_elsewhere_are_text_here(read):
    assert read("a,b\nNA,null\nNaN,None\n").frame.rows() == [("NA", "null"), ("NaN", "None")]


def test_blank_rows_are_left_out_and_said_and_lines_still_count_them(read):
    table = read("\na,b\n1,2\n\n,\n3,4\n\n")
    assert table.frame.rows() == [("1", "2"), ("3", "4")]
    assert table.lines.to_list() == [3, 6]
    assert table.notes == ("blank rows left out: 3",)


def test_cells_may_hold_separators_quotes_and_line_breaks(read):
    table = read('a,b\n1,"x, ""y"""\n2,"first\nsecond"\n3,z\n')
    assert table.frame["b"].to_list() == ['x, "y"', "first\nsecond", "z"]
    assert table.lines.to_list() == [2, 3, 5]
    assert table.notes == (
        "rows that run over several lines, by the quotes: 1, the first on line 3",
    )


def test_quotes_inside_a_bare_cell_are_text_even_where_polars_gives_up(read):
    table = read('a,b\n1,a 5" plank\n2,a 6" plank\n3,z\n')
    assert table.frame["b"].to_list() == ['a 5" plank', 'a 6" plank', "z"]
    assert table.lines.to_list() == [2, 3, 4]


def test_a_cell_longer_than_pythons_reader_likes_is_read(read):
    long = "x" * 200_000
    assert read(f'a,b\n1,"{long}"\n2,\n').frame["b"].to_list() == [long, None]


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [("a,b\n1,2\n3\n", 3, 1), ("a,b\n1,2,3\n4,5\n", 2, 3), ('a,b\n"1\n2",3\n4,x "y, z" w\n', 4, 3)],
)
def test_a_row_of_another_length_is_named_by_its_line(complaint, text, line, found):
    assert f"t.csv:{line}: found {found} cells; expected 2, one for each" in complaint(text)


def test_many_rows_of_another_length_are_named_and_then_counted(complaint):
    said = complaint("a,b\n" + "1\n" * 9)
    assert "t.csv:6: found 1 cells" in said
    assert "t.csv:7" not in said
    assert "… and 4 more rows of another length" in said


@pytest.mark.parametrize(
    "text",
    ['a,b\n1,x\n2,"oops\n3,y\n4,z\n', 'a,b\n1,x\n2,"oops\n3,"y\n4,z\n', 'a,b\n1,x\n2,"oops" y\n'],
)
def test_a_stray_quote_is_named_by_the_line_it_opens_on_and_swallows_nothing(complaint, text):
    assert "t.csv:3: a quote that opens" in complaint(text)


def test_a_stray_quote_in_the_header_is_named(complaint):
    assert "t.csv:1: a quote that opens" in complaint('"a,b\n1,2\n')


def test_column_names_that_stand_twice_are_named_with_their_places(complaint):
    said = complaint("text,x,text\n1,2\n")
    assert "t.csv:1: the column name 'text' stands 2 times, as columns 1 and 3" in said
    assert "t.csv:2: found 2 cells; expected 3" in said


def test_a_column_without_a_name_is_called_by_its_place(read):
    assert read(",text,\n0,x,1\n").frame.columns == ["column 1", "text", "column 3"]


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_another_separator_than_the_ending_promises_is_named(complaint, separator):
    said = complaint(f"text{separator}gender\nx{separator}f\n")
    assert f"t.csv:1: found {separator!r} between the column names; expected ','" in said


def test_hostile_text_comes_through_as_it_is(read):
    texts = [
        "<script>alert(1)</script> & <b>she</b>",
        '=HYPERLINK("http://x","y")',
        "{person} feels {{angry}} %s \\n",
        "هي تشعر بأنها سعيدة \u200f!",
        "👩🏽‍🚀 feels 😀",
        "N" * 100_000,
        "\u2028line\u2029paragraph\x0bvertical\x85next",
    ]
    quoted = "".join('{},"{}"\n'.format(n, t.replace('"', '""')) for n, t in enumerate(texts))
    table = read(f"id,text\n{quoted}")
    assert table.frame["text"].to_list() == texts
    assert table.lines.to_list() == [2, 3, 4, 5, 6, 7, 8]


# ------------------------------------------------------------------ TSV


def test_a_tsv_takes_quotes_around_cells(read):
    table = read('a\tb\n1\t"x\ty ""z"""\n2\tw\n', "t.tsv")
    assert table.frame["b"].to_list() == ['x\ty "z"', "w"]
    assert table.notes == ()


@pytest.mark.parametrize(
    ("first", "second"), [('"hi" she said', "x"), ('"hi', "x"), ('"hi', 'yo"'), ('"', '"')]
)
def test_a_tsv_without_quoting_keeps_its_quotes_as_text_and_says_so(read, first, second):
    table = read(f"a\tb\r\n1\t{first}\r\n2\t{second}\r\n", "t.tsv")
    assert table.frame["b"].to_list() == [first, second]
    assert table.lines.to_list() == [2, 3]
    assert table.notes == (
        "quotes are read as part of the text: every line is one row as it stands",
    )


def test_a_broken_tsv_names_its_lines(complaint):
    said = complaint('a\tb\n1\t"x\n2\n', "t.tsv")
    assert "t.tsv:2: a quote that opens" in said


# ------------------------------------------------------------------ encodings


def test_a_utf8_mark_is_no_part_of_the_first_column_name(read):
    assert read(b"\xef\xbb\xbfid,text\n1,x\n").frame.columns == ["id", "text"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_with_a_utf16_or_utf32_mark_is_recognised_and_said(read, encoding):
    table = read("a,b\n1,é\n".encode(encoding))
    assert table.frame.rows() == [("1", "é")]
    assert table.notes == (f"read as {encoding}",)


def test_the_encoding_can_be_given(read):
    table = read("a,b\n1,José\n".encode("latin-1"), encoding="latin-1")
    assert table.frame["b"].to_list() == ["José"]
    assert table.notes == ("read as latin-1",)


def test_another_encoding_is_named_by_line_and_byte_with_what_to_try(complaint):
    said = complaint("a,b\n1,x\n2,José\n".encode("cp1252"))
    assert "t.csv:3: byte 0xe9 (byte 6 of the line) is not UTF-8" in said
    assert "--encoding cp1252" in said


def test_an_encoding_that_does_not_fit_is_named(complaint):
    assert "0xe9 (byte 3 of the line) is not ASCII" in complaint(
        "a,b\n1,é\n".encode("latin-1"), encoding="ascii"
    )


def test_an_unknown_encoding_is_refused(complaint):
    assert "there is no encoding called 'lattin'; try utf-8" in complaint("a\n", encoding="lattin")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl"])
def test_binary_bytes_are_refused_as_no_text(complaint, name):
    png = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
    assert f"{name}:1: found a NUL byte, so this is no UTF-8 text" in complaint(png, name)


def test_a_nul_byte_in_good_text_is_named_by_its_line(complaint):
    assert "t.csv:3: found a NUL byte" in complaint(b"a,b\n1,2\n3,\x00\n")


# ------------------------------------------------------------------ JSON lines


def test_json_lines_give_text_whole_numbers_without_a_point(read):
    rows = [
        {"id": 17, "template": 1.0, "text": "x", "ok": True},
        {"id": 18, "template": 2.5, "text": "y", "more": "z"},
    ]
    table = read("\n\n".join(json.dumps(row) for row in rows), "t.jsonl")
    assert table.frame.rows(named=True) == [
        {"id": "17", "template": "1", "text": "x", "ok": "true", "more": None},
        {"id": "18", "template": "2.5", "text": "y", "ok": None, "more": "z"},
    ]
    assert table.lines.to_list() == [1, 3]


def test_columns_of_mixed_kinds_are_read_by_hand(read):
    table = read('{"a":1}\n{"a":true}\n{"a":"x"}\n{"a":2.0}\n{"a":NaN,"b":"k"}\n', "t.jsonl")
    assert table.frame["a"].to_list() == ["1", "true", "x", "2", None]


def test_every_broken_json_line_is_named(complaint):
    said = complaint('{"a":1}\n{"a":\n\n[1]\n3\n"x"\nnull\n', "t.jsonl")
    assert "t.jsonl:2: broken JSON at character" in said
    assert "t.jsonl:4: found a list; expected one whole JSON object on each line" in said
    assert "t.jsonl:5: found a number" in said
    assert "t.jsonl:6: found a text" in said
    assert "t.jsonl:7: found null" in said


def test_a_json_array_is_not_json_lines(complaint):
    assert "t.jsonl:1: found a list" in complaint('[{"a":1},{"a":2}]', "t.jsonl")


def test_json_nested_without_end_is_refused_not_followed(complaint):
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}\n"
    assert "t.jsonl:1:" in complaint(deep, "t.jsonl")


def test_objects_without_a_key_are_an_empty_table(complaint):
    assert "t.jsonl: found no rows" in complaint("{}\n{}\n", "t.jsonl")


# ------------------------------------------------------------------ Parquet


def test_parquet_columns_become_text_and_what_has_none_stays(read, tmp_path):
    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "template": [1.0, float("nan")],
            "kind": pl.Series(["x", ""], dtype=pl.Categorical),
            "day": [datetime.date(2018, 6, 5), None],
            "list": [["a"], ["b"]],
            "bytes": [b"\xff", b"\xfe"],
        }
    )
    table = read(parquet(frame, tmp_path), "t.parquet")
    assert table.frame.drop("list", "bytes").rows() == [
        ("1", "1", "x", "2018-06-05"),
        ("2", None, None, None),
    ]
    assert table.frame.select("list", "bytes").dtypes == [pl.List(pl.String), pl.Binary]
    assert table.at(table.lines[1]) == f"{tmp_path}/t.parquet:row 2"


def test_a_number_too_large_to_be_whole_keeps_its_float_text(read, tmp_path):
    frame = pl.DataFrame({"a": [1e300, 3.0]})
    large, whole = read(parquet(frame, tmp_path), "t.parquet").frame["a"].to_list()
    assert (float(large), whole) == (1e300, "3")


@pytest.mark.parametrize("cut", [slice(0, 40), slice(0, -8), slice(30, None)])
def test_a_damaged_parquet_file_is_refused(complaint, tmp_path, cut):
    data = parquet(pl.DataFrame({"a": ["x", "y"] * 50}), tmp_path)
    assert "t.parquet: the file is damaged or not Parquet" in complaint(data[cut], "t.parquet")


def test_random_damage_to_a_parquet_file_never_escapes_as_another_error(read, tmp_path):
    data = parquet(pl.DataFrame({"a": ["x", "y"] * 50}), tmp_path)
    rng, refused = random.Random(1), 0
    for _ in range(40):
        broken = bytearray(data)
        broken[rng.randrange(len(data) // 2, len(data))] ^= 0xFF
        try:
            read(bytes(broken), "t.parquet")
        except CorpusError:
            refused += 1
    assert refused > 0


def test_a_parquet_file_without_rows_is_empty(complaint, tmp_path):
    data = parquet(pl.DataFrame({"text": []}, {"text": pl.String}), tmp_path)
    assert "found no rows under the column names" in complaint(data, "t.parquet")


# ------------------------------------------------------------------ files that are none


@pytest.mark.parametrize("name", [f"t{ending}" for ending in TABLE_FILES])
@pytest.mark.parametrize("data", [b"", b" \r\n\t\n"])
def test_an_empty_file_of_every_kind_is_called_empty(complaint, name, data):
    assert f"the file is empty:\n  {name}: found nothing in it" in complaint(data, name)


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_that_holds_only_a_mark_is_called_empty(complaint, mark):
    assert "the file is empty" in complaint(mark)


@pytest.mark.parametrize("text", ["text,gender\n", "text,gender", "text,gender\n\n,\n"])
def test_a_header_alone_is_an_empty_table(complaint, text):
    assert "t.csv: found no rows under the column names" in complaint(text)


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(CorpusError, match="this is a folder; expected a file"):
        read_table(tmp_path / "t.csv")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CorpusError, match=r"t\.csv: No such file"):
        read_table(tmp_path / "t.csv")


def test_an_unknown_ending_lists_the_known_ones(complaint):
    said = complaint("x", "t.ods")
    assert "t.ods: found the ending '.ods'; expected one of .csv, .tsv, .jsonl" in said


def test_the_ending_may_be_in_capitals(read):
    assert read("a,b\n1,2\n", "T.CSV").frame.rows() == [("1", "2")]


# ------------------------------------------------------------------ words


def test_lines_are_put_in_words_and_the_rest_counted(read):
    table = read("a,b\n1,2\n")
    assert table.among([2]) == "line 2"
    assert table.among([2, 5]) == "lines 2 and 5"
    assert table.among([2, 3, 4, 5, 6]) == "lines 2, 3, 4, 5 and 6"
    assert table.among(range(2, 1_002)) == "lines 2, 3, 4, 5, 6 and 995 more"


def test_names_are_compared_without_case_spaces_underscores_and_hyphens():
    assert {fold_name(name) for name in ("Emotion word", "emotion_word", "EMOTION-WORD")} == {
        "emotionword"
    }


def test_a_few_problems_are_named_and_more_are_counted():
    problems = [Problem("f", str(n)) for n in range(8)]
    assert cap_problems(problems[:5], "x") == problems[:5]
    assert cap_problems(problems, "rows") == [*problems[:5], Problem("", "… and 3 more rows")]
