"""A run that is killed or interrupted: nothing half written, and the same command goes on."""

import json
import os
import re
import shutil
import signal
import sys

import liar
import polars as pl
import pytest
from disturbed import (
    PAUSED,
    group_of,
    here,
    killed_at,
    moments,
    one_message,
    started,
    tiltmeter,
    until,
    without_environment,
)

from labelled_days import write_semeval
from tiltmeter.corpora import load_corpus
from tiltmeter.files import file_digest
from tiltmeter.report.folder import check_folder

posix = pytest.mark.skipif(os.name != "posix", reason="signals and process groups are POSIX here")
pytestmark = posix

SCORE = ("score", "./paused.py:score", "--sample", "40", "--store", "store")
AUDIT = ("audit", "./paused.py:score", "--sample", "40", "--measure", "pairs", "-q")
BATCH, PROBED = 256, 64
SILENT = """
import time
from pathlib import Path

def score(text):
    Path(__file__).with_name("began").touch()
    while True:
        time.sleep(0.02)
"""
SWALLOWING = """
import os
import signal
import sys
import time

class Falling:
    def __del__(self):  # Python only reports what is raised here
        signal.raise_signal(getattr(signal, os.environ["SENT"]))

asked = []

def score(text):
    asked.append(text)
    if len(asked) == 700:
        falling = Falling()
        del falling
        print("went on", file=sys.stderr)
    if len(asked) > 700 and "HELD" in os.environ:
        time.sleep(0.02)
    return len(text) / 100
"""
HELD = {"PAUSE": 0.003, "HOLD": 5 * BATCH}
"""A batch takes longer than half a second, so each is stored; the sixth never ends."""
EEC = load_corpus("eec").sentences().select("id", "text")


@pytest.fixture
def at(tmp_path):
    (tmp_path / "paused.py").write_text(PAUSED)
    return tmp_path


def shards(at):
    return list(at.glob("store/*/*.parquet"))


def stored(at):
    return set(pl.concat([pl.read_parquet(shard) for shard in shards(at)])["text"])


def asked(at):
    return (at / "asked.log").read_text(encoding="utf-8").splitlines()


def said_kept(said):
    """How many answers an interrupted command says it has kept."""
    told = (
        r"interrupted; ([\d,]+) answers so far are kept, and the same command goes on from there\n"
    )
    found = re.fullmatch(told, said)
    assert found, said
    return int(found[1].replace(",", ""))


# --- while it scores ---


def test_kill_9_while_scoring_loses_a_moment_and_the_same_command_goes_on(at):
    running = started(at, *SCORE, "--workers", "1", **HELD)
    until(lambda: len(shards(at)) >= 2 or running.poll() is not None)
    running.kill()
    running.communicate()
    before, kept = asked(at), stored(at)
    assert 0 < len(kept) < 2000
    # not stored: a batch in flight, and those that had come within half a second
    assert len(set(before) - kept) <= 2 * BATCH
    again = tiltmeter(at, *SCORE, "-o", "scores.parquet")
    assert again.returncode == 0, again.stderr
    assert len(set(asked(at)[len(before) :]) & kept) <= PROBED  # nothing that was stored
    scores = pl.read_parquet(at / "scores.parquet").join(EEC, on="id")
    assert scores.height == 40 * 60
    assert scores["raw"].to_list() == [len(text) / 100 for text in scores["text"]]


@pytest.mark.slow
def test_an_audit_killed_while_scoring_finds_what_an_undisturbed_one_finds(at):
    running = started(at, *AUDIT, "--store", "store", "-o", "out", "--workers", "1", **HELD)
    until(lambda: len(shards(at)) >= 2 or running.poll() is not None)
    running.kill()
    running.communicate()
    for store, out in (("store", "out"), ("another", "whole")):
        done = tiltmeter(at, *AUDIT, "--store", store, "-o", out)
        assert done.returncode == 0, done.stderr
    first, second = (without_environment(at / out / "findings.json") for out in ("out", "whole"))
    assert first == second


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
@pytest.mark.parametrize("how", ["kill -9", "Ctrl-C"])
def test_processes_that_help_end_with_the_run(at, how):
    running = started(at, "score", "./paused.py:score", "--store", "store", "--workers", "3", "-q",
                      PAUSE=0.004)  # fmt: skip
    until(lambda: len(group_of(running)) >= 3 or running.poll() is not None)
    if how == "Ctrl-C":
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process of the run
        said = running.communicate(timeout=600)[1]
        assert running.returncode == 130
        assert 0 < said_kept(said) == len(stored(at))
        assert stored(at) <= set(asked(at))
    else:
        running.kill()
        running.communicate(timeout=600)
    until(lambda: not group_of(running))


def test_sigterm_stores_what_was_answered_and_exits_130(at):
    running = started(at, *SCORE, "--workers", "1", "-q", **HELD)
    until(lambda: shards(at) or running.poll() is not None)
    running.terminate()
    said = running.communicate(timeout=600)[1]
    assert running.returncode == 130
    assert 0 < said_kept(said) == len(stored(at))
    whole = len(asked(at)) // BATCH * BATCH
    assert len(stored(at)) >= whole - BATCH  # every batch that was whole but the one just asked


@pytest.mark.parametrize("sent", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("held", [{"HELD": "1"}, {}], ids=["long before the end", "at the end"])
def test_an_interrupt_within_a_librarys_del_is_not_lost(sent, held, at):
    (at / "swallowing.py").write_text(SWALLOWING)
    words = ("score", "./swallowing.py:score", "--sample", "40", "--store", "store", "-q")
    running = started(at, *words, "--workers", "1", SENT=sent, **held)
    said = running.communicate(timeout=600)[1]
    assert running.returncode == 130, said
    assert said.startswith("went on\ninterrupted")
    assert "Traceback" not in said
    if held:
        assert 512 <= said_kept(said.removeprefix("went on\n")) == len(stored(at))


def test_an_interrupt_before_anything_was_answered_claims_nothing(at):
    (at / "silent.py").write_text(SILENT)
    running = started(at, "score", "./silent.py:score", "--store", "store", "-q")
    until(lambda: (at / "began").exists() or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=600)[1]
    assert (running.returncode, said) == (130, "interrupted\n")


def test_an_interrupt_of_asking_all_anew_says_how_to_go_on(at):
    running = started(at, *SCORE, "--reuse", "never", "--workers", "1", "-q", **HELD)
    until(lambda: shards(at) or running.poll() is not None)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=600)[1]
    assert running.returncode == 130
    assert said.endswith("kept: the same command without --reuse never goes on from there\n")


def test_ctrl_c_does_not_wait_for_a_server_that_hangs(tmp_path):
    pytest.importorskip("httpx2", reason="needs the http extra")
    with liar.lying() as (server, address):
        (tmp_path / "silent.toml").write_text(
            f'[system]\nurl = "{address}/soon-silent"\n'
            '[answer]\nscore = "score"\n[limits]\ntimeout = 3600\n'
        )
        running = started(tmp_path, "score", "silent.toml", "--store", "store", "-q")
        # twenty answers, and each of the four connections waiting in vain
        until(lambda: server.seen["/soon-silent"] >= 24 or running.poll() is not None)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=600)[1]  # an hour, if it waited for the server
    assert running.returncode == 130
    assert said_kept(said) == 20
    assert sum(pl.read_parquet(shard).height for shard in shards(tmp_path)) == 20


# --- while it trains ---


TRAIN = ("train", "svm-unigrams", "--data", "data", "--task", "joy", "-o", "models/joy", "-q")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    (folder / "data").mkdir()
    write_semeval(folder / "data")
    return folder


def whole_model(folder):
    weights = json.loads((folder / "model.json").read_bytes())["weights"]
    return file_digest(folder / weights["file"]) == weights["sha256"]


@pytest.mark.slow
def test_kill_9_at_any_moment_of_training_leaves_no_half_model(data):
    pytest.importorskip("sklearn", reason="needs the learn extra")
    model = data / "models" / "joy"
    last = moments(killed_at(data, "models/", 0, *TRAIN))
    for moment in range(1, last + 1):
        if moment % 2:  # every other time, an older model stands there
            shutil.rmtree(model)
        assert killed_at(data, "models/", moment, *TRAIN).returncode == -signal.SIGKILL
        assert not model.exists() or whole_model(model)
        assert tiltmeter(data, *TRAIN).returncode == 0
        assert whole_model(model)


@pytest.mark.slow
def test_kill_9_in_a_grid_keeps_the_models_that_stand(data):
    pytest.importorskip("sklearn", reason="needs the learn extra")
    grid = ("train", "svm-unigrams", "svm-tfidf", "--grid", "--data", "data", "-o", "grid")
    running = started(data, *grid)
    until(lambda: list(data.glob("grid/*/*/svm-*/model.json")) or running.poll() is not None)
    running.kill()
    running.communicate()
    stands = list(data.glob("grid/*/*/svm-*/model.json"))
    assert stands
    before = {path: path.stat().st_mtime_ns for path in stands}
    again = tiltmeter(data, *grid)
    assert again.returncode == 0, again.stderr
    assert {path: path.stat().st_mtime_ns for path in stands} == before
    assert len(list(data.glob("grid/*/*/svm-*/model.json"))) == 2


# --- while it writes its report ---


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A folder with a store that knows every score, and a small corpus."""
    folder = tmp_path_factory.mktemp("reports")
    assert tiltmeter(folder, "corpus", "new", "mine.toml").returncode == 0
    return folder


REPORT = ("audit", "vader", "--corpus", "mine.toml", "--measure", "pairs", "--store", "store", "-q",
          "-o")  # fmt: skip


def whole_or_absent(out):
    """Check that whatever stands in a folder under its own name is whole."""
    page = out / "report.html"
    assert not page.exists() or page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    for path in out.rglob("[!.]*.json"):
        json.loads(path.read_bytes())
    for path in out.rglob("[!.]*.parquet"):
        pl.read_parquet(path)


def complete(out):
    """Check that a folder is that of a run that ended well, with nothing half written beside."""
    told = json.loads((out / "run.json").read_bytes())
    assert told["complete"] is True
    for one in told["files"]:
        assert file_digest(out / one["file"]) == one["sha256"]
    assert not list(out.rglob(".*"))


def test_kill_9_over_the_first_file_of_a_report_does_not_lock_its_folder(scored):
    out = scored / "first"
    # run.json is written, and not yet renamed into its place
    done = killed_at(scored, "first/", 1, *REPORT, out.name, events="os.rename")
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [path.name[:10] for path in out.iterdir()] == [".run.json."]
    check_folder(out)


def test_kill_9_while_a_report_is_written_leaves_whole_files_and_can_be_repeated(
    scored, monkeypatch, capsys
):
    out = scored / "half"
    done = killed_at(scored, "half/", 30, *REPORT, out.name)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert json.loads((out / "run.json").read_bytes())["complete"] is False
    whole_or_absent(out)
    monkeypatch.chdir(scored)
    assert here(monkeypatch, capsys, *REPORT, out.name) == (0, "")
    complete(out)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_kill_9_at_any_moment_of_a_report_can_be_repeated_without_force(scored, part):
    last = moments(killed_at(scored, f"all{part}", 0, *REPORT, f"all{part}"))
    assert last > 40
    for moment in [*range(1, 10), *range(10, last, 7), last][part::4]:
        out = scored / f"each-{moment}"
        assert killed_at(scored, out.name, moment, *REPORT, out.name).returncode == -signal.SIGKILL
        whole_or_absent(out)
        again = tiltmeter(scored, *REPORT, out.name)
        assert again.returncode == 0, (moment, again.stderr)
        complete(out)


def test_a_folder_of_something_else_is_left_as_it_is(scored, monkeypatch, capsys):
    out = scored / "theirs"
    out.mkdir(exist_ok=True)
    (out / "notes.txt").write_text("mine")
    monkeypatch.chdir(scored)
    code, said = here(monkeypatch, capsys, *REPORT, out.name)
    assert code == 2
    assert "the folder is not empty" in one_message(said)
    assert [path.name for path in out.iterdir()] == ["notes.txt"]
