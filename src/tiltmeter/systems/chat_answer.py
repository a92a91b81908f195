"""From what a chat model says to a number: alone, in JSON, or where the user says it stands.

Nothing is guessed: an answer with several numbers, or with none, gives no score.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping

from tiltmeter.errors import TiltmeterError
from tiltmeter.systems.service.reading import NoScoreError, number_at, path

Read = Callable[[str], float | None]
"""A model's answer to the number in it; None where there is not exactly one."""

LONGEST = 20_000
"""Letters of an answer that a regular expression is tried on."""
SCORE = "score"
"""The field of a JSON object, and the group of a regular expression, that goes before others."""
_NUMBER = re.compile(r"[-−+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_MARKS = "*_`\"'“”‘’()[]<>,;!"
_REFUSAL = re.compile(r"\b(cannot|can['’]t|won['’]t|unable|sorry|as an ai)\b", re.IGNORECASE)
_FENCED = re.compile(r"```[ \t]*[\w-]*[ \t]*\n(.*?)```", re.DOTALL)


def reader_of(parse: str | None) -> Read:
    """How answers are read: as the user says with a JMESPath or a regular expression, or as usual.

    What is a JMESPath is read as one; anything else is a regular expression with one group, or
    with one called `score`. No expression that finds a number is both.

    >>> reader_of("result.score")('{"result": {"score": 0.7}}')
    0.7
    >>> reader_of(r"Score: ([0-9.]+)")("Reasons of 2 kinds. Score: 0.7")
    0.7
    """
    if parse is None:
        return rating_in
    try:
        return _by_path(parse)
    except ValueError as no_path:
        try:
            pattern = re.compile(parse)
        except (re.error, RecursionError, OverflowError) as no_pattern:
            raise _refusal(
                parse, f"as one it {_short(no_path)}; as the other: {no_pattern}"
            ) from None
    if pattern.groups != 1 and SCORE not in pattern.groupindex:
        raise _refusal(parse, f"as a regular expression it has {pattern.groups} groups")
    return _by_pattern(pattern)


def _refusal(parse: str, why: str) -> TiltmeterError:
    expected = "a JMESPath into JSON, as in result.score, or a regular expression with one group"
    what = f"--parse is {parse!r}; expected {expected} around the number, as in 'Score: ([0-9.]+)'"
    return TiltmeterError(f"{what} ({why})")


def _short(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f"fails ({said[:80]}{'…' if len(said) > 80 else ''})"


def _by_path(expression: str) -> Read:
    search = path(expression)

    def read(said: str) -> float | None:
        value = _json_in(said)
        try:
            return None if value is None else number_at(search(value), expression)
        except NoScoreError:
            return None

    return read


def _by_pattern(pattern: re.Pattern[str]) -> Read:
    group: str | int = SCORE if SCORE in pattern.groupindex else 1

    def read(said: str) -> float | None:
        found = pattern.search(said[:LONGEST])
        return _number((found[group] or "").strip()) if found else None

    return read


def rating_in(said: str) -> float | None:
    r"""The rating in an answer: in JSON, fenced or not, or the only number beside words.

    >>> rating_in('{"score": 0.79}'), rating_in('Sure:\n```json\n{"rating": 0.8}\n```')
    (0.79, 0.8)
    """
    value = _json_in(said)
    if value is not None:
        return _rating(value)
    return None if is_refusal(said) else only_number(said)


def is_refusal(said: str) -> bool:
    """Whether a model says that it will not rate; a number beside that is none of ours."""
    return bool(_REFUSAL.search(said))


def _json_in(said: str) -> object:
    """The JSON object or list that an answer is, or holds in its one fence; None where none."""
    fenced = _FENCED.findall(said)
    text = (fenced[0] if len(fenced) == 1 else said).strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found


def _rating(value: object) -> float | None:
    """The number called `score`, or the only number of an object or list."""
    if isinstance(value, Mapping) and SCORE in value:
        return _plain(value[SCORE])
    members = list(value.values()) if isinstance(value, Mapping) else value
    numbers = [_plain(one) for one in members] if isinstance(members, list) else []
    known = [number for number in numbers if number is not None]
    return known[0] if len(known) == 1 else None


def _plain(value: object) -> float | None:
    """A number, or a text that is one."""
    if isinstance(value, str):
        return _number(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _number(repr(value))


def only_number(said: str) -> float | None:
    """The number an answer consists of, beside words without digits; None: none or several.

    >>> [only_number(said) for said in ("0.7", "Score: 0.7.", "0,7", "0.7 of 1", "70%", "high")]
    [0.7, 0.7, None, None, None, None]
    """
    words = [word for word in said.split() if any(letter.isdigit() for letter in word)]
    if len(words) != 1:
        return None
    return _number(re.sub(r"^\D*[:=]", "", words[0]).strip(_MARKS).rstrip(".").strip(_MARKS))


def _number(word: str) -> float | None:
    number = float(word.replace("−", "-")) if _NUMBER.fullmatch(word) else math.inf
    return number if math.isfinite(number) else None
