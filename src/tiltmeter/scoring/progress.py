"""What a long run tells about itself; the command line shows it, the library stays silent."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears how scoring goes."""

    def begin(self, system: str, asks: int, known: int) -> None:
        """A system's turn begins: so many texts to ask, so many known already."""

    def advance(self, texts: int, missing: int) -> None:
        """So many more texts were answered, so many of them without a score."""

    def end(self, system: str) -> None:
        """A system's turn is over."""

    def keep(self, answers: int) -> None:
        """So many more answers are stored, and found by the same run again; below 0: fewer."""


class Silent:
    """Hears and says nothing."""

    def begin(self, system: str, asks: int, known: int) -> None:
        """Say nothing."""

    def advance(self, texts: int, missing: int) -> None:
        """Say nothing."""

    def end(self, system: str) -> None:
        """Say nothing."""

    def keep(self, answers: int) -> None:
        """Say nothing."""
