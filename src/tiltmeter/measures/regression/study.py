"""Race, gender and their product, told apart: Beta regression for every submission of a corpus.

Câmara et al. (2022): per system, task and corpus, over the sentences with a name and a word of the
task's own emotion,

    logit μ = β₀ + β₁ · minority + β₂ · female + β₃ · minority · female

All submissions of a task are fitted at once, from sums over the design's cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl

from tiltmeter.measures.matrix import ScoreMatrix, Scores, score_matrix
from tiltmeter.measures.regression.design import codes_of, design_of
from tiltmeter.measures.regression.found import Found, RegressionStudy, found_in, study_of
from tiltmeter.measures.regression.mixing import mixed_tables
from tiltmeter.measures.regression.model import Model, Terms, terms_of
from tiltmeter.measures.regression.parts import Part, Summed, parts_of
from tiltmeter.measures.regression.reduction import reduced
from tiltmeter.measures.stats.threads import one_thread

OF_A_RUN = ("corpus", "edition")


def regression_study(
    sentences: pl.DataFrame,
    scores: Scores,
    axes: Mapping[str, Sequence[str]],
    model: Model | None = None,
    *,
    mode: str = "corrected",
    subset: str | None = None,
    whole: pl.DataFrame | None = None,
) -> RegressionStudy:
    """Fit every submission's scores; `axes` has the groups of each axis, the reference last.

    Without a subset, a task about an emotion is fitted on the sentences with its words, any other
    on those without an emotion word, as in the paper; a subset, `all` too, is taken as it is.
    `whole` is what the sentences were drawn from, where they are a sample: it tells which emotions
    there are.
    """
    model = model or Model()
    terms = terms_of(model, axes)
    matrix = score_matrix(scores, sentences)
    drawn_from = sentences if whole is None else whole
    tasks = matrix.submissions["task"]
    with one_thread():
        found = [
            _found(part, sentences, matrix, terms, mixed=model.errors == "mixed")
            for part in parts_of(sentences, tasks, terms.formula.axes, subset, drawn_from)
        ]
    of = {name: str(sentences[name][0]) if sentences.height else "" for name in OF_A_RUN}
    return study_of(found, matrix.submissions, terms, {**of, "mode": mode})


def _found(
    part: Part, sentences: pl.DataFrame, matrix: ScoreMatrix, terms: Terms, *, mixed: bool
) -> Found:
    """Sum the scores of one part and fit it."""
    mine = sentences[part.columns]
    design = design_of(mine, terms.formula, terms.by_axis)
    values = matrix.values[np.ix_(part.rows, part.columns)]
    atoms = reduced(values, design.atom, len(design.cell))
    summed = Summed(part.subset, part.rows, mine.height, design, atoms)
    more = None
    if mixed:
        more = partial(mixed_tables, design=design, values=values, frame=codes_of(mine["frame"]))
    return found_in(summed, matrix.submissions, terms, more)
