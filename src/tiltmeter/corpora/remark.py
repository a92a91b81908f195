"""One line of a validity report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing looked at: fine, or worth knowing, with examples."""

    subject: str
    text: str
    fine: bool = True
    examples: tuple[str, ...] = ()
