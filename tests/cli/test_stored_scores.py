"""Stored scores as a user meets them: a model trained anew, what is asked again, what is said."""

import json
import sys

import pytest

from tiltmeter.cli import main

MODEL = """
import json
from pathlib import Path

HERE = Path(__file__).parent

def score(text):
    with open(HERE / "asked.log", "a", encoding="utf-8") as log:
        log.write(text + "\\n")
    weights = json.loads((HERE / "weights.json").read_text())
    return weights["bias"] + weights["she"] * text.startswith("She ")
"""
AUDIT = ("audit", "./model.py:score", "--scale", "0:1", "--sample", "11", "--measure", "pairs")


@pytest.fixture
def tiltmeter(tmp_path, monkeypatch, capsys):
    """The command in this process, in a folder with a model that loads its weights."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILTMETER_STORE", "store")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "model.py").write_text(MODEL)
    train(tmp_path, 0.3)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
        with pytest.raises(SystemExit) as done:
            main()
        said = capsys.readouterr()
        return done.value.code or 0, said.out + said.err

    return run


def train(folder, bias):
    (folder / "weights.json").write_text(json.dumps({"bias": bias, "she": 0.1}))


def findings(folder):
    told = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return told.pop("environment"), told


def test_a_model_trained_anew_is_asked_anew(tiltmeter, tmp_path):
    assert tiltmeter(*AUDIT, "-o", "old")[0] == 0
    train(tmp_path, 0.6)
    code, said = tiltmeter(*AUDIT, "-o", "new")
    assert code == 0
    assert "it has changed under the same version and settings: 16 of 16 stored scores" in said
    code, said = tiltmeter("compare", "old", "new")
    assert code == 0
    assert "both audits name the same version and settings, yet 660 of 660 answers differ" in said


def test_stored_scores_are_counted_dated_and_held_against_the_system(tiltmeter, tmp_path):
    tiltmeter(*AUDIT, "-o", "first")
    code, said = tiltmeter(*AUDIT, "-o", "again")
    assert code == 0
    assert "660 stored scores of " in said
    assert " used, 16 asked again: the same" in said
    made, found = findings(tmp_path / "again")
    assert found == findings(tmp_path / "first")[1]
    [fact] = made["stored_scores"]
    assert (fact["used"], fact["asked_again"], fact["agreement"]) == (660, 16, "same")
    page = (tmp_path / "again" / "report.html").read_text(encoding="utf-8")
    assert "16 asked again: the same" in page


@pytest.mark.parametrize("how", [("--check", "0"), ("--reuse", "stored")])
def test_nothing_was_asked_is_said_where_it_is_true(tiltmeter, how):
    score = ("score", "./model.py:score", "--sample", "11")
    tiltmeter(*score)
    assert "Nothing was asked" not in tiltmeter(*score)[1]
    code, said = tiltmeter(*score, *how)
    assert code == 0
    assert "none asked again" in said
    assert "Nothing was asked: every score was known already." in said


def test_a_check_that_cannot_be_is_refused(tiltmeter):
    code, said = tiltmeter("score", "./model.py:score", "--check", "-1")
    assert code == 2
    assert "--check is a number of texts from 0 up; found -1" in said
