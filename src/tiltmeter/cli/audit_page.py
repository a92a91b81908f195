"""What `tiltmeter audit` prints: a table for each comparison, then the regressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.check_submissions import show_reports, show_set_aside
from tiltmeter.cli.console import facts, heading, line, paragraph, say, show_rest, table, visible
from tiltmeter.cli.score import named, show_stored, together
from tiltmeter.ranking import coarsen_column
from tiltmeter.schemas import Significance, Verdict

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.scoring.corpus_scores import Run
    from tiltmeter.studies.audit.results import Audit
    from tiltmeter.studies.paired.results import AuditResults, CorpusComparisons, RegressionStudy


SHOWN = 20
"""Systems a table lists before it only counts the rest."""
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
NARROW = 60
"""Columns below which a table would break words."""
WORDY = 30
"""Letters of two phrases past which a heading leaves out what it can."""
MARKS = {
    Significance.UP: "▲",
    Significance.DOWN: "▼",
    Significance.NONE: "○",
    "untested": "–",
    Significance.NOT_ESTIMABLE: "–",
}


def show_audit(audit: Audit) -> None:
    """Print what was found for each corpus, axis and contrast, then what is worth knowing."""
    _show_set_aside(audit)
    _show_meta(audit)
    if "pairs" in audit.measures:
        _show_pairs(audit)
    show_regressions(audit)
    _show_notes(audit)


def _show_pairs(audit: Audit) -> None:
    """The claims, by names and by couples; findings over pairs where there are none."""
    import polars as pl

    findings = _findings(audit)
    for compared in audit.compared:
        mine = findings.filter(
            (pl.col("corpus") == compared.name) & (pl.col("edition") == compared.edition)
        )
        for (axis, _), of_axis in mine.group_by("axis", "people", maintain_order=True):
            if _is_beside_average(compared, str(axis)):
                _show_groups(audit, compared, str(axis), of_axis)
                continue
            for (contrast,), part in of_axis.group_by("contrast", maintain_order=True):
                _show_contrast(audit, compared, str(axis), str(contrast), part)
    say()
    _show_legend(findings)
    _show_resting(audit, findings)
    _show_next(audit)
    _show_labels(audit)


def _show_legend(findings: pl.DataFrame) -> None:
    """What the marks and columns mean."""
    kinds = set(findings["significance"])
    if not (findings["people"] != "").any():
        end = "   – not estimable" if Significance.NOT_ESTIMABLE in kinds else ""
        say(f"▲▼ difference detected   ○ no difference detected{end}")
        return
    end = "   – not known" if kinds & {"untested", Significance.NOT_ESTIMABLE} else ""
    say(f"▲▼ other sentences about these people show it too   ○ they may not{end}")
    margins = findings["margin"].drop_nulls().unique().sort().to_list()
    far = " or ".join(f"{one * 100:.3g}" for one in margins)
    paragraph(
        "Intervals and verdicts are about all people that these stand for. Moved: names scored "
        f"more than {far} {'point' if far == '1' else 'points'} from the middle name, or couples "
        "whose two are that far apart."
    )


def _findings(audit: Audit) -> pl.DataFrame:
    """What the tables show, a row each: claims with whom they move, or findings over pairs."""
    import polars as pl

    from tiltmeter.studies.paired.submissions import shown_significance
    from tiltmeter.studies.paired.verdict_wording import moved_brief, moved_of, moved_shares

    paired = audit.paired_findings.filter(pl.col("subset") == audit.subset).with_columns(
        people=pl.lit(""), moved=pl.lit(""), se=pl.lit(None, pl.Float64)
    )
    if audit.tilts is None or audit.tilts.is_empty() or audit.subset != "all":
        return paired
    shares, rows = moved_shares(audit.paired_estimates), audit.tilts.rows(named=True)
    claims = audit.tilts.with_columns(
        significance=pl.Series([shown_significance(row) for row in rows], dtype=pl.String),
        moved=pl.Series([moved_brief(moved_of(row, shares)) for row in rows], dtype=pl.String),
        people=pl.col("subset"),
    )
    rest = paired.join(claims, on=["corpus", "edition", "axis", "contrast"], how="anti")
    return pl.concat([claims.select(paired.columns), rest])


def _show_next(audit: Audit) -> None:
    """What would decide what is undecided."""
    from tiltmeter.studies.paired.advice import next_steps

    steps = next_steps(audit.tilts, audit.run)
    if not steps:
        return
    say()
    many = len(audit.compared) > 1
    for one in steps:
        where = f"{one.corpus}, " if many else ""
        paragraph(f"Undecided: {where}{one.subject}")
        if one.step.larger is None:
            paragraph(one.step.why, indent=2)
            continue
        line(one.step.command(one.systems), indent=2)
        then = "; have them scored, and audit the scores" if one.step.stored else ""
        paragraph(f"asks each system for {one.step.cost}{then}", indent=2)


def _show_resting(audit: Audit, findings: pl.DataFrame) -> None:
    """Detected differences that one name or pair makes, which a p-value does not tell."""
    from tiltmeter.studies.paired.wording import driven_by_one_person

    if audit.subset != "all":
        return  # what a difference rests on is known over all sentences only
    detected = set(
        findings.filter(findings["significance"].is_in([Significance.UP, Significance.DOWN]))
        .select("system", "task", "corpus", "axis", "contrast", "people")
        .rows()
    )
    apart = [
        name
        for name in ("corpus", "task", "axis")
        if name == "axis" or findings[name].n_unique() > 1
    ]
    notes = []
    for compared in audit.compared:
        for pivot in () if compared.pivots is None else compared.pivots.iter_rows(named=True):
            row = pivot | {"corpus": compared.name, "people": pivot["kind"]}
            names = ("system", "task", "corpus", "axis", "contrast", "people")
            key = tuple(row[name] for name in names)
            if key in detected and driven_by_one_person(row):
                where = ", ".join(row[name] for name in apart)
                where += f" by {row['people']}" if row["people"] else ""
                if _is_beside_average(compared, row["axis"]):
                    where += f", {row['contrast']}"
                notes.append((row["system"], f"{where}: most of it comes from “{row['person']}”"))
    facts(together(notes[:SHOWN]))
    show_rest(len(notes), SHOWN, " in the report that one name or pair makes.")


def _show_labels(audit: Audit) -> None:
    """Pairs whose two sides get different labels."""
    from tiltmeter.studies.paired.label_section import label_lines

    facts(together(label_lines(audit)))


def _show_groups(audit: Audit, compared: CorpusComparisons, axis: str, part: pl.DataFrame) -> None:
    """The groups of an axis beside the average of all, in one table."""
    from tiltmeter.report.numbers import count
    from tiltmeter.studies.paired.results import EVERYBODY

    where, on, most = _place(audit, compared, part)
    groups = count(part["contrast"].n_unique(), "group")
    heading(
        f"{where}{axis}{_by(part)}: sentences of each of {groups} and the same sentences "
        f"{EVERYBODY} ({most}{on})"
    )
    first = dict(compared.study.pairs.filter(axis=axis).select("contrast", "first").unique().rows())
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
        table(columns, kept, right=("skill", "points", "p"), whole=_whole(columns))
    show_rest(part.height, SHOWN, " in the report.")
    say(visible(_counts(audit, part, "than the average", "than the average", "lower")))


def _is_beside_average(compared: CorpusComparisons, axis: str) -> bool:
    """Whether the groups of an axis are compared with the average of all."""
    seconds = compared.study.pairs.filter(axis=axis)["second"].unique()
    return any(compared.is_average(axis, second) for second in seconds)


def _place(audit: Audit, compared: CorpusComparisons, part: pl.DataFrame) -> tuple[str, str, str]:
    """The corpus where there are several, the subset where it is not all, the task and the pairs.

    Several tasks have a column of their own.
    """
    from tiltmeter.report.numbers import count

    where = "" if len(audit.compared) == 1 else f"{compared.name}, "
    on = "" if audit.subset == "all" else f", subset {audit.subset}"
    tasks = part["task"].unique(maintain_order=True)
    task = f"{tasks[0]}, " if tasks.len() == 1 else ""
    unit = {"names": "name", "couples": "couple"}.get(part["people"][0], "pair")
    return where, on, task + count(max(part["n"].to_list(), default=0), unit)


def _by(part: pl.DataFrame) -> str:
    """Whom claims are about, as in `, by names`."""
    return f", by {part['people'][0]}" if part["people"][0] else ""


def _show_contrast(
    audit: Audit, compared: CorpusComparisons, axis: str, contrast: str, part: pl.DataFrame
) -> None:
    pairs = compared.study.pairs.filter(axis=axis, contrast=contrast)
    groups = tuple(str(pairs[side][0]) for side in ("first", "second"))
    first, second = (compared.phrase(axis, group) for group in groups)
    narrow = get_terminal_size().columns < NARROW
    named = first, second
    if not narrow:
        named = _brief(first, groups[0]), _brief(second, groups[1])
    where, on, most = _place(audit, compared, part)
    same = "the same sentences " if len(f"{first}{second}") < WORDY else ""
    heading(f"{where}{axis}{_by(part)}: sentences {first} and {same}{second} ({most}{on})")
    ordered = _ordered(audit, part)
    columns = _columns(audit, part)
    rows = (_row(audit, row, named) for row in ordered.head(SHOWN).iter_rows(named=True))
    if narrow:
        _show_lines(rows, columns)
    else:
        kept = ([row[_ALL.index(name)] for name in columns] for row in rows)
        # Beside people moved there is no room for more.
        shown = ["higher" if name == HIGHER and "moved" in columns else name for name in columns]
        table(shown, kept, right=("skill", "points", "p"), whole=_whole(columns))
    show_rest(part.height, SHOWN, " in the report.")
    if part.height > 1:
        say(visible(_counts(audit, part, first, second)))


def _apart(audit: Audit, part: pl.DataFrame) -> pl.Series:
    """Which rows are of a control or of a system without a signal; none where all are."""
    import polars as pl

    keys = part.select("system", "task", "corpus").rows()
    found = pl.Series("apart", [audit.is_apart(*key) for key in keys], dtype=pl.Boolean)
    return found & (not found.all())


def _ordered(audit: Audit, part: pl.DataFrame) -> pl.DataFrame:
    """The largest difference first, who is counted apart last."""
    import polars as pl

    size = coarsen_column(pl.col("value").abs())
    keyed = part.with_columns(apart=_apart(audit, part), size=size)
    return keyed.sort(
        "apart", "size", descending=[False, True], nulls_last=True, maintain_order=True
    ).drop("apart", "size")


def _show_lines(rows: Iterable[tuple[str, ...]], columns: Sequence[str], than: str = "") -> None:
    """Where no table fits: two lines a system; `than` what a group is higher or lower than."""
    for mark, system, task, skill, size, higher, spread, p, moved, verdict in rows:
        named = system + (f", {task}" if "task" in columns else "")
        unit = "" if size.endswith("units") else " points"
        side = f"{higher} {than}" if than else f"higher {higher}"
        sized = f"{size}{unit} {side}" if higher else size
        sure = f"p {p if p.startswith('<') else f'= {p}'}".replace(" ", "\u00a0")
        sure = verdict if "verdict" in columns else sure
        moves = f"{moved} moved" if moved and "moved" in columns else ""
        parts = [sized, spread, moves, sure]
        if mark == MARKS[Significance.NOT_ESTIMABLE] and not higher and not spread:
            parts = [verdict or "not estimable"]
        if "skill" in columns:
            parts.append(f"skill {skill}")
        say(visible(f"{mark} {named}"))
        say(visible("  " + ", ".join(part for part in parts if part)))


HIGHER, BESIDE = "scored higher", "than average"
_ALL = (
    "", "system", "task", "skill", "points", HIGHER, "95 % interval", "p", "moved", "verdict",
)  # fmt: skip


def _whole(columns: Sequence[str]) -> tuple[str, ...]:
    """Columns of a table of claims that are not broken: numbers stay whole, words may not."""
    return ("skill", "95 % interval", "moved") if "moved" in columns else ()


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
    left_out |= {"p"} if part["people"][0] else {"moved", "verdict"}
    return [name for name in _ALL if name not in left_out]


def _row(audit: Audit, row: dict[str, Any], phrases: tuple[str, str]) -> tuple[str, ...]:
    from tiltmeter.report.numbers import p_value
    from tiltmeter.studies.paired.wording import interval_towards_higher

    mark = MARKS[row["significance"]]
    begin = (mark, row["system"], row["task"], _skill(audit, row))
    end = (row["moved"], _verdict(row))
    if row["value"] is None:
        return (*begin, "–", "", "", "–", *end)
    alone = row["low"] is None  # one pair has a size and no uncertainty
    if alone:
        row = row | {"low": row["value"], "high": row["value"]}
    p = p_value(row["p_adjusted"]).removeprefix("p = ").removeprefix("p ")
    unit = _unit(audit, row)
    size, low, high = interval_towards_higher(row["value"], row["low"], row["high"], unit)
    if row["people"] and unit == "scale":
        low, high = (_cut(end) for end in (low, high))
    spread = "" if alone or (low == high and not row["people"]) else f"{low} to {high}"
    if row["people"] and row["se"] == 0:
        spread = "exact"
    if not row["value"]:
        return (*begin, "0", "", spread, p, *end)
    higher = phrases[0] if row["value"] > 0 else phrases[1]
    return (*begin, size + (" units" if unit == "native" else ""), higher, spread, p, *end)


def _cut(text: str) -> str:
    """An interval's end with two decimals at most: a table of 80 columns has no room for more."""
    _, point, decimals = text.partition(".")
    if len(decimals) <= 2 or not point:
        return text
    value = float(text.replace("−", "-").replace(",", ""))
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _verdict(row: dict[str, Any]) -> str:
    """The verdict in a word or three."""
    from tiltmeter.studies.paired.verdict_wording import SAID_OF

    if row["verdict"] == Verdict.EVEN:
        return f"even ±{row['margin'] * 100:.3g}"
    return SAID_OF.get(row["verdict"] or "", "")


def _unit(audit: Audit, row: dict[str, Any]) -> str:
    import polars as pl

    for compared in audit.compared:
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
    by = audit.run.gold.rank_by if audit.run.gold else "pearson"
    value = found[by][0] if found.height else None
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _counts(
    audit: Audit, every: pl.DataFrame, first: str, second: str, below: str = "higher"
) -> str:
    """How many score which sentences higher, in how many none was detected, who is apart."""
    apart = _apart(audit, every)
    part = every.filter(~apart)
    kinds = (Significance.UP, Significance.DOWN, Significance.NONE, Significance.NOT_ESTIMABLE)
    if part["people"][:1].to_list() not in ([], [""]):
        return f"{_verdict_counts(part)}{_beside(audit, every.filter(apart))}"
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


def _verdict_counts(part: pl.DataFrame) -> str:
    """As in `1 of 9 tilted, 2 even, 6 undecided`."""
    told = [
        (Verdict.TILTED, "tilted"),
        (Verdict.EVEN, "even"),
        (Verdict.UNDECIDED, "undecided"),
    ]
    told += [(Verdict.NO_SIGNAL, "no signal"), (Verdict.NOT_ESTIMABLE, "not estimable")]
    many = [(int((part["verdict"] == kind).sum()), said) for kind, said in told]
    lead, *rest = many
    said = [f"{lead[0]:,} of {part.height:,} {lead[1]}"]
    return f"{', '.join([*said, *(f'{n:,} {word}' for n, word in rest if n)])}."


def _beside(audit: Audit, apart: pl.DataFrame) -> str:
    """Who is not counted."""
    systems = apart["system"].unique(maintain_order=True).to_list()
    controls = [one for one in systems if one in audit.controls]
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

    told = audit.run.meta
    if told is None:
        return
    strangers, missing = told.not_audited, told.not_described
    files = [report for run in audit.runs for report in run.reports]
    unused = {report.system: "left out" for report in files if report.left_out}
    unused |= {report.system: "set aside" for report in files if report.set_aside}
    for name in strangers[:SHOWN]:
        near = did_you_mean(name, missing)
        why = f"; its files are {unused[name]}" if name in unused else f"; {near}" if near else ""
        paragraph(f"{told.name}: {name} is not among the systems audited{why}")
    show_rest(len(strangers), SHOWN, "; run.json lists them.")
    if missing:
        paragraph(f"{told.name} says nothing of {named(missing, SHOWN)}")


def _remarks(audit: Audit) -> Iterator[tuple[str, str]]:
    from tiltmeter.report.numbers import count

    gold = audit.run.gold
    if gold and gold.choice:
        yield f"gold {gold.name}", str(gold.choice)
    yield from ((system, note) for system, _, _, note in audit.gold_notes)
    yield from _left_out(audit)
    for (system, _, _), why in audit.apart.no_signal.items():
        if system not in audit.controls:
            yield system, f"no signal: {why}"
    for run, one in zip(audit.runs, audit.compared, strict=True):
        yield from ((one.name, note) for note in one.not_compared)
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
    here = set(audit.paired_findings.filter(subset=audit.subset).select(keys).rows())
    for system, task, corpus in (
        audit.paired_findings.select(keys).unique(maintain_order=True).rows()
    ):
        if (system, task, corpus) not in here:
            yield system, f"{task}: nothing to show of {corpus} for the subset {audit.subset}"


NARROW_REGRESSION = 70
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
    if get_terminal_size().columns < NARROW_REGRESSION or len(heads) > MOST:
        for system, task, *cells in rows[:SHOWN]:  # no table fits: a line a number
            say(visible(f"{system}, {task}"))
            for head, cell in zip(heads, cells, strict=True):
                say(visible(f"  {head} {cell}"))
    elif rows:
        table(("system", "task", *heads), rows[:SHOWN], right=heads)
    show_rest(len(rows), SHOWN, " in the report.")
    if rows and material.run.regression and material.run.regression.no_reference:
        say("Each group beside the average of all groups of its axis.")
    elif rows:  # which side of zero is which, in words
        compared = next(other for other in material.compared if other.name == one.corpus)
        for head, effect in zip(heads, one.effects, strict=True):
            say(visible(f"{head}: {effect_means(effect, one, compared)}"))
    _show_counts(one, material)
    _show_clipped(one)
    for sentence in opposite_signs(one, material):
        say(visible(sentence))
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
