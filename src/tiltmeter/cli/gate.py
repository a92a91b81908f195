"""`tiltmeter gate`: whether a system may be released, by what its project says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli import gate_results as to
from tiltmeter.cli import options as opt
from tiltmeter.cli.results import command_line

if TYPE_CHECKING:
    from tiltmeter.findings import Decision, Gate

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
    gate_text: to.GateText = None,
    undecided: to.Undecided = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where [tool.tiltmeter] is; default: ./pyproject.toml."),
    ] = None,
    junit: to.Junit = None,
    summary: to.Summary = None,
    quiet: opt.Quiet = False,
) -> None:
    """Hold systems to a gate: exit 0 pass, 1 tilted, 3 undecided, 2 and 4 for errors.

    Without a folder it audits what [tool.tiltmeter] of pyproject.toml names; every system is asked
    anew, unless the table says reuse = "missing".

    Example: tiltmeter gate

    Example: tiltmeter gate tiltmeter-out --gate "gender<=0.01, moved.race<=0.05"
    """
    table = _table(config, needed=results is None)
    asked = _gate(gate_text, undecided, table)
    junit, summary = (
        given or _path(table.get(name)) for given, name in ((junit, "junit"), (summary, "summary"))
    )
    to.check_gate_places(junit, summary)
    decision = _of_results(results, asked) if results else _of_table(table, asked, quiet)
    to.write_gate(decision, junit, summary)
    to.tell_gate(decision, quiet=quiet)
    to.end(decision)


def _table(config: Path | None, needed: bool) -> dict[str, Any]:
    """What pyproject.toml says; a folder can be judged without one."""
    from tiltmeter.cli.gate_table import has_table, read_table

    path = config or PYPROJECT
    return read_table(path) if needed or config or has_table(path) else {}


def _gate(text: str | None, undecided: str | None, table: dict[str, Any]) -> Gate:
    """The gate of the command line, else of the table."""
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.findings import gate_given

    given = text if text is not None else table.get("gate")
    if given is None:
        what = 'there is no gate: give --gate "gender<=0.01", or gate = "gender<=0.01"'
        raise TiltmeterError(f"{what} in [tool.tiltmeter] of pyproject.toml")
    return gate_given(given, undecided or table.get("undecided"))


def _path(given: str | None) -> Path | None:
    return Path(given) if given else None


def _of_results(results: Path, gate: Gate) -> Decision:
    from tiltmeter import flow

    return flow.gate_folder(results, gate)


def _of_table(table: dict[str, Any], gate: Gate, quiet: bool) -> Decision:
    """Audit what the table names, write its report where it says so, and decide."""
    from tiltmeter import flow
    from tiltmeter.cli.margins import with_gate
    from tiltmeter.cli.progress import progress_for, stages
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.report import check_folder

    if not table.get("systems"):
        raise TiltmeterError('[tool.tiltmeter] names no systems; as in systems = ["vader"]')
    corpora = opt.corpora_named(
        table.get("corpus", ["names-us"]),
        table.get("edition"),
        opt.how_to_read(
            table.get("column"), table.get("axis"), table.get("language"), table.get("encoding")
        ),
        opt.how_to_draw(
            _text(table, "people"), _text(table, "frames"), _text(table, "weights"),
            table.get("seed", 0),
        ),
    )  # fmt: skip
    all_pairs = table.get("all_pairs", False)
    flow.check_gate(gate, corpora, table.get("reference"), all_pairs=all_pairs)
    output = _path(table.get("output"))
    if output:
        check_folder(output)
    done = flow.audit(
        table["systems"], corpora, **_how(table), measures=() if output else "pairs",
        margin=with_gate(table.get("margin"), gate, corpora),
        **{name: table[name] for name in ("correction", "level", "family", "reference")
           if name in table}, all_pairs=all_pairs,
        progress=progress_for(quiet), command=command_line(),
    )  # fmt: skip
    if output:
        with stages(quiet) as stage:
            done.report(output, stage=stage)
    return flow.gate_of(done, gate)


def _how(table: dict[str, Any]) -> dict[str, Any]:
    """How the systems are asked."""
    opened = opt.how_to_open(
        table.get("scale"), table.get("base_url"), table.get("trust"), table.get("parse"),
        table.get("temperature"),
    )  # fmt: skip
    return opt.how_to_score(
        opened, table.get("task"), _path(table.get("store")), reuse=table.get("reuse", "never"),
        repeat=table.get("repeat", 1), max_missing=table.get("max_missing", 0.01),
        workers=table.get("workers"), sample=table.get("sample"), seed=table.get("seed", 0),
    )  # fmt: skip


def _text(table: Mapping[str, Any], name: str) -> str | None:
    """An entry as the command line would give it."""
    given = table.get(name)
    return None if given is None else str(given)
