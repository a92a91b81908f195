"""The page of a reproduction: skill beside the paper's, then tilt, then where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.html.page_parts import environment, own_text, policy, trusted
from tiltmeter.report.numbers import DASH, count, fixed, points
from tiltmeter.report.results import Results

LANGUAGES = {"en": "English", "es": "Spanish", "ar": "Arabic"}
TASKS = ("anger", "fear", "joy", "sadness", "valence")
NEAR = 0.05
"""How far below a published correlation still counts as the same."""
MARKS = {"up": "▲", "down": "▼"}
SHOWN_WORDS = 5
SECTION_6 = {
    ("gender", "anger"): "down", ("gender", "fear"): "down", ("gender", "sadness"): "down",
    ("gender", "valence"): "up", ("race", "anger"): "down", ("race", "fear"): "down",
    ("race", "joy"): "down", ("race", "sadness"): "down", ("race", "valence"): "up",
}  # fmt: skip
"""K&M 2018, §6, of their SVM-Unigrams: up where sentences about women, or with African American
names, are scored higher. The paper does not say what it saw for gender and joy."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table: what is shown, what stands below it, and how it is marked."""

    text: str
    below: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table."""

    name: str
    cells: tuple[Cell, ...]
    published: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A table with a title and what it comes to, in words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    says: tuple[str, ...] = ()
    link: str = ""


def results_page(results: Results) -> str:
    """The whole page, self-contained."""
    css = own_text("page.css")
    return environment().get_template("results.html").render(
        results=results,
        models=results.skill.height,
        languages=[LANGUAGES.get(code, code) for code in _languages(results.skill)],
        skill=list(skill_blocks(results)),
        tilts=list(tilt_blocks(results)),
        overall=_overall(results.tilts),
        section_6=section_6(results),
        words=list(word_blocks(results)),
        near=NEAR,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _languages(frame: pl.DataFrame) -> list[str]:
    return frame["language"].unique(maintain_order=True).to_list()


def _tasks(frame: pl.DataFrame) -> list[str]:
    there = set(frame["task"])
    return [task for task in TASKS if task in there]


# ---------------------------------------------------------------- skill


def skill_blocks(results: Results) -> Iterator[Block]:
    """Table 2 of Câmara et al. 2022, a block a language: ours, then theirs."""
    for code in _languages(results.skill):
        ours = results.skill.filter(language=code)
        theirs = results.published.filter(language=code)
        tasks = _tasks(ours)
        rows = [*_our_skill(ours, tasks), *_their_skill(theirs, tasks)]
        says = tuple(_skill_says(ours, theirs))
        yield Block(LANGUAGES.get(code, code), tuple(tasks), tuple(rows), says)


def _our_skill(ours: pl.DataFrame, tasks: list[str]) -> Iterator[Row]:
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
                cells.append(Cell(DASH))
                continue
            spread = f"{fixed(row['test_pearson_low'], 2)} to {fixed(row['test_pearson_high'], 2)}"
            cells.append(Cell(fixed(r, 3), spread, "best" if r == best[task] else ""))
        yield Row(system, tuple(cells))


def _their_skill(theirs: pl.DataFrame, tasks: list[str]) -> Iterator[Row]:
    found = {(name, task): r for name, task, r in theirs.select("name", "task", "pearson").rows()}
    for name in theirs["name"].unique(maintain_order=True):
        r_of = [found.get((name, task)) for task in tasks]
        cells = tuple(Cell(DASH if r is None else fixed(r, 3)) for r in r_of)
        yield Row(name, cells, published=True)


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


# ---------------------------------------------------------------- tilt


def tilt_blocks(results: Results) -> Iterator[Block]:
    """A table a corpus and axis: systems down, tasks across, mean difference in points."""
    keys = ("corpus", "title", "axis", "about_first", "about_second", "language")
    for key, rows in results.tilts.group_by(*keys, maintain_order=True):
        _, title, _, first, second, code = key
        tasks = _tasks(rows)
        found = {(row["system"], row["task"]): row for row in rows.iter_rows(named=True)}
        shown = tuple(
            Row(system, tuple(_difference(found.get((system, task))) for task in tasks))
            for system in rows["system"].unique(maintain_order=True)
        )
        yield Block(
            f"{title}: sentences {first}, compared with the same {second}",
            tuple(tasks), shown, (_count(rows, str(first)),), results.reports.get(str(code), ""),
        )  # fmt: skip


def _difference(row: dict[str, float | str] | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell(DASH)
    kind = str(row["significance"])
    shown = points(float(row["value"]))
    return Cell(f"{MARKS.get(kind, '')} {shown}".strip(), "", kind if kind in MARKS else "")


def _count(rows: pl.DataFrame, first: str) -> str:
    up, down = (rows.filter(significance=kind).height for kind in ("up", "down"))
    none = rows.height - up - down
    return (
        f"Of {count(rows.height, 'submission')}, {up} score sentences {first} higher and {down} "
        f"lower; in {none} no difference is detected."
    )


def _overall(tilts: pl.DataFrame) -> str:
    """Which of the two axes differs more often: what the paper says first in its §5.3."""
    detected = pl.col("significance").is_in(["up", "down"])
    shares = {
        axis: (rows.filter(detected).height, rows.height)
        for (axis,), rows in tilts.group_by("axis", maintain_order=True)
    }
    told = [
        f"{axis} in {found} of {count(total, 'comparison')}"
        for axis, (found, total) in shares.items()
    ]
    return f"Differences are detected by {' and by '.join(told)}."


# ---------------------------------------------------------------- K&M §6


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


def word_blocks(results: Results) -> Iterator[tuple[str, list[tuple[str, str, int, str]]]]:
    """For each task the person words that weigh most: word, weight, texts, their mean score."""
    if results.words is None:
        return
    for task in _tasks(results.words):
        known = results.words.filter(task=task).drop_nulls("weight")
        heavy = known.sort(pl.col("weight").abs(), descending=True).head(SHOWN_WORDS)
        yield task, [
            (word, fixed(weight, 3), texts, DASH if mean is None else fixed(mean, 2))
            for word, weight, texts, mean in heavy.select(
                "word", "weight", "texts", "mean_score").iter_rows()
        ]  # fmt: skip
