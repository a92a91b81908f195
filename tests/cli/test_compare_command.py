"""`tiltmeter compare` and `tiltmeter drift` as a user runs them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from audit_folders import scored, sentences_of, tilted, write_audit
from tiltmeter.cli import app
from tiltmeter.errors import TiltmeterError


@pytest.fixture(scope="module")
def audits(at):
    sentences = sentences_of(16)
    for name, tilt in (("old", 0.0), ("new", 0.03)):
        scores = scored(sentences, "model", tilted(sentences, tilt, seed=1))
        write_audit(at.folder / name, sentences, scores)
    base = scored(sentences, "constant", np.full(sentences.height, 0.5))
    write_audit(at.folder / "base", sentences, base)
    return at


@pytest.fixture
def run(audits, monkeypatch):
    """The command in this process: a new one takes seconds to start on a busy machine."""
    monkeypatch.chdir(audits.folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TILTMETER_STORE", "store")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_compare_prints_a_table_that_fits_writes_a_page_and_gates(audits):
    done = audits.run("compare", "old", "new", "-o", "changed", "--gate")
    assert done.returncode == 1, done.stderr
    assert "worse" in done.stdout
    assert "Of 3 comparisons: 2 worse, 1 same within 1 point of 100." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert (audits.folder / "changed" / "compare.html").exists()


FOUR = {"plain": (0.0, 0.0), "spread": (0.1, 0.02)}
"""How far people vary and how large the tilt is, before every woman is scored 4 points lower."""


@pytest.mark.parametrize("kind", FOUR)
def test_a_change_of_4_points_for_everybody_is_sure_whatever_it_means(run, audits, kind):
    apart, tilt = FOUR[kind]
    sentences = sentences_of(16)
    people = sentences["person"].unique(maintain_order=True).to_list()
    effects = dict(zip(people, apart * np.random.default_rng(3).standard_normal(60), strict=True))
    values = tilted(sentences, tilt, 0.0) + np.array([effects[one] for one in sentences["person"]])
    women = (sentences["gender"] == "female").fill_null(False).to_numpy()
    for name, one in (("before", values), ("after", values - 0.04 * women)):
        write_audit(audits.folder / f"{name}-{kind}", sentences, scored(sentences, "model", one))
    done = run("compare", f"before-{kind}", f"after-{kind}", "-o", f"four-{kind}")
    said = " ".join(done.stdout.split())
    assert "Chance may explain it" not in said
    told = json.loads((audits.folder / f"four-{kind}" / "compare.json").read_text())["changes"][0]
    assert told["change"] == pytest.approx(-0.04)
    assert -0.05 < told["change_low"] < -0.04 < told["change_high"] < -0.03  # never no width
    assert "by names" in told["sentence"]
    if kind == "plain":
        assert told["verdict"] == "worse"
    else:
        assert told["verdict"] == "undecided"
        assert told["undecided_because"] == "which_larger"
        assert "It surely changed." in said
        assert "the tilt is now larger or smaller than it was is not shown." in said


def test_without_a_gate_findings_do_not_change_the_exit_code(run):
    done = run("compare", "old", "new", "-o", "plain", "-q")
    assert (done.exit_code, done.stdout) == (0, "")


def test_better_passes_the_gate_and_json_goes_to_standard_output(run):
    done = run("compare", "new", "old", "-o", "json", "-q", "--gate", "--json", "-")
    assert done.exit_code == 0
    assert [one["verdict"] for one in json.loads(done.stdout)["changes"]] == [
        "better", "better", "same"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "there is no such folder"),
        (("new", "-o", "old"), "is one of the audits"),
        (("new", "--margin", "2"), "above 0 and below 1"),
        (("new", "--undecided", "maybe"), "fail or pass"),
        (("new", "--pair", "x"), "expected OLD=NEW"),
    ],
)
def test_what_cannot_be_compared_is_one_message(run, arguments, said):
    done = run("compare", "old", *arguments)
    assert isinstance(done.exception, TiltmeterError)
    assert said in str(done.exception)
    assert done.exception.exit_code == 2


def test_drift_asks_again_and_says_so(run, audits):
    done = run("drift", "base", "--gate", "-o", "again")
    assert done.exit_code == 0, done.output
    assert "Steady: neither the answers nor any tilt moved" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    told = json.loads((audits.folder / "again" / "drift.json").read_text(encoding="utf-8"))
    assert told["run"]["repeats"] == 2


def test_a_system_that_answers_otherwise_has_drifted(run):
    done = run("drift", "base", "random", "--gate", "--sample", "4", "-o", "other")
    assert done.exit_code == 1, done.output
    assert "Drifted: answers moved by more than 1 point of 100 beyond noise" in done.stdout
    assert "is not the system of the baseline" in done.stdout
