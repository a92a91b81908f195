"""What a function in hand is made of, so that stored scores are used for no other function.

Its name and source do not tell it: two lambdas of a line share both, a notebook's `model` is
trained anew under the same name, and a function typed at a prompt has no source at all.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import uuid
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any


def function_fingerprint(function: Callable[..., Any]) -> str:
    """SHA-256 of name, code and every value a function carries or names.

    What cannot be written down is new every time.

    >>> one, other = lambda text: 1.0, lambda text: 2.0
    >>> function_fingerprint(one) == function_fingerprint(one)
    True
    >>> function_fingerprint(one) == function_fingerprint(other)
    False
    """
    try:
        content = _FunctionWriter().text(function)
    except (TypeError, ValueError, RecursionError):
        content = uuid.uuid4().hex
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


def qualified_name(function: Callable[..., Any]) -> str:
    """A function's name with its module's."""
    kind = type(function)
    name = getattr(function, "__qualname__", kind.__qualname__)
    return f"{getattr(function, '__module__', None) or kind.__module__}:{name}"


class _FunctionWriter:
    """Writes down functions and values as JSON, each function once."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def text(self, value: object) -> str:
        # A function that calls itself comes round again: _function knows it, JSON would give up.
        return json.dumps(value, sort_keys=True, default=self._plain, check_circular=False)

    def _plain(self, value: object) -> object:
        match value:
            case FunctionType():
                return self._function(value)
            case CodeType():
                # What code does, without the file and line it stands on
                constants = [one if isinstance(one, CodeType | frozenset) else repr(one)
                             for one in value.co_consts]  # fmt: skip
                return [value.co_code.hex(), value.co_names, value.co_varnames, constants]
            case ModuleType() | BuiltinFunctionType():
                return value.__name__
            case type():
                return [qualified_name(value), _source(value)]
            case re.Pattern():
                return [str(value.pattern), value.flags]
            case set() | frozenset():
                return sorted(value, key=repr)
            case bytes():
                return value.hex()
        raise TypeError(f"{type(value).__name__} cannot be written down")

    def _function(self, function: FunctionType) -> object:
        if id(function) in self._seen:
            return qualified_name(function)
        self._seen.add(id(function))
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        named = {
            name: function.__globals__[name]
            for name in _names(function.__code__)
            if name in function.__globals__
        }
        carried = [function.__defaults__, function.__kwdefaults__, cells, named]
        return [qualified_name(function), _source(function), function.__code__, carried]


def _names(code: CodeType) -> Iterator[str]:
    """The names that code looks up, also in the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _source(thing: object) -> str:
    try:
        return inspect.getsource(thing)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return ""
