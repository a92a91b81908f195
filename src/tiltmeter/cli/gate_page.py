"""What a gate prints: a row a comparison, what is behind those that did not pass, the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
ALIKE = ("task", "corpus", "margin")
"""Columns that are left out where all rows say the same."""
ORDER = ("tilted", "undecided", "no_signal", "not_estimable", "even")

Told = Mapping[str, Any]


def show_gate(decision: Decision) -> None:
    """Print the verdicts, the worst pairs, what would decide the undecided, last the outcome."""
    from tiltmeter.report import outcome_said

    told = decision.told()
    ordered = sorted(told["comparisons"], key=lambda one: ORDER.index(one["verdict"]))
    tasks = {one["task"] for one in ordered}
    task = f"{tasks.pop()}; " if len(tasks) == 1 else ""  # several have a column
    heading(f"Gate: {decision.gate} ({task}points of 100, 95 % intervals)")
    rows = [_row(one, ordered) for one in ordered[:SHOWN]]
    if get_terminal_size().columns < NARROW:
        _show_lines(rows)
    else:
        columns = [name for name in COLUMNS if name in _shown(ordered)]
        table(columns, ([row[name] for name in columns] for row in rows), right=("points",))
    if len(ordered) > SHOWN:
        say(f"… and {len(ordered) - SHOWN:,} more.")
    _show_worst(ordered)
    _show_open(ordered)
    say()
    say(visible(outcome_said(told)))


def _shown(ordered: Sequence[Told]) -> set[str]:
    alike = {name for name in ALIKE if len({one[name] for one in ordered}) == 1}
    return set(COLUMNS) - alike


def _row(one: Told, ordered: Sequence[Told]) -> dict[str, str]:
    from tiltmeter.report import higher_said, interval_said, margin_said, size_said

    size = size_said(one).partition(" point")[0]
    several = len({other["contrast"] for other in ordered if other["axis"] == one["axis"]}) > 1
    return {
        "verdict": one["verdict"].replace("_", " "),
        "system": one["system"],
        "task": one["task"],
        "corpus": one["corpus"],
        "axis": f"{one['axis']}, {one['contrast']}" if several or one["average"] else one["axis"],
        "points": size or "–",
        "scored higher": _brief(one, higher_said(one)),
        "interval": interval_said(one),
        "margin": margin_said(one["margin"]).partition(" ")[0],
    }


def _brief(one: Told, phrase: str) -> str:
    """The phrase where a column has room for it, else the group's own name."""
    if len(phrase) <= BRIEF:
        return phrase
    return str(one["first"] if one["value"] > 0 else one["second"])


def _show_lines(rows: Sequence[Mapping[str, str]]) -> None:
    """Where no table fits: two lines a comparison."""
    for row in rows:
        say(visible(f"{row['verdict']}: {row['system']}, {row['axis']}"))
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
    from tiltmeter.report import deciding_said

    left = dict[tuple[str, str], dict[str, None]]()
    for one in ordered:
        if said := deciding_said(one):
            left.setdefault((one["system"], said), {})[one["axis"]] = None
    if not left:
        return
    say()
    shown = list(left.items())[:SHOWN]
    facts((", ".join((system, *axes)), said) for (system, said), axes in shown)
