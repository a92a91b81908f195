"""The tables of a rating, like those of Lakkaraju et al. (2023), for page, paper and spreadsheet.

Each is defined once. In spreadsheets the tables of all columns and variants stand together; a page
and a paper have one for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from tiltmeter.ranking import coarsen_column
from tiltmeter.report import phrases
from tiltmeter.report.numbers import DASH, fixed, short, unbroken
from tiltmeter.report.phrases import numbered, unique_slugs
from tiltmeter.report.table import Cell, Column, Output, Table
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import about
from tiltmeter.studies.rating.figures import column_results, small_grade
from tiltmeter.studies.rating.grades import DISCRETISED
from tiltmeter.studies.rating.groups import POLARITIES, Measure
from tiltmeter.studies.rating.study import OVERALL, RatedSystem, Ratings, Row

Shares = Mapping[tuple[str, str, str, str], dict[int, float]]
"""How often repeats gave each rating, by system, task, variant and column."""
KEYS = ["system", "task", "variant"]
DATASET = ["system", "task", "variant", "column", "dataset", "words"]
SPREAD = ("low", "high", "steady")
EPSILON = 0.0001
"""What the measure adds to the standard error of a t-test."""
HUGE = 100.0
MANY_PAIRS = 6
"""Pairs of classes above which each class of a pair has its own line in LaTeX."""
FEW, SHORT = 8, 120
"""Systems, and characters of their names, that one cell of a partial order holds."""
MEASURES = {Measure.WRS: "WRS", Measure.DIE: "DIE %", Measure.ATE: "ATE, change in %"}
SCORES = {
    "continuous": "Scores as the systems give them.",
    "discretised": "Scores discretised (†): 1 from 0 on, else 0.",
}
NOT_RATED = "A dash: not rated; the file of raw scores says why."
DAGGERED = "†: scores discretised."
HTML: tuple[Output, ...] = ("html",)
LATEX: tuple[Output, ...] = ("latex",)


def rating_tables(study: Ratings) -> list[Table]:
    """Every table of the output folder; none that would be empty."""

    def parts(kind: str, frame: pl.DataFrame) -> Iterator[tuple[str, str, str]]:
        """The name, the column and the variant of each part of a frame."""
        there = set(frame.select("column", "variant").rows()) if frame.height else set()
        slugs = unique_slugs(frame["column"].unique(maintain_order=True)) if there else {}
        for variant in study.variants:
            for column, slug in slugs.items():
                if (column, variant) in there:
                    yield f"{kind}-{slug}-{variant}", column, variant

    list_texts = study.columns.with_columns(
        pl.col("edges", "sets").list.join("; "), pl.col("datasets", "unobserved").list.join(", ")
    )
    found = [
        Table("ratings", ratings_frame(study)),
        Table("raw-scores", raw_frame(study)),
        Table("t-values", t_frame(study)),
        *(t_table(study, *part) for part in parts("t-values-wide", study.tests)),
        Table("die", _by_system(die_frame(study.effects))),
        Table("ate", _by_system(study.ates)),
        Table("frequencies", study.frequencies),
        Table("order", study.order),
        Table("columns", list_texts),
        *(ratings_table(study, variant) for variant in study.variants),
        *(order_table(study, variant) for variant in study.variants),
        *(die_table(study, *part) for part in parts("die", study.effects)),
        *(ate_table(study, *part) for part in parts("ate", study.ates)),
    ]
    return [table for table in found if table.frame.height]


def in_page_order(study: Ratings, table: Table) -> Table:
    """A table with its systems as a page has them, least tilt first."""
    place = {(one.system, one.task): nth for nth, one in enumerate(study.systems)}
    rows = table.frame.select("system", "task").rows()
    return table.of(table.frame[sorted(range(len(rows)), key=lambda row: place[rows[row]])])


def _by_system(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of a system in one variant and column together, as the paper prints them."""
    own = ["variant", "column", "system", "task"]
    return pl.concat(frame.partition_by(own, maintain_order=True)) if frame.height else frame


def system_column(study: Ratings, *, once: bool = False) -> Column:
    """The column of names on a page; a task stands beside where there are several."""
    several = study.overall["task"].n_unique() > 1

    def cell(row: Row) -> Cell:
        return Cell(row["system"], small=row["task"] if several else "")

    return Column("system", "System", cell=cell, once=once, only=HTML)


def _system(study: Ratings, variant: str, *, once: bool = True) -> tuple[Column, Column]:
    """The columns of names for a page and for a paper."""
    in_paper = Column("system", "System", cell=lambda row: _paper_name(study, row, variant),
                      once=once, only=LATEX)  # fmt: skip
    return system_column(study, once=once), in_paper


def _paper_name(study: Ratings, row: Row, variant: str) -> str:
    several = study.overall["task"].n_unique() > 1
    name = f"{row['system']} ({row['task']})" if several else str(row["system"])
    return f"{name}†" if variant == DISCRETISED else name


def ratings_frame(study: Ratings) -> pl.DataFrame:
    """Like the paper's Tables 6 and 7: a rating for each column, then overall, then how steady."""
    own = [(name, study.raw.filter(column=name)) for name in study.column_rows]
    cells = [(name, rows, "rating") for name, rows in own]
    cells += [(name, study.overall, name) for name in (OVERALL, "mean", "dominates")]
    for name, rows in (*own, (OVERALL, study.overall)):
        cells += [(f"{name} {part}", rows, part) for part in SPREAD]
    names = numbered([*KEYS, *(name for name, _, _ in cells)])[len(KEYS) :]
    frame = study.overall.select(KEYS)
    for name, (_, rows, source) in zip(names, cells, strict=True):
        values = rows.select(*KEYS, pl.col(source).alias(name))
        frame = frame.join(values, on=KEYS, how="left", maintain_order="left", nulls_equal=True)
    return frame


def ratings_table(study: Ratings, variant: str) -> Table:
    """Ratings of each column and overall, with their spread."""
    raw = study.raw.filter(variant=variant)
    overall = study.overall.filter(variant=variant)
    rows = {(row["system"], row["task"], row["column"]): row for row in raw.to_dicts()}
    chance = {(one.system, one.task): one.variants[variant].may_be_chance
              for one in study.systems if variant in one.variants}  # fmt: skip

    def row_of(row: Row, column: str) -> Row:
        absent = {"rating": None, "reason": "not part of this rating", "low": None, "high": None}
        if column != OVERALL:
            return rows.get((row["system"], row["task"], column), absent | {"column": column})
        doubt = chance[row["system"], row["task"]]
        return {**row, "column": column, "rating": row["overall"], "x": False, "reason": None,
                "doubt": doubt}  # fmt: skip

    def columns(name: str, header: str, latex: str) -> tuple[Column, Column]:
        def on_page(row: Row) -> Cell:
            grade = small_grade(row_of(row, name), study.levels)
            kinds = [f"w{grade.wash}", "blank" * (grade.text == DASH), "doubt" * grade.doubt,
                     "whole" * (name == OVERALL)]  # fmt: skip
            return Cell(grade.text, small=grade.spread, raised="X" * grade.x, strong=True,
                        kind=" ".join(filter(None, kinds)))  # fmt: skip

        return (
            Column(name, header, cell=on_page, align="right", only=HTML),
            Column(name, latex, cell=lambda row: _rating(row_of(row, name)), align="right",
                   only=LATEX),
        )  # fmt: skip

    named = [(name, wording.column_named(row), name) for name, row in study.column_rows.items()]
    spread = f"In brackets: the ratings that 95 % of {study.repeats:,} repeats span"
    gaps = overall[OVERALL].has_nulls() or raw["rating"].has_nulls()
    return Table(
        f"ratings-{variant}",
        overall,
        (
            *_system(study, variant, once=False),
            *(one for column in named for one in columns(*column)),
            *columns(OVERALL, "Overall", "Overall"),
        ),
        caption=_meaning(study),
        notes=_notes(
            SCORES.get(variant, ""),
            f"{spread}, where that is not the one rating." if study.repeats else "",
            NOT_RATED if gaps else "",
        ),
        kind="plain matrix",
        tight=study.repeats > 0,
        files=("tex",),
    )


def _rating(row: Row) -> str:
    """A rating, and in brackets those it may be as well."""
    if row["rating"] is None:
        return DASH
    flips = row["low"] is not None and (row["low"], row["high"]) != (row["rating"],) * 2
    return f"{row['rating']} ({row['low']}–{row['high']})" if flips else str(row["rating"])


def _meaning(study: Ratings) -> str:
    """What the ratings mean: a system by itself has no panel to stand in."""
    if study.alone:
        each = f"1 where the raw score is 0, else {study.levels}"
        return f"Rating of one system by itself: {each} in each group; their mean overall."
    among = f"the panel of {study.reference}" if study.reference else "the panel"
    return (
        f"Rating of each system by group and overall, from 1, the least tilt in {among}, to "
        f"{study.levels}, the most."
    )


def raw_frame(study: Ratings) -> pl.DataFrame:
    """Like the paper's Tables 2 and 3: ψ in order for each variant and column, X last.

    What has no ψ stands after, with the reason.
    """
    columns = pl.Enum(list(dict.fromkeys([*study.column_rows, *study.raw["column"]])))
    frame = study.raw.select(
        *KEYS, "column", "measure", "psi", "x", "rating", *SPREAD, "by_chance", "p", "rests_on",
        "without", "reason", "group", "attribute",
    )  # fmt: skip
    return frame.sort(
        pl.col("variant").cast(pl.Enum(study.variants)),
        pl.col("column").cast(columns),
        "task",
        pl.col("psi").is_null() & ~pl.col("x"),
        "x",
        coarsen_column(pl.col("psi")),
        nulls_last=True,
        maintain_order=True,
    )


def order_table(study: Ratings, variant: str) -> Table:
    """Partial order by raw score, complete order by rating; in lists where they are long."""
    frame = raw_frame(study).filter(variant=variant)
    names = [
        _paper_name(study, row, "") for row in study.overall.filter(variant=variant).to_dicts()
    ]
    braced = len(names) <= FEW and sum(map(len, names)) <= SHORT

    def group(row: Row) -> str:
        return f"{row['column']} ({MEASURES.get(row['measure'], row['measure'])})"

    if braced:
        columns: tuple[Column, ...] = (
            Column("group", "Group", cell=group),
            Column("partial", "Partial order"),
            Column("complete", "Complete order"),
        )
    else:
        columns = (
            Column("group", "Group", cell=group, once=True),
            *_system(study, variant, once=False),
            Column("psi", "ψ", cell=raw_score, align="right"),
            Column("rating", "Rating", cell=_rating, align="right"),
        )
    return Table(
        f"raw-scores-{variant}",
        _braced(study, frame, variant) if braced else frame,
        columns,
        caption="Raw scores ψ in order, and the ratings from them.",
        notes=_notes(
            _meaning(study),
            SCORES.get(variant, ""),
            "X: a denominator is 0, which takes the highest rating." if frame["x"].any() else "",
            NOT_RATED if frame["rating"].has_nulls() else "",
        ),
        paged=not braced,
        files=("tex",),
    )


def _braced(study: Ratings, frame: pl.DataFrame, variant: str) -> pl.DataFrame:
    """Both orders of each column, as {a: 0, b: 0.6}."""
    found = []
    for (column,), rows in frame.group_by("column", maintain_order=True):
        partial, complete = [], []
        for row in rows.to_dicts():
            name = _paper_name(study, row, variant)
            partial.append(f"{name}: {raw_score(row)}")
            complete.append(f"{name}: {DASH if row['rating'] is None else row['rating']}")
        found.append({
            "column": column, "measure": rows["measure"].item(0),
            "partial": f"{{{', '.join(partial)}}}", "complete": f"{{{', '.join(complete)}}}",
        })  # fmt: skip
    return pl.DataFrame(found)


def raw_score(row: Row) -> str:
    r"""ψ with two decimals at most; X where a denominator is 0.

    >>> [raw_score({"x": False, "psi": psi}) for psi in (23.0, 0.6, 128.504, 0.001, None)]
    ['23', '0.6', '128.5', '<0.01', '–']
    >>> print(raw_score({"x": True, "psi": 16.16}), raw_score({"x": True, "psi": None}))
    {X, 16.16} X
    """
    psi = row["psi"]
    if psi is None:
        return "X" if row["x"] else DASH
    plain = "<0.01" if 0 < psi < 0.005 else f"{psi:.2f}".rstrip("0").rstrip(".")
    return f"{{X, {plain}}}" if row["x"] else plain


def psi_table(study: Ratings, variant: str) -> Table:
    """The raw scores of every system and column, and what chance would give: for a page."""
    raw = study.raw.filter(variant=variant).to_dicts()
    rows = {(row["system"], row["task"], row["column"]): row for row in raw}

    def column(name: str) -> Column:
        def cell(row: Row) -> Cell:
            own = rows.get((row["system"], row["task"], name), {})
            chance = unbroken(phrases.kept(wording.chance_below(own))) if own else ""
            return Cell(psi_text(own), small=chance, kind="raw")

        header = wording.column_named(study.column_rows[name])
        return Column(name, header, cell=cell, align="right")

    return Table(
        f"psi-{variant}",
        study.overall.filter(variant=variant),
        (*_system(study, variant, once=False), *map(column, study.column_rows)),
        caption=f"Raw scores (ψ), {wording.VARIANTS.get(variant, variant)}",
        kind="plain matrix",
    )


def psi_text(row: Row) -> str:
    """ψ as the paper prints it: a sum of weights, per cent, or X.

    >>> psi_text({"psi": 1.9, "x": False, "measure": "wrs"})
    '1.9'
    >>> psi_text({"psi": 128.5, "x": False, "measure": "die"})
    '128 %'
    >>> psi_text({"psi": None, "x": True, "measure": "die"})
    'X'
    """
    if row.get("x"):
        return "X"
    psi = row.get("psi")
    if psi is None:
        return DASH
    return phrases.weight(psi) if row["measure"] == Measure.WRS else phrases.moved(psi)


def superscript(levels: int) -> pl.Expr:
    """The raised number of a test, null where no level rejects.

    1 where every level of confidence rejects, 2 where all but the highest do, 3 where only the
    lowest of three does, as in the paper's Tables 4 and 11 to 15.

    >>> pl.DataFrame({"rejected": [3, 2, 1, 0]}).select(superscript(3))["superscript"].to_list()
    [1, 2, 3, None]
    """
    rejected = pl.col("rejected").cast(pl.Int64)
    return pl.when(rejected > 0).then(levels + 1 - rejected).alias("superscript")


def huge() -> pl.Expr:
    """Whether a t-value is printed as H: large only because the scores of both classes never vary.

    Then t = (m₁ − m₂) / ε, so that the difference of means over t is no more than ε.

    >>> female = {"t": [-20000.0, 150.0], "mean_first": [-1.0, 0.9], "mean_second": [1.0, 0.0]}
    >>> pl.DataFrame(female).select(huge())["huge"].to_list()
    [True, False]
    """
    size = pl.col("t").abs()
    apart = (pl.col("mean_first") - pl.col("mean_second")).abs()
    return ((size >= HUGE) & (apart < 2 * EPSILON * size)).fill_null(False).alias("huge")


def t_frame(study: Ratings) -> pl.DataFrame:
    """Every test, with its raised number and whether it is printed as H."""
    if study.tests.is_empty():
        return study.tests
    return study.tests.with_columns(superscript(len(study.confidence)), huge())


def t_table(study: Ratings, name: str, column: str, variant: str) -> Table:
    """Like the paper's Table 4: a row for each system and set of words, t for each pair of classes.

    In the file t is signed: above 0 the first class' scores are higher.
    """
    tests = t_frame(study).filter(column=column, variant=variant)
    pairs = tests.select("first", "second").unique(maintain_order=True).rows()
    own = ["system", "task", "dataset", "words"]
    values = [(*pair, what) for pair in pairs for what in ("t", "superscript")]
    names = numbered([*own, *(f"{first} - {second} {what}" for first, second, what in values)])
    cells = [
        pl.col(what).filter(pl.col("first") == first, pl.col("second") == second).first().alias(to)
        for (first, second, what), to in zip(values, names[len(own) :], strict=True)
    ]
    found = {
        (row["system"], row["task"], row["dataset"], row["first"], row["second"]): row
        for row in tests.iter_rows(named=True)
    }
    short = short_names(dict.fromkeys(name for pair in pairs for name in pair))

    def columns(first: str, second: str) -> tuple[Column, Column]:
        def test(row: Row) -> Row | None:
            return found.get((row["system"], row["task"], row["dataset"], first, second))

        two = (short[first], f"–{short[second]}")
        over, head = two if len(pairs) > MANY_PAIRS else ("", "".join(two))
        return (
            Column("t", f"{first} – {second}", cell=lambda row: t_cell(test(row), arrow=True),
                   align="right", only=HTML),
            Column("t", head, cell=lambda row: t_cell(test(row)), align="right", over=over,
                   only=LATEX),
        )  # fmt: skip

    levels = [f"{100 * level:g} %" for level in study.confidence]
    raised = [f"{'¹²³'[nth]} {' and '.join(levels[nth:])}" for nth in range(len(levels))]
    classes = ", ".join(f"{mark} {name}" for name, mark in short.items() if mark != name)
    return Table(
        name,
        _by_system(tests).group_by(own, maintain_order=True).agg(cells),
        (
            *_system(study, variant),
            Column("words", "Words"),
            *(one for pair in pairs for one in columns(*pair)),
        ),
        caption=f"{column}: size of t between classes, by set of words.",
        notes=_notes(
            f"Raised: the confidence at which means differ, {'; '.join(raised)}.",
            "H: very large, since the scores of both classes do not vary.",
            f"Classes: {classes}." if classes else "",
            DAGGERED if variant == DISCRETISED else "",
        ),
        kind="plain evidence",
        tight=len(pairs) > MANY_PAIRS,
        files=("csv", "tex"),
    )


def t_cell(row: Row | None, *, arrow: bool = False) -> Cell:
    """|t| with its raised number, H where it is huge; on a page, which class is scored higher.

    >>> test = {"t": -2.6454, "huge": False, "superscript": 1}
    >>> t_cell(test, arrow=True).text, t_cell(test | {"huge": True}).text, t_cell(None).text
    ('▸ 2.65', 'H', '–')
    """
    t = None if row is None else row["t"]
    if row is None or t is None or t != t:
        return Cell(DASH)
    raised = "" if row["superscript"] is None else str(row["superscript"])
    size = "H" if row["huge"] else fixed(abs(t), 2) if abs(t) >= 0.005 else "0"
    higher = ("◂ " if t > 0 else "▸ ") if arrow and raised else ""
    return Cell(f"{higher}{size}", raised=raised)


def short_names(classes: Iterable[str]) -> dict[str, str]:
    """Initials that tell classes apart, or letters where initials do not.

    >>> short_names(["European American male", "African American male", "NA"])
    {'European American male': 'EAm', 'African American male': 'AAm', 'NA': 'NA'}
    >>> short_names(["old", "other"])
    {'old': 'a', 'other': 'b'}
    """
    every = list(classes)
    found = ["NA" if one == "NA" else "".join(word[0] for word in one.split()) for one in every]
    if len(set(found)) < len(every) or not all(one.isalnum() and one.isascii() for one in found):
        found = [chr(ord("a") + nth) if nth < 26 else f"c{nth}" for nth in range(len(every))]
    return dict(zip(every, found, strict=True))


def die_frame(effects: pl.DataFrame) -> pl.DataFrame:
    """A row for each dataset: means before and after, DIE % of both polarities, the largest.

    `largest` is null where there is none; `x` says that a denominator is 0. `worst` marks the
    largest of a system's datasets: an X, or the largest above 0 where none has one.
    """
    if effects.is_empty():
        return effects
    cells = [
        pl.col(what).filter(pl.col("polarity") == polarity).first().alias(f"{what}_{polarity}")
        for what in ("observed", "interventional", "die", "x", "empty", "n")
        for polarity in POLARITIES
    ]
    own = ["system", "task", "variant", "column"]
    size = coarsen_column(pl.col("largest"))
    top = (size == size.max().over(own)) & (pl.col("largest") > 0)
    worst = pl.when(pl.col("x").any().over(own)).then(pl.col("x")).otherwise(top)
    rows = effects.group_by(DATASET, maintain_order=True).agg(cells)
    return rows.with_columns(
        largest=pl.max_horizontal("die_negative", "die_positive"),
        x=pl.any_horizontal("x_negative", "x_positive").fill_null(False),
    ).with_columns(worst=worst.fill_null(False))


def die_table(study: Ratings, name: str, column: str, variant: str) -> Table:
    """Like the paper's Table 5: means before and after the adjustment, and the impact of it."""
    effects = study.effects.filter(column=column, variant=variant)

    def side(what: str, polarity: str, over: str) -> Column:
        def cell(row: Row) -> Cell:
            if what == "die":
                return Cell(_percent(row[f"die_{polarity}"], x=row[f"x_{polarity}"]))
            empty = "*" if row[f"empty_{polarity}"] else ""
            return Cell(_two(row[f"{what}_{polarity}"]), raised=empty)

        return Column(what, polarity, cell=cell, align="right", over=over, only=HTML)

    def both(what: str, latex: str) -> Column:
        def cell(row: Row) -> str:
            if what != "die":
                return f"({', '.join(_two(row[f'{what}_{one}']) for one in POLARITIES)})"
            each = (
                _two(row[f"die_{one}"], x=row[f"x_{one}"]) + "ᵉ" * bool(row[f"empty_{one}"])
                for one in POLARITIES
            )
            return f"({', '.join(each)})"

        return Column(what, latex=latex, cell=cell, align="left", only=LATEX)

    def largest(row: Row) -> str:
        return _two(row["largest"], x=row["x"]) + "*" * bool(row["worst"])

    means = (("observed", "E[S | e]"), ("interventional", "E[S | do(e)]"), ("die", "DIE %"))
    return Table(
        name,
        _by_system(die_frame(effects)),
        (
            *_system(study, variant),
            Column("words", "Words"),
            *(side(what, one, over) for what, over in means for one in POLARITIES),
            Column("largest", "larger", cell=lambda row: _percent(row["largest"], x=row["x"]),
                   align="right", over="DIE %", only=HTML),
            both("observed", r"$E[S \mid e]$"),
            both("interventional", r"$E[S \mid do(e)]$"),
            both("die", r"DIE\,\%"),
            Column("largest", latex=r"Max.\ DIE\,\%", cell=largest, align="right", only=LATEX),
        ),
        caption=f"{column}: mean score of negative and positive words before and after backdoor "
        "adjustment, and its impact (DIE). *: the largest of a system.",
        notes=_notes(
            "X: the mean before is 0." if effects["x"].any() else "",
            "ᵉ: over the classes that have such words; others have none."
            if effects["empty"].fill_null("").ne("").any()
            else "",
            DAGGERED if variant == DISCRETISED else "",
        ),
        kind="plain evidence",
        tight=True,
        files=("tex",),
    )  # fmt: skip


def ate_table(study: Ratings, name: str, column: str, variant: str) -> Table:
    """Effects of a positive word: as seen, adjusted and by matching."""

    def mean(what: str) -> Column:
        return Column(what, what, format=_two, latex=what.capitalize())

    return Table(
        name,
        _by_system(study.ates.filter(column=column, variant=variant)),
        (
            *_system(study, variant),
            Column("words", "Words"),
            *map(mean, ("naive", "adjusted", "matched")),
            Column("unmatched", "unmatched", latex="Unmatched"),
            Column("change", "change %", cell=lambda row: _percent(row["change"], x=row["x"]),
                   only=HTML),
            Column("change", latex=r"Change\,\%", cell=lambda row: _two(row["change"], x=row["x"]),
                   only=LATEX),
        ),
        caption=f"{column}: average effect of a positive word on the score: as seen, with backdoor "
        "adjustment, and by propensity-score matching, with the sentences that found no match.",
        notes=_notes(DAGGERED if variant == DISCRETISED else ""),
        kind="plain evidence",
        tight=True,
        files=("tex",),
    )  # fmt: skip


def arrow_name(study: Ratings, column: str) -> str:
    """The arrow of a diagram that a column tests."""
    return f"{phrases.spoken(about(study.column_rows[column]))} → sentiment"


def arrows_table(study: Ratings, columns: Sequence[Row], variant: str) -> Table:
    """What all systems' arrows say: for a page of many."""
    found = {
        (one.system, one.task): column_results(study, one.variants[variant], columns)
        for one in study.systems
        if variant in one.variants
    }

    def column(name: str) -> Column:
        def cell(row: Row) -> Cell:
            arrow = found[row["system"], row["task"]][name]
            return Cell(phrases.kept(arrow.words), kind=arrow.kind)

        return Column(name, arrow_name(study, name), cell=cell, align="left")

    return Table(
        "arrows",
        pl.DataFrame(list(found), schema=["system", "task"], orient="row"),
        (system_column(study), *map(column, next(iter(found.values()), {}))),
        f"Arrows of group {columns[0]['group']}, {wording.VARIANTS.get(variant, variant)}",
        kind="plain said",
    )


def shares_table(
    study: Ratings, variant: str, rated: Sequence[RatedSystem], shares: Shares
) -> Table:
    """How often repeats gave each rating, system by system: for a page."""

    def column(name: str) -> Column:
        def cell(row: Row) -> str:
            return (
                wording.shares(shares.get((row["system"], row["task"], variant, name), {})) or DASH
            )

        header = wording.column_named(study.column_rows[name])
        return Column(name, header, cell=cell, align="left")

    called = wording.VARIANTS.get(variant, variant)
    return Table(
        "shares",
        pl.DataFrame([{"system": one.system, "task": one.task} for one in rated]),
        (system_column(study), *map(column, study.column_rows)),
        f"How often each system got each rating, by group, {called}",
        kind="plain shares",
    )


def _notes(*notes: str) -> tuple[str, ...]:
    return tuple(filter(None, notes))


def _two(value: float | None, *, x: bool | None = False) -> str:
    """Two decimals, or X."""
    return "X" if x else DASH if value is None else fixed(value, 2)


def _percent(value: float | None, *, x: bool | None = False) -> str:
    """A per cent as short as it can be, or X."""
    if x:
        return "X"
    if value is None:
        return DASH
    return fixed(value, 1) if value >= 1 else short(value) if value else "0"
