"""A user's table gone through once: its columns under our names, and what stands in them.

What must be known of all rows is gathered block by block, so a table of any size can be looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.corpora.columns import Choice
from tiltmeter.corpora.expand import FRAME
from tiltmeter.corpora.export import AXES
from tiltmeter.corpora.gathered import KEY, Gathered, Hashes
from tiltmeter.corpora.table_file import NAMED, TableFile
from tiltmeter.errors import CorpusError, Problem

FULL = ("id", "text", "language", "template", "person", "frame", "match")
"""Columns that may be absent but, where present, have a value in every row."""
SAID_ONCE = ("corpus", "edition", "language", AXES)
"""Columns of which it matters whether they say one thing."""
LINE = "*line"
"""A column of our own beside the user's, under a name no file would use."""
MOST_GROUPS = 100_000
"""Groups of an axis; what has more is no axis, and would not fit into memory."""


@dataclass(slots=True)
class Lines:
    """The lines something stands on: the first of them, and how many there are."""

    first: list[int] = field(default_factory=list)
    many: int = 0

    def add(self, first: Sequence[int], many: int) -> None:
        """Add lines that come after those before."""
        self.first += first[: NAMED - len(self.first)]
        self.many += many


class Look:
    """What a table holds, as far as it has been gone through."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.size = 0
        self.strange: dict[str, pl.DataType] = {}
        """Our columns that hold no text somewhere, and what they hold."""
        self.nul: dict[str, Lines] = defaultdict(Lines)
        self.empty: dict[str, Lines] = defaultdict(Lines)
        self.groups: dict[str, dict[str, Lines]] = {axis: {} for axis in choice.axes}
        self.without: Counter[tuple[bool, ...]] = Counter()
        """On which axes rows have no group."""
        self.said: dict[str, set[str | None]] = {name: set() for name in SAID_ONCE}
        self.odd = 0
        """Texts in another form than Unicode's NFC."""
        self.ids: list[Hashes] = []
        self.people = Gathered(*(way for axis in choice.axes for way in _ends(axis)))
        """The least and the largest group of every person, as numbers."""
        self.frames = Gathered(pl.col("first").min(), pl.col("rows", "runs").sum())
        """Where each frame begins, how many rows it has, and how often it begins."""
        self._last: str | None = None

    def add(self, table: TableFile) -> pl.DataFrame:
        """Look at some rows; gives them under our names, with their lines and frames."""
        rows = self._under_our_names(table)
        self._cells(rows)
        self._axes(table, rows)
        if self.has("id"):
            self.ids.append(rows["id"].drop_nulls().hash().to_numpy())
        if self.has("person"):
            self.people.add(self._sides(rows))
        if "frame" in rows.columns:
            self.frames.add(self._runs(rows["frame"]))
        numbers = pl.int_range(self.size + 1, self.size + rows.height + 1).cast(pl.String)
        self.size += rows.height
        if "id" in self.choice.ours:
            return rows
        return rows.with_columns(id=pl.format("row-{}", numbers.str.zfill(5)))

    def has(self, name: str) -> bool:
        """Whether the file has a column for this, and it holds text."""
        return name in self.choice.ours and name not in self.strange

    @property
    def together(self) -> bool:
        """Whether the rows of every frame stand together."""
        frames = self.frames.rows()
        return frames.is_empty() or not (frames["runs"] > 1).any()

    def groups_of(self, axis: str) -> dict[str, Lines]:
        """The groups of an axis in alphabetical order, each with the lines it stands on."""
        found = self.groups[axis].items()
        return dict(sorted(found, key=lambda pair: (pair[0].casefold(), pair[0])))

    def only(self, name: str) -> str | None:
        """The one value of a column, or None where it is absent or holds several."""
        return next(iter(self.said[name])) if len(self.said[name]) == 1 else None

    def without_group(self, axes: Sequence[str]) -> int:
        """How many rows have no group on any of these axes."""
        at = [self.choice.axes.index(axis) for axis in axes]
        return sum(many for absent, many in self.without.items() if all(absent[n] for n in at))

    def forget_rows(self) -> None:
        """Let go of what was kept of every row and person, once it has been looked at."""
        self.ids.clear()
        self.people = Gathered()

    def _under_our_names(self, table: TableFile) -> pl.DataFrame:
        """The chosen columns with their lines, and the frame each row belongs to."""
        for ours, theirs in self.choice.ours.items():
            if table.frame[theirs].dtype != pl.String:
                self.strange.setdefault(ours, table.frame[theirs].dtype)
        nothing = _nothing(pl.String, table.frame.height)
        rows = pl.DataFrame(
            [
                *(
                    (nothing if ours in self.strange else table.frame[theirs]).alias(ours)
                    for ours, theirs in self.choice.ours.items()
                ),
                table.lines.alias(LINE),
            ]
        )
        if "frame" in rows.columns:
            return rows if "template" in rows.columns else rows.with_columns(template="frame")
        if "template" not in rows.columns:
            return rows
        parts = [name for name in ("template", "emotion", "emotion_word") if name in rows.columns]
        joined = pl.concat_str(parts, separator=FRAME, ignore_nulls=True)
        return rows.with_columns(frame=pl.when(pl.col("template").is_not_null()).then(joined))

    def _cells(self, rows: pl.DataFrame) -> None:
        """NUL characters, empty cells, values said once, and texts in another normal form."""
        for name in self.choice.ours:
            column = rows[name]
            _see(self.nul[name], rows, column.str.contains("\0", literal=True))
            if name in FULL:
                _see(self.empty[name], rows, column.str.strip_chars().fill_null("") == "")
            if name in SAID_ONCE and len(self.said[name]) < 2:
                some = column.drop_nulls() if name == AXES else column
                self.said[name] |= set(some.unique().head(3).to_list())
        if "text" in rows.columns:
            self.odd += int((rows["text"] != rows["text"].str.normalize("NFC")).sum())

    def _axes(self, table: TableFile, rows: pl.DataFrame) -> None:
        """The groups of every axis, and who has none."""
        axes = self.choice.axes
        for axis in axes:
            lines = pl.col(LINE).head(NAMED)
            found = rows.drop_nulls(axis).group_by(axis, maintain_order=True)
            for group, first, many in found.agg(lines, pl.len().alias("many")).rows():
                self.groups[axis].setdefault(group, Lines()).add(first, many)
            if len(self.groups[axis]) > MOST_GROUPS:
                what = f"{axis} has more than {MOST_GROUPS:,} groups; expected few, with many rows"
                problem = Problem(table.at(), f"{what}; say which column holds them: --column")
                raise CorpusError(f"{table.path.name} cannot be used as a corpus", [problem])
        if axes:
            absent = rows.select(pl.col(axis).is_null() for axis in axes)
            for *which, many in absent.group_by(axes).len().rows():
                self.without[tuple(which)] += many

    def _sides(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Every person, whatever the case of the letters, with the number of their group."""
        key = rows["person"].str.to_lowercase().hash().alias(KEY)
        ends = [
            _numbers(rows[axis], self.groups[axis]).alias(end)
            for axis in self.choice.axes
            for end in ends_of(axis)
        ]
        return pl.DataFrame([key, *ends]).filter(rows["person"].is_not_null())

    def _runs(self, frame: pl.Series) -> pl.DataFrame:
        begins = frame.ne_missing(frame.shift(1, fill_value=self._last))
        begins[0] = begins[0] or not self.size
        self._last = frame[-1]
        row = pl.int_range(self.size, self.size + frame.len(), eager=True)
        columns = {KEY: frame.hash(), "first": row, "runs": begins.cast(pl.UInt32)}
        return pl.DataFrame(columns).with_columns(rows=pl.lit(1, pl.UInt32))


def ends_of(axis: str) -> tuple[str, str]:
    """The columns with the least and the largest number of a person's groups."""
    return f"least {axis}", f"largest {axis}"


def _ends(axis: str) -> tuple[pl.Expr, pl.Expr]:
    least, largest = ends_of(axis)
    return pl.col(least).min(), pl.col(largest).max()


def _numbers(column: pl.Series, groups: dict[str, Lines]) -> pl.Series:
    """Groups as numbers, in the order in which they were found."""
    if not groups:
        return _nothing(pl.UInt32, column.len())
    return column.replace_strict(list(groups), range(len(groups)), return_dtype=pl.UInt32)


def _nothing(kind: type[pl.DataType], many: int) -> pl.Series:
    return pl.Series([None], dtype=kind).new_from_index(0, many)


def _see(lines: Lines, rows: pl.DataFrame, where: pl.Series) -> None:
    """Take note of the rows for which something holds."""
    if many := int(where.sum()):
        lines.add(rows[LINE].filter(where.fill_null(value=False)).head(NAMED).to_list(), many)
