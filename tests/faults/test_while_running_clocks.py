"""A clock that is set back or ahead while runs come and go: what was asked last still counts.

A test may not set the machine's clock. So the clock that names shards is replaced in this process,
and, where libfaketime is installed (pip or the system's), the command runs under a clock set back.
"""

import ast
import sys
import time
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import disturbed
import polars as pl
import pytest

import tiltmeter
from tiltmeter.corpora import load_corpus
from tiltmeter.scoring import Settings, Store, score_system, texts_of
from tiltmeter.systems import Card, System
from tiltmeter.systems.service.connection import LONGEST_RETRY_AFTER, retry_after

CLOCKS = ("time.time", "time.time_ns", "datetime.now", "datetime.utcnow")
YEAR = 365 * 24 * 3600 * 10**9
TEXTS = texts_of(load_corpus("eec").sentences().head(60))


def answering(value):
    """A system of one card, whatever it answers: as a service whose model has changed."""
    return System(Card("changing"), lambda texts: [value] * len(texts))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def set_clock(monkeypatch, years):
    now = time.time_ns
    monkeypatch.setattr("tiltmeter.scoring.store.time.time_ns", lambda: now() + round(years * YEAR))


@pytest.mark.parametrize("jump", [-1, -56.8, 3000], ids=["back a year", "back to 1970", "ahead"])
def test_what_was_asked_anew_wins_though_the_clock_was_set(store, monkeypatch, jump):
    anew = Settings(reuse="never")
    score_system(answering(0.25), TEXTS, store, anew)
    with monkeypatch.context() as clock:
        set_clock(clock, jump)
        score_system(answering(0.5), TEXTS, store, anew)
    score_system(answering(0.75), TEXTS, store, anew)  # after the clock was put right again
    again = score_system(answering(1.0), TEXTS, store, Settings(check=0))
    assert again.asked == 0
    assert again.scores["raw"].unique().to_list() == [0.75]
    assert store.verify() == []


CHANGING = """
import os

def score(text):
    return float(os.environ["ANSWER"])
"""


def faked_clock():
    """The library that gives a process another time, where there is one."""
    package = find_spec("libfaketime")
    places = [Path(place) for place in (package and package.submodule_search_locations) or ()]
    found = [file for place in places for file in place.rglob("libfaketime.so.1")]
    found += Path("/usr/lib").glob("*/faketime/libfaketime.so.1")
    return found[0] if found and sys.platform == "linux" else None


@pytest.mark.slow
@pytest.mark.skipif(faked_clock() is None, reason="needs libfaketime (pip install libfaketime)")
def test_the_command_under_a_clock_set_back_a_year_is_believed(tmp_path):
    (tmp_path / "changing.py").write_text(CHANGING)
    words = ("score", "./changing.py:score", "--sample", "2", "--store", "store", "-q")
    back = {"LD_PRELOAD": faked_clock(), "FAKETIME": "-1y", "FAKETIME_DONT_FAKE_MONOTONIC": 1}
    for answer, clock in ((0.25, {}), (0.5, back)):
        done = disturbed.tiltmeter(tmp_path, *words, "--reuse", "never", ANSWER=answer, **clock)
        assert done.returncode == 0, done.stderr
    done = disturbed.tiltmeter(tmp_path, *words, "--check", "0", "-o", "scores.parquet", ANSWER=1.0)
    assert done.returncode == 0, done.stderr
    assert pl.read_parquet(tmp_path / "scores.parquet")["raw"].unique().to_list() == [0.5]


def test_a_later_block_wins_though_the_clock_was_set_back(store, monkeypatch):
    card = Card("changing")
    rows = store.read(card.fingerprint)[0]
    old = store.write(card, rows, block="key-0")
    set_clock(monkeypatch, -10)
    new = store.write(card, rows, block="key-0")
    assert store.blocks(card.fingerprint) == {"key-0": new}
    assert old.name < new.name


def test_a_pause_until_an_absurd_date_is_two_minutes_or_none():
    for year in (1970, 2100, 9999):  # ours, where the clock was set
        now = datetime(year, 1, 1, tzinfo=UTC)
        waits = retry_after("Wed, 21 Oct 2026 07:28:00 GMT", now)
        assert waits == (LONGEST_RETRY_AFTER if year == 1970 else 0.0)
    beyond = "Wed, 21 Oct 99999999999999999999 07:28:30 GMT"
    assert retry_after(beyond, datetime.now(UTC)) is None


def test_nothing_that_waits_or_measures_looks_at_the_clock_on_the_wall():
    """time.time() and the like stand only where a date is meant: named here, with the reason."""
    meant = {
        "studies/versions/drift.py": "how old an earlier answer that was left half way is",
        "cli/gate.py": "whether stored scores are of this year",
        "cli/score.py": "whether stored scores are of this year",
        "cli/store.py": "how old stored scores are, in days",
        "vectors/cache.py": "which half-written files are a day old",
        "scoring/provenance.py": "when a report was made",
        "scoring/store.py": "shards named by when they were written, never before an older one",
        "systems/service/connection.py": "how far off a server's date is, at most two minutes",
    }
    source = Path(tiltmeter.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    found = {
        path.relative_to(source).as_posix()
        for path, text in texts.items()
        if any(clock in text for clock in CLOCKS)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCKS
    }
    assert found == set(meant)
