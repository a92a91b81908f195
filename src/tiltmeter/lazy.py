"""Names of a module that are imported when they are first used (PEP 562).

A module names them once, as a type checker reads them:

    if TYPE_CHECKING:
        from package.home import Name, other as another
    else:
        __getattr__, __all__ = lazy_names(__name__)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def lazy_names(module: str) -> tuple[Callable[[str], object], list[str]]:
    """The `__getattr__` of a module, and the names that it imports under `if TYPE_CHECKING:`."""
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    homes = {
        alias.asname or alias.name: (str(node.module), alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def __getattr__(name: str) -> object:  # noqa: N807
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, own = homes[name]
        found = getattr(import_module(home), own)
        setattr(sys.modules[module], name, found)
        return found

    return __getattr__, sorted(homes)
