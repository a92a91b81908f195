"""The regressions of an audit: where they apply, and what is fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.measures import (
    Model,
    RegressionStudy,
    RegressionSums,
    codings_of,
    regression_study,
)

PAIRS, REGRESSION = "pairs", "regression"
MEASURES = (PAIRS, REGRESSION)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured, and the model of a regression."""

    measures: tuple[str, ...]
    model: Model
    everywhere: bool
    """Whether a regression was asked for; else it comes where a corpus has two axes."""
    fitted_on: str | None = None
    """The subset of sentences that a regression is of; None: each task's own."""


def measures_wanted(
    given: Sequence[str] | str,
    corpora: Sequence[Corpus],
    *,
    mode: str,
    reference: Mapping[str, str],
    all_pairs: bool,
    no_reference: bool,
    formula: str | None,
    errors: str | None,
    precision: str | None,
    subset: str | None,
) -> Wanted:
    """What is to be measured, refused before any system is asked where it cannot be.

    Without a word it is all that applies: pairs, and a regression where a corpus has two axes or
    one of its options is given.
    """
    wanted = _named(given)
    options = {"--formula": formula, "--errors": errors, "--precision": precision}
    _check_options(options, no_reference)
    wished = [option for option, value in options.items() if value is not None]
    wished += ["--no-reference"] if no_reference else []
    if wanted and wished and REGRESSION not in wanted:
        what = f"{wished[0]} is for a regression, and --measure is {', '.join(wanted)}"
        raise TiltmeterError(f"{what}; add regression there, or leave {wished[0]} out")
    model = Model(
        formula, dict(reference), no_reference, _errors(errors, precision, mode), precision,
        all_pairs,
    )  # fmt: skip
    asked = bool(wished) or REGRESSION in wanted
    if not wanted:
        wanted = list(MEASURES) if asked or any(map(_applies, corpora)) else [PAIRS]
    if REGRESSION in wanted:
        _check_formulas(model, corpora)
    return Wanted(tuple(name for name in MEASURES if name in wanted), model, asked, subset)


def _named(given: object) -> list[str]:
    """The measures that were named, in one text or several."""
    named = [given] if isinstance(given, str) else given or ()
    if not isinstance(named, Iterable):
        found = f"found {type(given).__name__} for the measures"
        raise TiltmeterError(f"{found}; expected {' or '.join(MEASURES)}, or both in a list")
    wanted = [name.strip() for one in named for name in str(one).split(",") if name.strip()]
    for name in wanted:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    return wanted


AS_IN = {"--formula": "gender * race", "--errors": "crossed", "--precision": "gender"}


def _check_options(texts: Mapping[str, object], no_reference: object) -> None:
    """Refuse what is no text, or an empty one, where a text is expected."""
    for option, value in texts.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise TiltmeterError(f"{option} is {value!r}; expected text, as in {AS_IN[option]!r}")
    if not isinstance(no_reference, bool):
        raise TiltmeterError(f"no_reference is {no_reference!r}; expected True or False")


def _check_formulas(model: Model, corpora: Sequence[Corpus]) -> None:
    """Refuse what cannot be fitted to the axes of some corpus, and say to which."""
    for corpus in corpora:
        try:
            codings_of(model, _groups(corpus))
        except TiltmeterError as error:
            where = f"{corpus.name}: " if len(corpora) > 1 else ""
            raise TiltmeterError(f"{where}{error}") from error


def _errors(errors: str | None, precision: str | None, mode: str) -> str:
    """The errors of a mode: the paper has but one kind."""
    published = mode == "published"
    if published and (errors not in (None, "naive") or precision):
        what = "the published mode has the paper's errors and no precision model"
        raise TiltmeterError(f"{what}; leave out --errors and --precision, or --mode published")
    return errors or ("naive" if published else "crossed")


def _applies(corpus: Corpus) -> bool:
    """Whether a corpus has two axes, and people with a group on each, who all count alike.

    People drawn from a population do not: a regression knows no weights, and is fitted to them only
    where it is asked for.
    """
    axes = [axis.name for axis in corpus.axes]
    return (
        len(axes) > 1
        and corpus.population is None
        and any(batch.drop_nulls(axes).height > 0 for batch in corpus.batches())
    )


def regression_of(run: ScoreRun, wanted: Wanted, mode: str) -> RegressionStudy | None:
    """The regression of the scores of one corpus, where one is wanted of it."""
    if not _is_wanted(run.corpus, wanted):
        return None
    whole = run.corpus.sentences() if run.sample else None
    return regression_study(
        run.sentences, run.matrix, _groups(run.corpus), wanted.model,
        mode=mode, subset=wanted.fitted_on, whole=whole,
    )  # fmt: skip


def regression_sums(
    corpus: Corpus, submissions: pl.DataFrame, wanted: Wanted, *, mode: str
) -> RegressionSums | None:
    """What to add the blocks of a large corpus to, where a regression is wanted of it."""
    if not _is_wanted(corpus, wanted):
        return None
    return RegressionSums(
        submissions, _groups(corpus), wanted.model, mode=mode, subset=wanted.fitted_on
    )


def _is_wanted(corpus: Corpus, wanted: Wanted) -> bool:
    return REGRESSION in wanted.measures and (wanted.everywhere or _applies(corpus))


def _groups(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    return {axis.name: axis.groups for axis in corpus.axes}
