"""The shell of every page: head, navigation, answer, sections, method, limits, glossary, footer.

A study says what its page holds; the shell makes it whole, safe and alike. In a study's `page.py`:

    def compare_page(study: Comparison) -> Page:
        return Page(
            "compare.html",
            question=question(study.changes),                 # the title and the first heading
            answer=Section("answer", "", "versions/answer.html", {"cards": cards(study)}),
            sections=(
                Section("changes", "Before and now", "versions/changes.html",
                        {"blocks": blocks(study)}),
                Section("skill", "Skill beside it", body=skill_table(study).html(),
                        lede="Agreement with gold scores.") if study.skill.height else None,
            ),
            method=Method("Both versions scored the same sentences.", facts(study)),
            limits=(("Better is not even.", "The tilt shrank, and may still be too large."),),
            glossary=GLOSSARY,
            about="two versions",                             # beside the tool's name
            environment=study.environment,                    # versions, machine, time, command
            tables=study.tables(),                            # listed under Files, to download
            files=Markup('Beside this page: <a href="compare.json" download>compare.json</a>.'),
            styles=("versions/versions.css",),
        )

    render(page)      the whole file: one HTML page that loads nothing from anywhere

* A `Section` is a template with its facts, or a `body` that is Markup already (`table.html()`,
  `forest.html()`, or both joined). The shell writes `<section id>` and its heading, so a template
  has neither, and the link in the navigation: `nav` where it should read otherwise than the title,
  `nav=""` for none. None stands for a section that a study has not: it is left out.
* Under the answer, whose body is a `FirstScreen` (first_screen.py), every section is folded: its
  heading and its lede, one sentence that says what is inside, stay. A link into a fold opens it.
* Templates and styles are found by name in report/templates/ and, as `rating/labels.html`, in
  studies/. Every template gets `page` and the page's `facts` besides its own. All is escaped; a
  name that is not there is an error; letters that show nothing are taken out of the whole page.
* A style may not stand in an attribute, since the page's policy forbids it: use a class, or SVG's
  own attributes in per cent. `scripts` are modules, each after those it imports, that are joined
  in one scope; they read `data`, JSON by the id of its element (`script_json`).
* The method's facts end with the environment's: versions, machine, time, the command to repeat it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import marshal
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.bccache import Bucket, BytecodeCache
from markupsafe import Markup

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import write_aside
from tiltmeter.report.glossary import GlossaryTerm
from tiltmeter.report.numbers import DASH, count, fixed, points, unbroken
from tiltmeter.report.phrases import subset_words, task_title

if TYPE_CHECKING:
    from jinja2 import Environment

    from tiltmeter.report.table import Table

NOTHING = Markup()
STYLES = ("page.css", "forest.css", "first_screen.css")
SCRIPTS = ("script/folds.js",)
"""Of every page; a study's own come after them."""
PACKAGE = Path(__file__).parent
FOLDERS = (PACKAGE / "templates", PACKAGE.parent / "studies")
"""Where templates, styles and scripts are found."""
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
ESCAPED_CONTROL = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u00[01][0-9a-f]|[bf])")
"""A control character as JSON writes it, after any backslashes that stand for themselves."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]")
"""What shows nothing, or half a letter, which a name or a command may hold and a page does not."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page under its own heading."""

    id: str
    title: str
    template: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    body: Markup = NOTHING
    """Stands after what the template makes, if there is one."""
    lede: str | Markup = ""
    nav: str | None = None
    """Its link in the navigation; None where the title serves, nothing for no link."""
    folded: bool = True
    """Whether only its heading and its lede, one sentence, show until it is opened."""


@dataclass(frozen=True, slots=True)
class Method:
    """How it was measured."""

    lede: str | Markup
    facts: Iterable[tuple[str, str | Markup]]
    intro: str | Markup = ""
    """A paragraph before the facts."""
    title: str = "How this was measured"
    limits_title: str = "What this does not show"
    more: Markup = NOTHING
    """Further parts, after the files."""


@dataclass(frozen=True, slots=True)
class Page:
    """Everything a page shows."""

    file: str
    question: str
    answer: Section
    """What stands under the question; its id and its link, but no heading."""
    sections: tuple[Section | None, ...] = ()
    method: Method | None = None
    limits: tuple[tuple[str, str], ...] = ()
    glossary: tuple[GlossaryTerm, ...] = ()
    about: str = ""
    """What kind of page it is, beside the tool's name."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    files: Markup = NOTHING
    tables: tuple[Table, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    """What every template gets."""
    kind: str = ""
    """The body's class."""
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    """Modules of the page's script, each after those it imports."""
    data: Mapping[str, Markup] = field(default_factory=dict)
    after: Markup = NOTHING
    """What stands after the footer: a dialog, say."""
    title: str = ""
    """Of the browser's window, where it is not the question."""


def render(page: Page) -> str:
    """The whole page, self-contained."""
    css = "\n".join(map(own_text, (*STYLES, *page.styles)))
    js = joined_script((*SCRIPTS, *page.scripts))
    sections = [one for one in page.sections if one is not None]
    bodies = {one.id: _body(page, one) for one in (page.answer, *sections)}
    return rendered(
        "shell.html",
        page=page,
        sections=sections,
        bodies=bodies,
        method_facts=[*page.method.facts, *environment_facts(page.environment)]
        if page.method
        else [],
        css=trusted(css),
        js=trusted(js),
        policy=policy(css, js),
    )


def _body(page: Page, section: Section) -> Markup:
    if not section.template:
        return section.body
    template = environment().get_template(section.template)
    made = template.render({"page": page, **page.facts, **section.facts})
    return trusted(made) + section.body


def environment_facts(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Versions, machine and time, where they are known."""
    if versions := known.get("versions"):
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


def policy(css: str, js: str = "") -> str:
    """What a browser may load: nothing but the page's own style and script."""
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def script_json(value: object) -> Markup:
    r"""JSON that no parser of HTML or JavaScript can mistake for anything else.

    Control characters are left out of it, as of the rest of the page.

    >>> str(script_json("</script>")), str(script_json("a\x1b[31m \\u001b"))
    ('"\\u003c/script\\u003e"', '"a[31m \\\\u001b"')
    """
    text = COMPACT.encode(value)
    if "\\" in text:
        text = ESCAPED_CONTROL.sub(r"\1", text)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return trusted(text)


@cache
def own_text(name: str) -> str:
    """A style or script of a page."""
    place = next(folder / name for folder in FOLDERS if (folder / name).is_file())
    return place.read_text(encoding="utf-8").strip()


OF_A_MODULE = re.compile(r"^import [^;]*;\n|^export (?=[a-z])", re.MULTILINE)
"""What binds a script's files together; in one scope they need no binding."""


@cache
def joined_script(names: tuple[str, ...]) -> str:
    """A page's script: its files as one, in a scope of their own."""
    files = (OF_A_MODULE.sub("", own_text(name)) for name in names)
    return "\n".join(['"use strict";', "(() => {", *files, "})();"]) if names else ""


def trusted(text: str) -> Markup:
    """Text of our own making that is put in as it is: style, script, escaped JSON."""
    return Markup(text)  # noqa: S704


def rendered(template: str, **facts: object) -> str:
    """What a template makes of the facts, without control characters."""
    return CONTROL.sub("", environment().get_template(template).render(**facts))


@cache
def environment() -> Environment:
    """The templates, with what they need to show numbers; everything is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(FOLDERS),
        bytecode_cache=CompiledTemplates(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "places": lambda value, many: DASH if value is None else fixed(value, many),
        "count_of": count,
        "unbroken": unbroken,
        "points": points,
        "subset": subset_words,
        "task_title": task_title,
    }
    return made


class CompiledTemplates(BytecodeCache):
    """Templates by name and checksum of their text; none where the folder cannot be written to."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template that was compiled from the same text."""
        with suppress(OSError, EOFError, ValueError, TypeError):
            checksum, code = marshal.loads(self._place(bucket).read_bytes())  # noqa: S302
            if checksum == bucket.checksum and isinstance(code, CodeType):
                bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template, unless Python is told to keep none."""
        if sys.dont_write_bytecode:
            return
        data = marshal.dumps((bucket.checksum, bucket.code))
        with suppress(OSError, TiltmeterError):
            write_aside(self._place(bucket), lambda file: file.write(data))

    def _place(self, bucket: Bucket) -> Path:
        source = Path(__file__).with_name(f"{bucket.key}-jinja-{jinja2.__version__}")
        return Path(cache_from_source(f"{source}.py"))  # has the version of Python in its name
