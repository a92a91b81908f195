"""One run of the explorer: its systems, names and audits, and the corpus that a user adds to."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tiltmeter.corpora import load_corpus
from tiltmeter.errors import OutputError, TiltmeterError
from tiltmeter.explore.audits import OpenedAudit
from tiltmeter.explore.live import LiveSystem
from tiltmeter.explore.requests import CorpusSentence
from tiltmeter.files import read_capped, write_text

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


COLUMNS = ("text", "frame", "gender")


def add_sentences(path: Path, sentences: Sequence[CorpusSentence]) -> int:
    """Add sentences that differ only in whom they mention, as a frame of their own.

    Gives the number of rows then. The file is written anew as a whole: never half a row.
    """
    rows = _rows(path)
    frame = f"explored-{1 + len({row['frame'] for row in rows})}"
    rows += [{"text": one.text, "frame": frame, "gender": one.gender} for one in sentences]
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file.getvalue(), path)
    return len(rows)


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        text = read_capped(path).decode()
    except FileNotFoundError:
        return []
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise OutputError(
            f"{path} has other columns than {', '.join(COLUMNS)}; name another file to add to"
        )
    return [dict(row) for row in reader]
