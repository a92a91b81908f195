"""What an interrupted command says of the answers it has stored so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltmeter.scoring import Progress


@dataclass
class AnswersKept:
    """How many answers this command has stored, and whether it would use them again."""

    answers: int = 0
    anew: bool = False
    """Whether it was told to ask everything anew."""

    def __str__(self) -> str:
        """What follows "interrupted": nothing where nothing was stored.

        >>> str(AnswersKept()), str(AnswersKept(1280))
        ('', '; 1,280 answers so far are kept, and the same command goes on from there')
        """
        if not self.answers:
            return ""
        many = "1 answer" if self.answers == 1 else f"{self.answers:,} answers"
        kept = f"; {many} so far {'is' if self.answers == 1 else 'are'} kept"
        if self.anew:
            return f"{kept}: the same command without --reuse never goes on from there"
        return f"{kept}, and the same command goes on from there"


KEPT = AnswersKept()
"""Of the command that runs in this process."""


class CountsKept:
    """Progress that also counts what is stored; the rest is shown by another."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        KEPT.answers = 0

    def begin(self, system: str, asks: int, known: int) -> None:
        """A system's turn begins."""
        self._shown.begin(system, asks, known)

    def advance(self, texts: int, missing: int) -> None:
        """So many more texts were answered."""
        self._shown.advance(texts, missing)

    def end(self, system: str) -> None:
        """A system's turn is over."""
        self._shown.end(system)

    def keep(self, answers: int) -> None:
        """So many more answers are stored, or fewer."""
        KEPT.answers = max(KEPT.answers + answers, 0)
