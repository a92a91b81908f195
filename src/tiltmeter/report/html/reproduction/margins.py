"""Race, gender and their product: Tables 3 to 5 of Câmara et al. (2022), ours beside theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from tiltmeter.report.html.reproduction.rows import Block, Cell, Row
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, p_value, points
from tiltmeter.report.regression_names import (
    COEFFICIENT,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
    language_name,
)
from tiltmeter.report.regression_sides import told
from tiltmeter.report.regression_wording import parts_of
from tiltmeter.report.results import Results
from tiltmeter.report.tables.margins import EMOTIONS, Margins
from tiltmeter.report.tables.margins_published import reproduced_tables
from tiltmeter.report.tables.margins_words import effect_order, effect_title

LEVEL = 0.05
CLOSE = 0.01
"""How far a coefficient may lie from the paper's and count as near: one point of 100."""
COUNTERPART = {"encoder-mlp": ", of another frozen encoder"}
"""What must be said of a counterpart that is not the same system."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One of the paper's tables: what it comes to in words, ours and theirs, and ours alone."""

    number: int
    title: str
    says: tuple[str, ...]
    least_squares: Margins
    beta: Margins


def paper_tables(results: Results) -> list[PaperTable]:
    """Each of the paper's tables that the audits give."""
    if results.effects is None:
        return []
    found = []
    for one in reproduced_tables(results):
        mine = results.effects.filter(table=one.number)
        titles = " and ".join(mine["title"].unique(maintain_order=True))
        says = tuple(_beside(mine, results.published_effects))
        found.append(PaperTable(one.number, titles, says, one.least_squares, one.beta))
    return found


def found_by_regression(results: Results) -> Iterator[str]:
    """How many coefficients stand out by either error, and the largest that does by both."""
    if results.effects is None:
        return
    known = results.effects.drop_nulls("value")
    clear = pl.col("p") <= LEVEL
    naive, crossed = (
        known.filter(clear, measure=measure) for measure in (COEFFICIENT_NAIVE, COEFFICIENT)
    )
    every = known.filter(measure=COEFFICIENT).height
    yield (
        f"Of {count(every, 'coefficient')} of Beta regression, {naive.height} have p ≤ {LEVEL:g} "
        f"if all sentences are taken as independent, as in the paper, and {crossed.height} if "
        f"names and templates may vary. About {round(every * LEVEL)} would by chance."
    )
    by_axis = [
        f"{crossed.filter(axis=axis).height} by {effect_title((axis, '', ''), []).lower()}"
        for axis, _, _ in effect_order([(axis, "", "") for axis in known["axis"].unique().sort()])
    ]
    yield f"The latter are {', '.join(by_axis)}."
    sizes = known.filter(measure=MARGINAL)
    top = sizes.join(crossed.select(*KEYS), on=KEYS, how="semi").sort(
        pl.col("value").abs(), descending=True
    )
    yield from (_largest(row, results) for row in top.head(1).iter_rows(named=True))


KEYS = ["corpus", "system", "task", "axis", "contrast"]


def compared_groups(results: Results) -> str:
    """The groups whose names are compared, in words: African American, Latino or Arab."""
    if results.effects is None:
        return ""
    rows = (
        results.effects.filter(axis="race")
        .select("contrast", "reference")
        .unique(maintain_order=True)
    )
    first = [contrast.removesuffix(f"-{second}") for contrast, second in rows.rows()]
    return " or ".join(filter(None, (", ".join(first[:-1]), *first[-1:])))


def tweet_readers(results: Results) -> str:
    """Which of the systems read word vectors that were made of their training tweets."""
    if results.effects is None or "read_through" not in results.skill.columns:
        return ""
    there = pl.col("system").is_in(results.effects["system"].unique().to_list())
    read = results.skill.filter(there, pl.col("read_through").str.contains("training tweets"))
    names = read["system"].unique(maintain_order=True).to_list()
    if not names:
        return ""
    return f"{' and '.join(names)} {'reads' if len(names) == 1 else 'read'} word vectors made"


def _largest(row: dict[str, object], results: Results) -> str:
    value, low, high = (float(str(row[name])) for name in ("value", "low", "high"))
    start, end = (low, high) if value > 0 else (-high, -low)
    spread = f"{fixed(start * POINTS, 1)} to {fixed(end * POINTS, 1)}"
    sides = [
        (_about(results, axis, first), _about(results, axis, second))
        for axis, first, second in parts_of(row)
    ]
    happened = told(sides, value > 0, f"{points(abs(value))} points of 100")
    where = f"({row['system']}, {row['task']}, {row['corpus']}; 95 % interval {spread})"
    return f"The largest of them: {happened} {where}."


def _about(results: Results, axis: str, group: str) -> str:
    return results.phrases.get((axis, group), f"marked “{group}”")


def _beside(mine: pl.DataFrame, published: pl.DataFrame | None) -> Iterator[str]:
    """How each system of ours compares with the paper's, in words."""
    if published is None:
        return
    ours = mine.filter(measure=LEAST_SQUARES).drop_nulls("value")
    on = ["corpus", "recipe", "task", "axis"]
    theirs = published.drop_nulls("value").select(*on, "name", "stars", theirs="value")
    for (system, name), rows in ours.join(theirs, on=on, maintain_order="left").group_by(
        "system", "name", maintain_order=True
    ):
        yield _compared(str(system), str(name), rows.with_columns(
            gap=(pl.col("value") - pl.col("theirs")).abs(),
            clear=pl.col("stars").str.len_chars() >= 2,
            same=pl.col("value").sign() == pl.col("theirs").sign(),
        ))  # fmt: skip


def _compared(system: str, name: str, rows: pl.DataFrame) -> str:
    near = rows.filter(pl.col("gap") <= CLOSE).height
    far = rows.sort("gap", descending=True).row(0, named=True)
    clear = rows.filter("clear")
    both = clear.filter(pl.col("same"), pl.col("p") <= LEVEL).height
    alone = rows.filter(~pl.col("clear"), pl.col("p") <= LEVEL).height
    other = COUNTERPART.get(str(rows["recipe"][0]), "")
    effect = effect_title((far["axis"], "", ""), []).lower()
    marked = f"The paper marks none at {LEVEL:g}, ours {alone or 'none'}."
    if clear.height:
        marked = (
            f"Of the {clear.height} that the paper marks at {LEVEL:g}, {both or 'none'} "
            f"{'is' if both == 1 else 'are'} so here, the same way; of the others, "
            f"{alone or 'none'}."
        )
    return (
        f"{system} beside {name}{other}: {near} of {rows.height} coefficients lie within "
        f"{CLOSE:g}. The farthest: {effect}, {far['task']}, {fixed(far['value'], 3)}, published "
        f"{fixed(far['theirs'], 3)}. {marked}"
    )


def language_blocks(results: Results) -> Iterator[Block]:
    """The paper's systems in two languages: a line a system and task, a column an effect."""
    if results.languages is None or results.effects is None:
        return
    names = {
        str(system).removesuffix(f"-{language}")
        for system, language in results.effects.select("system", "language").unique().rows()
    }
    shown = results.languages.filter(
        pl.col("measure") == MARGINAL, pl.col("system").is_in(names), pl.col("task").is_in(EMOTIONS)
    )
    for _, rows in shown.group_by("corpus_first", "corpus_second", maintain_order=True):
        yield _languages(rows.sort("system", "task", maintain_order=True))


def _languages(rows: pl.DataFrame) -> Block:
    first, second = (language_name(rows[f"language_{side}"][0]) for side in ("first", "second"))
    effects = effect_order([(axis, "", "") for axis in rows["axis"].unique(maintain_order=True)])
    found = {(row["system"], row["task"], row["axis"]): row for row in rows.iter_rows(named=True)}
    lines = [
        Row(
            f"{system}, {task}",
            tuple(_both(found.get((system, task, axis))) for axis, _, _ in effects),
        )
        for system, task in rows.select("system", "task").unique(maintain_order=True).rows()
    ]
    clear = rows.filter(pl.col("p") <= LEVEL).height
    says = (
        f"{clear} of {rows.height} tests have p ≤ {LEVEL:g}; about {round(rows.height * LEVEL)} "
        "would by chance if nothing differed."
    )
    return Block(
        f"{first} | {second}",
        tuple(effect_title(one, []) for one in effects),
        tuple(lines),
        (says,),
        f"{rows['corpus_first'][0]}-{rows['corpus_second'][0]}",
    )


def _both(row: dict[str, float] | None) -> Cell:
    """Both languages' effects in points, and the test."""
    if row is None:
        return Cell(DASH)
    values = " | ".join(fixed(row[f"value_{side}"] * POINTS, 1) for side in ("first", "second"))
    kind = "best" if row["p"] <= LEVEL else ""
    return Cell(values, p_value(row["p"]), kind)
