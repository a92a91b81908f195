"""Material with regressions, made by the rooms a real audit goes through."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
from simulated_material import compared_of, material_from

from tiltmeter.corpora import Corpus
from tiltmeter.findings import Rule, judged
from tiltmeter.measures import Model, Speaks, between_languages, judged_measure, regression_study
from tiltmeter.report import Material, Regressed, with_regression_sentences


def regressed_material(
    parts: Sequence[tuple[Corpus, pl.DataFrame]], *, mode: str = "corrected"
) -> Material:
    """What a report is made from, for scores of several corpora."""
    made = [compared_of(scores, corpus) for corpus, scores in parts]
    regressed = tuple(_regressed(corpus, scores, mode) for corpus, scores in parts)
    languages = between_languages(
        pl.concat([one.estimates for one in regressed]), [_speaks(corpus) for corpus, _ in parts]
    )
    run = {"statistics": {"mode": mode, "seed": 0}, "regression": {"errors": "crossed"}}
    return material_from(
        [compared for compared, _ in made], pl.concat([estimates for _, estimates in made]),
        run=run, regressed=regressed, languages=languages if languages.height else None,
        measures=("pairs", "regression"),
    )  # fmt: skip


def _speaks(corpus: Corpus) -> Speaks:
    return Speaks(corpus.name, corpus.language, {axis.name: axis.groups for axis in corpus.axes})


def _regressed(corpus: Corpus, scores: pl.DataFrame, mode: str) -> Regressed:
    axes = {axis.name: axis.groups for axis in corpus.axes}
    study = regression_study(corpus.sentences(), scores, axes, Model(), mode=mode)
    claims = judged(study.estimates, Rule(), judged_measure(mode, "crossed"))
    phrases = {
        (corpus.name, axis.name, group): axis.phrase(group)
        for axis in corpus.axes
        for group in axis.groups
    }
    fits = study.fits.with_columns(corpus=pl.lit(corpus.name))
    return Regressed(
        corpus.name, study.formula, study.effects, study.estimates,
        with_regression_sentences(claims, phrases, fits), study.fits, study.groups, study.people,
    )  # fmt: skip
