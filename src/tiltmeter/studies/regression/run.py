"""The regressions of an audit: where they apply, what is fitted, what is found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.audit_run import RegressionSettings
from tiltmeter.claims.judge import ALL, Rule, judge_differences
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.paired.results import RegressionStudy
from tiltmeter.studies.regression.effects import LEAST_SQUARES, judged_measure
from tiltmeter.studies.regression.formula import Errors, Model, terms_of
from tiltmeter.studies.regression.languages import between_languages
from tiltmeter.studies.regression.study import RegressionSums, regression_study
from tiltmeter.studies.regression.wording import with_regression_sentences

PAIRS, REGRESSION = "pairs", "regression"
MEASURES = (PAIRS, REGRESSION)
AS_IN = {"--formula": "gender * race", "--errors": "crossed", "--precision": "gender"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be measured, and the model of a regression."""

    measures: tuple[str, ...]
    model: Model
    everywhere: bool
    """Whether a regression was asked for; else it comes where a corpus has two axes."""
    fitted_on: str | None = None
    """The subset of sentences that a regression is of; None: each task's own."""

    def has_regression(self, corpus: Corpus) -> bool:
        """Whether a regression is fitted to a corpus."""
        return REGRESSION in self.measures and (self.everywhere or _applies(corpus))


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
    measures = _measures(given)
    options = {"--formula": formula, "--errors": errors, "--precision": precision}
    for option, value in options.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise TiltmeterError(f"{option} is {value!r}; expected text, as in {AS_IN[option]!r}")
    if not isinstance(no_reference, bool):
        raise TiltmeterError(f"no_reference is {no_reference!r}; expected True or False")
    wished = [option for option, value in options.items() if value is not None]
    wished += ["--no-reference"] if no_reference else []
    if measures and wished and REGRESSION not in measures:
        what = f"{wished[0]} is for a regression, and --measure is {', '.join(measures)}"
        raise TiltmeterError(f"{what}; add regression there, or leave {wished[0]} out")
    published = mode == "published"
    if published and (errors not in (None, Errors.NAIVE) or precision):
        what = "the published mode has the paper's errors and no precision model"
        raise TiltmeterError(f"{what}; leave out --errors and --precision, or --mode published")
    errors = errors or (Errors.NAIVE if published else Errors.CROSSED)
    model = Model(formula, dict(reference), no_reference, errors, precision, all_pairs)
    asked = bool(wished) or REGRESSION in measures
    if not measures:
        measures = list(MEASURES) if asked or any(map(_applies, corpora)) else [PAIRS]
    for corpus in corpora if REGRESSION in measures else ():
        try:
            terms_of(model, _groups(corpus))
        except TiltmeterError as error:
            where = f"{corpus.name}: " if len(corpora) > 1 else ""
            raise TiltmeterError(f"{where}{error}") from error
    return Wanted(tuple(name for name in MEASURES if name in measures), model, asked, subset)


def _measures(given: object) -> list[str]:
    """The measures that were named, in one text or several."""
    several = [given] if isinstance(given, str) else given or ()
    if not isinstance(several, Iterable):
        found = f"found {type(given).__name__} for the measures"
        raise TiltmeterError(f"{found}; expected {' or '.join(MEASURES)}, or both in a list")
    names = [name.strip() for one in several for name in str(one).split(",") if name.strip()]
    for name in names:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    return names


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


def _groups(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    return {axis.name: axis.groups for axis in corpus.axes}


def regression_of(run: ScoreRun, wanted: Wanted, mode: str) -> RegressionStudy | None:
    """The regression of the scores of one corpus, where one is wanted of it."""
    if not wanted.has_regression(run.corpus):
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
    if not wanted.has_regression(corpus):
        return None
    return RegressionSums(
        submissions, _groups(corpus), wanted.model, mode=mode, subset=wanted.fitted_on
    )


@dataclass(frozen=True, slots=True)
class Regressions:
    """The regressions of an audit."""

    studies: tuple[RegressionStudy, ...] = ()
    """One for each corpus that has one, with its findings."""
    languages: pl.DataFrame | None = None
    """One system's effects in two languages, where matching corpora were audited."""
    settings: RegressionSettings | None = None
    """What determines them, as run.json holds it; None where none was wanted."""


def judge_regressions(
    corpora: Sequence[Corpus],
    studies: Sequence[RegressionStudy | None],
    wanted: Wanted,
    rule: Rule,
    phrases: Mapping[tuple[str, str, str], str],
    *,
    mode: str,
    subset: str,
    apart: Exclusions,
) -> Regressions:
    """Judge the studies of some corpora; the effects of all of them are one family.

    It looks at the studies and at what the corpora are called, not at sentences or scores.
    """
    model = wanted.model
    measure = judged_measure(mode, model.errors)
    fitted = list[RegressionStudy]()
    for corpus, study in zip(corpora, studies, strict=True):
        if study is not None:
            fits = study.fits  # with the reason against the measure that findings are made of
            if measure == LEAST_SQUARES:
                fits = fits.with_columns(reason="least_squares_reason")
            fitted.append(replace(study, corpus=corpus.name, fits=fits))
    settings = RegressionSettings(
        subset=wanted.fitted_on,
        formula={study.corpus: study.formula for study in fitted},
        errors=model.errors,
        precision=model.precision,
        reference=dict(model.reference),
        no_reference=model.no_reference,
    )
    if not fitted:
        return Regressions(settings=settings)
    every = pl.concat([study.estimates for study in fitted])
    claims = judge_differences(every, rule, measure, exploratory=subset != ALL, exclusions=apart)
    fits = pl.concat(study.fits.with_columns(corpus=pl.lit(study.corpus)) for study in fitted)
    findings = with_regression_sentences(claims, phrases, fits)
    languages = None
    if len(fitted) > 1:
        names = {study.corpus for study in fitted}
        languages = between_languages(every, [one for one in corpora if one.name in names])
    return Regressions(
        tuple(replace(one, findings=findings.filter(corpus=one.corpus)) for one in fitted),
        languages if languages is not None and languages.height else None,
        settings,
    )
