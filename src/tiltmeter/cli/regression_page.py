"""What `tiltmeter audit` prints of a regression: the paper's table, for each corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from tiltmeter.cli.console import heading, say, table, visible
from tiltmeter.schemas import Significance

if TYPE_CHECKING:
    from tiltmeter.studies.paired.results import AuditResults, RegressionStudy

SHOWN = 20
"""Rows a table has before it only counts the rest."""
NARROW = 70
"""Columns below which a table would break words."""
MOST = 4
"""Effects that fit beside each other."""
NAMED = 3
"""Systems that a reason names before it only counts the rest."""
ERRORS = {
    "crossed": "errors over names and templates",
    "mixed": "random names and templates",
    "naive": "errors as if sentences were independent",
}


def show_regressions(material: AuditResults) -> None:
    """Print the effects of every corpus' regressions, a row a submission."""
    for one in material.regressed:
        _show(one, material)
    if any(one.fits["reason"].null_count() for one in material.regressed):
        say("* p ≤ 0.10   ** p ≤ 0.05   *** p ≤ 0.01, before correction")


def _show(one: RegressionStudy, material: AuditResults) -> None:
    from tiltmeter.studies.regression.wording import (
        effect_means,
        fitted_on,
        opposite_signs,
        unestimated,
    )

    errors = ERRORS[material.run.regression.errors if material.run.regression else "crossed"]
    where = "" if len(material.regressed) == 1 else f"{one.corpus}, "
    heading(f"{where}regression {one.formula}: effects in points of 100, {errors}")
    for which in fitted_on(one):
        say(visible(f"{which}."))
    rows, heads = list(_rows(one)), _heads(one)
    if get_terminal_size().columns < NARROW or len(heads) > MOST:
        for system, task, *cells in rows[:SHOWN]:  # no table fits: a line a number
            say(visible(f"{system}, {task}"))
            for head, cell in zip(heads, cells, strict=True):
                say(visible(f"  {head} {cell}"))
    elif rows:
        table(("system", "task", *heads), rows[:SHOWN], right=heads)
    if len(rows) > SHOWN:
        say(f"… and {len(rows) - SHOWN:,} more in the report.")
    if rows and material.run.regression and material.run.regression.no_reference:
        say("Each group beside the average of all groups of its axis.")
    elif rows:  # which side of zero is which, in words
        compared = next(other for other in material.compared if other.name == one.corpus)
        for head, effect in zip(heads, one.effects, strict=True):
            say(visible(f"{head}: {effect_means(effect, one, compared)}"))
    _show_counts(one, material)
    _show_clipped(one)
    for line in opposite_signs(one, material):
        say(visible(line))
    for reason, who in unestimated(one).items():
        rest = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
        say(visible(f"Cannot be estimated for {', '.join(who[:NAMED])}{rest}, because {reason}."))


def _show_clipped(one: RegressionStudy) -> None:
    """Scores that a Beta regression reads as 0 or 1; least squares reads them as they are."""
    if (one.findings["measure"] == "least_squares").any():
        return
    rows = one.fits.filter((one.fits["clipped"] > 0) & one.fits["reason"].is_null())
    named = [
        f"{row['system']} ({row['task']}) {row['clipped']:,} of {row['n']:,}"
        for row in rows.head(NAMED).iter_rows(named=True)
    ]
    if named:
        rest = f" and {rows.height - NAMED:,} more" if rows.height > NAMED else ""
        say(
            visible(f"Outside the scale, read as its nearest end: {', '.join(named)}{rest} scores.")
        )


def _heads(one: RegressionStudy) -> tuple[str, ...]:
    """What columns are called: the axis where that tells it, else the contrast."""
    many = Counter(axis for axis, _, _ in one.effects)
    return tuple(
        (axis if many[axis] == 1 else contrast).replace(":", " × ")
        for axis, contrast, _ in one.effects
    )


def _rows(one: RegressionStudy) -> Iterator[list[str]]:
    """A row for every submission that could be fitted."""
    from tiltmeter.report.numbers import points
    from tiltmeter.studies.regression.wording import stars

    measure = one.findings["measure"][0] if one.findings.height else ""
    found = {
        (row["system"], row["task"], row["axis"], row["contrast"]): row
        for row in one.estimates.filter(measure=measure).iter_rows(named=True)
    }
    for system, task, reason in one.fits.select("system", "task", "reason").rows():
        if reason is None:
            cells = [found[system, task, axis, name] for axis, name, _ in one.effects]
            yield [
                system,
                task,
                *(
                    "–" if cell["value"] is None else points(cell["value"]) + stars(cell["p"])
                    for cell in cells
                ),
            ]


def _show_counts(one: RegressionStudy, material: AuditResults) -> None:
    """How many effects were detected, and how many naive errors would have called so."""
    statistics = material.run.statistics
    tested = one.findings.filter(one.findings["p_adjusted"].is_not_null())
    keys = ("system", "task", "corpus")
    beside = [material.is_apart(*key) for key in tested.select(keys).rows()]
    if not all(beside):
        tested = tested.filter([not apart for apart in beside])
    if tested.is_empty():
        return
    detected = int(tested["significance"].is_in([Significance.UP, Significance.DOWN]).sum())
    said = f"Difference detected in {detected:,} of {tested.height:,} effects after correction"
    measure, family = tested["measure"][0], tested["family"][0]
    naive = one.estimates.filter(measure="marginal_effect_naive").drop_nulls("p")
    naive = naive.join(tested, on=keys, how="semi")
    by_hand = statistics.correction == "bonferroni"
    if measure == "marginal_effect" and naive.height and by_hand:
        claimed = int((naive["p"] * family < statistics.level).sum())
        said += f"; {claimed:,} if all sentences counted as independent"
    say(f"{said}.")
