"""What the papers report of their systems, and tables 3 to 5 of Câmara et al. (2022) with ours.

Marginal effects of our systems stand beside the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tiltmeter.ranking import coarsen_column
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, p_value, points
from tiltmeter.report.phrases import subset_words
from tiltmeter.report.table import Cell, Column, Row, Table
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
)
from tiltmeter.studies.regression.run import between_languages
from tiltmeter.studies.regression.tables import (
    EMOTIONS,
    MarginalEffectsTable,
    Number,
    SystemLine,
    caption,
    effect_order,
    effect_title,
    lines_of,
    task_order,
)
from tiltmeter.studies.regression.wording import effect_clause, language_name, sides_of

if TYPE_CHECKING:
    from tiltmeter.studies.audit.results import Audit
    from tiltmeter.studies.training.reproduce import Results


PAPER_TASKS = ("anger", "fear", "joy", "sadness")
EFFECTS = ("race", "gender", "gender:race")
"""The columns of Tables 3 to 5, by the axes of our corpora."""


class Published(NamedTuple):
    """A system of Câmara et al. 2022, Table 2: Pearson's r on test for PAPER_TASKS."""

    language: str
    name: str
    pearson: tuple[float, float, float, float]
    ours: str | None = None
    """The system of ours that is built in the same way; None where its weights are not to be had
    here, so that only a user who has them can train it."""


TABLE_2 = (
    Published("en", "BERT+", (0.592, 0.561, 0.596, 0.559)),
    Published("en", "mBERT", (0.369, 0.476, 0.507, 0.397)),
    Published("en", "XLM-RoBERTa", (0.412, 0.388, 0.432, 0.489)),
    Published("en", "fastText", (0.535, 0.467, 0.495, 0.452), "embedding-mlp-en"),
    Published("en", "SVM-tfidf", (0.533, 0.523, 0.538, 0.504), "svm-tfidf-en"),
    Published("es", "BERT+", (0.391, 0.460, 0.555, 0.459)),
    Published("es", "mBERT", (0.279, 0.192, 0.510, 0.367)),
    Published("es", "XLM-RoBERTa", (0.136, 0.358, 0.329, 0.145)),
    Published("es", "fastText", (0.401, 0.478, 0.560, 0.563), "embedding-mlp-es"),
    Published("es", "SVM-tfidf", (0.398, 0.638, 0.551, 0.598), "svm-tfidf-es"),
    Published("ar", "BERT+", (0.435, 0.362, 0.470, 0.543)),
    Published("ar", "mBERT", (0.223, 0.111, 0.296, 0.384)),
    Published("ar", "XLM-RoBERTa", (0.211, 0.254, 0.212, 0.139)),
    Published("ar", "fastText", (0.401, 0.478, 0.560, 0.563), "embedding-mlp-ar"),
    Published("ar", "SVM-tfidf", (0.366, 0.381, 0.475, 0.456), "svm-tfidf-ar"),
)
"""As printed. The Spanish and the Arabic row of fastText are identical: a slip of the paper."""


class PublishedEffects(NamedTuple):
    """A system of Câmara et al. 2022, Tables 3 to 5: its coefficients, as printed."""

    table: int
    language: str
    corpus: str
    name: str
    printed: tuple[str, str, str, str]
    """For PAPER_TASKS: race or ethnicity, gender and intersection, with their stars; ? where our
    copy of the paper cannot be read."""
    ours: str
    """The recipe of ours that is built in the same way, if on other vectors or encoders."""


TABLES_3_TO_5 = (
    PublishedEffects(
        3, "en", "eec", "BERT+",
        ("0.008 -0.021*** -0.028***", "-0.023*** 0.026*** -0.001",
         "-0.052*** -0.005 0.028***", "-0.017** 0.017** 0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        3, "en", "eec", "SVM-tfidf",
        ("0.001 0.002 -0.001", "-0.001 -0.0 0.002", "0.002 0.0 -0.001", "0.002 0.002 -0.002"),
        "svm-tfidf",
    ),
    PublishedEffects(
        3, "en", "eec", "fastText",
        ("0.0 -0.002 -0.0", "-0.0 0.001 0.0", "0.0 0.001 -0.0", "-0.0 0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "BERT+",
        ("0.005 -0.014*** 0.002", "0.01 -0.02*** 0.015*",
         "0.001 -0.025*** 0.016**", "-0.005 -0.013** 0.028***"), "encoder-mlp",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "SVM-tfidf",
        ("-0.003 0.001 0.003", "-0.003 0.003 0.003", "-0.0 -0.0 0.0", "-0.002 0.0 0.002"),
        "svm-tfidf",
    ),
    PublishedEffects(
        4, "en", "eec-latino", "fastText",
        ("-0.0 -0.001 -0.0", "0.0 0.001 -0.0", "-0.0 0.001 0.0", "0.0 -0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        4, "es", "eec-es", "BERT+",
        ("-0.011 -0.006 0.02*", "-0.017* -0.009 0.042***",
         "0.012 0.015* -0.006", "0.004 0.019** 0.004"), "encoder-mlp",
    ),
    PublishedEffects(
        4, "es", "eec-es", "SVM-tfidf",
        ("-0.004 0.031*** 0.004", "-0.002 -0.006 0.002",
         "0.002 0.015*** -0.001", "-0.006 0.006 0.006"), "svm-tfidf",
    ),
    PublishedEffects(
        4, "es", "eec-es", "fastText",
        ("0.0 0.053*** 0.0", "-0.0 -0.007 0.0", "-0.0 -0.004 -0.0", "0.0 -0.002 -0.0"),
        "embedding-mlp",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "BERT+",
        ("0.061*** -0.004 -0.026***", "0.037*** 0.004 -0.006",
         "0.047*** -0.004 -0.019***", "0.064*** -0.005 -0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "SVM-tfidf",
        ("0.001 0.001 -0.001", "0.002 0.0 -0.0", "0.0 -0.002 0.002", "0.004 0.004 -0.004"),
        "svm-tfidf",
    ),
    PublishedEffects(
        5, "en", "eec-arab", "fastText",
        ("-0.0 -0.003 -0.0", "-0.0 0.0 -0.0", "-0.0 ? -0.0", "-0.0 0.0 -0.0"), "embedding-mlp",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "BERT+",
        ("? -0.01** 0.007", "-0.016*** -0.004 0.018***", "? ? 0.003", "? ? -0.007"), "encoder-mlp",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "SVM-tfidf",
        ("0.003 -0.029*** 0.01", "0.002 -0.021*** 0.008", "? ? ?", "? -0.031*** 0.001"),
        "svm-tfidf",
    ),
    PublishedEffects(
        5, "ar", "eec-ar", "fastText",
        ("-0.03*** -0.012** 0.019**", "-0.018* -0.031*** 0.013", "? ? ?", "? ? ?"),
        "embedding-mlp",
    ),
)  # fmt: skip
"""As printed, of the systems that we build too. The paper calls them Beta coefficients; its code
gives those of least squares. They cannot be recomputed: the outputs of only one system
were released, from another run."""


def effect_cells(row: PublishedEffects) -> Iterator[tuple[str, str, float | None, str]]:
    """Every number of a row: emotion, effect, value and stars.

    >>> list(effect_cells(TABLES_3_TO_5[0]))[1]
    ('anger', 'gender', -0.021, '***')
    """
    for emotion, printed in zip(PAPER_TASKS, row.printed, strict=True):
        for effect, cell in zip(EFFECTS, printed.split(), strict=True):
            number = cell.rstrip("*")
            value = None if number == "?" else float(number)
            yield emotion, effect, value, cell.removeprefix(number)


MEASURES = (COEFFICIENT, COEFFICIENT_NAIVE, MARGINAL, LEAST_SQUARES)
NUMBERS = ("value", "se", "low", "high", "df", "p", "n")
TABLE_OF = {row.corpus: row.table for row in TABLES_3_TO_5}
"""In which table of the paper a corpus stands."""
RECIPES = tuple(dict.fromkeys(row.ours for row in TABLES_3_TO_5))
ILLEGIBLE = f"{DASH} in a row of the paper: cannot be read in our copy."
OF_PAPER = "“published”: as the paper prints it."
LEVEL = 0.05
CLOSE = 0.01
"""How far a coefficient may lie from the paper's and count as near: one point of 100."""
COUNTERPART = {"encoder-mlp": ", of another frozen encoder"}
"""What must be said of a counterpart that is not the same system."""
EFFECT_KEYS = ["corpus", "system", "task", "axis", "contrast"]


# ---------------------------------------------------------------- from the audits


def effects_of(audits: Mapping[str, Audit], recipes: Mapping[str, str]) -> pl.DataFrame | None:
    """The regressions of the paper's systems, emotions and corpora; None where there are none.

    `audits` are by language; `recipes` has the recipe of each system.
    """
    recipe = pl.col("system").replace_strict(recipes, default=None, return_dtype=pl.String)
    found = []
    for language, done in audits.items():
        titles = {one.name: one.title for one in done.compared}
        for corpus, table in TABLE_OF.items():
            one = next((one for one in done.regressed if one.corpus == corpus), None)
            if one is None:
                continue
            rows = one.estimates.with_columns(recipe=recipe).filter(
                pl.col("measure").is_in(MEASURES),
                pl.col("task").is_in(PAPER_TASKS),
                pl.col("recipe").is_in(RECIPES),
            )
            reasons = one.fits.select("system", "task", "reason")
            found.append(
                rows.join(reasons, on=["system", "task"], how="left", maintain_order="left").select(
                    pl.lit(table, pl.Int64).alias("table"), pl.lit(language).alias("language"),
                    "corpus", pl.lit(titles[corpus]).alias("title"),
                    *("system", "recipe", "task", "axis", "contrast", "reference", "measure"),
                    *(*NUMBERS, "reason"),
                )
            )  # fmt: skip
    there = [frame for frame in found if frame.height]
    return pl.concat(there) if there else None


def published_skill(skill: pl.DataFrame) -> pl.DataFrame:
    """Câmara et al. 2022, Table 2, for the languages at hand, a row a cell."""
    languages = set(skill["language"])
    rows = [
        (row.language, task, row.name, r, row.ours)
        for row in TABLE_2
        if row.language in languages
        for task, r in zip(PAPER_TASKS, row.pearson, strict=True)
    ]
    kinds = dict.fromkeys(("language", "task", "name"), pl.String) | {"pearson": pl.Float64}
    return pl.DataFrame(rows, kinds | {"ours": pl.String}, orient="row")


def published_effects(effects: pl.DataFrame) -> pl.DataFrame:
    """What the paper prints of the same corpora, a row a number."""
    corpora = set(effects["corpus"])
    rows = [
        (row.table, row.language, row.corpus, row.name, row.ours, task, axis, value, stars)
        for row in TABLES_3_TO_5
        if row.corpus in corpora
        for task, axis, value, stars in effect_cells(row)
    ]
    texts = ("language", "corpus", "name", "recipe", "task", "axis")
    kinds = {"table": pl.Int64} | dict.fromkeys(texts, pl.String)
    return pl.DataFrame(rows, kinds | {"value": pl.Float64, "stars": pl.String}, orient="row")


def across_languages(audits: Mapping[str, Audit]) -> pl.DataFrame | None:
    """Every system that was trained in two languages: whether its effects differ between them."""
    estimates = [one.estimates for done in audits.values() for one in done.regressed]
    corpora = [run.corpus for done in audits.values() for run in done.runs]
    if not estimates:
        return None
    found = between_languages(pl.concat(estimates), corpora)
    return found if found.height else None


# ---------------------------------------------------------------- tables


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One of the paper's tables, in both scales, and what it comes to in words."""

    number: int
    title: str
    beta: MarginalEffectsTable
    """Ours, of Beta regression with errors over names and templates."""
    least_squares: MarginalEffectsTable
    """Ours and the paper's rows, on its scale and with its errors."""
    says: tuple[str, ...]


def paper_tables(results: Results) -> list[PaperTable]:
    """The tables that the audits at hand give, in the paper's order."""
    if results.effects is None:
        return []
    return [
        PaperTable(
            number, " and ".join(mine["title"].unique(maintain_order=True)),
            _table(results, mine, number, COEFFICIENT),
            _table(results, mine, number, LEAST_SQUARES),
            tuple(_beside_paper(mine, results.published_effects)),
        )
        for number in results.effects["table"].unique().sort()
        for mine in (results.effects.filter(table=number),)
    ]  # fmt: skip


def _table(results: Results, mine: pl.DataFrame, number: int, measure: str) -> MarginalEffectsTable:
    """Our rows of one measure; with least squares the paper's under those that are built alike."""
    effects = effect_order(
        mine.select("axis", "contrast", "reference").unique(maintain_order=True).rows()
    )
    contrast = {axis: contrast for axis, contrast, _ in effects}
    lines, notes = list[SystemLine](), list[str]()
    for (language, corpus), rows in mine.group_by("language", "corpus", maintain_order=True):
        where = f"{language_name(str(language))} ({corpus})"
        for (recipe,), alike in rows.group_by("recipe", maintain_order=True):
            lines += lines_of(alike, measure, where)
            if measure != LEAST_SQUARES or results.published_effects is None:
                continue
            printed = results.published_effects.filter(corpus=corpus, recipe=recipe)
            for (name,), cells in printed.group_by("name", maintain_order=True):
                numbers = {
                    (task, axis, contrast[axis]): Number(value, stars)
                    for task, axis, value, stars in cells.select(
                        "task", "axis", "value", "stars"
                    ).rows()
                    if axis in contrast
                }
                lines.append(SystemLine(where, str(name), numbers, published=True))
    missing = mine.drop_nulls("reason").unique(["corpus", "system", "task"], maintain_order=True)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        who = ", ".join(f"{row[0]} ({row[1]})" for row in rows.select("system", "task").rows())
        notes.append(f"{DASH} cannot be estimated, because {reason}: {who}.")
    if printed_numbers := [n for line in lines if line.published for n in line.numbers.values()]:
        unread = any(one.value is None for one in printed_numbers)
        notes += [OF_PAPER, *([ILLEGIBLE] if unread else [])]
    titles = " and ".join(mine["title"].unique(maintain_order=True))
    return MarginalEffectsTable(
        name=f"margins-table-{number}{'' if measure == COEFFICIENT else '-least-squares'}",
        title=f"Table {number}",
        caption=caption(titles, effects, measure, [subset_words("own-emotion")]),
        effects=effects,
        tasks=task_order(mine["task"].to_list()),
        lines=tuple(lines),
        notes=tuple(notes),
    )


def coefficient_tables(table: MarginalEffectsTable, caption: str) -> list[Table]:
    """The table for the page: two tasks beside each other, the next two below them."""
    lines = table.lines
    frame = pl.DataFrame({"nth": range(len(lines)), "language": [one.language for one in lines]})

    def system(row: Row) -> Cell:
        line = lines[row["nth"]]
        return Cell(line.system, "published" if line.published else "")

    def column(task: str, nth: int) -> Column:
        def cell(row: Row) -> Cell | str:
            shown = lines[row["nth"]].shown(task, table.effects[nth])
            if shown is None:
                return ""
            # Stars, or room for them: numbers stand under each other.
            return Cell(DASH if shown.value is None else fixed(shown.value, 3),
                        raised=shown.stars or "\N{NO-BREAK SPACE}")  # fmt: skip

        head = table.heads[nth]
        return Column(f"{task}: {head}", head, cell=cell, align="right", over=task.capitalize())

    return [
        Table(
            table.name,
            frame,
            (
                Column("system", "System", cell=system),
                *(column(task, nth) for task in part for nth in range(len(table.effects))),
            ),
            caption,
            by="language",
            kind="plain results coefficients",
            row_kind=lambda row: "published" if lines[row["nth"]].published else "",
            files=("csv", "tex"),
        )
        for part in table.parts
    ]


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The paper's systems in two languages."""

    corpora: str
    """As in the name of the figure: eec-es-eec-latino."""
    table: Table
    says: str


def language_tables(results: Results) -> Iterator[LanguageTable]:
    """A line a system and task, a column an effect: both languages' effects, and the test."""
    if results.languages is None or results.effects is None:
        return
    names = {
        str(system).removesuffix(f"-{language}")
        for system, language in results.effects.select("system", "language").unique().rows()
    }
    shown = results.languages.filter(
        pl.col("measure") == MARGINAL, pl.col("system").is_in(names), pl.col("task").is_in(EMOTIONS)
    )
    for corpora, group in shown.group_by("corpus_first", "corpus_second", maintain_order=True):
        rows = group.sort("system", "task", maintain_order=True)
        languages = (language_name(rows[f"language_{side}"][0]) for side in ("first", "second"))
        effects = effect_order(
            [(axis, "", "") for axis in rows["axis"].unique(maintain_order=True)]
        )
        found = {(one["system"], one["task"], one["axis"]): one for one in rows.to_dicts()}

        def effect(axis: str, found: Mapping[tuple[str, str, str], Row] = found) -> Column:
            def cell(row: Row) -> Cell:
                one = found.get((row["system"], row["task"], axis))
                if one is None:
                    return Cell(DASH)
                values = (fixed(one[f"value_{side}"] * POINTS, 1) for side in ("first", "second"))
                kind = "best" if one["p"] <= LEVEL else ""
                return Cell(" | ".join(values), p_value(one["p"]), kind=kind)

            return Column(axis, effect_title((axis, "", ""), []), cell=cell, align="right")

        table = Table(
            "margins-languages",
            rows.select("system", "task").unique(maintain_order=True),
            (
                Column("system", "System", cell=lambda row: f"{row['system']}, {row['task']}"),
                *(effect(axis) for axis, _, _ in effects),
            ),
            " | ".join(languages),
            kind="plain results",
        )
        clear = rows.filter(pl.col("p") <= LEVEL).height
        says = (
            f"{clear} of {rows.height} tests have p ≤ {LEVEL:g}; about "
            f"{round(rows.height * LEVEL)} would by chance if nothing differed."
        )
        yield LanguageTable("-".join(map(str, corpora)), table, says)


# ---------------------------------------------------------------- words


def regression_findings(results: Results) -> Iterator[str]:
    """How many coefficients stand out by either error, and the largest that does by both."""
    if results.effects is None:
        return
    known = results.effects.drop_nulls("value")
    naive, crossed = (
        known.filter(pl.col("p") <= LEVEL, measure=measure)
        for measure in (COEFFICIENT_NAIVE, COEFFICIENT)
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
    clear = sizes.join(crossed.select(*EFFECT_KEYS), on=EFFECT_KEYS, how="semi")
    size = coarsen_column(pl.col("value").abs())
    by_size = clear.sort(size, descending=True, maintain_order=True)
    for row in by_size.head(1).iter_rows(named=True):
        value, up = row["value"], row["value"] > 0
        ends = (row["low"], row["high"]) if up else (-row["high"], -row["low"])
        sides = sides_of((row["axis"], row["contrast"], row["reference"]), results.phrases)
        largest = effect_clause(sides, up, f"{points(abs(value))} points of 100")
        spread = " to ".join(fixed(end * POINTS, 1) for end in ends)
        where = f"({row['system']}, {row['task']}, {row['corpus']}; 95 % interval {spread})"
        yield f"The largest of them: {largest} {where}."


def _beside_paper(mine: pl.DataFrame, published: pl.DataFrame | None) -> Iterator[str]:
    """How each system of ours compares with the paper's, in words."""
    if published is None:
        return
    ours = mine.filter(measure=LEAST_SQUARES).drop_nulls("value")
    on = ["corpus", "recipe", "task", "axis"]
    theirs = published.drop_nulls("value").select(*on, "name", "stars", theirs="value")
    both = ours.join(theirs, on=on, maintain_order="left").with_columns(
        gap=(pl.col("value") - pl.col("theirs")).abs(),
        clear=pl.col("stars").str.len_chars() >= 2,
        same=pl.col("value").sign() == pl.col("theirs").sign(),
    )
    significant = pl.col("p") <= LEVEL
    for (system, name), rows in both.group_by("system", "name", maintain_order=True):
        near = rows.filter(pl.col("gap") <= CLOSE).height
        far: Mapping[str, Any] = rows.sort(
            coarsen_column(pl.col("gap")), descending=True, maintain_order=True
        ).row(0, named=True)
        clear = rows.filter("clear")
        agree = clear.filter(pl.col("same"), significant).height
        others = rows.filter(~pl.col("clear"), significant).height
        marked = f"The paper marks none at {LEVEL:g}, ours {others or 'none'}."
        if clear.height:
            marked = (
                f"Of the {clear.height} that the paper marks at {LEVEL:g}, {agree or 'none'} "
                f"{'is' if agree == 1 else 'are'} so here, the same way; of the others, "
                f"{others or 'none'}."
            )
        yield (
            f"{system} beside {name}{COUNTERPART.get(rows['recipe'][0], '')}: {near} of "
            f"{rows.height} coefficients lie within {CLOSE:g}. The farthest: "
            f"{effect_title((far['axis'], '', ''), []).lower()}, {far['task']}, "
            f"{fixed(far['value'], 3)}, published {fixed(far['theirs'], 3)}. {marked}"
        )


def compared_groups(effects: pl.DataFrame | None) -> str:
    """The groups whose names are compared, in words: African American, Latino or Arab."""
    if effects is None:
        return ""
    rows = effects.filter(axis="race").select("contrast", "reference").unique(maintain_order=True)
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
