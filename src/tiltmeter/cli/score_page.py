"""What `tiltmeter score` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiltmeter.cli.console import facts, say, table

if TYPE_CHECKING:
    from tiltmeter.flow import Forecast, Run
    from tiltmeter.scoring import Scored
    from tiltmeter.systems import FileReport

FILES_IN_FULL = 12
"""How many files are shown with all their counts."""
NAMED = 3
"""How many systems or files a note names before it only counts the rest."""


def show_run(run: Run) -> None:
    """Print what was asked and found, a row a system, and what is worth knowing of each."""
    if run.sample:
        say(f"A sample: {run.sample}.")
    rows = [_row(scored) for scored in run.scored]
    columns = ("system", "task", "asked", "stored", "missing", "scale")
    table(columns, rows, right=("asked", "stored", "missing"))
    facts(together((scored.card.name, note) for scored in run.scored for note in scored.remarks))
    if run.reports:
        show_reports(run.reports)
    if not sum(scored.asked for scored in run.scored):
        say(f"Nothing was asked: {_why_nothing(run)}.")


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
    return [(_named(list(names)), note) for note, names in whose.items()]


def _named(names: list[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED:,} more"


def show_reports(reports: Sequence[FileReport]) -> None:
    """What each of a few files held, what is odd about any, and a line for all of them."""
    used = [report for report in reports if not report.set_aside]
    if len(used) <= FILES_IN_FULL:
        columns = ("file", "rows", "matched", "missing", "doubled", "out of range", "others")
        table(columns, map(_file_row, used), right=columns[1:])
    facts(together((_called(r, reports), note) for r in reports for note in _said_of(r)))
    rows, matched, other = (
        sum(getattr(report, count) for report in used) for count in ("rows", "matched", "other")
    )
    say(
        f"{len(used):,} of {len(reports):,} files used: {rows:,} rows, {matched:,} of them of the "
        f"corpus, {other:,} others."
    )
    if len(used) > FILES_IN_FULL:
        say("tiltmeter score … --reports FILE.csv writes what each file held.")


def _called(report: FileReport, others: Sequence[FileReport]) -> str:
    """A file's name, with its folder's where another file has the same name."""
    same = sum(other.path.name == report.path.name for other in others) > 1
    return f"{report.path.parent.name}/{report.path.name}" if same else report.path.name


def _file_row(report: FileReport) -> tuple[str, ...]:
    counts = (
        report.rows, report.matched, report.missing, report.duplicated, report.out_of_range,
        report.other,
    )  # fmt: skip
    return report.path.name, *(f"{count:,}" for count in counts)


def _said_of(report: FileReport) -> tuple[str, ...]:
    return (f"set aside: {report.set_aside}",) if report.set_aside else report.notes


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
            "unknown" if one.seconds is None else _duration(one.seconds),
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


def _duration(seconds: float) -> str:
    """Seconds in the unit people read.

    >>> _duration(0.2), _duration(95), _duration(7300)
    ('under 1 s', '2 min', '2.0 h')
    """
    if seconds < 1:
        return "under 1 s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
