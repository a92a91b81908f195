"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]], door: str | None = None
) -> Callable[[str], object]:
    """The `__getattr__` of a package whose modules define these names.

    A module is written as within the package; `NAME as OTHER` gives a name under another one.
    `door` is the package that gives the names, where it is another one.
    """
    places = {
        given: (f"{package}.{module}", name)
        for module, names in homes.items()
        for name, _, other in (each.partition(" as ") for each in names)
        for given in [other or name]
    }

    def __getattr__(name: str) -> object:  # noqa: N807
        if name not in places:
            raise AttributeError(f"module {door or package!r} has no attribute {name!r}")
        module, own = places[name]
        found = getattr(import_module(module), own)
        setattr(sys.modules[door or package], name, found)
        return found

    return __getattr__
