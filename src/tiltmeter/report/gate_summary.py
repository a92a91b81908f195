"""A gate's answer as GitHub-flavoured Markdown, for a step's summary or a comment."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tiltmeter.report.gate_wording import (
    LIMITS,
    Told,
    axis_said,
    bound_said,
    deciding_said,
    interval_said,
    outcome_said,
    size_said,
    verdict_said,
)
from tiltmeter.report.numbers import fixed, points

HEADER = ("verdict", "system", "task", "corpus", "compared", "found", "95 % interval", "held to")
SHOWN = 200
"""Rows of the table; a summary of GitHub holds 1 MiB."""
LONGEST = 300
"""Letters of one text."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$@:&<>])")


def gate_markdown(decision: Told) -> str:
    """The outcome, a table of what was judged, and what is behind what did not pass."""
    lines = [f"## Tiltmeter: {decision['outcome']}", "", plain(outcome_said(decision)), ""]
    lines += [_row(HEADER), _row(["---"] * len(HEADER))]
    ordered = sorted(
        decision["comparisons"], key=lambda one: (one["verdict"] != "tilted", not one["open"])
    )
    lines += [_row(_cells(one)) for one in ordered[:SHOWN]]
    if len(ordered) > SHOWN:
        lines += ["", f"… and {len(ordered) - SHOWN:,} more."]
    for one in ordered[:SHOWN]:
        lines += _behind(one)
    return "\n".join([*lines, "", LIMITS, ""])


def plain(text: str) -> str:
    """Text that Markdown and HTML take as text, on one line.

    >>> plain("a|b <i>`x`")
    'a&#124;b &lt;i&gt;&#96;x&#96;'
    """
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    visible = "".join(letter if _visible(letter) else " " for letter in cut)
    return _SPECIAL.sub(_entity, " ".join(visible.split(" ")).strip())


def _visible(letter: str) -> bool:
    return unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _entity(found: re.Match[str]) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    harmless = ".-():+!"
    letter = found[0]
    return letter if letter in harmless else named.get(letter, f"&#{ord(letter)};")


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(one: Told) -> list[str]:
    share = one.get("limit") is not None
    compared = axis_said(one) if share else f"{axis_said(one)}, {one['contrast']}"
    told = (one["system"], one["task"], one["corpus"], compared, size_said(one), interval_said(one))
    verdict = f"**{verdict_said(one)}**" if one["verdict"] == "tilted" else verdict_said(one)
    return [verdict, *map(plain, told), bound_said(one)]


def _behind(one: Told) -> Iterator[str]:
    """A tilted comparison's worst pairs, or what would decide an open one."""
    if why := deciding_said(one):
        yield from ("", f"**{plain(one['system'])}, {plain(axis_said(one))}**: {plain(why)}")
    if one["worst"]:
        said = plain(one["sentence"] or f"{one['system']}, {one['axis']}: {size_said(one)}")
        yield from ("", said, "", _row(["score", "sentence", "score", "sentence", "points apart"]))
        yield _row(["---"] * 5)
        yield from map(_pair, one["worst"])


def _pair(pair: Told) -> str:
    apart = points(pair["score_first"] - pair["score_second"])
    first, second = (fixed(score, 3) for score in (pair["score_first"], pair["score_second"]))
    return _row([first, plain(pair["text_first"]), second, plain(pair["text_second"]), apart])
