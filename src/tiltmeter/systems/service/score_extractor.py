"""From a server's JSON to scores: a JMESPath to the number, or to a label that stands for one."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from tiltmeter.systems.protocol import Answer, Missing, Scale
from tiltmeter.systems.service.connection import Reply, require_http


class NoScoreError(ValueError):
    """Why a value is no score."""


class ListFoundError(NoScoreError):
    """An expression gave a list where one number is expected."""

    def __init__(self, expression: str) -> None:
        super().__init__(
            f"`{expression}` gave a list; for its first value add ` | [0]`: `{expression} | [0]`"
        )


@dataclass(frozen=True)
class ScoreExtractor:
    """Where the score stands in an answer."""

    score: str
    labels: Mapping[str, float] = field(default_factory=dict)
    """What a label stands for; none: the score is a number."""
    confidence: str = ""
    """Where a label's probability stands; the score is then number × probability."""
    many: bool = False
    """True where the paths give a list, one value per text."""
    parse: str = ""
    """Where the number stands in what the path gives; none: that is the number."""
    read: Callable[[str], float | None] | None = field(default=None, compare=False)
    """Reads that number from a text."""

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
        if self.parse:
            read["parse"] = self.parse
        return read

    def extract(self, reply: Reply, count: int) -> list[Answer]:
        """The answers to as many texts as were asked about; what is no score is missing."""

        def missing(error: NoScoreError) -> Missing:
            reason = reply.secrets.excerpt(str(error))
            return Missing(f"{reason}; the server answered {reply.shown}")

        try:
            values = self._column(self.score, reply, count)
            sure = self._column(self.confidence, reply, count) if self.confidence else values
        except NoScoreError as error:
            return [missing(error)] * count
        answers: list[Answer] = []
        for value, confidence in zip(values, sure, strict=True):
            try:
                answers.append(self._score(value, confidence))
            except NoScoreError as error:
                answers.append(missing(error))
        return answers

    def _score(self, value: object, confidence: object) -> float:
        """A number, or what a label stands for, times its probability where there is one."""
        if self.read is not None:
            number = self._parsed(self.read, value)
        elif not self.labels:
            number = number_at(value, self.score)
        elif value is None or isinstance(value, list | dict):
            raise NoScoreError(f"there is no label at `{self.score}`")
        elif str(value) not in self.labels:
            raise NoScoreError(f"the label {str(value)!r} is none of {', '.join(self.labels)}")
        else:
            number = self.labels[str(value)]
        if not self.confidence:
            return number
        share = number_at(confidence, self.confidence)
        if not 0 <= share <= 1:
            raise NoScoreError(f"the confidence {share:g} is not within 0 to 1")
        return number * share

    def _parsed(self, read: Callable[[str], float | None], value: object) -> float:
        """The number in a text, or in JSON, that the path gives."""
        if value is None:
            raise NoScoreError(f"there is nothing at `{self.score}`")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        number = read(text)
        if number is None:
            raise NoScoreError(
                f"--parse {self.parse} finds no number in {text!r} at `{self.score}`"
            )
        return number

    def _column(self, expression: str, reply: Reply, count: int) -> Sequence[object]:
        """One value per text."""
        found = compile_path(expression)(reply.value)
        if not self.many:
            return [found] * count
        if not isinstance(found, list):
            raise NoScoreError(f"`{expression}` gave no list; expected one value for each text")
        if len(found) != count:
            raise NoScoreError(f"`{expression}` gave {len(found)} values for {count} texts")
        return found


@cache
def compile_path(expression: str) -> Callable[[object], object]:
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


def number_at(found: object, expression: str) -> float:
    """A finite number; a text that is one counts, since some services quote theirs."""
    if found is None:
        raise NoScoreError(f"there is no score at `{expression}`")
    if isinstance(found, list):
        raise ListFoundError(expression)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        raise NoScoreError(f"`{expression}` gave no number")
    try:
        number = float("" if isinstance(found, str) and "_" in found else found)
    except (ValueError, OverflowError):
        raise NoScoreError(f"`{expression}` gave {str(found)!r}, which is no number") from None
    if not math.isfinite(number):
        raise NoScoreError(f"the score at `{expression}` is {number}")
    return number
