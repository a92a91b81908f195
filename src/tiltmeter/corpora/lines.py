"""Finding the line of a TOML file that a message should point at.

The standard TOML reader forgets where a value stood, so this looks for it in the text: first the
table's header, then the words in order from there. A near line is good enough for a person.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A corpus file as it stands on disk: its name for messages and its text."""

    path: Path
    text: str

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def at(self, header: str, *words: str, nth: int = 0) -> str:
        r"""The place `file:line` of the last word found after the nth such header.

        >>> Source(Path("c.toml"), '[corpus]\nname = "c"').at("[corpus]", "name")
        'c.toml:2'
        """
        headers = [n for n, line in enumerate(self._lines) if line.strip().startswith(header)]
        line = headers[nth] if nth < len(headers) else 0
        for word in words:
            line = self._next(word, line)
        return f"{self.path}:{line + 1}" if headers or words else str(self.path)

    def _next(self, word: str, start: int) -> int:
        """The next line that holds the word; a word in quotes may stand without them too."""
        for form in dict.fromkeys((word, word.strip('"'))):
            edge = r"\b" if form.isalnum() else ""
            wanted = re.compile(f"{edge}{re.escape(form)}{edge}")
            for number in range(start, len(self._lines)):
                if wanted.search(self._lines[number]):
                    return number
        return start
