"""The terms of a rating; where a stored panel is the reference, those that it was rated on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Share
from tiltmeter.errors import TiltmeterError
from tiltmeter.measures import RatingPanel, RatingStudy
from tiltmeter.report import Panel, read_panel


@dataclass(frozen=True, slots=True)
class Terms:
    """What determines ratings, besides the systems."""

    mode: str = "corrected"
    edition: str = "corrected"
    raw: str = "die"
    k: int = 1
    strength: float | None = None
    shares: tuple[Share, ...] | None = None
    seed: int = 0
    weights: tuple[float, ...] | None = None
    """None: those of the mode."""
    multiplicity: str = "none"
    levels: int | None = None
    """None: as many as are usual for so many systems."""
    groups: tuple[str, ...] = ("1", "2", "3", "4")

    @property
    def facts(self) -> dict[str, Any]:
        """The same as plain values, to be written beside the ratings."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        told["shares"] = [asdict(share) for share in self.shares] if self.shares else None
        return told


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """A stored panel, and the file it stands in."""

    path: str
    panel: Panel

    @property
    def terms(self) -> Terms:
        """What the panel was rated on."""
        told = self.panel.run.rating
        return Terms(
            told.mode, told.edition, told.raw, told.k, told.strength,
            tuple(Share(one.groups, one.positive) for one in told.shares) if told.shares else None,
            told.seed, self.panel.weights, told.multiplicity, self.panel.levels,
            tuple(map(str, told.groups)),
        )  # fmt: skip

    @property
    def scores(self) -> RatingPanel:
        """The panel's raw scores by task, variant and column; infinite for X."""
        known = self.panel.psi.filter(pl.col("psi").is_not_null() | pl.col("x"))
        value = pl.when("x").then(float("inf")).otherwise("psi").alias("value")
        groups = known.with_columns(value).group_by("task", "variant", "column")
        return {
            (str(task), str(variant), str(column)): rows["value"].to_numpy().astype(np.float64)
            for (task, variant, column), rows in groups
        }

    def check(self, study: RatingStudy, facts: Mapping[str, Any]) -> None:
        """Refuse to rate on what the panel was not rated on: other columns, other sentences."""
        has = set(self.scores)
        for row in study.raw.select("task", "variant", "column").unique(maintain_order=True).rows():
            if row not in has:
                task, variant, column = row
                there = ", ".join(sorted({f"{c} ({v}, {t})" for t, v, c in has}))
                what = f"{self.path} holds no system rated on {column} ({variant}, {task})"
                raise TiltmeterError(f"{what}; it holds {there}")
        if self.panel.confidence != study.confidence:
            its, ours = (
                ", ".join(map(str, one)) for one in (self.panel.confidence, study.confidence)
            )
            what = f"{self.path} was rated at the confidence levels {its}; expected {ours}"
            raise TiltmeterError(f"{what}; rate the panel again")
        theirs = {one.group: one for one in self.panel.run.groups}
        for one in facts["groups"]:
            stored = theirs.get(one["group"])
            mine = one.get("checksum"), one.get("datasets")
            if stored is not None and mine != (stored.checksum, stored.datasets):
                what = f"{self.path} was rated on other sentences of group {one['group']}"
                raise TiltmeterError(f"{what}; rate the panel again on those that are here")


def reference_given(path: Path | str | None) -> Reference | None:
    """The stored panel at a path; None where none is given."""
    return None if path is None else Reference(str(path), read_panel(path))


def rating_terms(given: Mapping[str, Any], reference: Reference | None) -> Terms:
    """The terms that a user gives, with the panel's own or the usual where nothing is said.

    Sentences go with the statistics: without an edition it is the mode's.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if reference is None:
        return replace(Terms(), **{"edition": said.get("mode", "corrected"), **said})
    kept = reference.terms
    for name, mine in said.items():
        its = getattr(kept, name)
        # Some of the panel's groups are enough; what each gives is looked at later.
        if name != "groups" and mine != its:
            what = f"{reference.path} was rated with --{name} {_shown(its)}"
            end = f"and --{name} is {_shown(mine)} here; leave it out, or rate the panel again"
            raise TiltmeterError(f"{what}, {end}")
    return replace(kept, **said)


def _shown(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
