"""The page's own files: a fixed list, read from the package; no address opens any other."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

STATIC = {"explore.css": "text/css", "explore.js": "text/javascript"}
"""What a browser may ask for by name."""
SCRIPT = (
    "elements", "api", "state", "sentence", "variants", "names", "why", "audits", "ask",
    "actions", "main",
)  # fmt: skip
"""The script's files, each before those that use it."""
OF_A_MODULE = re.compile(
    r"^import .*?;\n|^export (?=async|const|function|let)", re.MULTILINE | re.DOTALL
)


def page_file(name: str) -> str:
    """One of the page's files."""
    return files("tiltmeter.explore").joinpath("static", name).read_text("utf-8")


@cache
def explorer_script() -> str:
    """The script's files as one, in a scope of their own."""
    parts = (OF_A_MODULE.sub("", page_file(f"script/{name}.js")) for name in SCRIPT)
    return "\n".join(['"use strict";', "(() => {", *parts, "})();"])
