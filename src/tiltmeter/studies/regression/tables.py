"""The regressions of a run as tables: plain ones, and tables 3 to 5 of Câmara et al. (2022).

Plain: coefficients, fits, groups, names, languages. As in the paper: systems down, effects of each
task across; where there are more than three effects every effect has a line of its own and the
tasks stand across.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.report.numbers import DASH, fixed
from tiltmeter.report.phrases import numbered, slug, subset_words
from tiltmeter.report.table import Cell, Column, Table
from tiltmeter.schemas import AVERAGE
from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons, RegressionStudy
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
    MARGINAL,
    MARGINAL_MIXED,
    PRECISION,
    TOTAL,
    TOTAL_EFFECT,
)
from tiltmeter.studies.regression.run import ENGLISH, corpora_match
from tiltmeter.studies.regression.wording import effect_parts, language_name, printed_measure, stars

KEYS = [
    "corpus", "edition", "mode", "system", "task", "subset", "axis", "contrast", "reference"
]  # fmt: skip
COLUMNS_OF = {
    COEFFICIENT: ("", "se", "low", "high", "df", "p", "stars"),
    COEFFICIENT_NAIVE: ("se", "p", "stars"),
    COEFFICIENT_MIXED: ("", "se", "df", "p", "stars"),
    MARGINAL: ("", "se", "low", "high", "p"),
    MARGINAL_MIXED: ("", "low", "high", "p"),
    TOTAL: ("", "se", "p"),
    TOTAL_EFFECT: ("", "low", "high", "p"),
    LEAST_SQUARES: ("", "se", "p", "stars"),
    PRECISION: ("", "se", "p"),
}
"""Which numbers of a measure stand in the long table; "" is its value."""


def regression_tables(material: AuditResults) -> dict[str, pl.DataFrame]:
    """Every plain table, by its file's name without an ending; none without a regression."""
    if not material.regressed:
        return {}
    found = {
        "regression-coefficients": coefficients(material.regressed),
        "regression-fits": _stacked(material.regressed, "fits"),
        "regression-groups": _stacked(material.regressed, "groups"),
        "regression-names": _stacked(material.regressed, "people"),
    }
    if material.languages is not None:
        found["regression-languages"] = material.languages
    return found


def coefficients(regressed: Sequence[RegressionStudy]) -> pl.DataFrame:
    """A row a submission and effect: coefficient, its size in scores, and what others would say.

    Columns are named after their measure, `coefficient_se`; the value itself is `coefficient`.
    What was not measured in this run has no column; what cannot be estimated is null, with the
    reason.
    """
    found = list[pl.DataFrame]()
    for one in regressed:
        marks = pl.Series("stars", [stars(p) for p in one.estimates["p"]], pl.String)
        rows = one.estimates.with_columns(marks)
        wide = rows.filter(measure=COEFFICIENT).select(*KEYS, "n", "n_dropped")
        for measure, names in COLUMNS_OF.items():
            mine = rows.filter(measure=measure)
            if mine.height:
                columns = {
                    "_".join(filter(None, (measure, name))): name or "value" for name in names
                }
                wide = wide.join(
                    mine.select(*KEYS, **columns), on=KEYS, how="left", maintain_order="left"
                )
        judged = one.findings.select(*KEYS[:-1], "p_adjusted", "significance")
        reasons = one.fits.select("system", "task", "reason")
        last = ("n", "n_dropped", "reason")
        found.append(
            wide.join(judged, on=KEYS[:-1], how="left", maintain_order="left")
            .join(reasons, on=["system", "task"], how="left", maintain_order="left")
            .select(*KEYS, pl.exclude(*KEYS, *last), *last)
        )
    return pl.concat(found, how="diagonal")


def _stacked(regressed: Sequence[RegressionStudy], name: str) -> pl.DataFrame:
    """One table of every corpus; an axis that a corpus lacks is null there."""
    frames: list[tuple[str, pl.DataFrame]] = [(one.corpus, getattr(one, name)) for one in regressed]
    named = [frame.select(pl.lit(corpus).alias("corpus"), pl.all()) for corpus, frame in frames]
    return pl.concat(named, how="diagonal")


FIRST = ("race", "gender")
"""The paper's order of axes; any other after them, as the formula has it."""
TIMES = " × "
NOT_ASKED = "Empty where a system has no scores for the task."
STARS = "* p ≤ 0.10, ** p ≤ 0.05, *** p ≤ 0.01, two-sided, not corrected for how many there are."
PRODUCT = "A product is what groups together have beyond their sum"
NUMBERS = {
    LEAST_SQUARES: "Coefficients of least squares, in parts of the scale, as the paper prints",
    COEFFICIENT_MIXED: "Coefficients of a linear model of the logit, random names and templates",
}
"""What the numbers are; Beta coefficients otherwise."""
BETA = "Coefficients of Beta regression, on the logit"
ERRORS = {
    COEFFICIENT: "Errors let names and templates vary (crossed clusters, CR2, Satterthwaite).",
    COEFFICIENT_MIXED: "Errors let names and templates vary (a mixed model).",
    COEFFICIENT_NAIVE: "Errors as if all sentences were independent.",
    LEAST_SQUARES: "Errors as if all sentences were independent, as in the paper.",
}

Effect = tuple[str, str, str]
"""Axis, contrast and reference."""


def effect_order(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Race, gender, other axes, then products, as in print.

    >>> given = [("gender", "f-m", "m"), ("race", "a-b", "b"), ("gender:race", "f-m:a-b", "m:b")]
    >>> [axis for axis, _, _ in effect_order(given)]
    ['race', 'gender', 'gender:race']
    """
    known = [*FIRST, *(axis for axis, _, _ in effects)]
    return tuple(sorted(effects, key=lambda one: (one[0].count(":"), known.index(one[0]))))


def effect_title(effect: Effect, effects: Sequence[Effect]) -> str:
    """What stands over a column: the axes, and the groups where an axis has several.

    >>> effect_title(("gender:race", "f-m:a-b", "m:b"), [("gender:race", "f-m:a-b", "m:b")])
    'Race × gender'
    >>> effect_title(("race", "a-b", "b"), [("race", "a-b", "b"), ("race", "c-b", "b")])
    'Race: a − b'
    """
    parts = effect[0].split(":")
    title = TIMES.join(sorted(parts, key=[*FIRST, *parts].index))
    title = title[:1].upper() + title[1:]
    several = sum(axis == effect[0] for axis, _, _ in effects) > 1
    return f"{title}: {groups_of(effect)}" if several else title


def groups_of(effect: Effect) -> str:
    """The groups of an effect as a difference.

    >>> groups_of(("race", "African American-European American", "European American"))
    'African American − European American'
    >>> groups_of(("gender:race", "f-m:a-b", "m:b"))
    '(f − m) × (a − b)'
    """
    parts = [f"{group} − {second}" for _, group, second in effect_parts(effect)]
    return parts[0] if len(parts) == 1 else TIMES.join(f"({one})" for one in parts)


def caption(titles: str, effects: Sequence[Effect], measure: str, on: Sequence[str]) -> str:
    """Which numbers these are, which errors they have, what the stars mean."""
    groups = "; ".join(f"{one[0]}: {groups_of(one)}" for one in effects if ":" not in one[0])
    products = [one for one in effects if ":" in one[0]]
    about_products = ""
    if products:  # what a product is, and what it leaves to the axes beside it
        references = dict.fromkeys(second for one in products for *_, second in effect_parts(one))
        beside = ", ".join(one for one in references if one != AVERAGE)
        held = f"; beside it, each axis is told for the others’ reference ({beside})"
        about_products = f"{PRODUCT}{held if beside else ''}."
    sentences = (
        f"{NUMBERS.get(measure, BETA)}. {titles}; {' or '.join(on)}, of people with a group on "
        f"every axis.",
        f"Above 0: sentences of the first group are scored higher ({groups}).",
        about_products,
        ERRORS.get(measure, ""),
        STARS,
    )
    return " ".join(filter(None, sentences))


EMOTIONS = ("anger", "fear", "joy", "sadness")
"""The paper's order."""
ACROSS = 3
"""Effects that can stand across the page."""
BESIDE = 2
"""Tasks that then stand beside each other on the page of a reproduction."""
PLACES = 3
"""Decimals, as in the paper."""


@dataclass(frozen=True, slots=True)
class Number:
    """One coefficient and its stars; no value where it cannot be estimated."""

    value: float | None
    stars: str = ""

    def __str__(self) -> str:
        """As printed, without the stars' raise."""
        return DASH if self.value is None else f"{fixed(self.value, PLACES)}{self.stars}"


@dataclass(frozen=True, slots=True)
class SystemLine:
    """A system on a corpus."""

    language: str
    """With the corpus: `English (eec)`."""
    system: str
    numbers: Mapping[tuple[str, str, str], Number]
    """By task, axis and contrast; nothing where the system has no such submission."""
    published: bool = False
    """Whether a paper printed it."""

    @property
    def label(self) -> str:
        """The system, and whether a paper printed its numbers."""
        return f"{self.system} (published)" if self.published else self.system

    def shown(self, task: str, effect: Effect) -> Number | None:
        """One number, or None where there is no such submission."""
        return self.numbers.get((task, *effect[:2]))

    def text(self, task: str, effect: Effect) -> str:
        """One number as printed; nothing where there is no such submission."""
        shown = self.shown(task, effect)
        return "" if shown is None else str(shown)


@dataclass(frozen=True, slots=True)
class MarginalEffectsTable:
    """A table as in print, numbers still numbers."""

    name: str
    """Its file's name without an ending."""
    title: str
    caption: str
    effects: tuple[Effect, ...]
    """Axis, contrast and reference of every column, in the order of print."""
    tasks: tuple[str, ...]
    lines: tuple[SystemLine, ...]
    notes: tuple[str, ...] = ()
    """Why a number is missing."""

    @property
    def heads(self) -> tuple[str, ...]:
        """What stands over the effects: Race, Gender, Race × gender."""
        return tuple(effect_title(one, self.effects) for one in self.effects)

    @property
    def wide(self) -> bool:
        """Whether the effects stand across the page."""
        return len(self.effects) <= ACROSS

    @property
    def parts(self) -> list[tuple[str, ...]]:
        """The tasks that stand beside each other, one part below the other."""
        if not self.wide:
            return [self.tasks]
        return [self.tasks[at : at + BESIDE] for at in range(0, len(self.tasks), BESIDE)]

    def print_table(self) -> Table:
        """The table as it is printed, every cell of its frame a text; stars are raised."""
        columns = list(zip(self.effects, self.heads, strict=True))
        rows = list[dict[str, str]]()
        for line in self.lines:
            begin = {"language": line.language, "system": line.label}
            for effect, head in columns if not self.wide else ():
                cells = {task: line.text(task, effect) for task in self.tasks}
                rows.append(begin | {"effect": head} | cells)
            if self.wide:
                cells = {
                    f"{task}: {head}": line.text(task, effect)
                    for task in self.tasks
                    for effect, head in columns
                }
                rows.append(begin | cells)
        language = Column("language", "Language", once=True)
        if self.wide:
            shown = [
                Column("system", "System"),
                *(
                    Column(f"{task}: {head}", head, _starred, align="right", over=task.capitalize())
                    for task in self.tasks
                    for _, head in columns
                ),
            ]
        else:
            shown = [
                Column("system", "System", once=True),
                Column("effect", "Effect"),
                *(Column(task, task.capitalize(), _starred, align="right") for task in self.tasks),
            ]
        return Table(
            self.name, pl.DataFrame(rows), (language, *shown), self.caption, self.notes,
            kind="plain coefs", files=("csv", "tex"),
        )  # fmt: skip


def _starred(text: str) -> Cell:
    number = text.rstrip("*")
    return Cell(number, raised=text[len(number) :])


def task_order(tasks: Sequence[str]) -> tuple[str, ...]:
    """The tasks in the paper's order, then others by name.

    >>> task_order(["valence", "joy", "anger"])
    ('anger', 'joy', 'valence')
    """
    return tuple(sorted(set(tasks), key=lambda one: ((*EMOTIONS, one).index(one), one)))


def lines_of(estimates: pl.DataFrame, measure: str, language: str) -> Iterator[SystemLine]:
    """A line a system, with the numbers of one measure."""
    printed = estimates.filter(measure=measure)
    for (system,), mine in printed.group_by("system", maintain_order=True):
        rows = mine.select("task", "axis", "contrast", "value", "p").iter_rows()
        numbers = {
            (task, axis, contrast): Number(value, "" if value is None else stars(p))
            for task, axis, contrast, value, p in rows
        }
        yield SystemLine(language, str(system), numbers)


Group = Sequence[tuple[RegressionStudy, CorpusComparisons]]
"""Regressions of corpora that stand in one table."""


def marginal_effects_tables(material: AuditResults) -> tuple[MarginalEffectsTable, ...]:
    """A table for every corpus with a regression, and one for every two that match."""
    known = {(one.name, one.edition): one for one in material.compared}
    there = list[tuple[RegressionStudy, CorpusComparisons]]()
    for study in material.regressed:
        edition = (*study.estimates["edition"].head(1), "")[0]
        if (study.corpus, edition) in known:
            there.append((study, known[study.corpus, edition]))
    groups: list[Group] = [[one] for one in there]
    for one, other in combinations(there, 2):
        if set(one[0].effects) == set(other[0].effects) and corpora_match(
            one[1].corpus, other[1].corpus
        ):
            groups.append(sorted((one, other), key=lambda pair: pair[1].corpus.language != ENGLISH))
    made = [table for group in groups if (table := _table(group, material.run)).lines]
    names = numbered([table.name for table in made])
    return tuple(replace(table, name=name) for table, name in zip(made, names, strict=True))


def _table(group: Group, run: AuditRun) -> MarginalEffectsTable:
    measure = printed_measure(run)
    effects = effect_order(group[0][0].effects)
    lines = [
        line
        for study, compared in group
        for line in lines_of(
            study.estimates, measure, f"{language_name(compared.corpus.language)} ({compared.name})"
        )
    ]
    tasks = task_order([task for line in lines for task, _, _ in line.numbers])
    titles = " and ".join(compared.title for _, compared in group)
    subsets = [name for one, _ in group for name in one.estimates["subset"].unique().sort()]
    missing = [  # why numbers are missing, once for every reason
        f"{DASH} cannot be estimated{f' on {study.corpus}' if len(group) > 1 else ''}, because "
        f"{reason}: {', '.join(rows.select(pl.format('{} ({})', 'system', 'task')).to_series())}."
        for study, _ in group
        for (reason,), rows in study.fits.drop_nulls("reason").group_by(
            "reason", maintain_order=True
        )
    ]
    if any(task not in {one for one, _, _ in line.numbers} for line in lines for task in tasks):
        missing.append(NOT_ASKED)
    return MarginalEffectsTable(
        name="-".join(("margins", *(slug(one.corpus) for one, _ in group))),
        title=f"Intersectional regression: {' and '.join(one.corpus for one, _ in group)}",
        caption=caption(titles, effects, measure, list(map(subset_words, dict.fromkeys(subsets)))),
        effects=effects,
        tasks=tasks,
        lines=tuple(lines),
        notes=tuple(missing),
    )
