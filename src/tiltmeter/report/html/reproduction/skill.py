"""Skill, beside Table 2 of Câmara et al. 2022."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from tiltmeter.report.html.reproduction.rows import (
    LANGUAGES,
    Block,
    Cell,
    Row,
    languages_of,
    tasks_of,
)
from tiltmeter.report.numbers import DASH, count, fixed
from tiltmeter.report.results import Results

NEAR = 0.05
"""How far below a published correlation still counts as the same."""


def skill_blocks(results: Results) -> Iterator[Block]:
    """Table 2 of Câmara et al. 2022, a block a language: ours, then theirs."""
    for code in languages_of(results.skill):
        ours = results.skill.filter(language=code)
        theirs = results.published.filter(language=code)
        tasks = tasks_of(ours)
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
