"""The one function that decides a gate, and what it refuses to decide.

Nothing may pass unjudged: an axis that a corpus lacks and a system without a scale are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.findings.decision import Decision, Gated
from tiltmeter.findings.gate import EVERY, MOVED, Gate, Limit
from tiltmeter.findings.tilts import KINDS
from tiltmeter.findings.verdict import NOT_ESTIMABLE

SCALE = "scale"
NEAR = 1e-9
"""How close a margin must be to the gate's to be the same."""
NAMED = 3
"""Systems that a message names before it only counts the rest."""
_KEYS = ("system", "task", "corpus", "edition", "axis", "contrast", "reference", "verdict")
_SUBMISSION = ("system", "task", "corpus")


def decide(tilts: pl.DataFrame, gate: Gate, moved: pl.DataFrame | None = None) -> Decision:
    """The one decision: what a gate says of claims judged against its margins, and people moved.

    `tilts` is what `judged_tilts` gives: an axis with claims by names and by couples passes only
    where both do. `moved` is what `judged_moved` gives.
    """
    rows = tilts.filter(pl.col("subset").is_in(KINDS)).to_dicts()
    shares = [] if moved is None else moved.to_dicts()
    _check_names(rows, gate)
    _check_moved(shares, gate)
    limits = [(row, gate.limit(row["axis"], row["contrast"])) for row in rows]
    gated = [(row, limit) for row, limit in limits if limit is not None]
    _check_scales([row for row, _ in gated] + _tilts_of(shares, rows))
    claims = (_gated(row, limit) for row, limit in gated)
    return Decision(gate, (*claims, *map(_gated_share, shares)))


def _gated(row: Mapping[str, Any], limit: Limit) -> Gated:
    if row["margin"] is not None and abs(row["margin"] - limit.margin) > NEAR:
        what = f"{limit.name} was judged against {row['margin']:g}"
        raise TiltmeterError(f"{what}; the gate holds it to {limit.margin:g}: judge it anew")
    known: dict[str, Any] = {name: row[name] for name in (*_KEYS, "value", "low", "high")}
    known |= {name: row.get(name) or "" for name in ("reason", "sentence", "next_step")}
    return Gated(
        **known, margin=limit.margin, people=row["subset"], n=row["n"], exact=row["se"] == 0,
        family=row["family"], needed_people=_whole(row["needed_people"]),
    )  # fmt: skip


def _gated_share(row: Mapping[str, Any]) -> Gated:
    """A share of people moved, as a comparison of the gate."""
    known: dict[str, Any] = {name: row[name] for name in ("low", "high", "margin", "limit")}
    known |= {name: row[name] for name in _KEYS if name in row}
    known |= {name: row.get(name) or "" for name in ("reason", "sentence")}
    return Gated(
        **known, contrast=row["group"], reference=row.get("reference") or "", value=row["share"],
        people=row["subset"], n=row["people"], measure=MOVED, moved=row["moved"],
        exact=row["low"] == row["high"], needed_people=_whole(row["needed_people"]),
    )  # fmt: skip


def _check_moved(shares: Sequence[Mapping[str, Any]], gate: Gate) -> None:
    """Raise for a limit on people moved that nobody was counted for."""
    axes = {row["axis"] for row in shares}
    for limit in gate.moved:
        if not axes or (limit.axis != EVERY and limit.axis not in axes):
            what = f"the gate names {limit.name}, and nobody was counted as moved there"
            raise TiltmeterError(f"{what}: audit again with this version, then gate its folder")


def _tilts_of(
    shares: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The claims of the submissions that people moved are counted of."""
    known = {tuple(row[name] for name in _SUBMISSION) for row in shares}
    return [row for row in rows if tuple(row[name] for name in _SUBMISSION) in known]


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _check_names(rows: Sequence[Mapping[str, Any]], gate: Gate) -> None:
    """Raise for what the gate names and a corpus lacks: nothing may pass unjudged."""
    if not rows:
        raise TiltmeterError(
            "there is no tilt to judge: a gate needs matched sentences and the corrected "
            "statistics (--mode corrected, --measure pairs)"
        )
    for corpus, contrasts in _compared(rows).items():
        check_limits(gate, corpus, contrasts)


def _compared(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """The contrasts of every axis of every corpus."""
    found: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        of_axis = found.setdefault(row["corpus"], {}).setdefault(row["axis"], [])
        of_axis.extend([row["contrast"]] if row["contrast"] not in of_axis else ())
    return found


def check_limits(gate: Gate, corpus: str, contrasts: Mapping[str, Sequence[str]]) -> None:
    """Raise if the gate names an axis or contrast that a corpus has not; contrasts are by axis."""
    for limit in (*gate.limits, *(Limit(one.axis, 0.0) for one in gate.moved)):
        _check_limit(limit, corpus, contrasts)


def _check_limit(limit: Limit, corpus: str, contrasts: Mapping[str, Sequence[str]]) -> None:
    if limit.axis != EVERY and limit.axis not in contrasts:
        near = did_you_mean(limit.axis, contrasts) or f"compared are {', '.join(contrasts)}"
        raise TiltmeterError(
            f"the gate names the axis {limit.axis!r}, and nothing of {corpus} was compared by it: "
            f"{near}"
        )
    known = contrasts.get(limit.axis, ())
    if limit.contrast is not None and limit.contrast not in known:
        near = did_you_mean(limit.contrast, known) or f"compared are {', '.join(known)}"
        what = f"the gate names the contrast {limit.contrast!r} of {limit.axis}"
        raise TiltmeterError(f"{what}, and {corpus} has none: {near}")


def _check_scales(rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise for systems whose scale is not known: a margin is a part of it.

    One without any difference at all is within every margin and needs none.
    """
    open_ = (row for row in rows if row["unit"] != SCALE and row["verdict"] == NOT_ESTIMABLE)
    unknown = list(dict.fromkeys(row["system"] for row in open_))
    if not unknown:
        return
    rest = f" and {len(unknown) - NAMED:,} more" if len(unknown) > NAMED else ""
    raise TiltmeterError(
        f"the scale of {', '.join(unknown[:NAMED])}{rest} is not known, and a margin is a part of "
        'it: say it with --scale LOW:HIGH, as in --scale 0:1 (or scale = "0:1" in '
        'pyproject.toml, scale="0:1" in pytest)'
    )
