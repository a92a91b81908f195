"""What `tiltmeter audit` prints: a table for each comparison, the largest difference first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, paragraph, say, table, visible
from tiltmeter.cli.files_page import show_reports, show_set_aside
from tiltmeter.cli.score_page import named, show_stored, together

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Audit, Run
    from tiltmeter.report import Compared

SHOWN = 20
"""Systems a table lists before it only counts the rest."""
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
NARROW = 60
"""Columns below which a table would break words."""
MARKS = {"up": "▲", "down": "▼", "none": "○", "not_estimable": "–"}


def show_audit(audit: Audit) -> None:
    """Print what was found for each corpus, axis and contrast, then what is worth knowing."""
    from tiltmeter.cli.regression_page import show_regressions

    _show_set_aside(audit)
    _show_meta(audit)
    if "pairs" in audit.measures:
        _show_pairs(audit)
    show_regressions(audit.material)
    _show_notes(audit)


def _show_pairs(audit: Audit) -> None:
    """The paired study."""
    import polars as pl

    findings = _with_verdicts(audit, audit.paired.filter(pl.col("subset") == audit.subset))
    for compared in audit.material.compared:
        mine = findings.filter(
            (pl.col("corpus") == compared.name) & (pl.col("edition") == compared.edition)
        )
        for (axis,), of_axis in mine.group_by("axis", maintain_order=True):
            if _is_beside_average(compared, str(axis)):
                _show_groups(audit, compared, str(axis), of_axis)
                continue
            for (contrast,), part in of_axis.group_by("contrast", maintain_order=True):
                _show_contrast(audit, compared, str(axis), str(contrast), part)
    say()
    say(
        "▲▼ difference detected   ○ no difference detected"
        + ("   – not estimable" if "not_estimable" in findings["significance"] else "")
    )
    if findings["verdict"].drop_nulls().len():
        say(
            "The marks are about these sentences; intervals and verdicts about other people and "
            "sentences like these."
        )
    _show_resting(audit, findings)
    _show_labels(audit)


def _with_verdicts(audit: Audit, findings: pl.DataFrame) -> pl.DataFrame:
    """The findings with each one's verdict, and the interval that it rests on."""
    import polars as pl

    if audit.tilts is None or audit.tilts.is_empty():
        return findings
    keys = ["system", "task", "corpus", "edition", "axis", "contrast", "subset"]
    wide = audit.tilts.select(*keys, "low", "high", "verdict", "margin")
    bare = findings.drop("low", "high", "verdict", "margin")
    return bare.join(wide, on=keys, how="left", maintain_order="left").with_columns(
        margin=pl.col("margin").cast(pl.Float64)
    )


def _show_resting(audit: Audit, findings: pl.DataFrame) -> None:
    """Detected differences that one name or pair makes, which a p-value does not tell."""
    from tiltmeter.report import hangs_on_one

    if audit.subset != "all":
        return  # what a difference rests on is known over all sentences only
    detected = set(
        findings.filter(findings["significance"].is_in(["up", "down"]))
        .select("system", "task", "corpus", "axis", "contrast")
        .rows()
    )
    apart = [
        name
        for name in ("corpus", "task", "axis")
        if name == "axis" or findings[name].n_unique() > 1
    ]
    notes = []
    for compared in audit.material.compared:
        for pivot in () if compared.pivots is None else compared.pivots.iter_rows(named=True):
            row = pivot | {"corpus": compared.name}
            key = tuple(row[name] for name in ("system", "task", "corpus", "axis", "contrast"))
            if key in detected and hangs_on_one(row):
                where = ", ".join(row[name] for name in apart)
                if _is_beside_average(compared, row["axis"]):
                    where += f", {row['contrast']}"
                notes.append((row["system"], f"{where}: most of it comes from “{row['person']}”"))
    facts(together(notes[:SHOWN]))
    if len(notes) > SHOWN:
        say(f"… and {len(notes) - SHOWN:,} more in the report that one name or pair makes.")


def _show_labels(audit: Audit) -> None:
    """Pairs whose two sides get different labels."""
    from tiltmeter.report import label_lines

    facts(together(label_lines(audit.material)))


def _show_groups(audit: Audit, compared: Compared, axis: str, part: pl.DataFrame) -> None:
    """The groups of an axis beside the average of all, in one table."""
    from tiltmeter.report import EVERYBODY, count

    where, on, most = _place(audit, compared, part)
    groups = count(part["contrast"].n_unique(), "group")
    heading(
        f"{where}{axis}: sentences of each of {groups} and the same sentences {EVERYBODY} "
        f"({most}{on})"
    )
    first = dict(compared.pairs.filter(axis=axis).select("contrast", "first").unique().rows())
    part = part.with_columns(group=part["contrast"].replace_strict(first, default=""))
    ordered = _ordered(audit, part)
    columns = [BESIDE if name == HIGHER else name for name in _columns(audit, part)]
    columns = [columns[0], "group", *columns[1:]]
    if part["system"].n_unique() == 1:
        columns.remove("system")
    rows = [
        (row["group"], *_row(audit, row, ("higher", "lower")))
        for row in ordered.head(SHOWN).iter_rows(named=True)
    ]
    if get_terminal_size().columns < NARROW:
        _show_lines(((mark, f"{group}: {system}", *rest) for group, mark, system, *rest in rows),
                    columns, "than the average of all")  # fmt: skip
    else:
        names = ("group", *(BESIDE if name == HIGHER else name for name in _ALL))
        kept = ([row[names.index(name)] for name in columns] for row in rows)
        table(columns, kept, right=("skill", "points", "p"))
    if part.height > SHOWN:
        say(f"… and {part.height - SHOWN:,} more in the report.")
    say(visible(_counts(audit, part, "than the average", "than the average", "lower")))


def _is_beside_average(compared: Compared, axis: str) -> bool:
    """Whether the groups of an axis are compared with the average of all."""
    seconds = compared.pairs.filter(axis=axis)["second"].unique()
    return any(compared.is_average(axis, second) for second in seconds)


def _place(audit: Audit, compared: Compared, part: pl.DataFrame) -> tuple[str, str, str]:
    """The corpus where there are several, the subset where it is not all, the task and the pairs.

    Several tasks have a column of their own.
    """
    from tiltmeter.report import count

    where = "" if len(audit.material.compared) == 1 else f"{compared.name}, "
    on = "" if audit.subset == "all" else f", subset {audit.subset}"
    tasks = part["task"].unique(maintain_order=True)
    task = f"{tasks[0]}, " if tasks.len() == 1 else ""
    return where, on, task + count(max(part["n"].to_list(), default=0), "pair")


def _show_contrast(
    audit: Audit, compared: Compared, axis: str, contrast: str, part: pl.DataFrame
) -> None:
    pairs = compared.pairs.filter(axis=axis, contrast=contrast)
    groups = tuple(str(pairs[side][0]) for side in ("first", "second"))
    first, second = (compared.phrase(axis, group) for group in groups)
    narrow = get_terminal_size().columns < NARROW
    named = first, second
    if not narrow:
        named = _brief(first, groups[0]), _brief(second, groups[1])
    where, on, most = _place(audit, compared, part)
    heading(f"{where}{axis}: sentences {first} and the same sentences {second} ({most}{on})")
    ordered = _ordered(audit, part)
    columns = _columns(audit, part)
    rows = (_row(audit, row, named) for row in ordered.head(SHOWN).iter_rows(named=True))
    if narrow:
        _show_lines(rows, columns)
    else:
        kept = ([row[_ALL.index(name)] for name in columns] for row in rows)
        table(columns, kept, right=("skill", "points", "p"))
    if part.height > SHOWN:
        say(f"… and {part.height - SHOWN:,} more in the report.")
    if part.height > 1:
        say(visible(_counts(audit, part, first, second)))


def _apart(audit: Audit, part: pl.DataFrame) -> pl.Series:
    """Which rows are of a control or of a system without a signal; none where all are."""
    import polars as pl

    keys = part.select("system", "task", "corpus").rows()
    found = pl.Series("apart", [audit.material.is_apart(*key) for key in keys], dtype=pl.Boolean)
    return found & (not found.all())


def _ordered(audit: Audit, part: pl.DataFrame) -> pl.DataFrame:
    """The largest difference first, who is counted apart last."""
    keyed = part.with_columns(apart=_apart(audit, part), size=part["value"].abs())
    return keyed.sort(
        "apart", "size", descending=[False, True], nulls_last=True, maintain_order=True
    ).drop("apart", "size")


def _show_lines(rows: Iterable[tuple[str, ...]], columns: Sequence[str], than: str = "") -> None:
    """Where no table fits: two lines a system; `than` what a group is higher or lower than."""
    for mark, system, task, skill, size, higher, spread, p, verdict in rows:
        named = system + (f", {task}" if "task" in columns else "")
        unit = "" if size.endswith("units") else " points"
        side = f"{higher} {than}" if than else f"higher {higher}"
        sized = f"{size}{unit} {side}" if higher else size
        sure = f"p {p if p.startswith('<') else f'= {p}'}".replace(" ", "\u00a0")
        sure = verdict if "verdict" in columns else sure
        parts = ["not estimable"] if mark == MARKS["not_estimable"] else [sized, spread, sure]
        if "skill" in columns:
            parts.append(f"skill {skill}")
        say(visible(f"{mark} {named}"))
        say(visible("  " + ", ".join(part for part in parts if part)))


HIGHER, BESIDE = "scored higher", "than average"
_ALL = ("", "system", "task", "skill", "points", HIGHER, "95 % interval", "p", "verdict")


def _brief(phrase: str, group: str) -> str:
    """The phrase where a narrow column has room for it, else the group's own name."""
    return phrase if len(phrase) <= BRIEF else group


def _columns(audit: Audit, part: pl.DataFrame) -> list[str]:
    left_out = set()
    if part["task"].n_unique() == 1:
        left_out.add("task")
    if audit.skill is None:
        left_out.add("skill")
    # A p-value has no room beside a verdict; the report has it.
    left_out.add("verdict" if audit.tilts is None or audit.tilts.is_empty() else "p")
    return [name for name in _ALL if name not in left_out]


def _row(audit: Audit, row: dict[str, Any], phrases: tuple[str, str]) -> tuple[str, ...]:
    from tiltmeter.report import p_value, told_from_above

    mark = MARKS[row["significance"]]
    begin = (mark, row["system"], row["task"], _skill(audit, row))
    said = _verdict(row)
    if row["value"] is None:
        return (*begin, "–", "", "", "–", said)
    alone = row["low"] is None  # one pair has a size and no uncertainty
    if alone:
        row = row | {"low": row["value"], "high": row["value"]}
    p = p_value(row["p_adjusted"]).removeprefix("p = ").removeprefix("p ")
    unit = _unit(audit, row)
    size, low, high = told_from_above(row["value"], row["low"], row["high"], unit)
    if not row["value"]:
        return (*begin, "0", "", "" if low == high else f"{low} to {high}", p, said)
    higher = phrases[0] if row["value"] > 0 else phrases[1]
    spread = "" if alone else f"{low} to {high}"
    return (*begin, size + (" units" if unit == "native" else ""), higher, spread, p, said)


def _verdict(row: dict[str, Any]) -> str:
    """The verdict in a word or three."""
    from tiltmeter.report import SAID_OF

    if row["verdict"] == "even":
        return f"even ±{row['margin'] * 100:.3g}"
    return SAID_OF.get(row["verdict"] or "", "")


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
    by = audit.material.run.get("gold", {}).get("rank_by", "pearson")
    value = found[by][0] if found.height else None
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _counts(
    audit: Audit, every: pl.DataFrame, first: str, second: str, below: str = "higher"
) -> str:
    """How many score which sentences higher, in how many none was detected, who is apart."""
    apart = _apart(audit, every)
    part = every.filter(~apart)
    kinds = ("up", "down", "none", "not_estimable")
    up, down, none, unknown = (int((part["significance"] == kind).sum()) for kind in kinds)
    said = [
        f"{many:,} {side}" for many, side in ((up, f"higher {first}"), (down, f"{below} {second}"))
        if many
    ]  # fmt: skip
    if none and up + down:
        said.append(f"none detected in {none:,}")
    elif none:
        said.append(f"No difference detected in {'any of ' if none == part.height else ''}{none:,}")
    if unknown:
        said.append(f"{'not' if said else 'Not'} estimable in {unknown:,}")
    lead = f"Difference detected in {up + down:,} of {part.height:,}: " if up + down else ""
    return f"{lead}{', '.join(said)}.{_beside(audit, every.filter(apart))}"


def _beside(audit: Audit, apart: pl.DataFrame) -> str:
    """Who is not counted."""
    systems = apart["system"].unique(maintain_order=True).to_list()
    controls = [one for one in systems if one in audit.material.controls]
    silent = [one for one in systems if one not in controls]
    said = ""
    if controls:
        said += f" Control{'s' * (len(controls) > 1)} apart: {named(controls)}."
    if silent:
        said += f" No signal, so apart: {named(silent)}."
    return said


def _show_notes(audit: Audit) -> None:
    facts(together(_remarks(audit)))
    show_stored(audit.environment.get("stored_scores", ()))
    for run in audit.runs:
        show_reports(run.reports, _corpus_of(audit, run))


def _show_set_aside(audit: Audit) -> None:
    """The files that could not be used: once where they are the same for every corpus."""
    alike: dict[tuple[tuple[str, str | None], ...], list[Run]] = {}
    for run in audit.runs:
        key = tuple((report.name, report.set_aside) for report in run.reports if report.set_aside)
        alike.setdefault(key, []).append(run)
    for runs in alike.values():
        where = ", ".join(run.corpus.name for run in runs) if len(alike) > 1 else ""
        show_set_aside(runs[0].reports, where)


def _corpus_of(audit: Audit, run: Run) -> str:
    """A run's corpus where there are several."""
    return run.corpus.name if len(audit.runs) > 1 else ""


def _show_meta(audit: Audit) -> None:
    """Who stands in the table about the systems and is not audited, and the other way round."""
    from tiltmeter.errors import did_you_mean

    told = audit.material.run.get("meta", {})
    strangers, missing = told.get("not_audited", ()), told.get("not_described", ())
    files = [report for run in audit.runs for report in run.reports]
    unused = {report.system: "left out" for report in files if report.left_out}
    unused |= {report.system: "set aside" for report in files if report.set_aside}
    for name in strangers[:SHOWN]:
        near = did_you_mean(name, missing)
        why = f"; its files are {unused[name]}" if name in unused else f"; {near}" if near else ""
        paragraph(f"{told['name']}: {name} is not among the systems audited{why}")
    if len(strangers) > SHOWN:
        say(f"… and {len(strangers) - SHOWN:,} more; run.json lists them.")
    if missing:
        paragraph(f"{told['name']} says nothing of {named(missing, SHOWN)}")


def _remarks(audit: Audit) -> Iterator[tuple[str, str]]:
    from tiltmeter.report import count

    gold = audit.labelled.facts.get("gold", {})
    if gold.get("choice"):
        yield f"gold {gold['name']}", gold["choice"]
    yield from ((system, note) for system, _, _, note in audit.labelled.notes)
    yield from _left_out(audit)
    for (system, _, _), why in audit.apart.no_signal.items():
        if system not in audit.material.controls:
            yield system, f"no signal: {why}"
    for run, notes in zip(audit.runs, audit.unpaired, strict=True):
        yield from ((run.corpus.name, note) for note in notes)
        if run.sample:
            yield run.corpus.name, f"a sample: {run.sample}"
        for scored in run.scored:
            yield from ((scored.card.name, note) for note in scored.remarks_with_scale)
            if scored.missing:
                many = count(scored.missing, "sentence")
                stand = "it stands" if scored.missing == 1 else "they stand"
                yield scored.card.name, f"{many} without a score; pairs {stand} in are left out"


def _left_out(audit: Audit) -> Iterator[tuple[str, str]]:
    """Who is not in the subset shown: an own emotion is of a task that the corpus speaks of."""
    keys = ("system", "task", "corpus")
    here = set(audit.paired.filter(subset=audit.subset).select(keys).rows())
    for system, task, corpus in audit.paired.select(keys).unique(maintain_order=True).rows():
        if (system, task, corpus) not in here:
            yield system, f"{task}: nothing to show of {corpus} for the subset {audit.subset}"
