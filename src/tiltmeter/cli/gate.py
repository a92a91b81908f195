"""`tiltmeter gate`: whether a system may be released, by `[tool.tiltmeter]` of its project."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import options as opt
from tiltmeter.cli.console import command_line, facts, heading, say, show_rest, table, visible
from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.schemas import Verdict

if TYPE_CHECKING:
    from tiltmeter.claims.gate import Decision, Gate


SHOWN = 20
"""Comparisons a table lists before it only counts the rest."""
BEHIND = 5
"""Tilted comparisons whose pairs are shown."""
NARROW = 60
"""Columns below which a table would break words."""
COLUMNS = (
    "verdict", "system", "task", "corpus", "axis", "points", "scored higher", "interval", "margin"
)  # fmt: skip
SHARES = ("verdict", "system", "task", "corpus", "people", "moved", "share", "interval", "limit")
"""Of people moved."""
BRIEF = 12
"""Letters of a phrase that fit beside everything else in 80 columns."""
ALIKE = ("task", "corpus", "margin", "limit")
"""Columns that are left out where all rows say the same."""
ORDER = (Verdict.TILTED, Verdict.UNDECIDED, Verdict.NO_SIGNAL, Verdict.NOT_ESTIMABLE, Verdict.EVEN)

Told = Mapping[str, Any]


def show_gate(decision: Decision) -> None:
    """Print the verdicts, the worst pairs, what would decide the undecided, last the outcome.

    Before that, of when the scores are that were not asked for it.
    """
    from tiltmeter.studies.audit.gate_wording import margin_words, outcome_words, stored_lines

    told = decision.to_dict()
    ordered = sorted(told["comparisons"], key=lambda one: ORDER.index(one["verdict"]))
    tasks = {one["task"] for one in ordered}
    task = f"{tasks.pop()}; " if len(tasks) == 1 else ""  # several have a column
    claims = [one for one in ordered if one["limit"] is None]
    many = max((one["family"] for one in claims), default=1)
    whole = f"95 % for all {many:,} intervals together" if many > 1 else "95 % interval"
    heading(f"Gate: {decision.gate} ({task}points of 100, {whole})")
    _show_rows(claims, COLUMNS, _row)
    shares = [one for one in ordered if one["limit"] is not None]
    if shares:
        margins = sorted({one["margin"] for one in shares})
        beyond = " or ".join(margin_words(one).removeprefix("±") for one in margins)
        heading(f"People moved by more than {beyond} (95 % interval each)")
        _show_rows(shares, SHARES, _share_row)
    _show_worst(ordered)
    _show_open(ordered)
    say()
    facts(stored_lines(told, datetime.now().astimezone()))
    say(visible(outcome_words(told)))


def _show_rows(
    ordered: Sequence[Told],
    columns: Sequence[str],
    row_of: Callable[[Told, Sequence[Told]], dict[str, str]],
) -> None:
    """A table, or where none fits two lines a comparison."""
    rows = [row_of(one, ordered) for one in ordered[:SHOWN]]
    if get_terminal_size().columns < NARROW:
        _show_lines(rows)
    elif rows:
        alike = {name for name in ALIKE if len({one[name] for one in ordered}) == 1}
        kept = [name for name in columns if name not in alike]
        table(kept, ([row[name] for name in kept] for row in rows), right=("points", "share"))
    show_rest(len(ordered), SHOWN, ".")


def _row(one: Told, ordered: Sequence[Told]) -> dict[str, str]:
    from tiltmeter.studies.audit.gate_wording import (
        axis_words,
        higher_words,
        interval_words,
        margin_words,
        size_words,
    )

    size = size_words(one).partition(" point")[0]
    several = len({other["contrast"] for other in ordered if other["axis"] == one["axis"]}) > 1
    contrast = f", {one['contrast']}" if several or one["average"] else ""
    return {
        "verdict": one["verdict"].replace("_", " "),
        "system": one["system"],
        "task": one["task"],
        "corpus": one["corpus"],
        "axis": f"{axis_words(one)}{contrast}",
        "points": size or "–",
        "scored higher": _brief(one, higher_words(one)),
        "interval": interval_words(one),
        "margin": margin_words(one["margin"]).partition(" ")[0],
    }


def _share_row(one: Told, _: Sequence[Told]) -> dict[str, str]:
    from tiltmeter.studies.audit.gate_wording import (
        bound_words,
        interval_words,
        percent,
        verdict_words,
    )

    whom = "couples" if one["people"] == "couples" else one["contrast"]
    return {
        "verdict": verdict_words(one),
        "system": one["system"],
        "task": one["task"],
        "corpus": one["corpus"],
        "people": f"{one['axis']}, {whom}",
        "moved": f"{one['moved']:,} of {one['n']:,}",
        "share": percent(one["value"]),
        "interval": interval_words(one),
        "limit": bound_words(one).removeprefix("at most "),
    }


def _brief(one: Told, phrase: str) -> str:
    """The phrase where a column has room for it, else the group's own name."""
    if len(phrase) <= BRIEF:
        return phrase
    return str(one["first"] if one["value"] > 0 else one["second"])


def _show_lines(rows: Sequence[Mapping[str, str]]) -> None:
    """Where no table fits: two lines a comparison."""
    for row in rows:
        say(visible(f"{row['verdict']}: {row['system']}, {row.get('axis') or row['people']}"))
        if "limit" in row:
            parts = (f"{row['moved']} moved", row["interval"], f"limit {row['limit']}")
        else:
            higher = f"{row['points']} higher {row['scored higher']}".removesuffix(" higher ")
            parts = (higher, row["interval"], f"margin {row['margin']}")
        say(visible("  " + ", ".join(part for part in parts if part)))


def _show_worst(ordered: Sequence[Told]) -> None:
    from tiltmeter.studies.audit.gate_wording import worst_pair_words

    tilted = [one for one in ordered if one["worst"]]
    for one in tilted[:BEHIND]:
        say()
        for line in worst_pair_words(one):
            say(visible(line))
    if len(tilted) > BEHIND:
        say(f"… and pairs of {len(tilted) - BEHIND:,} more in the report.")


def _show_open(ordered: Sequence[Told]) -> None:
    from tiltmeter.studies.audit.gate_wording import axis_words, deciding_words

    left = dict[tuple[str, str], dict[str, None]]()
    for one in ordered:
        if said := deciding_words(one):
            left.setdefault((one["system"], said), {})[axis_words(one)] = None
    if not left:
        return
    say()
    shown = list(left.items())[:SHOWN]
    facts((", ".join((system, *axes)), said) for (system, said), axes in shown)


STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Where GitHub Actions says that a step's summary goes."""

GateText = Annotated[
    str | None,
    typer.Option(
        "--gate",
        metavar="TEXT",
        help="What a release is held to, as in 'gender<=0.01, moved.race<=0.05' or '*<=0.01': exit "
        "0 pass, 1 tilted, 3 undecided.",
    ),
]
Undecided = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="For --gate: fail (default) or pass what is undecided."),
]
Junit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For --gate: also write JUnit XML here, for CI."),
]
Summary = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For --gate: also write a summary in Markdown here."),
]


def check_gate_places(junit: Path | None, summary: Path | None) -> None:
    """Raise now if a gate's files could not be written later."""
    from tiltmeter.files import check_place

    step = os.environ.get(STEP_SUMMARY)
    for place in (junit, summary, Path(step) if step else None):
        if place is not None:
            check_place(place)


def write_gate(decision: Decision, junit: Path | None, summary: Path | None) -> None:
    """Write the decision wherever it was asked for."""
    from tiltmeter.files import write_text
    from tiltmeter.studies.audit.gate_wording import gate_markdown, junit_xml

    told = decision.to_dict()
    if junit is not None:
        write_text(junit_xml(told), junit)
    if summary is not None:
        write_text(gate_markdown(told), summary)
    if step := os.environ.get(STEP_SUMMARY):
        _append(gate_markdown(told), Path(step))


def _append(text: str, path: Path) -> None:
    """Add to a step's summary, which other steps write to as well."""
    from tiltmeter.errors import OutputError

    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        what = f"{path}, named by ${STEP_SUMMARY}: cannot be written"
        raise OutputError(f"{what}: {error.strerror or error}") from error


def tell_gate(decision: Decision, *, quiet: bool, to_errors: bool = False) -> None:
    """Show the decision; where standard output holds JSON, its last line on the error stream.

    Of when stored scores are stands there too, also where nothing else is wanted.
    """
    from tiltmeter.studies.audit.gate_wording import outcome_words, stored_lines

    if not quiet and not to_errors:
        show_gate(decision)
        return
    told = decision.to_dict()
    ages = stored_lines(told, datetime.now().astimezone())
    if line := "; ".join(f"{whose}: {age}" for whose, age in ages):
        typer.echo(str(visible(line)), err=True)
    if not quiet:
        typer.echo(str(visible(outcome_words(told))), err=True)


def end(decision: Decision) -> None:
    """Leave with the decision's exit code."""
    if decision.exit_code:
        raise typer.Exit(decision.exit_code)


PYPROJECT = Path("pyproject.toml")


def gate(
    results: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="The folder or evidence pack of an audit to judge; without it the systems of "
            "pyproject.toml are audited.",
        ),
    ] = None,
    gate_text: GateText = None,
    undecided: Undecided = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where [tool.tiltmeter] is; default: ./pyproject.toml."),
    ] = None,
    junit: Junit = None,
    summary: Summary = None,
    quiet: opt.Quiet = False,
) -> None:
    """Hold systems to a gate: exit 0 pass, 1 tilted, 3 undecided, 2 and 4 for errors.

    Without a folder it audits what [tool.tiltmeter] of pyproject.toml names; every system is asked
    anew, unless the table says reuse = "missing".

    Example: tiltmeter gate

    Example: tiltmeter gate tiltmeter-out --gate "gender<=0.01, moved.race<=0.05"
    """
    from tiltmeter import api

    path = config or PYPROJECT  # a folder can be judged without one
    table = read_table(path) if results is None or config or has_table(path) else {}
    asked = _gate(gate_text, undecided, table)
    junit, summary = (
        given or _path(table.get(name)) for given, name in ((junit, "junit"), (summary, "summary"))
    )
    check_gate_places(junit, summary)
    decision = api.gate_folder(results, asked) if results else _of_table(table, asked, quiet)
    write_gate(decision, junit, summary)
    tell_gate(decision, quiet=quiet)
    end(decision)


def _gate(text: str | None, undecided: str | None, table: dict[str, Any]) -> Gate:
    """The gate of the command line, else of the table."""
    from tiltmeter.claims.gate import gate_given
    from tiltmeter.errors import TiltmeterError

    given = text if text is not None else table.get("gate")
    if given is None:
        what = 'there is no gate: give --gate "gender<=0.01", or gate = "gender<=0.01"'
        raise TiltmeterError(f"{what} in [tool.tiltmeter] of pyproject.toml")
    return gate_given(given, undecided or table.get("undecided"))


def _path(given: str | None) -> Path | None:
    return Path(given) if given else None


def _of_table(table: dict[str, Any], gate: Gate, quiet: bool) -> Decision:
    """Audit what the table names, write its report where it says so, and decide."""
    from tiltmeter import api
    from tiltmeter.cli.options import with_gate
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.report.folder import check_folder

    if not table.get("systems"):
        raise TiltmeterError('[tool.tiltmeter] names no systems; as in systems = ["vader"]')
    given = {"reuse": "never"} | table | {"store": _path(table.get("store"))}
    given |= {name: str(table[name]) for name in ("people", "frames") if name in table}
    reading = opt.group_of(opt.TableOptions, given)
    draw = opt.group_of(opt.DrawOptions, given)
    asking = opt.group_of(opt.AskingOptions, given)
    seed = table.get("seed", 0)
    corpora = opt.corpora_named(
        table.get("corpus", ["names-us"]), table.get("edition"), reading, draw.draw(seed)
    )
    all_pairs = table.get("all_pairs", False)
    api.check_gate(gate, corpora, table.get("reference"), all_pairs=all_pairs)
    output = _path(table.get("output"))
    if output:
        check_folder(output)
    done = api.audit(
        table["systems"], corpora,
        **asking.how(for_gate=True, sample=table.get("sample"), seed=seed),
        measures=() if output else "pairs",
        margin=with_gate(table.get("margin"), gate, corpora),
        **{name: table[name] for name in ("correction", "level", "family", "reference")
           if name in table}, all_pairs=all_pairs,
        progress=progress_for(quiet), command=command_line(),
    )  # fmt: skip
    if output:
        with stages(quiet) as stage:
            done.report(output, stage=stage)
    return api.gate_of(done, gate)


TABLE = "[tool.tiltmeter]"
EXAMPLE = 'systems = ["my_model:score"] and gate = "gender<=0.01, race<=0.01"'


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: object) -> bool:
    return _text(value) or (isinstance(value, list) and bool(value) and all(map(_text, value)))


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(map(_number, value.values()))


def _is_gate(value: object) -> bool:
    """A text, or margins by axis, people moved in a table of their own or by `moved.AXIS`."""
    if not isinstance(value, dict):
        return _text(value)
    given: dict[str, Any] = value
    moved = given.get("moved")
    return _numbers({**given, "moved": 0.0} if _numbers(moved) else given)


Kind = tuple[str, Callable[[object], bool]]
TEXT: Kind = "a text", _text
TEXTS: Kind = "a text, or a list of them", _texts
WHOLE: Kind = "a whole number", _whole
NUMBER: Kind = "a number", _number
MANY: Kind = 'a whole number, or "all"', lambda value: _whole(value) or value == "all"

KEYS: dict[str, Kind] = {
    "systems": TEXTS,
    "corpus": TEXTS,
    "edition": TEXT,
    "people": MANY,
    "frames": MANY,
    "weights": TEXT,
    "column": ('a text, as in "text=Sentence", or a list of them', _texts),
    "axis": ('a text, as in "age=old,young", or a list of them', _texts),
    "language": TEXT,
    "encoding": TEXT,
    "task": TEXTS,
    "scale": ('a text, as in "0:1", or a list, as in ["afinn=-5:5", "0:1"]', _texts),
    "gate": (
        'a text, as in "gender<=0.01", or a table, as in { gender = 0.01 }',
        _is_gate,
    ),
    "undecided": ('"fail" or "pass"', lambda value: value in ("fail", "pass")),
    "margin": (
        "a number, as in 0.01, or a table, as in { gender = 0.01 }",
        lambda value: _number(value) or _numbers(value),
    ),
    "correction": TEXT,
    "level": NUMBER,
    "family": WHOLE,
    "reference": (
        'a table of groups, as in { race = "Anglo" }',
        lambda value: isinstance(value, dict) and all(map(_text, value.values())),
    ),
    "all_pairs": ("true or false", lambda value: isinstance(value, bool)),
    "store": TEXT,
    "output": TEXT,
    "junit": TEXT,
    "summary": TEXT,
    "seed": WHOLE,
    "sample": WHOLE,
    "reuse": TEXT,
    "repeat": WHOLE,
    "max_missing": NUMBER,
    "workers": WHOLE,
    "base_url": TEXT,
    "parse": TEXT,
    "prompt": TEXT,
    "temperature": TEXT,
    "trust": TEXTS,
}
"""What the table may hold, and what each value must be."""


def read_table(path: Path) -> dict[str, Any]:
    """The table, every key known and every value of its kind."""
    table = _table(path)
    problems = [*_problems(table)]
    if problems:
        raise TiltmeterError(f"{path}: {TABLE} {'; '.join(problems)}")
    return {name: _listed(name, value) for name, value in table.items()}


def has_table(path: Path) -> bool:
    """Whether there is a file with such a table; one that cannot be read has none."""
    try:
        return _found(path) is not None
    except (OSError, ValueError):
        return False


def _table(path: Path) -> Mapping[str, Any]:
    try:
        found = _found(path)
    except FileNotFoundError:
        what = f"there is no {path}; name a folder of results to judge, as in: tiltmeter gate out"
        raise TiltmeterError(f"{what}, or write {TABLE} with {EXAMPLE}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise TiltmeterError(f"{path}: cannot be read as TOML: {why}") from error
    if found is None:
        raise TiltmeterError(f"{path}: there is no table {TABLE}; write one with {EXAMPLE}")
    return found


def _found(path: Path) -> Mapping[str, Any] | None:
    from tiltmeter.files import LARGEST_TEXT, parse_toml, read_capped

    tool = parse_toml(read_capped(path, LARGEST_TEXT).decode()).get("tool")
    found = tool.get("tiltmeter") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def _problems(table: Mapping[str, Any]) -> list[str]:
    found = []
    for name, value in table.items():
        if name not in KEYS:
            near = did_you_mean(name, KEYS) or f"known are {', '.join(KEYS)}"
            found.append(f"has a key {name!r}: {near}")
        elif not KEYS[name][1](value):
            found.append(f"{name} is {_shown(value)}; expected {KEYS[name][0]}")
    return found


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _listed(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever the table holds
    """A single text as a list where several may stand."""
    return [value] if KEYS[name][1] is _texts and isinstance(value, str) else value
