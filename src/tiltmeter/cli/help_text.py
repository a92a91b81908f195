"""Help that fits: every description whole, commands and many options under headings."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

MANY = 12
"""Options from which on they stand under headings."""
PLAIN = "Options"
"""The heading of those that have none of their own."""
HEADINGS = {
    "Sentences": (
        *("--corpus", "--edition", "--axis", "--column", "--language", "--encoding", "--subset"),
        *("--sample", "--seed"),
    ),
    "Gold scores and teams": ("--gold", "--rank-by", "--meta", "--individual"),
    "Statistics": (
        *("--measure", "--mode", "--reference", "--all-pairs", "--correction", "--family"),
        *("--level", "--margin", "--threshold", "--resamples"),
    ),
    "Regression": ("--formula", "--no-reference", "--errors", "--precision"),
    "Gate": ("--gate", "--undecided", "--junit", "--summary"),
    "Asking systems": (
        *("--scores", "--systems-in", "--task", "--scale", "--reuse", "--check", "--repeat"),
        *("--dry-run", "--time", "--max-missing", "--workers", "--stream", "--store"),
        *("--base-url", "--parse", "--prompt", "--temperature", "--trust"),
    ),
    "Many machines": ("--engine", "--ray-address", "--ray-gpus", "--shards"),
    "Results": (
        *("--output", "--force", "--figures", "--json", "--reports", "--pack", "--open"),
        *("--quiet", "--help"),
    ),
}
"""Where options stand that long commands have, in the order in which they are declared; those of
asking systems, which a command shares with others, in this one."""
ASKING = "Asking systems"


class CommandsByHeading(TyperGroup):
    """A command of commands, which stand under headings with all that is said of them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer's own Click
        """Write each command's first sentence, however long."""
        every = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, one) for name, one in every if one is not None and not one.hidden]
        widest = max((len(name) for name, _ in shown), default=0)
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, one in shown:
            heading = getattr(one, "rich_help_panel", None)
            listed = sections.setdefault(heading if isinstance(heading, str) else "Commands", [])
            listed.append((name.ljust(widest), _first(one.help or "")))
        _write(formatter, sections)


class OptionsByHeading(TyperCommand):
    """A command whose options stand under headings, where there are many."""

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write arguments first, then options in the order of HEADINGS."""
        shown = [
            (one, record) for one in self.get_params(ctx) if (record := one.get_help_record(ctx))
        ]
        arguments = [record for one, record in shown if one.param_type_name == "argument"]
        options = [(one.opts, record) for one, record in shown if one.param_type_name != "argument"]
        sections = {"Arguments": arguments} if arguments else {}
        if len(options) < MANY:
            sections[PLAIN] = [record for _, record in options]
        else:
            placed = [(_heading(names), names, record) for names, record in options]
            order = HEADINGS[ASKING]
            for heading in (PLAIN, *HEADINGS):
                mine = [(names, record) for told, names, record in placed if told == heading]
                if heading == ASKING:
                    mine.sort(key=lambda one: min(order.index(n) for n in one[0] if n in order))
                if mine:
                    sections[heading] = [record for _, record in mine]
        _write(formatter, sections)


def _heading(names: list[str]) -> str:
    """Where an option stands."""
    return next((told for told, held in HEADINGS.items() if set(names) & set(held)), PLAIN)


def _first(text: str) -> str:
    r"""The first paragraph of a text, on one line.

    >>> _first("Rate systems,\n1 to L.\n\nExample: …")
    'Rate systems, 1 to L.'
    """
    return " ".join(text.split("\n\n")[0].split())


def _write(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:  # noqa: ANN401
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl(rows)
