"""A user's table as a corpus: its columns chosen, its rows checked, what is absent made up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl

from tiltmeter.corpora.columns import Choice, Groups, choose
from tiltmeter.corpora.corpus import Corpus
from tiltmeter.corpora.design import PHRASES, Axis, is_language, known_groups
from tiltmeter.corpora.export import AXES, AxesOf, axes_said
from tiltmeter.corpora.files import read_table
from tiltmeter.corpora.large_table import Reading, has_many_rows, is_large_table, laid_out
from tiltmeter.corpora.published import (
    has_their_columns,
    is_published,
    multilingual_corpus,
    published_corpus,
)
from tiltmeter.corpora.schema import DEFAULT_EDITION
from tiltmeter.corpora.table_facts import Sound, TableFacts
from tiltmeter.corpora.table_file import TableFile
from tiltmeter.corpora.table_look import Look
from tiltmeter.corpora.table_sentences import POOLED, Filling, spooled_sentences
from tiltmeter.errors import TiltmeterError

UNDETERMINED, SEVERAL = "und", "mul"
"""The language codes for 'not known' and 'more than one'."""


def table_corpus(
    path: Path,
    *,
    columns: Mapping[str, str] = {},
    axes: Mapping[str, Groups] = {},
    language: str | None = None,
    encoding: str | None = None,
    reference: Callable[[], Corpus] | None = None,
    multilingual: Callable[[], Iterable[Corpus]] | None = None,
    axes_of: AxesOf = lambda _: {},
) -> Corpus:
    """A corpus from a user's table, or from their copy of the published EEC, which is recognised.

    `reference` gives the generated EEC to check that copy against, `multilingual` those in other
    languages, whose published files are recognised likewise; columns or axes given by the
    user say that the file is to be read as a table of their own. `axes_of` gives the groups of a
    corpus known by name in their order, for tables that were exported from one.
    """
    if language is not None and not is_language(language):
        raise TiltmeterError(f"a language is a code such as en, es or ar; found {language!r}")
    recognise = reference is not None and not columns and not axes
    table = None if is_large_table(path) else read_table(path, encoding)
    if table is None or has_many_rows(table):
        spool, facts = laid_out(Reading(path, columns, axes, encoding, recognise))
        plan = _Plan(path, facts, columns, axes, language, axes_of)
        where = f"too large to be held; laid out in parts in the cache, as {spool.name}"
        return plan.corpus(partial(spooled_sentences, spool, plan.filling), where)
    if reference is not None and recognise and is_published(table.frame.columns):
        return published_corpus(table, reference())
    if multilingual is not None and recognise and has_their_columns(table.frame.columns):
        found = multilingual_corpus(table, multilingual())
        if found is not None:
            return found
    look = Look(choose(table.frame.columns, columns, axes))
    rows = look.add(table)
    plan = _Plan(path, _checked(table, look, rows, axes), columns, axes, language, axes_of)
    return plan.corpus(plan.filling.sentences(rows).iter_slices)


def _checked(
    table: TableFile, look: Look, rows: pl.DataFrame, axes: Mapping[str, Groups]
) -> TableFacts:
    """What is known of a table in memory; an error where anything is wrong with it."""
    sound = Sound(table, look, axes)
    sound.look_at_rows(lambda wanted: iter([rows.select(wanted)]))
    sound.look_at_frames(lambda wanted: iter([rows.select(wanted)]), rows.height)
    return sound.facts()


class _Plan:
    """A corpus as the facts on its table make it."""

    def __init__(
        self,
        path: Path,
        facts: TableFacts,
        columns: Mapping[str, str],
        axes: Mapping[str, Groups],
        language: str | None,
        axes_of: AxesOf,
    ) -> None:
        said = axes_said(facts.said[AXES])
        known = {**axes_of(facts.said["corpus"] or ""), **said}
        self._path, self._facts, self._language = path, facts, language
        self._choice = choose(facts.columns, columns, axes)
        self._axes = [
            _axis(name, axes.get(name, ()), known.get(name), self._ordered(name, found))
            for name, found in facts.groups.items()
        ]
        self._first_come = [
            axis.name
            for axis in self._axes
            if self._choice.is_export
            and axis.name not in axes
            and not _holds(known.get(axis.name), axis.groups)
        ]
        self._empty = Corpus(
            name=facts.said["corpus"] or path.stem,
            title=path.name,
            edition=facts.said["edition"] or DEFAULT_EDITION,
            language=self._spoken,
            axes=tuple(axis for axis in self._axes if len(axis.groups) > 1),
            size=facts.size,
            write=lambda _: iter(()),
        )

    def _ordered(self, axis: str, found: Groups) -> Groups:
        """Groups that nobody put in order: by alphabet, or in a file of ours as they come.

        Women come before men, whatever they are called, as in every corpus of ours.
        """
        if self._choice.is_export:
            return found
        ordered = sorted(found, key=lambda group: (group.casefold(), group))
        named = {known: group for group, known in known_groups(axis, found).items()}
        if named.keys() == {"female", "male"}:
            at = sorted(ordered.index(group) for group in named.values())
            ordered[at[0]], ordered[at[1]] = named["female"], named["male"]
        return tuple(ordered)

    @property
    def filling(self) -> Filling:
        """What the file does not have."""
        made, axes = self._empty, tuple(axis.name for axis in self._empty.axes)
        language = self._language or UNDETERMINED
        return Filling(made.name, made.edition, language, axes, made.columns)

    def corpus(self, write: Callable[[int], Iterator[pl.DataFrame]], *notes: str) -> Corpus:
        """The corpus whose sentences are written so."""
        said = _notes(self._facts, self._choice, self._axes, self._language)
        guess = [
            f"{axis}: the order of its groups is a guess, as they come in the file; what the "
            f"export said of it is gone; say it: --axis {axis}=G1,G2"
            for axis in self._first_come
        ]
        told = (*self._facts.notes, *said, *guess, *notes)
        return replace(self._empty, write=write, notes=told)

    @property
    def _spoken(self) -> str:
        if "language" in self._choice.ours:
            return self._facts.said["language"] or SEVERAL
        return self._language or UNDETERMINED


def _axis(name: str, given: Groups, known: Axis | None, found: Groups) -> Axis:
    """An axis with its groups in the order given, else as the known corpus has them."""
    if known is None or not _holds(known, given or found):
        return Axis(name, given or found)
    groups = given or tuple(group for group in known.groups if group in found)
    if not known.phrases:
        return Axis(name, groups)
    return Axis(name, groups, tuple(known.phrase(group) for group in groups))


def _holds(known: Axis | None, groups: Groups) -> bool:
    """Whether an axis has all these groups, so that it says their order: a part of them is left."""
    return known is not None and set(groups) <= set(known.groups)


def _notes(
    facts: TableFacts, choice: Choice, axes: Sequence[Axis], language: str | None
) -> Iterator[str]:
    """Every choice made and every value made up, as lines for people."""
    groups = {axis.name: axis.groups for axis in axes}
    for name in choice.ours:
        if name == AXES:
            continue
        listed = f": {', '.join(groups[name])}" if groups.get(name) else ""
        alone = name in groups and len(groups[name]) < 2
        yield (
            choice.said(name)
            + listed
            + (", fewer than two groups, so not compared" if alone else "")
        )
    for axis in axes:
        yield from _known(axis)
    if choice.left_out:
        yield f"left out, since not understood: {', '.join(choice.left_out)}"
    yield from (said for name, said in _made_up(language).items() if name not in choice.ours)
    if "language" in choice.ours and language:
        yield f"the language given ({language}) is not used: the file has a column for it"
    if facts.odd:
        yield f"texts not in Unicode NFC, kept as they are: {facts.odd:,}"
    if facts.nobody:
        yield f"sentences without a group, in no comparison: {facts.nobody:,}"


def _known(axis: Axis) -> Iterator[str]:
    """What groups were taken for, and which may mean the same people and are kept apart."""
    known = known_groups(axis.name, axis.groups)
    usual = [
        f"{group!r} for {PHRASES[meant].removeprefix('about ')}"
        for group, meant in known.items()
        if group != meant and axis.phrase(group) == PHRASES[meant]
    ]
    if usual:
        yield f"{axis.name}: {' and '.join(usual)}, as recognised; the groups keep their names"
    one_each = {group: known_groups(axis.name, [group]).get(group) for group in axis.groups}
    for meant in PHRASES:
        alike = [group for group, its in one_each.items() if its == meant]
        if len(alike) > 1:
            both = " and ".join(map(repr, alike))
            yield f"{axis.name}: {both} are kept apart; write them alike if they mean the same"


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
