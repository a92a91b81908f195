"""One measured claim: what we do, what the named peer does, and their ratio in the same run."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


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
        target = f"{sign} {self.target:g}"
        return (
            self.claim, self.ours, self.peer, f"{self.ratio:.2f}", target,
            "yes" if self.met else "NO",
        )  # fmt: skip


def timed(work: Callable[[], object], times: int = 5) -> float:
    """The quickest of some equal runs, since other users of a machine only slow it."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def print_claims(title: str, claims: Iterable[Claim]) -> None:
    """Print claims as one table, under the machine they were measured on."""
    from rich.console import Console
    from rich.table import Table

    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    table = Table(title=f"{title} ({machine})", title_justify="left")
    for column in ("claim", "ours", "peer", "ratio", "target", "met"):
        table.add_column(column)
    for claim in claims:
        table.add_row(*claim.row())
    Console(width=120).print(table)
