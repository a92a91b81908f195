"""The store beside SQLite: writing, reading all, finding one block's texts, and size.

    python benchmarks/compare_stores.py 100000 1000000 10000000

SQLite has one table keyed by system, text and round, with a write-ahead log. Both are written
65,536 rows at a time. docs/scoring.md quotes its last row.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from tiltmeter.scoring import Store
from tiltmeter.systems import Card, open_system

ROWS = 65_536
TABLE = """create table scores (system text, text text, repeat integer, raw real, reason text,
           primary key (system, text, repeat)) without rowid"""
PUT = "insert or replace into scores values (?, ?, ?, ?, ?)"
FIND = (
    "select text, raw from scores where system = ? and repeat = 0 and text in (select text from w)"
)


def blocks(rows: int) -> Iterator[pl.DataFrame]:
    """Scores of sentences that look like a corpus'."""
    rng = np.random.default_rng(0)
    for start in range(0, rows, ROWS):
        nth = pl.int_range(start, min(start + ROWS, rows), eager=True)
        text = pl.format("Person {} told us all about the recent sad events.", nth)
        yield pl.DataFrame({"nth": nth}).select(
            text=text, repeat=pl.lit(0, pl.Int64), raw=pl.Series(rng.random(nth.len())),
            reason=pl.lit(None, pl.String),
        )  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    """How long it took, once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def with_parquet(folder: Path, card: Card, rows: int) -> tuple[float, ...]:
    """The store that Tiltmeter has."""
    store, wanted = Store(folder), next(blocks(rows))["text"]

    def write() -> None:
        for nth, block in enumerate(blocks(rows)):
            store.write(card, block, f"{nth:032x}")

    def find() -> None:
        shard = store.shards(card.fingerprint)[0]
        found = pl.read_parquet(shard, columns=["text", "raw"])
        found.join(wanted.to_frame(), on="text", how="semi")

    taken = seconds(write), seconds(lambda: store.read(card.fingerprint)), seconds(find)
    return *taken, sum(path.stat().st_size for path in folder.rglob("*.parquet")) / rows


def with_sqlite(folder: Path, card: Card, rows: int) -> tuple[float, ...]:
    """The same rows in one table."""
    base = sqlite3.connect(folder / "scores.db", isolation_level=None)
    base.execute("pragma journal_mode=wal")
    base.execute(TABLE)
    wanted = next(blocks(rows))["text"]

    def write() -> None:
        for block in blocks(rows):
            base.execute("begin")
            base.executemany(PUT, ((card.fingerprint, *row) for row in block.iter_rows()))
            base.execute("commit")

    def read() -> None:
        every = base.execute("select text, repeat, raw, reason from scores where system = ?",
                             (card.fingerprint,)).fetchall()  # fmt: skip
        pl.DataFrame(every, orient="row")

    def find() -> None:
        base.execute("create temp table w (text text primary key)")
        base.executemany("insert into w values (?)", ((text,) for text in wanted))
        base.execute(FIND, (card.fingerprint,)).fetchall()

    taken = seconds(write), seconds(read), seconds(find)
    base.execute("pragma wal_checkpoint(truncate)")
    base.close()
    return *taken, (folder / "scores.db").stat().st_size / rows


def main() -> None:
    card = open_system("constant").card
    print("rows | writing | reading all | finding a block's texts | bytes a row   (ours, SQLite)")
    for rows in [int(word) for word in sys.argv[1:]] or [100_000, 1_000_000]:
        found = []
        for make in (with_parquet, with_sqlite):
            folder = Path(tempfile.mkdtemp())
            try:
                found.append(make(folder, card, rows))
            finally:
                shutil.rmtree(folder)
        cells = [f"{one:.2f} s, {other:.2f} s" for one, other in zip(*found, strict=True)][:3]
        print(f"{rows:,} | {' | '.join(cells)} | {found[0][3]:.0f}, {found[1][3]:.0f}")


if __name__ == "__main__":
    main()
