"""Options that several commands take, said once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

if TYPE_CHECKING:
    from tiltmeter.claims.gate import Gate
    from tiltmeter.corpora import Corpus
    from tiltmeter.systems import Options


# ---- options that several commands take, said once


T = TypeVar("T")

_SPECS = typer.Argument(
    metavar="SYSTEM...",
    help="A name from `tiltmeter systems`, a file or folder of scores, a trained model's folder, "
    "module:callable, a URL, a .toml description, or hf:, cmd:, sklearn:, openai: and what "
    "follows.",
)
SystemSpecs = Annotated[list[str], _SPECS]
MaybeSystems = Annotated[list[str] | None, _SPECS]
ReportFolder = Annotated[
    Path, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Write into a folder that holds something else.")
]
OpenIt = Annotated[bool, typer.Option("--open", help="Open the report in a browser afterwards.")]
Edition = Annotated[
    str | None, typer.Option(metavar="EDITION", help="corrected (default) or published.")
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="For a table: which of its columns is which, as in text=Sentence. Others are guessed.",
    ),
]
Axes = Annotated[
    list[str] | None,
    typer.Option(
        "--axis",
        metavar="AXIS[=G1,G2]",
        help="For a table: a column to compare on, and its groups, first minus second.",
    ),
]
Language = Annotated[
    str | None, typer.Option(metavar="CODE", help="For a table: its language, as in en.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="For a table: its encoding, if not UTF-8.")
]
People = Annotated[
    str | None,
    typer.Option(
        metavar="N|all",
        help="For a population: how many people of each cell are drawn by lot; all is a census.",
    ),
]
Frames = Annotated[
    str | None,
    typer.Option(
        metavar="K|all",
        help="For a population: about how many frames a person meets; names with many bearers "
        "meet more, others fewer.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        metavar="W",
        help="For a population: bearers (each person who bears a name counts) or names.",
    ),
]
Task = Annotated[
    list[str] | None,
    typer.Option(metavar="TASK", help="valence, anger, fear, joy or sadness; may repeat."),
]
GivenScale = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[SYSTEM=]LOW:HIGH",
        help="The scale of one system, as in afinn=-5:5, or of all others, as in 0:1; may repeat.",
    ),
]
Reuse = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="missing: ask what is not stored; never: ask all anew; stored: ask nothing.",
    ),
]
Check = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Ask N stored texts again before their scores are used; 16 by default, none of "
        "services and of what has a price.",
    ),
]
Repeat = Annotated[
    int, typer.Option(metavar="N", help="Ask each text N times, to see how answers vary.")
]
Sample = Annotated[
    int | None,
    typer.Option(metavar="N", help="Only N whole frames, drawn evenly over the templates."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be asked, how long, at what cost.")
]
Time = Annotated[
    bool,
    typer.Option(
        "--time",
        help="With --dry-run: ask 16 texts of systems that are free to ask, to tell the time.",
    ),
]
MaxMissing = Annotated[
    float, typer.Option(metavar="SHARE", help="Stop when more than this share has no score.")
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="How many side by side; default: the cores.")
]
Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Go through the sentences in parts, or hold them all; "
        "in parts from 250,000 on by default.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(metavar="NAME", help="local: this machine; ray: a cluster, see --ray-address."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(metavar="HOST:PORT", help="For ray: the cluster to join; default: this machine."),
]
RayGpus = Annotated[float, typer.Option(metavar="N", help="For ray: GPUs of each worker.")]
Shards = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="For ray: where workers write, as s3://bucket/prefix; default: --store."
    ),
]
StoreAt = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where scores are kept; default: $TILTMETER_STORE."),
]
SystemsIn = Annotated[
    list[str] | None,
    typer.Option(
        "--systems-in",
        metavar="COL,COL,…",
        help="For a table of scores with a column for each system: those columns, * for any "
        "letters; may repeat.",
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="For openai: where the server stands.")
]
Parse = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX|JMESPATH",
        help="For openai: where the number stands in an answer: a JMESPath into JSON, as in "
        "result.score, or a regular expression with one group, as in 'Score: ([0-9.]+)'.",
    ),
]
Temperature = Annotated[
    str | None,
    typer.Option(metavar="T|none", help="For openai: 0 by default; none does not send it."),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(metavar="TYPE", help="For sklearn: a type the file may hold; may repeat."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")]


def with_systems_in(common: dict[str, Any], given: list[str] | None) -> dict[str, Any]:
    """How to score, with the columns that hold a system each, from one option or several."""
    from tiltmeter.systems import columns_given

    named = tuple(name for one in given or () for name in columns_given(one))
    return common | {"options": replace(common["options"], systems_in=named)}


def parted(given: str | None) -> list[str] | None:
    """What stands between commas; None where nothing was given.

    >>> parted("1, 3,"), parted(None)
    (['1', '3'], None)
    """
    return None if given is None else [part.strip() for part in given.split(",") if part.strip()]


def corpora_named(
    names: Iterable[str],
    edition: str | None,
    reading: dict[str, Any],
    draw: dict[str, Any] | None = None,
) -> list[Corpus]:
    """The corpora of these names or paths.

    `reading` says how those that are tables are read, `draw` who is drawn from a population.
    """
    from tiltmeter.corpora import draw_options, is_table, load_corpus

    wanted = list(dict.fromkeys(names))
    tables = {name for name in wanted if is_table(name)} or set(wanted)
    drawn = draw_options(wanted, **(draw or {}))
    return [
        load_corpus(name, edition, **(reading if name in tables else {}), **drawn.get(name, {}))
        for name in wanted
    ]


def how_to_draw(
    people: str | None, frames: str | None, weights: str | None, seed: int | None = None
) -> dict[str, Any]:
    """What `load_corpus` takes of the options that say who is drawn from a population."""
    draw = {"people": _number(people), "frames": _number(frames), "weights": weights}
    return draw if seed is None else {**draw, "seed": seed}


def _number(text: str | None) -> int | str | None:
    """A number where there is one; whatever else was said is looked at later.

    >>> _number("300"), _number("all")
    (300, 'all')
    """
    return int(text) if text and text.isascii() and text.isdigit() else text


def how_to_read(
    column: list[str] | None,
    axis: list[str] | None,
    language: str | None = None,
    encoding: str | None = None,
) -> dict[str, Any]:
    """What `load_corpus` takes of the options that say how a table is read."""
    return {
        "columns": columns_given(column),
        "axes": axes_given(axis),
        "language": language,
        "encoding": encoding,
    }


def axes_given(axis: list[str] | None) -> dict[str, tuple[str, ...]]:
    """The groups of each axis in their order, none where they are not said.

    >>> axes_given(["age=old, young", "sex"])
    {'age': ('old', 'young'), 'sex': ()}
    """
    return _once("--axis", map(_axis, axis or ()))


def columns_given(column: list[str] | None) -> dict[str, str]:
    """The file's column for each of ours."""
    return _once("--column", map(_pair, column or ()))


def _once(option: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """The pairs by name; a name given twice is an error, not a choice."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise typer.BadParameter(f"{option} {name} is given twice; say it once")
        found[name] = value
    return found


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    name, _, groups = text.partition("=")
    return name.strip(), tuple(group.strip() for group in groups.split(",") if group.strip())


def _pair(text: str) -> tuple[str, str]:
    ours, equals, theirs = text.partition("=")
    if not equals or not ours.strip() or not theirs.strip():
        raise typer.BadParameter(f"--column takes OURS=THEIRS, as in text=Sentence; found {text!r}")
    return ours.strip(), theirs.strip()


def how_to_open(
    scale: list[str] | None,
    base_url: str | None,
    trust: list[str] | None,
    parse: str | None = None,
    temperature: str | None = None,
) -> Options:
    """What a user says of the systems besides their names."""
    from tiltmeter.systems import Options, parse_scales, temperature_given

    return Options(
        scale=parse_scales(scale or ()), base_url=base_url, trust=tuple(trust or ()), parse=parse,
        temperature=temperature_given(temperature),
    )  # fmt: skip


def how_to_score(
    options: Options,
    task: list[str] | None,
    store: Path | None,
    *,
    reuse: str,
    repeat: int,
    max_missing: float,
    workers: int | None,
    sample: int | None,
    seed: int,
    engine: str = "local",
    ray_address: str | None = None,
    ray_gpus: float = 0.0,
    shards: str | None = None,
    check: int | None = None,
) -> dict[str, Any]:
    """What `flow.score` and `flow.audit` take of the options they share."""
    from tiltmeter.cli.console import KEPT
    from tiltmeter.scoring import Settings
    from tiltmeter.systems import check_task

    KEPT.anew = reuse == "never"

    return {
        "tasks": [name for name in (check_task(name) for name in task or ()) if name],
        "options": options,
        "store": store,
        "settings": Settings(
            cast("Any", reuse), repeat, max_missing, workers, cast("Any", engine),
            ray_address, shards, ray_gpus, check,
        ),
        "sample": sample,
        "seed": seed,
    }  # fmt: skip


# ---- margins as a user gives them: `--margin 0.01`, `--margin race=0.02`, and those of a gate


EVERY = "*"
"""Every axis, in a gate."""
ALL = "default"
"""What the margin of all axes that have none of their own is called."""


def margins_said(given: Sequence[str]) -> dict[str, float]:
    """The margins of `--margin`, by axis; the one for all the others under `default`.

    >>> margins_said(["0.02", "race=0.03"])
    {'default': 0.02, 'race': 0.03}
    """
    from tiltmeter.errors import TiltmeterError

    found: dict[str, float] = {}
    for entry in dict.fromkeys(given):
        axis, equals, number = (part.strip() for part in entry.rpartition("="))
        name = axis if equals else ALL
        if name in found or (equals and not axis):
            what = "expected one for all axes and one for each, as in 0.01 race=0.02"
            raise TiltmeterError(f"--margin is given as {' and '.join(given)}; {what}")
        found[name] = _margin(number, entry)
    return found


def _margin(number: str, entry: str) -> float:
    from tiltmeter.claims.gate import margin_given
    from tiltmeter.errors import TiltmeterError

    try:
        return margin_given(float(number), f"--margin {entry}")
    except ValueError:
        what = f"--margin is {entry!r}; expected a part of the scale, as in 0.01 or race=0.02"
        raise TiltmeterError(what) from None


def with_gate(
    given: float | Mapping[str, float] | None, gate: Gate | None, corpora: Sequence[Corpus]
) -> float | dict[str, float] | None:
    """The margins that an audit is judged by: those given and those of its gate; None: the usual.

    What both name they must say alike: a page and its gate do not differ.
    """
    by_name = dict(given) if isinstance(given, Mapping) else {} if given is None else {ALL: given}
    _check_axes(by_name, corpora)
    for limit in gate.limits if gate else ():
        name = ALL if limit.name == EVERY else limit.name
        by_name.setdefault(name, limit.margin)
    if gate:
        _check_alike(by_name, gate)
    return _by_axis(by_name, corpora)


def _check_alike(by_name: Mapping[str, float], gate: Gate) -> None:
    """Raise where the gate holds what has a margin to another one."""
    from tiltmeter.errors import TiltmeterError

    for name, margin in by_name.items():
        axis, _, contrast = name.partition(":")
        limit = gate.limit(EVERY if name == ALL else axis, contrast)
        if limit is not None and limit.margin != margin:
            what = f"the margin of {'every axis' if name == ALL else name} is {margin:g}"
            raise TiltmeterError(f"{what}, and the gate says {limit}; expected only one of them")


def _check_axes(by_name: Mapping[str, float], corpora: Sequence[Corpus]) -> None:
    from tiltmeter.errors import TiltmeterError, did_you_mean

    axes = list(dict.fromkeys(axis.name for corpus in corpora for axis in corpus.axes))
    for name in by_name:
        axis = name.partition(":")[0]
        if name != ALL and axis not in axes:
            near = did_you_mean(axis, axes) or f"the axes are {', '.join(axes)}"
            raise TiltmeterError(f"a margin is given for {axis!r}, which is no axis here: {near}")


def _by_axis(
    by_name: dict[str, float], corpora: Sequence[Corpus]
) -> float | dict[str, float] | None:
    """One number where it is for every axis, else a margin for each."""
    if ALL not in by_name:
        return by_name or None
    every = by_name.pop(ALL)
    if not by_name:
        return every
    return {axis.name: every for corpus in corpora for axis in corpus.axes} | by_name
