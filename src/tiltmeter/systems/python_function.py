"""The user's own function as a system: `package.module:callable` or `./file.py:callable`.

It may take a list of texts or one text; which of the two is found by trying, once, before it is
asked for its first score. A file is loaded as it stands now; a module must be importable.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from numbers import Real
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Literal

from tiltmeter.columns import TASKS
from tiltmeter.errors import SystemFailure, did_you_mean
from tiltmeter.files import is_file
from tiltmeter.systems.options import Options
from tiltmeter.systems.protocol import (
    Answer,
    Card,
    Missing,
    Pace,
    System,
    shorten,
    with_unknown_form,
)


def function_fingerprint(function: Callable[..., Any]) -> str:
    """SHA-256 of name, code and every value a function carries or names.

    Its name and source do not tell it: two lambdas of a line share both, a notebook's `model` is
    trained anew under the same name, and a function typed at a prompt has no source at all. What
    cannot be written down is new every time.

    >>> one, other = lambda text: 1.0, lambda text: 2.0
    >>> function_fingerprint(one) == function_fingerprint(one)
    True
    >>> function_fingerprint(one) == function_fingerprint(other)
    False
    """
    seen: set[int] = set()

    def plain(value: object) -> object:
        match value:
            case FunctionType() if id(value) in seen:
                return qualified_name(value)
            case FunctionType():
                seen.add(id(value))
                cells = [cell.cell_contents for cell in value.__closure__ or ()]
                names = (name for name in _names(value.__code__) if name in value.__globals__)
                named = {name: value.__globals__[name] for name in names}
                carried = [value.__defaults__, value.__kwdefaults__, cells, named]
                return [qualified_name(value), _source(value), value.__code__, carried]
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

    try:
        # A function that calls itself comes round again: it is in `seen`, JSON would give up
        content = json.dumps(function, sort_keys=True, default=plain, check_circular=False)
    except (TypeError, ValueError, RecursionError):
        content = uuid.uuid4().hex
    return hashlib.sha256(content.encode(errors="surrogatepass")).hexdigest()


def qualified_name(function: Callable[..., Any]) -> str:
    """A function's name with its module's."""
    kind = type(function)
    name = getattr(function, "__qualname__", kind.__qualname__)
    return f"{getattr(function, '__module__', None) or kind.__module__}:{name}"


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


Function = Callable[[Any], Any]
Takes = Literal["list", "text"]
TRIED = ["I met my sister yesterday.", "The conversation was wonderful."]
SHOWN_NAMES = 8
ASYNC = "is async; expected a plain function"
UNSEEN = (
    "the fingerprint covers the function's own file, not what it imports; after a change there, "
    "score anew with --reuse never"
)


def python_function(spec: str, options: Options) -> System:
    """The function that `package.module:callable` or `./file.py:callable` names."""
    place, _, dotted = spec.rpartition(":")
    if not place or not dotted:
        raise SystemFailure(spec, "is no function's address; expected ./file.py:callable")
    in_file = place.lower().endswith(".py") or "/" in place or "\\" in place
    folder = Path(place).resolve().parent if in_file else Path.cwd()
    with _importable(folder):
        module = _load(spec, place, in_file)
        found: Any = module
        for part in dotted.split("."):
            if not hasattr(found, part):
                names = [name for name in dir(found) if not name.startswith("_")]
                callables = [name for name in names if callable(getattr(found, name, None))]
                raise SystemFailure(spec, f"has no {part!r}; {_nearest(part, callables)}")
            found = getattr(found, part)
    if not callable(found):
        raise SystemFailure(spec, f"is a {type(found).__name__}; expected a function")
    if inspect.iscoroutinefunction(found):
        raise SystemFailure(spec, ASYNC)

    def call(given: Any) -> Any:  # noqa: ANN401 - whatever the user's function takes and gives
        with _importable(folder):  # it may import from its folder also while it runs
            answer = found(given)
            return list(answer) if isinstance(answer, Iterator) else answer

    # The file's place counts too: equal files in two folders may import different neighbours
    path = Path(module.__file__ or "")
    digest = version = ""
    if path.is_file():
        whole = str(path.resolve()).encode() + b"\0" + path.read_bytes()
        digest = hashlib.sha256(whole).hexdigest()
    if not in_file:
        package = module.__name__.partition(".")[0]
        owners = importlib.metadata.packages_distributions().get(package, [])
        version = ", ".join(
            f"{owner} {importlib.metadata.version(owner)}" for owner in sorted(set(owners))
        )
    return _system(spec, call, options, digest, version, "processes")


def from_callable(
    function: Function, name: str | None = None, options: Options | None = None
) -> System:
    """A function in hand as a system, for use from Python; it stays in this process."""
    name = name or qualified_name(function)
    if inspect.iscoroutinefunction(function):
        raise SystemFailure(name, ASYNC)
    return _system(name, function, options or Options(), function_fingerprint(function))


def _system(
    name: str,
    function: Function,
    options: Options,
    digest: str,
    version: str = "",
    parallel: Literal["processes", "none"] = "none",
) -> System:
    def form(takes: Takes) -> System:
        card = Card(
            name,
            options.task_among(name, TASKS),
            options.scale_of(name),
            version=version,
            settings={"takes": takes},
            weights=digest,
            notes=(UNSEEN,),
        )
        pace = Pace(parallel=parallel, one_by_one=takes == "text")

        # The answers as a list; that each is a number is checked by whoever asks
        def call(given: object, first: str) -> Any:  # noqa: ANN401
            try:
                return _as_list(function(given))
            except (Exception, SystemExit) as error:
                raise SystemFailure(name, f"raised {_error_text(error)}", shorten(first)) from error

        def answer(texts: Sequence[str]) -> list[Answer]:
            with redirect_stdout(sys.stderr):
                if takes == "text":
                    return [_unwrap(call(text, text)) for text in texts]
                found = call(list(texts), texts[0]) if texts else []
            if isinstance(found, list):
                return found
            what = f"answered {type(found).__name__} to a list of texts; expected a number for each"
            raise SystemFailure(name, what, shorten(texts[0]))

        return System(card, answer, pace)

    return with_unknown_form(
        [form("list"), form("text")], lambda: form(_find_takes(name, function))
    )


class _UncachedLoader(importlib.machinery.SourceFileLoader):
    """Loads a file as it stands now, past any compiled copy, and leaves none beside it."""

    def path_stats(self, path: str) -> Mapping[str, Any]:
        raise OSError(path)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let modules of a folder be imported for as long as this lasts."""
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _can_import(name: str) -> bool:
    """True where the module is there, whether or not it then loads."""
    parts = name.split(".")
    parents = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
    if not all(part.isidentifier() for part in parts):
        return False
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        # A missing parent is a wrong name; anything else missing is the parent's own trouble.
        return error.name not in parents
    except (Exception, SystemExit):
        return True


def _load(spec: str, place: str, in_file: bool) -> ModuleType:
    """The module; whatever it raises becomes a message, and what it prints is not our output."""
    path = Path(place)
    if in_file and not is_file(path):
        raise SystemFailure(spec, _no_file(path, spec))
    if not in_file and not _can_import(place):
        here = [found.stem for found in sorted(Path.cwd().glob("*.py"))]
        what = f"is not there: no module {place!r} is installed or in {Path.cwd()}"
        raise SystemFailure(spec, f"{what}; {_nearest(place, here)}")
    try:
        with redirect_stdout(sys.stderr):
            if not in_file:
                importlib.import_module(place)
                return sys.modules[place]
            name = f"tiltmeter_user_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
            loader = _UncachedLoader(name, str(path.resolve()))
            module = sys.modules[name] = ModuleType(name)
            module.__file__, module.__loader__ = loader.path, loader
            loader.exec_module(module)
            return module
    except (Exception, SystemExit) as error:
        what = f"failed to load: {type(error).__name__}: {error}"
        raise SystemFailure(spec, what) from error


def _no_file(path: Path, spec: str) -> str:
    """That a file is not where the command runs, with what is near it, here or further up."""
    what = f"is not there: no file {path}"
    beside = [one.name for one in sorted(path.parent.glob("*.py"))]
    if path.is_absolute():
        return f"{what}; {_nearest(path.name, beside)}"
    runs = f"the command runs in {Path.cwd()}"
    above = [Path(*[".."] * up, path) for up in range(1, len(Path.cwd().parts))]
    found = next(filter(is_file, above), None)
    if found is not None:
        return f"{what}; did you mean '{found}:{spec.rpartition(':')[2]}'? ({runs})"
    return f"{what}; {_nearest(path.name, beside)} ({runs})"


def _nearest(name: str, known: Sequence[str]) -> str:
    listed = ", ".join(known[:SHOWN_NAMES]) + (", …" if len(known) > SHOWN_NAMES else "")
    return did_you_mean(name, known) or (f"there are {listed}" if known else "nothing is there")


def _find_takes(name: str, function: Function) -> Takes:
    """What a function takes: a list if it gives as many answers, else one text if it can."""

    def call(given: object) -> Any:  # noqa: ANN401
        with redirect_stdout(sys.stderr):  # what a function prints is not our output
            found = function(given)
            if inspect.iscoroutine(found):
                found.close()
                raise SystemFailure(name, ASYNC)
            return _as_list(found)

    try:
        found = call(list(TRIED))
    except SystemFailure:
        raise
    except (Exception, SystemExit) as of_list:
        tries = f"raised {_error_text(of_list)} for a list of texts"
        try:
            alone = _unwrap(call(TRIED[0]))
        except (Exception, SystemExit) as error:
            if _error_text(error) != _error_text(of_list):
                tries += f" and {_error_text(error)} for one text"
            wrong_kind = isinstance(of_list, TypeError | AttributeError)
            cause = error if wrong_kind else of_list
            raise SystemFailure(name, tries, shorten(TRIED[0])) from cause
        if isinstance(alone, list):
            raise SystemFailure(name, tries, shorten(TRIED[0])) from of_list
        return "text"
    if isinstance(found, list) and len(found) == len(TRIED):
        return "list"
    try:
        alone = _unwrap(call(TRIED[0]))
    except (Exception, SystemExit):
        return "list"
    # Where neither fits, an answer that is no list at all tells of a function for one text.
    is_answer = alone is None or isinstance(alone, Real | Missing)
    return "text" if is_answer or not isinstance(found, list) else "list"


def _as_list(found: Any) -> Any:  # noqa: ANN401 - whatever the user's function gives
    """A list from whatever holds answers in order; anything else as it is."""
    for method in ("tolist", "to_list"):
        if hasattr(found, method):
            found = getattr(found, method)()
    if isinstance(found, Sequence | Iterator) and not isinstance(found, str | bytes):
        found = list(found)
    return [_unwrap(answer) for answer in found] if isinstance(found, list) else found


def _unwrap(found: Any) -> Any:  # noqa: ANN401 - whatever the user's function gives
    """One answer, taken out of a list or an array of one."""
    if hasattr(found, "tolist"):
        found = found.tolist()
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
