"""The tables of Câmara et al. (2022) for the corpora of a run, and for two that match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from tiltmeter.audit_run import AuditRun
from tiltmeter.report.comparison import subset_words
from tiltmeter.report.material import Compared, Material, Regressed
from tiltmeter.report.numbers import DASH
from tiltmeter.report.regression_names import language_name, printed_measure
from tiltmeter.report.slugs import numbered, slug
from tiltmeter.report.tables.margins import Line, Margins, lines_of, task_order
from tiltmeter.report.tables.margins_words import NOT_ASKED, caption, effect_order

Group = Sequence[tuple[Regressed, Compared]]
"""Regressions of corpora that stand in one table."""


def margins_tables(material: Material) -> tuple[Margins, ...]:
    """A table for every corpus with a regression, and one for every two that match."""
    known = {(one.name, one.edition): one for one in material.compared}
    there = [(one, known[_of(one)]) for one in material.regressed if _of(one) in known]
    together = [pair for pair in combinations(there, 2) if _match(*pair)]
    groups = [[one] for one in there] + [_english_first(pair) for pair in together]
    made = [table for group in groups if (table := _table(group, material.run)).lines]
    names = numbered([table.name for table in made])
    return tuple(replace(table, name=name) for table, name in zip(made, names, strict=True))


def _of(one: Regressed) -> tuple[str, str]:
    edition = one.estimates["edition"]
    return one.corpus, edition[0] if len(edition) else ""


def _match(one: tuple[Regressed, Compared], other: tuple[Regressed, Compared]) -> bool:
    """Whether two corpora ask the same in two languages."""
    ours, theirs = (
        {axis.name: set(axis.groups) for axis in compared.axes} for _, compared in (one, other)
    )
    same = set(one[0].effects) == set(other[0].effects)
    return same and ours == theirs and one[1].language != other[1].language


def _english_first(pair: Group) -> Group:
    return sorted(pair, key=lambda one: one[1].language != "en")


def _table(group: Group, run: AuditRun) -> Margins:
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
    return Margins(
        name="-".join(("margins", *(slug(one.corpus) for one, _ in group))),
        title=f"Intersectional regression: {' and '.join(one.corpus for one, _ in group)}",
        caption=caption(titles, effects, measure, list(map(subset_words, dict.fromkeys(subsets)))),
        effects=effects,
        tasks=tasks,
        lines=tuple(lines),
        notes=tuple(_notes(group, lines, tasks)),
    )


def _notes(group: Group, lines: Sequence[Line], tasks: Sequence[str]) -> Iterator[str]:
    """Why numbers are missing, once for every reason."""
    for regressed, _ in group:
        missing = regressed.fits.drop_nulls("reason")
        for (reason,), rows in missing.group_by("reason", maintain_order=True):
            who = [f"{system} ({task})" for system, task in rows.select("system", "task").rows()]
            where = f" on {regressed.corpus}" if len(group) > 1 else ""
            yield f"{DASH} cannot be estimated{where}, because {reason}: {', '.join(who)}."
    if any(task not in {one for one, _, _ in line.numbers} for line in lines for task in tasks):
        yield NOT_ASKED
