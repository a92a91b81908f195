"""`tiltmeter train` as a user types it: what it prints, and what it refuses."""

import sys
from types import SimpleNamespace

import pytest

from labelled_days import write_semeval
from tiltmeter.cli import main


@pytest.fixture
def tiltmeter(tmp_path, monkeypatch, capsys):
    """Runs the command in this process; returns its exit code, output and errors."""
    (tmp_path / "data").mkdir()
    write_semeval(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", "train", *words])
        with pytest.raises(SystemExit) as done:
            main()
        shown = capsys.readouterr()
        return done.value.code or 0, shown.out, shown.err

    return run


def test_it_says_on_what_settings_were_chosen_and_on_what_the_model_was_fitted(tiltmeter):
    code, out, _ = tiltmeter("svm-unigrams", "--data", "data", "--task", "joy")
    lines = [line.split("  ", 1) for line in out.splitlines()]
    told = {line[0]: line[1].strip() for line in lines if len(line) == 2}
    assert code == 0
    assert told["trained on"] == "200 texts, en, joy"
    assert told["fitted on"] == "train and dev together, 260 texts"  # 200 + 60
    assert "60 texts" in told["chosen on dev"]
    assert "80 texts" in told["on test"]


@pytest.mark.parametrize("flag", ["--task", "--language", "--vectors"])
def test_one_model_is_of_one_task_and_language(tiltmeter, flag, tmp_path):
    words = ("svm-unigrams", "--data", "data", "--task", "joy", flag, "joy", flag, "fear")
    code, _, error = tiltmeter(*words)
    assert code == 2
    assert f"{flag} is given more than once" in error
    assert not (tmp_path / "model").exists()


def test_a_grid_takes_several_tasks_and_trains_what_there_are_files_for(tiltmeter):
    words = ("--grid", "svm-unigrams", "--data", "data", "--task", "joy", "--task", "fear")
    code, out, _ = tiltmeter(*words, "--language", "en", "--language", "es", "-o", "models")
    assert code == 0
    assert "Models: 1 trained, 0 stood already." in out


def test_the_bar_says_how_far_it_is_and_about_how_long_it_will_take(monkeypatch, capsys):
    from tiltmeter.cli import train as train_page

    clock = iter([0.0, 30.0, 30.0, 50.0, 100.0])  # began, done, began, done (stood), began
    monkeypatch.setattr(train_page, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    told = []
    lines = train_page.GridLines(told.append, quiet=False)
    lines.begin(4)
    card = {"skill": {"test": {"pearson": 0.5}}}
    lines.cell("en joy a")
    lines.done("en joy a", card, "")
    lines.cell("en joy b")
    lines.done("en joy b", card, "stands already")
    lines.cell("en joy c")
    assert told[0] == "░░░░░░░░░░░░░░░░ 1 of 4  en joy a: opening"
    # One new model took 30 s; two are left, this one included.
    assert told[-1] == "████████░░░░░░░░ 3 of 4, about 1 min left  en joy c: opening"
    assert "  1 of 4  en joy a: test Pearson 0.500 (30 s)" in capsys.readouterr().err
