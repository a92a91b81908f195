"""What run.json has to say, and of which kind, so that findings can be recomputed from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import polars as pl

from tiltmeter.errors import IncompleteError, TiltmeterError
from tiltmeter.measures import MOST_FLIPS
from tiltmeter.schemas import ESTIMATES, Column, validate
from tiltmeter.schemas import FINDINGS as FINDINGS_TABLE
from tiltmeter.scoring import MOST_REPEATS
from tiltmeter.systems import Control

RUN, FINDINGS = "run.json", "findings.json"
LONGEST = 10_000
"""Letters of a name, a title or a finding."""
DEFAULT = "default"
"""The margin of whatever has none of its own."""
Kind = Callable[[object], bool]


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _up_to(most: int, least: int = 0) -> Kind:
    return lambda value: _count(value) and least <= cast("int", value) <= most


def _number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and abs(value) < 1e300


def _part(value: object) -> bool:
    """A part of a whole, such as a level or a margin."""
    return _number(value) and 0 < cast("float", value) < 1


def _margins(value: object) -> bool:
    return isinstance(value, dict) and DEFAULT in value and all(map(_part, value.values()))


def _maybe(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def _list_of(kind: Kind) -> Kind:
    return lambda value: isinstance(value, list) and all(map(kind, value))


def _table_of(kind: Kind) -> Kind:
    return lambda value: isinstance(value, dict) and all(map(kind, value.values()))


def _scale(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_number, value)):
        return False
    return bool(value[0] < value[1])


def _object(kinds: Mapping[str, Kind]) -> Kind:
    def holds(value: object) -> bool:
        return isinstance(value, dict) and all(
            name in value and kind(value[name]) for name, kind in kinds.items()
        )

    return holds


def _only(kinds: Mapping[str, Kind]) -> Kind:
    """An object with these keys and no other."""
    whole = _object(kinds)
    return lambda value: whole(value) and cast("dict[str, Any]", value).keys() == kinds.keys()


def _groups(value: object) -> bool:
    return isinstance(value, list) and all(map(_text, value)) and 1 < len(value) == len(set(value))


def _axes(value: object) -> bool:
    """Axes, none of them twice."""
    if not isinstance(value, list) or not all(map(AXIS, value)):
        return False
    return len({one["name"] for one in value}) == len(value)


AXIS = _object({"name": _text, "groups": _groups, "phrases": _table_of(_text)})
DRAWN = _object({"emotion": _maybe(_text), "axes": _list_of(_text)})
PAIRS = _object({"axis": _text, "contrast": _text, "pairs": _count})
CORPUS: Mapping[str, Kind] = {
    **dict.fromkeys(("name", "title", "edition", "language", "checksum", "sample"), _text),
    "sentences": _count,
    "axes": _axes,
    "drawn_from": _maybe(_list_of(DRAWN)),
    "in_parts": _flag,
    "pairs": _list_of(PAIRS),
}
CELL = _object(
    {
        "groups": _table_of(_text),
        **dict.fromkeys(("names", "drawn", "certain"), _count),
        **dict.fromkeys(("bearers", "words"), _maybe(_count)),
        "effective": _number,
        "word_examples": _list_of(_text),
    }
)
POPULATION = _object(
    {
        **dict.fromkeys(("title", "source", "licence", "note", "rule", "weights"), _text),
        **dict.fromkeys(("people", "frames"), lambda value: _text(value) or _count(value)),
        **dict.fromkeys(("all_frames", "seed", "listed"), _count),
        "listed_bearers": _maybe(_count),
        "frames_met": lambda value: _list_of(_number)(value) and len(cast("list[Any]", value)) == 3,
        "cells": _list_of(CELL),
    }
)
SYSTEM: Mapping[str, Kind] = {
    **dict.fromkeys(("system", "task", "corpus", "version", "fingerprint", "scale_known"), _text),
    "scale": _maybe(_text),
    "scale_ends": _maybe(_scale),
    "repeats": _up_to(MOST_REPEATS, least=1),
    "missing": _count,
    "noise": _maybe(_number),
}
SINCE: Mapping[str, Mapping[str, Kind]] = {
    "corpora": {"population": _maybe(POPULATION)},
    "systems": {
        "languages": _list_of(_text),
        "control": _maybe(lambda value: value in tuple(Control)),
    },
    "statistics": {"apart": _flag},
}
"""What an older audit does not say."""
UNAVAILABLE = _object({"system": _text, "why": _text, "corpora": _list_of(_text)})
STATISTICS: Mapping[str, Kind] = {
    **dict.fromkeys(("mode", "subset", "correction"), _text),
    "measures": _list_of(_text),
    **dict.fromkeys(("family_given", "everywhere"), _flag),
    **dict.fromkeys(("family", "seed"), _count),
    "flips": _maybe(_up_to(MOST_FLIPS)),
    "level": _part,
    "formula": _maybe(_text),
    "reference": _table_of(_text),
    "margins": _margins,
    "thresholds": _list_of(_number),
}
REGRESSION: Mapping[str, Kind] = {
    "errors": _text,
    "precision": _maybe(_text),
    "reference": _table_of(_text),
    "no_reference": _flag,
}


@contextmanager
def said_of(where: Path) -> Iterator[None]:
    """Say of which pack or folder a complaint is."""
    try:
        yield
    except TiltmeterError as error:
        if str(where) not in str(error):
            error.args = (f"{where}: {error}",)
        raise


LARGER = _only(
    {
        "corpus": _text,
        "axes": _list_of(_text),
        "ask": _text,
        "people": lambda value: value is None or _text(value) or _count(value),
        "sentences": _count,
    }
)
BESIDES: Mapping[str, Kind] = {
    "unavailable": _list_of(UNAVAILABLE),
    "larger": _list_of(LARGER),
    "scores_from_files": _list_of(_text),
}
"""What a run says where there is something to say."""
SHARE = _only(
    {
        "group": _text,
        **dict.fromkeys(("moved", "people"), _count),
        **dict.fromkeys(("share", "low", "high"), _maybe(_number)),
    }
)
NEXT = _only(
    {"command": _maybe(_text), "sentences": _maybe(_count), "why_none": _maybe(_text)}
)  # fmt: skip
OF_A_CLAIM: Mapping[str, Kind] = {"moved": _list_of(SHARE), "next": NEXT}
"""What a finding on a tilt says besides."""


def check_run_shape(run: object) -> None:
    """Raise where run.json does not say, or says in another way, what findings rest on."""
    told = run if isinstance(run, dict) else {}
    for place, kinds in (("corpora", CORPUS), ("systems", SYSTEM)):
        listed = told.get(place)
        if not isinstance(listed, list) or not listed:
            raise _wrong(place, listed)
        for nth, one in enumerate(listed):
            _check(one, kinds, f"{place}[{nth}]")
            _check(one, _said(one, place), f"{place}[{nth}]")
    for nth, one in enumerate(told["corpora"]):
        if bool(one["sample"]) != (one["drawn_from"] is not None):
            raise _wrong(f"corpora[{nth}].drawn_from", one["drawn_from"])
    for name, kind in BESIDES.items():
        if name in told and not kind(told[name]):
            raise _wrong(name, told[name])
    names = [one["name"] for one in told["corpora"]]
    if len(set(names)) < len(names) or {one["corpus"] for one in told["systems"]} != set(names):
        raise _wrong("the corpora of its systems", names)
    _check(told.get("statistics"), STATISTICS, "statistics")
    _check(told["statistics"], _said(told["statistics"], "statistics"), "statistics")
    if "regression" in told["statistics"]["measures"]:
        _check(told.get("regression"), REGRESSION, "regression")
        subset = told["regression"].get("subset")  # which older audits did not say
        if not _maybe(_text)(subset):
            raise _wrong("regression.subset", subset)


def scale_ends(said: Mapping[str, Any], where: Path) -> tuple[float, float] | None:
    """The ends of a system's scale as run.json says them; none of an older or unbounded one."""
    ends = said.get("scale_ends")
    if not SYSTEM["scale_ends"](ends):
        with said_of(where):
            raise _wrong("the scale_ends of a system", ends)
    return None if ends is None else (float(ends[0]), float(ends[1]))


def _said(value: Mapping[str, Any], place: str) -> dict[str, Kind]:
    """What newer audits say there, as far as this one does."""
    return {name: kind for name, kind in SINCE.get(place, {}).items() if name in value}


def _check(value: object, kinds: Mapping[str, Kind], place: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(place, value)
    for name, kind in kinds.items():
        if name not in value:
            what = f"run.json does not say {place}.{name}, so the findings cannot be recomputed"
            raise IncompleteError(f"{what}: an older Tiltmeter wrote it; audit again")
        if not kind(value[name]):
            raise _wrong(f"{place}.{name}", value[name])


def _wrong(place: str, found: object) -> TiltmeterError:
    shown = repr(found)
    told = shown if len(shown) <= 100 else f"{shown[:100]}…"
    what = f"run.json says {told} for {place}, as no audit does"
    return TiltmeterError(f"{what}: it was altered or damaged")


def check_told(said: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Refuse files that tell of different runs, or of none."""
    if any(stored.get(name) != said.get(name) for name in ("run", "environment")):
        raise TiltmeterError(f"{FINDINGS} and {RUN} do not tell of the same run")
    check_run_shape(said.get("run"))
    made = said.get("environment")
    if not isinstance(made, dict) or not isinstance(made.get("versions"), dict):
        raise TiltmeterError(f"{RUN} does not say by which versions it was made")
    rows = stored.get("findings")
    if not isinstance(rows, list) or any(not _is_finding(row) for row in rows):
        raise TiltmeterError(f"{FINDINGS} holds what is no finding: it was altered or damaged")


def _is_finding(row: object) -> bool:
    columns = FINDINGS_TABLE.columns
    return (
        isinstance(row, dict)
        and row.keys() - OF_A_CLAIM.keys() == columns.keys()
        and all(_of_column(row[name], column) for name, column in columns.items())
        and all(kind(row[name]) for name, kind in OF_A_CLAIM.items() if name in row)
    )


def _of_column(value: object, column: Column) -> bool:
    kinds = {"String": _text, "Float64": _number, "Int64": _count}
    return (value is None and column.nullable) or kinds[column.dtype](value)


def check_estimates(estimates: pl.DataFrame, where: Path) -> pl.DataFrame:
    """The estimates, or an error where one is what no audit writes: ends without a value, say."""
    validate(estimates, ESTIMATES, where=f"{where}: estimates.parquet")
    ends = pl.any_horizontal(pl.col("se", "low", "high").is_not_null())
    odd = (pl.col("value").is_null() & ends) | (pl.col("low") > pl.col("high"))
    wrong = estimates.filter(odd | (pl.col("se") < 0) | (pl.col("n") < 0))
    if not wrong.is_empty():
        one = wrong.row(0, named=True)
        said = ", ".join(f"{name} {one[name]}" for name in ("value", "low", "high", "se", "n"))
        what = f"{where}: estimates.parquet has a {one['measure']} of {said}"
        raise TiltmeterError(f"{what}, as no audit does: it was altered or damaged")
    return estimates
