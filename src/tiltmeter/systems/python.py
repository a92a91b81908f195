"""The user's own function as a system: `package.module:callable` or `./file.py:callable`.

It may take a list of texts or one text; which of the two is found by trying, once, before it is
asked for its first score.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from numbers import Real
from typing import Any, Literal

from tiltmeter.errors import SystemFailure
from tiltmeter.systems.function_content import content, qualified
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    SHOWN_TEXT,
    TASKS,
    Answer,
    Card,
    Missing,
    Pace,
    System,
    unsettled,
)
from tiltmeter.systems.user_code import Function, find_function

Takes = Literal["list", "text"]
TRIED = ["I met my sister yesterday.", "The conversation was wonderful."]
ASYNC = "is async; expected a plain function"
UNSEEN = (
    "the fingerprint covers the function's own file, not what it imports; after a change there, "
    "score anew with --reuse never"
)


def python_function(spec: str, options: Options) -> System:
    """The function that a spec names, loaded from its file or module."""
    found = find_function(spec)

    def form(takes: Takes) -> System:
        card = _card(spec, takes, options, found.digest, found.version)
        pace = Pace(parallel="processes", one_by_one=takes == "text")
        return System(card, _answer(spec, found.function, takes), pace)

    return unsettled([form("list"), form("text")], lambda: form(_takes(spec, found.function)))


def from_callable(
    function: Function, name: str | None = None, options: Options | None = None
) -> System:
    """A function in hand as a system, for use from Python; it stays in this process."""
    name = name or qualified(function)
    if inspect.iscoroutinefunction(function):
        raise SystemFailure(name, ASYNC)
    digest = hashlib.sha256(content(function).encode(errors="surrogatepass")).hexdigest()

    def form(takes: Takes) -> System:
        card = _card(name, takes, options or Options(), digest)
        return System(card, _answer(name, function, takes), Pace(one_by_one=takes == "text"))

    return unsettled([form("list"), form("text")], lambda: form(_takes(name, function)))


def _card(name: str, takes: Takes, options: Options, digest: str, version: str = "") -> Card:
    return Card(
        name,
        options.task_among(name, TASKS),
        options.scale_of(name),
        version=version,
        settings={"takes": takes},
        weights=digest,
        notes=(UNSEEN,),
    )


# ---------------------------------------------------------------- a list of texts, or one text


def _takes(name: str, function: Function) -> Takes:
    """What a function takes: a list if it gives as many answers, else one text if it can."""
    try:
        found = _tried(name, function, list(TRIED))
    except SystemFailure:
        raise
    except (Exception, SystemExit) as error:
        return _text_or(name, function, error)
    if isinstance(found, list) and len(found) == len(TRIED):
        return "list"
    try:
        alone = _single(_tried(name, function, TRIED[0]))
    except (Exception, SystemExit):
        return "list"
    # Where neither fits, an answer that is no list at all tells of a function for one text.
    return "text" if _is_answer(alone) or not isinstance(found, list) else "list"


def _tried(name: str, function: Function, given: object) -> Any:  # noqa: ANN401
    with redirect_stdout(sys.stderr):  # what a function prints is not our output
        found = function(given)
        if inspect.iscoroutine(found):
            found.close()
            raise SystemFailure(name, ASYNC)
        return _listed(found)


def _text_or(name: str, function: Function, of_list: BaseException) -> Takes:
    """One text, if that works where a list of them failed; else why neither did."""
    tries = f"raised {_said(of_list)} for a list of texts"
    try:
        alone = _single(_tried(name, function, TRIED[0]))
    except (Exception, SystemExit) as error:
        if _said(error) != _said(of_list):
            tries += f" and {_said(error)} for one text"
        wrong_kind = isinstance(of_list, TypeError | AttributeError)
        cause = error if wrong_kind else of_list
        raise SystemFailure(name, tries, _shown(TRIED[0])) from cause
    if isinstance(alone, list):
        raise SystemFailure(name, tries, _shown(TRIED[0])) from of_list
    return "text"


def _answer(name: str, function: Function, takes: Takes) -> Callable[[Sequence[str]], list[Answer]]:
    def answer(texts: Sequence[str]) -> list[Answer]:
        with redirect_stdout(sys.stderr):
            if takes == "text":
                return [_single(_called(name, function, text, text)) for text in texts]
            return _all_of(name, function, texts)

    return answer


def _all_of(name: str, function: Function, texts: Sequence[str]) -> list[Answer]:
    """The answers to a list, as a list; that each is a number is checked by whoever asks."""
    found = _called(name, function, list(texts), texts[0]) if texts else []
    if isinstance(found, list):
        return found
    what = f"answered {type(found).__name__} to a list of texts; expected a number for each"
    raise SystemFailure(name, what, _shown(texts[0]))


def _called(name: str, function: Function, given: object, first: str) -> Any:  # noqa: ANN401
    try:
        return _listed(function(given))
    except (Exception, SystemExit) as error:
        what = f"raised {_said(error)}"
        raise SystemFailure(name, what, _shown(first)) from error


def _listed(found: Any) -> Any:  # noqa: ANN401 - whatever the user's function gives
    """A list from whatever holds answers in order; anything else as it is."""
    for method in ("tolist", "to_list"):
        if hasattr(found, method):
            found = getattr(found, method)()
    if isinstance(found, Sequence | Iterator) and not isinstance(found, str | bytes):
        found = list(found)
    if isinstance(found, list):
        return [_single(answer) for answer in found]
    return found


def _single(found: Any) -> Any:  # noqa: ANN401 - whatever the user's function gives
    """One answer, taken out of a list or an array of one."""
    if hasattr(found, "tolist"):
        found = found.tolist()
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _is_answer(found: object) -> bool:
    return found is None or isinstance(found, Real | Missing)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + "…")
