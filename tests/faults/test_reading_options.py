"""Every option of every command given what nobody means: one message and an exit code of ours."""

from __future__ import annotations

import sys

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from valid_samples import GOLD, OUTPUTS, STARTER, written

from tiltmeter.cli import app, main
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.regression.design import formula_of
from tiltmeter.systems import parse_scale

CODES = (0, 2, 4)
VALUES = (
    *("", " ", "nan", "inf", "-inf", "1e999", "-1", "0", "0.5", "9" * 30, "9" * 400, "0x10", "1_0"),
    *("=", ":", ",", ",,", "a=b", "a=", "=b", "a:b", "0:0", "1:0", "nan:1", "-inf:inf", "0:1:2"),
    *("x" * 300, "x" * 5000, "~nobody/x", "/dev/zero", "/dev/null", "/", "..", "../..", "a/b", "."),
    *("\n", "\t", "\u202e", "é", "\ufffd", "$(id)", "{}", "{text}", "[", "*", "%s", "--", "'", '"'),
    *("gender", "gender*", "gender:gender", "+", "*", "gender * race", "all", "http://", "[::1"),
    *(
        "no.csv",
        "no.toml",
        "no.parquet",
        "no.json",
        "corpus.toml",
        "gold.csv",
        "hf:",
        "cmd:",
        "gz:",
    ),
)
NOT_TRIED = {"workers", "open_it", "quiet", "output", "folder", "store", "install_completion"}
"""Those that say where to write or how many processes to start, and flags."""


def runs() -> dict[str, list[str]]:
    """A quick run of each command, on files of its folder."""
    return {
        "audit": ["constant", "--corpus", "corpus.toml", "-o", "out", "--store", "kept", "-q"],
        "score": ["constant", "--corpus", "corpus.toml", "-o", "s.csv", "--store", "kept", "-q"],
        "rate": ["--scores", "sys_g2_e3.csv", "-o", "rated", "--draws", "2", "-q"],
        "skill": ["constant", "--gold", "gold.csv", "--store", "kept", "-q", "--resamples", "9"],
        "embeddings": ["no.txt", "-o", "embedded", "-q"],
        "train": ["svm-unigrams", "--train", "no.csv", "-o", "model", "-q"],
        "try": ["constant", "she is {good|bad}"],
        "corpus export": ["corpus.toml", "-o", "c.csv", "-q"],
        "corpus check": ["corpus.toml"],
        "corpus show": ["corpus.toml"],
        "store list": ["--store", "kept"],
        "store prune": ["--store", "kept", "--broken"],
    }


def options() -> list[tuple[str, str]]:
    """Every command with each of its options that takes a value."""
    group = typer.main.get_command(app)
    found = []
    for called in runs():
        command = group
        for word in called.split():
            command = command.commands[word]
        found += [
            (called, one.opts[-1])
            for one in command.params
            if one.opts[0].startswith("-") and not getattr(one, "is_flag", False)
            and one.name not in NOT_TRIED
        ]  # fmt: skip
    return found


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Runs a command line as a user would; what it must never do fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus.toml").write_bytes(STARTER)
    (tmp_path / "gold.csv").write_bytes(written(GOLD, "csv"))
    (tmp_path / "sys_g2_e3.csv").write_bytes(written(OUTPUTS, "csv"))

    def ran(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
        with pytest.raises(SystemExit) as done:
            main()
        told = capfd.readouterr().err
        assert "Traceback" not in told
        assert done.value.code in CODES, told
        assert bool(told.strip()) or done.value.code in (0, None)
        return done.value.code

    return ran


def tried(run, examples):
    health = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]

    @settings(max_examples=examples, deadline=None, suppress_health_check=health)
    @given(st.sampled_from(options()), st.sampled_from(VALUES))
    def each(option, value):
        command, name = option
        run(*command.split(), *runs()[command], f"{name}={value}")

    each()


def test_the_runs_are_good_but_for_the_odd_option(run):
    assert [
        name for name, words in runs().items() if run(*name.split(), *words) not in (0, 2)
    ] == []
    assert len(options()) > 100


def test_an_option_nobody_means_gives_one_message(run):
    tried(run, 40)


@pytest.mark.slow
def test_thousands_of_odd_options_give_one_message(run):
    tried(run, 1000)


PIECES = ["gender", "race", "template", "emotion_word", "+", "*", ":", " ", "", "1", "−", "\0", "é"]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_any_text_is_a_formula_or_an_error_of_ours(text):
    try:
        formula = formula_of(text, ["gender", "race"])
    except TiltmeterError:
        return
    assert set(formula.axes) <= {"gender", "race"}


@given(
    st.one_of(st.text(max_size=30), st.tuples(st.floats(), st.floats()).map("{0[0]}:{0[1]}".format))
)
def test_any_text_is_a_scale_or_an_error_of_ours(text):
    try:
        scale = parse_scale(text)
    except TiltmeterError:
        return
    assert 0 < scale.width < float("inf")
