"""The regressions of an audit: where they apply, what is fitted, what is found, in two languages.

Two corpora match where they are of different languages and have the same axes and groups, as the
English and the Spanish corpus of Anglo and Latino names do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from tiltmeter.audit_run import RegressionSettings
from tiltmeter.claims.judge import ALL, Rule, judge_differences
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import Corpus
from tiltmeter.errors import ArgumentError, TiltmeterError, UnknownNameError, argument
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.paired.results import RegressionStudy
from tiltmeter.studies.regression.design import Errors, Model, terms_of
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    LEAST_SQUARES,
    MARGINAL,
    judged_measure,
)
from tiltmeter.studies.regression.study import RegressionSums, regression_study
from tiltmeter.studies.regression.wording import with_regression_sentences

ENGLISH = "en"
"""The language that another is held against."""
COMPARED = (COEFFICIENT, MARGINAL, LEAST_SQUARES)
KEYS = ("task", "axis", "contrast", "reference", "measure", "unit")
SIDES = ("first", "second")
DIFFERENCES = pl.Schema(
    dict.fromkeys(("system", *KEYS), pl.String())
    | {
        f"{name}_{side}": pl.String() if name in ("corpus", "language") else pl.Float64()
        for side in SIDES
        for name in ("corpus", "language", "value", "low", "high")
    }
    | dict.fromkeys(("difference", "se", "low", "high", "df", "p"), pl.Float64())
)


def corpora_match(one: Corpus, other: Corpus) -> bool:
    """Whether two corpora ask the same in two languages."""
    ours, theirs = ({axis.name: set(axis.groups) for axis in of.axes} for of in (one, other))
    return ours == theirs and one.language != other.language


def between_languages(estimates: pl.DataFrame, corpora: Sequence[Corpus]) -> pl.DataFrame:
    """Every effect of a system that answers two matching corpora, and whether the two differ.

    English is the second of two where it is one of them. The two are taken as independent. Where
    both corpora have the same names they lean the same way if at all, and the test is rather too
    careful.
    """
    rows = estimates.filter(pl.col("measure").is_in(COMPARED), pl.col("value").is_not_null())
    found = [pl.DataFrame(schema=DIFFERENCES)]
    for at, one in enumerate(corpora):
        for other in corpora[at + 1 :]:
            if corpora_match(one, other):
                both = (other, one) if one.language == ENGLISH else (one, other)
                found.append(_differences(rows, *both))
    return pl.concat(found)


def _differences(rows: pl.DataFrame, first: Corpus, second: Corpus) -> pl.DataFrame:
    """Effects side by side, with Welch's test of whether they differ."""
    numbers = ("value", "se", "low", "high", "df")
    ours, theirs = (
        _common_names(rows.filter(corpus=one.name), one.language).select("system", *KEYS, *numbers)
        for one in (first, second)
    )
    both = ours.join(
        theirs, on=["system", *KEYS], suffix="_second", how="inner", maintain_order="left"
    )
    value = both["value"].to_numpy() - both["value_second"].to_numpy()
    errors = [both[f"se{end}"].to_numpy() for end in ("", "_second")]
    dfs = [both[f"df{end}"].fill_null(float("inf")).to_numpy() for end in ("", "_second")]
    se = np.hypot(*errors)
    with np.errstate(all="ignore"):
        bottom = sum(error**4 / df for error, df in zip(errors, dfs, strict=True))
        df = np.where(bottom > 0, sum(error**2 for error in errors) ** 2 / bottom, np.inf)
        t = np.where(se > 0, value / se, np.where(value == 0, 0.0, np.inf))
        half = stdtrit(df, 0.975) * se
    ends = {
        f"{name}_{side}": column
        for side, of, suffix in zip(SIDES, (first, second), ("", "_second"), strict=True)
        for name, column in {
            "corpus": pl.lit(of.name),
            "language": pl.lit(of.language),
            **{name: pl.col(f"{name}{suffix}") for name in ("value", "low", "high")},
        }.items()
    }
    return both.select("system", *KEYS, **ends).with_columns(
        difference=pl.Series(value),
        se=pl.Series(se),
        low=pl.Series(value - half),
        high=pl.Series(value + half),
        df=pl.Series(np.where(np.isfinite(df), df, np.nan)).fill_nan(None),
        p=pl.Series(2 * stdtr(df, -np.abs(t))),
    )


def _common_names(rows: pl.DataFrame, language: str) -> pl.DataFrame:
    """A corpus' rows, under the names that systems have in every language.

    `svm-tfidf-es` is svm-tfidf in Spanish. Where `svm` and `svm-es` both answer a corpus they are
    two systems, each under its own name.
    """
    every = set(rows["system"])
    short = {name: name.removesuffix(f"-{language}") for name in every}
    names = {name: name if alone in every else alone for name, alone in short.items()}
    return rows.with_columns(system=pl.col("system").replace(names))


PAIRS, REGRESSION = "pairs", "regression"
MEASURES = (PAIRS, REGRESSION)
AS_IN = {"formula": "gender * race", "errors": "crossed", "precision": "gender"}


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
    several = [given] if isinstance(given, str) else given or ()
    if not isinstance(several, Iterable):
        found = f"found {type(given).__name__} for the measures"
        raise TiltmeterError(f"{found}; expected {' or '.join(MEASURES)}, or both in a list")
    measures = [name.strip() for one in several for name in str(one).split(",") if name.strip()]
    for name in measures:
        if name not in MEASURES:
            raise UnknownNameError("measure", name, MEASURES)
    options = {"formula": formula, "errors": errors, "precision": precision}
    for name, value in options.items():
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise ArgumentError(name, f"is {value!r}; expected text, as in {AS_IN[name]!r}")
    if not isinstance(no_reference, bool):
        raise TiltmeterError(f"no_reference is {no_reference!r}; expected True or False")
    wished = [argument(name) for name, value in options.items() if value is not None]
    wished += [argument("no_reference")] if no_reference else []
    if measures and wished and REGRESSION not in measures:
        named = f"{argument('measures', '--measure')} is {', '.join(measures)}"
        what = f"{wished[0]} is for a regression, and {named}"
        raise TiltmeterError(f"{what}; add regression there, or leave {wished[0]} out")
    published = mode == "published"
    if published and (errors not in (None, Errors.NAIVE) or precision):
        what = "the published mode has the paper's errors and no precision model"
        out = f"{argument('errors')} and {argument('precision')}, or {argument('mode')} published"
        raise TiltmeterError(f"{what}; leave out {out}")
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
