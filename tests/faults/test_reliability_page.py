"""docs/reliability.md: what happens when something breaks, and the test that shows it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reliability.md"
HEADINGS = ["While it runs", "What it reads and writes", "Several at once", "The same again"]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def rows():
    """Each row of each table of faults: its three cells."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
             if line.startswith("|")]  # fmt: skip
    return [row for row in cells if len(row) == 3 and row[0] != "fault" and set(row[0]) != {"-"}]


def names_in(path):
    """The names of the tests that a file has, in whatever class."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {name for name in found if name.startswith("test_")}


def test_the_page_has_its_four_parts_in_order():
    found = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [heading for heading in found if heading in HEADINGS] == HEADINGS


def test_every_row_names_a_fault_what_happens_and_a_test_that_exists():
    assert len(rows()) > 40
    for fault, happens, shown in rows():
        assert fault
        assert happens
        named = NAMED.findall(shown)
        assert named, f"{fault}: no test is named"
        for path, test in named:
            assert (ROOT / path).is_file(), f"{fault}: there is no {path}"
            assert test in names_in(ROOT / path), f"{fault}: {path} has no {test}"


def test_every_test_of_a_fault_stands_in_a_row():
    named = {test for row in rows() for _, test in NAMED.findall(row[2])}
    here = Path(__file__).parent
    others = [path for path in here.glob("test_*.py") if path != Path(__file__)]
    unnamed = {f"{path.name}::{test}" for path in others for test in names_in(path) - named}
    assert not unnamed


def test_what_takes_minutes_is_said_to():
    """A test under `make faults` alone is marked so in its row, and no other is."""
    slow = {
        test
        for path in (ROOT / "tests").rglob("test_*.py")
        for test in re.findall(
            r"@pytest\.mark\.slow\n(?:@.+\n(?:[ )].*\n)*)*def (test_\w+)",
            path.read_text(encoding="utf-8"),
        )
    }
    for fault, _, shown in rows():
        for _, test in NAMED.findall(shown):
            told = f"{test}` (make faults)" in shown
            assert told == (test in slow), f"{fault}: {test}"
