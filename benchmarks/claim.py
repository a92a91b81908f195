"""One measured claim: what we do, what the named peer does, and their ratio in the same run.

A benchmark is a file with claims that prints them as a table when it is run. Under `make bench` it
runs in a process of its own and hands its rows to `suite.py` as well.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HANDED = "TILTMETER_BENCH_ROWS"
"""Where the suite wants the rows of a benchmark, as JSON."""
COLUMNS = ("claim", "ours", "peer", "ratio", "target", "met")


@dataclass(frozen=True, slots=True)
class Claim:
    """A ratio with its target; `met` when it reaches it (or stays below, for `at_most`)."""

    claim: str
    ours: str
    peer: str
    ratio: float
    target: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """True when the ratio reaches its target."""
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    def row(self) -> tuple[str, ...]:
        """The claim as cells of a table."""
        sign = "≤" if self.at_most else "≥"
        met = "yes" if self.met else "NO"
        return self.claim, self.ours, self.peer, digits(self.ratio), f"{sign} {self.target:g}", met

    def told(self) -> dict[str, Any]:
        """The claim as results.json holds it."""
        return {**asdict(self), "met": self.met}


@dataclass(frozen=True, slots=True)
class NotRun:
    """A claim that was not measured here, and why; `failed` where something broke."""

    claim: str
    reason: str
    failed: bool = False

    def row(self) -> tuple[str, ...]:
        """What is missing, as cells of a table."""
        return self.claim, f"not run: {self.reason}", "", "", "", "–"

    def told(self) -> dict[str, Any]:
        """The same as results.json holds it."""
        return {"claim": self.claim, "not_run": self.reason, "failed": self.failed}


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds and peak memory of the same work at growing sizes, and the exponents they follow."""

    what: str
    sizes: tuple[int, ...]
    unit: str
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]
    """Peak of the whole process."""
    above: tuple[float, ...]
    """… less what the process held before, everything imported."""
    time_exponent: float
    memory_exponent: float
    time_at_most: float
    memory_at_most: float

    def told(self) -> dict[str, Any]:
        """The growth as results.json holds it."""
        return asdict(self)

    def claims(self) -> list[Claim]:
        """Both exponents, beside what they should be at most."""
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        spent = ", ".join(f"{second:.3g}" for second in self.seconds)
        held = ", ".join(f"{one:,.0f}" for one in self.megabytes)
        what = f"{self.what}: {sizes} {self.unit}"
        return [
            Claim(f"time of {what}", f"{spent} s", "1 is linear", self.time_exponent,
                  self.time_at_most, at_most=True),
            Claim(f"peak memory of {what}", f"{held} MB", "1 is linear, 0 is flat",
                  self.memory_exponent, self.memory_at_most, at_most=True),
        ]  # fmt: skip


Row = Claim | NotRun | Growth
Work = Callable[[], Row | Sequence[Row]]


class NotInstalledError(Exception):
    """Something a row needs is not installed here."""


def digits(number: float) -> str:
    """Three digits that count, and no more decimals than they need.

    >>> digits(86.97), digits(1.0537), digits(305.4), digits(0.0123)
    ('87', '1.05', '305', '0.0123')
    """
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def timed(work: Callable[[], object], times: int = 5) -> float:
    """The quickest of some equal runs, since other users of a machine only slow it."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def attempted(works: Mapping[str, Work]) -> list[Row]:
    """Rows of some named works, one after another; one that breaks is a row too, and others go on.

    >>> attempted({"sums": lambda: Claim("sums", "1 s", "2 s", 2.0, 1.0)})[0].met
    True
    """
    rows: list[Row] = []
    for name, work in works.items():
        try:
            found = work()
        except NotInstalledError as lacking:
            rows.append(NotRun(name, str(lacking)))
        except Exception as error:
            traceback.print_exc()
            rows.append(NotRun(name, f"{type(error).__name__}: {error}", failed=True))
        else:
            rows += [found] if isinstance(found, Claim | NotRun | Growth) else found
    return rows


def print_claims(title: str, rows: Iterable[Row]) -> None:
    """Print rows as one table, and hand them to the suite where it waits for them.

    Ends the process with 1 where a row failed.
    """
    found = list(rows)
    listed = [one for row in found for one in (row.claims() if isinstance(row, Growth) else [row])]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print_table(f"{title} ({machine})", [row.row() for row in listed])
    if place := os.environ.get(HANDED):
        growth = [row.told() for row in found if isinstance(row, Growth)]
        told = {"title": title, "rows": [row.told() for row in listed], "growth": growth}
        Path(place).write_text(json.dumps(told), encoding="utf-8")
    if any(isinstance(row, NotRun) and row.failed for row in listed):
        sys.exit(1)


def print_table(title: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Print cells under the columns of every table of claims."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for column in COLUMNS:
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)
