"""The one function that decides a gate, and what it refuses to decide.

Nothing may pass unjudged: an axis that a corpus lacks and a system without a scale are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.findings.decision import Decision, Gated
from tiltmeter.findings.gate import EVERY, Gate, Limit
from tiltmeter.findings.verdict import NOT_ESTIMABLE

ALL = "all"
"""The subset that is gated: every other is exploratory."""
SCALE = "scale"
NEAR = 1e-9
"""How close a margin must be to the gate's to be the same."""
NAMED = 3
"""Systems that a message names before it only counts the rest."""
_KEYS = ("system", "task", "corpus", "edition", "axis", "contrast", "reference", "verdict")


def decide(tilts: pl.DataFrame, gate: Gate) -> Decision:
    """The one decision: what a gate says of tilts judged against its margins.

    `tilts` is what `judged_tilts` gives; only the subset `all` is gated.
    """
    rows = tilts.filter(pl.col("subset") == ALL).to_dicts()
    _check_names(rows, gate)
    limits = [(row, gate.limit(row["axis"], row["contrast"])) for row in rows]
    gated = [(row, limit) for row, limit in limits if limit is not None]
    _check_scales([row for row, _ in gated])
    return Decision(gate, tuple(_gated(row, limit) for row, limit in gated))


def _gated(row: Mapping[str, Any], limit: Limit) -> Gated:
    if row["margin"] is not None and abs(row["margin"] - limit.margin) > NEAR:
        what = f"{limit.name} was judged against {row['margin']:g}"
        raise TiltmeterError(f"{what}; the gate holds it to {limit.margin:g}: judge it anew")
    needed = ("needed_people", "needed_templates")
    known: dict[str, Any] = {name: row[name] for name in (*_KEYS, "value", "low", "high")}
    known |= {name: _whole(row[name]) for name in needed}
    known |= {name: row.get(name) or "" for name in ("reason", "sentence")}
    return Gated(**known, margin=limit.margin)


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
    for limit in gate.limits:
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
