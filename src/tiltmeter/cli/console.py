"""What the terminal shows: plain tables that fit it, with users' text never read as markup."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

LONGEST = 300
"""How much of one text is shown; files hold the whole."""
WIDEST_NAME = 24
"""Columns a name may take beside its value."""
JOINERS = "\u200c\u200d"
"""Invisible letters that scripts need."""


def say(shown: RenderableType = "", style: str | None = None, *, unbroken: bool = False) -> None:
    """Print to standard output; colours on a terminal only, no blanks at line ends elsewhere.

    What is `unbroken` stays on one line, however long.
    """
    from rich.console import Console

    plain = {"highlight": False, "markup": False, "emoji": False}
    out = Console(**plain)  # type: ignore[arg-type]
    if out.is_terminal:
        out.print(shown, style=style, soft_wrap=unbroken)
        return
    with out.capture() as captured:
        out.print(shown, soft_wrap=unbroken)
    lines = captured.get().split("\n")
    sys.stdout.write("\n".join(line.rstrip() for line in lines))


def heading(text: str) -> None:
    """Print a section's title with a blank line before it."""
    say()
    say(visible(text), style="bold")


def line(text: str, indent: int = 0, style: str | None = None) -> None:
    """Print one line that is never broken: a name can be copied from it."""
    say(visible(" " * indent + text), style, unbroken=True)


def paragraph(text: str, indent: int = 0) -> None:
    """Print a text, each of its lines as far to the right."""
    from rich.padding import Padding

    say(Padding(visible(text), (0, 0, 0, indent)))


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> None:
    """Print rows under a thin header; columns named in `right` are aligned to the right.

    Those named in `whole` are not broken into lines; where there are any, columns stand closer.
    """
    from rich import box
    from rich.table import Table

    shown = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold",
        collapse_padding=bool(whole),
    )  # fmt: skip
    for column in columns:
        number = column in right
        shown.add_column(
            column, justify="right" if number else "left", overflow="fold",
            no_wrap=column in whole,
        )  # fmt: skip
    for row in rows:
        shown.add_row(*(visible(cell) for cell in row))
    say(shown)


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values side by side, long values wrapped beneath themselves."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", overflow="fold", max_width=WIDEST_NAME)
    grid.add_column(overflow="fold", min_width=min(WIDEST_NAME, get_terminal_size().columns // 3))
    for name, value in pairs:
        if value:
            grid.add_row(visible(name), visible(value))
    if grid.row_count:
        say(grid)


def visible(text: str, most: int = LONGEST) -> Text:
    """A text as it may be shown: no control or invisible letters, and not without end."""
    from rich.text import Text

    cut = text if len(text) <= most else f"{text[:most]}… ({len(text):,} letters)"
    return Text("".join(_visible_letter(letter) for letter in cut))


def _visible_letter(letter: str) -> str:
    hidden = unicodedata.category(letter) in ("Cc", "Cf") and letter not in ("\n", *JOINERS)
    return f"\\u{ord(letter):04x}" if hidden else letter
