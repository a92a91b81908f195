"""What the rows of a table share though they should not: told by hashes, then looked at exactly.

All IDs of a large table do not fit into memory, their hashes of eight bytes do. Only the rows whose
hash stands twice are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl

from tiltmeter.corpora.gathered import KEY, Hashes, places, standing_twice
from tiltmeter.corpora.table_file import NAMED
from tiltmeter.corpora.table_look import LINE, Look, ends_of

Parts = Callable[[Sequence[str]], Iterator[pl.DataFrame]]
"""A table's rows once more, in order, in these columns."""

LOOKED_AT = 10 * NAMED
"""How many suspects are looked at: two different texts may have one hash, though hardly ever."""
LINES, MANY = "*lines", "*many"


def repeated_ids(look: Look, parts: Parts) -> tuple[pl.DataFrame, int]:
    """IDs that stand more than once with their first lines, those of the first; how many in all."""
    suspects = standing_twice(look.ids)
    pieces, looked_at = list[pl.DataFrame](), _First(suspects)
    if suspects.size:
        for part in parts(["id", LINE]):
            rows = looked_at.among(part.drop_nulls("id"), pl.col("id"))
            found = rows.group_by("id", maintain_order=True)
            pieces.append(found.agg(pl.col(LINE).head(NAMED).alias(LINES), pl.len().alias(MANY)))
    if not pieces:
        return pl.DataFrame(), 0
    together = pl.concat(pieces).group_by("id", maintain_order=True)
    lines = pl.col(LINES).explode().head(NAMED)
    repeated = together.agg(lines, pl.col(MANY).sum()).filter(pl.col(MANY) > 1)
    return repeated.head(NAMED), looked_at.many(repeated.height)


def on_both_sides(look: Look, axis: str, parts: Parts) -> tuple[pl.DataFrame, int]:
    """People in several groups of an axis, each with the first line of each group; how many.

    A person's name is compared whatever the case of its letters.
    """
    suspects = _in_several(look, axis)
    pieces, looked_at = list[pl.DataFrame](), _First(suspects)
    if suspects.size:
        key = pl.col("person").str.to_lowercase()
        for part in parts(["person", axis, LINE]):
            named = part.drop_nulls(["person", axis]).with_columns(key.alias(KEY))
            pieces.append(_first_of_each(looked_at.among(named, pl.col(KEY)), axis))
    if not pieces:
        return pl.DataFrame(), 0
    people = _first_of_each(pl.concat(pieces), axis).sort(LINE)
    both = people.group_by(KEY, maintain_order=True).agg("person", axis, LINE)
    both = both.filter(pl.col(LINE).list.len() > 1)
    return both.head(NAMED), looked_at.many(both.height)


def _in_several(look: Look, axis: str) -> Hashes:
    """The hashes of people whose least group is not their largest."""
    people, (least, largest) = look.people.rows(), ends_of(axis)
    if people.is_empty():
        return np.zeros(0, np.uint64)
    return people.filter(pl.col(least) != pl.col(largest))[KEY].sort().to_numpy()


def _first_of_each(rows: pl.DataFrame, axis: str) -> pl.DataFrame:
    return rows.group_by(KEY, axis, maintain_order=True).agg(pl.col("person", LINE).first())


class _First:
    """The suspects that come first in a table, as its parts are gone through."""

    def __init__(self, suspects: Hashes) -> None:
        self._suspects, self._first = suspects, suspects[:0]

    def among(self, rows: pl.DataFrame, key: pl.Expr) -> pl.DataFrame:
        """The rows of these suspects."""
        hashes = rows.select(key).to_series().hash().to_numpy()
        if self._first.size < LOOKED_AT:
            found = hashes[places(hashes, self._suspects)[1]]
            _, at = np.unique(found, return_index=True)
            new = np.setdiff1d(found, self._first)
            in_order = [one for one in found[np.sort(at)] if one in new]
            self._first = np.sort([*self._first, *in_order[: LOOKED_AT - self._first.size]])
            self._first = self._first.astype(np.uint64)
        return rows.filter(places(hashes, self._first)[1])

    def many(self, true: int) -> int:
        """How many suspects there are in all, where so many of those looked at were true."""
        return self._suspects.size - self._first.size + true
