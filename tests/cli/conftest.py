"""The `tiltmeter` command as a user runs it."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """A folder to work in, with the `tiltmeter` command and a store for all tests of a module."""
    folder = tmp_path_factory.mktemp("command")

    def run(*arguments, **environment):
        return subprocess.run(
            [sys.executable, "-m", "tiltmeter", *arguments],
            cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, "COLUMNS": "80", "TILTMETER_STORE": "store", **environment},
        )  # fmt: skip

    return SimpleNamespace(folder=folder, run=run)
