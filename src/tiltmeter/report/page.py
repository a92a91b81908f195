"""What every page is made of: templates, the page's own files, what a browser may load."""

from __future__ import annotations

import base64
import hashlib
import marshal
import re
import sys
from contextlib import suppress
from functools import cache
from importlib import resources
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from tiltmeter.errors import TiltmeterError
from tiltmeter.files import write_aside
from tiltmeter.report.numbers import DASH, count, fixed, points, unbroken
from tiltmeter.report.phrases import subset_words, task_title

if TYPE_CHECKING:
    from jinja2 import Environment


# ---- what every page is made of: templates, the page's own files, what a browser may load


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
    folder = resources.files("tiltmeter.report") / "templates"
    return (folder / name).read_text(encoding="utf-8").strip()


SCRIPT = (
    "elements", "page", "data", "scales", "sentences", "tips", "strip", "boxes", "pairs", "people",
    "heat", "tables", "coefficients", "names", "effects", "system", "detail", "box_plots",
)  # fmt: skip
"""The files of the audit page's script, each after those it imports."""
OF_A_MODULE = re.compile(r"^import [^;]*;\n|^export (?=[a-z])", re.MULTILINE)
"""What binds the files together; in one scope they need no binding."""


@cache
def page_script() -> str:
    """The audit page's script: its files as one, in a scope of their own."""
    files = (OF_A_MODULE.sub("", own_text(f"script/{name}.js")) for name in SCRIPT)
    return "\n".join(['"use strict";', "(() => {", *files, "})();"])


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

    made = Environment(
        loader=PackageLoader("tiltmeter.report", "templates"),
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


# ---- compiled templates, kept where Python keeps compiled modules: to compile them takes 0.2 s


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
