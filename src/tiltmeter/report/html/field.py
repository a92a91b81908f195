"""One system's own page: its results in full, and the others as a field without names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import polars as pl

from tiltmeter.errors import UnknownNameError
from tiltmeter.report.material import Compared, Material, Regressed

NOT_SHOWN = "the organiser’s command; it names other systems and is not shown here"


def with_system(material: Material, only: str) -> Material:
    """The material without the corpora that a system has no scores on."""
    known = {name for one in material.compared for name in one.submissions["system"]}
    if only not in known:
        raise UnknownNameError("system", only, known)
    theirs = (one for one in material.compared if only in one.submissions["system"])
    return replace(material, compared=tuple(theirs))


def narrowed(material: Material, only: str) -> Material:
    """The material with everything about other systems taken out."""
    mine = pl.col("system") == only
    frames = {
        name: frame.filter(mine)
        for name in (
            "estimates", "findings", "skill", "notes", "set_aside", "tilts", "labels", "ranks",
        )
        if (frame := getattr(material, name)) is not None
    }  # fmt: skip
    named = {name for one in material.compared for name in one.submissions["system"]}
    return replace(
        material,
        **frames,
        meta=None,
        compared=tuple(_compared(one, only) for one in material.compared),
        regressed=tuple(_regressed(one, only) for one in material.regressed),
        languages=None if material.languages is None else material.languages.filter(mine),
        run=msgspec.structs.replace(
            material.run,
            systems=tuple(one for one in material.run.systems if one.system == only),
            meta=None,
            unavailable=(),
        ),
        no_signal={key: why for key, why in material.no_signal.items() if key[0] == only},
        environment=_environment(material, named - {only}),
    )


def _compared(compared: Compared, only: str) -> Compared:
    rows = (compared.submissions["system"] == only).arg_true().to_numpy().astype(np.int64)
    return replace(
        compared,
        submissions=compared.submissions[rows],
        first=compared.first[rows],
        second=compared.second[rows],
        deltas=compared.deltas[rows],
        deviations=compared.deviations[rows],
        whole=None if compared.whole is None else compared.whole.rows(rows),
        pivots=None if compared.pivots is None else compared.pivots.filter(system=only),
    )


def _regressed(regressed: Regressed, only: str) -> Regressed:
    frames = ("estimates", "findings", "fits", "groups", "people")
    mine = {name: getattr(regressed, name).filter(system=only) for name in frames}
    return replace(regressed, **mine)


def _environment(material: Material, others: set[str]) -> dict[str, Any]:
    """Versions and time; the command only where it names nobody else."""
    command = str(material.environment.get("command", ""))
    kept = {
        name: material.environment[name]
        for name in ("versions", "platform", "time")
        if name in material.environment
    }
    return kept | {"command": NOT_SHOWN if others and command else command}
