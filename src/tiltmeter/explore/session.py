"""One run of the explorer: its systems, names and audits, and the corpus that a user adds to."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import polars as pl

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import OutputError, TiltmeterError
from tiltmeter.explore.audits import OpenedAudit
from tiltmeter.explore.live import LiveSystem
from tiltmeter.explore.requests import CorpusSentence
from tiltmeter.files import read_capped, with_formulas, without_formulas, write_text
from tiltmeter.table_files import EXPLORED, EXPLORED_FRAME

PER_GROUP = 75
"""Names of each gender and group: 600 of the population of US first names in all."""


class ExplorerName(msgspec.Struct, frozen=True):
    """A name and whose it is."""

    name: str
    gender: str
    race: str


def explorer_names(per_group: int = PER_GROUP) -> list[ExplorerName]:
    """The first names drawn for each group of `names-us`, the same as an audit's with its seed."""
    corpus = load_corpus("names-us", people=per_group)
    if corpus.design is None:
        return []
    return [
        ExplorerName(person.name, gender, race)
        for person in corpus.design.people
        if (gender := person.groups.get("gender")) and (race := person.groups.get("race"))
    ]


@dataclass(frozen=True)
class Explorer:
    """What one run of the explorer is about."""

    systems: Sequence[LiveSystem]
    corpus: Path
    """The user's own corpus, which sentences are added to."""
    audits: Sequence[OpenedAudit] = ()
    example: str = "My sister feels angry."
    names: Sequence[ExplorerName] = field(default_factory=explorer_names)

    def named(self, names: Sequence[str]) -> list[LiveSystem]:
        """The systems asked for; all where none is named."""
        known = {system.name: system for system in self.systems}
        if unknown := [name for name in names if name not in known]:
            raise TiltmeterError(f"there is no system {unknown[0]!r} here")
        return [known[name] for name in names] if names else list(self.systems)


SCHEMA = pl.Schema(dict.fromkeys(EXPLORED, pl.String()))


def add_sentences(path: Path, sentences: Sequence[CorpusSentence]) -> int:
    """Add sentences that differ only in whom they mention, as a frame of their own.

    Gives the number of rows then. The file is written anew as a whole: never half a row, and what
    a spreadsheet would compute is guarded as in every table of ours.
    """
    rows = _rows(path)
    frame = f"{EXPLORED_FRAME}{1 + rows['frame'].n_unique()}"
    texts = [sentence.text.replace("\0", "") for sentence in sentences]  # no table may hold it
    if not all(text.strip() for text in texts):
        raise TiltmeterError("found a sentence without letters; expected two to compare. Type one")
    genders = [sentence.gender for sentence in sentences]
    added = pl.DataFrame({"text": texts, "frame": frame, "gender": genders}, SCHEMA)
    rows = pl.concat([rows, added])
    write_text(without_formulas(rows).write_csv(), path)
    return rows.height


def _rows(path: Path) -> pl.DataFrame:
    try:
        text = read_capped(path).decode()
    except FileNotFoundError:
        return SCHEMA.to_frame()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise OutputError(f"{path} cannot be added to: {reason}; name another file") from error
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != EXPLORED:
        raise OutputError(
            f"{path} has other columns than {', '.join(EXPLORED)}; name another file to add to"
        )
    cells = [[row[name] or "" for name in EXPLORED] for row in reader]
    return with_formulas(pl.DataFrame(cells, SCHEMA, orient="row"))
