"""Race, gender and their product, told apart: Beta regression for every submission of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from tiltmeter.claims.estimates import EstimateBlock, estimates_table
from tiltmeter.scoring.matrix import SCALE, ScoreMatrix, Scores, score_matrix
from tiltmeter.stats.mixed import fit_mixed
from tiltmeter.stats.moments import one_thread
from tiltmeter.studies.regression.design import (
    FittedSentences,
    RegressionDesign,
    Summed,
    codes_of,
    design_of,
    parts_of,
    precision_columns,
    precision_effects,
    reduced,
    squeezed,
)
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    MIXED,
    EffectTable,
    blocks,
    groups_table,
    people_table,
    tables_of,
)
from tiltmeter.studies.regression.errors import DUST, STEEPEST, estimated, group_means
from tiltmeter.studies.regression.fit import FITS, Fitted, fit_part, fits_table
from tiltmeter.studies.regression.formula import CoefficientRow, Model, ModelTerms, terms_of

# ---- from sums over atoms to what a study tells: fitted, laid out, put together


@dataclass(frozen=True, slots=True)
class RegressionStudy:
    """One corpus' regressions."""

    formula: str
    effects: tuple[tuple[str, str, str], ...]
    """Axis, contrast and reference of every row of a table of coefficients."""
    fits: pl.DataFrame
    """A row a submission: what it was fitted on, how that went, and why there is no fit."""
    groups: pl.DataFrame
    """system, task, a column per axis, n, people, mean, fitted: the means behind the coefficients.
    """
    people: pl.DataFrame
    """system, task, person, a column per axis, n, mean, axis, contrast, pull: how much lower the
    marginal effect would be without the person's sentences."""
    estimates: pl.DataFrame
    """As the `estimates` table."""


@dataclass(frozen=True, slots=True)
class RegressionPartResult:
    """What was found in one part."""

    effects: tuple[CoefficientRow, ...]
    fits: pl.DataFrame
    groups: pl.DataFrame
    people: pl.DataFrame
    blocks: list[EstimateBlock]


def found_in(
    part: Summed,
    submissions: pl.DataFrame,
    terms: ModelTerms,
    mixed: Callable[[Fitted], list[EffectTable]] | None = None,
) -> RegressionPartResult:
    """Fit one part and lay out what was found; `submissions` are those of the whole study.

    `mixed` makes the tables of the mixed model, where they are wanted.
    """
    design, atoms = part.design, part.atoms
    mine = submissions[part.rows]
    on_scale = (mine["unit"] == SCALE).to_numpy()
    columns = precision_columns(terms.spread, terms.by_axis, design)
    fitted = fit_part(atoms, design, columns, on_scale, part.subset)
    tables, pull = tables_of(
        fitted,
        atoms,
        design,
        precision_effects(terms.spread, terms.by_axis, design),
        None if mixed is None else partial(mixed, fitted),
    )
    return RegressionPartResult(
        effects=design.effects,
        fits=fits_table(mine, part, fitted),
        groups=groups_table(mine, design, atoms, fitted),
        people=people_table(mine, design, atoms, pull),
        blocks=list(blocks(tables, part.subset, part.rows, atoms.n, part.size - atoms.n)),
    )


def study_of(
    found: Sequence[RegressionPartResult],
    submissions: pl.DataFrame,
    terms: ModelTerms,
    of: Mapping[str, str],
) -> RegressionStudy:
    """The parts put together; `of` has what is the same in every row: corpus, edition, mode."""
    every = [block for one in found for block in one.blocks]
    named = ((one.axis, one.name, one.second) for part in found for one in part.effects)
    return RegressionStudy(
        formula=str(terms.formula),
        effects=tuple(dict.fromkeys(named)),
        fits=pl.concat([pl.DataFrame(schema=FITS), *(one.fits for one in found)]),
        groups=pl.concat([one.groups for one in found], how="diagonal"),
        people=pl.concat([one.people for one in found], how="diagonal"),
        estimates=estimates_table(every, submissions, of),
    )


# ---- the mixed model: names and templates as random draws, linear on the logit
#     logit y = x'β + name + template + template × group + frame + e,  all but β random
# The random effects of template × group let a tilt differ from template to template, as the
# crossed errors do; without them only names would count (Barr et al. 2013). Fitted by REML. The
# logit is of each score, squeezed where some are 0 or 1, so that β is not quite that of a Beta
# regression, which is of the mean.

Array = NDArray[np.float64]


def mixed_tables(
    fitted: Fitted, design: RegressionDesign, values: Array, frame: NDArray[np.int64]
) -> list[EffectTable]:
    """The coefficients of a mixed model and what they come to in scores, for every submission.

    An effect on scores has the degrees of freedom of its coefficient. `frame` numbers the frame of
    each sentence.
    """
    fine = fitted.fine
    logit = np.full(values.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = squeezed(np.clip(values[fine], 0.0, 1.0))
        logit[fine] = np.log(inside) - np.log1p(-inside)
    rows = np.array([effect.coefficient for effect in design.effects])
    fit = fit_mixed(logit, design.mean[design.cell[design.atom]], _factors(design, frame), rows)
    means = group_means(fitted, design, fit.coefficients)
    weights = np.array([effect.groups for effect in design.effects])
    slopes = np.einsum("eg,sgp->sep", weights, means.slope)
    spread = np.einsum("sep,spq,seq->se", slopes, fit.covariance, slopes, optimize=True)
    none = (np.abs(fitted.least_squares.parameters @ rows.T) < DUST).all(axis=1)
    blind = (~fit.converged & none & _blind(logit, frame))[:, None]
    value, variance, effect, spread = (
        np.where(blind, 0.0, part)
        for part in (fit.estimate, fit.se**2, means.value @ weights.T, spread)
    )
    df = np.where(blind, np.inf, fit.df)
    return [
        EffectTable(MIXED, design.effects, estimated(value, variance, df, STEEPEST * DUST)),
        EffectTable(MARGINAL_MIXED, design.effects, estimated(effect, spread, df)),
    ]


def _blind(logit: Array, frame: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which submissions score the sentences of each frame alike, so that no spread is left."""
    same = np.ones(len(logit), np.bool_)
    for one in np.unique(frame):
        mine = logit[:, frame == one]
        low = np.fmin.reduce(mine, axis=1, initial=np.inf)
        high = np.fmax.reduce(mine, axis=1, initial=-np.inf)
        same &= high - low < DUST
    return same & np.isfinite(logit).any(axis=1)


def _factors(design: RegressionDesign, frame: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """What is random: the name, the template, the template for each group, the frame."""
    person, template = design.person[design.atom], design.template[design.atom]
    group = design.group[person]
    return [person, template, template * design.groups.height + group, frame]


# ---- race, gender and their product, told apart: Beta regression for every submission of a
# corpus Câmara et al. (2022): per system, task and corpus, over the sentences with a name and a
# word of the task's own emotion,
#     logit μ = β₀ + β₁ · minority + β₂ · female + β₃ · minority · female
# All submissions of a task are fitted at once, from sums over the design's cells.

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
    part: FittedSentences,
    sentences: pl.DataFrame,
    matrix: ScoreMatrix,
    terms: ModelTerms,
    *,
    mixed: bool,
) -> RegressionPartResult:
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


# ---- one system in two languages: whether its coefficients differ between corpora that match
# Two corpora match where they are of different languages and have the same axes and groups, as the
# English and the Spanish corpus of Anglo and Latino names do.

ENGLISH = "en"
"""The language that another is held against."""
COMPARED = (COEFFICIENT, MARGINAL, LEAST_SQUARES)
ENDS = ("corpus", "language", "value", "low", "high")
DIFFERENCES = pl.Schema(
    dict.fromkeys(
        ("system", "task", "axis", "contrast", "reference", "measure", "unit"), pl.String()
    )
    | {
        f"{name}_{side}": pl.String() if name in ("corpus", "language") else pl.Float64()
        for side in ("first", "second")
        for name in ENDS
    }
    | dict.fromkeys(("difference", "se", "low", "high", "df", "p"), pl.Float64())
)


@dataclass(frozen=True, slots=True)
class Speaks:
    """A corpus, its language, and its groups by axis."""

    corpus: str
    language: str
    axes: Mapping[str, Sequence[str]]


def matching(corpora: Sequence[Speaks]) -> list[tuple[Speaks, Speaks]]:
    """Pairs of corpora that match; English second where it is one of them."""
    found = list[tuple[Speaks, Speaks]]()
    for at, one in enumerate(corpora):
        for other in corpora[at + 1 :]:
            alike = {a: set(g) for a, g in one.axes.items()} == {
                a: set(g) for a, g in other.axes.items()
            }
            if alike and one.language != other.language:
                found.append((other, one) if one.language == ENGLISH else (one, other))
    return found


def system_in(name: str, language: str) -> str:
    """What a system is called whatever its language: `svm-tfidf-es` is svm-tfidf in Spanish.

    >>> system_in("svm-tfidf-es", "es"), system_in("my-service", "es")
    ('svm-tfidf', 'my-service')
    """
    return name.removesuffix(f"-{language}")


def between_languages(estimates: pl.DataFrame, corpora: Sequence[Speaks]) -> pl.DataFrame:
    """Every effect of a system that answers two matching corpora, and whether the two differ.

    The two are taken as independent. Where both corpora have the same names they lean the same way
    if at all, and the test is rather too careful.
    """
    rows = estimates.filter(pl.col("measure").is_in(COMPARED), pl.col("value").is_not_null())
    parts = [_pair(rows, first, second) for first, second in matching(corpora)]
    return pl.concat([pl.DataFrame(schema=DIFFERENCES), *parts])


def _pair(rows: pl.DataFrame, first: Speaks, second: Speaks) -> pl.DataFrame:
    keys = ["family", "task", "axis", "contrast", "reference", "measure", "unit"]
    ours, theirs = (_of(rows, one).select(*keys, *NUMBERS) for one in (first, second))
    both = ours.join(theirs, on=keys, suffix="_second", how="inner", maintain_order="left")
    value = both["value"].to_numpy() - both["value_second"].to_numpy()
    se = np.hypot(both["se"].to_numpy(), both["se_second"].to_numpy())
    df = _welch(both)
    with np.errstate(all="ignore"):
        t = np.where(se > 0, value / se, np.where(value == 0, 0.0, np.inf))
        half = stdtrit(df, 0.975) * se
    return both.select(
        system="family",
        **{name: pl.col(name) for name in keys[1:]},
        **_end("first", first, ""),
        **_end("second", second, "_second"),
    ).with_columns(
        difference=pl.Series(value),
        se=pl.Series(se),
        low=pl.Series(value - half),
        high=pl.Series(value + half),
        df=pl.Series(np.where(np.isfinite(df), df, np.nan)).fill_nan(None),
        p=pl.Series(2 * stdtr(df, -np.abs(t))),
    )  # fmt: skip


NUMBERS = ("value", "se", "low", "high", "df")


def _of(rows: pl.DataFrame, one: Speaks) -> pl.DataFrame:
    """A corpus' rows, under the names that systems have in every language.

    Where `svm` and `svm-es` both answer a corpus they are two systems, each under its own name.
    """
    mine = rows.filter(corpus=one.corpus)
    every = set(mine["system"])
    alone = {name: system_in(name, one.language) for name in every}
    names = {name: name if short in every else short for name, short in alone.items()}
    return mine.with_columns(family=pl.col("system").replace(names))


def _end(side: str, of: Speaks, suffix: str) -> dict[str, pl.Expr]:
    return {
        f"corpus_{side}": pl.lit(of.corpus),
        f"language_{side}": pl.lit(of.language),
    } | {f"{name}_{side}": pl.col(f"{name}{suffix}") for name in ("value", "low", "high")}


def _welch(both: pl.DataFrame) -> NDArray[np.float64]:
    """The degrees of freedom of a difference of two, as Welch's test has them."""
    parts = [
        (both[f"se{end}"].to_numpy() ** 2, both[f"df{end}"].fill_null(float("inf")).to_numpy())
        for end in ("", "_second")
    ]
    with np.errstate(all="ignore"):
        top = sum(square for square, _ in parts) ** 2
        bottom = sum(square**2 / df for square, df in parts)
        return np.where(bottom > 0, top / bottom, np.inf)
