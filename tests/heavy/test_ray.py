"""Scoring with Ray: a real cluster of three nodes on this machine, one of which really dies.

Systems of these tests write a line for each text they are asked, so that nothing can be asked twice
unseen. Half-way is told by the shards that are there, never by the clock.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from large_corpora import in_parts_too, write_corpus_of
from tiltmeter import audit, load_corpus
from tiltmeter.corpora import Corpus
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError
from tiltmeter.scoring import (
    Block,
    Settings,
    Store,
    blocks_of,
    score_blocks,
    score_system,
    texts_of,
)
from tiltmeter.systems import Card, Missing, Pace, Scale, System, open_system, resolve_form

pytest.importorskip("ray", reason="needs tiltmeter[ray]")

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.usefixtures("cluster"),
    # Ray 2.60 leaves pipes and sockets of the processes it starts to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray.*"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray.*"),
]

SOON = {
    "health_check_initial_delay_ms": 0, "health_check_period_ms": 500,
    "health_check_timeout_ms": 20_000, "health_check_failure_threshold": 3,
}  # fmt: skip
"""A lost node is noticed soon: it refuses the check; one that is only slow has twenty seconds."""
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}

SCORER = """
import os, time

def score(text):
    with open({log!r}, "a") as log:
        log.write(f"{{os.getpid()}}\\t{{text}}\\n")
    if os.getpid() != {here}:
        time.sleep({seconds})
    return len(text) / 200
"""
"""A plain function that tells who asked it what, and takes its time in other processes."""


@pytest.fixture(scope="module")
def bucket():
    """An object store like S3, and its address in the environment that the cluster will inherit."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    keys = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        for name, value in keys.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="shards")
        yield "s3://shards"
    server.stop()


@pytest.fixture(scope="module")
def cluster(bucket):  # noqa: ARG001 - its address must be known before the cluster starts
    """A head and two nodes, a processor each; this process has joined it."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    made = Cluster(
        initialize_head=True, head_node_args=NODE | {"_system_config": SOON}, shutdown_at_exit=True
    )
    made.add_node(**NODE)
    made.spare = made.add_node(**NODE)
    ray.init(made.address, log_to_driver=False, logging_level="CRITICAL")
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def texts():
    return texts_of(load_corpus("eec").sentences())


def few(texts, number):
    return texts_of(texts.sentences.head(number))


def scorer(folder, seconds=0.0):
    """The function as a system, and the file in which it writes what it is asked."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "asked.log"
    log.touch()
    (folder / "scorer.py").write_text(
        SCORER.format(log=str(log), seconds=seconds, here=os.getpid())
    )
    return f"{folder / 'scorer.py'}:score", log


def asked(log, texts):
    """Which texts were asked how often, without those that any function is tried with."""
    known, lines = set(texts), (line.partition("\t")[2] for line in log.read_text().splitlines())
    return Counter(line for line in lines if line in known)


def shards(store, system):
    return list((store.path / system.card.fingerprint).glob("*-block-*.parquet"))


def when_half_way(store, system, do, many=4, within=600.0):
    """A thread that does something once so many blocks are stored."""

    def wait():
        end = time.monotonic() + within
        while len(shards(store, system)) < many and time.monotonic() < end:
            time.sleep(0.02)
        thread.at = len(shards(store, system))
        do()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def whole(scored, alone):
    """The same scores, none missing, none twice."""
    assert scored.missing == 0
    assert scored.scores.equals(alone.scores)
    assert not scored.scores.select("id", "repeat").is_duplicated().any()


RAY = Settings(engine="ray")


@pytest.mark.parametrize(("name", "number"), [("vader", 8640), ("textblob", 600)])
def test_scores_are_those_of_the_local_engine(tmp_path, texts, name, number):
    system, texts = open_system(name), few(texts, number)
    here = score_system(system, texts, Store(tmp_path / "here"), Settings())
    there = score_system(system, texts, Store(tmp_path / "there"), RAY)
    whole(there, here)
    assert there.asked == number
    again = score_system(system, texts, Store(tmp_path / "there"), RAY)
    assert again.asked == 0
    assert again.scores.equals(here.scores)
    assert Store(tmp_path / "there").verify() == []


def test_a_node_that_is_killed_half_way_is_survived(cluster, tmp_path, texts):
    import ray

    spec, log = scorer(tmp_path / "system", 0.0012)
    system, store = resolve_form(open_system(spec)), Store(tmp_path / "store")
    here = score_system(system, texts, Store(tmp_path / "here"), Settings(workers=1))
    log.write_text("")
    assert len([node for node in ray.nodes() if node["Alive"]]) == 3
    killing = when_half_way(
        store, system, lambda: cluster.remove_node(cluster.spare, allow_graceful=False)
    )
    scored = score_system(system, texts, store, RAY)
    killing.join()
    assert 4 <= killing.at < 12  # of 12 blocks
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    whole(scored, here)
    counts = asked(log, texts.distinct)
    twice = [text for text, times in counts.items() if times > 1]
    assert set(counts) == set(texts.distinct)
    assert len(twice) <= 2 * 768  # the blocks that the lost worker had in hand
    assert store.verify() == []


def test_a_worker_that_is_killed_is_started_again(tmp_path, texts):
    spec, log = scorer(tmp_path / "system", 0.0005)
    system, store = resolve_form(open_system(spec)), Store(tmp_path / "store")

    def kill_one():
        last = log.read_text().splitlines()[-2]
        os.kill(int(last.partition("\t")[0]), signal.SIGKILL)

    killing = when_half_way(store, system, kill_one, many=2)
    scored = score_system(system, texts, store, RAY)
    killing.join()
    assert scored.missing == 0
    assert scored.scores["raw"].to_list() == [len(text) / 200 for text in texts.sentences["text"]]
    assert len({line.partition("\t")[0] for line in log.read_text().splitlines()}) > 2
    assert store.verify() == []


def run(*words, cwd, **more):
    command = [Path(sys.executable).parent / "tiltmeter", *words]
    return subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
    )


def workers_gone(log):
    """Wait until Ray has ended the workers of a run that is over: until then they may write."""
    pids = {int(line.partition("\t")[0]) for line in log.read_text().splitlines()}
    pids.discard(os.getpid())
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "workers of an ended run still live"
        time.sleep(0.1)


def test_a_run_that_was_interrupted_and_killed_goes_on_where_it_was(cluster, tmp_path, texts):
    spec, log = scorer(tmp_path / "system", 0.0012)
    system, store = resolve_form(open_system(spec)), Store(tmp_path / "store")
    words = ("score", spec, "--engine", "ray", "--ray-address", cluster.address, "--store",
             str(store.path), "-q")  # fmt: skip
    many = 0
    for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        going = run(*words, cwd=tmp_path)
        when_half_way(store, system, lambda p=going, n=number: p.send_signal(n), many + 2).join()
        _, said = going.communicate(timeout=600)
        assert going.returncode == code, said
        assert said.startswith("interrupted") if code == 130 else not said
        many = len(shards(store, system))
        assert 2 <= many < 12
        workers_gone(log)
    left = store.verify()  # a shard half written
    assert all("left behind" in trouble.what for trouble in left)
    store.clear(left)
    known = set(store.read(system.card.fingerprint)[0]["text"])
    log.write_text("")
    scored = score_system(system, texts, store, replace(RAY, check=0))
    assert scored.missing == 0
    assert scored.asked == 8640 - len(known)
    assert scored.scores["raw"].to_list() == [len(text) / 200 for text in texts.sentences["text"]]
    again = asked(log, texts.distinct)
    assert set(again) & known == set()
    assert set(again.values()) == {1}


def test_a_system_that_ends_its_worker_every_time_ends_the_run(tmp_path, texts):
    (tmp_path / "ending.py").write_text(
        "import os\ndef score(text):\n    return os._exit(7) if 'Shereen' in text else 0.5\n"
    )
    system, store = open_system(f"{tmp_path / 'ending.py'}:score"), Store(tmp_path / "store")
    some = few(texts, 300)
    with pytest.raises(SystemFailure, match=r"ending.py:score' ended 3 workers while asked"):
        score_system(system, some, store, Settings(engine="ray", workers=1))


def test_shards_in_an_object_store_are_written_by_workers_and_taken_over(bucket, tmp_path, texts):
    import s3fs

    system, some = open_system("vader"), few(texts, 2000)
    store, away = Store(tmp_path / "store"), Settings(engine="ray", shards=f"{bucket}/run")
    here = score_system(system, some, Store(tmp_path / "here"), Settings())
    whole(score_system(system, some, store, away), here)
    found = s3fs.S3FileSystem().ls(f"shards/run/{system.card.fingerprint}", refresh=True)
    names = {Path(path).name for path in found}
    assert names == {path.name for path in shards(store, system)}  # and no texts left behind
    assert len(names) == 8
    # Another machine, or a run killed before it took them: the shards are enough.
    other = Store(tmp_path / "other")
    taken = score_system(system, some, other, away)
    assert taken.asked == 0
    whole(taken, here)
    anew = score_system(system, some, other, replace(away, reuse="never"))
    assert anew.asked == 2000
    whole(anew, here)
    assert len(shards(other, system)) == 16
    assert other.verify() == []


def test_what_workers_left_of_a_changed_system_is_dropped_too(tmp_path, texts):
    (tmp_path / "model.py").write_text(
        "from pathlib import Path\n"
        "def score(text):\n    return float(Path(__file__).with_name('weights').read_text())\n"
    )
    away = Settings(engine="ray", workers=1, shards=str(tmp_path / "shards"))

    def answers(store):
        system = open_system(f"{tmp_path / 'model.py'}:score")
        return score_system(system, few(texts, 300), Store(tmp_path / store), away)

    for number, store, asked in ((1.0, "first", 300), (2.0, "second", 300), (2.0, "third", 0)):
        (tmp_path / "weights").write_text(str(number))
        found = answers(store)  # a store of its own: what is known is what the workers left
        assert (found.asked, found.scores["raw"].unique().to_list()) == (asked, [number])


def test_blocks_are_asked_once_and_told_of_one_by_one(tmp_path, texts):
    spec, log = scorer(tmp_path / "system")
    system, store = resolve_form(open_system(spec)), Store(tmp_path / "store")
    blocks = [Block(texts.distinct.slice(start, 500)) for start in range(0, 2000, 500)]
    for part, asked_now in ((blocks[:2], 1000), (blocks, 1000), (blocks, 0)):
        tally = score_blocks(system, blocks_of(lambda p=part: p), store, replace(RAY, check=0))
        assert tally.asked == asked_now
    stored = pl.concat(pl.read_parquet(store.blocks(system.card.fingerprint)[block.key])
                       for block in blocks)  # fmt: skip
    assert stored["text"].to_list() == texts.distinct.head(2000).to_list()
    assert pl.concat(map(tally.answers, blocks))["raw"].equals(stored["raw"])
    assert asked(log, texts.distinct) == Counter(texts.distinct.head(2000))


def test_a_large_audit_asks_its_blocks_on_the_cluster(tmp_path, monkeypatch):
    monkeypatch.setattr(Corpus.blocks, "__defaults__", (100,))
    corpus = write_corpus_of(tmp_path / "grown.toml", 4)
    far = Settings(engine="ray")
    parts = audit(["vader"], corpus, store=tmp_path / "far", stream=True, settings=far)
    held = audit(["vader"], corpus, store=tmp_path / "here", stream=False, flips=0)
    assert_frame_equal(parts.estimates, in_parts_too(held), rel_tol=1e-9, abs_tol=1e-12)
    assert parts.runs[0].scored[0].asked == parts.runs[0].size
    again = audit(["vader"], corpus, store=tmp_path / "far", stream=True, settings=far)
    assert again.runs[0].scored[0].asked == 0


def test_a_system_in_hand_is_sent_and_too_much_missing_stops_the_run(tmp_path, texts):
    def answer(given):
        return [Missing("too short") if len(text) < 24 else 0.5 for text in given]

    system = System(Card("in hand", scale=Scale(0, 1)), answer)
    some, store = few(texts, 1000), Store(tmp_path / "store")
    short = sum(len(text) < 24 for text in some.distinct)
    with pytest.raises(IncompleteError, match=r"in hand gave no score .* too short"):
        score_system(system, some, store, Settings(engine="ray", max_missing=0.0))
    scored = score_system(system, some, store, Settings(engine="ray", max_missing=1.0, repeats=2))
    assert scored.missing == 2 * short > 0
    assert scored.scores.height == 2000


def test_what_cannot_be_sent_says_so(tmp_path, texts):
    lock = threading.Lock()

    def answer(given):
        with lock:
            return [0.5] * len(given)

    with pytest.raises(SystemFailure, match=r"cannot be sent .* or use --engine local"):
        score_system(System(Card("locked"), answer), few(texts, 10), Store(tmp_path), RAY)


def test_a_service_is_asked_by_one_worker_with_its_own_threads(tmp_path, texts):
    log = tmp_path / "log"

    def answer(given):
        with log.open("a") as file:
            file.write(f"{os.getpid()} {threading.get_ident()}\n")
        time.sleep(0.01)
        return [len(text) / 200 for text in given]

    system = System(Card("service", scale=Scale(0, 1)), answer, Pace(1, "threads", 4))
    some = few(texts, 600)
    scored = score_system(system, some, Store(tmp_path / "store"), RAY)
    assert scored.scores["raw"].to_list() == [len(text) / 200 for text in some.sentences["text"]]
    who = [line.split() for line in log.read_text().splitlines()]
    assert len({process for process, _ in who}) == 1
    assert len({thread for _, thread in who}) >= 4


def test_a_worker_with_another_version_is_refused(tmp_path, texts):
    system = open_system("vader")
    newer = replace(system, card=replace(system.card, version="99"))
    with pytest.raises(SystemFailure, match="'vader' is another one on the worker"):
        score_system(newer, few(texts, 10), Store(tmp_path), RAY)


def test_a_system_that_cannot_be_opened_without_ending_its_worker_is_told(tmp_path, texts):
    (tmp_path / "ending.py").write_text(
        f"import os\nif os.getpid() != {os.getpid()}:\n    os._exit(7)\n"
        "def score(text):\n    return 0.5\n"
    )
    system = open_system(f"{tmp_path / 'ending.py'}:score")
    with pytest.raises(SystemFailure, match=r"ending.py:score' ended 3 workers"):
        score_system(system, few(texts, 300), Store(tmp_path / "store"), RAY)


def test_a_transformer_answers_within_a_hundred_thousandth(tmp_path, texts):
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    from tiny_transformer import save_classifier

    system, some = open_system(f"hf:{save_classifier(tmp_path / 'model')}"), few(texts, 400)
    here = score_system(system, some, Store(tmp_path / "here"), Settings())
    there = score_system(system, some, Store(tmp_path / "there"), RAY)
    assert there.missing == 0
    apart = (there.scores["raw"] - here.scores["raw"]).abs().max()
    assert apart <= 1e-5 * system.card.scale.width


def test_this_machine_alone_needs_no_address_and_says_nothing_of_ray(tmp_path):
    words = ("score", "vader", "--engine", "ray", "--workers", "1", "--sample", "4")
    places = ("--store", "kept", "-o", "scores.parquet")
    going = run(*words, *places, cwd=tmp_path, env={**os.environ, "RAY_ADDRESS": ""})
    out, said = going.communicate(timeout=600)
    assert going.returncode == 0, said
    assert "vader" in out
    assert "ray" not in (out + said).lower()


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("somewhere", "--ray-address is 'somewhere'; expected HOST:PORT"),
        ("ray://127.0.0.1:10001", "expected HOST:PORT"),
        ("127.0.0.1:99999999999", "there is no Ray cluster at"),
    ],
)
def test_an_address_that_is_none_is_told(tmp_path, address, told):
    words = ("score", "vader", "--engine", "ray", "--ray-address", address, "--store", "kept")
    going = run(*words, cwd=tmp_path)
    out, said = going.communicate(timeout=600)
    assert (going.returncode, out) == (2, "")
    assert said.startswith("error: ")
    assert told in said


def test_an_address_without_a_cluster_is_told_at_once(tmp_path):
    words = ("score", "vader", "--engine", "ray", "--ray-address", "127.0.0.1:1", "--store", "kept")
    going = run(*words, cwd=tmp_path)
    out, said = going.communicate(timeout=600)
    assert (going.returncode, out) == (2, "")
    assert said.startswith("error: there is no Ray cluster at 127.0.0.1:1: Connection refused")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"shards": "memory://here"}, "which no worker sees"),
        ({"shards": "nowhere://here"}, "cannot be opened: Protocol not known"),
        ({"shards": "gs://bucket/here"}, "cannot be opened: .*gcsfs"),
        ({"shards": "/proc/here"}, "cannot be written"),
        ({"shards": "s3://no-such-bucket/here"}, "cannot be written: .*bucket"),
        ({"ray_gpus": 1.0}, "a worker needs a CPU and 1 GPUs"),
    ],
)
def test_what_cannot_be_is_told_in_one_message(tmp_path, texts, settings, told):
    system, how = open_system("vader"), Settings(engine="ray", **settings)
    with pytest.raises(TiltmeterError, match=told) as caught:
        score_system(system, few(texts, 10), Store(tmp_path), how)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == (4 if "written" in told else 2)
