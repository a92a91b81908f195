"""What a user may say about a system besides its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems.protocol import TASKS, VALENCE, Scale


@dataclass(frozen=True, slots=True)
class Options:
    """Settings every adapter is handed; each reads those that concern it."""

    task: str | None = None
    """One of TASKS; None: the adapter's own first one."""
    scale: Scale | None = None
    base_url: str | None = None
    """Where an OpenAI-compatible server stands."""
    trust: tuple[str, ...] = ()
    """Types a skops file may hold although skops does not know them."""
    systems_in: tuple[str, ...] = ()
    """For a table of scores with a column for each system: their names, `*` for any letters."""

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
        raise TiltmeterError(f"a scale is LOW:HIGH, as in 0:1 or -1:1; found {text!r}")
    return scale
