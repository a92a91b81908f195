"""What every LaTeX table must keep, whatever stands in its cells."""

import re

import numpy as np
import pytest


@pytest.fixture(scope="session")
def sound_latex():
    """A function that fails where a table would not compile or would run a cell's text."""

    def check(text, fewest_rows=2):
        _nothing_is_bare(_without_escapes(text))
        _rows_fit(text, fewest_rows)
        begun = re.findall(r"\\begin\{([\w*]+)\}", text)
        assert begun == re.findall(r"\\end\{([\w*]+)\}", text)[::-1]

    return check


def _without_escapes(text):
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    return re.sub(r"\\[&%$#_{}]", "", "\n".join(lines).replace(r"\let\\", ""))


def _nothing_is_bare(bare):
    depth = np.cumsum([(mark == "{") - (mark == "}") for mark in bare])
    assert depth.min() >= 0
    assert depth[-1] == 0
    assert bare.count("$") % 2 == 0
    outside = re.sub(r"\$[^$]*\$|\\label\{[^}]*\}|(?<=\$)~", "", bare)
    assert not re.search(r"[%#_~^<>|]", re.sub(r"\$[^$]*\$~?", "", outside))
    assert "\\input" not in bare


def _rows_fit(text, fewest_rows):
    layout = re.search(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}", text)[1]
    columns = len(re.sub(r"\{[^}]*\}", "", layout))
    lines = [line for line in _without_escapes(text).splitlines() if line.endswith(r" \\")]
    rows = [line for line in lines if "\\caption" not in line]
    assert len(rows) >= fewest_rows
    assert {_cells(line) for line in rows} == {columns}


def _cells(line):
    spanned = re.findall(r"\\multicolumn\{(\d+)\}", line)
    return line.count("&") + 1 + sum(int(many) - 1 for many in spanned)
