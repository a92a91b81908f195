"""How studies/embeddings still lays out LaTeX; goes once its tables are the kit's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiltmeter.report.markup import END, document, escaped, table_row
from tiltmeter.studies.rating.config import DISCRETISED

LONGEST = 48
"""Rows that fit on a page; a longer table runs over several."""
BROAD = 28
"""Characters of a name that fits in a column of its own width."""
RUN = 12
"""Characters between which a long word may break."""
NAMES = r"p{0.26\linewidth}"
TIGHT = r"\footnotesize\setlength{\tabcolsep}{2pt}"
DAGGER = r"$^{\dagger}$"


def printed(name: str, variant: str = "") -> str:
    r"""A name that can be set in any cell: a long word may break, and a star does not end a row.

    >>> print(printed("gru_1", "discretised"), printed("*a"))
    gru\_1$^{\dagger}$ {*}a
    """
    parts = re.split(rf"(\S{{{RUN}}})(?=\S)", name) if _longest_word(name) > BROAD else [name]
    text = r"\allowbreak{}".join(escaped(part) for part in parts if part)
    text = text.replace("*", "{*}") if text.startswith("*") else text
    return text + (DAGGER if variant == DISCRETISED else "")


def _longest_word(name: str) -> int:
    return max(map(len, name.split()), default=0)


def in_lines(text: str) -> str:
    r"""A cell of a paragraph column, its right edge ragged; a row still ends where it should.

    >>> print(in_lines("a b"))
    \raggedright\let\\\tabularnewline a b
    """
    return rf"\raggedright\let\\\tabularnewline {text}"


def laid_out(
    label: str,
    columns: str,
    heads: Sequence[Sequence[str]],
    blocks: Sequence[Sequence[str]],
    caption: str,
    *,
    tight: bool = False,
    paged: bool = False,
) -> str:
    """A table of blocks of rows: a float where it fits on a page, else over several."""
    several = paged or NAMES in columns or sum(map(len, blocks)) > LONGEST
    between = r"\addlinespace" if several else r"\midrule"  # a rule would double at a page's end
    rows = [row for block in blocks for row in (between, *block)][1:]
    top = [r"\toprule", *(table_row(*head) for head in heads), r"\midrule"]
    style = [TIGHT] if tight else []
    if several:
        return document(
            r"\begingroup", *style,
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{caption}}}\label{{tab:{label}}}" + END,
            *top, r"\endfirsthead", *top, r"\endhead", r"\bottomrule", r"\endfoot",
            *rows,
            r"\end{longtable}", r"\endgroup",
        )  # fmt: skip
    return document(
        r"\begin{table*}[t]", r"\centering", *style,
        rf"\begin{{tabular}}{{{columns}}}", *top, *rows, r"\bottomrule", r"\end{tabular}",
        rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}", r"\end{table*}",
    )  # fmt: skip
