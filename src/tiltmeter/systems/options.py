"""What a user may say about systems besides their names: the task, and each one's scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.columns import TASKS
from tiltmeter.errors import ArgumentError, TiltmeterError, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.systems.protocol import VALENCE, Scale

REST = "default"
"""In a mapping of scales, and of margins: what holds for everything not named."""
LISTED = 8
"""Systems that a message lists."""
AS_IN = "as in 0:1, -1:1 or, for one system, afinn=-5:5"


@dataclass(frozen=True, slots=True)
class Scales:
    """The scales a user declares: of systems by name, and of all that declare none themselves."""

    named: Mapping[str, Scale] = field(default_factory=dict)
    rest: Scale | None = None
    only: Scale | None = None
    """That of the one system there is, whatever its adapter calls it."""

    def of(self, system: str, own: Scale | None = None) -> Scale | None:
        """A system's scale: as the user says of it by name, else its own, else as of the rest.

        >>> scales = parse_scales(["-5:5", "textblob=0:1"])
        >>> str(scales.of("afinn")), str(scales.of("vader", Scale(-1, 1)))
        ('−5 to 5', '−1 to 1')
        """
        return self.named_for(system) or own or self.rest

    def named_for(self, system: str) -> Scale | None:
        """The scale given for a system by its name, which replaces its own."""
        return self.only or self.named.get(system)

    def under(self, name: str) -> Scales:
        """These as one system takes them that the user calls so."""
        return Scales(rest=self.rest, only=self.named_for(name))

    def unused_note(self, system: str, own: Scale | None) -> str:
        """That a system keeps its own scale beside one given without a name; "" where none is."""
        if own is None or self.rest in (None, own) or self.named_for(system):
            return ""
        return (
            f"keeps its own scale, {own}: one without a system's name, {self.rest}, is for systems "
            f"that declare none; to replace it, say --scale {system}={self.rest.ends}"
        )

    def check(self, systems: Iterable[str]) -> None:
        """Refuse a scale of a system that is not among these, and offer the nearest ones."""
        known = list(dict.fromkeys(systems))
        for name in self.named:
            if name not in known and without_folders(name) not in known:
                more = f" and {len(known) - LISTED:,} more" if len(known) > LISTED else ""
                listed = f"the systems are {', '.join(known[:LISTED])}{more}"
                near = did_you_mean(name, known) or listed
                raise ArgumentError("scale", f"is given for {name!r}, which is not here: {near}")


GivenScale = Scale | Scales | Sequence[float] | str | Mapping[str, object] | None
"""A scale as a user gives it: a Scale, (0, 1) or "0:1" for all systems that declare none, or any
of these by name."""


@dataclass(frozen=True, slots=True)
class Options:
    """Settings every adapter is handed; each reads those that concern it."""

    task: str | None = None
    """One of TASKS; None: the adapter's own first one."""
    scale: GivenScale = None
    """For all that declare none, as in (-1, 1), or by name, which replaces their own, as in
    {"afinn": (-5, 5), "default": (0, 1)}."""
    base_url: str | None = None
    """Where an OpenAI-compatible server stands."""
    parse: str | None = None
    """Where the number stands in what a chat model, or a described service, answers: a JMESPath, or
    a regular expression with a group."""
    prompt: str | None = None
    """What a chat model is told, in place of our question; {text} in it stands for the text."""
    temperature: float | None = 0
    """What a chat model is asked at; None: it is not said, which some models ask for."""
    trust: tuple[str, ...] = ()
    """Types a skops file may hold although skops does not know them."""
    systems_in: tuple[str, ...] = ()
    """For a table of scores with a column for each system: their names, `*` for any letters."""
    patient: bool = True
    """False where somebody waits: a service that fails is tried once more and then said to be."""
    packaged_only: bool = False
    """True where a file names the system: `open_packaged` says what is opened then."""

    @property
    def scales(self) -> Scales:
        """The scales that were declared."""
        return scales_given(self.scale)

    def scale_of(self, system: str, own: Scale | None = None) -> Scale | None:
        """A system's scale, where it declares `own`: see `Scales.of`."""
        return self.scales.of(system, own)

    def task_among(self, name: str, answered: tuple[str, ...]) -> str:
        """The task to answer: the one asked for if the system can, its first one if none was."""
        if self.task is None:
            return answered[0] if answered else VALENCE
        if self.task not in answered:
            what = f"{name} answers {', '.join(answered)}; {self.task!r} was asked for"
            raise TiltmeterError(what)
        return self.task


def columns_given(given: Sequence[str] | str | None) -> tuple[str, ...]:
    """The columns that hold a system each, from a list or from text with commas.

    >>> columns_given("vader, afinn*"), columns_given(["vader", "a, b"])
    (('vader', 'afinn*'), ('vader', 'a, b'))
    """
    parts = given.split(",") if isinstance(given, str) else given or ()
    if not all(isinstance(part, str) for part in parts):
        raise TiltmeterError(f"systems_in is {given!r}; expected names of columns in a list")
    named = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if given and not named:
        raise TiltmeterError(f"systems_in is {given!r}; expected names of columns, as in 'vader'")
    return named


def temperature_given(text: str | None) -> float | None:
    """The temperature that a user writes; none: it is not sent; nothing: 0.

    >>> temperature_given("0.2"), temperature_given("none"), temperature_given(None)
    (0.2, None, 0)
    """
    if text is None or text.strip().lower() == "none":
        return 0 if text is None else None
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given < float("inf"):
        raise ArgumentError("temperature", f"is {text!r}; expected a number from 0 up, or none")
    return given or 0


def check_task(task: str | None) -> str | None:
    """The task as given, or an error that lists the known ones."""
    if task is None or task in TASKS:
        return task
    raise TiltmeterError(f"there is no task {task!r}; known are {', '.join(TASKS)}")


def parse_scale(text: str) -> Scale:
    """A scale as a user writes it.

    >>> parse_scale("-1:1")
    Scale(low=-1.0, high=1.0)
    """
    low, colon, high = text.partition(":")
    try:
        scale = Scale(float(low), float(high))
    except ValueError:
        scale = Scale(0.0, 0.0)
    if not colon or not scale.low < scale.high or not scale.width < float("inf"):
        raise TiltmeterError(f"a scale is LOW:HIGH, {AS_IN}; found {text!r}")
    return scale


def parse_scales(texts: Iterable[str]) -> Scales:
    """The scales that a user writes, each `[SYSTEM=]LOW:HIGH`; at most one without a system.

    >>> parse_scales(["tilted:gender=0.03=0:1", "-1:1"]).of("vader")
    Scale(low=-1.0, high=1.0)
    """
    named, rest = dict[str, Scale](), None
    for text in dict.fromkeys(texts):
        system, equals, ends = (part.strip() for part in text.rpartition("="))
        scale = parse_scale(ends)
        if equals and not system:
            raise ArgumentError("scale", f"is {text!r}; expected a system before the =, {AS_IN}")
        if named.get(system) if system else rest:
            whose = f"for {system}" if system else "without a system"
            raise ArgumentError("scale", f"is given twice {whose}; expected one scale each")
        if system:
            named[system] = scale
        else:
            rest = scale
    return Scales(named, rest)


def scales_given(given: object) -> Scales:
    """The scales that were given in Python, for all systems or by name.

    >>> scales_given({"afinn": (-5, 5), "default": "0:1"}).of("vader")
    Scale(low=0.0, high=1.0)
    """
    if given is None or isinstance(given, Scales):
        return given or Scales()
    if not isinstance(given, Mapping):
        return Scales(rest=_one_scale(given))
    named = {str(system): _one_scale(one) for system, one in given.items()}
    return Scales(named, named.pop(REST, None))


def _one_scale(given: object) -> Scale:
    if isinstance(given, Scale):
        return given
    if isinstance(given, str):
        return parse_scale(given)
    if isinstance(given, Sequence):
        return parse_scale(":".join(map(str, given)))
    what = f"found {given!r} for a scale"
    raise TiltmeterError(f"{what}; expected (low, high), as in (0, 1), or such by system's name")
