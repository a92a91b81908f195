"""What `tiltmeter audit` prints: a table for each comparison, the largest difference first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.cli.score_page import show_reports, together

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Audit
    from tiltmeter.report import Compared

SHOWN = 20
"""Systems a table lists before it only counts the rest."""
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
MARKS = {"up": "▲", "down": "▼", "none": "○", "not_estimable": "–"}


def show_audit(audit: Audit) -> None:
    """Print what was found for each corpus, axis and contrast, then what is worth knowing."""
    import polars as pl

    findings = audit.findings.filter(pl.col("subset") == audit.subset)
    for compared in audit.material.compared:
        for (axis, contrast), part in findings.filter(
            (pl.col("corpus") == compared.name) & (pl.col("edition") == compared.edition)
        ).group_by("axis", "contrast", maintain_order=True):
            _show_contrast(audit, compared, str(axis), str(contrast), part)
    say()
    say(
        "▲▼ difference detected   ○ no difference detected"
        + ("   – not estimable" if "not_estimable" in findings["significance"] else "")
    )
    _show_resting(audit, findings)
    _show_notes(audit)


def _show_resting(audit: Audit, findings: pl.DataFrame) -> None:
    """Differences that one person's name makes, which a p-value does not tell."""
    from tiltmeter.report import hangs_on_one

    detected = set(
        findings.filter(findings["significance"].is_in(["up", "down"]))
        .select("system", "task", "corpus", "axis", "contrast")
        .rows()
    )
    notes = []
    for compared in audit.material.compared:
        for row in () if compared.pivots is None else compared.pivots.iter_rows(named=True):
            key = row["system"], row["task"], compared.name, row["axis"], row["contrast"]
            if key in detected and hangs_on_one(row):
                why = f"{row['axis']}: most of it comes from {row['person']}"
                notes.append((row["system"], why))
    facts(together(notes))


def _show_contrast(
    audit: Audit, compared: Compared, axis: str, contrast: str, part: pl.DataFrame
) -> None:
    from tiltmeter.report import count

    pairs = compared.pairs.filter(axis=axis, contrast=contrast)
    groups = tuple(str(pairs[side][0]) for side in ("first", "second"))
    first, second = (compared.phrase(axis, group) for group in groups)
    named = _brief(first, groups[0]), _brief(second, groups[1])
    where = "" if len(audit.material.compared) == 1 else f"{compared.name}, "
    on = "" if audit.subset == "all" else f", subset {audit.subset}"
    most = count(max(part["n"].to_list(), default=0), "pair")
    heading(f"{where}{axis}: sentences {first} and the same sentences {second} ({most}{on})")
    ordered = part.sort(part["value"].abs(), descending=True, nulls_last=True, maintain_order=True)
    columns = _columns(audit, part)
    rows = (_row(audit, row, named) for row in ordered.head(SHOWN).iter_rows(named=True))
    kept = [[cell for name, cell in zip(_ALL, row, strict=True) if name in columns] for row in rows]
    table(columns, kept, right=("skill", "points", "p"))
    if part.height > SHOWN:
        say(f"… and {part.height - SHOWN:,} more in the report.")
    if part.height > 1:
        say(_counts(part, first, second))


_ALL = ("", "system", "task", "skill", "points", "scored higher", "95 % interval", "p")


def _brief(phrase: str, group: str) -> str:
    """The phrase where a narrow column has room for it, else the group's own name."""
    return phrase if len(phrase) <= BRIEF else group


def _columns(audit: Audit, part: pl.DataFrame) -> list[str]:
    left_out = set()
    if part["task"].n_unique() == 1:
        left_out.add("task")
    if audit.skill is None:
        left_out.add("skill")
    return [name for name in _ALL if name not in left_out]


def _row(audit: Audit, row: dict[str, Any], phrases: tuple[str, str]) -> tuple[str, ...]:
    from tiltmeter.report import POINTS, interval, p_value, points

    mark = MARKS[row["significance"]]
    begin = (mark, row["system"], row["task"], _skill(audit, row))
    if row["value"] is None:
        return (*begin, "–", "", "", "–")
    p = p_value(row["p_adjusted"]).removeprefix("p = ").removeprefix("p ")
    native = _unit(audit, row) == "native"
    times = 1.0 if native else POINTS
    start, end = sorted((_sign(row) * row["low"], _sign(row) * row["high"]))
    size, low, high = interval(abs(row["value"]), start, end, times)
    if not row["value"]:
        return (*begin, "0", "", _same(low, high), p)
    tiny = not native and abs(row["value"]) * POINTS < 0.001
    amount = points(abs(row["value"])) if tiny else size
    higher = phrases[0] if row["value"] > 0 else phrases[1]
    return (*begin, amount + (" units" if native else ""), higher, f"{low} to {high}", p)


def _sign(row: dict[str, Any]) -> float:
    """−1 where the second group is scored higher: the interval is told from its side."""
    return -1.0 if row["value"] < 0 else 1.0


def _same(low: str, high: str) -> str:
    return "" if low == high else f"{low} to {high}"


def _unit(audit: Audit, row: dict[str, Any]) -> str:
    import polars as pl

    for compared in audit.material.compared:
        if compared.name == row["corpus"]:
            found = compared.submissions.filter(
                (pl.col("system") == row["system"]) & (pl.col("task") == row["task"])
            )
            return str(found["unit"][0])
    return "scale"


def _skill(audit: Audit, row: dict[str, Any]) -> str:
    if audit.skill is None:
        return ""
    found = audit.skill.filter(system=row["system"], task=row["task"])
    value = found["pearson"][0] if found.height else None
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _counts(part: pl.DataFrame, first: str, second: str) -> str:
    """How many systems score which sentences higher, and in how many there is no difference."""
    kinds = ("up", "down", "none", "not_estimable")
    up, down, none, unknown = (int((part["significance"] == kind).sum()) for kind in kinds)
    said = [f"{up:,} higher {first}", f"{down:,} higher {second}", f"none in {none:,}"]
    if unknown:
        said.append(f"not estimable in {unknown:,}")
    return f"Difference detected in {up + down:,} of {part.height:,}: {', '.join(said)}."


def _show_notes(audit: Audit) -> None:
    facts(together(_remarks(audit)))
    for run in audit.runs[:1]:
        if run.reports:
            show_reports(run.reports)


def _remarks(audit: Audit) -> Iterator[tuple[str, str]]:
    for run in audit.runs:
        if run.sample:
            yield run.corpus.name, f"a sample: {run.sample}"
        for scored in run.scored:
            yield from ((scored.card.name, note) for note in scored.remarks)
            if scored.missing:
                many = f"{scored.missing:,} sentences without a score"
                yield scored.card.name, f"{many}; the pairs they stand in are left out"
