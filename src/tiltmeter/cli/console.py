"""What the terminal shows: plain tables that fit it, users' text never read as markup, results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import typer

from tiltmeter.report.terminal import LONGEST, escape_hidden, text_table, visible_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from tiltmeter.report.table import Table
    from tiltmeter.scoring import Progress


WIDEST_NAME = 24
"""Columns a name may take beside its value."""


def say(shown: RenderableType = "", style: str | None = None, *, unbroken: bool = False) -> None:
    """Print to standard output; colours on a terminal only, no blanks at line ends elsewhere.

    What is `unbroken` stays on one line, however long. Hidden letters of a text are escaped.
    """
    from rich.console import Console

    if isinstance(shown, str):
        shown = escape_hidden(shown)

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
    from rich.console import Console

    _show_lines(
        text_table(
            columns,
            [("", [*rows])],
            right=[column in right for column in columns],
            whole=[column in whole for column in columns],
            width=Console().width,
        )
    )


def show_table(shown: Table) -> None:
    """Print a table of the report's kit."""
    from rich.console import Console

    _show_lines(shown.text(Console().width))


def _show_lines(lines: str) -> None:
    """A table's lines, its header bold where there are styles."""
    from rich.text import Text

    head, rule, body = lines.partition("\n─")
    say(Text(head, style="bold").append(Text(f"{rule}{body}", style="not bold")), unbroken=True)


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names and values side by side, long values wrapped beneath themselves."""
    from rich.table import Table as RichTable

    grid = RichTable.grid(padding=(0, 2))
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

    return Text(visible_text(text, most))


STDOUT = "-"
INCOMPLETE = 4
"""What a command ends with where a system could not be scored, and the others were."""


def command_line() -> str:
    """The command as a report repeats it: without keys, and without folders of this machine."""
    from tiltmeter.files import without_folders
    from tiltmeter.systems import shown_words

    return shlex.join(["tiltmeter", *map(without_folders, shown_words(sys.argv[1:]))])


def check_places(folder: Path, force: bool, json_to: str | None) -> None:
    """Raise now if results could not be written later."""
    from tiltmeter.report.folder import check_folder

    check_folder(folder, force)
    check_json_place(json_to)


def check_json_place(json_to: str | None) -> None:
    """Raise now if what --json names could not be written later."""
    from tiltmeter.files import check_place

    if json_to is not None and json_to != STDOUT:
        check_place(Path(json_to))


def give_json(json_to: str | None, text: str) -> None:
    """Print or write a document where --json asks for it."""
    from tiltmeter.files import write_text

    if json_to == STDOUT:
        typer.echo(text, nl=False)
    elif json_to:
        write_text(text, Path(json_to))


def print_results(
    page: Path | None,
    json_to: str | None,
    quiet: bool,
    show: Callable[[], None],
    as_json: Callable[[], str],
    *,
    unavailable: Sequence[str] = (),
    open_it: bool = False,
) -> None:
    """Print results whose files are written; `--json FILE` is written before anything is printed.

    Who could not be scored, a sentence each, comes first; the page's path comes last. Then the page
    is opened in a browser, where that was asked for.
    """
    prints_json = json_to == STDOUT
    document = as_json() if json_to else ""
    if not prints_json:
        give_json(json_to, document)
    show_unavailable(unavailable, to_errors=quiet or prints_json)
    if prints_json:
        give_json(json_to, document)
    elif not quiet:
        show()
    if page is None:
        return
    if not quiet:
        typer.echo(f"The report is in {page}", err=prints_json)
    if open_it:
        typer.launch(page.resolve().as_uri())


def show_rest(total: int, shown: int, where: str) -> None:
    """Say how many more there are than were shown, and where."""
    if total > shown:
        say(f"… and {total - shown:,} more{where}")


def show_unavailable(said: Sequence[str], *, to_errors: bool) -> None:
    """Print who could not be scored; also where nothing else is printed, on the error stream."""
    for one in said:
        if to_errors:
            typer.echo(str(visible(one)), err=True)
        else:
            paragraph(one)


def end_incomplete(unavailable: Sequence[object]) -> None:
    """Leave with exit code 4 where a system could not be scored."""
    if unavailable:
        raise typer.Exit(INCOMPLETE)


@dataclass
class AnswersKept:
    """How many answers this command has stored, and whether it would use them again."""

    answers: int = 0
    anew: bool = False
    """Whether it was told to ask everything anew."""

    def __str__(self) -> str:
        """What follows "interrupted": nothing where nothing was stored.

        >>> str(AnswersKept()), str(AnswersKept(1280))
        ('', '; 1,280 answers so far are kept, and the same command goes on from there')
        """
        if not self.answers:
            return ""
        many = "1 answer" if self.answers == 1 else f"{self.answers:,} answers"
        kept = f"; {many} so far {'is' if self.answers == 1 else 'are'} kept"
        if self.anew:
            return f"{kept}: the same command without --reuse never goes on from there"
        return f"{kept}, and the same command goes on from there"


KEPT = AnswersKept()
"""Of the command that runs in this process."""


class CountsKept:
    """Progress that also counts what is stored; the rest is shown by another."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        KEPT.answers = 0

    def begin(self, system: str, asks: int, known: int) -> None:
        """A system's turn begins."""
        self._shown.begin(system, asks, known)

    def advance(self, texts: int, missing: int) -> None:
        """So many more texts were answered."""
        self._shown.advance(texts, missing)

    def end(self, system: str) -> None:
        """A system's turn is over."""
        self._shown.end(system)

    def keep(self, answers: int) -> None:
        """So many more answers are stored, or fewer."""
        KEPT.answers = max(KEPT.answers + answers, 0)
