"""A gate's answer in words, the same on the terminal, in pytest, in CI and in files.

A decision comes as plain records, as `findings.Decision.told` gives them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import category

from tiltmeter.report.numbers import POINTS, count, fixed, points
from tiltmeter.report.verdict_wording import deciding_told
from tiltmeter.report.wording import told_from_above

VERDICTS = {
    "tilted": "tilted",
    "undecided": "undecided",
    "no_signal": "no signal",
    "not_estimable": "not estimable",
}
LIMITS = "This holds for these margins, this corpus and this version of the system, no further."
SCORE_DIGITS = 3


Told = Mapping[str, Any]
"""A decision, one of its comparisons or a pair of sentences, as `Decision.told` gives them."""


def verdict_said(one: Told) -> str:
    """A verdict as people read it, always with its margin where it is even."""
    return VERDICTS.get(one["verdict"]) or f"even within {margin_said(one['margin'])}"


def margin_said(margin: float) -> str:
    """A margin in points of 100.

    >>> margin_said(0.01), margin_said(0.025), margin_said(0.00012)
    ('±1 point', '±2.5 points', '±0.012 points')
    """
    told = f"{margin * POINTS:.3g}"
    return f"±{told} {'point' if told == '1' else 'points'}"


def size_said(one: Told) -> str:
    """How much higher for whom: `3.0 points higher about women`; nothing where it is not known."""
    if one["value"] is None:
        return ""
    size = told_from_above(one["value"], *_ends(one), "scale")[0]
    told = f"{size} {'point' if size == '1' else 'points'}"
    if one.get("average") and one["value"] < 0:
        return f"{told} lower {one['about_first']}"
    return f"{told} higher {higher_said(one)}" if one["value"] else "0 points"


def higher_said(one: Told) -> str:
    """Whose sentences are scored higher: `about women`; nobody's where there is no difference."""
    if not one["value"]:
        return ""
    side = "first" if one["value"] > 0 else "second"
    return one[f"about_{side}"] or f"marked “{one[side]}”"


def interval_said(one: Told) -> str:
    """The 95 % interval, told from the side that is scored higher."""
    if one["value"] is None or one["low"] is None or one["high"] is None:
        return ""
    _, low, high = told_from_above(one["value"], one["low"], one["high"], "scale")
    return low if low == high else f"{low} to {high}"


def _ends(one: Told) -> tuple[float, float]:
    value = one["value"] or 0.0
    low, high = one["low"], one["high"]
    return (value if low is None else low), (value if high is None else high)


def deciding_said(one: Told) -> str:
    """What would decide an open comparison, or why it cannot be; nothing of a decided one.

    Of a tilted one that gives no signal, that.
    """
    if not one["open"]:
        return f"It gives no signal: {one['reason']}." if one["reason"] else ""
    if one["verdict"] != "undecided":
        return _sentence(one["reason"] or "there is nothing to compute it from")
    return _sentence(deciding_told({**one, "subset": "all"}).removeprefix("; "))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def pair_said(pair: Told) -> Iterator[str]:
    """A pair in two lines, each sentence after its score."""
    for text, score, n in (
        (pair["text_first"], pair["score_first"], pair["n_first"]),
        (pair["text_second"], pair["score_second"], pair["n_second"]),
    ):
        mean = f" (average of {n:,} like it)" if n > 1 else ""
        yield f"{fixed(score, SCORE_DIGITS)}  {text}{mean}"


def worst_said(one: Told) -> Iterator[str]:
    """The pairs that differ most, under a line that says so; nothing where none are known."""
    if not one["worst"]:
        return
    yield f"Pairs that differ most, of {one['system']}, {one['axis']} (scores from 0 to 1):"
    for pair in one["worst"]:
        yield from (f"  {line}" for line in pair_said(pair))
        yield f"    {points(pair['score_first'] - pair['score_second'])} points apart"


def name_said(one: Told) -> str:
    """What is compared: `vader, valence, eec: gender, female-male`."""
    return f"{one['system']}, {one['task']}, {one['corpus']}: {one['axis']}, {one['contrast']}"


def outcome_said(decision: Told) -> str:
    """The gate's answer in one line, last of everything."""
    found = Counter(_kind(one) for one in decision["comparisons"])
    parts = [f"{found[kind]:,} {kind}" for kind in _ORDER if found[kind]]
    let = " (let pass)" if decision["outcome"] == "pass" and _open(found) else ""
    many = count(len(decision["comparisons"]), "comparison")
    missing = decision.get("unavailable", ())
    without = f" Not judged, since it could not be scored: {', '.join(missing)}." * bool(missing)
    return f"Gate: {decision['outcome']}. Of {many}: {', '.join(parts)}{let}.{without}"


_EVEN = "even within the margin"
_ORDER = ("tilted", "undecided", "no signal", "not estimable", _EVEN)


def _kind(one: Told) -> str:
    return VERDICTS.get(one["verdict"], _EVEN)


def _open(found: Counter[str]) -> bool:
    return any(found[kind] for kind in _ORDER[1:-1])


def gate_text(decision: Told) -> str:
    """The whole answer as plain text: the outcome, then what keeps it from passing."""
    lines = [outcome_said(decision)]
    for one in decision["comparisons"]:
        if one["open"] or one["verdict"] == "tilted":
            lines += ["", *map(_harmless, _told(one))]
    return "\n".join(lines)


def _harmless(line: str) -> str:
    """A line without terminal escapes or line ends, which a system's name or a text may hold."""
    hidden = (letter if category(letter) != "Cc" else ascii(letter)[1:-1] for letter in line)
    return "".join(hidden)


def _told(one: Told) -> Iterator[str]:
    yield f"{name_said(one)}: {verdict_said(one)}"
    size, spread = size_said(one), interval_said(one)
    if size:
        sure = f", 95 % interval {spread}" if " to " in spread else ""
        yield f"  {size}{sure}; margin {margin_said(one['margin'])}"
    if deciding := deciding_said(one):
        yield f"  {deciding}"
    yield from (f"  {line}" for line in worst_said(one))
