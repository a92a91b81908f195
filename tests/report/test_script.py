"""The audit page's script: small files that are joined, and show only what Python wrote."""

import re
from importlib import resources

import pytest

from tiltmeter.report.page import SCRIPTS as OF_EVERY_PAGE
from tiltmeter.report.page import joined_script
from tiltmeter.studies.audit.page import SCRIPTS

SCRIPT = [name.removeprefix("script/").removesuffix(".js") for name in (*OF_EVERY_PAGE, *SCRIPTS)]
FOLDER = resources.files("tiltmeter.report") / "templates" / "script"
FILES = {file.name.removesuffix(".js"): file.read_text("utf-8") for file in FOLDER.iterdir()}
TOP_LEVEL = r"^(?:export )?(?:async )?(?:const|let|function) (?:(\w+)|\{([^}]*)\})"


def test_every_file_is_joined_after_those_that_it_imports():
    assert sorted(SCRIPT) == sorted(FILES)
    for place, name in enumerate(SCRIPT):
        assert set(re.findall(r'from "\./(\w+)\.js"', FILES[name])) <= set(SCRIPT[:place])


def test_in_one_scope_no_name_means_two_things():
    found = [
        name.strip()
        for text in FILES.values()
        for one, several in re.findall(TOP_LEVEL, text, re.MULTILINE)
        for name in (several or one).split(",")
    ]
    assert len(found) > 100
    assert sorted(found) == sorted(set(found))


def test_nothing_binds_the_files_once_they_are_joined():
    script = joined_script(SCRIPTS)
    assert script.startswith('"use strict";\n(() => {\n')
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert "</script" not in script


@pytest.mark.parametrize("name", SCRIPT)
def test_a_file_can_be_read(name):
    lines = FILES[name].splitlines()
    assert lines[0].startswith("/* ")
    assert len(lines) <= 200
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", SCRIPT)
def test_the_script_has_no_words_of_its_own(name):
    keys = {"ArrowRight", "ArrowLeft", "Escape"}
    code = re.sub(r"/\*.*?\*/", "", FILES[name], flags=re.DOTALL)
    said = re.findall(r"[\"`]([A-Z][a-z]+)[^\"`]*[\"`]", code)
    assert set(said) <= keys


@pytest.mark.parametrize("name", SCRIPT)
def test_nothing_is_read_back_from_what_the_page_shows(name):
    """A text is set, or it is embedded JSON."""
    code = FILES[name].replace("JSON.parse(held.textContent)", "")
    assert not re.search(r"\.(textContent|innerText|innerHTML|nodeValue)\b(?! = )", code)
