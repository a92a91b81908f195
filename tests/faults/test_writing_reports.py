"""No string of a user, a file or a server comes alive in a page, a picture or a table.

The same reports are made twice, with attacks and with harmless words (`hostile_reports.py`). A page
of attacks may hold no element, attribute or script that the harmless one has not.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hostile_reports import ATTACKS, REPORTS, Strings

HERE = ("#", "tables/", "figures/", "individual/", "labels/")
"""How a link begins that leads nowhere else."""
COMPUTED = r"^[=+\-@\t\r\n]"
COMMANDS = re.compile(r"\\(input|include|write|immediate|openin|openout|catcode|def|csname)")
AFTER = re.compile(r"__pwned|evil\.example|onerror|onload")


@dataclass
class Parsed(HTMLParser):
    """What a browser would see of a page: its elements, its scripts and its text."""

    elements: set[tuple[str, str]] = field(default_factory=set)
    """Each element with each of its attributes."""
    links: set[str] = field(default_factory=set)
    scripts: list[str] = field(default_factory=list)
    """What runs."""
    data: list[str] = field(default_factory=list)
    """JSON for the scripts."""
    text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._inside: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements |= {(tag, name) for name, _ in attrs} | {(tag, "")}
        told = dict(attrs)
        self.links |= {str(told[name]) for name in ("href", "src", "action") if name in told}
        if tag == "script":
            self._inside = self.data if told.get("type") == "application/json" else self.scripts
            self._inside.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self._inside[-1] += data
        else:
            self.text.append(data)


def parsed(path: Path) -> Parsed:
    page = Parsed()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


@dataclass(frozen=True)
class Made:
    """A report made of attacks, the same made of harmless words, and the attacks."""

    hostile: Path
    harmless: Path
    attacks: list[str]


@pytest.fixture(scope="module", params=REPORTS)
def made(request, tmp_path_factory):
    folders, strings = {}, {}
    for hostile in (True, False):
        strings[hostile] = Strings(hostile)
        folder = tmp_path_factory.mktemp(request.param)
        folders[hostile] = REPORTS[request.param](folder, strings[hostile])
    return Made(folders[True], folders[False], strings[True].made)


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def pictures(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.svg"))


def shape(folder: Path) -> set[tuple[str, str]]:
    return {one for path in pages(folder) for one in parsed(path).elements}


def test_no_element_or_attribute_of_a_page_comes_from_a_string(made):
    allowed = shape(made.harmless)
    assert not [name for _, name in allowed if name.startswith("on")]
    for path in pages(made.hostile):
        page = parsed(path)
        assert page.elements <= allowed
        away = [link for link in page.links if AFTER.search(link) and not link.startswith(HERE)]
        assert not away
        assert not [link for link in page.links if "script:" in link.lower()]


def test_scripts_are_ours_and_their_data_are_data(made):
    ours = {script for path in pages(made.harmless) for script in parsed(path).scripts}
    for path in pages(made.hostile):
        page = parsed(path)
        assert set(page.scripts) <= ours
        for text in page.data:
            assert "<" not in text
            json.loads(text)


def test_attacks_are_read_as_they_were_written(made):
    whole = " ".join(
        " ".join([*page.text, *map(str, map(json.loads, page.data))])
        for page in map(parsed, pages(made.hostile))
    )
    shown = [attack for attack in made.attacks if attack in whole]
    assert len(shown) >= 5
    assert "1337" not in whole  # 7 * 191: what a template engine would make of the braces
    assert any("&#x3c;img&#x3e;" in attack for attack in shown) or "rating" in str(made.hostile)


def elements_of(path: Path) -> Iterator[tuple[str, str]]:
    for _, element in ET.iterparse(path, ("start",)):
        yield element.tag, ""
        yield from ((element.tag, name) for name in element.attrib)


def test_no_element_or_attribute_of_a_picture_comes_from_a_string(made):
    allowed = {one for path in pictures(made.harmless) for one in elements_of(path)}
    assert allowed
    for path in pictures(made.hostile):
        found = set(elements_of(path))
        assert found <= allowed
        assert not [tag for tag, _ in found if re.search("script|foreign|image|iframe", tag)]
        for _, element in ET.iterparse(path, ("start",)):
            assert "script:" not in str(element.attrib.get("href", ""))


def test_nothing_was_written_beside_the_folder(made):
    for folder in (made.hostile, made.harmless):
        beside = {one.name for one in folder.parent.iterdir()}
        assert not [name for name in beside if name.startswith("etc")]
        assert all(path.resolve().is_relative_to(folder) for path in folder.rglob("*"))


def test_no_cell_of_a_table_is_a_formula(made):
    tables = sorted(made.hostile.rglob("*.csv"))
    assert tables
    for path in tables:
        frame = pl.read_csv(path, infer_schema_length=None)
        assert not [name for name in frame.columns if re.match(COMPUTED, name)]
        for column in frame.select(pl.col(pl.String)):
            assert not column.str.contains(COMPUTED).any()


def test_no_text_of_a_latex_table_is_a_command(made):
    for path in made.hostile.rglob("*.tex"):
        text = path.read_text(encoding="utf-8")
        assert not COMMANDS.search(text)
        assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")


def test_what_is_written_as_json_is_json(made):
    for path in made.hostile.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("attack", ATTACKS[:7])
def test_the_check_itself_would_see_each_attack(attack):
    page = Parsed()
    page.feed(f"<p title='{attack}'>{attack}</p><script>let x = '{attack}'</script>")
    page.close()
    foreign = page.elements - {("p", ""), ("p", "title"), ("script", "")}
    alive = [script for script in page.scripts if script.startswith("window.__pwned")]
    assert foreign or page.links or alive


@pytest.mark.browser
def test_in_a_browser_no_script_runs_and_nothing_is_asked_for(made):
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium here")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        try:
            for path in [*pages(made.hostile), *pictures(made.hostile)[:4]]:
                check_visit(browser, path)
        finally:
            browser.close()


TOUCH = """() => {
  const all = 'summary, button, select, input, option, [tabindex], svg *';
  for (const one of [...document.querySelectorAll(all)].slice(0, 400))
    for (const kind of ['mouseover', 'mousemove', 'pointerover', 'focusin', 'click', 'input'])
      one.dispatchEvent(new MouseEvent(kind, {bubbles: true}));
}"""
"""Everything on the page touched, since what a script draws it draws when asked."""


DRAWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
"""Until what the touches set off has been drawn."""


def check_visit(browser, path: Path) -> None:
    """Open a file; nothing of it runs but what is ours, and nothing is fetched."""
    context = browser.new_context()
    context.set_offline(True)
    page, asked, alerts = context.new_page(), [], []
    page.on("request", lambda one: asked.append(one.url))
    page.on("dialog", lambda one: (alerts.append(one.message), one.dismiss()))
    page.set_default_timeout(300_000)
    page.goto(path.as_uri())
    page.evaluate(TOUCH)
    page.evaluate(DRAWN)
    assert page.evaluate("window.__pwned") is None
    assert not alerts
    assert [one for one in asked if not one.startswith("data:")] == [asked[0]]
    context.close()
