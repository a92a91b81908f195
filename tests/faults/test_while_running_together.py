"""Several runs at once, on one store, into one folder, at one server: as if one after the other."""

import json
import os
import re
import threading

import pytest
from crowd import gathering
from disturbed import here, started, tiltmeter, without_environment

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import OutputError
from tiltmeter.files import file_digest
from tiltmeter.report import folder as folders
from tiltmeter.scoring import Settings, Store, score_system, texts_of
from tiltmeter.systems import Card, Options, Pace, System, open_system

EEC = load_corpus("eec").sentences()
CARD = Card("length")


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    folder = tmp_path_factory.mktemp("together")
    assert tiltmeter(folder, "corpus", "new", "mine.toml").returncode == 0
    return folder


def audit(systems, store, out):
    words = ("--corpus", "mine.toml", "--measure", "pairs", "--store", store, "-o", out, "-q")
    return ("audit", *systems, *words)


def ended_well(runs):
    for run in runs:
        said = run.communicate(timeout=300)[1]
        assert (run.returncode, said) == (0, "")


# --- one store ---


@pytest.mark.slow
def test_several_audits_at_once_on_one_store_find_what_each_finds_alone(at, monkeypatch, capsys):
    several = [("vader",), ("afinn", "vader"), ("vader", "constant")]
    ended_well([started(at, *audit(systems, "store", f"out{nth}"))
                for nth, systems in enumerate(several)])  # fmt: skip
    assert Store(at / "store").verify() == []
    monkeypatch.chdir(at)
    assert here(monkeypatch, capsys, *audit(several[1], "another", "alone")) == (0, "")
    together = without_environment(at / "out1" / "findings.json")
    assert together == without_environment(at / "alone" / "findings.json")


@pytest.mark.slow
def test_eight_audits_at_once_on_one_store_find_what_each_finds_alone(at):
    several = [("vader",), ("textblob",), ("vader", "textblob"), ("afinn", "vader")] * 2
    ended_well([started(at, *audit(systems, "eight", f"eight{nth}"))
                for nth, systems in enumerate(several)])  # fmt: skip
    assert Store(at / "eight").verify() == []
    for nth, systems in enumerate(several[:4]):
        alone = tiltmeter(at, *audit(systems, f"alone{nth}", f"whole{nth}"))
        assert alone.returncode == 0, alone.stderr
        whole = without_environment(at / f"whole{nth}" / "findings.json")
        for out in (f"eight{nth}", f"eight{nth + 4}"):
            assert without_environment(at / out / "findings.json") == whole


def test_writers_that_prune_and_verify_meanwhile_disturb_no_run(tmp_path):
    """A run asks, another reads, and the store is pruned under both, again and again."""
    store, texts, over = Store(tmp_path / "store"), texts_of(EEC.head(2000)), threading.Event()
    small = System(CARD, lambda given: [len(text) / 100 for text in given], Pace(batch=50))
    faults = []

    def prune():
        while not over.wait(0.02):
            try:
                store.verify()
                store.remove(entry.fingerprint for entry in store.entries())
            except BaseException as error:
                faults.append(error)
                raise

    pruning = threading.Thread(target=prune)
    pruning.start()
    try:
        for _ in range(40):
            scored = score_system(small, texts, store, Settings())
            assert scored.scores["raw"].to_list() == [
                len(text) / 100 for text in texts.sentences["text"]
            ]
    finally:
        over.set()
        pruning.join()
    assert faults == []


def test_a_reader_misses_nothing_that_is_being_merged(tmp_path):
    """One run's shards are merged again and again while another one reads: none is ever missing."""
    store, texts, over = Store(tmp_path / "store"), texts_of(EEC.head(512)), threading.Event()
    given = texts.distinct.to_list()
    rows = score_rows(given)

    def merge():
        while not over.is_set():
            shards = [store.write(CARD, rows[at : at + 64]) for at in range(0, rows.height, 64)]
            store.merge(CARD, shards, rows)
            for old in sorted(store.path.glob("*/*.parquet"))[:-1]:
                old.unlink(missing_ok=True)

    store.write(CARD, rows)
    merging = threading.Thread(target=merge)
    merging.start()
    try:
        for _ in range(60):
            found, faults = store.read(CARD.fingerprint)
            assert (found.height, faults) == (len(given), [])
    finally:
        over.set()
        merging.join()


def score_rows(texts):
    from tiltmeter.scoring.store import answer_frame

    return answer_frame(texts, [len(text) / 100 for text in texts], 0)


# --- one folder ---


def one_run_s(out):
    """Which systems a folder is about, if every file in it is of the same run."""
    told = json.loads((out / "run.json").read_bytes())
    assert told["complete"] is True
    assert {one["file"] for one in told["files"]} == {
        path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()
    } - {"run.json"}
    for one in told["files"]:
        assert file_digest(out / one["file"]) == one["sha256"]
    page = (out / "report.html").read_text(encoding="utf-8")
    systems = {one["system"] for one in told["run"]["systems"]}
    found = json.loads((out / "findings.json").read_bytes())
    assert {one["system"] for one in found["run"]["systems"]} == systems
    assert all(re.search(rf"\b{system}\b", page) for system in systems)
    return systems


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_two_audits_into_one_folder_leave_the_whole_of_one(at, times):
    for _ in range(times):
        ended_well([started(at, *audit(systems, "store", "shared"))
                    for systems in (("vader",), ("afinn",))])  # fmt: skip
        assert one_run_s(at / "shared") in ({"vader"}, {"afinn"})


@pytest.mark.skipif(os.name != "posix", reason="folders are locked on POSIX only")
def test_a_folder_that_another_run_is_writing_is_refused_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "PATIENCE", 0.2)
    with folders.lock_folder(tmp_path), pytest.raises(OutputError, match="another run is writing"):
        folders.lock_folder(tmp_path).__enter__()
    with folders.lock_folder(tmp_path):  # free again
        pass


# --- one server ---


MANY = """
[system]
url = "{}/score"
scale = [0, 1]

[answer]
score = "score"

[limits]
concurrency = 300
"""


def test_300_requests_at_once_give_what_one_after_the_other_gives(tmp_path):
    pytest.importorskip("httpx2", reason="needs the http extra")
    texts = texts_of(EEC.head(600))
    with gathering(300) as (address, counts):
        (tmp_path / "many.toml").write_text(MANY.format(address))
        system = open_system(str(tmp_path / "many.toml"), Options())
        scored = score_system(system, texts, Store(tmp_path / "store"), Settings(workers=300))
        system.close()
        peak, asked = counts()
    assert peak >= 300
    assert asked == len(texts.distinct)
    expected = [len(text) / 100 for text in texts.sentences["text"]]
    assert scored.scores["raw"].to_list() == expected
