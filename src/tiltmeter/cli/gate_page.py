"""What a gate prints: a row a comparison, what is behind those that did not pass, the outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table, visible

if TYPE_CHECKING:
    from tiltmeter.findings import Decision

SHOWN = 20
"""Comparisons a table lists before it only counts the rest."""
BEHIND = 5
"""Tilted comparisons whose pairs are shown."""
NARROW = 60
"""Columns below which a table would break words."""
COLUMNS = (
    "verdict", "system", "task", "corpus", "axis", "points", "scored higher", "interval", "margin"
)  # fmt: skip
SHARES = ("verdict", "system", "task", "corpus", "people", "moved", "share", "interval", "limit")
"""Of people moved."""
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
ALIKE = ("task", "corpus", "margin", "limit")
"""Columns that are left out where all rows say the same."""
ORDER = ("tilted", "undecided", "no_signal", "not_estimable", "even")

Told = Mapping[str, Any]


def show_gate(decision: Decision) -> None:
    """Print the verdicts, the worst pairs, what would decide the undecided, last the outcome."""
    from tiltmeter.report import margin_said, outcome_said

    told = decision.told()
    ordered = sorted(told["comparisons"], key=lambda one: ORDER.index(one["verdict"]))
    tasks = {one["task"] for one in ordered}
    task = f"{tasks.pop()}; " if len(tasks) == 1 else ""  # several have a column
    claims = [one for one in ordered if one["limit"] is None]
    many = max((one["family"] for one in claims), default=1)
    whole = f"95 % for all {many:,} intervals together" if many > 1 else "95 % interval"
    heading(f"Gate: {decision.gate} ({task}points of 100, {whole})")
    _show_rows(claims, COLUMNS, _row)
    shares = [one for one in ordered if one["limit"] is not None]
    if shares:
        margins = sorted({one["margin"] for one in shares})
        beyond = " or ".join(margin_said(one).removeprefix("±") for one in margins)
        heading(f"People moved by more than {beyond} (95 % interval each)")
        _show_rows(shares, SHARES, _share_row)
    _show_worst(ordered)
    _show_open(ordered)
    say()
    say(visible(outcome_said(told)))


def _show_rows(
    ordered: Sequence[Told],
    columns: Sequence[str],
    row_of: Callable[[Told, Sequence[Told]], dict[str, str]],
) -> None:
    """A table, or where none fits two lines a comparison."""
    rows = [row_of(one, ordered) for one in ordered[:SHOWN]]
    if get_terminal_size().columns < NARROW:
        _show_lines(rows)
    elif rows:
        alike = {name for name in ALIKE if len({one[name] for one in ordered}) == 1}
        kept = [name for name in columns if name not in alike]
        table(kept, ([row[name] for name in kept] for row in rows), right=("points", "share"))
    if len(ordered) > SHOWN:
        say(f"… and {len(ordered) - SHOWN:,} more.")


def _row(one: Told, ordered: Sequence[Told]) -> dict[str, str]:
    from tiltmeter.report import axis_said, higher_said, interval_said, margin_said, size_said

    size = size_said(one).partition(" point")[0]
    several = len({other["contrast"] for other in ordered if other["axis"] == one["axis"]}) > 1
    contrast = f", {one['contrast']}" if several or one["average"] else ""
    return {
        "verdict": one["verdict"].replace("_", " "),
        "system": one["system"],
        "task": one["task"],
        "corpus": one["corpus"],
        "axis": f"{axis_said(one)}{contrast}",
        "points": size or "–",
        "scored higher": _brief(one, higher_said(one)),
        "interval": interval_said(one),
        "margin": margin_said(one["margin"]).partition(" ")[0],
    }


def _share_row(one: Told, _: Sequence[Told]) -> dict[str, str]:
    from tiltmeter.report import bound_said, interval_said, percent, verdict_said

    whom = "couples" if one["people"] == "couples" else one["contrast"]
    return {
        "verdict": verdict_said(one),
        "system": one["system"],
        "task": one["task"],
        "corpus": one["corpus"],
        "people": f"{one['axis']}, {whom}",
        "moved": f"{one['moved']:,} of {one['n']:,}",
        "share": percent(one["value"]),
        "interval": interval_said(one),
        "limit": bound_said(one).removeprefix("at most "),
    }


def _brief(one: Told, phrase: str) -> str:
    """The phrase where a column has room for it, else the group's own name."""
    if len(phrase) <= BRIEF:
        return phrase
    return str(one["first"] if one["value"] > 0 else one["second"])


def _show_lines(rows: Sequence[Mapping[str, str]]) -> None:
    """Where no table fits: two lines a comparison."""
    for row in rows:
        say(visible(f"{row['verdict']}: {row['system']}, {row.get('axis') or row['people']}"))
        if "limit" in row:
            parts = (f"{row['moved']} moved", row["interval"], f"limit {row['limit']}")
        else:
            higher = f"{row['points']} higher {row['scored higher']}".removesuffix(" higher ")
            parts = (higher, row["interval"], f"margin {row['margin']}")
        say(visible("  " + ", ".join(part for part in parts if part)))


def _show_worst(ordered: Sequence[Told]) -> None:
    from tiltmeter.report import worst_said

    tilted = [one for one in ordered if one["worst"]]
    for one in tilted[:BEHIND]:
        say()
        for line in worst_said(one):
            say(visible(line))
    if len(tilted) > BEHIND:
        say(f"… and pairs of {len(tilted) - BEHIND:,} more in the report.")


def _show_open(ordered: Sequence[Told]) -> None:
    from tiltmeter.report import axis_said, deciding_said

    left = dict[tuple[str, str], dict[str, None]]()
    for one in ordered:
        if said := deciding_said(one):
            left.setdefault((one["system"], said), {})[axis_said(one)] = None
    if not left:
        return
    say()
    shown = list(left.items())[:SHOWN]
    facts((", ".join((system, *axes)), said) for (system, said), axes in shown)
