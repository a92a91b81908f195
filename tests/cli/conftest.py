"""The `tiltmeter` command as a user runs it."""

from functools import partial
from types import SimpleNamespace

import pytest

import command_line


@pytest.fixture
def tiltmeter(tmp_path):
    """The `tiltmeter` command in a folder of the test's own."""
    return partial(command_line.tiltmeter, folder=tmp_path, TILTMETER_STORE="store")


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """A folder to work in, with the `tiltmeter` command and a store for all tests of a module."""
    folder = tmp_path_factory.mktemp("command")
    run = partial(command_line.tiltmeter, folder=folder, TILTMETER_STORE="store")
    return SimpleNamespace(folder=folder, run=run)
