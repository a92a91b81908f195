"""What the report of a drift check is made from; numbers stay numbers here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl


@dataclass(frozen=True, eq=False)
class DriftMaterial:
    """What became of a system since its baseline."""

    baseline: str
    verdict: str
    """drifted, steady or undecided."""
    answers: pl.DataFrame
    """A row for each system, task and corpus: texts, missing, changed, largest, shift, apart,
    noise, beyond with its interval, p_noise, p_drifted, p_steady, verdict, reason."""
    changes: pl.DataFrame
    """The change of tilt of each contrast, with its verdict and sentence."""
    moved: pl.DataFrame
    versions: pl.DataFrame
    """Version, fingerprint and scale before and now."""
    notes: tuple[str, ...]
    run: Mapping[str, Any]
    environment: Mapping[str, Any]
    phrases: Mapping[tuple[str, str, str], str]
