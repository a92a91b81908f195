"""What a registered system needs from other packages, and whether it is here."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from tiltmeter.errors import MissingExtraError
from tiltmeter.systems.catalogue import LISTED, Listing


def require(name: str) -> Listing:
    """The listing of a registered system, or the line that installs what it lacks."""
    listing = LISTED[name]
    if not listing.ready:
        raise MissingExtraError(f"what the system {name!r} needs", listing.extra)
    return listing


def versions(*distributions: str) -> str:
    """The installed versions, as a card states them: `afinn 0.1`."""
    return ", ".join(f"{name} {version(name)}" for name in distributions)


@contextmanager
def old_code_unremarked() -> Iterator[None]:
    """Keep from the user what Python says of another package's old code while it is imported."""
    with warnings.catch_warnings():
        for category in (DeprecationWarning, SyntaxWarning):
            warnings.simplefilter("ignore", category)
        yield
