"""What is told of regressions that were fitted: findings, languages side by side, facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiltmeter.audit_run import RegressionSettings
from tiltmeter.corpora import Corpus
from tiltmeter.findings import ALL, Apart, Rule, judged
from tiltmeter.flow.regressing import Wanted
from tiltmeter.measures import (
    LEAST_SQUARES,
    RegressionStudy,
    Speaks,
    between_languages,
    judged_measure,
)
from tiltmeter.report import Regressed, with_regression_sentences

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
