"""What a page says and carries: its visible text, a line a block, and the data embedded in it.

Markup, styles and scripts may change while both stay the same. Text in folded sections and in
figures counts as visible: a reader can open it.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser

UNSEEN = ("script", "style", "template")
INLINE = frozenset([
    "a", "abbr", "b", "bdi", "bdo", "button", "cite", "code", "data", "em", "i", "kbd", "label",
    "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "text", "time", "tspan",
    "u", "var", "wbr",
])  # fmt: skip
"""Elements within a line of text; every other one begins a line."""
SPOKEN = ("aria-label", "alt", "title", "placeholder")
"""Attributes that a screen reader or a pointer shows."""


class PageReader(HTMLParser):
    """Collects the lines and the data of a page while it is parsed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.data: dict[str, object] = {}
        self._line: list[str] = []
        self._unseen: list[str] = []
        self._data_name = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, or what is not seen."""
        attributes = {name: value or "" for name, value in attrs}
        if tag in UNSEEN:
            self._unseen.append(tag)
            is_data = attributes.get("type", "").endswith("json")
            self._data_name = attributes.get("id", f"data-{len(self.data)}") if is_data else ""
            return
        if tag not in INLINE:
            self.end_line()
        self._line += [f"[{attributes[name]}]" for name in SPOKEN if attributes.get(name)]

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if self._unseen and tag == self._unseen[-1]:
            self._unseen.pop()
            self._data_name = ""
        elif tag not in INLINE:
            self.end_line()

    def handle_data(self, data: str) -> None:
        """Take in a text, or the data in it."""
        if self._data_name:
            self.data[self._data_name] = json.loads(data)
        elif not self._unseen:
            self._line.append(data)

    def end_line(self) -> None:
        """Keep the line, if it says anything."""
        if text := " ".join("".join(self._line).split()):
            self.lines.append(text)
        self._line = []


def read_page(html: str) -> tuple[str, dict[str, object]]:
    r"""The visible text of a page and what is embedded in it, by the id of its element.

    >>> data = '<script type="application/json" id="n">[1]</script>'
    >>> read_page(f"<h1>Do <b>they</b>?</h1><p>No.</p>{data}")
    ('Do they?\nNo.\n', {'n': [1]})
    """
    reader = PageReader()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return "".join(f"{line}\n" for line in reader.lines), reader.data
