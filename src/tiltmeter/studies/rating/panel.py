"""ratings.json: the ratings for other programs, read back as the panel for later systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import polars as pl
from msgspec import Meta

from tiltmeter.corpora import Share
from tiltmeter.errors import (
    NamedByFileError,
    Problem,
    ScoreFileError,
    TiltmeterError,
    argument,
)
from tiltmeter.files import is_file, parse_json
from tiltmeter.records import JsonLocator, Record, RecordFile, check_record
from tiltmeter.report.folder import MARK
from tiltmeter.report.json_files import json_document
from tiltmeter.report.pack import open_evidence
from tiltmeter.studies.rating.grades import RatingTerms
from tiltmeter.studies.rating.scored_groups import BUILT_IN, is_numbered
from tiltmeter.studies.rating.study import Panel, Ratings

FILE = "ratings.json"
SCHEMA_VERSION = 2
"""In 1 raw scores of race also compared races with NA: no new system may be put among them."""
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
FOLDER = "the folder that `tiltmeter rate` wrote"
NEXT = f"expected the {FILE} that tiltmeter rate wrote"


OF_A_SYSTEM = ("overall", "mean", "low", "high", "steady", "dominates")
OF_A_COLUMN = (
    "psi", "x", "rating", "low", "high", "steady", "by_chance", "p", "rests_on", "without",
    "reason",
)  # fmt: skip


def ratings_json(study: Ratings) -> str:
    """The ratings, what each system has in each column, and how they came about.

    The same bytes for the same input, apart from `environment`; a line for each system and variant.
    """
    keys = ("system", "task", "variant")
    groups: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in study.raw.iter_rows(named=True):
        own = groups.setdefault(tuple(row[key] for key in keys), {})
        own[row["column"]] = {name: row[name] for name in OF_A_COLUMN}
    return json_document(
        {
            "schema_version": SCHEMA_VERSION,
            "environment": study.environment,
            "run": study.run,
            "levels": study.levels,
            "confidence": study.confidence,
            "weights": study.config.weights,
            "repeats": study.repeats,
        },
        {
            "columns": study.columns.to_dicts(),
            "systems": [
                row | {"groups": groups.get(tuple(row[key] for key in keys), {})}
                for row in study.overall.select(*keys, *OF_A_SYSTEM).to_dicts()
            ],
        },
    )


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


@dataclass(frozen=True, eq=False, slots=True)
class ReferencePanel:
    """Systems rated before, with the raw scores that new ones are put among."""

    path: str
    stored: StoredPanel
    psi: pl.DataFrame
    """system, task, variant, column, psi, x, rating."""

    @property
    def terms(self) -> RatingTerms:
        """What the panel was rated on."""
        own = self.stored.run.rating
        return RatingTerms(
            own.mode, own.edition, own.raw, own.k, own.strength,
            tuple(Share(one.groups, one.positive) for one in own.shares) if own.shares else None,
            own.seed, self.stored.weights, own.multiplicity, self.stored.levels,
            tuple(map(str, own.groups)),
        )  # fmt: skip

    @property
    def scores(self) -> Panel:
        """The panel's raw scores by task, variant and column; infinite for X."""
        known = self.psi.filter(pl.col("psi").is_not_null() | pl.col("x"))
        value = pl.when("x").then(float("inf")).otherwise("psi").alias("value")
        groups = known.with_columns(value).group_by("task", "variant", "column")
        return {
            (str(task), str(variant), str(column)): rows["value"].to_numpy().astype(np.float64)
            for (task, variant, column), rows in groups
        }

    def check_groups(self) -> None:
        """Refuse a panel that names a file of its own as a group: only the user may name one."""
        for name in self.terms.groups:
            if not is_numbered(name):
                raise NamedByFileError(
                    self.path, "rating group", name, f"it is none of {', '.join(BUILT_IN)}",
                    f"name it yourself with {argument('groups')}",
                )  # fmt: skip

    def check(self, study: Ratings, facts: Mapping[str, Any]) -> None:
        """Refuse to rate on what the panel was not rated on: other columns, other sentences."""
        has = set(self.scores)
        for row in study.raw.select("task", "variant", "column").unique(maintain_order=True).rows():
            if row not in has:
                task, variant, column = row
                there = ", ".join(sorted({f"{c} ({v}, {t})" for t, v, c in has}))
                what = f"{self.path} holds no system rated on {column} ({variant}, {task})"
                raise TiltmeterError(f"{what}; it holds {there}")
        if self.stored.confidence != study.confidence:
            its, ours = (
                ", ".join(map(str, one)) for one in (self.stored.confidence, study.confidence)
            )
            what = f"{self.path} was rated at the confidence levels {its}; expected {ours}"
            raise TiltmeterError(f"{what}; rate the panel again")
        theirs = {one.group: one for one in self.stored.run.groups}
        for one in facts["groups"]:
            stored = theirs.get(one["group"])
            mine = one.get("checksum"), one.get("datasets")
            if stored is not None and mine != (stored.checksum, stored.datasets):
                what = f"{self.path} was rated on other sentences of group {one['group']}"
                raise TiltmeterError(f"{what}; rate the panel again on those that are here")


def merge_terms(given: Mapping[str, Any], reference: ReferencePanel | None) -> RatingTerms:
    """The terms that a user gives, with the panel's own or the usual where nothing is said.

    Sentences go with the statistics: without an edition it is the mode's.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if reference is None:
        return replace(RatingTerms(), **{"edition": said.get("mode", "corrected"), **said})
    terms = reference.terms
    for name, ours in said.items():
        its = getattr(terms, name)
        # Some of the panel's groups are enough; what each gives is looked at later.
        if name != "groups" and ours != its:
            shown = [" ".join(map(str, v)) if isinstance(v, tuple) else v for v in (its, ours)]
            what = f"{reference.path} was rated with --{name} {shown[0]}"
            end = f"and --{name} is {shown[1]} here; leave it out, or rate the panel again"
            raise TiltmeterError(f"{what}, {end}")
    return replace(terms, **said)


def read_panel(path: Path | str) -> ReferencePanel:
    """Read the panel of a ratings.json, or of the folder that `tiltmeter rate` wrote.

    Where its run.json is beside it, the folder's files are held against their digests first. Raises
    one error that says everything that is wrong with it.
    """
    file = Path(path)
    if file.is_dir():
        file = file / FILE
    if file.name == FILE and is_file(file.parent / MARK):
        data = open_evidence(file.parent, [FILE], FOLDER).read(FILE, LARGEST)
    else:
        data = _content(file)
    stored = _parse(file, data)
    cells = [
        (one.system, one.task, one.variant, column, cell.psi, cell.x, cell.rating)
        for one in stored.systems
        for column, cell in one.groups.items()
    ]
    psi = pl.DataFrame(cells, schema=PSI, orient="row")
    if psi.filter(pl.col("psi").is_not_null() | pl.col("x")).is_empty():
        _refuse(file, "no system in it has a raw score; expected at least one to rate against")
    return ReferencePanel(str(path), stored, psi)


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


def _parse(file: Path, data: bytes) -> StoredPanel:
    """The file's content, if it is ours and whole."""
    try:
        content = parse_json(data)
    except UnicodeDecodeError:
        _refuse(file, f"is not UTF-8 text; {NEXT}")
    except ValueError as error:
        _refuse(file, f"is not JSON that is read ({error}); {NEXT}, unchanged")
    fields = set(content) if isinstance(content, dict) else set()
    if not {"schema_version", "levels", "systems"} <= fields:
        what = "is JSON, but holds no ratings of Tiltmeter"
        if "findings" in fields:
            what = "holds the findings of an audit, not ratings"
        elif {"files", "tool"} <= fields:
            what = "tells how a run came about, and holds no ratings"
        _refuse(file, f"{what}; {NEXT}")
    version = content["schema_version"]
    if version != SCHEMA_VERSION or isinstance(version, bool):
        _refuse(
            file,
            f"has schema version {version!r}; this version of Tiltmeter reads {SCHEMA_VERSION}: "
            "rate its systems again, or use the version of Tiltmeter that wrote it",
        )
    if content["systems"] == []:
        _refuse(file, "holds no systems; expected at least one to rate against")
    place = Path(file.name)
    record = RecordFile(place, content, JsonLocator(place, data.decode(errors="replace")))
    found, problems = check_record(record, StoredPanel)
    if found is not None and not problems:
        columns, seen = {one.column for one in found.columns}, set[tuple[str, str, str]]()
        for nth, one in enumerate(found.systems):
            key = one.system, one.task, one.variant
            if key in seen:
                at = record.at(["systems", nth])
                problems.append(Problem(at, f"{key} stands there twice; expected once"))
            seen.add(key)
            for column, cell in one.groups.items():
                at = record.at(["systems", nth, "groups", column])
                if column not in columns:
                    problems.append(Problem(at, "is none of the columns that the file lists"))
                if cell.rating is not None and cell.rating > found.levels:
                    what = f"rating is {cell.rating}; expected 1 to {found.levels}, or null"
                    problems.append(Problem(at, what))
    if problems or found is None:
        raise ScoreFileError(f"{file}: cannot be rated against", problems)
    return found


def _refuse(file: Path, what: str) -> NoReturn:
    raise ScoreFileError(f"{file}: cannot be rated against", [Problem("", what)])
