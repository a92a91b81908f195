"""Every `$ tiltmeter …` in the documents runs, and prints what the document says it prints.

A line of dots alone stands for any lines; the output may wrap or align otherwise than shown.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from command_line import tiltmeter

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANYTHING = "..."
STORES = ("kept", "store", "s")
"""What documents call their store."""
OWN_STORE = ("scoring.md",)
"""Documents that show how much is asked, and what a store holds."""


def steps(block):
    """Cut a console block into (command, expected lines)."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *expected = part.rstrip("\n").split("\n")
        yield command, [line for line in expected if line.strip()]


def squeezed(lines):
    return [" ".join(line.split()) for line in lines if line.strip(" ─")]


def holds(expected, found):
    """Whether the found lines are the expected ones, dots standing for any number of lines."""
    if not expected:
        return not found
    if expected[0] == ANYTHING:
        return any(holds(expected[1:], found[start:]) for start in range(len(found) + 1))
    return bool(found) and expected[0] == found[0] and holds(expected[1:], found[1:])


def run(command, folder):
    """Exit code and output of a command: here where it is `tiltmeter` alone, else in a shell."""
    alone, _, told = command.partition("; echo ")
    words = shlex.shlex(alone, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first, *others = words
    if first != "tiltmeter" or any(set(word) <= set("();<>|&") for word in others):
        return run_in_shell(command, folder)
    done = tiltmeter(*others, folder=folder)
    if not told:
        return done.returncode, (done.stdout + done.stderr).split("\n")
    told = told.strip('"').replace("$?", str(done.returncode))
    return 0, f"{done.stdout}{told}\n{done.stderr}".split("\n")


def run_in_shell(command, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PATH": path, "COLUMNS": "80"}, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).split("\n")


@pytest.fixture
def folder(tmp_path, shared_store):
    """A folder whose stores are one: what a document asks is not asked again by the next."""
    for name in STORES:
        (tmp_path / name).symlink_to(shared_store)
    return tmp_path


@pytest.mark.skipif(not shutil.which("bash"), reason="the documents' commands need bash")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_print_what_the_document_shows(document, tmp_path, request):
    if document.name not in OWN_STORE:
        request.getfixturevalue("folder")
    for block in FENCE.findall(document.read_text(encoding="utf-8")):
        for command, expected in steps(block):
            code, found = run(command, tmp_path)
            shows_error = any(line.startswith("error: ") for line in expected)
            assert code == (2 if shows_error else 0), (command, found)
            assert holds(squeezed(expected), squeezed(found)), (command, "\n".join(found))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_give_what_the_document_shows(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_the_documents_show_every_corpus_command():
    text = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    for command in ("list", "show", "export", "check", "new"):
        assert f"$ tiltmeter corpus {command}" in text


def test_the_install_line_of_the_readme_has_what_its_examples_need():
    """Its systems, its figures, and services behind a URL: parts that come as extras."""
    root = Path(__file__).parents[1]
    line = re.search(r"pip install '\.\[([\w,-]+)\]'", (root / "README.md").read_text("utf-8"))
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert line is not None
    named = set(line[1].split(","))
    assert {"systems", "charts", "http"} <= named <= set(extras["optional-dependencies"])
