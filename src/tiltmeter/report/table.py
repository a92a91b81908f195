r"""One table, shown everywhere: in a page, in a paper, on the terminal, in a file.

A `Table` is a frame of raw numbers and, for each column that people see, how it is shown. It is
written once, in a study's `tables.py`, and every output is made from it:

    def ratings(study: RatingStudy) -> Table:
        return Table(
            "ratings",                                   # tables/ratings.csv, \label{tab:ratings}
            study.overall,                               # the frame: what CSV and Parquet hold
            (
                Column("system", "System"),
                Column("overall", "Rating", term="rating"),           # header links to #g-rating
                Column("share", "Share", format=per_cent),            # from report/numbers.py
                Column("psi", "Raw score", cell=with_interval, align="right"),
                Column("t", "t", over="women − men", latex="$t$"),    # a second header above
            ),
            caption="Rating of each system.",
            notes=(("a", "too few terms"), "A dash: not rated."),
            files=("csv", "tex"),                        # what the folder gets of it
        )

    table.html()        Markup: escaped, caption, scope, dir=auto, in a box that scrolls
    table.latex()       booktabs; a float, or a longtable where it needs several pages
    table.csv()         the frame itself: numbers stay numbers, formulas are guarded
    table.parquet()     likewise, as bytes
    table.text(80)      lines for the terminal, as wide as they must be and no wider than 80

* `format` gets a value, and never a missing one: that is shown as `missing`, a dash. `cell` gets
  the whole row as a dict, for what is made of several columns. Both give a text, or a `Cell`, which
  has a smaller part ("0.1 to 0.3"), a raised one (stars, the letter of a note), a class, a link.
* `columns=()` shows every column of the frame. A column of the frame that is not named is in the
  files alone. `only=("latex",)` shows a column in some outputs alone.
* `by="task"` puts rows under headings, a group for each value in turn. `Column(once=True)` says a
  repeated value once, and rules off its block: for leading columns.
* Where a page shows fewer rows than the file holds: `table.of(frame)`, the same with other rows.
* Reasons that stand under a table: `Footnotes.mark(reason)` gives a letter, `.notes()` what they
  mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import groupby
from typing import Any, Literal

import polars as pl
from markupsafe import Markup, escape

from tiltmeter.files import without_formulas
from tiltmeter.report.markup import latex_table
from tiltmeter.report.numbers import DASH, short
from tiltmeter.report.terminal import text_table

Row = Mapping[str, Any]
"""A row of the frame."""
Output = Literal["html", "latex", "text"]
OUTPUTS: tuple[Output, ...] = ("html", "latex", "text")
FILES = {"csv": "CSV", "tex": "LaTeX", "parquet": "Parquet"}
"""What a link to a file says."""
CLASS_NUM = ' class="num"'
LETTERS = "abcdefghij"
"""Footnotes that have a letter; of more, the table's file tells."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows."""

    text: str
    small: str = ""
    """Stands after the text and smaller, as an interval does."""
    raised: str = ""
    """Stars, or the letter of a note."""
    kind: str = ""
    """A class of the page's style."""
    href: str = ""
    strong: bool = False

    def plain(self) -> str:
        """As the terminal shows it."""
        return " ".join(filter(None, (f"{self.text}{self.raised}", self.small)))


@dataclass(frozen=True, slots=True)
class Column:
    """How a column of the frame is shown."""

    name: str
    """In the frame; of a `cell` made from several columns, any name."""
    header: str = ""
    """The name, where there is none."""
    format: Callable[[Any], str | Cell] | None = None
    cell: Callable[[Row], str | Cell] | None = None
    align: Literal["left", "right"] | None = None
    """Numbers to the right, where it is not said."""
    over: str = ""
    """A header above this one and its neighbours that have the same."""
    term: str = ""
    """The word of the glossary that the header links to."""
    latex: str = ""
    """The header in LaTeX, as it is."""
    terminal: str = ""
    """The header on the terminal, where it is another."""
    missing: str = DASH
    once: bool = False
    """Say a repeated value once: for leading columns, whose values make blocks of rows."""
    whole: bool = False
    """Never broken into lines on the terminal."""
    only: tuple[Output, ...] = OUTPUTS


@dataclass(slots=True)
class Footnotes:
    """Why numbers are missing: a letter for each reason, told once under the table."""

    file: str
    """The table that has every reason."""
    reasons: dict[str, str] = field(default_factory=dict)

    def mark(self, reason: str | None) -> Cell:
        """A dash with the letter of its reason.

        >>> notes = Footnotes("rnsb")
        >>> [notes.mark(why).raised for why in ("too few", "no such word", "too few", None)]
        ['a', 'b', 'a', '']
        """
        if not reason:
            return Cell(DASH)
        if reason not in self.reasons:
            nth = len(self.reasons)
            self.reasons[reason] = LETTERS[nth] if nth < len(LETTERS) else "*"
        return Cell(DASH, raised=self.reasons[reason])

    def notes(self) -> tuple[tuple[str, str], ...]:
        """Every letter with its reason."""
        known = [(mark, f"{why.rstrip('.')}.") for why, mark in self.reasons.items() if mark != "*"]
        more = [("*", f"See {self.file}.csv.")] if "*" in self.reasons.values() else []
        return (*known, *more)


@dataclass(frozen=True, eq=False)
class Table:
    """A frame and how it is shown."""

    name: str
    """Of its files, and of its label in LaTeX."""
    frame: pl.DataFrame
    columns: tuple[Column, ...] = ()
    caption: str = ""
    notes: tuple[str | tuple[str, str], ...] = ()
    """Sentences under the table; with a mark before those that explain one."""
    by: str = ""
    """A column of the frame whose values head groups of rows."""
    heading: Callable[[Any], str] = str
    """What a group's heading says of its value."""
    kind: str = "plain"
    """Classes of the page's style."""
    row_kind: Callable[[Row], str] | None = None
    """A class for a row."""
    tight: bool | None = None
    """Small letters in LaTeX; where it is not said, from seven columns on."""
    paged: bool = False
    """Over several pages in LaTeX, however short."""
    files: tuple[Literal["csv", "tex", "parquet"], ...] = ("csv",)
    """What the folder gets of it, in tables/."""

    def of(self, frame: pl.DataFrame) -> Table:
        """The same table of other rows."""
        return replace(self, frame=frame)

    def head(self, most: int) -> Table:
        """The same table of its first rows."""
        return self.of(self.frame.head(most))

    def shown(self, output: Output) -> tuple[Column, ...]:
        """The columns that an output has."""
        every = self.columns or tuple(Column(name) for name in self.frame.columns)
        return tuple(column for column in every if output in column.only)

    def is_right(self, column: Column) -> bool:
        """Whether a column is aligned to the right."""
        kind = self.frame.schema.get(column.name)
        number = kind is not None and kind.is_numeric()
        return number if column.align is None else column.align == "right"

    def cells(self, output: Output) -> list[list[Cell]]:
        """Every row as it is shown."""
        columns = self.shown(output)
        return [
            [_cell(column, row) for column in columns] for row in self.frame.iter_rows(named=True)
        ]

    def groups(self, rows: Sequence[Any]) -> list[tuple[str, list[Any]]]:
        """Rows under their headings; under none where there are no groups."""
        if not self.by:
            return [("", list(rows))]
        pairs = zip(self.frame[self.by].to_list(), rows, strict=True)
        return [
            (self.heading(value), [row for _, row in some])
            for value, some in groupby(pairs, key=lambda pair: pair[0])
        ]

    def marked_notes(self) -> list[tuple[str, str]]:
        """Every note with its mark, which may be nothing."""
        return [("", note) if isinstance(note, str) else note for note in self.notes]

    def csv(self) -> str:
        """For spreadsheets."""
        return without_formulas(self.frame).write_csv()

    def parquet(self, about: Mapping[str, str] | None = None) -> bytes:
        """For other programs, with what it is of."""
        self.frame.write_parquet(held := BytesIO(), metadata=dict(about or {}))
        return held.getvalue()

    def html(self, *, links: str = "", scroll: bool = True, quiet: bool = False) -> Markup:
        """For a page; `links` is the folder of its files; a `quiet` caption is only read aloud."""
        columns = self.shown("html")
        rights = [self.is_right(column) for column in columns]
        kinds = (self.row_kind(row) if self.row_kind else "" for row in self.frame.to_dicts())
        rows = list(zip(kinds, self.cells("html"), strict=True))
        made = [f'<table class="{_safe(self.kind)}">\n']
        linked = "".join(
            f' <a href="{_safe(f"{links}/{self.name}.{ending}")}" download>{FILES[ending]}</a>'
            for ending in self.files
            if links
        )
        if self.caption or linked:
            hidden = ' class="vh"' if quiet else ""
            made.append(f'<caption dir="auto"{hidden}>{_safe(self.caption)}{linked}</caption>\n')
        made.append(f"<thead>{_html_heads(columns, rights)}</thead>\n")
        for heading, some in self.groups(rows):
            head = f'<tr><th scope="rowgroup" colspan="{len(columns)}" dir="auto">{_safe(heading)}'
            head = f"{head}</th></tr>\n" if self.by else ""
            made.append(f"<tbody>{head}{_html_rows(columns, rights, some)}</tbody>\n")
        made.append("</table>")
        if scroll:
            region = f'role="region" aria-label="{_safe(self.caption or self.name)}"'
            made = [f'<div class="scroll" tabindex="0" {region}>', *made, "</div>"]
        for mark, words in self.marked_notes():
            raised = f"<sup>{_safe(mark)}</sup> " if mark else ""
            made.append(f'\n<p class="aside" dir="auto">{raised}{_safe(words)}</p>')
        return Markup("".join(made))  # noqa: S704 - every text in it is escaped above

    def latex(self) -> str:
        r"""For a paper that says `\usepackage{booktabs,longtable}`."""
        return latex_table(self)

    def text(self, width: int = 80) -> str:
        """For the terminal: a thin header, cells broken where a line has no room for them."""
        columns = self.shown("text")
        return text_table(
            [column.terminal or column.header or column.name for column in columns],
            self.groups([[cell.plain() for cell in row] for row in self.cells("text")]),
            right=[self.is_right(column) for column in columns],
            whole=[column.whole for column in columns],
            width=width,
        )


def _cell(column: Column, row: Row) -> Cell:
    if column.cell is not None:
        made = column.cell(row)
    elif (value := row[column.name]) is None:
        made = column.missing
    else:
        made = (column.format or _plain)(value)
    return made if isinstance(made, Cell) else Cell(made)


def _plain(value: object) -> str:
    """A value that has no format of its own."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return short(value) if isinstance(value, float) else str(value)


def block_starts(columns: Sequence[Column], rows: Sequence[list[Cell]]) -> list[list[bool]]:
    """Of every row, which of its cells begin a block of a `once` column; of others, all do."""
    found, before = [], None
    for row in rows:
        begun, new = [], before is None
        for nth, (column, cell) in enumerate(zip(columns, row, strict=True)):
            new = new or (column.once and before is not None and before[nth] != cell)
            begun.append(new or not column.once)
        found.append(begun)
        before = row
    return found


def _safe(text: str) -> str:
    return str(escape(text))


def _html_heads(columns: Sequence[Column], rights: Sequence[bool]) -> str:
    rows = []
    if any(column.over for column in columns):
        over = [(name, len([*some])) for name, some in groupby(column.over for column in columns)]
        rows.append("".join(
            f'<th scope="colgroup" colspan="{many}">{_safe(name)}</th>'
            if name else f'<td colspan="{many}"></td>'
            for name, many in over
        ))  # fmt: skip
    heads = []
    for column, right in zip(columns, rights, strict=True):
        words = _safe(column.header or column.name)
        words = f'<a href="#g-{_safe(column.term)}">{words}</a>' if column.term else words
        heads.append(f'<th scope="col"{CLASS_NUM if right else ""}>{words}</th>')
    return "\n".join(f"<tr>{row}</tr>" for row in (*rows, "".join(heads)))


def _html_rows(
    columns: Sequence[Column], rights: Sequence[bool], rows: Sequence[tuple[str, list[Cell]]]
) -> str:
    starts = block_starts(columns, [cells for _, cells in rows])
    head = next((nth for nth, column in enumerate(columns) if not column.once), 0)
    made = []
    for at, (kind, cells) in enumerate(rows):
        parts = []
        for nth, (cell, column) in enumerate(zip(cells, columns, strict=True)):
            if not starts[at][nth]:
                continue
            span = 1
            while column.once and at + span < len(rows) and not starts[at + span][nth]:
                span += 1
            scope = "" if nth > head else "rowgroup" if column.once else "row"
            parts.append(_html_cell(cell, rights[nth], scope, span))
        own = f' class="{_safe(kind)}"' if kind else ""
        made.append(f"<tr{own}>{''.join(parts)}</tr>")
    return "\n".join(made)


def _html_cell(cell: Cell, right: bool, scope: str, span: int) -> str:
    text = _safe(cell.text)
    text = f'<a href="{_safe(cell.href)}">{text}</a>' if cell.href else text
    text = f"<b>{text}</b>" if cell.strong else text
    text += f"<sup>{_safe(cell.raised)}</sup>" if cell.raised else ""
    text += f' <span class="of">{_safe(cell.small)}</span>' if cell.small else ""
    facts = f' scope="{scope}"' if scope else ""
    facts += f' rowspan="{span}"' if span > 1 else ""
    if cell.kind:
        facts += f' class="{"num " if right else ""}{_safe(cell.kind)}"'
    elif right:
        facts += CLASS_NUM
    facts += "" if right else ' dir="auto"'
    tag = "th" if scope else "td"
    return f"<{tag}{facts}>{text}</{tag}>"
