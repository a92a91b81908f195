"""Gold scores: texts that people have labelled, to see how much a system knows.

A file, or a folder with a file for each task. SemEval-2018's own files are read as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tiltmeter.corpora.called_columns import as_called
from tiltmeter.corpora.files import TABLE_FILES, read_tabbed, read_table
from tiltmeter.corpora.labelled_rows import COLUMNS, GROUP, KNOWN, LINE, GoldRows, gold_rows
from tiltmeter.corpora.semeval import choose_gold, official_file, tables_below
from tiltmeter.corpora.table_file import TableFile, as_table, capped, without_encoding
from tiltmeter.errors import CorpusError, Problem
from tiltmeter.files import MB, is_file, is_folder, is_there

GOLD_FILES = (".txt", *TABLE_FILES)
FEWEST = 3
"""Two points always lie on a line."""
SUBJECT = "the gold scores cannot be used"
SHOWN = 3
"""Scores of one text that are listed where it has several."""
IN_HAND = "gold"
"""What a table that comes from no file is called."""


@dataclass(frozen=True, slots=True)
class GoldFile:
    """One file of gold scores as it was found."""

    name: str
    sha256: str
    rows: int
    """As they stand in the file."""
    unlabelled: int = 0
    """Left out: no score, or NONE."""
    mystery: int = 0
    """Left out: SemEval's rows with `mystery` in the ID, which are not labelled though scored 0."""
    repeated: int = 0
    """Left out: the same text with the same score once more."""


@dataclass(frozen=True, slots=True)
class Gold:
    """Labelled texts."""

    name: str
    frame: pl.DataFrame
    """id (unique in its task), text (nullable), task (null: of whatever is audited), score, source
    (the file) and, where a column for it was named, group (nullable). Where a file has no IDs, the
    file and line stand for one."""
    files: tuple[GoldFile, ...]
    notes: tuple[str, ...] = ()
    """What was guessed and left out, for people."""
    choice: str = ""
    """Which files of an archive were read, where not all were."""

    @property
    def tasks(self) -> tuple[str | None, ...]:
        """The tasks there is gold for; None: whatever is audited."""
        return tuple(self.frame["task"].unique(maintain_order=True))

    def of(self, task: str) -> pl.DataFrame:
        """The gold of a task: its own, else what is labelled for no task in particular."""
        own = self.frame.filter(pl.col("task") == task)
        return own if own.height else self.frame.filter(pl.col("task").is_null())

    def called(self, task: str) -> str:
        """What the gold of a task is called: its file, or the folder where it stands in several."""
        sources = self.of(task)["source"].unique(maintain_order=True)
        return Path(sources[0]).stem if sources.len() == 1 else self.name


def read_gold(
    given: Path | str | pl.DataFrame,
    *,
    by: str | None = None,
    columns: Mapping[str, str] | None = None,
    unit: str | None = None,
    languages: Sequence[str] = (),
) -> Gold:
    """Read gold scores from a file, a folder or a table; everything wrong is said at once.

    A table has an ID or a text, and a score; perhaps a task. What names do not say is guessed from
    the file's own name, and every guess stands in the notes. `by` names a column with each text's
    group; `columns` says what columns are called: {"text": "body", "score": "rating"}. `unit` names
    a task whose scores must lie from 0 to 1. Of SemEval-2018's archive, whole or in part, the test
    files in `languages` (en, es, ar) are read.
    """
    kept = COLUMNS if by is None else (*COLUMNS, GROUP)
    if isinstance(given, pl.DataFrame):
        return _checked(IN_HAND, [_in_hand(given, by, columns)], [], kept, unit)
    path = Path(given)
    name = path.name if is_folder(path) else path.stem
    tables, aside = _files(path)
    chosen = choose_gold(tables, languages, path)
    files, aside = chosen.files, [*([chosen.said] if chosen.said else []), *aside]
    read, problems = list[GoldRows](), list[Problem]()
    for file in files:
        try:
            _check_name(file)
            table = _table(file)
            called = as_called(table, columns, KNOWN) if columns else table
            read.append(gold_rows(called, by))
        except CorpusError as error:
            problems += map(without_encoding, error.problems)
    if problems:
        raise CorpusError(SUBJECT, problems)
    return replace(_checked(name, read, aside, kept, unit), choice=chosen.said)


def _files(path: Path) -> tuple[list[Path], list[str]]:
    """The files to read, and notes on those of a folder that hold no table."""
    if not is_folder(path):
        if not is_there(path):
            problem = Problem(str(path), "found no such file or folder; check the path")
            raise CorpusError(SUBJECT, [problem])
        return [path], []
    inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    fit = [file for file in inside if file.is_file() and file.suffix.lower() in GOLD_FILES]
    plain = [file for file in fit if _is_prose(file)]
    tables = [file for file in fit if file not in plain]
    if not tables:
        return _files_below(path, inside), []
    others = [file.name for file in inside if file not in tables]
    return tables, [f"not read, since no table: {', '.join(others)}"] if others else []


def _files_below(path: Path, inside: Sequence[Path]) -> list[Path]:
    """The files of SemEval's archive in the folders of a folder; of others, where they are."""
    below = [file for file in tables_below(path, GOLD_FILES) if not _is_prose(file)]
    if any(map(official_file, below)):
        return [file for file in below if official_file(file)]
    folders = list(dict.fromkeys(str(file.parent.relative_to(path)) for file in below))
    found = ", ".join(file.name for file in inside[:5]) or "nothing"
    what = f"found {found}; expected a table for each task ({', '.join(GOLD_FILES)})"
    if folders:
        more = f" and {len(folders) - 5:,} more" if len(folders) > 5 else ""
        what += f": there are some in {', '.join(folders[:5])}{more}, so name one of these"
    raise CorpusError(SUBJECT, [Problem(str(path), what)])


def _check_name(path: Path) -> None:
    """Refuse a name that is no text: it stands for the IDs of a file that has none."""
    if str(path).encode(errors="replace").decode() != str(path):
        raise CorpusError(SUBJECT, [Problem(repr(str(path)), "the name is not UTF-8; rename it")])


def _is_prose(path: Path) -> bool:
    """True for a .txt whose first line has no tab: a licence or a readme beside the data."""
    if path.suffix.lower() != ".txt":
        return False
    with path.open("rb") as file:
        head = file.readline(MB)
    return bool(head.strip()) and b"\t" not in head


def _table(path: Path) -> TableFile:
    """The table in a file; SemEval's have tabs, and quotes that are part of the tweets."""
    suffix = path.suffix.lower()
    if suffix == ".txt" or (suffix == ".tsv" and is_file(path) and _is_semeval(path)):
        return read_tabbed(path)
    return read_table(path)


def _is_semeval(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.readline(MB).lower()
    return b"affect dimension" in head and b"\t" in head


def _in_hand(frame: pl.DataFrame, by: str | None, columns: Mapping[str, str] | None) -> GoldRows:
    table = as_table(Path(IN_HAND), frame, range(1, frame.height + 1), [])
    return gold_rows(as_called(table, columns, KNOWN) if columns else table, by)


# ---------------------------------------------------------------- what must hold


def _checked(
    name: str,
    read: Sequence[GoldRows],
    aside: Sequence[str],
    kept: Sequence[str],
    unit: str | None = None,
) -> Gold:
    """All files' rows together, each text of a task once, or everything that is wrong."""
    rows = pl.concat([one.frame for one in read])
    problems = [
        *(problem for one in read for problem in one.problems),
        *capped(_apart(rows), "texts with several scores"),
        *capped(_in_two(rows), "texts in several groups"),
        *capped(_outside(rows, unit), "scores outside 0 to 1"),
    ]
    single = rows.unique(["task", "id"], keep="first", maintain_order=True)
    problems = problems or list(_too_little(single, read))
    if problems:
        raise CorpusError(SUBJECT, problems)
    files = tuple(_file(one, single) for one in read)
    notes = (*(note for one in read for note in one.notes), *_notes(single, files), *aside)
    return Gold(name, single.select(*kept), files, notes)


def _apart(rows: pl.DataFrame) -> Iterator[Problem]:
    """IDs of a task that stand with two different scores."""
    numbers = rows.drop_nulls("score")
    found = numbers.group_by("task", "id", maintain_order=True).agg("score", "source", LINE)
    apart = found.filter(pl.col("score").list.n_unique() > 1)
    for _, key, scores, sources, lines in apart.rows():
        places = [
            f"{score:g} ({Path(source).name}:{line})"
            for score, source, line in zip(scores, sources, lines, strict=True)
        ]
        listed = " and ".join(places[:SHOWN]) + (", and others" if places[SHOWN:] else "")
        where = f"{sources[1]}:{lines[1]}"
        yield Problem(where, f"{key!r} has the scores {listed}; expected one score for each")


def _in_two(rows: pl.DataFrame) -> Iterator[Problem]:
    """IDs of a task that stand in two different groups."""
    found = rows.group_by("task", "id", maintain_order=True).agg(GROUP, "source", LINE)
    for _, key, groups, sources, lines in found.filter(pl.col(GROUP).list.n_unique() > 1).rows():
        listed = " and ".join(
            f"{'no group' if group is None else repr(group)} ({Path(source).name}:{line})"
            for group, source, line in zip(groups, sources, lines, strict=True)
        )
        what = f"{key!r} stands in {listed}; expected one group for each, or IDs to tell them apart"
        yield Problem(f"{sources[1]}:{lines[1]}", what)


def _outside(rows: pl.DataFrame, task: str | None) -> Iterator[Problem]:
    """Scores of a task that do not lie from 0 to 1; nothing where no task is asked for."""
    if task is None:
        return
    own = rows.filter(pl.col("task") == task)
    found = own if own.height else rows.filter(pl.col("task").is_null())
    out = found.filter((pl.col("score") < 0) | (pl.col("score") > 1))
    for score, source, line in out.select("score", "source", LINE).rows():
        what = f"found {score:g} for the score".replace("-", "−")
        yield Problem(f"{source}:{line}", f"{what}; expected 0 to 1: rescale them")


def _too_little(rows: pl.DataFrame, read: Sequence[GoldRows]) -> Iterator[Problem]:
    """Tasks with too few texts, or with one and the same score for all."""
    if rows.is_empty():
        left_out = sum(one.unlabelled + one.mystery for one in read)
        what = f"no row has a score ({left_out:,} without one or not labelled); expected numbers"
        yield Problem(read[0].source, what)
    for (task,), part in rows.group_by("task", maintain_order=True):
        of = f" for {task}" if task else ""
        if part.height < FEWEST:
            what = f"found {part.height} labelled texts{of}; expected {FEWEST} or more"
            yield Problem(part["source"][0], what)
        elif part["score"].n_unique() == 1:
            what = f"every score{of} is {part['score'][0]:g}, so nothing can be told apart by it"
            yield Problem(part["source"][0], f"{what}; expected scores that differ")


def _file(one: GoldRows, single: pl.DataFrame) -> GoldFile:
    path = Path(one.source)
    kept = single.filter(pl.col("source") == one.source).height
    return GoldFile(
        path.name,
        _digest(path, one),
        one.rows,
        one.unlabelled,
        one.mystery,
        repeated=one.frame.height - kept,
    )


def _digest(path: Path, one: GoldRows) -> str:
    """SHA-256 of the file, or of the rows where there is none."""
    if not path.is_file():
        return hashlib.sha256(repr(one.frame.rows()).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _notes(rows: pl.DataFrame, files: Sequence[GoldFile]) -> Iterator[str]:
    for file in files:
        left_out = {
            "without a score": file.unlabelled,
            "with mystery in the ID, which are not labelled": file.mystery,
            "that say the same once more": file.repeated,
        }
        for what, count in left_out.items():
            if count:
                yield f"{file.name}: left out {count:,} rows {what}"
    low, high = rows["score"].min(), rows["score"].max()
    if isinstance(low, float) and isinstance(high, float) and (low < 0 or high > 1):
        span = f"{low:g} to {high:g}".replace("-", "−")
        yield f"gold scores lie from {span}, not within 0 to 1; correlations do not mind"
