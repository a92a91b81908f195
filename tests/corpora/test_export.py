"""A corpus written to a file and read back is the same corpus, and never half a file."""

import os
import stat

import polars as pl
import pytest

from tiltmeter.corpora import load_corpus, write_corpus, write_starter
from tiltmeter.errors import OutputError
from tiltmeter.files import write_aside

READERS = {
    ".csv": lambda path: pl.read_csv(path, infer_schema=False),
    ".tsv": lambda path: pl.read_csv(path, separator="\t", infer_schema=False),
    ".jsonl": pl.read_ndjson,
    ".parquet": pl.read_parquet,
}


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("name", ["eec", "eec-ar"])
def test_what_is_written_is_what_was_there(tmp_path, name, ending):
    corpus = load_corpus(name)
    path = tmp_path / f"corpus{ending}"
    write_corpus(corpus, path)
    assert READERS[ending](path).equals(corpus.sentences())


def test_an_unknown_ending_is_refused_and_the_known_ones_are_named(tmp_path):
    with pytest.raises(OutputError, match=r"'\.xlsx'.*\.csv, \.tsv, \.jsonl, \.parquet"):
        write_corpus(load_corpus("eec"), tmp_path / "corpus.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_made(tmp_path):
    write_corpus(load_corpus("eec"), tmp_path / "deep" / "er" / "corpus.csv")
    assert (tmp_path / "deep" / "er" / "corpus.csv").stat().st_size > 0


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "kept.csv"
    path.write_text("old")

    def fails(file):
        file.write(b"half of the ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match=r"kept\.csv: cannot be written: No space left"):
        write_aside(path, fails)
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["kept.csv"]


def test_a_path_that_is_a_folder_is_a_clear_error(tmp_path):
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(OutputError, match=r"x\.csv: cannot be written"):
        write_corpus(load_corpus("eec"), tmp_path / "x.csv")


def test_files_get_the_permissions_the_user_asked_for(tmp_path):
    before = os.umask(0o027)
    try:
        write_corpus(load_corpus("eec"), tmp_path / "c.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "c.csv").stat().st_mode) == 0o640


def test_the_starter_is_a_corpus_that_loads(tmp_path):
    write_starter(tmp_path / "mine.toml")
    corpus = load_corpus(tmp_path / "mine.toml")
    texts = set(corpus.sentences()["text"])
    # 12 people × (4 state + 4 state + 2 event words + 1 neutral)
    assert corpus.size == 12 * 11
    assert "I told her that she made me happy." in texts
    assert "Oisín had an outrageous day." in texts


def test_the_starter_never_overwrites_unasked(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("my work")
    with pytest.raises(OutputError, match="is there already; force=True"):
        write_starter(path)
    assert path.read_text() == "my work"
    write_starter(path, force=True)
    assert "[corpus]" in path.read_text()
