"""From a server's JSON to scores: a JMESPath to the number, or to a label that stands for one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.systems.protocol import Answer, Missing, Scale
from tiltmeter.systems.service.connection import require_http
from tiltmeter.systems.service.request import Reply

Search = Callable[[object], object]


class NoScoreError(ValueError):
    """Why a value is no score."""


@dataclass(frozen=True)
class Reading:
    """Where the score stands in an answer."""

    score: str
    labels: Mapping[str, float] = field(default_factory=dict)
    """What a label stands for; none: the score is a number."""
    confidence: str = ""
    """Where a label's probability stands; the score is then number × probability."""
    many: bool = False
    """True where the paths give a list, one value per text."""

    @property
    def scale(self) -> Scale | None:
        """The range labels can reach: their own, with 0 where a probability shrinks them."""
        numbers = [*self.labels.values(), *([0.0] if self.confidence else [])]
        reach = numbers and min(numbers) < max(numbers)
        return Scale(min(numbers), max(numbers)) if reach else None

    @property
    def settings(self) -> dict[str, object]:
        """What of it changes answers, for the card."""
        read: dict[str, object] = {"score": self.score}
        if self.labels:
            read["labels"] = dict(self.labels)
        if self.confidence:
            read["confidence"] = self.confidence
        return read


def path(expression: str) -> Search:
    """A JMESPath ready to search, or a ValueError that says what is wrong with it."""
    require_http()
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an old way to write texts, which still works
            compiled = jmespath.compile(expression)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None

    def search(value: object) -> object:
        try:
            found: object = compiled.search(value)
        except (JMESPathError, ArithmeticError, TypeError, ValueError, RecursionError) as error:
            said = " ".join(str(error).split())
            raise NoScoreError(f"`{expression}` does not fit the answer: {said}") from None
        return found

    return search


def reader(reading: Reading) -> Callable[[Reply, int], list[Answer]]:
    """A function from a reply and the number of texts asked about to their answers."""
    score = path(reading.score)
    confidence = path(reading.confidence) if reading.confidence else None

    def read(reply: Reply, count: int) -> list[Answer]:
        try:
            found = _column(score(reply.value), reading.score, reading.many, count)
            sure = (
                _column(confidence(reply.value), reading.confidence, reading.many, count)
                if confidence
                else [None] * count
            )
        except NoScoreError as error:
            return [_without(error, reply)] * count
        return [
            _one(reading, value, share, reply) for value, share in zip(found, sure, strict=True)
        ]

    return read


def _column(found: object, expression: str, many: bool, count: int) -> Sequence[object]:
    """One value per text."""
    if not many:
        return [found] * count
    if not isinstance(found, list):
        raise NoScoreError(f"`{expression}` gave no list; expected one value for each text")
    if len(found) != count:
        raise NoScoreError(f"`{expression}` gave {len(found)} values for {count} texts")
    return found


def _one(reading: Reading, found: object, share: object, reply: Reply) -> Answer:
    try:
        number = _labelled(reading, found) if reading.labels else number_at(found, reading.score)
        return number * _share(share, reading.confidence) if reading.confidence else number
    except NoScoreError as error:
        return _without(error, reply)


def _without(error: NoScoreError, reply: Reply) -> Missing:
    return Missing(f"{reply.secrets.excerpt(str(error))}; the server answered {reply.shown}")


def _labelled(reading: Reading, found: object) -> float:
    if found is None or isinstance(found, list | dict):
        raise NoScoreError(f"there is no label at `{reading.score}`")
    if str(found) not in reading.labels:
        known = ", ".join(reading.labels)
        raise NoScoreError(f"the label {str(found)!r} is none of {known}")
    return reading.labels[str(found)]


def _share(found: object, expression: str) -> float:
    share = number_at(found, expression)
    if not 0 <= share <= 1:
        raise NoScoreError(f"the confidence {share:g} is not within 0 to 1")
    return share


def number_at(found: object, expression: str) -> float:
    """A finite number; a text that is one counts, since some services quote theirs."""
    if found is None:
        raise NoScoreError(f"there is no score at `{expression}`")
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise NoScoreError(f"`{expression}` gave no number")
    try:
        number = float("" if isinstance(found, str) and "_" in found else found)
    except (ValueError, OverflowError):
        raise NoScoreError(f"`{expression}` gave {str(found)!r}, which is no number") from None
    if not math.isfinite(number):
        raise NoScoreError(f"the score at `{expression}` is {number}")
    return number
