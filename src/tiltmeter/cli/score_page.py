"""What `tiltmeter score` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, say, table
from tiltmeter.cli.files_page import show_reports, show_set_aside

if TYPE_CHECKING:
    from tiltmeter.flow import Forecast, Run
    from tiltmeter.scoring import Scored

NAMED = 3
"""How many systems or files a note names before it only counts the rest."""


def show_run(run: Run) -> None:
    """Print what was asked and found, a row a system, and what is worth knowing of each."""
    from tiltmeter.flow.environment import stored_facts

    show_set_aside(run.reports)
    if run.sample:
        say(f"A sample: {run.sample}.")
    rows = [_row(scored) for scored in run.scored]
    columns = ("system", "task", "asked", "stored", "missing", "scale")
    table(columns, rows, right=("asked", "stored", "missing"))
    facts(together((scored.card.name, note) for scored in run.scored for note in scored.remarks))
    show_stored(stored_facts(run.corpus.name, run.scored))
    if run.reports:
        show_reports(run.reports)
    if not sum(scored.asked + scored.check.texts for scored in run.scored):
        say(f"Nothing was asked: {_why_nothing(run)}.")


def show_stored(used: Iterable[Mapping[str, Any]]) -> None:
    """Print how many stored scores were used, of when, and whether they still hold."""
    from datetime import datetime

    from tiltmeter.report import stored_sentence

    now = datetime.now().astimezone()
    facts(together((str(one["system"]), stored_sentence(one, now)) for one in used))


def _why_nothing(run: Run) -> str:
    known, missing = (sum(getattr(one, n) for one in run.scored) for n in ("known", "missing"))
    if missing and not run.reports:
        return f"as --reuse stored says; {missing:,} sentences have no score"
    return "every score was known already" if known else "no system here needs asking"


def together(notes: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Notes with everyone they are true of: `vader, afinn and 3 more`."""
    whose: dict[str, dict[str, None]] = {}
    for name, note in notes:
        whose.setdefault(note, {})[name] = None
    return [(named(list(names)), note) for note, names in whose.items()]


def named(names: Sequence[str], most: int = NAMED) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _row(scored: Scored) -> tuple[str, ...]:
    settled = scored.settled
    scale = f"{settled.scale}, {settled.known}" if settled.scale else "none"
    return (
        scored.card.name, scored.card.task, f"{scored.asked:,}", f"{scored.known:,}",
        f"{scored.missing:,}", scale,
    )  # fmt: skip


def show_forecast(found: list[Forecast], sample: int | None) -> None:
    """Print what scoring would take."""
    if sample is not None:
        say(f"A sample: at most {sample:,} frames.")
    rows = [
        (
            one.system, one.task, f"{one.requests:,}", f"{one.known:,}",
            "unknown" if one.seconds is None else duration(one.seconds),
            _money(one.cost),
        )
        for one in found
    ]  # fmt: skip
    columns = ("system", "task", "new requests", "stored", "time", "cost")
    table(columns, rows, right=columns[2:])
    say("Nothing was scored: this was a dry run.")


def _money(cost: float) -> str:
    """A cost with two decimals, or two digits where that would hide it.

    >>> _money(0), _money(12.5), _money(0.00864)
    ('0', '12.50', '0.0086')
    """
    if not cost:
        return "0"
    return f"{cost:,.2f}" if cost >= 0.01 else f"{cost:.2g}"


def duration(seconds: float) -> str:
    """Seconds in the unit people read.

    >>> duration(0.2), duration(95), duration(7300)
    ('under 1 s', '2 min', '2.0 h')
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
