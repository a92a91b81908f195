"""Text that Markdown and LaTeX show as it is: no character of a user's text is a command."""

from __future__ import annotations

import re
import unicodedata

from tiltmeter.report.numbers import DASH, fixed

# ---- text that Markdown shows as it is: no emphasis, link, table, tag or mention comes of it


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


# ---- text as LaTeX prints it: no character of a user's text is a command


PLACES = 3
"""Decimals, as in the paper."""
PRINTED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}",
    "*": "{*}",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "Δ": r"$\Delta$", "×": r"$\times$",
    "≤": r"$\leq$", "≥": r"$\geq$", "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``",
    "”": "''", "…": r"\ldots{}", "\u00a0": "~",
}  # fmt: skip
NEEDS = r"% Needs \usepackage{booktabs,longtable}; names in other scripts need XeLaTeX or LuaLaTeX."
END = r" \\"
BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def escaped(text: str) -> str:
    r"""A text with every special character spelt out; a line break becomes a space.

    >>> print(escaped("50_% of {x} & F↑–M↓: −0.1"))
    50\_\% of \{x\} \& F$\uparrow$--M$\downarrow$: $-$0.1
    """
    one_line = BLANK.sub(" ", text.replace("\u00a0", "\ufdd0")).replace("\ufdd0", "\u00a0")
    apart = re.sub(r"-(?=-)", "-\ufdd1", one_line)
    return "".join(PRINTED.get(mark, mark) for mark in apart).replace("\ufdd1", "{}")


def number(value: float | None, places: int = PLACES) -> str:
    r"""A number with three decimals and a real minus sign, a dash where there is none.

    >>> print(number(-0.0432), number(None))
    $-$0.043 --
    """
    return escaped(DASH if value is None else fixed(value, places))


def table_row(*cells: str) -> str:
    r"""A row of a table.

    >>> print(table_row("a", "b"))
    a & b \\
    """
    return " & ".join(cells) + END


def document(*lines: str) -> str:
    """A table's lines as a file, with what it needs to be set."""
    return "\n".join([NEEDS, *lines, ""])
