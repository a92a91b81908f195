"""An audit's output folder read back: sentences, people, scores, and how they came about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.errors import TableError, TiltmeterError
from tiltmeter.files import file_digest, is_file, is_folder, parquet_frame, parse_json, read_capped
from tiltmeter.flow.run_shape import read_run
from tiltmeter.measures import Contrast, contrast_between
from tiltmeter.records import JsonLocator, RecordFile
from tiltmeter.schemas import ESTIMATES, PEOPLE, SCORES, SENTENCES, Table, validate

MARK = "run.json"
LARGEST = 256 * 2**20
"""Bytes of a run.json that is read."""
LARGEST_SCORE = 1e100
TABLES = {"sentences": SENTENCES, "scores": SCORES, "estimates": ESTIMATES}
WHO = "people.parquet"
"""Which an older audit did not write."""
EXPECTED = "expected the folder that `tiltmeter audit … -o DIR` wrote"


@dataclass(frozen=True, eq=False)
class AuditFolder:
    """What an audit left behind."""

    path: Path
    run: AuditRun
    """What determines its findings: corpora, systems, statistics."""
    run_values: Mapping[str, Any]
    """The same as it stands in run.json, to be handed on."""
    environment: Mapping[str, Any]
    sentences: pl.DataFrame
    scores: pl.DataFrame
    estimates: pl.DataFrame
    people: pl.DataFrame
    """Whom the sentences are about; nobody is known of an older audit, or of a user's own table."""
    touched: tuple[str, ...] = ()
    """Tables that are not as the audit wrote them."""

    @property
    def corpora(self) -> list[str]:
        """The corpora audited on, in order."""
        return self.sentences["corpus"].unique(maintain_order=True).to_list()

    def people_of(self, corpus: str) -> pl.DataFrame:
        """What is known of a corpus' people."""
        return self.people.filter(pl.col("corpus") == corpus)

    @property
    def submissions(self) -> list[tuple[str, str]]:
        """Every system and task."""
        return self.scores.select("system", "task").unique(maintain_order=True).rows()

    @property
    def axes(self) -> list[str]:
        """Every axis that was compared on some corpus."""
        every = [one.axis for corpus in self.corpora for one in self.contrasts(corpus)]
        return list(dict.fromkeys(every))

    def contrasts(self, corpus: str) -> list[Contrast]:
        """What was compared on a corpus."""
        here = self.sentences.filter(pl.col("corpus") == corpus)
        return contrasts_in(self.estimates.filter(pl.col("corpus") == corpus), here)


def contrasts_in(estimates: pl.DataFrame, sentences: pl.DataFrame) -> list[Contrast]:
    """What the estimates of one corpus compare, in its sentences."""
    own = estimates.filter(pl.col("measure") == "mean_difference")
    keys = own.select("axis", "contrast", "reference").unique(maintain_order=True).rows()
    return [
        contrast_between(sentences, axis, name.removesuffix(f"-{second}"), second)
        for axis, name, second in keys
    ]


def read_audit(folder: Path | str) -> AuditFolder:
    """What stands in an audit's folder, or one message on why it cannot be used."""
    path = Path(folder)
    if not is_folder(path):
        found = "is a file" if is_file(path) else "there is no such folder"
        raise TiltmeterError(f"{path}: {found}; {EXPECTED}")
    file = _run_file(path)
    run, told = read_run(file, path), file.values
    frames = {name: _table(path, name, table) for name, table in TABLES.items()}
    _check_sizes(path, frames["scores"])
    if frames["scores"].is_empty() or frames["sentences"].is_empty():
        raise TiltmeterError(f"{path}: the audit in it has no scores; {EXPECTED}")
    return AuditFolder(
        path,
        run,
        told["run"],
        told.get("environment") or {},
        **frames,
        people=_people(path),
        touched=tuple(_touched(path, told)),
    )


def _run_file(path: Path) -> RecordFile:
    """The run.json of a finished run."""
    try:
        data = read_capped(path / MARK, LARGEST)
        told = parse_json(data)
    except FileNotFoundError:
        raise TiltmeterError(f"{path}: holds no {MARK}; {EXPECTED}") from None
    except OSError as error:
        what = error.strerror or error
        raise TiltmeterError(f"{path / MARK}: cannot be read: {what}; {EXPECTED}") from error
    except ValueError as error:
        plain = isinstance(error, json.JSONDecodeError)
        what = "is not JSON" if plain else f"was altered or damaged ({str(error)[:100]})"
        raise TiltmeterError(f"{path / MARK}: {what}; {EXPECTED}") from None
    if not isinstance(told, dict) or told.get("tool") != "tiltmeter":
        raise TiltmeterError(f"{path / MARK}: is not Tiltmeter’s; {EXPECTED}")
    if not isinstance(told.get("run"), dict) or not isinstance(told.get("environment"), dict):
        raise TiltmeterError(f"{path / MARK}: says nothing of a run; {EXPECTED}")
    if told.get("complete") is not True:
        raise TiltmeterError(f"{path}: its audit was stopped half-way; run the same audit again")
    return RecordFile(path / MARK, told, JsonLocator(path / MARK, data.decode(errors="replace")))


def _table(path: Path, name: str, table: Table) -> pl.DataFrame:
    file = path / f"{name}.parquet"
    if not is_file(file):
        raise TiltmeterError(f"{path}: holds no {file.name}; {EXPECTED}")
    try:
        return validate(parquet_frame(file), table, where=str(file))
    except OSError as error:
        what = error.strerror or error
        raise TiltmeterError(f"{file}: cannot be read: {what}; run the audit again") from error
    except TableError as error:
        raise TiltmeterError(f"{error}\n{EXPECTED}; run the audit again") from error


def nobody() -> pl.DataFrame:
    """The `people` table of a folder that says nothing of them."""
    types = {name: getattr(pl, column.dtype) for name, column in PEOPLE.columns.items()}
    return pl.DataFrame(schema=types)


def check_people(people: pl.DataFrame, where: str) -> pl.DataFrame:
    """The people of an audit, or an error where one is as nobody is drawn."""
    validate(people, PEOPLE, where=where)
    odd = people.filter(
        (pl.col("weight") <= 0)
        | (pl.col("weight") > LARGEST_SCORE)
        | (pl.col("probability") <= 0)
        | (pl.col("probability") > 1)
        | (pl.col("frames") < 0)
        | (pl.col("bearers") < 0)
    )
    if not odd.is_empty():
        one = odd.row(0, named=True)
        said = ", ".join(f"{name} {one[name]}" for name in ("weight", "probability", "frames"))
        what = f"{where} has {one['person']!r} with {said}, as no audit writes"
        raise TiltmeterError(f"{what}: it was altered; run the audit again")
    return people


def _people(path: Path) -> pl.DataFrame:
    if not is_file(path / WHO):
        return nobody()
    return check_people(_table(path, PEOPLE.name, PEOPLE), str(path / WHO))


def _check_sizes(path: Path, scores: pl.DataFrame) -> None:
    """Refuse scores so large that their squares are no numbers any more."""
    for column in ("raw", "score"):
        most = scores[column].abs().max()
        if isinstance(most, float) and most > LARGEST_SCORE:
            what = f"{path / 'scores.parquet'}: found {most:g} in the column {column!r}"
            raise TiltmeterError(f"{what}, as no audit writes: it was altered; run the audit again")


def _touched(path: Path, told: Mapping[str, Any]) -> Iterator[str]:
    """The tables whose digest is not the one that run.json lists."""
    listed = told.get("files")
    digests = {
        one.get("file"): one.get("sha256")
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and isinstance(one.get("file"), str)
    }
    for name in (*TABLES, *((PEOPLE.name,) if is_file(path / WHO) else ())):
        file = path / f"{name}.parquet"
        if file_digest(file) != digests.get(file.name):
            yield file.name
