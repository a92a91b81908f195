"""Tables for spreadsheets: nothing in them is computed, and we read them back as they were."""

from __future__ import annotations

import sys

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.cli import main
from tiltmeter.corpora import load_corpus, write_corpus
from tiltmeter.files import with_formulas, without_formulas, write_frame
from tiltmeter.systems import read_scores

FORMULAS = (
    *("=1+1", "+1", "-1", "-x", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "＋1", "－1", "＠x"),
    *("'=1+1", "''=1", "=cmd|' /C calc'!A0", '=HYPERLINK("http://evil.example")', "'"),
)
COMPUTED = r"^[=+\-@\t\r\n＝＋－＠]"
WRITERS = {
    "write_frame": write_frame,
    "write_frame of a lazy frame": lambda frame, path: write_frame(frame.lazy(), path),
}


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("write", WRITERS)
def test_no_text_is_a_formula_and_numbers_stay_numbers(write, ending, tmp_path):
    frame = pl.DataFrame({"=name": FORMULAS, "value": [-0.5] * len(FORMULAS)})
    path = tmp_path / f"some{ending}"
    WRITERS[write](frame, path)
    separator = "," if ending == ".csv" else "\t"
    found = pl.read_csv(path, separator=separator)
    assert found.columns == ["'=name", "value"]
    assert not found["'=name"].str.contains(COMPUTED).any()
    assert found["value"].to_list() == [-0.5] * len(FORMULAS)
    assert with_formulas(found).equals(frame)


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_what_no_spreadsheet_computes_is_left_as_it_is(ending, tmp_path):
    frame = pl.DataFrame({"name": FORMULAS})
    write_frame(frame, tmp_path / f"some{ending}")
    read = {".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}[ending]
    assert read(tmp_path / f"some{ending}").equals(frame)


CELLS = st.one_of(st.none(), st.text(max_size=6), st.lists(st.sampled_from("'=+-@a")).map("".join))


@given(st.lists(CELLS, min_size=1))
def test_the_guard_comes_off_as_it_went_on(cells):
    frame = pl.DataFrame({"text": cells}, schema={"text": pl.String})
    guarded = without_formulas(frame)
    assert not guarded["text"].str.contains(COMPUTED).fill_null(False).any()
    assert with_formulas(guarded).equals(frame)


@pytest.fixture
def corpus(tmp_path):
    """A table of one's own, every id and text of which a spreadsheet would compute."""
    pairs = [
        (f"=id{nth}", f"{mark} she said", "female", f"{nth}") for nth, mark in enumerate("=-@")
    ]
    pairs += [(f"-id{nth}", f"{mark} he said", "male", f"{nth}") for nth, mark in enumerate("=-@")]
    rows = pl.DataFrame(pairs, ["id", "text", "gender", "template"], orient="row")
    rows.write_parquet(tmp_path / "own.parquet")
    return load_corpus(tmp_path / "own.parquet")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_an_exported_corpus_reads_back_with_its_ids_and_texts(corpus, ending, tmp_path):
    guarded = write_corpus(corpus, tmp_path / f"out{ending}")
    assert guarded == (6 if ending in (".csv", ".tsv") else 0)
    again = load_corpus(tmp_path / f"out{ending}").sentences()
    assert again.select("id", "text").equals(corpus.sentences().select("id", "text"))


def test_the_user_is_told_that_texts_are_guarded(corpus, tmp_path, monkeypatch, capfd):
    write_corpus(corpus, tmp_path / "own.jsonl")
    words = ["corpus", "export", str(tmp_path / "own.jsonl"), "-o", str(tmp_path / "out.csv")]
    monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
    with pytest.raises(SystemExit) as done:
        main()
    told = capfd.readouterr().err
    assert done.value.code == 0
    assert "6 texts have ' before them, so that no spreadsheet computes them; JSONL" in told


@pytest.mark.parametrize("by", ["id", "text"])
def test_scores_made_from_a_guarded_table_find_their_sentences(corpus, by, tmp_path):
    write_corpus(corpus, tmp_path / "out.csv")
    rows = pl.read_csv(tmp_path / "out.csv").select(by, pl.lit(0.25).alias("score"))
    rows.write_csv(tmp_path / "scores.csv")
    found = read_scores(tmp_path / "scores.csv", corpus.sentences())
    assert found.scores["raw"].to_list() == [0.25] * 6


def test_our_own_scores_come_back_under_the_names_they_had(corpus, tmp_path):
    scores = corpus.sentences().select(
        pl.lit("=HYPERLINK(1)").alias("system"), pl.lit("valence").alias("task"), "corpus", "id",
        pl.lit(0).alias("repeat"), pl.lit(-0.5).alias("raw"), pl.lit(0.25).alias("score"),
        pl.lit(None, pl.String).alias("reason"),
    )  # fmt: skip
    write_frame(scores, tmp_path / "scores.csv")
    assert "\n'=HYPERLINK(1)," in (tmp_path / "scores.csv").read_text()
    found = read_scores(tmp_path / "scores.csv", corpus.sentences()).scores
    assert set(found["system"]) == {"=HYPERLINK(1)"}
    assert found["raw"].to_list() == [-0.5] * 6
