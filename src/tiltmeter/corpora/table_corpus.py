"""A user's table as a corpus: its columns chosen, its rows checked, what is absent made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tiltmeter.corpora.build import DEFAULT_EDITION
from tiltmeter.corpora.columns import GUESSES, Choice, Groups, choose
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import Axis, is_language
from tiltmeter.corpora.files import read_table
from tiltmeter.corpora.published import is_published, published_corpus
from tiltmeter.corpora.table_file import TableFile
from tiltmeter.corpora.table_rules import LINE, bad_groups, broken_rules, no_axis, unreadable
from tiltmeter.corpora.template import FRAME
from tiltmeter.errors import CorpusError, Problem, TiltmeterError

POOLED = "all"
"""The match of everyone in a frame when the file has none."""
UNDETERMINED, SEVERAL = "und", "mul"
"""The language codes for 'not known' and 'more than one'."""
NO_GROUP = "(no group)"


def table_corpus(
    path: Path,
    *,
    columns: Mapping[str, str] = {},
    axes: Mapping[str, Groups] = {},
    language: str | None = None,
    encoding: str | None = None,
    reference: Callable[[], Corpus] | None = None,
    axes_of: Callable[[str], Mapping[str, Axis]] = lambda _: {},
) -> Corpus:
    """A corpus from a user's table, or from their copy of the published EEC, which is recognised.

    `reference` gives the generated EEC to check that copy against; columns or axes given by the
    user say that the file is to be read as a table of their own. `axes_of` gives the groups of a
    corpus known by name in their order, for tables that were exported from one.
    """
    if language is not None and not is_language(language):
        raise TiltmeterError(f"a language is a code such as en, es or ar; found {language!r}")
    table = read_table(path, encoding)
    if reference and not columns and not axes and is_published(table.frame.columns):
        return published_corpus(table, reference())
    choice = choose(table.frame.columns, columns, axes)
    problems = [Problem(table.at(), what) for what in choice.problems]
    problems += unreadable(table, choice)
    rows = _rows(table, choice)
    found = {name: _groups(rows, name) for name in choice.axes if name in rows.columns}
    for name, values in found.items():
        problems += bad_groups(table, name, values, axes.get(name, ()), name in choice.given)
    known = axes_of(_only(rows, "corpus") or "")
    chosen = [
        _axis(name, axes.get(name, ()), known.get(name), values) for name, values in found.items()
    ]
    compared = tuple(axis for axis in chosen if len(axis.groups) > 1)
    if not compared and choice.given <= GUESSES.keys():
        problems.append(Problem(table.at(), no_axis(table, chosen)))
    problems += broken_rules(table, rows, compared, choice)
    if problems:
        raise CorpusError(f"{path.name} cannot be used as a corpus", problems)
    filled = _filled(table, rows, compared, language)
    notes = (*table.notes, *_notes(filled, choice, chosen, language))
    return _corpus(table, filled, compared, notes)


def _axis(name: str, given: Groups, known: Axis | None, values: Mapping[str, object]) -> Axis:
    """An axis with its groups in the order given, else as the known corpus has them."""
    groups = given or _in_order(known.groups if known else (), values)
    if known is None or not set(groups) <= set(known.groups):
        return Axis(name, groups)
    return Axis(name, groups, tuple(known.phrase(group) for group in groups))


def _rows(table: TableFile, choice: Choice) -> pl.DataFrame:
    """The chosen columns under our names with their lines, and the frame each row belongs to."""
    rows = table.frame.select(
        *(table.frame[theirs].alias(ours) for ours, theirs in choice.ours.items()),
        table.lines.alias(LINE),
    ).select(pl.col(pl.String), LINE)
    if "frame" in rows.columns:
        return rows if "template" in rows.columns else rows.with_columns(template="frame")
    if "template" not in rows.columns:
        return rows
    parts = [name for name in ("template", "emotion", "emotion_word") if name in rows.columns]
    joined = pl.concat_str(parts, separator=FRAME, ignore_nulls=True)
    return rows.with_columns(frame=pl.when(pl.col("template").is_not_null()).then(joined))


def _groups(rows: pl.DataFrame, axis: str) -> dict[str, pl.Series]:
    """The groups of an axis in alphabetical order, each with the lines it stands on."""
    found = rows.drop_nulls(axis).partition_by(axis, as_dict=True)
    lines = {str(group): part[LINE] for (group,), part in found.items()}
    return dict(sorted(lines.items(), key=lambda pair: (pair[0].casefold(), pair[0])))


def _filled(
    table: TableFile, rows: pl.DataFrame, axes: Sequence[Axis], language: str | None
) -> pl.DataFrame:
    """The rows with every column that the file does not have."""
    labels = pl.concat_str([axis.name for axis in axes], separator=", ", ignore_nulls=True)
    defaults = {
        "id": pl.format("row-{}", pl.int_range(1, pl.len() + 1).cast(pl.String).str.zfill(5)),
        "language": pl.lit(language or UNDETERMINED),
        "person": labels.replace("", NO_GROUP),
        "emotion": pl.lit(None, pl.String),
        "emotion_word": pl.lit(None, pl.String),
        "match": pl.lit(POOLED),
    }
    absent = {name: value for name, value in defaults.items() if name not in rows.columns}
    own = {
        "corpus": pl.lit(_only(rows, "corpus") or table.path.stem),
        "edition": pl.lit(_only(rows, "edition") or DEFAULT_EDITION),
    }
    return rows.with_columns(**absent, **own)


def _only(rows: pl.DataFrame, column: str) -> str | None:
    """The one value of a column, or None where it is absent or holds several."""
    values = rows[column].unique().to_list() if column in rows.columns else []
    return str(values[0]) if len(values) == 1 and values[0] else None


def _in_order(known: Groups, values: Mapping[str, object]) -> Groups:
    """The groups found, in the order a known corpus has them, else alphabetically."""
    return known if set(known) == set(values) else tuple(values)


def _corpus(
    table: TableFile, filled: pl.DataFrame, axes: tuple[Axis, ...], notes: tuple[str, ...]
) -> Corpus:
    spoken = filled["language"].unique().to_list()
    language = spoken[0] if len(spoken) == 1 else SEVERAL
    name, edition = filled["corpus"][0], filled["edition"][0]
    empty = Corpus(name, table.path.name, edition, language, axes, 0, lambda _: iter(()))
    sentences = filled.select(empty.columns)
    return replace(empty, size=sentences.height, write=sentences.iter_slices, notes=notes)


def _notes(
    filled: pl.DataFrame, choice: Choice, axes: Sequence[Axis], language: str | None
) -> Iterator[str]:
    """Every choice made and every value made up, as lines for people."""
    groups = {axis.name: axis.groups for axis in axes}
    for name in choice.ours:
        listed = f": {', '.join(groups[name])}" if groups.get(name) else ""
        alone = name in groups and len(groups[name]) < 2
        yield (
            choice.said(name)
            + listed
            + (", fewer than two groups, so not compared" if alone else "")
        )
    if choice.left_out:
        yield f"left out, since not understood: {', '.join(choice.left_out)}"
    yield from (said for name, said in _made_up(language).items() if name not in choice.ours)
    if "language" in choice.ours and language:
        yield f"the language given ({language}) is not used: the file has a column for it"
    odd = int((filled["text"] != filled["text"].str.normalize("NFC")).sum())
    if odd:
        yield f"texts not in Unicode NFC, kept as they are: {odd:,}"
    compared = [pl.col(axis.name).is_null() for axis in axes if len(axis.groups) > 1]
    if nobody := filled.filter(pl.all_horizontal(compared)).height:
        yield f"sentences without a group, in no comparison: {nobody:,}"


def _made_up(language: str | None) -> dict[str, str]:
    """What stands in for each column the file does not have."""
    spoken = f"{language}, as given" if language else f"not known ({UNDETERMINED}); say --language"
    return {
        "id": "id: none in the file; rows are numbered row-00001, row-00002, …",
        "language": f"language: none in the file; {spoken}",
        "template": "template: none in the file; the frame stands for it",
        "person": "person: none in the file; the group labels stand for it",
        "frame": "frame: none in the file; made of template, emotion and emotion word",
        "match": f"match: none in the file; {POOLED!r}: everyone in a frame is pooled",
    }
