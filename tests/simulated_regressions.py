"""AuditResults with regressions of simulated submissions, made by the rooms of a real audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from msgspec import structs

from simulated_material import compared_of, material_from, scored
from tiltmeter.audit_run import AuditRun, AuditStatistics, RegressionSettings
from tiltmeter.claims.judge import Rule, judge_differences
from tiltmeter.corpora import Corpus
from tiltmeter.studies.paired.results import AuditResults, RegressionStudy
from tiltmeter.studies.regression.design import Model
from tiltmeter.studies.regression.effects import judged_measure
from tiltmeter.studies.regression.run import between_languages
from tiltmeter.studies.regression.study import regression_study
from tiltmeter.studies.regression.wording import with_regression_sentences


def leaning(
    sentences: pl.DataFrame,
    by: Mapping[tuple[str, str], float],
    *,
    names: float = 0.02,
    seed: int = 0,
) -> np.ndarray:
    """Scores around 0.5 that lean by so much for each axis and group, and at random by name."""
    rng = np.random.default_rng(seed)
    score = 0.5 + rng.normal(0, 0.02, sentences.height)
    for (axis, group), much in by.items():
        score += much * (sentences[axis] == group).fill_null(False).to_numpy()
    person = sentences["person"].rank("dense").to_numpy().astype(int) - 1
    return np.clip(score + rng.normal(0, names, person.max() + 1)[person], 0, 1)


def regressed_of(
    scores: pl.DataFrame, corpus: Corpus, model: Model | None = None, mode: str = "corrected"
) -> RegressionStudy:
    """One corpus' regressions with their findings."""
    model = model or Model(errors="naive" if mode == "published" else "crossed")
    axes = {axis.name: axis.groups for axis in corpus.axes}
    study = regression_study(corpus.sentences(), scores, axes, model, mode=mode)
    phrases = {(corpus.name, a.name, g): a.phrase(g) for a in corpus.axes for g in a.groups}
    claims = judge_differences(study.estimates, Rule(), judged_measure(mode, model.errors))
    fits = study.fits.with_columns(corpus=pl.lit(corpus.name))
    return replace(study, findings=with_regression_sentences(claims, phrases, fits))


def regression_material(
    corpora: Sequence[tuple[Corpus, Mapping[tuple[str, str], Sequence[float] | np.ndarray]]],
    *,
    model: Model | None = None,
    mode: str = "corrected",
    **more: Any,
) -> AuditResults:
    """What a report is made from: by corpus, the scores of each system and task."""
    parts = [
        (
            corpus,
            pl.concat([scored(corpus.sentences(), *key, values) for key, values in by.items()]),
        )
        for corpus, by in corpora
    ]
    return regressed_material(parts, model=model, mode=mode, **more)


def regressed_material(
    parts: Sequence[tuple[Corpus, pl.DataFrame]],
    *,
    model: Model | None = None,
    mode: str = "corrected",
    **more: Any,
) -> AuditResults:
    """The same for tables of scores."""
    compared, estimates = zip(
        *(compared_of(scores, corpus) for corpus, scores in parts), strict=True
    )
    regressed = [regressed_of(scores, corpus, model, mode) for corpus, scores in parts]
    errors = model.errors if model else "naive" if mode == "published" else "crossed"
    run = AuditRun(
        statistics=AuditStatistics(mode=mode),
        regression=RegressionSettings(
            errors=errors, no_reference=bool(model and model.no_reference)
        ),
    )
    run = structs.replace(run, **more.pop("run", {}))
    made = material_from(list(compared), pl.concat(estimates), run=run, **more)
    languages = between_languages(
        pl.concat([one.estimates for one in regressed]), [corpus for corpus, _ in parts]
    )
    return replace(
        made,
        regressed=tuple(regressed),
        languages=languages if languages.height else None,
        measures=("pairs", "regression"),
    )
