"""A stored ratings.json read back: the panel that a new system is rated against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import polars as pl
from msgspec import Meta

from tiltmeter.corpora import Share
from tiltmeter.errors import Problem, ScoreFileError, TiltmeterError
from tiltmeter.files import parse_json
from tiltmeter.records import JsonLocator, Record, RecordFile, check_record
from tiltmeter.studies.rating.folder import FILE, SCHEMA_VERSION
from tiltmeter.studies.rating.study import RatingPanel, RatingStudy

# ---- a stored ratings.json read back: the panel that a new system is rated against


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


class PanelCell(Record, forbid_unknown_fields=False):
    """A system's raw score and rating on one column."""

    psi: Annotated[float, Meta(ge=0, lt=1e300, description="a number from 0 on")] | None
    x: bool
    rating: Annotated[int, Meta(ge=1, description="a whole number from 1 on")] | None


class PanelSystem(Record, forbid_unknown_fields=False):
    """A system's cells by column."""

    system: str
    task: str
    variant: Literal["continuous", "discretised"]
    groups: dict[str, PanelCell]


class PanelColumn(Record, forbid_unknown_fields=False):
    """A column, and how its raw score is measured."""

    column: str
    measure: Literal["wrs", "die", "ate"]


class PanelShare(Record):
    """How often the people of one class were given a positive word."""

    groups: dict[str, str | None]
    positive: float


class PanelTerms(Record, forbid_unknown_fields=False):
    """What determined the ratings, besides the systems."""

    mode: str
    edition: str
    raw: str
    k: int
    seed: int
    multiplicity: str
    groups: tuple[str | int, ...]
    strength: float | None = None
    shares: tuple[PanelShare, ...] | None = None


class PanelGroup(Record, forbid_unknown_fields=False):
    """What tells a group's sentences from others."""

    group: str
    checksum: Any = None
    datasets: Any = None


class PanelRun(Record, forbid_unknown_fields=False):
    """How the ratings came about."""

    rating: PanelTerms
    groups: tuple[PanelGroup, ...]


class StoredPanel(Record, forbid_unknown_fields=False):
    """The whole of a ratings.json."""

    levels: Annotated[int, Meta(ge=1, lt=1 << 31, description="a whole number from 1 on")]
    run: PanelRun
    confidence: Annotated[tuple[float, ...], Meta(min_length=1, description="a list of numbers")]
    weights: Annotated[tuple[float, ...], Meta(min_length=1, description="a list of numbers")]
    columns: Annotated[
        tuple[PanelColumn, ...], Meta(min_length=1, description="a list of the rating's columns")
    ]
    systems: tuple[PanelSystem, ...]


@dataclass(frozen=True, eq=False)
class ReferencePanel:
    """Systems rated before, with the raw scores that new ones are put among."""

    run: PanelRun
    """What determined the ratings."""
    levels: int
    confidence: tuple[float, ...]
    weights: tuple[float, ...]
    columns: tuple[str, ...]
    measures: Mapping[str, str]
    """How each column's raw score is measured: wrs, die or ate."""
    psi: pl.DataFrame
    """system, task, variant, column, psi, x, rating."""


def read_panel(path: Path | str) -> ReferencePanel:
    """The panel in a ratings.json, or in the folder that holds one.

    Raises one error that says everything that is wrong with it.
    """
    file = Path(path)
    if file.is_dir():
        file = file / FILE
    told = _checked(file, _content(file))
    cells = [
        (one.system, one.task, one.variant, column, cell.psi, cell.x, cell.rating)
        for one in told.systems
        for column, cell in one.groups.items()
    ]
    rows = pl.DataFrame(cells, schema=PSI, orient="row")
    if rows.filter(pl.col("psi").is_not_null() | pl.col("x")).is_empty():
        _refuse(file, "no system in it has a raw score; expected at least one to rate against")
    return ReferencePanel(
        run=told.run,
        levels=told.levels,
        confidence=told.confidence,
        weights=told.weights,
        columns=tuple(one.column for one in told.columns),
        measures={one.column: one.measure for one in told.columns},
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


def _checked(file: Path, data: bytes) -> StoredPanel:
    """The file's content, if it is ours and whole."""
    try:
        told = parse_json(data)
    except UnicodeDecodeError:
        _refuse(file, f"is not UTF-8 text; {NEXT}")
    except ValueError as error:
        _refuse(file, f"is not JSON that is read ({error}); {NEXT}, unchanged")
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
    place = Path(file.name)
    record = RecordFile(place, told, JsonLocator(place, data.decode(errors="replace")))
    found, problems = check_record(record, StoredPanel)
    if found is not None and not problems:
        problems = list(_contradictions(record, found))
    if problems or found is None:
        raise ScoreFileError(f"{file}: cannot be rated against", problems)
    return found


def _contradictions(file: RecordFile, told: StoredPanel) -> Iterator[Problem]:
    """Systems that stand twice, unknown columns, ratings beyond the last level."""
    columns, seen = {one.column for one in told.columns}, set[tuple[str, str, str]]()
    for nth, one in enumerate(told.systems):
        key = one.system, one.task, one.variant
        if key in seen:
            yield Problem(file.at(["systems", nth]), f"{key} stands there twice; expected once")
        seen.add(key)
        for column, cell in one.groups.items():
            at = file.at(["systems", nth, "groups", column])
            if column not in columns:
                yield Problem(at, "is none of the columns that the file lists")
            if cell.rating is not None and cell.rating > told.levels:
                yield Problem(at, f"rating is {cell.rating}; expected 1 to {told.levels}, or null")


def _what(told: Any) -> str:  # noqa: ANN401
    """What a file is that is not ours."""
    if isinstance(told, dict) and "findings" in told:
        return "holds the findings of an audit, not ratings"
    if isinstance(told, dict) and "files" in told and "tool" in told:
        return "tells how a run came about, and holds no ratings"
    return "is JSON, but holds no ratings of Tiltmeter"


def _refuse(file: Path, what: str) -> NoReturn:
    raise ScoreFileError(f"{file}: cannot be rated against", [Problem("", what)])


# ---- the terms of a rating; where a stored panel is the reference, those that it was rated on


@dataclass(frozen=True, slots=True)
class RatingTerms:
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
    panel: ReferencePanel

    @property
    def terms(self) -> RatingTerms:
        """What the panel was rated on."""
        told = self.panel.run.rating
        return RatingTerms(
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


def rating_terms(given: Mapping[str, Any], reference: Reference | None) -> RatingTerms:
    """The terms that a user gives, with the panel's own or the usual where nothing is said.

    Sentences go with the statistics: without an edition it is the mode's.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if reference is None:
        return replace(RatingTerms(), **{"edition": said.get("mode", "corrected"), **said})
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
