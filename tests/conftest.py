"""Settings for all tests."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

# A worker of pytest-xdist has one core: more threads would wait for each other. Before Polars and
# OpenBLAS are loaded, which read these once.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")

from latex_checks import sound_latex  # noqa: F401

# `make test` tries the same few examples every time, so that a change is judged by what it changed;
# `make faults` tries many new ones on every run, which is where hypothesis finds things. No
# deadline: a busy machine is no fault.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=10)
settings.register_profile("new", deadline=None)
settings.load_profile("new" if os.environ.get("TILTMETER_NEW_EXAMPLES") else "same")

# A shell that starts tests in the background has them and their children ignore Ctrl-C, which some
# tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with suppress(ValueError):  # not in the first thread
        signal.signal(signal.SIGINT, signal.default_int_handler)

# Fixtures are loaded from these all the same; looked through for doctests they would clash, since
# several modules would be called conftest.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]


def pytest_itemcollected(item):
    """`make faults` runs all of tests/faults, what is slow elsewhere, and what has new examples."""
    tries_examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    if tries_examples or Path(__file__).parent / "faults" in item.path.parents:
        item.add_marker("faults")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """What can be made again is kept apart from the user's own."""
    if "TILTMETER_CACHE" in os.environ:
        yield
        return
    os.environ["TILTMETER_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["TILTMETER_CACHE"]


@pytest.fixture(scope="session")
def shared_store(tmp_path_factory, worker_id):
    """One store for all tests of all workers: a system is asked once."""
    base = tmp_path_factory.getbasetemp()
    store = (base if worker_id == "master" else base.parent) / "shared-store"
    store.mkdir(exist_ok=True)
    return store
