"""What the page draws of a submission's regression when it is opened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import (
    DASH,
    POINTS,
    bare_p,
    count,
    decimals,
    fixed,
    points,
    short,
    unbroken,
)
from tiltmeter.report.page import script_json
from tiltmeter.studies.paired.packing import signed
from tiltmeter.studies.paired.submissions import ShownSubmission
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    MARGINAL_NAIVE,
    PRECISION,
    TOTAL,
    TOTAL_EFFECT,
)
from tiltmeter.studies.regression.forests import (
    EffectPlot,
    Fit,
    Numbers,
    Regression,
    ShownEffect,
    titles,
)
from tiltmeter.studies.regression.wording import stars

SHOWN = (
    COEFFICIENT, COEFFICIENT_NAIVE, COEFFICIENT_MIXED, MARGINAL, MARGINAL_NAIVE, MARGINAL_MIXED,
    LEAST_SQUARES, TOTAL, TOTAL_EFFECT, PRECISION,
)  # fmt: skip
"""The measures of a submission's own table."""
NOTHING = 1e-6
"""A difference of less, in parts of the scale, is none."""
AT = "*at"
"""A name's place, in a column that no axis can be called like."""
PULLING = 3
"""Names that are said to move an effect most."""
REGRESSION_WORDS: dict[str, Any] = {
    "numbers": "Coefficients",
    "over": ["In points of 100", "Coefficient on the logit", "Mixed model", "Least squares"],
    "system": "System",
    "effect": "Effect",
    "heads": {
        "effect": "effect", "interval": "95 % interval", "p": "p", "naive": "p, naive",
        "beta": "β", "error": "error", "df": "df", "points": "points",
    },
    "reading": "Effects in points are averaged over the groups of the other axes. A coefficient, β "
    "or of least squares, is the difference where the other axes are at their reference; the two "
    "may even differ in sign. Naive: as if all sentences were independent. All at once: all groups "
    "of a product beside all their references. Error: standard error; df: its degrees of freedom. "
    "All p-values are before correction; stars: *** p ≤ 0.01, ** p ≤ 0.05, * p ≤ 0.10.",
    "groups": "What it is made of",
    "means": "Mean score of each group’s sentences, in points of 100",
    "names": "The names that pull it",
    "aboutNames": "Each dot is a name’s mean score, the bar its group’s mean. The larger dots are "
    "the names that move an effect most; below stands what it would be without each.",
    "everyName": "Every name",
    "nameTable": "Names",
}  # fmt: skip
"""Every word of the script about regressions."""


def embedded_fits(
    found: Sequence[Regression],
    of: Sequence[ShownSubmission],
    drawn: Sequence[EffectPlot],
    told: Mapping[int, Sequence[str]],
    title: str,
) -> tuple[str, dict[int, str]]:
    """What all regressions have in common, and an entry by each submission's place on the page.

    `told` are the findings in words, by that place; `title` is the section's.
    """
    rows = sum(len(plot.order) for plot in drawn)
    common = {
        "title": title,
        "words": REGRESSION_WORDS,
        "measures": SHOWN,
        "rows": f"{{n}} of {count(rows, 'row')}",
        "corpora": {one.corpus: _common(one) for one in found},
        "plots": [plot.order for plot in drawn],
    }
    placed = {(one.corpus, one.system, one.task): one.nth for one in of}
    entries: dict[int, str] = {}
    for one in found:
        groups = one.regressed.groups.partition_by("system", "task", as_dict=True)
        every = _people(one)
        people = one.regressed.people.join(
            every.with_row_index(AT), on=["person", *one.axes], how="left"
        ).partition_by("system", "task", as_dict=True)
        for fit in one.fits:
            key, nth = (fit.system, fit.task), placed[one.corpus, fit.system, fit.task]
            means = [] if key not in groups else groups[key].select(
                *one.axes, "n", "people", "mean"
            ).rows()  # fmt: skip
            entries[nth] = script_json({
                "reason": f"Cannot be estimated, because {fit.reason}." if fit.reason else "",
                "from": _from(fit),
                "said": None if fit.reason else [
                    [_said(fit.number(effect, measure)) for measure in SHOWN]
                    for effect in one.effects
                ],
                "means": _means(means, one),
                "names": _names(people[key], every, means, fit, one) if key in people else None,
                "told": [] if fit.reason else list(map(unbroken, told.get(nth, ()))),
            })  # fmt: skip
    return script_json(common), entries


def _common(one: Regression) -> dict[str, Any]:
    short_titles = titles(one.effects, full=False)
    people = _people(one)
    signs = (
        f"{title}: plus, {effect.more}; minus, {effect.less}. "
        for effect, title in zip(one.effects, short_titles, strict=True)
    )
    return {
        "effects": [
            {
                "title": title, "whole": effect.whole,
                "signs": f"plus: {effect.more}; minus: {effect.less}",
                "total": f"{title}, all at once", "spread": f"{title}, on the spread (log φ)",
            }
            for effect, title in zip(one.effects, short_titles, strict=True)
        ],
        "signs": "".join(signs),
        "people": people["person"].to_list(),
        "groups": [list(row) for row in people.select(one.axes).rows()],
        "heads": [
            ["Name", *one.axes],
            [
                "Mean score, points",
                *(f"{title} without the name, points" for title in short_titles),
            ],
        ],
    }  # fmt: skip


def _people(one: Regression) -> pl.DataFrame:
    return one.regressed.people.select("person", *one.axes).unique(maintain_order=True)


def _from(fit: Fit) -> str:
    """What a fit was made from, and how it ended."""
    facts = fit.facts
    on = {
        "own-emotion": f"sentences with a word of {fit.task}",
        "neutral": "sentences without an emotion word",
        "all": "sentences",
    }.get(facts["subset"], f"sentences of the subset {facts['subset']}")
    dropped = f", {facts['n_dropped']:,} more without a score" if facts["n_dropped"] else ""
    names, templates = count(facts["people"], "name"), count(facts["templates"], "template")
    said = f"From {facts['n']:,} {on}{dropped}: {names} in {templates}."
    if not fit.reason:
        precision = facts["precision"]
        spread = "" if precision is None else f"; precision φ {short(precision)}"
        said += f" Converged in {count(facts['iterations'], 'step')}{spread}."
    if facts["edge"]:
        beyond = f", {facts['clipped']:,} of them from beyond," if facts["clipped"] else ""
        said += f" {count(facts['edge'], 'score')} at 0 or 1{beyond} made all be squeezed inwards."
    return said


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


def _means(rows: Sequence[tuple[Any, ...]], one: Regression) -> dict[str, Any] | None:
    """Every group's mean score and of how many: a line a group, or two axes against each other."""
    if not rows:
        return None
    cells = {
        groups: None if mean is None else [
            _mean(mean), f"{count(n, 'sentence')}, {count(people, 'name')}"
        ]
        for *of, n, people, mean in rows
        if (groups := tuple(of))
    }  # fmt: skip
    if len(one.axes) != 2:
        return {
            "heads": [],
            "rows": [[_phrases(groups, one), [cell]] for groups, cell in cells.items()],
        }
    down, across = (dict.fromkeys(groups[axis] for groups in cells) for axis in (0, 1))
    return {
        "heads": [_phrase(one, 1, group) for group in across],
        "rows": [
            [_phrase(one, 0, group), [cells.get((group, other)) for other in across]]
            for group in down
        ],
    }


def _phrase(one: Regression, axis: int, group: str) -> str:
    named = next((each for each in one.compared.corpus.axes if each.name == one.axes[axis]), None)
    known = named is not None and group in named.groups
    return one.compared.phrase(one.axes[axis], group) if known else group


def _phrases(groups: Sequence[str], one: Regression) -> str:
    return ", ".join(_phrase(one, axis, group) for axis, group in enumerate(groups))


def _names(
    frame: pl.DataFrame,
    people: pl.DataFrame,
    groups: Sequence[tuple[Any, ...]],
    fit: Fit,
    one: Regression,
) -> dict[str, Any] | None:
    """Every name's mean score, by group; and by effect what it would be without the name.

    `frame` has the fit's own numbers, `people` everybody of the corpus; None without a mean score.
    """
    means, pulls = (
        np.full(shape, np.nan) for shape in (people.height, (len(one.effects), people.height))
    )
    places = {effect.key: nth for nth, effect in enumerate(one.effects)}
    columns = (AT, "axis", "contrast", "mean", "pull")
    for at, axis, contrast, mean, moved in frame.select(*columns).rows():
        means[at] = np.nan if mean is None else mean
        pulls[places[axis, contrast], at] = np.nan if moved is None else moved
    if np.isnan(means).all():
        return None
    order = [
        nth
        for nth in np.argsort(coarsen(means), kind="stable").tolist()
        if not np.isnan(means[nth])
    ]
    said, packed = [_mean(mean) for mean in means.tolist()], signed(means)
    large, pulling, without = set[int](), list[list[str | int]](), list[list[str] | None]()
    for effect, title, pull in zip(
        one.effects, titles(one.effects, full=False), pulls, strict=True
    ):
        # The few names that move an effect most, none by less than a quarter of the most.
        sizes = np.nan_to_num(np.abs(pull))
        most = np.argsort(-coarsen(sizes), kind="stable")[:PULLING].tolist()
        strongest = [nth for nth in most if sizes[nth] > max(NOTHING, sizes[most[0]] / 4)]
        large.update(strongest)
        main = None if fit.reason else fit.number(effect, MARGINAL)
        if main is None:
            without.append(None)
            continue
        now, left = main["value"], (main["value"] - pull).tolist()
        without.append([DASH if math.isnan(value) else points(value) for value in left])
        if strongest:  # pieces of text; a number stands for a name
            pulling.append([title, f" is {_leaning(now, effect)}. Without “"])
        for nth in strongest:
            same = left[nth] * now > 0 and abs(left[nth]) >= NOTHING
            would = f"{points(abs(left[nth]))} points" if same else _leaning(left[nth], effect)
            after = "." if nth == strongest[-1] else "; without “"
            pulling[-1] += [nth, f"”: {would}{after}"]
    of, persons = people.select(one.axes).rows(), people["person"].to_list()
    return {
        "means": [packed.text, packed.step],
        "said": said,
        "ends": [said[order[0]], f"{said[order[-1]]} points"],
        "large": sorted(large),
        "groups": [
            {
                "title": (title := _phrases(row[:-3], one)),
                "mean": row[-1] if row[-1] is None else float(f"{row[-1]:.5g}"),
                "names": mine,
                "label": f"{title}: {count(len(mine), 'name')}, from {persons[mine[0]]} "
                f"{said[mine[0]]} to {persons[mine[-1]]} {said[mine[-1]]}, mean {_mean(row[-1])}",
            }
            for row in groups
            if (mine := [nth for nth in order if of[nth] == row[:-3]])
        ],
        "pulling": pulling,
        "without": without,
    }


def _mean(score: float | None) -> str:
    return DASH if score is None or math.isnan(score) else fixed(POINTS * score, 1)


def _leaning(value: float, effect: ShownEffect) -> str:
    if abs(value) < NOTHING:
        return "0"
    return f"{points(abs(value))} points, {effect.more if value > 0 else effect.less}"
