"""Every `$ tiltmeter …` in the documents runs, and every link leads somewhere.

A line of dots alone means any lines; the output may wrap or align otherwise than shown.
"""

import doctest
import functools
import importlib
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


PAGES = [
    *DOCUMENTS,
    ROOT / "CONTRIBUTING.md",
    ROOT / "WORDS.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CHANGELOG.md",
]
LINK = re.compile(r"\]\(([^()\s]*)\)")
NAMED_PAGE = re.compile(r"(?<![\w/])docs/([\w-]+\.md(?:#[\w-]+)?)")


def without_code(text):
    """A document without its blocks of code: no heading or link stands in them."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@functools.cache
def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found = []
    for heading in re.findall(r"^#+ (.+)$", without_code(page.read_text("utf-8")), re.MULTILINE):
        text = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return frozenset(found)


def broken(link, page):
    """Whether a relative link of a page leads to no file, or to a heading it does not have."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path) if path else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_to_a_page_and_a_heading_that_exist(page):
    links = LINK.findall(without_code(page.read_text("utf-8")))
    relative = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert not [link for link in relative if broken(link, page)]


@pytest.mark.parametrize("page", PAGES[:-1], ids=lambda path: path.name)  # no history
def test_every_file_and_python_name_in_a_document_exists(page):
    """Tests, benchmarks and examples by their path, `tiltmeter.room.name(…)` by its import."""
    text = page.read_text("utf-8")
    paths = set(re.findall(r"\b(?:tests|benchmarks|examples)/[\w/-]+(?:\.\w+)?", text))
    assert not [path for path in paths if not (ROOT / path).exists()]
    for name in set(re.findall(r"`(tiltmeter(?:\.\w+)+)\(", text)):
        module, _, function = name.rpartition(".")
        assert hasattr(importlib.import_module(module), function), name


def test_the_readme_leads_to_every_page():
    linked = set(LINK.findall((ROOT / "README.md").read_text("utf-8")))
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {link.partition("#")[0] for link in linked}


def test_every_page_that_code_messages_and_tests_name_exists():
    """A page of docs/, and perhaps its heading, wherever a text file of the project names one."""
    folders = ("src", "tests", "benchmarks", "examples")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")
             if path.suffix in {".py", ".toml", ".md", ".html", ".js", ".R"}]  # fmt: skip
    files += [*PAGES, ROOT / "Makefile", ROOT / "pyproject.toml"]
    named = [(path, name) for path in files for name in NAMED_PAGE.findall(path.read_text("utf-8"))]
    assert len(named) > 20
    assert not [
        (path.name, name) for path, name in named if broken(f"docs/{name}", ROOT / "README.md")
    ]


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


def test_the_walks_of_architecture_name_functions_that_exist_and_at_most_twelve():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    walks = text.split("## Three walks")[1].split("\n## ")[0].split("\n**")[1:]
    assert len(walks) == 3
    for walk in walks:
        named = re.findall(r"`((?:\w+\.)+\w+)`", walk)
        functions = [name for name in named if name != "stats.logistic"]
        assert 6 <= len(functions) <= 12
        for name in functions:
            module, _, function = name.rpartition(".")
            assert callable(getattr(importlib.import_module(f"tiltmeter.{module}"), function))
