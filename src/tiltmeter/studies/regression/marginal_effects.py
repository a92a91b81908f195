"""Tables 3 to 5 of Câmara et al. (2022) for a run: systems down, effects of each task across."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.report.markup import END, document, escaped, number, table_row
from tiltmeter.report.numbers import DASH, fixed
from tiltmeter.report.phrases import numbered, slug, subset_words
from tiltmeter.schemas import AVERAGE
from tiltmeter.studies.paired.material import CorpusComparisons, Material, RegressionStudy
from tiltmeter.studies.regression.effects import (
    COEFFICIENT,
    COEFFICIENT_MIXED,
    COEFFICIENT_NAIVE,
    LEAST_SQUARES,
)
from tiltmeter.studies.regression.wording import (
    language_name,
    parts_of,
    printed_measure,
    stars,
)

# ---- what stands over, and under, the tables of Câmara et al. (2022)


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
    parts = parts_of(dict(zip(("axis", "contrast", "reference"), effect, strict=True)))
    told = [f"{group} − {second}" for _, group, second in parts]
    return told[0] if len(told) == 1 else TIMES.join(f"({one})" for one in told)


def caption(titles: str, effects: Sequence[Effect], measure: str, on: Sequence[str]) -> str:
    """Which numbers these are, which errors they have, what the stars mean."""
    groups = "; ".join(
        f"{one[0]}: {groups_of(one)}" for one in effects if ":" not in one[0]
    )  # fmt: skip
    said = (
        f"{NUMBERS.get(measure, BETA)}. {titles}; {' or '.join(on)}, of people with a group on "
        f"every axis.",
        f"Above 0: sentences of the first group are scored higher ({groups}).",
        *_of_products(effects),
        ERRORS.get(measure, ""),
        STARS,
    )
    return " ".join(filter(None, said))


def _of_products(effects: Sequence[Effect]) -> Iterator[str]:
    """What a product is, and what it leaves to the axes beside it."""
    products = [one for one in effects if ":" in one[0]]
    if not products:
        return
    references = dict.fromkeys(
        second
        for one in products
        for _, _, second in parts_of(dict(zip(("axis", "contrast", "reference"), one, strict=True)))
    )
    beside = [one for one in references if one != AVERAGE]
    held = f"; beside it, each axis is told for the others’ reference ({', '.join(beside)})"
    yield f"{PRODUCT}{held if beside else ''}."


# ---- tables 3 to 5 of Câmara et al. (2022) for a run: systems down, effects of each task across
# Two tasks stand beside each other, the next two below them, as in print. Where there are more than
# three effects every effect has a line of its own and the tasks stand across.

EMOTIONS = ("anger", "fear", "joy", "sadness")
"""The paper's order."""
ACROSS = 3
"""Effects that can stand across the page."""
BESIDE = 2
"""Tasks that then stand beside each other."""
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

    @property
    def blocks(self) -> list[tuple[str, list[SystemLine]]]:
        """The lines of each language, in their order."""
        found = dict[str, list[SystemLine]]()
        for line in self.lines:
            found.setdefault(line.language, []).append(line)
        return list(found.items())

    @property
    def columns(self) -> list[tuple[Effect, str]]:
        """Every effect and what stands over it."""
        return list(zip(self.effects, self.heads, strict=True))


def task_order(tasks: Sequence[str]) -> tuple[str, ...]:
    """The tasks in the paper's order, then others by name.

    >>> task_order(["valence", "joy", "anger"])
    ('anger', 'joy', 'valence')
    """
    return tuple(sorted(set(tasks), key=lambda one: ((*EMOTIONS, one).index(one), one)))


def print_frame(table: MarginalEffectsTable) -> pl.DataFrame:
    """The table as it is printed, every cell a text; for spreadsheets."""
    rows = list[dict[str, str]]()
    for line in table.lines:
        start = {"language": line.language, "system": line.label}
        if table.wide:
            cells = {
                f"{task}: {head}": _text(line.shown(task, effect))
                for task in table.tasks
                for effect, head in table.columns
            }
            rows.append(start | cells)
            continue
        for effect, head in table.columns:
            cells = {task: _text(line.shown(task, effect)) for task in table.tasks}
            rows.append(start | {"effect": head} | cells)
    return pl.DataFrame(rows)


def _text(shown: Number | None) -> str:
    return "" if shown is None else str(shown)


def lines_of(estimates: pl.DataFrame, measure: str, language: str) -> Iterator[SystemLine]:
    """A line a system, with the numbers of one measure."""
    rows = estimates.filter(measure=measure)
    for (system,), mine in rows.group_by("system", maintain_order=True):
        told = mine.select("task", "axis", "contrast", "value", "p").iter_rows()
        numbers = {
            (task, axis, contrast): Number(value, "" if value is None else stars(p))
            for task, axis, contrast, value, p in told
        }
        yield SystemLine(language, str(system), numbers)


# ---- the tables of Câmara et al. (2022) for papers: stars raised, notes below


LONGEST = 48
"""Lines that fit on a page; a longer table runs over several."""


def margins_latex(table: MarginalEffectsTable) -> str:
    """A table as the paper prints it."""
    body = list(_body(table))
    notes = " ".join(table.notes)
    said = escaped(f"{table.caption} {notes}".strip())
    columns = "ll" + "r" * _across(table) if table.wide else "lll" + "r" * len(table.tasks)
    if len(body) > LONGEST:
        return document(
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{said}}}\label{{tab:{table.name}}}" + END,
            *(r"\toprule", r"\endhead", r"\bottomrule", r"\endfoot"),
            *body,
            r"\end{longtable}",
        )
    return document(
        *(r"\begin{table*}[t]", r"\centering", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"),
        *body,
        *(r"\bottomrule", r"\end{tabular}", rf"\caption{{{said}}}"),
        *(rf"\label{{tab:{table.name}}}", r"\end{table*}"),
    )


def _across(table: MarginalEffectsTable) -> int:
    return max((len(part) for part in table.parts), default=0) * len(table.effects)


def _body(table: MarginalEffectsTable) -> Iterator[str]:
    for at, part in enumerate(table.parts):
        yield from [r"\midrule"] if at else []
        yield from _heads(table, part)
        yield r"\midrule"
        before = ""
        for line in table.lines:
            yield from _line(table, part, line, "" if line.language == before else line.language)
            before = line.language


def _heads(table: MarginalEffectsTable, part: tuple[str, ...]) -> Iterator[str]:
    if not table.wide:
        yield table_row(
            "Language", "System", "Effect", *(escaped(task.capitalize()) for task in part)
        )
        return
    many = len(table.effects)
    over = (rf"\multicolumn{{{many}}}{{c}}{{{escaped(task.capitalize())}}}" for task in part)
    yield table_row("", "", *over)
    yield table_row("Language", "System", *(map(escaped, table.heads * len(part))))


def _line(
    table: MarginalEffectsTable, part: tuple[str, ...], line: SystemLine, language: str
) -> Iterator[str]:
    start = [escaped(language), escaped(line.label)]
    if table.wide:
        cells = [_cell(line.shown(task, one)) for task in part for one in table.effects]
        yield table_row(*start, *cells)
        return
    for one, head in table.columns:
        yield table_row(*start, escaped(head), *(_cell(line.shown(task, one)) for task in part))
        start = ["", ""]


def _cell(shown: Number | None) -> str:
    if shown is None:
        return ""
    return number(shown.value) + (f"$^{{{shown.stars}}}$" if shown.stars else "")


# ---- the tables of Câmara et al. (2022) for the corpora of a run, and for two that match


Group = Sequence[tuple[RegressionStudy, CorpusComparisons]]
"""Regressions of corpora that stand in one table."""


def margins_tables(material: Material) -> tuple[MarginalEffectsTable, ...]:
    """A table for every corpus with a regression, and one for every two that match."""
    known = {(one.name, one.edition): one for one in material.compared}
    there = [(one, known[_of(one)]) for one in material.regressed if _of(one) in known]
    together = [pair for pair in combinations(there, 2) if _match(*pair)]
    groups = [[one] for one in there] + [_english_first(pair) for pair in together]
    made = [table for group in groups if (table := _table(group, material.run)).lines]
    names = numbered([table.name for table in made])
    return tuple(replace(table, name=name) for table, name in zip(made, names, strict=True))


def _of(one: RegressionStudy) -> tuple[str, str]:
    edition = one.estimates["edition"]
    return one.corpus, edition[0] if len(edition) else ""


def _match(
    one: tuple[RegressionStudy, CorpusComparisons], other: tuple[RegressionStudy, CorpusComparisons]
) -> bool:
    """Whether two corpora ask the same in two languages."""
    ours, theirs = (
        {axis.name: set(axis.groups) for axis in compared.axes} for _, compared in (one, other)
    )
    same = set(one[0].effects) == set(other[0].effects)
    return same and ours == theirs and one[1].language != other[1].language


def _english_first(pair: Group) -> Group:
    return sorted(pair, key=lambda one: one[1].language != "en")


def _table(group: Group, run: AuditRun) -> MarginalEffectsTable:
    measure = printed_measure(run)
    effects = effect_order(group[0][0].effects)
    lines = [
        line
        for regressed, compared in group
        for line in lines_of(
            regressed.estimates, measure, f"{language_name(compared.language)} ({compared.name})"
        )
    ]
    tasks = task_order([task for line in lines for task, _, _ in line.numbers])
    titles = " and ".join(compared.title for _, compared in group)
    subsets = [name for one, _ in group for name in one.estimates["subset"].unique().sort()]
    return MarginalEffectsTable(
        name="-".join(("margins", *(slug(one.corpus) for one, _ in group))),
        title=f"Intersectional regression: {' and '.join(one.corpus for one, _ in group)}",
        caption=caption(titles, effects, measure, list(map(subset_words, dict.fromkeys(subsets)))),
        effects=effects,
        tasks=tasks,
        lines=tuple(lines),
        notes=tuple(_notes(group, lines, tasks)),
    )


def _notes(group: Group, lines: Sequence[SystemLine], tasks: Sequence[str]) -> Iterator[str]:
    """Why numbers are missing, once for every reason."""
    for regressed, _ in group:
        missing = regressed.fits.drop_nulls("reason")
        for (reason,), rows in missing.group_by("reason", maintain_order=True):
            who = [f"{system} ({task})" for system, task in rows.select("system", "task").rows()]
            where = f" on {regressed.corpus}" if len(group) > 1 else ""
            yield f"{DASH} cannot be estimated{where}, because {reason}: {', '.join(who)}."
    if any(task not in {one for one, _, _ in line.numbers} for line in lines for task in tasks):
        yield NOT_ASKED
