"""A stored ratings.json read back: the panel that a new system is rated against."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import polars as pl

from tiltmeter.errors import Problem, ScoreFileError
from tiltmeter.report.ratings.panel_rows import head_problems, panel_rows, row_problems
from tiltmeter.report.ratings.ratings_json import FILE, SCHEMA_VERSION

LARGEST = 100_000_000
"""Bytes of a file that is read: some 50,000 systems."""
PSI = {
    "system": pl.String,
    "task": pl.String,
    "variant": pl.String,
    "column": pl.String,
    "psi": pl.Float64,
    "x": pl.Boolean,
    "rating": pl.Int64,
}
NEXT = f"expected the {FILE} that tiltmeter rate wrote"


@dataclass(frozen=True, eq=False)
class Panel:
    """Systems rated before, with the raw scores that new ones are put among."""

    run: Mapping[str, Any]
    """What determined the ratings; see `RatingMaterial.run`."""
    levels: int
    confidence: tuple[float, ...]
    weights: tuple[float, ...]
    columns: tuple[str, ...]
    measures: Mapping[str, str]
    """How each column's raw score is measured: wrs, die or ate."""
    psi: pl.DataFrame
    """system, task, variant, column, psi, x, rating."""


def read_panel(path: Path | str) -> Panel:
    """The panel in a ratings.json, or in the folder that holds one.

    Raises one error that says everything that is wrong with it.
    """
    file = Path(path)
    if file.is_dir():
        file = file / FILE
    told = _checked(file, _parsed(file, _content(file)))
    rows = pl.DataFrame(list(panel_rows(told["systems"])), schema=PSI, orient="row")
    if rows.filter(pl.col("psi").is_not_null() | pl.col("x")).is_empty():
        _refuse(file, "no system in it has a raw score; expected at least one to rate against")
    return Panel(
        run=told["run"],
        levels=told["levels"],
        confidence=tuple(map(float, told["confidence"])),
        weights=tuple(map(float, told["weights"])),
        columns=tuple(one["column"] for one in told["columns"]),
        measures={one["column"]: one["measure"] for one in told["columns"]},
        psi=rows,
    )


def _content(file: Path) -> bytes:
    try:
        if not file.exists():
            _refuse(file, f"there is no such file; {NEXT}")
        if not file.is_file():
            _refuse(file, f"is no plain file; {NEXT}")
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        _refuse(file, f"cannot be read: {getattr(error, 'strerror', None) or error}; {NEXT}")
    if len(data) > LARGEST:
        _refuse(file, f"has more than {LARGEST // 1_000_000} MB; {NEXT}")
    return data


def _parsed(file: Path, data: bytes) -> Any:  # noqa: ANN401
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError:
        _refuse(file, f"is not UTF-8 text; {NEXT}")
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        _refuse(file, f"is not JSON ({error.msg}, {where}); {NEXT}, unchanged")
    except RecursionError:
        _refuse(file, f"is nested too deeply; {NEXT}")
    except ValueError as error:
        _refuse(file, f"holds what is no number ({error}); {NEXT}, unchanged")


def _no_number(text: str) -> NoReturn:
    raise ValueError(text)


def _checked(file: Path, told: Any) -> dict[str, Any]:  # noqa: ANN401
    """The file's content, if it is ours and whole."""
    if not isinstance(told, dict) or not {"schema_version", "levels", "systems"} <= set(told):
        _refuse(file, f"{_what(told)}; {NEXT}")
    version = told["schema_version"]
    if version != SCHEMA_VERSION or isinstance(version, bool):
        _refuse(
            file,
            f"has schema version {version!r}; this version of Tiltmeter reads {SCHEMA_VERSION}: "
            "rate its systems again, or use the version of Tiltmeter that wrote it",
        )
    if told["systems"] == []:
        _refuse(file, "holds no systems; expected at least one to rate against")
    problems = head_problems(told)
    problems = problems or row_problems(told)
    if problems:
        raise ScoreFileError(f"{file}: cannot be rated against", problems)
    return told


def _what(told: Any) -> str:  # noqa: ANN401
    """What a file is that is not ours."""
    if isinstance(told, dict) and "findings" in told:
        return "holds the findings of an audit, not ratings"
    if isinstance(told, dict) and "files" in told and "tool" in told:
        return "tells how a run came about, and holds no ratings"
    return "is JSON, but holds no ratings of Tiltmeter"


def _refuse(file: Path, what: str) -> NoReturn:
    raise ScoreFileError(f"{file}: cannot be rated against", [Problem("", what)])
