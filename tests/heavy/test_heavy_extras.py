"""With torch and Ray installed: the command line stays light, and both read a corpus as it is.

Nothing here skips: `make test-heavy` installed the extras, so where one is missing a test fails.
"""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tiltmeter.corpora import load_corpus

pytestmark = pytest.mark.heavy

HEAVY = ("torch", "ray", "transformers", "sklearn", "altair", "scipy.stats", "polars")
HELP = f"""
import json, sys
sys.argv = ["tiltmeter", "--help"]
try:
    from tiltmeter.cli import main
    main()
finally:
    print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]), file=sys.stderr)
"""


@pytest.mark.parametrize("library", ["torch", "transformers", "onnxruntime", "ray", "ray.data"])
def test_the_extras_are_installed(library: str):
    assert importlib.util.find_spec(library)


def test_help_imports_no_heavy_library_even_when_they_are_installed():
    command = [sys.executable, "-c", HELP]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "corpus" in done.stdout
    assert json.loads(done.stderr.splitlines()[-1]) == []


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch):
    """Ray on this machine with one worker, sending nothing anywhere."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    # "local": a cluster of its own, also where a test beside this one has one running
    ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_a_corpus_written_on_a_ray_worker_equals_the_one_written_here(ray):
    def written() -> tuple[int, str, str]:
        corpus = load_corpus("eec")
        ids = "\n".join(corpus.sentences()["id"])
        return os.getpid(), corpus.checksum, hashlib.sha256(ids.encode()).hexdigest()

    worker, *there = ray.get(ray.remote(written).remote(), timeout=600)
    here = list(written()[1:])
    assert worker != os.getpid()
    assert there == here


def test_a_torch_data_loader_reads_every_text_of_a_corpus_in_order():
    from torch.utils.data import DataLoader, IterableDataset

    class Texts(IterableDataset):
        def __iter__(self) -> Iterator[str]:
            for batch in load_corpus("eec").batches(rows=1_000):
                yield from batch["text"]

    batches = list(DataLoader(Texts(), batch_size=256))
    texts = [text for batch in batches for text in batch]
    # 8,640 = 33 × 256 + 192
    assert [len(batch) for batch in batches] == [256] * 33 + [192]
    assert texts == load_corpus("eec").sentences()["text"].to_list()
    assert len(texts) == 8_640
