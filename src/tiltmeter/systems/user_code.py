"""Finds the user's function: in a file as it stands now, or in a module that can be imported."""

from __future__ import annotations

import hashlib
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tiltmeter.errors import SystemFailure, did_you_mean
from tiltmeter.files import is_file

Function = Callable[[Any], Any]
SHOWN_NAMES = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A user's function, and what is known of where it stands."""

    function: Function
    version: str
    """Of the installed package it belongs to, if it belongs to one."""
    digest: str
    """SHA-256 of the file that holds it, and of where that file stands."""


def find_function(spec: str) -> Found:
    """The function that `package.module:callable` or `./file.py:callable` names."""
    place, _, dotted = spec.rpartition(":")
    if not place or not dotted:
        raise SystemFailure(spec, "is no function's address; expected ./file.py:callable")
    in_file = place.lower().endswith(".py") or "/" in place or "\\" in place
    folder = Path(place).resolve().parent if in_file else Path.cwd()
    with _importable(folder):
        module = _from_file(spec, Path(place)) if in_file else _from_name(spec, place)
        function = _attribute(spec, module, dotted)
    version = "" if in_file else _version(module)
    return Found(_within(folder, function), version, _digest(module))


class _AsWritten(importlib.machinery.SourceFileLoader):
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


def _within(folder: Path, function: Function) -> Function:
    """The function, able to import from its folder also while it runs."""

    def called(given: Any) -> Any:  # noqa: ANN401 - whatever the user's function takes and gives
        with _importable(folder):
            found = function(given)
            return list(found) if isinstance(found, Iterator) else found

    return called


def _from_file(spec: str, path: Path) -> ModuleType:
    if not is_file(path):
        beside = [found.name for found in sorted(path.parent.glob("*.py"))]
        raise SystemFailure(spec, f"is not there: no file {path}; {_nearest(path.name, beside)}")
    name = f"tiltmeter_user_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    loader = _AsWritten(name, str(path.resolve()))
    module = ModuleType(name)
    module.__file__, module.__loader__ = loader.path, loader
    sys.modules[name] = module
    _load(spec, lambda: loader.exec_module(module))
    return module


def _from_name(spec: str, name: str) -> ModuleType:
    if not _can_import(name):
        here = [found.stem for found in sorted(Path.cwd().glob("*.py"))]
        what = f"is not there: no module {name!r} is installed or in {Path.cwd()}"
        raise SystemFailure(spec, f"{what}; {_nearest(name, here)}")
    _load(spec, lambda: importlib.import_module(name))
    return sys.modules[name]


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


def _load(spec: str, load: Callable[[], object]) -> None:
    try:
        with redirect_stdout(sys.stderr):  # what a file prints as it loads is not our output
            load()
    except (Exception, SystemExit) as error:
        what = f"failed to load: {type(error).__name__}: {error}"
        raise SystemFailure(spec, what) from error


def _attribute(spec: str, module: ModuleType, dotted: str) -> Function:
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
        raise SystemFailure(spec, "is async; expected a plain function")
    return found  # type: ignore[no-any-return]


def _nearest(name: str, known: Sequence[str]) -> str:
    listed = ", ".join(known[:SHOWN_NAMES]) + (", …" if len(known) > SHOWN_NAMES else "")
    return did_you_mean(name, known) or (f"there are {listed}" if known else "nothing is there")


def _digest(module: ModuleType) -> str:
    path = Path(module.__file__ or "")
    if not path.is_file():
        return ""
    # The place too: equal files in two folders may import different neighbours.
    place = str(path.resolve()).encode()
    return hashlib.sha256(place + b"\0" + path.read_bytes()).hexdigest()


def _version(module: ModuleType) -> str:
    """The version of the installed distribution a module belongs to; none for the user's files."""
    owners = importlib.metadata.packages_distributions().get(module.__name__.partition(".")[0], [])
    return ", ".join(
        f"{owner} {importlib.metadata.version(owner)}" for owner in sorted(set(owners))
    )
