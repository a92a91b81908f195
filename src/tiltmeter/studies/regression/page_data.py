"""What the page draws of a submission's regression when it is opened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.report.numbers import DASH, POINTS, SCALE, bare_p, decimals, fixed, points, short
from tiltmeter.report.scale import SymmetricScale
from tiltmeter.schemas import Significance
from tiltmeter.studies.paired.page_data import script_safe, signed
from tiltmeter.studies.paired.submissions import ShownSubmission
from tiltmeter.studies.paired.wording import told_from_above
from tiltmeter.studies.regression.plot import (
    PRECISION,
    Fit,
    Numbers,
    Plot,
    Regression,
    ShownEffect,
    titles,
)
from tiltmeter.studies.regression.wording import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    MARGINAL_NAIVE,
    TOTAL,
    TOTAL_EFFECT,
    stars,
)

SHOWN = (
    COEFFICIENT, COEFFICIENT_NAIVE, COEFFICIENT_MIXED, MARGINAL, MARGINAL_NAIVE, MARGINAL_MIXED,
    LEAST_SQUARES, TOTAL, TOTAL_EFFECT, PRECISION,
)  # fmt: skip
"""The measures of a submission's own table."""
NOTHING = 1e-6
"""A difference of less, in parts of the scale, is none."""
AT = "*at"
"""A name's place, in a column that no axis can be called like."""
OF_A_FIT = ("subset", "n", "n_dropped", "people", "templates", "clipped", "edge", "precision",
            "iterations", "converged", "reason")  # fmt: skip


def embedded_fits(
    found: Sequence[Regression],
    of: Sequence[ShownSubmission],
    drawn: Sequence[Plot],
    scale: SymmetricScale,
) -> tuple[str, dict[int, str]]:
    """What all regressions have in common, and an entry by each submission's place on the page."""
    common = {
        "limit": scale.limit,
        "measures": SHOWN,
        "corpora": {one.corpus: _common(one) for one in found},
        "plots": [plot.order for plot in drawn],
    }
    placed = {(one.corpus, one.system, one.task): one.nth for one in of}
    entries = {
        placed[one.corpus, fit.system, fit.task]: script_safe(entry)
        for one in found
        for fit, entry in zip(one.fits, _entries(one), strict=True)
    }
    return script_safe(common), entries


def _common(one: Regression) -> dict[str, Any]:
    effects = [
        {"title": title, "full": full, "more": effect.more, "less": effect.less,
         "product": effect.product, "whole": effect.whole}
        for effect, title, full in zip(
            one.effects, titles(one.effects, full=False), titles(one.effects), strict=True
        )
    ]  # fmt: skip
    people = _people(one)
    return {
        "formula": one.regressed.formula,
        "axes": one.axes,
        "phrases": [
            {group: one.compared.phrase(axis.name, group) for group in axis.groups}
            for name in one.axes
            for axis in one.compared.axes
            if axis.name == name
        ],
        "main": one.main,
        "behind": one.behind,
        "effects": effects,
        "people": people["person"].to_list(),
        "groups": [list(row) for row in people.select(one.axes).rows()],
    }


def _people(one: Regression) -> pl.DataFrame:
    return one.regressed.people.select("person", *one.axes).unique(maintain_order=True)


def _entries(one: Regression) -> list[dict[str, Any]]:
    """Every fit's own numbers, in the order of the fits."""
    of = ["system", "task"]
    groups = one.regressed.groups.partition_by(of, as_dict=True)
    named = one.regressed.people.join(
        _people(one).with_row_index(AT), on=["person", *one.axes], how="left"
    )
    people = named.partition_by(of, as_dict=True)
    many = _people(one).height
    return [
        _facts(fit, one)
        | {"groups": _groups(groups.get((fit.system, fit.task)), one)}
        | _names(people.get((fit.system, fit.task)), fit, one.effects, many)
        for fit in one.fits
    ]


def _facts(fit: Fit, one: Regression) -> dict[str, Any]:
    facts = {name: _short(fit.facts[name]) for name in OF_A_FIT}
    facts["precision"] = None if facts["precision"] is None else short(fit.facts["precision"])
    if fit.reason:
        return facts
    return facts | {
        "drawn": [_drawn(fit, effect, one) for effect in one.effects],
        "said": [
            [_said(fit.number(effect, measure)) for measure in SHOWN] for effect in one.effects
        ],
    }


def _drawn(fit: Fit, effect: ShownEffect, one: Regression) -> list[Any]:
    """Value, interval, interval behind, p after correction and significance of a mark."""
    main, behind = fit.number(effect, one.main), fit.number(effect, one.behind)
    told: Mapping[str, Any] = fit.told.get(effect.key, {})
    amount, between = _from_above(main)
    return [
        *(_short(main[name]) if main else None for name in ("value", "low", "high")),
        *(_short(behind[name]) if behind else None for name in ("low", "high")),
        _short(told.get("p_adjusted")),
        told.get("significance", Significance.NOT_ESTIMABLE),
        amount,
        between,
    ]


def _from_above(main: Numbers | None) -> tuple[str, str]:
    """The size of an effect and its interval, told from the side that is scored higher."""
    if main is None or main["value"] is None:
        return DASH, ""
    value, low, high = main["value"], main["low"], main["high"]
    if low is None or high is None:
        return points(abs(value)), ""
    amount, start, end = told_from_above(value, low, high, SCALE)
    return amount, f"{start} to {end}"


def _said(row: Numbers | None) -> dict[str, str] | None:
    """An effect's numbers as they are read: on the scale, and as a coefficient."""
    if row is None:
        return None
    low, high, df = row["low"], row["high"], row["df"]
    between = DASH
    if low is not None and high is not None:
        places = decimals(POINTS * (high - low) / 2)
        between = f"{fixed(POINTS * low, places)} to {fixed(POINTS * high, places)}"
    return {
        "points": points(row["value"]), "between": between, "p": bare_p(row["p"]),
        "beta": DASH if row["value"] is None else fixed(row["value"], 3),
        "error": DASH if row["se"] is None else fixed(row["se"], 3),
        "df": DASH if df is None else fixed(df, 1), "stars": stars(row["p"]),
    }  # fmt: skip


def _groups(frame: pl.DataFrame | None, one: Regression) -> list[list[Any]]:
    """Every group with its sentences, names and mean score."""
    if frame is None:
        return []
    rows = frame.select(*one.axes, "n", "people", "mean").rows()
    return [[*row[:-1], _short(row[-1]), _mean(row[-1])] for row in rows]


def _names(
    frame: pl.DataFrame | None, fit: Fit, effects: Sequence[ShownEffect], many: int
) -> dict[str, Any]:
    """Every name's mean score, and by effect how much lower it would be without the name."""
    if frame is None:
        return {"means": None, "pulls": []}
    means, pulls = np.full(many, np.nan), np.full((len(effects), many), np.nan)
    places = {effect.key: nth for nth, effect in enumerate(effects)}
    for at, axis, contrast, mean, pull in frame.select(
        AT, "axis", "contrast", "mean", "pull"
    ).rows():
        means[at] = np.nan if mean is None else mean
        pulls[places[axis, contrast], at] = np.nan if pull is None else pull
    packed = [signed(means), *map(signed, pulls)]
    made = [[one.text, one.step] for one in packed]
    mains = [fit.number(effect, MARGINAL) if not fit.reason else None for effect in effects]
    return {
        "means": made[0],
        "pulls": made[1:],
        "saidMeans": [_mean(mean) for mean in means.tolist()],
        "without": [
            _without(None if main is None else main["value"], own, effect)
            for main, own, effect in zip(mains, pulls, effects, strict=True)
        ],
    }


def _mean(score: float | None) -> str:
    return DASH if score is None or math.isnan(score) else fixed(POINTS * score, 1)


def _without(
    now: float | None, pulls: NDArray[np.float64], effect: ShownEffect
) -> dict[str, Any] | None:
    """An effect in words; for each name what it would be without it, in points and in words."""
    if now is None:
        return None
    left = (now - pulls).tolist()
    return {
        "now": _leaning(now, effect),
        "points": [DASH if math.isnan(value) else points(value) for value in left],
        "words": [DASH if math.isnan(value) else _left_over(now, value, effect) for value in left],
    }


def _leaning(value: float, effect: ShownEffect) -> str:
    if abs(value) < NOTHING:
        return "0"
    return f"{points(abs(value))} points, {effect.more if value > 0 else effect.less}"


def _left_over(now: float, left: float, effect: ShownEffect) -> str:
    """What an effect would be; its direction only where that changes."""
    same = left * now > 0 and abs(left) >= NOTHING
    return f"{points(abs(left))} points" if same else _leaning(left, effect)


def _short(value: Any) -> Any:  # noqa: ANN401
    return float(f"{value:.5g}") if isinstance(value, float) else value
