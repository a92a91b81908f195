"""What the terminal shows: plain tables that fit it, with users' text never read as markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def console() -> Console:
    """A console on standard output; colours only where a terminal shows them."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)


def heading(text: str) -> None:
    """Print a section's title with a blank line before it."""
    out = console()
    out.print()
    out.print(text, style="bold")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print rows under a thin header; columns named in `right` are aligned to the right."""
    console().print(_table(columns, rows, right))


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        number = column in right
        shown.add_column(column, justify="right" if number else "left", no_wrap=number)
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    return shown


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values side by side, long values wrapped beneath themselves."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, value in pairs:
        if value:
            grid.add_row(Text(name), Text(value))
    console().print(grid)
