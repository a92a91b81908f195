"""The page of a reproduction: skill beside the paper's, tilt, where it was learned."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.charts import can_draw
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, interval, points
from tiltmeter.report.page import own_text, policy, rendered, trusted
from tiltmeter.schemas import Significance
from tiltmeter.studies.regression.figures import language_figure_names
from tiltmeter.studies.regression.wording import LANGUAGES
from tiltmeter.studies.training.reproduction_tables import (
    MARKS,
    TASKS,
    ResultCell,
    ResultRow,
    Results,
    ResultTable,
    compared_groups,
    found_by_regression,
    language_blocks,
    languages_of,
    paper_tables,
    tasks_of,
    tweet_readers,
)

# ---- where svm-unigrams learned its tilt, beside Kiritchenko & Mohammad 2018, §6


SHOWN_WORDS = 5
SECTION_6 = {
    ("gender", "anger"): "down", ("gender", "fear"): "down", ("gender", "sadness"): "down",
    ("gender", "valence"): "up", ("race", "anger"): "down", ("race", "fear"): "down",
    ("race", "joy"): "down", ("race", "sadness"): "down", ("race", "valence"): "up",
}  # fmt: skip
"""K&M 2018, §6, of their SVM-Unigrams: up where sentences about women, or with African American
names, are scored higher. The paper does not say what it saw for gender and joy."""


def section_6(results: Results) -> list[tuple[str, str, str, str, str, str]]:
    """task, axis, mean difference, spread, what the paper saw, and whether we see it too."""
    rows = results.tilts.filter(system="svm-unigrams-en", corpus="eec")
    told = []
    for row in rows.iter_rows(named=True):
        paper = SECTION_6.get((row["axis"], row["task"]))
        ours = "up" if row["value"] > 0 else "down" if row["value"] < 0 else "none"
        seen = "not said" if paper is None else "the same" if paper == ours else "the other way"
        if paper is not None and row["significance"] not in MARKS:
            seen = "no difference detected"
        higher = {"up": row["about_first"], "down": row["about_second"]}
        told.append((
            row["task"], row["axis"], points(row["value"]), points(row["spread"]),
            f"higher {higher[paper]}" if paper else "not said", seen,
        ))  # fmt: skip
    return sorted(told, key=lambda one: (one[1], TASKS.index(one[0])))


def directions(rows: list[tuple[str, str, str, str, str, str]]) -> str:
    """How many of the paper's directions are seen here, in words."""
    seen = [row[-1] for row in rows if row[-1] != "not said"]
    same, other = seen.count("the same"), seen.count("the other way")
    return (
        f"Of the {len(seen)} directions that they report for these tasks, {same} are the same here "
        f"and {other} the other way; for {len(seen) - same - other} no difference is detected."
    )


def word_blocks(results: Results) -> Iterator[tuple[str, list[tuple[str, str, int, str]]]]:
    """For each task the person words that weigh most: word, weight, texts, their mean score."""
    if results.words is None:
        return
    for task in tasks_of(results.words):
        known = results.words.filter(task=task).drop_nulls("weight")
        heavy = known.sort(pl.col("weight").abs(), descending=True).head(SHOWN_WORDS)
        yield task, [
            (word, fixed(weight, 3), texts, DASH if mean is None else fixed(mean, 2))
            for word, weight, texts, mean in heavy.select(
                "word", "weight", "texts", "mean_score").iter_rows()
        ]  # fmt: skip


# ---- skill, beside Table 2 of Câmara et al. 2022


NEAR = 0.05
"""How far below a published correlation still counts as the same."""


def skill_blocks(results: Results) -> Iterator[ResultTable]:
    """Table 2 of Câmara et al. 2022, a block a language: ours, then theirs."""
    for code in languages_of(results.skill):
        ours = results.skill.filter(language=code)
        theirs = results.published.filter(language=code)
        tasks = tasks_of(ours)
        rows = [*_our_skill(ours, tasks), *_their_skill(theirs, tasks)]
        says = tuple(_skill_says(ours, theirs))
        yield ResultTable(LANGUAGES.get(code, code), tuple(tasks), tuple(rows), says)


def _our_skill(ours: pl.DataFrame, tasks: list[str]) -> Iterator[ResultRow]:
    found = {(row["system"], row["task"]): row for row in ours.iter_rows(named=True)}
    best = {
        task: max((r["test_pearson"] or -1 for r in found.values() if r["task"] == task), default=0)
        for task in tasks
    }
    for system in ours["system"].unique(maintain_order=True):
        cells = []
        for task in tasks:
            row = found.get((system, task))
            r = row["test_pearson"] if row else None
            if row is None or r is None:
                cells.append(ResultCell(DASH))
                continue
            spread = f"{fixed(row['test_pearson_low'], 2)} to {fixed(row['test_pearson_high'], 2)}"
            cells.append(ResultCell(fixed(r, 3), spread, "best" if r == best[task] else ""))
        yield ResultRow(system, tuple(cells))


def _their_skill(theirs: pl.DataFrame, tasks: list[str]) -> Iterator[ResultRow]:
    found = {(name, task): r for name, task, r in theirs.select("name", "task", "pearson").rows()}
    for name in theirs["name"].unique(maintain_order=True):
        r_of = [found.get((name, task)) for task in tasks]
        cells = tuple(ResultCell(DASH if r is None else fixed(r, 3)) for r in r_of)
        yield ResultRow(name, cells, published=True)


def _skill_says(ours: pl.DataFrame, theirs: pl.DataFrame) -> Iterator[str]:
    """What the two tables come to, a sentence a comparison."""
    paired = theirs.drop_nulls("ours").join(
        ours.select(ours="system", task="task", r="test_pearson"), on=["ours", "task"]
    ).drop_nulls("r")  # fmt: skip
    for (system, name), rows in paired.group_by("ours", "name", maintain_order=True):
        gap = rows.with_columns(gap=pl.col("r") - pl.col("pearson"))
        kept = gap.filter(pl.col("gap") > -NEAR).height
        worst = gap.sort("gap").row(0, named=True)
        how = "above" if worst["gap"] >= 0 else "below"
        yield (
            f"{system} is within {NEAR:g} of the paper’s {name} or above it in {kept} of "
            f"{count(gap.height, 'emotion')}; at worst it is {fixed(abs(worst['gap']), 3)} {how} "
            f"({worst['task']}: {fixed(worst['r'], 3)}, published {fixed(worst['pearson'], 3)})."
        )
    bert = theirs.filter(name="BERT+").select("task", bert="pearson")
    frozen = ours.filter(recipe="encoder-mlp").join(bert, on="task").drop_nulls("test_pearson")
    for (system,), rows in frozen.group_by("system", maintain_order=True):
        above = rows.filter(pl.col("test_pearson") > pl.col("bert")).height
        yield (
            f"{system}, another frozen encoder with the same kind of head, is above the paper’s "
            f"BERT+ in {above} of {count(rows.height, 'emotion')}."
        )


def sample_size(skill: pl.DataFrame) -> str:
    """How many texts the test sets have, and how wide that leaves a correlation's interval."""
    known = skill.drop_nulls("test_pearson")
    if known.is_empty():
        return ""
    texts: list[int] = known["test_n"].to_list()
    spreads = known.select(pl.col("test_pearson_high") - pl.col("test_pearson_low"))
    halves: list[float] = [spread / 2 for (spread,) in spreads.iter_rows()]
    of = f"{min(texts):,}" if len(set(texts)) == 1 else f"{min(texts):,} to {max(texts):,}"
    wide = f"±{fixed(min(halves), 2)} to ±{fixed(max(halves), 2)}"
    return f"Each here has {of} tweets, so a correlation’s interval is {wide}."


def best_systems(skill: pl.DataFrame) -> Iterator[str]:
    """Which system agrees best with people, in each language."""
    known = skill.drop_nulls("test_pearson")
    for (code,), rows in known.group_by("language", maintain_order=True):
        r = pl.col("test_pearson")
        ranked = rows.group_by("system", maintain_order=True).agg(
            mean=r.mean(), low=r.min(), high=r.max()
        )
        best = ranked.sort("mean", descending=True).row(0, named=True)
        yield (
            f"In {LANGUAGES.get(str(code), code)}, {best['system']} agrees best with what people "
            f"said of the tweets: r from {fixed(best['low'], 2)} to {fixed(best['high'], 2)}."
        )


def unskilled(skill: pl.DataFrame) -> str:
    """The models whose interval holds 0: their tilt says little."""
    rows = skill.filter(pl.col("test_pearson_low") <= 0)
    return ", ".join(f"{system} ({task})" for system, task in rows.select("system", "task").rows())


# ---- tilt, a table a corpus and axis, and beside skill


def beside_blocks(results: Results) -> Iterator[ResultTable]:
    """Skill beside tilt, a table a language: a system's mean over its tasks and corpora."""
    size = pl.col("value").abs().mean()
    detected = pl.col("significance").is_in(list(MARKS)).sum()
    for code in languages_of(results.tilts):
        tilts = results.tilts.filter(language=code)
        axes = tilts["axis"].unique(maintain_order=True).to_list()
        known = dict(
            results.skill.filter(language=code).group_by("system")
            .agg(pl.col("test_pearson").mean()).iter_rows()
        )  # fmt: skip
        rows = []
        for (system,), own in tilts.group_by("system", maintain_order=True):
            r = known.get(system)
            cells = [ResultCell(DASH if r is None else fixed(r, 2))]
            cells += [
                ResultCell(points(own.filter(axis=axis).select(size).item())) for axis in axes
            ]
            cells.append(ResultCell(f"{own.select(detected).item()} of {own.height}"))
            rows.append(ResultRow(str(system), tuple(cells)))
        columns = ("mean skill", *(f"{axis}, points" for axis in axes), "detected")
        yield ResultTable(LANGUAGES.get(code, code), columns, tuple(rows))


def tilt_blocks(results: Results) -> Iterator[ResultTable]:
    """A table a corpus and axis: systems down, tasks across, mean difference in points."""
    keys = ("corpus", "title", "axis", "about_first", "about_second", "language")
    for key, rows in results.tilts.group_by(*keys, maintain_order=True):
        _, title, _, first, second, code = key
        tasks = tasks_of(rows)
        found = {(row["system"], row["task"]): row for row in rows.iter_rows(named=True)}
        shown = tuple(
            ResultRow(system, tuple(_difference(found.get((system, task))) for task in tasks))
            for system in rows["system"].unique(maintain_order=True)
        )
        yield ResultTable(
            f"{title}: sentences {first}, compared with the same {second}",
            tuple(tasks), shown, (_count(rows, str(first)),), results.reports.get(str(code), ""),
        )  # fmt: skip


def _difference(row: dict[str, float | str] | None) -> ResultCell:
    if row is None or row["value"] is None:
        return ResultCell(DASH)
    kind = str(row["significance"])
    shown = points(float(row["value"]))
    below = ""
    if row["low"] is not None and row["high"] is not None:
        ends = float(row["low"]), float(row["high"])
        below = " to ".join(interval(float(row["value"]), *ends, POINTS)[1:])
    mark = kind if kind in MARKS else ""
    return ResultCell(f"{MARKS.get(kind, '')} {shown}".strip(), below, mark)


def _count(rows: pl.DataFrame, first: str) -> str:
    up, down = (
        rows.filter(significance=kind).height for kind in (Significance.UP, Significance.DOWN)
    )
    none = rows.height - up - down
    return (
        f"Of {count(rows.height, 'model')}, {up} score sentences {first} higher and {down} lower; "
        f"for {none} no difference is detected."
    )


def largest_tilts(tilts: pl.DataFrame) -> Iterator[str]:
    """By each axis how often a difference is detected, and the largest, in words."""
    for (axis,), rows in tilts.group_by("axis", maintain_order=True):
        detected = rows.filter(pl.col("significance").is_in([Significance.UP, Significance.DOWN]))
        often = f"By {axis} a difference is detected in {detected.height} of {rows.height}"
        if detected.is_empty():
            yield f"{often} comparisons."
            continue
        top = detected.sort(pl.col("value").abs(), descending=True).row(0, named=True)
        higher, lower = top["about_first"], top["about_second"]
        if top["value"] < 0:
            higher, lower = lower, higher
        yield (
            f"{often} comparisons. The largest: {top['system']} scores {top['task']} "
            f"{points(abs(top['value']))} points of 100 higher in sentences {higher} than in the "
            f"same {lower} ({top['title']})."
        )


# ---- the whole page


def results_page(results: Results) -> str:
    """The whole page, self-contained."""
    css = f"{own_text('page.css')}\n{own_text('results.css')}"
    return rendered(
        "results.html",
        results=results,
        models=results.skill.height,
        languages=[LANGUAGES.get(code, code) for code in languages_of(results.skill)],
        skill=list(skill_blocks(results)),
        beside=list(beside_blocks(results)),
        tilts=list(tilt_blocks(results)),
        found=[*best_systems(results.skill), *largest_tilts(results.tilts)],
        unskilled=unskilled(results.skill),
        directions=directions(section_6(results)),
        recipes=set(results.skill["recipe"]),
        section_6=section_6(results),
        margins=paper_tables(results),
        regression=list(found_by_regression(results)),
        by_language=list(language_blocks(results)),
        compared_groups=compared_groups(results),
        tweet_readers=tweet_readers(results),
        drawn=_drawn(results),
        words=list(word_blocks(results)),
        sample=sample_size(results.skill),
        near=NEAR,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _drawn(results: Results) -> set[str]:
    """The figures of two languages that stand beside the page."""
    if not can_draw():
        return set()
    return {one.name for one in language_figure_names(results.languages)}
