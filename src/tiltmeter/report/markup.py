"""Text that Markdown and LaTeX show as it is: no character of a user's text is a command."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.report.table import Cell, Column, Table


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


NEEDS = r"% Needs \usepackage{booktabs,longtable}; names in other scripts need XeLaTeX or LuaLaTeX."
BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
LONGEST = 48
"""Rows that fit on a page; a longer table runs over several."""
MANY = 6
"""Columns beyond which letters are small, where the table does not say."""
BROAD = 28
"""Letters of a text that fits in a column of its own width."""
BROAD_HEAD = 18
"""Letters of a header over numbers, likewise."""
RUN = 12
"""Letters between which a long word may break."""
RAGGED = r"\raggedright\let\\\tabularnewline "
"""Begins a cell of a column of lines, whose rows still end where they should."""
LATEX_PRINTED = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}",
    "*": "{*}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "→": r"$\rightarrow$", "−": "$-$",
    "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$", "Δ": r"$\Delta$",
    "β": r"$\beta$", "γ": r"$\gamma$", "ρ": r"$\rho$", "φ": r"$\varphi$", "ψ": r"$\psi$",
    "†": r"$^{\dagger}$", "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "–": "--",
    "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "\u00a0": "~",
    "¹": "$^{1}$", "²": "$^{2}$", "³": "$^{3}$", "ᵉ": "$^{e}$", "\ufdd1": "{}", "\ufdd2": r"\,\%",
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""A text as LaTeX prints it: no character is a command; a line break becomes a space.

    >>> print(latex_text("50_% of {x} & F↑–M↓: −0.1 at 95 %"))
    50\_\% of \{x\} \& F$\uparrow$--M$\downarrow$: $-$0.1 at 95\,\%
    """
    one_line = BLANK.sub(" ", text.replace("\u00a0", "\ufdd0")).replace("\ufdd0", "\u00a0")
    apart = re.sub(r"-(?=-)", "-\ufdd1", re.sub(r"(?<=\d)[ \u00a0]%", "\ufdd2", one_line))
    return "".join(LATEX_PRINTED.get(mark, mark) for mark in apart)


def latex_table(table: Table) -> str:
    """A table for a paper: a float where it fits on a page, else over several."""
    columns, rows = table.shown("latex"), table.cells("latex")
    layout = _layout(columns, rows, [table.is_right(column) for column in columns])
    paged = table.paged or len(rows) > LONGEST
    between = r"\addlinespace" if paged else r"\midrule"  # a rule would double at a page's end
    blocks = [
        block
        for heading, some in table.groups(rows)
        for block in _blocks(columns, layout, some, heading)
    ]
    body = [line for block in blocks for line in (between, *block)][1:]
    top = [r"\toprule", *_heads(columns, layout), r"\midrule"]
    said = " ".join(
        (rf"$^{{{latex_text(mark)}}}$~" if mark else "") + latex_text(words)
        for mark, words in (("", table.caption), *table.marked_notes())
        if words
    )
    caption, label = rf"\caption{{{said}}}", rf"\label{{tab:{table.name}}}"
    tight = len(columns) > MANY if table.tight is None else table.tight
    style = [r"\footnotesize\setlength{\tabcolsep}{2pt}"] if tight else []
    spec = "".join(layout)
    if paged:
        lines = [
            r"\begingroup", *style, rf"\begin{{longtable}}{{{spec}}}", rf"{caption}{label} \\",
            *top, r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endfoot",
            *body, r"\end{longtable}", r"\endgroup",
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table*}[t]", r"\centering", *style, rf"\begin{{tabular}}{{{spec}}}",
            *top, *body, r"\bottomrule", r"\end{tabular}", caption, label, r"\end{table*}",
        ]  # fmt: skip
    return "\n".join([NEEDS, *lines, ""])


def breakable(text: str) -> str:
    r"""A text that can be set in any cell: a word too long for a column may break.

    >>> print(breakable("gru_1"))
    gru\_1
    """
    if max(map(len, text.split()), default=0) <= BROAD:
        return latex_text(text)
    parts = re.split(rf"(\S{{{RUN}}})(?=\S)", text)
    return r"\allowbreak{}".join(latex_text(part) for part in parts if part)


def _layout(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], rights: Sequence[bool]
) -> list[str]:
    """Of each column, how it is set: as wide as it is, or a part of the page."""
    broad = [
        max((len(row[nth].plain()) for row in rows), default=0) > BROAD and not right
        for nth, right in enumerate(rights)
    ]
    part = min(0.3, 0.6 / max(1, sum(broad)))
    found = []
    for column, right, wide in zip(columns, rights, broad, strict=True):
        long_head = not column.latex and len(column.header or column.name) > BROAD_HEAD
        found.append(
            rf"p{{{part:.2g}\linewidth}}" if wide
            else r"p{0.19\linewidth}" if long_head and right
            else "r" if right else "l"
        )  # fmt: skip
    return found


def _heads(columns: Sequence[Column], layout: Sequence[str]) -> Iterator[str]:
    if any(column.over for column in columns):
        over = [(name, len([*some])) for name, some in groupby(column.over for column in columns)]
        cells = (
            rf"\multicolumn{{{many}}}{{c}}{{{latex_text(name)}}}" if name else " & " * (many - 1)
            for name, many in over
        )
        yield " & ".join(cells) + r" \\"
        at = 1
        rules = []
        for name, many in over:
            rules += [rf"\cmidrule(lr){{{at}-{at + many - 1}}}"] if name else []
            at += many
        yield "".join(rules)
    heads = [
        (RAGGED if kind.startswith("p") else "")
        + (column.latex or breakable(column.header or column.name))
        for column, kind in zip(columns, layout, strict=True)
    ]
    yield " & ".join(heads) + r" \\"


def _blocks(
    columns: Sequence[Column], layout: Sequence[str], rows: Sequence[list[Cell]], heading: str
) -> Iterator[list[str]]:
    """Rows under their heading, in blocks that are ruled off."""
    from tiltmeter.report.table import block_starts

    bold = rf"\multicolumn{{{len(columns)}}}{{l}}{{\textbf{{{latex_text(heading)}}}}} \\"
    block = [bold] if heading else []
    begun = False
    for row, starts in zip(rows, block_starts(columns, rows), strict=True):
        if begun and columns[0].once and starts[0]:
            yield block
            block = []
        begun = True
        cells = (
            _cell(cell, kind, raggedly=kind.startswith("p")) if start else ""
            for cell, start, kind in zip(row, starts, layout, strict=True)
        )
        block.append(" & ".join(cells) + r" \\")
    yield block


def _cell(cell: Cell, kind: str, *, raggedly: bool) -> str:
    text = latex_text(cell.text) if kind == "r" else breakable(cell.text)
    text = rf"\textbf{{{text}}}" if cell.strong else text
    text += rf"$^{{{latex_text(cell.raised)}}}$" if cell.raised else ""
    text += f" {latex_text(cell.small)}" if cell.small else ""
    return f"{RAGGED}{text}" if raggedly else text
