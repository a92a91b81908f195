"""The shell of every page: what it holds, what it leaves out, and that it is safe."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from tiltmeter.report import page as shell
from tiltmeter.report.glossary import GlossaryTerm
from tiltmeter.report.page import Method, Page, Section, render, script_json
from tiltmeter.report.table import Table

HOSTILE = "<script>alert(1)</script>\x1b\u202e"


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a study's own templates and styles."""
    monkeypatch.setattr(shell, "FOLDERS", (*shell.FOLDERS, tmp_path))
    shell.environment.cache_clear()
    shell.own_text.cache_clear()
    yield tmp_path
    shell.environment.cache_clear()
    shell.own_text.cache_clear()


def page(**more: object) -> Page:
    facts = {
        "question": "Do they tilt?",
        "answer": Section("answer", "", body=Markup("<p>No.</p>")),
        "sections": (
            Section("changes", "Before and now", body=Markup("<p>here</p>"), lede="Points."),
            None,
            Section("skill", "Skill beside it", nav="Skill"),
            Section("quiet", "Not in the navigation", nav=""),
        ),
        "method": Method("Twice.", [("Margin", "1 point")]),
        "limits": (("Better is not even.", "It may be large."),),
        "glossary": (GlossaryTerm("tilt", "tilt", "A difference."),),
        "about": "two versions",
        "environment": {"versions": {"tiltmeter": "2.0"}, "command": "tiltmeter compare a b"},
    }
    return Page("compare.html", **(facts | more))  # type: ignore[arg-type]


def test_every_part_stands_in_its_place() -> None:
    made = render(page())
    assert re.findall(r'<a href="#(\w+)">(.*?)</a>', made.split("</nav>")[0]) == [
        ("answer", "Answer"), ("changes", "Before and now"), ("skill", "Skill"),
        ("method", "Method"), ("glossary", "Glossary"),
    ]  # fmt: skip
    assert re.findall(r"<section id=\"(\w+)\" aria-labelledby=\"([\w-]+)\"", made) == [
        ("answer", "question"), ("changes", "changes-h"), ("skill", "skill-h"),
        ("quiet", "quiet-h"), ("method", "method-h"), ("glossary", "glossary-h"),
    ]  # fmt: skip
    assert '<h1 id="question" dir="auto">Do they tilt?</h1>\n\n<p>No.</p>' in made
    assert '<span class="lede">Points.</span></summary>\n<p>here</p>' in made
    assert '<dt dir="auto">Margin</dt><dd dir="auto">1 point</dd>' in made
    assert "Versions</dt>" in made
    assert "<code>tiltmeter compare a b</code>" in made
    assert "<li><strong>Better is not even.</strong> It may be large.</li>" in made
    assert '<div id="g-tilt"><dt>tilt</dt><dd>A difference.</dd></div>' in made
    assert "Made by Tiltmeter 2.0. This page loads nothing" in made
    assert "<title>Do they tilt?</title>" in made


def test_only_its_own_style_and_script_may_run() -> None:
    made = render(
        page(scripts=("script/scales.js",), data={"common": script_json({"a": "</script>"})})
    )
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", made, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in made
    (data,) = re.findall(r'<script type="application/json" id="common">(.*?)</script>', made)
    assert json.loads(data) == {"a": "</script>"}
    assert "scaleTo" not in render(page())


def test_tables_can_be_downloaded() -> None:
    tables = (Table("changes", pl.DataFrame({"a": [1]}), files=("csv", "tex")),)
    made = render(page(tables=tables, files=Markup("Beside this page: <b>x</b>.")))
    assert '<a href="tables/changes.csv" download>CSV</a>' in made
    assert '<a href="tables/changes.tex" download>LaTeX</a>' in made
    assert "<p>Beside this page: <b>x</b>.</p>" in made


def test_hostile_words_are_escaped_everywhere() -> None:
    made = render(
        page(
            question=HOSTILE, about=HOSTILE, limits=((HOSTILE, HOSTILE),), kind=HOSTILE,
            glossary=(GlossaryTerm(HOSTILE, HOSTILE, HOSTILE),),
            method=Method(HOSTILE, [(HOSTILE, HOSTILE)]),
            sections=(Section("a", HOSTILE, lede=HOSTILE),), environment={"command": HOSTILE},
        )
    )  # fmt: skip
    assert made.count("<script") == 1  # the kit's own
    assert not re.search("[\x1b\u202e]", made)


def test_a_template_of_a_study_gets_its_facts(templates: Path) -> None:
    (templates / "mine").mkdir()
    (templates / "mine" / "part.html").write_text("<i>{{ name }} {{ shared }} {{ page.about }}</i>")
    (templates / "mine" / "own.css").write_text(".mine { color: red }")
    section = Section("a", "A", "mine/part.html", {"name": "<b>"}, body=Markup("<hr>"))
    made = render(page(sections=(section,), facts={"shared": 1}, styles=("mine/own.css",)))
    assert "<i>&lt;b&gt; 1 two versions</i><hr>" in made
    assert made.index(".drawn") < made.index(".mine { color: red }")


def test_a_fact_that_is_not_there_is_an_error(templates: Path) -> None:
    (templates / "part.html").write_text("{{ missing }}")
    with pytest.raises(UndefinedError, match="missing"):
        render(page(sections=(Section("a", "A", "part.html"),)))
