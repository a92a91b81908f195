"""Scoring as a user types it: once, resumed, killed, quiet, and wrong."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import polars as pl
import pytest

from tiltmeter.cli.progress import Lines

SLOW = """
import os, time
from pathlib import Path

def score(text):
    time.sleep(0.004)
    with open(Path(__file__).parent / "asked.log", "a") as log:
        log.write("x")
    return len(text) / 100
"""


@pytest.fixture
def tiltmeter(tiltmeter):
    return partial(tiltmeter, COLUMNS="100")


def test_a_second_run_scores_nothing_and_says_so(tiltmeter):
    first = tiltmeter("score", "vader", "--corpus", "eec")
    assert first.returncode == 0, first.stderr
    assert "8,640" in first.stdout
    again = tiltmeter("score", "vader", "--corpus", "eec", "--check", "0")
    assert "Nothing was asked: every score was known already." in again.stdout


def test_scores_are_written_where_asked(tiltmeter, tmp_path):
    done = tiltmeter("score", "vader", "constant", "-o", "scores.parquet")
    assert "17,280 scores written to scores.parquet" in done.stderr
    scores = pl.read_parquet(tmp_path / "scores.parquet")
    assert scores.group_by("system").len().sort("system").rows() == [
        ("constant", 8640), ("vader", 8640),
    ]  # fmt: skip


def test_quiet_prints_nothing(tiltmeter):
    done = tiltmeter("score", "vader", "-q", "-o", "scores.csv")
    assert (done.stdout, done.stderr) == ("", "")


def test_written_scores_can_be_read_back_as_a_system(tiltmeter, tmp_path):
    tiltmeter("score", "vader", "-q", "-o", "first.parquet")
    done = tiltmeter("score", "first.parquet", "-q", "-o", "second.parquet")
    assert done.returncode == 0, done.stderr
    first, second = (pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("first", "second"))
    assert first["raw"].equals(second["raw"])


def test_a_dry_run_asks_nothing_and_tells_what_it_would(tiltmeter, tmp_path):
    done = tiltmeter("score", "vader", "--dry-run")
    assert "8,640" in done.stdout
    assert "Nothing was scored" in done.stdout
    assert not (tmp_path / "store").exists()


def test_every_output_of_a_sample_says_that_it_is_one(tiltmeter, tmp_path):
    done = tiltmeter("score", "vader", "--sample", "11", "-o", "scores.parquet")
    sample = "11 frames, 660 of 8,640 sentences, seed 0"
    assert f"A sample: {sample}." in done.stdout
    assert f"(a sample: {sample})" in done.stderr
    about = pl.read_parquet_metadata(tmp_path / "scores.parquet")
    assert about["tiltmeter.sample"] == sample
    assert about["tiltmeter.corpus"] == "eec"


def test_one_bad_file_among_several_is_set_aside_and_nothing_is_spent_before(tiltmeter, tmp_path):
    tiltmeter("score", "constant", "-q", "-o", "good.csv")
    (tmp_path / "bad.csv").write_bytes(b"\x00\x01")
    done = tiltmeter("score", "good.csv", "bad.csv")
    assert done.returncode == 0, done.stderr
    assert "set aside" in done.stdout
    assert "1 of 2 files used" in done.stdout
    alone = tiltmeter("score", "./noisy.py:score", "bad.csv")
    assert alone.returncode == 2


def test_what_each_file_held_is_shown_and_written(tiltmeter, tmp_path):
    tiltmeter("score", "constant", "-q", "-o", "good.csv")
    (tmp_path / "bad.csv").write_bytes(b"\x00\x01")
    done = tiltmeter("score", "good.csv", "bad.csv", "--reports", "files.csv")
    assert "8,640    8,640        0        0        0       0  valence  good.csv" in done.stdout
    files = pl.read_csv(tmp_path / "files.csv")
    assert files["matched"].to_list() == [8640, 0]
    assert files["constant"].to_list() == [True, False]
    assert "NUL" in files["set_aside"][1]


def test_a_file_of_scores_can_be_sampled(tiltmeter, tmp_path):
    tiltmeter("score", "constant", "-q", "-o", "good.csv")
    done = tiltmeter("score", "good.csv", "--sample", "3", "-o", "part.csv")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "part.csv").height == 180


def test_notes_are_shown_whole_beside_long_names(tiltmeter, tmp_path):
    tiltmeter("score", "constant", "-q", "-o", "good.csv")
    (tmp_path / f"{'x' * 90}.csv").write_bytes(b"\x00\x01")
    done = tiltmeter("score", "good.csv", f"{'x' * 90}.csv", COLUMNS="80")
    assert f"  {'x' * 90}.csv" in done.stdout.splitlines()
    assert "found a NUL byte, so this is no text file" in " ".join(done.stdout.split())


def test_a_users_function_is_scored(tiltmeter, tmp_path):
    (tmp_path / "mine.py").write_text("def score(texts):\n    return [0.5 for _ in texts]\n")
    done = tiltmeter("score", "./mine.py:score", "-o", "scores.csv")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "scores.csv")["raw"].unique().to_list() == [0.5]


def start(tmp_path):
    return subprocess.Popen(
        [sys.executable, "-m", "tiltmeter", "score", "./slow.py:score", "--workers", "2", "-q"],
        cwd=tmp_path, env={**os.environ, "TILTMETER_STORE": "store"}, start_new_session=True,
    )  # fmt: skip


def wait_for_shards(tmp_path, seconds=300):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if len(list(tmp_path.glob("store/*/*.parquet"))) >= 3:
            return
        time.sleep(0.02)
    raise AssertionError("nothing was stored")


@pytest.mark.slow
def test_kill_9_loses_at_most_what_was_in_flight(tiltmeter, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    running = start(tmp_path)
    wait_for_shards(tmp_path)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait(timeout=600)
    asked = (tmp_path / "asked.log").stat().st_size
    kept = sum(pl.read_parquet(f).height for f in tmp_path.glob("store/*/*.parquet"))
    assert 0 < kept <= asked < 8640
    # in flight: two workers with two batches of 256 each, and half a second of answers
    assert asked - kept <= 6 * 256 + 16
    done = tiltmeter("score", "./slow.py:score", "-o", "scores.parquet")
    assert done.returncode == 0, done.stderr
    scores = pl.read_parquet(tmp_path / "scores.parquet")
    assert scores["raw"].null_count() == 0
    assert scores.height == 8640
    probed = 16 + 4  # stored texts asked again, and those that tell what the function takes
    assert (tmp_path / "asked.log").stat().st_size - asked <= 8640 - kept + probed
    assert tiltmeter("store", "verify").returncode in (0, 4)  # a half-written shard may be left


@pytest.mark.slow
def test_two_runs_at_once_on_one_store_do_not_harm_each_other(tiltmeter, tmp_path):
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tiltmeter", "score", "vader", "-q", "-o", f"{n}.parquet"],
            cwd=tmp_path, env={**os.environ, "TILTMETER_STORE": "store"},
        )
        for n in range(3)
    ]  # fmt: skip
    assert [run.wait(timeout=600) for run in runs] == [0, 0, 0]
    first, *others = (pl.read_parquet(tmp_path / f"{n}.parquet") for n in range(3))
    assert all(first.equals(other) for other in others)
    assert tiltmeter("store", "verify").returncode == 0


def test_store_list_verify_and_prune(tiltmeter, tmp_path):
    tiltmeter("score", "vader", "-q")
    assert "vader" in tiltmeter("store", "list").stdout
    (shard,) = tmp_path.glob("store/*/*.parquet")
    shard.write_bytes(shard.read_bytes()[:1000])
    found = tiltmeter("store", "verify")
    assert found.returncode == 4
    assert shard.name in found.stdout
    assert "1 broken files" in tiltmeter("store", "prune", "--broken").stdout
    assert tiltmeter("store", "verify").returncode == 0
    tiltmeter("score", "vader", "-q")
    assert "1 systems with 8,640 scores" in tiltmeter("store", "prune", "--system", "vader").stdout
    assert "vader" not in tiltmeter("store", "list").stdout


def test_progress_is_plain_lines_in_a_log(monkeypatch, capsys):
    monkeypatch.setattr("tiltmeter.cli.progress.EVERY", 0.0)
    heard = Lines()
    heard.begin("vader", 100, 0)
    time.sleep(0.01)
    heard.advance(50, 1)
    heard.end("vader")
    said = capsys.readouterr().err
    assert said.startswith("vader: 50 of 100 texts, ")
    assert said.endswith(" s left, 1 without a score\n")


def test_systems_are_listed_with_licences_and_how_to_install(tiltmeter):
    shown = tiltmeter("systems").stdout
    for expected in ("vader", "MIT", "glove-lexicon", "module:callable", "tilted:gender=0.03"):
        assert expected in shown


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("score", "vadr"), 2, "did you mean 'vader'?"),
        (("score", "nothing:here"), 2, "nothing"),
        (("score", "vader", "--task", "joyy"), 2, "there is no task 'joyy'"),
        (("score", "vader", "--task", "joy"), 2, "vader answers valence"),
        (("score", "vader", "--scale", "1:0"), 2, "a scale is LOW:HIGH"),
        (("score", "vader", "--reuse", "maybe"), 2, "missing, never, stored"),
        (("score", "vader", "--repeat", "0"), 2, "--repeat needs at least 1"),
        (("score", "vader", "--sample", "0"), 2, "--sample needs at least one"),
        (("score", "vader", "--corpus", "ecc"), 2, "did you mean 'eec'?"),
        (("score", "vader", "-o", "x.xlsx"), 2, "'.xlsx'"),
        (("score", "vader", "--store", "/dev/null/x"), 4, "cannot be written"),
        (("score", "empty"), 2, "empty"),
        (("score", ""), 2, "there is no system called ''"),
        (("score", "scores_none.csv"), 2, "there is no file or folder 'scores_none.csv'"),
        (("score", "vader", "--workers", "0"), 2, "--workers needs at least 1"),
        (("store", "prune", "--older-than", "-5"), 2, "--older-than is a number of days"),
        (("score", "./quits.py:score"), 2, "raised SystemExit: 0"),
        (("score", "./rings.py:score"), 2, r"\u001b[31m"),
        (("store", "prune"), 2, "say what to remove"),
        (("store", "prune", "--system", "nobody"), 2, "there is no stored system called 'nobody'"),
    ],
)
def test_bad_input_is_one_clear_message(tiltmeter, tmp_path, arguments, code, expected):
    (tmp_path / "empty").mkdir()
    (tmp_path / "quits.py").write_text("def score(text):\n    raise SystemExit(0)\n")
    (tmp_path / "rings.py").write_text("def score(text):\n    raise ValueError('\\x1b[31mred')\n")
    done = tiltmeter(*arguments)
    assert done.returncode == code, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scale_may_be_given_for_each_system(tiltmeter):
    small = ("--corpus", "eec", "--sample", "3")
    done = tiltmeter(
        "score", "vader", "textblob", *small, "--scale", "vader=-5:5", "--scale", "0:2"
    )
    assert "−5 to 5, declared" in done.stdout
    assert "−1 to 1, declared" in done.stdout
    said = " ".join(done.stdout.split())
    assert "textblob keeps its own scale, −1 to 1: one without a system's name, 0 to 2, is" in said
    assert "to replace it, say --scale textblob=0:2" in said
    assert "vader keeps" not in said
    wrong = tiltmeter("score", "vader", *small, "--scale", "vadr=0:1")
    assert wrong.returncode == 2
    assert "--scale is given for 'vadr', which is not here: did you mean 'vader'?" in wrong.stderr
    twice = tiltmeter("score", "vader", *small, "--scale", "0:1", "--scale=-1:1")
    assert twice.returncode == 2
    assert "--scale is given twice without a system" in twice.stderr


def test_a_task_that_a_file_does_not_hold_is_refused(tiltmeter, tmp_path):
    import tiltmeter as package

    ids = package.load_corpus("eec").sentences().select("id")
    ids.with_columns(task=pl.lit("anger"), score=0.5).write_csv(tmp_path / "mine.csv")
    done = tiltmeter("score", "mine.csv", "--task", "joy")
    assert done.returncode == 2
    assert "mine.csv: holds scores for anger; --task asks for joy" in done.stderr
