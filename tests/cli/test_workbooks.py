"""Excel workbooks wherever a table is read, and endings in any case of letters."""

import io
import sys
import zipfile

import polars as pl
import pytest

import tiltmeter
from tiltmeter.corpora import read_gold, read_system_metadata, write_corpus

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl writes the workbooks of these tests")
pytest.importorskip("fastexcel", reason="the extra xlsx is not installed")

TABLE = [
    ["text", "template", "person", "gender"],
    ["She sings.", 1, "she", "Female"],
    ["He sings.", 1, "he", "Male"],
]


def workbook(path, *sheets):
    """Write sheets, each a list of rows; the first is called Data."""
    book = openpyxl.Workbook()
    book.active.title = "Data"
    for number, rows in enumerate(sheets):
        sheet = book.active if number == 0 else book.create_sheet(f"More {number}")
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_a_corpus(at):
    workbook(at.folder / "mine.xlsx", TABLE, [["notes"]])
    done = at.run("corpus", "check", "mine.xlsx")
    assert done.returncode == 0, done.stderr
    assert "read the first sheet, 'Data'; not read: 'More 1'" in " ".join(done.stdout.split())
    done = at.run("audit", "constant", "--corpus", "mine.xlsx", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "about women" in done.stdout


def test_an_export_saved_as_a_workbook_is_the_same_corpus(tmp_path):
    spanish = tiltmeter.load_corpus("eec-es")
    rows = spanish.sentences().head(300)
    workbook(tmp_path / "es.xlsx", [rows.columns, *map(list, rows.rows())])
    back = tiltmeter.load_corpus(tmp_path / "es.xlsx")
    assert back.axes == spanish.axes
    assert back.sentences().equals(rows)


def test_scores_in_a_workbook_are_audited_long_and_wide(at):
    rows = tiltmeter.load_corpus("eec").sentences().select("id", "text").rows()
    scores = [[one, len(text) / 100] for one, text in rows]
    workbook(at.folder / "scores.xlsx", [["id", "score"], *scores])
    done = at.run("score", "scores.xlsx", "-o", "read.csv")
    assert done.returncode == 0, done.stderr
    assert "8,640 scores written" in done.stderr
    wide = [[one, score, 1 - score] for one, score in scores]
    workbook(at.folder / "wide.xlsx", [["id", "up", "down"], *wide])
    done = at.run("score", "wide.xlsx", "--systems-in", "up,down", "-o", "both.csv")
    assert done.returncode == 0, done.stderr
    assert "17,280 scores written" in done.stderr


def test_gold_and_meta_may_be_workbooks(tmp_path):
    gold = workbook(tmp_path / "gold.xlsx", [["text", "score"], ["a", 0.9], ["b", 0.25], ["c", 0]])
    assert read_gold(gold).frame["score"].to_list() == [0.9, 0.25, 0.0]
    meta = workbook(tmp_path / "meta.xlsx", [["system", "team"], ["vader", "A"]])
    assert read_system_metadata(meta).frame["team"].to_list() == ["A"]


def test_rows_are_named_as_excel_numbers_them(tmp_path):
    workbook(tmp_path / "mine.xlsx", [*TABLE, ["", 1, "x", "Male"]])
    with pytest.raises(tiltmeter.TiltmeterError, match=r"mine\.xlsx:row 4: text is empty in row 4"):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda _: b"PK\3\4 no workbook", "damaged or no workbook"),
        (lambda data: data[: len(data) // 2], "damaged or no workbook"),
        (lambda data: data.replace(b"xl/worksheets/sheet1.xml", b"xl/worksheets/sheet2.xml"),
         "damaged or no workbook"),
    ],
)  # fmt: skip
def test_a_damaged_workbook_is_one_message(tmp_path, spoil, said):
    data = workbook(tmp_path / "mine.xlsx", TABLE).read_bytes()
    (tmp_path / "mine.xlsx").write_bytes(spoil(data))
    with pytest.raises(tiltmeter.TiltmeterError, match=said):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")


def test_an_empty_sheet_is_one_message(tmp_path):
    workbook(tmp_path / "mine.xlsx", [])
    with pytest.raises(tiltmeter.TiltmeterError, match="first sheet is empty"):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")


def test_two_cells_in_opposite_corners_are_not_read(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "text", "far"
    book.save(tmp_path / "mine.xlsx")
    with pytest.raises(tiltmeter.TiltmeterError, match="1,048,576 rows of 16,384 columns"):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")


def test_a_zip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    data = workbook(tmp_path / "mine.xlsx", TABLE).read_bytes()
    packed = io.BytesIO(data)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/zeros.bin", bytes(3 * 2**20))
    (tmp_path / "mine.xlsx").write_bytes(packed.getvalue())
    monkeypatch.setattr("tiltmeter.workbook.UNPACKED", 2 * 2**20)
    with pytest.raises(tiltmeter.TiltmeterError, match="would unpack to"):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")


def test_without_the_extra_a_message_says_what_to_install(tmp_path, monkeypatch):
    workbook(tmp_path / "mine.xlsx", TABLE)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(tiltmeter.TiltmeterError, match=r"pip install 'tiltmeter\[xlsx\]'"):
        tiltmeter.load_corpus(tmp_path / "mine.xlsx")
    with pytest.raises(tiltmeter.TiltmeterError, match=r"pip install 'tiltmeter\[xlsx\]'"):
        tiltmeter.audit(tmp_path / "mine.xlsx", store=tmp_path / "store")


# ------------------------------------------------------------------ endings in any case


@pytest.mark.parametrize("ending", ["CSV", "Tsv", "JSONL", "Parquet", "XLSX"])
def test_tables_are_known_by_endings_in_any_case(tmp_path, ending):
    path = tmp_path / f"mine.{ending}"
    frame = pl.DataFrame([[str(cell) for cell in row] for row in TABLE[1:]], TABLE[0], orient="row")
    {
        "csv": frame.write_csv,
        "tsv": lambda to: frame.write_csv(to, separator="\t"),
        "jsonl": frame.write_ndjson,
        "parquet": frame.write_parquet,
        "xlsx": lambda to: workbook(to, TABLE),
    }[ending.lower()](path)
    assert tiltmeter.load_corpus(path).size == 2


def test_corpora_and_rating_groups_in_toml_are_known_in_any_case(at):
    done = at.run("corpus", "new", "MINE.TOML")
    assert done.returncode == 0, done.stderr
    done = at.run("corpus", "check", "MINE.TOML")
    assert "holds together" in done.stdout, done.stderr
    assert "--axis: only for a table" in at.run("score", "constant", "--corpus", "MINE.TOML",
                                                "--axis", "x").stderr  # fmt: skip
    group = '[corpus]\nname = "mine"\nextends = "rating-1"\n[rating]\ngroup = "mine"\n'
    (at.folder / "GROUP.Toml").write_text(group)
    done = at.run("rate", "constant", "--groups", "GROUP.Toml", "--draws", "0", "-o", "rated")
    assert done.returncode == 0, done.stderr


def test_described_systems_are_known_in_any_case(at):
    (at.folder / "SERVICE.TOML").write_text("[system]\n")
    done = at.run("score", "SERVICE.TOML")
    assert done.returncode == 2
    assert "SERVICE.TOML" in done.stderr
    assert "there is no system" not in done.stderr


def test_an_export_is_written_by_its_ending_in_any_case(tmp_path):
    write_corpus(tiltmeter.load_corpus("rating-1-e1", "published"), tmp_path / "MINE.PARQUET")
    assert tiltmeter.load_corpus(tmp_path / "MINE.PARQUET").size == 24
