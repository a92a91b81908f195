"""What an audit is asked for: corpora, contrasts, measures and a subset that are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditedCorpus
from tiltmeter.claims.gate import margin_given
from tiltmeter.claims.judge import Rule
from tiltmeter.claims.verdict import Margins
from tiltmeter.corpora import Corpus, has_population, is_table
from tiltmeter.errors import ArgumentError, IncompleteError, TiltmeterError, argument, did_you_mean
from tiltmeter.scoring import Settings
from tiltmeter.scoring.corpus_scores import Run
from tiltmeter.scoring.scoring_run import find_corpus
from tiltmeter.studies.paired.contrasts import Contrast, contrasts_of
from tiltmeter.studies.paired.labels import MIDDLE, Thresholds, thresholds_given
from tiltmeter.studies.paired.pairs import OWN
from tiltmeter.studies.regression.run import Wanted

CORRECTED = "corrected"
MODES = (CORRECTED, "published")


@dataclass(frozen=True, slots=True)
class Statistics:
    """How scores are measured and judged."""

    wanted: Wanted
    rule: Rule = field(default_factory=Rule)
    margins: Margins = field(default_factory=Margins)
    mode: str = CORRECTED
    subset: str = "all"
    seed: int = 0
    flips: int | None = None
    reference: Mapping[str, str] = field(default_factory=dict)
    thresholds: Thresholds = (MIDDLE,)
    """Where labels begin, on the scale from 0 to 1."""
    all_pairs: bool = False
    """Whether every two groups are compared, however many an axis has."""
    apart: bool = True
    """Whether controls and systems without a signal are judged apart, which the papers do not."""


def corpora_given(
    corpus: object,
    edition: str | None,
    reading: Mapping[str, Any] | None = None,
    draw: Mapping[str, Any] | None = None,
) -> list[Corpus]:
    """The corpora, each under a name of its own: findings tell them apart by it.

    `reading` says how those that are tables are read, `draw` how people are drawn for those with a
    population.
    """
    given = corpus if isinstance(corpus, Sequence) and not isinstance(corpus, str) else [corpus]
    named = [one for one in given if isinstance(one, str | Path)]
    tables = [one for one in named if is_table(one)] or given
    drawn = [one for one in named if has_population(one)] or given
    corpora = [
        find_corpus(
            one,
            edition,
            reading if any(one is it for it in tables) else None,
            draw if any(one is it for it in drawn) else None,
        )
        for one in given
    ]
    names = [one.name for one in corpora]
    if not names:
        raise TiltmeterError("there is no corpus to audit on; name one, as in: eec")
    if twice := [name for name in names if names.count(name) > 1]:
        what = f"two corpora are called {twice[0]!r}; expected different names"
        raise TiltmeterError(f"{what}: audit them one after the other, or rename one")
    return corpora


def references_given(given: object) -> dict[str, str]:
    """The group that each other of its axis is compared with, by axis."""
    if not isinstance(given, Mapping | None):
        found = f"found {type(given).__name__} for the reference"
        raise TiltmeterError(f"{found}; expected groups by axis, as in {{'gender': 'male'}}")
    for entry in (given or {}).items():
        if not all(isinstance(name, str) for name in entry):
            axis, group = entry
            what = f"the reference is {group!r} for the axis {axis!r}"
            raise TiltmeterError(f"{what}; expected names, as in {{'gender': 'male'}}")
    return dict(given or {})


def check_stored(runs: Sequence[Run], settings: Settings) -> None:
    """Refuse an audit of stored scores where too few are stored; asking looks at it by itself."""
    for run in runs if settings.reuse == "stored" else ():
        for scored, source in zip(run.scored, run.sources, strict=True):
            missing, size = scored.missing, run.size * scored.repeats
            if isinstance(source, int) and missing > settings.max_missing * size:
                what = f"{scored.card.name} has no stored score for {missing:,} of {size:,} answers"
                next_ = f"leave out {argument('reuse')} stored to ask for them, or allow more"
                raise IncompleteError(f"{what}; {argument('max_missing')} allows fewer: {next_}")


def contrasts_wanted(
    corpora: Sequence[Corpus | AuditedCorpus],
    reference: Mapping[str, str],
    *,
    all_pairs: bool = False,
) -> list[list[Contrast]]:
    """What is compared on each corpus; a reference group must be of an axis that one has.

    `all_pairs` compares every two groups of an axis, however many it has.
    """
    if not isinstance(all_pairs, bool):
        raise TiltmeterError(f"all_pairs is {all_pairs!r}; expected True or False")
    axes = {axis.name for corpus in corpora for axis in corpus.axes}
    for name in reference:
        if name not in axes:
            near = did_you_mean(name, axes) or f"the axes are {', '.join(sorted(axes))}"
            raise TiltmeterError(f"no corpus here has an axis {name!r}: {near}")
    return [
        [
            contrast
            for axis in corpus.axes
            for contrast in contrasts_of(
                axis.name, axis.groups, reference.get(axis.name), all_pairs=all_pairs
            )
        ]
        for corpus in corpora
    ]


def parts_of(corpus: Corpus) -> pl.DataFrame:
    """What subsets a corpus has is told by its templates and emotions."""
    return corpus.survey.parts if corpus.large else corpus.sentences()


def check_subset(subset: str, there: Iterable[str], own: str = "") -> None:
    """Refuse a subset that no corpus has, and offer the nearest ones."""
    known = list(dict.fromkeys(there))
    if subset == OWN and own and subset not in known:
        tasks = argument("tasks", "--task")
        raise TiltmeterError(f"there is no subset {subset!r} here{own}: name one with {tasks}")
    if subset not in known:
        near = did_you_mean(subset, known) or f"there are {', '.join(known)}"
        raise TiltmeterError(f"there is no subset {subset!r} here: {near}")


def margins_given(given: object, axes: Iterable[str] | None = None) -> Margins:
    """The margins of verdicts: one for every axis, or by axis, `default` for the rest.

    Where `axes` are known, a margin of any other is refused.
    """
    if given is None:
        return Margins()
    if not isinstance(given, Mapping):
        return Margins(margin_given(given, "every axis"))
    own = {str(name): margin_given(one, str(name)) for name, one in given.items()}
    usual = own.pop("default", Margins().default)
    known = list(dict.fromkeys(axes or ()))
    for name in own if axes is not None else ():
        axis = name.partition(":")[0]  # or a contrast of one
        if axis not in known:
            near = did_you_mean(axis, known) or f"the axes are {', '.join(known)}"
            raise TiltmeterError(f"a margin is given for {name!r}, which is no axis here: {near}")
    return Margins(usual, own)


def thresholds_from(text: str | None) -> Thresholds:
    """The thresholds of a command line, as in `0.4,0.6`.

    >>> thresholds_from("0.4,0.6"), thresholds_from(None)
    ((0.4, 0.6), (0.5,))
    """
    if text is None:
        return thresholds_given(None)
    try:
        return thresholds_given([float(part) for part in text.split(",")])
    except ValueError:
        what = f"is {text!r}; expected a number between 0 and 1"
        raise ArgumentError("threshold", f"{what}, or several with commas: 0.4,0.6") from None
