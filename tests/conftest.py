"""Settings for all tests."""

import os

import pytest
from hypothesis import settings

# `make test` tries the same examples every time, so that a change is judged by what it changed;
# `make faults` tries new ones on every run, which is where hypothesis finds things. No deadline:
# a busy machine is no fault.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("new" if os.environ.get("TILTMETER_NEW_EXAMPLES") else "same")

# Fixtures are loaded from these all the same; looked through for doctests they would clash, since
# several modules would be called conftest.
collect_ignore_glob = ["conftest.py", "*/conftest.py"]


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """What can be made again is kept apart from the user's own."""
    if "TILTMETER_CACHE" in os.environ:
        yield
        return
    os.environ["TILTMETER_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    del os.environ["TILTMETER_CACHE"]
