"""A table too large to be held: gone through once in blocks, laid out in parts, found again."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from tiltmeter.corpora.columns import Groups, choose
from tiltmeter.corpora.corpus import LARGE
from tiltmeter.corpora.files import as_exported
from tiltmeter.corpora.published import is_published
from tiltmeter.corpora.spool import Spool, kept_spool, laying_out
from tiltmeter.corpora.table_blocks import TableBlocks, parquet_rows
from tiltmeter.corpora.table_facts import Sound, TableFacts
from tiltmeter.corpora.table_file import BY_ROW, PARQUET, TableFile
from tiltmeter.corpora.table_look import Look
from tiltmeter.corpora.text_blocks import BLOCK, LARGEST
from tiltmeter.corpora.text_bytes import file_bytes, must_begin_a_table
from tiltmeter.corpora.together import BROUGHT, bring_together
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import MB, is_file, os_error_text

FORMAT = 2
"""Goes up when parts are laid out in another way, so that older ones are not used."""
ROW_BYTES = 128
"""Bytes of a row: a file of more than that for each row of a large corpus is taken for large."""
MOST_ROWS = 200_000_000
"""Rows of a table as a corpus: beyond, what must be known of each no longer fits into memory."""
CELLS = 65_536
"""Frames and matches looked at together."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table is to be read."""

    path: Path
    columns: Mapping[str, str]
    axes: Mapping[str, Groups]
    encoding: str | None = None
    recognise: bool = False
    """Whether a copy of the published corpus is to be recognised."""

    @property
    def key(self) -> str:
        """SHA-256 of the file and of how it is read."""
        with self.path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        axes = {axis: list(groups) for axis, groups in self.axes.items()}
        how = [self.path.suffix.lower(), dict(self.columns), axes, self.encoding, self.recognise]
        return hashlib.sha256(json.dumps([FORMAT, content, *how]).encode()).hexdigest()[:32]


def is_large_table(path: Path) -> bool:
    """Whether a table is not read whole: by its rows where they are known, or its bytes."""
    if not is_file(path):
        return False
    large = path.stat().st_size > LARGE * ROW_BYTES
    return large or (path.suffix.lower() == PARQUET and parquet_rows(path) > LARGE)


def has_many_rows(table: TableFile) -> bool:
    """Whether a table that was read has the rows of a large corpus after all."""
    return table.frame.height > LARGE


def laid_out(reading: Reading) -> tuple[Spool, TableFacts]:
    """A large table in parts, as it was laid out before or anew; an error where it is not sound."""
    start = file_bytes(reading.path, MB, LARGEST)  # raises where it cannot be read
    if reading.path.suffix.lower() not in BY_ROW:
        must_begin_a_table(reading.path, start, reading.encoding)
    before = _state(reading.path)
    key = reading.key
    if kept := kept_spool(key):
        return kept
    with laying_out(key) as spool:
        try:
            facts = _gone_through(reading, spool)
            if _state(reading.path) != before:
                raise OSError(errno.EBUSY, "it was changed meanwhile")
            return spool.keep(facts, key), facts
        except OSError as error:
            place, what = (
                str(error.filename or reading.path),
                f"{os_error_text(error)}; run it again",
            )
            raise CorpusError("the table cannot be laid out", [Problem(place, what)]) from error


def _state(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_size, facts.st_mtime_ns


def _gone_through(reading: Reading, spool: Spool) -> TableFacts:
    """Go through the file, lay it out, and check it."""
    blocks = TableBlocks(reading.path, reading.encoding, BLOCK)
    table, look = _looked_at(reading, blocks, spool)
    sound = Sound(replace(table, notes=tuple(blocks.notes)), look, reading.axes)
    sound.look_at_rows(spool)
    look.forget_rows()
    if not look.together:
        bring_together(spool, look.frames.rows())
    sound.look_at_frames(spool, CELLS)
    facts = sound.facts()
    return facts if look.together else replace(facts, notes=(*facts.notes, BROUGHT))


def _looked_at(reading: Reading, blocks: TableBlocks, spool: Spool) -> tuple[TableFile, Look]:
    """The table without its rows, which are in the spool, and what was seen of them."""
    rows = map(as_exported, blocks)
    some = next(rows)
    table = some.without_rows()
    _refuse_published(reading, table)
    look = Look(choose(table.frame.columns, reading.columns, reading.axes))
    for block in chain([some], rows):
        spool.add(look.add(block))
        if look.size > MOST_ROWS:
            what = f"found more than {MOST_ROWS:,} rows, the most that are read; part the file"
            raise CorpusError("the table cannot be read", [Problem(table.at(), what)])
    return table, look


def _refuse_published(reading: Reading, table: TableFile) -> None:
    """No copy of the published corpus is large, so a table that looks like one is another."""
    if reading.recognise and is_published(table.frame.columns):
        what = "found more rows than its 8,640 sentences; to read the file as a table of your own,"
        problem = Problem(table.at(), f"{what} say which column is what: --column text=Sentence")
        subject = f"{table.path.name} has the columns of the published Equity Evaluation Corpus but"
        raise CorpusError(f"{subject} is none", [problem])
