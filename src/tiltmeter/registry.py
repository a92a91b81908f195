"""Names and what they stand for: one line adds a corpus, a system or a measure.

A target is a callable or the text `package.module:attribute`, imported only when the name is
used. Other packages add theirs through an entry point in the registry's group:

    [project.entry-points."tiltmeter.corpora"]
    my-corpus = "my_package:corpus_path"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from tiltmeter.errors import TiltmeterError, UnknownNameError

Factory = Callable[..., Any]


class Registry:
    """One kind of named thing, built-in names first, then those of installed plug-ins."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        self._built_in: dict[str, Factory | str] = {}

    def register(self, name: str, target: Factory | str) -> None:
        """Add a name; a name can be taken only once."""
        if name in self._built_in:
            raise TiltmeterError(f"a {self.kind} called {name!r} is registered already")
        self._built_in[name] = target

    def get(self, name: str, hint: str = "") -> Factory:
        """Return the factory behind a name, or say which names come near."""
        if name in self._built_in:
            return _resolve(self._built_in[name])
        if name in self._plug_ins:
            return self._load(self._plug_ins[name])
        raise UnknownNameError(self.kind, name, self, hint)

    @cached_property
    def _plug_ins(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group)}

    def _load(self, point: EntryPoint) -> Factory:
        """Import a plug-in; whatever it raises becomes one clear message naming it."""
        try:
            loaded = point.load()
        except Exception as error:
            raise TiltmeterError(
                f"the {self.kind} {point.name!r} comes from the plug-in {point.value!r}, "
                f"which failed to load: {error!r}; repair or uninstall that package"
            ) from error
        if not callable(loaded):
            raise TiltmeterError(
                f"the plug-in {point.value!r} must be callable to serve as {self.kind} "
                f"{point.name!r}; found {type(loaded).__name__}"
            )
        return loaded  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        yield from self._built_in
        yield from (name for name in sorted(self._plug_ins) if name not in self._built_in)

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._plug_ins


def _resolve(target: Factory | str) -> Factory:
    if not isinstance(target, str):
        return target
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]
