"""Help is quick, complete and has an example for every command."""

import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tiltmeter.cli import COMMANDS as HEADED
from tiltmeter.cli import app, app_with

HEAVY = ("polars", "numpy", "scipy", "torch", "ray", "transformers", "sklearn", "altair", "jinja2")


def commands(command, path=("tiltmeter",)):
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


COMMANDS = dict(commands(get_command(app)))


@pytest.mark.parametrize(
    "words",
    [("--help",), ("try", "vader", "My {sister|brother} feels angry.")],
    ids=["help", "a sentence tried with VADER"],
)
def test_what_should_be_quick_imports_no_heavy_library(words):
    code = (
        f"import sys; sys.argv = {['tiltmeter', *words]!r}\n"
        "from tiltmeter.cli import main\n"
        "try: main()\n"
        "except SystemExit as done: assert not done.code\n"
        f"print('loaded:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"


def test_importing_tiltmeter_imports_no_heavy_library():
    code = f"import sys, tiltmeter; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", [name for some in HEADED.values() for name in some])
def test_a_command_read_alone_is_the_same_as_among_all(name):
    alone, among = (CliRunner().invoke(one, [name, "--help"]) for one in (app_with(name), app))
    assert alone.exit_code == among.exit_code == 0
    assert alone.output == among.output


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_says_what_it_does(path):
    command = COMMANDS[path]
    assert command.help or command.callback.__doc__
    for parameter in command.params:
        assert getattr(parameter, "help", None), (path, parameter.name)


@pytest.mark.parametrize(
    "path", [path for path in COMMANDS if not hasattr(COMMANDS[path], "commands")], ids=" ".join
)
def test_every_command_has_an_example_that_names_it(path):
    assert f"Example: {' '.join(path)}" in COMMANDS[path].help


@pytest.mark.parametrize(
    "path", [path for path in COMMANDS if hasattr(COMMANDS[path], "commands")], ids=" ".join
)
def test_every_command_is_described_whole_in_80_columns(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown = get_help(path)
    assert max(map(len, shown.splitlines())) <= 80
    assert "..." not in shown.replace("[ARGS]...", "")
    for name, command in COMMANDS[path].commands.items():
        said = " ".join((command.help or "").split("\n\n")[0].split())
        assert f"{name} {said}" in " ".join(shown.split())


def test_commands_stand_under_headings():
    shown = get_help(("tiltmeter",)).splitlines()
    places = [shown.index(f"{heading}:") for heading in HEADED]
    assert places == sorted(places)
    assert "Commands:" not in shown
    every = [name for commands in HEADED.values() for name in commands]
    assert sorted(every) == sorted(COMMANDS["tiltmeter",].commands)


def test_many_options_stand_under_headings_and_none_is_lost():
    shown = get_help(("tiltmeter", "audit"))
    assert shown.index("\nSentences:") < shown.index("\nStatistics:") < shown.index("\nResults:")
    for parameter in COMMANDS["tiltmeter", "audit"].params:
        assert parameter.opts[-1] in shown or parameter.metavar in shown
    assert "\nOptions:" in get_help(("tiltmeter", "card"))  # a few need none


def get_help(path):
    command = COMMANDS[path]
    with command.make_context(path[-1], [], resilient_parsing=True) as context:
        return command.get_help(context)


def test_version_is_printed():
    done = subprocess.run([sys.executable, "-m", "tiltmeter", "--version"], capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert done.stdout.startswith("tiltmeter 0.")
