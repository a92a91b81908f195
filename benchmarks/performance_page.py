"""docs/performance.md from results.json: every claim, how things grow, what falls short."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from claim import digits

SHORTFALLS = Path(__file__).with_name("shortfalls.toml")
Told = dict[str, Any]

INTRODUCTION = """\
# Performance

Every number on this page was measured by `{command}` on {date}, at commit {commit}; it took
{minutes} min. The page is written by that command; do not edit it. `make bench ONLY=pairs,rating`
runs some of the benchmarks and prints their rows.

- **ours** and **peer** are measured in the same run on the same machine, and each is the quickest
  of its runs. Where results can be compared, they must agree before any time counts.
- **ratio** is how many times quicker we are than the peer where the target says ≥. Where it says ≤
  it is our time over the peer's, or what the row says: megabytes, seconds, an exponent.
- A row that is **not run** says what it lacks.
- What misses its target stands under [Shortfalls](#shortfalls), with the reason.

benchmarks/results.json has the same numbers. Every benchmark there has the date and commit it was
measured at; `rows`, each with claim, ours, peer, ratio, target, at_most and met, or with claim,
not_run and failed; and `growth`, with the sizes, seconds, megabytes and exponents.

Ratios travel between machines better than seconds do. Another machine gives other ratios all the
same: run the command on yours.
"""


def page(results: Told) -> str:
    """The whole page."""
    parts = [_introduction(results), _machine(results["machine"]), "## Claims\n"]
    parts += [_claims(one, results) for one in results["benchmarks"]]
    parts += [_growth(results["benchmarks"]), _shortfalls(results["benchmarks"])]
    return "\n".join(parts)


def _introduction(results: Told) -> str:
    minutes = round(results["seconds"] / 60)
    return INTRODUCTION.format(**{**results, "minutes": minutes})


def _machine(about: Told) -> str:
    rows = [(name, value) for name, value in about.items()]
    return "## The machine\n\n" + table(("", ""), rows)


def _claims(one: Told, results: Told) -> str:
    head = f"### {one['benchmark']}\n\n{one['about']} `python benchmarks/{one['benchmark']}.py`"
    day = (one.get("date", results["date"]), one.get("commit", results["commit"]))
    if day != (results["date"], results["commit"]):
        head += f"\n\nMeasured on {day[0]}, at commit {day[1]}, by a run that was then stopped."
    rows = [_row(row) for row in one["rows"]]
    return f"{head}\n\n" + table(("claim", "ours", "peer", "ratio", "target", "met?"), rows)


def _row(row: Told) -> tuple[str, ...]:
    if "not_run" in row:
        return row["claim"], f"not run: {row['not_run']}", "", "", "", "–"
    sign = "≤" if row["at_most"] else "≥"
    met = "yes" if row["met"] else "**no**"
    target = f"{sign} {row['target']:g}"
    return row["claim"], row["ours"], row["peer"], digits(row["ratio"]), target, met


def _growth(benchmarks: Sequence[Told]) -> str:
    """Every size measured, with the fitted exponents."""
    rows = [_grown(one) for benchmark in benchmarks for one in benchmark["growth"]]
    if not rows:
        return ""
    said = (
        "## Growth\n\nThe same work at 1×, 10× and 100× the size, each in a process of its own. An"
        " exponent is the b of *time = a · sizeᵇ*, by least squares of the logarithms: 1 is linear,"
        " 0 is no growth. Peak memory is the whole process'; its exponent is fitted to what lies"
        " above the same process after a tenth of the first size, so that imports do not hide the"
        " growth.\n"
    )
    columns = ("what", "sizes", "seconds", "time^", "peak MB", "memory^")
    return f"{said}\n" + table(columns, rows)


def _grown(one: Told) -> tuple[str, ...]:
    return (
        one["what"],
        f"{_listed(one['sizes'], ',')} {one['unit']}",
        _listed(one["seconds"], ".3g"),
        f"{one['time_exponent']:.2f}",
        _listed(one["megabytes"], ",.0f"),
        f"{one['memory_exponent']:.2f}",
    )


def _listed(numbers: Sequence[float], form: str) -> str:
    return " · ".join(format(number, form) for number in numbers)


def _shortfalls(benchmarks: Sequence[Told]) -> str:
    """What misses its target here, and why; then what is known to miss it on other days."""
    known = known_shortfalls()
    missed = list(_missed(benchmarks))
    parts = ["## Shortfalls\n"]
    measured = any("met" in row for one in benchmarks for row in one["rows"])
    if not missed:
        none = "Every target that could be measured was met in this run.\n"
        parts.append(none if measured else "Nothing was measured in this run.\n")
    for name, row in missed:
        why = next((one for one in known if explains(one, name, row)), None)
        parts.append(_told(name, row, why))
    rest = [one for one in known if not any(explains(one, name, row) for name, row in missed)]
    if rest:
        parts.append("Not missed in this run, but missed now and then, or worth knowing:\n")
        parts += [f"- **{one['benchmark']}: {one['claim']}.** {_reason(one)}\n" for one in rest]
    return "\n".join(parts)


def _missed(benchmarks: Sequence[Told]) -> Iterator[tuple[str, Told]]:
    for one in benchmarks:
        yield from ((one["benchmark"], row) for row in one["rows"] if row.get("met") is False)


def _told(name: str, row: Told, why: Told | None) -> str:
    reason = _reason(why) if why else "Not yet explained; benchmarks/shortfalls.toml has no entry."
    target = f"{'≤' if row['at_most'] else '≥'} {row['target']:g}"
    return f"- **{name}: {row['claim']}.** {digits(row['ratio'])}, target {target}. {reason}\n"


def _reason(one: Told) -> str:
    profile = f" Profile: `{one['profile']}`." if "profile" in one else ""
    return " ".join(one["why"].split()) + profile


def known_shortfalls() -> list[Told]:
    """What shortfalls.toml says: benchmark, how its claim begins, why, the profile's command."""
    found: list[Told] = tomllib.loads(SHORTFALLS.read_text("utf-8")).get("shortfall", [])
    return found


def explains(shortfall: Told, benchmark: str, row: Told) -> bool:
    """Whether an entry of shortfalls.toml is about a row."""
    return bool(shortfall["benchmark"] == benchmark and row["claim"].startswith(shortfall["claim"]))


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; a | in a cell stays in it."""
    lines = [columns, ["---"] * len(columns), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
