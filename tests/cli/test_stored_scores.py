"""Stored scores as a user meets them: a model trained anew, what is asked again, what is said."""

import json
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import polars as pl
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


def asked(folder):
    log = folder / "asked.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


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
    code, said = tiltmeter(*AUDIT, "-o", "again", "--individual")
    assert code == 0
    assert "660 stored scores of " in said
    assert " used, 16 asked again: the same" in said
    made, found = findings(tmp_path / "again")
    assert found == findings(tmp_path / "first")[1]
    [fact] = made["stored_scores"]
    assert (fact["used"], fact["asked_again"], fact["agreement"]) == (660, 16, "same")
    page = (tmp_path / "again" / "report.html").read_text(encoding="utf-8")
    assert "16 asked again: the same" in page
    [own] = (tmp_path / "again" / "individual").rglob("*.html")
    assert "16 asked again: the same" in own.read_text(encoding="utf-8")


@pytest.mark.parametrize("how", [("--check", "0"), ("--reuse", "stored")])
def test_nothing_was_asked_is_said_where_it_is_true(tiltmeter, tmp_path, how):
    score = ("score", "./model.py:score", "--sample", "11")
    tiltmeter(*score)
    before = len(asked(tmp_path))
    assert "Nothing was asked" not in tiltmeter(*score)[1]
    assert len(asked(tmp_path)) == before + 16  # not even tried for what it takes
    code, said = tiltmeter(*score, *how)
    assert code == 0
    assert "none asked again" in said
    assert "Nothing was asked: every score was known already." in said
    assert len(asked(tmp_path)) == before + 16


def test_a_dry_run_calls_nothing_unless_it_is_to_tell_the_time(tiltmeter, tmp_path):
    for command in (AUDIT, ("score", *AUDIT[1:-2])):
        code, said = tiltmeter(*command, "--dry-run")
        assert code == 0
        assert "660" in said
        assert "unknown" in said
    assert asked(tmp_path) == []
    assert "unknown" not in tiltmeter(*AUDIT, "--dry-run", "--time")[1]
    assert 0 < len(asked(tmp_path)) < 20
    assert not (tmp_path / "store").exists()


def test_a_function_that_fails_costs_no_other_system_a_question(tiltmeter, tmp_path):
    (tmp_path / "broken.py").write_text("def score(text): raise ValueError('no weights')")
    code, said = tiltmeter("score", "./model.py:score", "./broken.py:score", "--sample", "11")
    assert "raised ValueError: no weights" in said
    assert code == 2
    assert len(asked(tmp_path)) < 3


# --- services ---


@contextmanager
def serving():
    """A server that scores texts in three manners, and the texts it was asked."""
    texts = []

    class Scores(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat = "messages" in body
            texts.append(body["messages"][-1]["content"] if chat else body["text"])
            score = len(texts[-1]) / 100
            told = {"choices": [{"message": {"content": str(score)}}]} if chat else {"score": score}
            answer = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Scores)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", texts
    finally:
        server.shutdown()
        server.server_close()


SERVICES = {
    "plain": ("{at}/score",),
    "described": ("service.toml",),
    "chat": ("openai:small-1", "--base-url", "{at}/v1"),
}


@pytest.mark.parametrize("kind", SERVICES)
def test_a_service_is_asked_only_where_scores_are_wanted(tiltmeter, tmp_path, kind):
    pytest.importorskip("httpx2", reason="needs the http extra")
    with serving() as (at, texts):
        spec = [word.format(at=at) for word in SERVICES[kind]]
        (tmp_path / "service.toml").write_text(
            f'[system]\nurl = "{at}/score"\n[answer]\nscore = "score"\n[limits]\nprice = 0.01\n'
        )
        score = ("score", *spec, "--sample", "1", "--scale", "0:1")
        assert tiltmeter(*score, "--dry-run")[0] == 0
        assert tiltmeter(*score, "--dry-run", "--time")[0] == 0
        assert texts == []
        code, said = tiltmeter(*score, "-o", "first.parquet")
        assert code == 0, said
        many = len(texts)
        assert many >= 60
        code, said = tiltmeter(*score)
        assert "Nothing was asked: every score was known already." in said
        assert len(texts) == many
        assert "5 asked again: the same" in tiltmeter(*score, "--check", "5")[1]
        assert len(texts) == many + 5
    code, said = tiltmeter(*score, "--reuse", "stored", "-o", "dead.parquet")
    assert code == 0, said
    first, dead = (pl.read_parquet(tmp_path / f"{name}.parquet") for name in ("first", "dead"))
    assert dead.equals(first)


def test_a_check_that_cannot_be_is_refused(tiltmeter):
    code, said = tiltmeter("score", "./model.py:score", "--check", "-1")
    assert code == 2
    assert "--check is a number of texts from 0 up; found -1" in said


def test_python_says_how_many_are_asked_again(tiltmeter, tmp_path):
    import tiltmeter as library

    tiltmeter("score", "./model.py:score", "--sample", "11")
    before = len(asked(tmp_path))
    for check, agreement in ((5, "same"), (0, "not asked")):
        [scored] = library.score("./model.py:score", sample=11, check=check).scored
        assert (scored.check.texts, scored.check.agreement) == (check, agreement)
    assert len(asked(tmp_path)) == before + 5
