"""Gold scores: texts that people have labelled, to see how much a system knows.

A file, or a folder with a file for each task. SemEval-2018's own files are read as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tiltmeter.columns import (
    TASKS,
    columns_called,
    find_column,
    rename_columns,
    score_places,
    tasks_in_name,
    there_are,
    unclear,
)
from tiltmeter.corpora.semeval import (
    CLASSES,
    CLASSES_READ,
    choose_gold,
    class_expected,
    class_scores,
    holds_classes,
    official_file,
    tables_below,
)
from tiltmeter.errors import CorpusError, Problem, cap_problems
from tiltmeter.files import MB, file_digest, is_file, is_folder, is_there
from tiltmeter.table_files import (
    TABLE_FILES,
    TableFile,
    read_tabbed,
    read_table,
    table_in_hand,
    without_encoding,
)

GOLD_FILES = (".txt", *TABLE_FILES)
FEWEST = 3
"""Two points always lie on a line."""
SUBJECT = "the gold scores cannot be used"
SHOWN = 3
"""Scores of one text that are listed where it has several."""
IN_HAND = "gold"
"""What a table that comes from no file is called."""
COLUMNS = ("id", "text", "task", "score", "source")
LINE = "*line"
"""The row's line in its file."""
GROUP = "group"
"""Who wrote a text or what it is of, where a column for it was named."""

ALIASES = {
    "id": ("id", "sentence id", "tweet id", "text id"),
    "text": ("text", "sentence", "tweet"),
    "task": ("affect dimension", "task", "dimension"),
}
SCORES = (
    *("intensity score", "intensity", "score", "gold", "gold score", "gold label", "label"),
    *("sentiment", "sentiment score", "polarity", "rating", "value"),
    CLASSES,
)
"""What the column of gold scores may be called; one called after a task is that task's."""
KNOWN = {**ALIASES, "score": (*SCORES, *TASKS)}
"""What each column may be called."""

UNLABELLED = "none"
"""Stands for the score in SemEval's unlabelled test files."""
MYSTERY = "mystery"
"""Stands in the IDs of SemEval's rows that are not labelled but scored 0.000. Four tweets have the
word in their text; they are labelled, and stay."""
DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
LETTERS = 40
"""How much of a cell a message shows."""
ROLES = {
    "id": "holds the IDs",
    "text": "holds the texts",
    "task": "says the task, and every task is looked at by itself anyway",
    "score": "holds the gold scores",
}
"""Why a column is no group."""


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
        table = _renamed(table_in_hand(given, IN_HAND), columns)
        return _checked(IN_HAND, [gold_rows(table, by)], [], kept, unit)
    path = Path(given)
    tables, notes = _gold_files(path)
    chosen = choose_gold(tables, languages, path)
    read, problems = list[GoldRows](), list[Problem]()
    for file in chosen.files:
        try:
            # Refuse a name that is no text: it stands for the IDs of a file that has none
            if str(file).encode(errors="replace").decode() != str(file):
                raise CorpusError(
                    SUBJECT, [Problem(repr(str(file)), "the name is not UTF-8; rename it")]
                )
            # SemEval's tables have tabs, and quotes that are part of the tweets
            head = _first_line(file).lower() if file.suffix.lower() == ".tsv" else b""
            official = b"affect dimension" in head and b"\t" in head
            tabbed = official or file.suffix.lower() == ".txt"
            table = read_tabbed(file) if tabbed else read_table(file)
            read.append(gold_rows(_renamed(table, columns), by))
        except CorpusError as error:
            problems += map(without_encoding, error.problems)
    if problems:
        raise CorpusError(SUBJECT, problems)
    name = path.name if is_folder(path) else path.stem
    gold = _checked(name, read, [*filter(None, [chosen.note]), *notes], kept, unit)
    return replace(gold, choice=chosen.note)


def _gold_files(path: Path) -> tuple[list[Path], list[str]]:
    """The files to read, and notes on those of a folder that hold no table.

    Where a folder has no table, those of SemEval's archive in the folders below.
    """
    if not is_folder(path):
        if not is_there(path):
            problem = Problem(str(path), "found no such file or folder; check the path")
            raise CorpusError(SUBJECT, [problem])
        return [path], []
    inside = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    tables = [
        file
        for file in inside
        if file.is_file() and file.suffix.lower() in GOLD_FILES and not _is_prose(file)
    ]
    if tables:
        others = [file.name for file in inside if file not in tables]
        return tables, [f"not read, since no table: {', '.join(others)}"] if others else []
    below = [file for file in tables_below(path, GOLD_FILES) if not _is_prose(file)]
    if official := [file for file in below if official_file(file)]:
        return official, []
    folders = list(dict.fromkeys(str(file.parent.relative_to(path)) for file in below))
    found = ", ".join(file.name for file in inside[:5]) or "nothing"
    what = f"found {found}; expected a table for each task ({', '.join(GOLD_FILES)})"
    if folders:
        more = f" and {len(folders) - 5:,} more" if len(folders) > 5 else ""
        what += f": there are some in {', '.join(folders[:5])}{more}, so name one of these"
    raise CorpusError(SUBJECT, [Problem(str(path), what)])


def _is_prose(path: Path) -> bool:
    """True for a .txt whose first line has no tab: a licence or a readme beside the data."""
    head = _first_line(path) if path.suffix.lower() == ".txt" else b""
    return bool(head.strip()) and b"\t" not in head


def _first_line(path: Path) -> bytes:
    if not is_file(path):
        return b""
    with path.open("rb") as file:
        return file.readline(MB)


def _renamed(table: TableFile, columns: Mapping[str, str] | None) -> TableFile:
    """The table with the columns that the user named under our names."""
    if not columns:
        return table
    names, problems = rename_columns(table.frame.columns, columns, KNOWN)
    if problems:
        listed = [Problem(table.at(), what) for what in problems]
        raise CorpusError("the labelled texts cannot be used", listed)
    return replace(table, frame=table.frame.select(list(names)).rename(names))


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
        *cap_problems(_contradictions(rows, "score"), "texts with several scores"),
        *cap_problems(_contradictions(rows, GROUP), "texts in several groups"),
    ]
    if unit is not None:
        own = rows.filter(pl.col("task") == unit)
        own = own if own.height else rows.filter(pl.col("task").is_null())
        outside = own.filter((pl.col("score") < 0) | (pl.col("score") > 1))
        beyond = (
            Problem(
                f"{source}:{line}",
                f"found {score:g} for the score".replace("-", "−")
                + "; expected 0 to 1: rescale them",
            )
            for score, source, line in outside.select("score", "source", LINE).rows()
        )
        problems += cap_problems(beyond, "scores outside 0 to 1")
    single = rows.unique(["task", "id"], keep="first", maintain_order=True)
    problems = problems or list(_too_little(single, read))
    if problems:
        raise CorpusError(SUBJECT, problems)
    files, notes = list[GoldFile](), [note for one in read for note in one.notes]
    for one in read:
        path = Path(one.source)
        if path.is_file():
            digest = file_digest(path)
        else:  # a table in hand
            digest = hashlib.sha256(repr(one.frame.rows()).encode()).hexdigest()
        repeated = one.frame.height - single.filter(pl.col("source") == one.source).height
        files.append(
            GoldFile(path.name, digest, one.rows, one.unlabelled, one.mystery, repeated=repeated)
        )
        left_out = {
            "without a score": one.unlabelled,
            "with mystery in the ID, which are not labelled": one.mystery,
            "that say the same once more": repeated,
        }
        notes += [
            f"{path.name}: left out {count:,} rows {what}"
            for what, count in left_out.items()
            if count
        ]
    low, high = single["score"].min(), single["score"].max()
    if isinstance(low, float) and isinstance(high, float) and (low < 0 or high > 1):
        span = f"{low:g} to {high:g}".replace("-", "−")
        notes.append(f"gold scores lie from {span}, not within 0 to 1; correlations do not mind")
    return Gold(name, single.select(*kept), tuple(files), (*notes, *aside))


def _contradictions(rows: pl.DataFrame, column: str) -> Iterator[Problem]:
    """IDs of a task that stand with two different scores, or in two different groups."""
    numbers = rows.drop_nulls("score") if column == "score" else rows
    found = numbers.group_by("task", "id", maintain_order=True).agg(column, "source", LINE)
    for _, key, values, sources, lines in found.filter(pl.col(column).list.n_unique() > 1).rows():
        shown = [
            f"{value:g}" if column == "score" else "no group" if value is None else repr(value)
            for value in values
        ]
        places = [
            f"{value} ({Path(source).name}:{line})"
            for value, source, line in zip(shown, sources, lines, strict=True)
        ]
        if column == "score":
            listed = " and ".join(places[:SHOWN]) + (", and others" if places[SHOWN:] else "")
            what = f"has the scores {listed}; expected one score for each"
        else:
            listed = " and ".join(places)
            what = f"stands in {listed}; expected one group for each, or IDs to tell them apart"
        yield Problem(f"{sources[1]}:{lines[1]}", f"{key!r} {what}")


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


# ---------------------------------------------------------------- one table


@dataclass(frozen=True, slots=True)
class GoldRows:
    """The labelled texts of one table."""

    source: str
    frame: pl.DataFrame
    """COLUMNS, GROUP and LINE; only rows with a score."""
    rows: int
    unlabelled: int
    mystery: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoldColumns:
    """Which column is what."""

    scores: Mapping[str | None, str]
    """By task where columns are called after tasks, else the one column under None."""
    id: str | None = None
    text: str | None = None
    task: str | None = None
    group: str | None = None

    @property
    def classes(self) -> bool:
        """True where classes stand for scores."""
        return any(map(holds_classes, self.scores.values()))

    def __str__(self) -> str:
        """The choice as a line for people."""
        found = {"id": self.id, "text": self.text, "task": self.task, GROUP: self.group}
        named = [f"{ours} ← {theirs}" for ours, theirs in found.items() if theirs]
        scores = [f"{task or 'score'} ← {column}" for task, column in self.scores.items()]
        return ", ".join([*named, *scores])


def gold_columns(table: TableFile, by: str | None) -> GoldColumns:
    """Which column of a table is what; whatever is unclear raises."""
    names, problems = table.frame.columns, list[str]()
    single = {ours: columns_called(names, called) for ours, called in ALIASES.items()}
    problems += [unclear(found, ours) for ours, found in single.items() if len(found) > 1]
    if not single["id"] and not single["text"]:
        problems.append("no column says which text a score is for; expected id, or text or tweet")
    places, wrong = score_places(
        names, SCORES, "score, gold, label, intensity score, or after a task"
    )
    scores = {task: names[nth] for task, nth in places.items()}
    group, unfit = (None, "") if by is None else find_column(names, by, "name one with --by")
    taken = {"score": [*scores.values()], **single}
    role = next((ours for ours, found in taken.items() if group in found), None)
    if role:
        unfit = f"the column {group!r} {ROLES[role]}; expected one with a group for each text"
    if problems := [*problems, *filter(None, (wrong, unfit))]:
        there = there_are(names).removesuffix(", …")
        raise CorpusError(SUBJECT, [Problem(table.at(), f"{what}; {there}") for what in problems])
    known = {ours: found[0] for ours, found in single.items() if found}
    return GoldColumns(scores, **known, group=group)


def gold_rows(table: TableFile, by: str | None = None) -> GoldRows:
    """The labelled texts of a table, with everything wrong in its cells; unclear columns raise.

    `by` names the column with each text's group.
    """
    columns = gold_columns(table, by)
    unsaid = not columns.task and None in columns.scores
    tasks = tasks_in_name(table.path.name) if unsaid else []
    own = tasks[0] if len(tasks) == 1 else None
    rows = pl.concat(
        _score_cells(table, columns, task or own, column) for task, column in columns.scores.items()
    )
    mystery = rows["id"].str.to_lowercase().str.contains(MYSTERY, literal=True).fill_null(False)
    labelled = rows.filter(~mystery)
    absent = labelled["cell"].is_null() | (labelled["cell"].str.to_lowercase() == UNLABELLED)
    rows = labelled.filter(~absent)
    problems = _no_numbers(table, columns, rows)
    key = "id" if columns.id else "text"
    keyless = rows.filter(pl.col(key).is_null() | (pl.col(key).str.strip_chars() == ""))[LINE]
    problems += table.empty(keyless, f"the {key}")
    if not columns.id:  # the first place of a text in the file stands for one
        place = pl.format(f"{table.path.name.replace('{', '(').replace('}', ')')}:{{}}", LINE)
        rows = rows.with_columns(id=place.first().over("text"))
    file_task = f"; task {own}, from the file's name" if own else ""
    notes = [f"{columns}{file_task}", *table.notes, *([CLASSES_READ] if columns.classes else [])]
    return GoldRows(
        str(table.path),
        rows.with_columns(source=pl.lit(str(table.path))).select(*COLUMNS, GROUP, LINE),
        table.frame.height,
        int(absent.sum()),
        int(mystery.sum()),
        tuple(problems),
        tuple(f"{table.path.name}: {note}" for note in notes),
    )


def _score_cells(
    table: TableFile, columns: GoldColumns, task: str | None, column: str
) -> pl.DataFrame:
    """One column of scores with what stands beside it; `task` where the rows do not say theirs."""

    def cells(name: str | None, *, strip: bool = True) -> pl.Series:
        if name is None:
            return pl.repeat(None, table.frame.height, dtype=pl.String, eager=True)
        found = table.frame[name]
        if found.dtype != pl.String:
            what = f"the column {name!r} holds {found.dtype}; expected text or numbers"
            raise CorpusError(SUBJECT, [Problem(table.at(), what)])
        return found.str.strip_chars().replace("", None) if strip else found

    scores = cells(column)
    tasks = cells(columns.task).str.to_lowercase()
    tasks = tasks if task is None else pl.repeat(task, scores.len(), eager=True)
    return pl.DataFrame(
        {
            "id": cells(columns.id),
            "text": cells(columns.text, strip=False),
            "task": tasks,
            "cell": scores,
            "score": class_scores(scores, tasks)
            if columns.classes
            else scores.cast(pl.Float64, strict=False),
            GROUP: cells(columns.group),
            LINE: table.lines,
        }
    )


def _no_numbers(table: TableFile, columns: GoldColumns, rows: pl.DataFrame) -> list[Problem]:
    """Scores that are no finite number, and classes that are none of their task's."""
    bad = rows.filter(~pl.col("score").is_finite().fill_null(False))
    problems = []
    for line, cell, task in bad.select(LINE, "cell", "task").rows():
        expected = "a number"
        if columns.classes:
            expected = class_expected(task)
        elif re.search(DECIMAL_COMMA, cell):
            expected = f"a number, with a point: {cell.replace(',', '.')}"
        shown = cell if len(cell) <= LETTERS else cell[:LETTERS] + "…"
        what = f"found {shown!r} for the score; expected {expected}"
        problems.append(Problem(table.at(line), what))
    return cap_problems(problems, "scores that are no numbers")
