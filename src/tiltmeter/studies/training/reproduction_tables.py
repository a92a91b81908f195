"""Tables of a reproduction: results, and Tables 3 to 5 of Câmara et al. (2022) beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from tiltmeter.report.numbers import DASH, POINTS, count, fixed, p_value, points
from tiltmeter.report.phrases import subset_words
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
)
from tiltmeter.studies.regression.marginal_effects import (
    EMOTIONS,
    Effect,
    MarginalEffectsTable,
    Number,
    SystemLine,
    caption,
    effect_order,
    effect_title,
    lines_of,
    task_order,
)
from tiltmeter.studies.regression.wording import (
    effect_clause,
    language_name,
    parts_of,
)

# ---- what a reproduction of the papers found, as tables; `html/reproduction/` makes the page


@dataclass(frozen=True, slots=True)
class Results:
    """Reference systems trained anew: their skill, their tilt, and what the papers printed."""

    made: str
    """The day, as in 2026-11-16."""
    skill: pl.DataFrame
    """A row a model: language, task, system, recipe, train_rows, dev_pearson, test_n, test_pearson
    with _low and _high, test_spearman, test_mae."""
    published: pl.DataFrame
    """language, task, name, pearson, ours: the system of ours that is built alike, or null."""
    tilts: pl.DataFrame
    """language, corpus, title, system, task, axis, about_first, about_second, value, low, high,
    significance, spread, n: a row a comparison over all sentences."""
    words: pl.DataFrame | None = None
    """task, word, weight, texts, mean_score: what words that name people are worth to
    svm-unigrams-en."""
    reports: Mapping[str, str] = field(default_factory=dict)
    """By language, where the whole report of its audit stands."""
    left_out: tuple[str, ...] = ()
    """What could not be trained here, and what it would need."""
    failed: tuple[str, ...] = ()
    """Models that were to be trained and could not be, and why."""
    versions: Mapping[str, str] = field(default_factory=dict)
    command: str = ""
    effects: pl.DataFrame | None = None
    """table (3, 4 or 5 of the paper), language, corpus, title, system, recipe, task, axis,
    contrast, reference, measure, value, se, low, high, df, p, n, reason: the regressions of the
    systems that the paper has too."""
    published_effects: pl.DataFrame | None = None
    """table, language, corpus, name, recipe (ours that is built alike), task, axis, value, stars:
    what the paper prints of them; null where it cannot be read."""
    languages: pl.DataFrame | None = None
    """As in `AuditResults`: one system's effects in two languages."""
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By axis and group: what follows "sentences", as in "about women"."""


# ---- tables of the page of a reproduction: rows, cells, and the words they share


TASKS = ("anger", "fear", "joy", "sadness", "valence")
MARKS = {"up": "▲", "down": "▼"}


@dataclass(frozen=True, slots=True)
class ResultCell:
    """One number of a table: what is shown, what stands below it, and how it is marked."""

    text: str
    below: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A line of a table."""

    name: str
    cells: tuple[ResultCell, ...]
    published: bool = False


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table with a title and what it comes to, in words."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    says: tuple[str, ...] = ()
    link: str = ""


def languages_of(frame: pl.DataFrame) -> list[str]:
    """The languages of a table, in its order."""
    return frame["language"].unique(maintain_order=True).to_list()


def tasks_of(frame: pl.DataFrame) -> list[str]:
    """The tasks of a table, in the papers' order."""
    there = set(frame["task"])
    return [task for task in TASKS if task in there]


# ---- tables 3 to 5 of Câmara et al. (2022), from systems trained anew and as the paper prints
# them


ILLEGIBLE = f"{DASH} in a row of the paper: cannot be read in our copy."
OF_PAPER = "“published”: as the paper prints it."
BELOW = {"beta": COEFFICIENT, "least-squares": LEAST_SQUARES}
"""The two scales, and the measure of each."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """One of the paper's tables, in both scales."""

    number: int
    beta: MarginalEffectsTable
    """Ours, of Beta regression with errors over names and templates."""
    least_squares: MarginalEffectsTable
    """Ours and the paper's rows, on its scale and with its errors."""


def reproduced_tables(results: Results) -> list[Reproduced]:
    """The tables that the audits at hand give, in the paper's order."""
    if results.effects is None:
        return []
    parts = results.effects.partition_by("table", maintain_order=True)
    return sorted((_reproduced(results, part) for part in parts), key=lambda one: one.number)


def _reproduced(results: Results, mine: pl.DataFrame) -> Reproduced:
    number = int(mine["table"][0])
    return Reproduced(number, *(_table(results, mine, number, scale) for scale in BELOW))


def _table(results: Results, mine: pl.DataFrame, number: int, scale: str) -> MarginalEffectsTable:
    effects = _effects(mine)
    lines, notes = list[SystemLine](), list(_notes(mine))
    for (language, corpus), rows in mine.group_by("language", "corpus", maintain_order=True):
        said = f"{language_name(str(language))} ({corpus})"
        for (recipe,), alike in rows.group_by("recipe", maintain_order=True):
            lines += lines_of(alike, BELOW[scale], said)
            if BELOW[scale] == LEAST_SQUARES and results.published_effects is not None:
                printed = results.published_effects.filter(corpus=corpus, recipe=recipe)
                lines += _published(printed, said, effects)
    if any(line.published for line in lines):
        unread = any(one.value is None for line in lines if line.published
                     for one in line.numbers.values())  # fmt: skip
        notes += [OF_PAPER, *([ILLEGIBLE] if unread else [])]
    titles = " and ".join(mine["title"].unique(maintain_order=True))
    ending = "" if BELOW[scale] == COEFFICIENT else f"-{scale}"
    return MarginalEffectsTable(
        name=f"margins-table-{number}{ending}",
        title=f"Table {number}",
        caption=caption(titles, effects, BELOW[scale], [subset_words("own-emotion")]),
        effects=effects,
        tasks=task_order(mine["task"].to_list()),
        lines=tuple(lines),
        notes=tuple(notes),
    )


def _effects(mine: pl.DataFrame) -> tuple[Effect, ...]:
    rows = mine.select("axis", "contrast", "reference").unique(maintain_order=True)
    return effect_order(rows.rows())


def _published(
    printed: pl.DataFrame, language: str, effects: tuple[Effect, ...]
) -> Iterator[SystemLine]:  # fmt: skip
    """The paper's rows, under the contrasts that our effects have."""
    contrast: Mapping[str, str] = {axis: contrast for axis, contrast, _ in effects}
    for (name,), rows in printed.group_by("name", maintain_order=True):
        told = rows.select("task", "axis", "value", "stars").iter_rows()
        numbers = {
            (task, axis, contrast[axis]): Number(value, stars)
            for task, axis, value, stars in told
            if axis in contrast
        }
        yield SystemLine(language, str(name), numbers, published=True)


def _notes(mine: pl.DataFrame) -> Iterator[str]:
    """Why numbers of ours are missing."""
    missing = mine.drop_nulls("reason").unique(["corpus", "system", "task"], maintain_order=True)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        who = ", ".join(
            f"{system} ({task})" for system, task in rows.select("system", "task").rows()
        )
        yield f"{DASH} cannot be estimated, because {reason}: {who}."


# ---- race, gender and their product: Tables 3 to 5 of Câmara et al. (2022), ours beside theirs


LEVEL = 0.05
CLOSE = 0.01
"""How far a coefficient may lie from the paper's and count as near: one point of 100."""
COUNTERPART = {"encoder-mlp": ", of another frozen encoder"}
"""What must be said of a counterpart that is not the same system."""


@dataclass(frozen=True, slots=True)
class BesidePaper:
    """One of the paper's tables: what it comes to in words, ours and theirs, and ours alone."""

    number: int
    title: str
    says: tuple[str, ...]
    least_squares: MarginalEffectsTable
    beta: MarginalEffectsTable


def paper_tables(results: Results) -> list[BesidePaper]:
    """Each of the paper's tables that the audits give."""
    if results.effects is None:
        return []
    found = []
    for one in reproduced_tables(results):
        mine = results.effects.filter(table=one.number)
        titles = " and ".join(mine["title"].unique(maintain_order=True))
        says = tuple(_beside(mine, results.published_effects))
        found.append(BesidePaper(one.number, titles, says, one.least_squares, one.beta))
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
    happened = effect_clause(sides, value > 0, f"{points(abs(value))} points of 100")
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


def language_blocks(results: Results) -> Iterator[ResultTable]:
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


def _languages(rows: pl.DataFrame) -> ResultTable:
    first, second = (language_name(rows[f"language_{side}"][0]) for side in ("first", "second"))
    effects = effect_order([(axis, "", "") for axis in rows["axis"].unique(maintain_order=True)])
    found = {(row["system"], row["task"], row["axis"]): row for row in rows.iter_rows(named=True)}
    lines = [
        ResultRow(
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
    return ResultTable(
        f"{first} | {second}",
        tuple(effect_title(one, []) for one in effects),
        tuple(lines),
        (says,),
        f"{rows['corpus_first'][0]}-{rows['corpus_second'][0]}",
    )


def _both(row: dict[str, float] | None) -> ResultCell:
    """Both languages' effects in points, and the test."""
    if row is None:
        return ResultCell(DASH)
    values = " | ".join(fixed(row[f"value_{side}"] * POINTS, 1) for side in ("first", "second"))
    kind = "best" if row["p"] <= LEVEL else ""
    return ResultCell(values, p_value(row["p"]), kind)
