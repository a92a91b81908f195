"""`tiltmeter skill` as a user types it: what it prints and writes, and what it refuses."""

import json
import sys

import numpy as np
import polars as pl
import pytest

from tiltmeter.cli import main

N = 60
MARKS = ["good", "fine", "sad", "awful"]
WORTH = {"good": 0.8, "fine": 0.6, "sad": 0.3, "awful": 0.1}


def labelled():
    """Sixty texts that vader can read; for the second dialect the labels are half noise."""
    rng = np.random.default_rng(2)
    marks = [MARKS[nth % 4] for nth in range(N)]
    worth = np.array([WORTH[mark] for mark in marks]) + rng.normal(0, 0.05, N)
    dialects = ["first" if nth % 8 < 4 else "second" for nth in range(N)]
    noise = np.array([dialect == "second" for dialect in dialects])
    scores = np.where(noise, rng.permutation(worth), worth).clip(0, 1).round(3)
    texts = [f"day {nth} was {mark}" for nth, mark in enumerate(marks)]
    return pl.DataFrame({"text": texts, "score": scores, "dialect": dialects})


@pytest.fixture
def tiltmeter(tmp_path, monkeypatch, capsys):
    """Runs the command in this process; returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTMETER_STORE", str(tmp_path / "store"))
    labelled().write_csv("gold.csv")

    def run(*words, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys, "argv", ["tiltmeter", "skill", *words])
        with pytest.raises(SystemExit) as done:
            main()
        shown = capsys.readouterr()
        return done.value.code or 0, shown.out, shown.err

    return run


GROUPED = ("vader", "--gold", "gold.csv", "--by", "dialect", "--resamples", "400")


def test_a_line_a_system_with_intervals_in_brackets_and_what_they_rest_on(tiltmeter):
    code, out, _ = tiltmeter("vader", "constant", "--gold", "gold.csv")
    assert code == 0
    lines = out.split("\n")
    assert "Skill on gold: valence, 60 texts" in lines
    [vader, scale] = [line for line in lines if line.startswith("vader ")]
    assert scale.split(maxsplit=1)[1] == "scale −1 to 1, declared"
    assert vader.count(" to ") == 3
    [constant] = [line for line in lines if line.startswith("constant ") and "–" in line]
    assert constant.count("–") == 2
    assert "95 % intervals from 2,000 resamples of the texts, seed 0." in out
    assert "Pearson and Spearman: its scores are all the same" in out
    assert max(map(len, lines)) <= 80


def test_groups_are_shown_with_sizes_spreads_differences_and_words(tiltmeter):
    code, out, _ = tiltmeter(*GROUPED)
    assert code == 0
    assert "vader, valence, by dialect" in out
    assert "first − second" in out
    assert out.count("sd 0.") == 2
    flat = " ".join(out.split())
    assert "first beside second: Pearson" in flat
    assert "not hold 0: difference detected." in flat
    assert "Gold labels may themselves differ between groups." in flat


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 160])
def test_it_fits_the_terminal(tiltmeter, columns):
    _, out, _ = tiltmeter(*GROUPED, columns=columns)
    assert max(map(len, out.split("\n"))) <= columns
    assert out.count("Spearman") >= 3


def test_several_differences_are_corrected_for_before_one_is_called_detected(tiltmeter):
    words = ("vader", "constant", "--gold", "gold.csv", "--by", "dialect")
    _, out, _ = tiltmeter(*words)
    flat = " ".join(out.split())
    assert "also corrected for 2 differences: difference detected." in flat
    assert "not corrected for the 2 differences in each measure" in flat
    _, out, _ = tiltmeter(*words, "--resamples", "200")
    flat = " ".join(out.split())
    assert "but are not corrected for 2 differences; --resamples 400 would allow it." in flat
    assert ": difference detected" not in flat


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_the_long_table_is_written(tiltmeter, tmp_path, ending):
    code, _, err = tiltmeter(*GROUPED, "-o", f"skill.{ending}")
    assert code == 0
    assert f"16 numbers written to skill.{ending}" in err
    read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet,
            "tsv": lambda path: pl.read_csv(path, separator="\t")}[ending]  # fmt: skip
    table = read(tmp_path / f"skill.{ending}")
    assert table.height == 16
    assert table.columns[:7] == ["system", "task", "gold", "by", "group", "against", "measure"]


def test_json_is_printed_alone_and_the_same_twice(tiltmeter):
    _, first, _ = tiltmeter(*GROUPED, "--json", "-")
    _, again, _ = tiltmeter(*GROUPED, "--json", "-", "-q")
    assert first == again
    found = json.loads(first)
    assert found["run"]["groups"] == ["first", "second"]
    assert (found["run"]["resamples"], found["run"]["seed"], found["run"]["family"]) == (400, 0, 1)
    assert len(found["skill"]) == 16
    assert found["skill"][0]["n"] == 60


def test_json_goes_to_a_file_beside_what_is_printed(tiltmeter, tmp_path):
    _, out, _ = tiltmeter(*GROUPED, "--json", "skill.json")
    assert "Skill on gold" in out
    assert len(json.loads((tmp_path / "skill.json").read_text())["skill"]) == 16


def test_quiet_prints_nothing(tiltmeter, tmp_path):
    code, out, err = tiltmeter(*GROUPED, "-q", "-o", "skill.csv")
    assert (code, out, err) == (0, "", "")
    assert (tmp_path / "skill.csv").exists()


def test_many_groups_each_stand_beside_the_others(tiltmeter):
    labelled().with_columns(topic=pl.Series(list("abcd") * 15)).write_csv("topics.csv")
    code, out, _ = tiltmeter("vader", "--gold", "topics.csv", "--by", "topic")
    flat = " ".join(out.split())
    assert code == 0
    assert "a − others" in flat
    assert "beside the others" in flat
    assert "15 texts: fewer than 20, so the numbers say little" in flat


def test_names_that_look_like_markup_are_shown_as_they_are(tiltmeter):
    labelled().with_columns(
        pl.col("dialect").replace({"first": "[red]x", "second": "\x1b[31my"})
    ).write_csv("odd.csv")
    code, out, _ = tiltmeter("vader", "--gold", "odd.csv", "--by", "dialect")
    assert code == 0
    assert "[red]x" in out
    assert "\x1b" not in out


BAD = {
    "empty.csv": (b"", "found nothing in it"),
    "header.csv": (b"text,score,dialect\n", "found no rows under the column names"),
    "ids.csv": (b"id,score,dialect\na,0.1,x\nb,0.3,y\nc,0.5,x\n", "have IDs but no texts"),
    "latin.csv": (b"text,score\ncaf\xe9,0.1\nb,0.2\nc,0.3\n", "is not UTF-8"),
    "nan.csv": (b"text,score,dialect\na,NaN,x\nb,0.2,y\nc,0.3,x\n", "found 'NaN' for the score"),
    "twice.csv": (
        b"id,text,score,dialect\n1,a,0.1,x\n1,a,0.5,x\n2,c,0.3,y\n3,d,0.4,y\n",
        "'1' has the scores 0.1 (twice.csv:2) and 0.5 (twice.csv:3)",
    ),
    "same.csv": (b"text,score,dialect\na,0.1,x\nb,0.1,y\nc,0.1,x\n", "every score is 0.1"),
    "column.csv": (b"text,score,dialct\na,0.1,x\nb,0.2,y\nc,0.3,x\n", "did you mean 'dialct'?"),
    "one.csv": (b"text,score,dialect\na,0.1,x\nb,0.2,x\nc,0.3,x\n", "only the value 'x'"),
    "binary.csv": (b"\x00\x01\x02", "NUL byte"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_gold_is_one_message_and_exit_2(tiltmeter, tmp_path, name):
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    code, out, err = tiltmeter("vader", "--gold", name, "--by", "dialect")
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("error: ") == 1
    assert message in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "0.95"], "0.05 gives 95 % intervals"),
        (["--resamples", "5"], "expected a whole number of at least 200"),
        (["--seed", "-1"], "--seed is -1"),
        (["--task", "bliss"], "there is no task 'bliss'"),
        (["-o", "skill.xlsx"], "cannot tell the format from the ending"),
        (["-o", "gold.csv/skill.csv"], "is a file; expected a folder"),
        (["--scale", "3"], "a scale is LOW:HIGH"),
    ],
)
def test_bad_options_are_refused_before_anything_is_asked(tiltmeter, tmp_path, words, message):
    code, out, err = tiltmeter("vader", "--gold", "gold.csv", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "store").exists()


def test_gold_is_needed(tiltmeter):
    code, _, err = tiltmeter("vader")
    assert code == 2
    assert "--gold" in err
