r"""Text as LaTeX prints it: no character of a user's text is a command."""

from __future__ import annotations

import re

from tiltmeter.report.numbers import DASH, fixed

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
