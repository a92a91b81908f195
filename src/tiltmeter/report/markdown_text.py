"""Text that Markdown shows as it is: no emphasis, link, table, tag or mention comes of it."""

from __future__ import annotations

import re
import unicodedata

MARKS = re.compile(r"([\\`*_\[\]|~$]|<(?=[A-Za-z/!?]))")
STARTS = re.compile(r"^([-+=>#]|\d+(?=[.)]))")
"""What would make a list, a heading or a quotation of a line that begins with it."""
ENTITIES = {"&": "&amp;", "://": "&#58;//", "www.": "www&#46;", "@": "&#64;"}
"""What is spelt out: an address would become a link, a name after @ somebody's mention."""
ADDRESSES = re.compile("|".join(map(re.escape, ENTITIES)), re.IGNORECASE)


def plain(text: str) -> str:
    r"""A text within a line that is read as it was written.

    >>> print(plain("*my|model* @you <b> p < 0.001"))
    \*my\|model\* &#64;you \<b> p < 0.001
    """
    if not text.isprintable():
        kept = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)
        text = "".join(c for c in kept if unicodedata.category(c) != "Cf")
    shown = ADDRESSES.sub(lambda found: ENTITIES[found[0].lower()], " ".join(text.split()))
    return MARKS.sub(r"\\\1", shown)


def starting(text: str) -> str:
    r"""The same at the beginning of a line.

    >>> print(starting("1. first"), starting("# title"), starting("0.5"))
    1\. first \# title 0\.5
    """
    return STARTS.sub(_guarded, plain(text))


def _guarded(found: re.Match[str]) -> str:
    return f"{found[1]}\\" if found[1].isdigit() else f"\\{found[1]}"


def code(text: str) -> str:
    """A text as code, within more backticks than it holds itself.

    >>> code("a`b")
    '`` a`b ``'
    """
    kept = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", kept)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {kept} {fence}" if longest else f"`{kept}`"
