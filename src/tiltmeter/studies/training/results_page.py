"""results.html, the page of a reproduction: skill, tilt, the paper's tables, where ours differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup

from tiltmeter.ranking import coarsen_column
from tiltmeter.report.numbers import DASH, POINTS, count, fixed, interval, points
from tiltmeter.report.page import Method, Page, Section
from tiltmeter.report.table import Cell, Column, Row, Table
from tiltmeter.schemas import Significance
from tiltmeter.studies.regression.wording import LANGUAGES
from tiltmeter.studies.training.paper_tables import (
    coefficient_tables,
    compared_groups,
    language_tables,
    paper_tables,
    regression_findings,
    tweet_readers,
)
from tiltmeter.studies.training.results_screen import NEAR, beside_paper, results_screen

if TYPE_CHECKING:
    from tiltmeter.studies.training.reproduce import Results

TASKS = ("anger", "fear", "joy", "sadness", "valence")
MARKS = {Significance.UP: "▲", Significance.DOWN: "▼"}
SHOWN_WORDS = 5
SECTION_6 = {
    ("gender", "anger"): "down", ("gender", "fear"): "down", ("gender", "sadness"): "down",
    ("gender", "valence"): "up", ("race", "anger"): "down", ("race", "fear"): "down",
    ("race", "joy"): "down", ("race", "sadness"): "down", ("race", "valence"): "up",
}  # fmt: skip
"""K&M 2018, §6, of their SVM-Unigrams: up where sentences about women, or with African American
names, are scored higher. The paper does not say what it saw for gender and joy."""
MODELS = (
    "{} in {}, trained on the tweets of SemEval-2018 Task 1 after what Kiritchenko & Mohammad "
    "(2018), Câmara et al. (2022) and Lakkaraju et al. (2023) say of theirs, and audited on the "
    "Equity Evaluation Corpora of their language. A model is one system trained for one task. "
    "Settings were chosen on dev; test only measures the skill."
)
DATA = (
    "SemEval-2018 Task 1 (Mohammad et al. 2018), from its organisers; its terms forbid passing the "
    "tweets on, and nothing here holds one."
)


def results_page(results: Results) -> Page:
    """The whole page."""
    marginal_effects = paper_tables(results)
    learned = section_6(results.tilts)
    unlisted = Markup("").join(
        Markup("<li>{}</li>").format(one) for one in (*results.left_out, *results.failed)
    )
    reports = Markup("").join(
        Markup(', <a href="{}">the audit of {}</a>').format(path, code)
        for code, path in results.reports.items()
    )
    return Page(
        "results.html",
        "Do the papers’ systems come out as published?",
        Section("answer", "", body=results_screen(results).html()),
        (
            Section("skill", "Skill", "training/skill.html", {
                "blocks": list(skill_blocks(results)), "unskilled": unskilled(results.skill),
                "best": list(best_systems(results.skill)),
            }, lede="Correlations on test, beside the paper’s."),
            Section("tilt", "Tilt", "training/tilt.html", {
                "beside": list(skill_beside_tilt(results)),
                "blocks": list(tilt_blocks(results)),
                "compared": bool(marginal_effects),
                "largest": list(largest_tilts(results.tilts)),
            }, lede="Mean differences by corpus and axis; skill beside them."),
            Section("effects", "Race and gender told apart", "training/effects.html", {
                "findings": list(regression_findings(results)),
                "tables": marginal_effects,
                "coefficient_tables": coefficient_tables,
                "groups": compared_groups(results.effects),
                "tweet_readers": tweet_readers(results),
                "languages": list(language_tables(results)),
                "drawn": {figure.name for figure in results.language_figures},
            }, lede="Race, gender and their product, beside Tables 3 to 5.",
                nav="Regression") if marginal_effects else None,
            Section("learned", "Where a tilt was learned", "training/learned.html", {
                "directions": directions(learned), "table": learned,
                "words": list(word_tables(results.words)),
            }, lede="The words and tweets that a tilt comes from.", nav="Learned")
            if learned.frame.height else None,
            Section("apart", "Where our numbers differ, and why", "training/apart.html", {
                "recipes": set(results.skill["recipe"]), "sample": sample_size(results.skill),
            }, lede="Other encoders, word vectors, settings and sentences.", nav="Differences"),
        ),
        Method(
            "Trained on tweets, audited on sentences of templates.",
            [
                ("The models", MODELS.format(
                    count(results.skill.height, "model"),
                    ", ".join(LANGUAGES.get(code, code) for code in _languages(results.skill)),
                )),
                ("The data", DATA),
                *([("Not trained here", Markup("<ul>{}</ul>").format(unlisted))]
                  if unlisted else []),
            ],
            title="How this was made",
        ),
        about="reproduction",
        environment=results.environment,
        files=Markup(
            'Beside this page: <a href="skill.csv" download>skill.csv</a>, <a href="tilts.csv" '
            'download>tilts.csv</a>, <a href="results.json" download>results.json</a>, for '
            "programs; the tables; a model folder each under models/{}."
        ).format(reports),
        tables=tuple(results.tables()),
        kind="reproduction",
        styles=("training/results.css",),
    )  # fmt: skip


def _languages(frame: pl.DataFrame) -> list[str]:
    return frame["language"].unique(maintain_order=True).to_list()


def _tasks(frame: pl.DataFrame) -> list[str]:
    """The tasks of a table, in the papers' order."""
    there = set(frame["task"])
    return [task for task in TASKS if task in there]


@dataclass(frozen=True, slots=True)
class ResultLine:
    """A system in a table of the page."""

    name: str
    cells: Sequence[Cell]
    published: bool = False


@dataclass(frozen=True, slots=True)
class ResultBlock:
    """A table under a heading of its own, and what it comes to in words."""

    title: str
    table: Table
    says: Sequence[str] = ()
    link: str = ""


def _table(caption: str, heads: Sequence[str], lines: Sequence[ResultLine]) -> Table:
    """Systems down, `heads` across."""

    def name(row: Row) -> Cell:
        line = lines[row["nth"]]
        return Cell(line.name, "published" if line.published else "")

    def column(nth: int, head: str) -> Column:
        return Column(
            head, head.capitalize(), cell=lambda row: lines[row["nth"]].cells[nth], align="right"
        )

    return Table(
        "results",
        pl.DataFrame({"nth": range(len(lines))}),
        (Column("system", "System", cell=name), *(column(*one) for one in enumerate(heads))),
        caption,
        kind="plain results",
        row_kind=lambda row: "published" if lines[row["nth"]].published else "",
    )


# ---------------------------------------------------------------- skill


def skill_blocks(results: Results) -> Iterator[ResultBlock]:
    """Table 2 of Câmara et al. 2022, a block a language: ours, then theirs."""
    for code in _languages(results.skill):
        ours = results.skill.filter(language=code)
        theirs = results.published.filter(language=code)
        tasks = _tasks(ours)
        best = dict(ours.group_by("task").agg(pl.col("test_pearson").max()).iter_rows())
        found = {(row["system"], row["task"]): row for row in ours.iter_rows(named=True)}
        printed = {(name, task): r for name, task, r in
                   theirs.select("name", "task", "pearson").rows()}  # fmt: skip

        def our_cell(row: Mapping[str, Any] | None, best: Mapping[str, float] = best) -> Cell:
            if row is None or row["test_pearson"] is None:
                return Cell(DASH)
            r, low, high = (row[f"test_pearson{end}"] for end in ("", "_low", "_high"))
            kind = "best" if r == best[row["task"]] else ""
            return Cell(fixed(r, 3), f"{fixed(low, 2)} to {fixed(high, 2)}", kind=kind)

        lines = [
            ResultLine(system, [our_cell(found.get((system, task))) for task in tasks])
            for system in ours["system"].unique(maintain_order=True)
        ]
        for name in theirs["name"].unique(maintain_order=True):
            each = [printed.get((name, task)) for task in tasks]
            cells = [Cell(DASH if r is None else fixed(r, 3)) for r in each]
            lines.append(ResultLine(name, cells, published=True))
        title = LANGUAGES.get(code, code)
        table = _table(f"Pearson’s r on test, {title}", tasks, lines)
        yield ResultBlock(title, table, tuple(skill_beside_paper(ours, theirs)))


def skill_beside_paper(ours: pl.DataFrame, theirs: pl.DataFrame) -> Iterator[str]:
    """What the two tables come to, a sentence a comparison."""
    paired = beside_paper(ours, theirs)
    for (system, name), gap in paired.group_by("ours", "name", maintain_order=True):
        near = gap.filter(pl.col("gap") > -NEAR).height
        worst = gap.sort(coarsen_column(pl.col("gap")), maintain_order=True).row(0, named=True)
        how = "above" if worst["gap"] >= 0 else "below"
        yield (
            f"{system} is within {NEAR:g} of the paper’s {name} or above it in {near} of "
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
    fewest, most = min(sizes := known["test_n"].to_list()), max(sizes)
    halves = sorted((known["test_pearson_high"] - known["test_pearson_low"]) / 2)
    texts = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    wide = f"±{fixed(halves[0], 2)} to ±{fixed(halves[-1], 2)}"
    return f"Each here has {texts} tweets, so a correlation’s interval is {wide}."


def best_systems(skill: pl.DataFrame) -> Iterator[str]:
    """Which system agrees best with people, in each language."""
    r = pl.col("test_pearson")
    for (code,), rows in skill.drop_nulls("test_pearson").group_by("language", maintain_order=True):
        ranked = rows.group_by("system", maintain_order=True).agg(
            mean=r.mean(), low=r.min(), high=r.max()
        )
        mean = coarsen_column(pl.col("mean"))
        best = ranked.sort(mean, descending=True, maintain_order=True).row(0, named=True)
        yield (
            f"In {LANGUAGES.get(str(code), code)}, {best['system']} agrees best with what people "
            f"said of the tweets: r from {fixed(best['low'], 2)} to {fixed(best['high'], 2)}."
        )


def unskilled(skill: pl.DataFrame) -> str:
    """The models whose interval holds 0: their tilt says little."""
    rows = skill.filter(pl.col("test_pearson_low") <= 0)
    return ", ".join(f"{system} ({task})" for system, task in rows.select("system", "task").rows())


# ---------------------------------------------------------------- tilt


def skill_beside_tilt(results: Results) -> Iterator[Table]:
    """A table a language: a system's mean skill and tilt over its tasks and corpora."""
    size = pl.col("value").abs().mean()
    detected = pl.col("significance").is_in(list(MARKS)).sum()
    for code in _languages(results.tilts):
        tilts = results.tilts.filter(language=code)
        axes = tilts["axis"].unique(maintain_order=True).to_list()
        skill = results.skill.filter(language=code).group_by("system")
        mean_skill = dict(skill.agg(pl.col("test_pearson").mean()).iter_rows())
        lines = []
        for (system,), own in tilts.group_by("system", maintain_order=True):
            r = mean_skill.get(system)
            sizes = [own.filter(axis=axis).select(size).item() for axis in axes]
            cells = [Cell(DASH if r is None else fixed(r, 2)), *map(Cell, map(points, sizes)),
                     Cell(f"{own.select(detected).item()} of {own.height}")]  # fmt: skip
            lines.append(ResultLine(str(system), cells))
        heads = ("mean skill", *(f"{axis}, points" for axis in axes), "detected")
        yield _table(LANGUAGES.get(code, code), heads, lines)


def tilt_blocks(results: Results) -> Iterator[ResultBlock]:
    """A table a corpus and axis: systems down, tasks across, mean difference in points."""
    keys = ("corpus", "title", "axis", "about_first", "about_second", "language")
    for key, rows in results.tilts.group_by(*keys, maintain_order=True):
        _, title, _, first, second, code = key
        tasks = _tasks(rows)
        found = {(row["system"], row["task"]): row for row in rows.iter_rows(named=True)}
        lines = [
            ResultLine(system, [_difference(found.get((system, task))) for task in tasks])
            for system in rows["system"].unique(maintain_order=True)
        ]
        up, down = (rows.filter(significance=kind).height for kind in MARKS)
        says = (
            f"Of {count(rows.height, 'model')}, {up} score sentences {first} higher and {down} "
            f"lower; for {rows.height - up - down} no difference is detected."
        )
        yield ResultBlock(
            f"{title}: sentences {first}, compared with the same {second}",
            _table("Mean difference in points of 100", tasks, lines),
            (says,), results.reports.get(str(code), ""),
        )  # fmt: skip


def _difference(row: Mapping[str, Any] | None) -> Cell:
    if row is None or row["value"] is None:
        return Cell(DASH)
    spread = ""
    if row["low"] is not None and row["high"] is not None:
        spread = " to ".join(interval(row["value"], row["low"], row["high"], POINTS)[1:])
    mark = MARKS.get(row["significance"], "")
    kind = row["significance"] if mark else ""
    return Cell(f"{mark} {points(row['value'])}".strip(), spread, kind=kind)


def largest_tilts(tilts: pl.DataFrame) -> Iterator[str]:
    """By each axis how often a difference is detected, and the largest, in words."""
    for (axis,), rows in tilts.group_by("axis", maintain_order=True):
        detected = rows.filter(pl.col("significance").is_in(list(MARKS)))
        often = f"By {axis} a difference is detected in {detected.height} of {rows.height}"
        if detected.is_empty():
            yield f"{often} comparisons."
            continue
        size = coarsen_column(pl.col("value").abs())
        top = detected.sort(size, descending=True, maintain_order=True).row(0, named=True)
        higher, lower = top["about_first"], top["about_second"]
        if top["value"] < 0:
            higher, lower = lower, higher
        yield (
            f"{often} comparisons. The largest: {top['system']} scores {top['task']} "
            f"{points(abs(top['value']))} points of 100 higher in sentences {higher} than in the "
            f"same {lower} ({top['title']})."
        )


# ---------------------------------------------------------------- where it was learned


def section_6(tilts: pl.DataFrame) -> Table:
    """svm-unigrams beside Kiritchenko & Mohammad 2018, §6: what they saw, and whether we do too."""
    rows = []
    for row in tilts.filter(system="svm-unigrams-en", corpus="eec").iter_rows(named=True):
        paper = SECTION_6.get((row["axis"], row["task"]))
        ours = "up" if row["value"] > 0 else "down" if row["value"] < 0 else "none"
        seen = "not said" if paper is None else "the same" if paper == ours else "the other way"
        if paper is not None and row["significance"] not in MARKS:
            seen = "no difference detected"
        higher = {"up": row["about_first"], "down": row["about_second"]}
        rows.append((
            row["task"], row["axis"], points(row["value"]), points(row["spread"]),
            f"higher {higher[paper]}" if paper else "not said", seen,
        ))  # fmt: skip
    rows.sort(key=lambda one: (one[1], TASKS.index(one[0])))
    names = ("task", "axis", "mean", "spread", "paper", "ours")
    return Table(
        "section-6",
        pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row"),
        (
            Column("task", "Task"), Column("axis", "Axis"),
            Column("mean", "Mean difference", align="right"),
            Column("spread", "Δ-spread", align="right"),
            Column("paper", "The paper’s baseline"), Column("ours", "Ours"),
        ),
        "svm-unigrams-en on the Equity Evaluation Corpus, in points of 100",
        kind="plain results",
    )  # fmt: skip


def directions(table: Table) -> str:
    """How many of the paper's directions are seen here, in words."""
    seen = [one for one in table.frame["ours"] if one != "not said"]
    same, other = seen.count("the same"), seen.count("the other way")
    return (
        f"Of the {len(seen)} directions that they report for these tasks, {same} are the same here "
        f"and {other} the other way; for {len(seen) - same - other} no difference is detected."
    )


def word_tables(words: pl.DataFrame | None) -> Iterator[Table]:
    """For each task the person words that weigh most."""
    if words is None:
        return
    columns = (
        Column("word", "Word"), Column("weight", "Weight", lambda weight: fixed(weight, 3)),
        Column("texts", "Tweets"), Column("mean_score", "Their mean", lambda mean: fixed(mean, 2)),
    )  # fmt: skip
    for task in _tasks(words):
        known = words.filter(task=task).drop_nulls("weight")
        size = coarsen_column(pl.col("weight").abs())
        heavy = known.sort(size, descending=True, maintain_order=True).head(SHOWN_WORDS)
        yield Table("words", heavy, columns, task.capitalize())
