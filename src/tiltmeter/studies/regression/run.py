"""The regressions of an audit: where they apply, what is fitted, what is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.audit_run import RegressionSettings
from tiltmeter.claims.judge import ALL, Rule, judged
from tiltmeter.claims.signal import Apart
from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.paired.material import Regressed
from tiltmeter.studies.regression.effects import LEAST_SQUARES, judged_measure
from tiltmeter.studies.regression.formula import Model, codings_of
from tiltmeter.studies.regression.streamed import RegressionSums
from tiltmeter.studies.regression.study import (
    RegressionStudy,
    Speaks,
    between_languages,
    regression_study,
)
from tiltmeter.studies.regression.wording import with_regression_sentences

# ---- the regressions of an audit: where they apply, and what is fitted


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


# ---- what is told of regressions that were fitted: findings, languages side by side, facts


Phrases = Mapping[tuple[str, str, str], str]
Fitted = Sequence[tuple[Corpus, RegressionStudy]]


@dataclass(frozen=True, slots=True)
class Regressions:
    """The regressions of an audit."""

    studies: tuple[RegressionStudy | None, ...] = ()
    """One for each corpus; None where it has no two axes."""
    told: tuple[Regressed, ...] = ()
    """The same as the report shows them, with their findings."""
    languages: pl.DataFrame | None = None
    """One system's effects in two languages, where matching corpora were audited."""
    settings: RegressionSettings | None = None
    """What determines them, as run.json holds it; None where none was wanted."""


def regressions_told(
    corpora: Sequence[Corpus],
    studies: Sequence[RegressionStudy | None],
    wanted: Wanted,
    rule: Rule,
    phrases: Phrases,
    *,
    mode: str,
    subset: str,
    apart: Apart,
) -> Regressions:
    """Judge the studies of some corpora; the effects of all of them are one family.

    It looks at the studies and at what the corpora are called, not at sentences or scores.
    """
    both = zip(corpora, studies, strict=True)
    fitted = [(corpus, study) for corpus, study in both if study is not None]
    measure = judged_measure(mode, wanted.model.errors)
    return Regressions(
        tuple(studies),
        tuple(_told(fitted, rule, phrases, measure, subset, apart)),
        _languages(fitted),
        _settings(wanted, fitted),
    )


def _told(
    fitted: Fitted, rule: Rule, phrases: Phrases, measure: str, subset: str, apart: Apart
) -> Iterator[Regressed]:
    """What the report shows of each corpus."""
    if not fitted:
        return
    every = pl.concat([study.estimates for _, study in fitted])
    claims = judged(every, rule, measure, exploratory=subset != ALL, apart=apart)
    own = [_judged_fits(study.fits, measure) for _, study in fitted]
    names = (pl.lit(corpus.name) for corpus, _ in fitted)
    fits = pl.concat(one.with_columns(corpus=name) for one, name in zip(own, names, strict=True))
    findings = with_regression_sentences(claims, phrases, fits)
    for (corpus, study), mine in zip(fitted, own, strict=True):
        yield Regressed(
            corpus=corpus.name,
            formula=study.formula,
            effects=study.effects,
            estimates=study.estimates,
            findings=findings.filter(corpus=corpus.name),
            fits=mine,
            groups=study.groups,
            people=study.people,
        )


def _judged_fits(fits: pl.DataFrame, measure: str) -> pl.DataFrame:
    """How the fits went, with the reason against the measure that findings are made of."""
    if measure != LEAST_SQUARES:
        return fits
    return fits.with_columns(reason="least_squares_reason")


def _languages(fitted: Fitted) -> pl.DataFrame | None:
    """One system's effects in two languages, where matching corpora were audited."""
    if len(fitted) < 2:
        return None
    found = between_languages(
        pl.concat([study.estimates for _, study in fitted]),
        [speaks(corpus) for corpus, _ in fitted],
    )
    return found if found.height else None


def speaks(corpus: Corpus) -> Speaks:
    """A corpus' language and groups."""
    return Speaks(corpus.name, corpus.language, {axis.name: axis.groups for axis in corpus.axes})


def _settings(wanted: Wanted, fitted: Fitted) -> RegressionSettings:
    model = wanted.model
    return RegressionSettings(
        subset=wanted.fitted_on,
        formula={corpus.name: study.formula for corpus, study in fitted},
        errors=model.errors,
        precision=model.precision,
        reference=dict(model.reference),
        no_reference=model.no_reference,
    )
