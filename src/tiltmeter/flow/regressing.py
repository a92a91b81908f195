"""The regressions of an audit: where they apply, what is fitted, what may be claimed of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.findings import ALL, Rule, judged
from tiltmeter.flow.asking import ScoreRun
from tiltmeter.measures import (
    Model,
    RegressionStudy,
    Speaks,
    between_languages,
    codings_of,
    judged_measure,
    regression_study,
)
from tiltmeter.report import Regressed, with_regression_sentences

PAIRS, REGRESSION = "pairs", "regression"
MEASURES = (PAIRS, REGRESSION)
Phrases = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured, and the model of a regression."""

    measures: tuple[str, ...]
    model: Model
    everywhere: bool
    """Whether a regression was asked for; else it comes where a corpus has two axes."""


@dataclass(frozen=True, slots=True)
class Regressions:
    """The regressions of an audit."""

    studies: tuple[RegressionStudy | None, ...] = ()
    """One for each run; None where a corpus has no two axes."""
    told: tuple[Regressed, ...] = ()
    """The same as the report shows them, with their findings."""
    languages: pl.DataFrame | None = None
    """One system's effects in two languages, where matching corpora were audited."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What determines them, as run.json holds it."""


def measures_wanted(
    given: Sequence[str] | str,
    corpora: Sequence[Corpus],
    *,
    mode: str,
    reference: Mapping[str, str],
    no_reference: bool,
    formula: str | None,
    errors: str | None,
    precision: str | None,
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
        formula, dict(reference), no_reference, _errors(errors, precision, mode), precision
    )
    asked = bool(wished) or REGRESSION in wanted
    if not wanted:
        wanted = list(MEASURES) if asked or any(map(_applies, corpora)) else [PAIRS]
    if REGRESSION in wanted:
        _check_formulas(model, corpora)
    return Wanted(tuple(name for name in MEASURES if name in wanted), model, asked)


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
            codings_of(model, {axis.name: axis.groups for axis in corpus.axes})
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
    """Whether a corpus has two axes, and people with a group on each."""
    axes = [axis.name for axis in corpus.axes]
    return len(axes) > 1 and corpus.sentences().drop_nulls(axes).height > 0


def regressions(
    runs: Sequence[ScoreRun],
    wanted: Wanted,
    rule: Rule,
    phrases: Phrases,
    *,
    mode: str,
    subset: str,
) -> Regressions:
    """Fit what was asked for, and judge it; the effects of all corpora are one family."""
    if REGRESSION not in wanted.measures:
        return Regressions()
    studies = tuple(
        regression_study(
            run.sentences, run.scores, {axis.name: axis.groups for axis in run.corpus.axes},
            wanted.model, mode=mode, subset=subset,
            whole=run.corpus.sentences() if run.sample else None,
        )
        if wanted.everywhere or _applies(run.corpus)
        else None
        for run in runs
    )  # fmt: skip
    fitted = [(run, study) for run, study in zip(runs, studies, strict=True) if study is not None]
    return Regressions(
        studies,
        tuple(_told(fitted, rule, phrases, judged_measure(mode, wanted.model.errors), subset)),
        _languages(fitted),
        {"regression": _facts(wanted.model, fitted)},
    )


Fitted = Sequence[tuple[ScoreRun, RegressionStudy]]


def _told(
    fitted: Fitted, rule: Rule, phrases: Phrases, measure: str, subset: str
) -> Iterator[Regressed]:
    """What the report shows of each corpus."""
    if not fitted:
        return
    every = pl.concat([study.estimates for _, study in fitted])
    claims = judged(every, rule, measure, exploratory=subset != ALL)
    fits = pl.concat(
        [study.fits.with_columns(corpus=pl.lit(run.corpus.name)) for run, study in fitted]
    )
    findings = with_regression_sentences(claims, phrases, fits)
    for run, study in fitted:
        yield Regressed(
            corpus=run.corpus.name,
            formula=study.formula,
            effects=study.effects,
            estimates=study.estimates,
            findings=findings.filter(corpus=run.corpus.name),
            fits=study.fits,
            groups=study.groups,
            people=study.people,
        )


def _languages(fitted: Fitted) -> pl.DataFrame | None:
    """One system's effects in two languages, where matching corpora were audited."""
    if len(fitted) < 2:
        return None
    found = between_languages(
        pl.concat([study.estimates for _, study in fitted]),
        [speaks(run.corpus) for run, _ in fitted],
    )
    return found if found.height else None


def speaks(corpus: Corpus) -> Speaks:
    """A corpus' language and groups."""
    return Speaks(corpus.name, corpus.language, {axis.name: axis.groups for axis in corpus.axes})


def _facts(model: Model, fitted: Fitted) -> dict[str, Any]:
    return {
        "formula": {run.corpus.name: study.formula for run, study in fitted},
        "errors": model.errors,
        "precision": model.precision,
        "reference": dict(model.reference),
        "no_reference": model.no_reference,
    }
