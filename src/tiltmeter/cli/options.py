"""Options that several commands take: each declared once, those used together as a group.

A group is a frozen dataclass whose fields are options. A command names it as one keyword-only
parameter; `with_groups` gives the command line an option for each of its fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_type_hints

import typer

if TYPE_CHECKING:
    from tiltmeter.claims.gate import Gate
    from tiltmeter.corpora import Corpus
    from tiltmeter.systems import Options

T = TypeVar("T")


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer reads it: every field of a group is an option of its own."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    if not groups:
        return command
    parameters = []
    for name, one in inspect.signature(command).parameters.items():
        if name not in groups:
            parameters.append((name, hints[name], one.default))
            continue
        own = get_type_hints(groups[name], include_extras=True)
        parameters += [
            (field.name, own[field.name], field.default) for field in fields(groups[name])
        ]

    def run(**given: Any) -> None:  # noqa: ANN401 - what the command takes
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **made)

    keyword = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, keyword, default=default, annotation=hint)
            for name, hint, default in parameters
        ]
    )
    run.__annotations__ = {name: hint for name, hint, _ in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


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
Task = Annotated[
    list[str] | None,
    typer.Option(metavar="TASK", help="valence, anger, fear, joy or sadness; may repeat."),
]
GivenScale = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[SYSTEM=]LOW:HIGH",
        help="The scale of one system, as in afinn=-5:5, or of all that declare none, as in 0:1; "
        "may repeat.",
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
        "services and of what has a price; for --gate 200, and 16 of what has a price.",
    ),
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
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")]


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table of sentences is read."""

    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="OURS=THEIRS",
            help="For a table: which of its columns is which, as in text=Sentence. Others are "
            "guessed.",
        ),
    ] = None
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            metavar="AXIS[=G1,G2]",
            help="For a table: a column to compare on, and its groups, first minus second.",
        ),
    ] = None
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="For a table: its language, as in en.")
    ] = None
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="For a table: its encoding, if not UTF-8.")
    ] = None

    @property
    def reading(self) -> dict[str, Any]:
        """What `load_corpus` takes of them."""
        return {
            "columns": columns_given(self.column),
            "axes": axes_given(self.axis),
            "language": self.language,
            "encoding": self.encoding,
        }


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """Who is drawn from a population."""

    people: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="For a population: how many people of each cell are drawn by lot; all is a "
            "census.",
        ),
    ] = None
    frames: Annotated[
        str | None,
        typer.Option(
            metavar="K|all",
            help="For a population: about how many frames a person meets; names with many bearers "
            "meet more, others fewer.",
        ),
    ] = None
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="W",
            help="For a population: bearers (each person who bears a name counts) or names.",
        ),
    ] = None

    def draw(self, seed: int | None = None) -> dict[str, Any]:
        """What `load_corpus` takes of them; what is no number is looked at there."""
        many = {
            name: int(text) if text and text.isascii() and text.isdigit() else text
            for name, text in (("people", self.people), ("frames", self.frames))
        }
        return {**many, "weights": self.weights} | ({} if seed is None else {"seed": seed})


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """What a user says of the systems besides their names."""

    scale: GivenScale = None
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="For openai: where the server stands.")
    ] = None
    parse: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX|JMESPATH",
            help="For openai and .toml: where an answer has the number: a JMESPath into JSON, "
            "as in result.score, or a regular expression with one group, as in 'Score: ([0-9.]+)'.",
        ),
    ] = None
    prompt: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For openai: a text file with your own prompt; {text} in it stands for the text, "
            "which else is the user's message.",
        ),
    ] = None
    temperature: Annotated[
        str | None,
        typer.Option(metavar="T|none", help="For openai: 0 by default; none does not send it."),
    ] = None
    trust: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help="For sklearn: a type the file may hold; may repeat."),
    ] = None

    def opening(self, systems_in: Iterable[str] | None = None) -> Options:
        """How systems are opened; `systems_in` are the columns that hold a system each."""
        from tiltmeter.systems import Options, columns_given, parse_scales, temperature_given

        return Options(
            scale=parse_scales(self.scale or ()), base_url=self.base_url,
            trust=tuple(self.trust or ()), parse=self.parse, prompt=read_prompt(self.prompt),
            temperature=temperature_given(self.temperature),
            systems_in=tuple(name for one in systems_in or () for name in columns_given(one)),
        )  # fmt: skip


def read_prompt(path: Path | str | None) -> str | None:
    """The prompt that a file holds."""
    if path is None:
        return None
    from tiltmeter.errors import ArgumentError
    from tiltmeter.files import LARGEST_TEXT, read_capped

    try:
        return read_capped(Path(path), LARGEST_TEXT).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        what = f"is {str(path)!r}, which cannot be read: {why}; expected a text file"
        raise ArgumentError("prompt", what) from error


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where systems are asked: on this machine, or on a cluster."""

    engine: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="local: this machine; ray: a cluster, see --ray-address."
        ),
    ] = "local"
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="For ray: the cluster to join; default: this machine."
        ),
    ] = None
    ray_gpus: Annotated[float, typer.Option(metavar="N", help="For ray: GPUs of each worker.")] = (
        0.0
    )
    shards: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="For ray: where workers write, as s3://bucket/prefix; default: --store.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class AskingOptions(SystemOptions):
    """How systems are asked for scores, and which of the stored ones are used."""

    task: Task = None
    reuse: Reuse = "missing"
    check: Check = None
    repeat: Annotated[
        int, typer.Option(metavar="N", help="Ask each text N times, to see how answers vary.")
    ] = 1
    max_missing: MaxMissing = 0.01
    workers: Workers = None
    store: StoreAt = None

    def how(
        self,
        *,
        systems_in: Iterable[str] | None = None,
        cluster: ClusterOptions | None = None,
        for_gate: bool = False,
        **besides: Any,  # noqa: ANN401 - what else the study takes
    ) -> dict[str, Any]:
        """What studies take of them; `besides` is what else they take."""
        from tiltmeter.cli.console import KEPT
        from tiltmeter.scoring import Settings
        from tiltmeter.systems import check_task

        KEPT.anew = self.reuse == "never"
        at = cluster or ClusterOptions()
        return {
            "options": self.opening(systems_in),
            "tasks": [name for name in map(check_task, self.task or ()) if name],
            "store": self.store,
            "settings": Settings(
                cast("Any", self.reuse), self.repeat, self.max_missing, self.workers,
                cast("Any", at.engine), at.ray_address, at.shards, at.ray_gpus, self.check,
                for_gate,
            ),
            **besides,
        }  # fmt: skip


def group_of(kind: type[T], table: Mapping[str, Any]) -> T:
    """A group of options from a table that has some of them by name."""
    names = [one.name for one in fields(cast("Any", kind))]
    return kind(**{name: table[name] for name in names if name in table})


def parted(given: str | None) -> list[str] | None:
    """What stands between commas; None where nothing was given.

    >>> parted("1, 3,"), parted(None)
    (['1', '3'], None)
    """
    return None if given is None else [part.strip() for part in given.split(",") if part.strip()]


def corpora_named(
    names: Iterable[str],
    edition: str | None,
    table: TableOptions,
    draw: dict[str, Any] | None = None,
) -> list[Corpus]:
    """The corpora of these names or paths; `draw` says who is drawn from a population."""
    from tiltmeter.corpora import draw_options, is_table, load_corpus

    wanted, reading = list(dict.fromkeys(names)), table.reading
    tables = {name for name in wanted if is_table(name)} or set(wanted)
    drawn = draw_options(wanted, **(draw or {}))
    return [
        load_corpus(name, edition, **(reading if name in tables else {}), **drawn.get(name, {}))
        for name in wanted
    ]


def axes_given(axis: list[str] | None) -> dict[str, tuple[str, ...]]:
    """The groups of each axis in their order, none where they are not said.

    >>> axes_given(["age=old, young", "sex"])
    {'age': ('old', 'young'), 'sex': ()}
    """
    pairs = [text.partition("=") for text in axis or ()]
    return _by_name(
        "--axis", ((name.strip(), tuple(parted(groups) or ())) for name, _, groups in pairs)
    )


def columns_given(column: list[str] | None) -> dict[str, str]:
    """The file's column for each of ours."""
    pairs = []
    for text in column or ():
        ours, _, theirs = (part.strip() for part in text.partition("="))
        if not ours or not theirs:
            what = f"--column takes OURS=THEIRS, as in text=Sentence; found {text!r}"
            raise typer.BadParameter(what)
        pairs.append((ours, theirs))
    return _by_name("--column", pairs)


def _by_name(option: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """The pairs by name; a name given twice is an error, not a choice."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            raise typer.BadParameter(f"{option} {name} is given twice; say it once")
        found[name] = value
    return found


EVERY = "*"
"""Every axis, in a gate."""
ALL = "default"
"""What the margin of all axes that have none of their own is called."""


def margins_said(given: Sequence[str]) -> dict[str, float]:
    """The margins of `--margin`, by axis; the one for all the others under `default`.

    >>> margins_said(["0.02", "race=0.03"])
    {'default': 0.02, 'race': 0.03}
    """
    from tiltmeter.claims.gate import margin_given
    from tiltmeter.errors import TiltmeterError

    found: dict[str, float] = {}
    for entry in dict.fromkeys(given):
        axis, equals, number = (part.strip() for part in entry.rpartition("="))
        name = axis if equals else ALL
        if name in found or (equals and not axis):
            what = "expected one for all axes and one for each, as in 0.01 race=0.02"
            raise TiltmeterError(f"--margin is given as {' and '.join(given)}; {what}")
        try:
            found[name] = margin_given(float(number), f"--margin {entry}")
        except ValueError:
            what = f"--margin is {entry!r}; expected a part of the scale, as in 0.01 or race=0.02"
            raise TiltmeterError(what) from None
    return found


def with_gate(
    given: float | Mapping[str, float] | None, gate: Gate | None, corpora: Sequence[Corpus]
) -> float | dict[str, float] | None:
    """The margins that an audit is judged by: those given and those of its gate; None: the usual.

    What both name they must say alike: a page and its gate do not differ. One number where it is
    for every axis, else a margin for each.
    """
    from tiltmeter.errors import TiltmeterError, did_you_mean

    margins = dict(given) if isinstance(given, Mapping) else {} if given is None else {ALL: given}
    axes = list(dict.fromkeys(axis.name for corpus in corpora for axis in corpus.axes))
    for name in margins:
        axis = name.partition(":")[0]
        if name != ALL and axis not in axes:
            near = did_you_mean(axis, axes) or f"the axes are {', '.join(axes)}"
            raise TiltmeterError(f"a margin is given for {axis!r}, which is no axis here: {near}")
    for limit in gate.limits if gate else ():
        margins.setdefault(ALL if limit.name == EVERY else limit.name, limit.margin)
    for name, margin in margins.items():
        axis, _, contrast = name.partition(":")
        own = gate.limit(EVERY if name == ALL else axis, contrast) if gate else None
        if own is not None and own.margin != margin:
            what = f"the margin of {'every axis' if name == ALL else name} is {margin:g}"
            raise TiltmeterError(f"{what}, and the gate says {own}; expected only one of them")
    if ALL not in margins:
        return margins or None
    every = margins.pop(ALL)
    return dict.fromkeys(axes, every) | margins if margins else every
