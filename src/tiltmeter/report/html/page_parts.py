"""What every page is made of: templates, the page's own files, what a browser may load."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from tiltmeter.report.comparison import subset_words, task_title
from tiltmeter.report.numbers import DASH, count, fixed, points, unbroken

if TYPE_CHECKING:
    from jinja2 import Environment


def policy(css: str, js: str = "") -> str:
    """What a browser may load: nothing but the page's own style and script."""
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def own_text(name: str) -> str:
    """One of the page's own files."""
    folder = resources.files("tiltmeter.report.html") / "templates"
    return (folder / name).read_text(encoding="utf-8").strip()


def trusted(text: str) -> Any:  # noqa: ANN401
    """Text of our own making that is put in as it is: style, script, escaped JSON."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff\ufffe\uffff]")
"""What shows nothing, or half a letter, which a name or a command may hold and a page does not."""


def rendered(template: str, **facts: object) -> str:
    """The page that a template makes of the facts, without control characters."""
    return CONTROL.sub("", environment().get_template(template).render(**facts))


@cache
def environment() -> Environment:
    """The templates, with what they need to show numbers; everything is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from tiltmeter.report.html.compiled import CompiledTemplates

    made = Environment(
        loader=PackageLoader("tiltmeter.report.html", "templates"),
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
