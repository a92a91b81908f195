"""The paper's Figure 3: each term's share of negative sentiment, beside an even one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tiltmeter.report.embeddings.axis import Axis, axis_for
from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, line, rect, text, width_of
from tiltmeter.report.embeddings.rows import Row, lists_of, measured_terms
from tiltmeter.report.embeddings.units import per_cent
from tiltmeter.report.ratings.label import fitting

WIDE, STEP, TOP, FOOT = 330.0, 19.0, 30.0, 18.0
FARTHEST = 1.6
"""Whiskers go as far as so many times the longest bar."""
LONGEST, NUMBER = 104.0, 46.0
"""Widest name of a term; room for its number."""


def bar_pictures(material: EmbeddingMaterial, of: str) -> list[Picture]:
    """A panel for each embedding with shares, all with the same terms on the same scale."""
    rows = measured_terms(material, of)
    order = term_order(rows)
    names = width_of(max((fitting(t, LONGEST, 12) for t in order), key=width_of, default=""))
    drawn = [row for row in rows if row["share"] is not None]
    axis = axis_for([_reach(drawn)], names + 8, WIDE - NUMBER, many=3)
    found = dict.fromkeys(str(row["embedding"]) for row in drawn)
    return [
        _panel(material, of, name, [row for row in rows if row["embedding"] == name], order, axis)
        for name in found
    ]


def _reach(rows: Sequence[Row]) -> float:
    """As far as bars and whiskers go; a very long whisker is cut, or bars would be slivers."""
    longest = max((row["share"] for row in rows), default=0.0)
    ends = [row["share_high"] for row in rows if row["share_high"] is not None]
    return max(longest, min(max(ends, default=0.0), FARTHEST * longest))


def term_order(rows: Sequence[Row]) -> dict[str, str]:
    """Terms with their groups: group by group, the largest share over all embeddings first."""
    shares: dict[str, list[float]] = {}
    groups: dict[str, str] = {}
    for row in rows:
        groups.setdefault(str(row["term"]), str(row["group"] or ""))
        shares.setdefault(str(row["term"]), [])
        if row["share"] is not None:
            shares[str(row["term"])].append(row["share"])
    places = {group: nth for nth, group in enumerate(dict.fromkeys(groups.values()))}

    def place(term: str) -> tuple[int, float]:
        own = shares[term]
        return places[groups[term]], -(sum(own) / len(own)) if own else 0.0

    return {term: groups[term] for term in sorted(groups, key=place)}


def _panel(
    material: EmbeddingMaterial, of: str, name: str, rows: Sequence[Row], order: dict[str, str],
    axis: Axis,
) -> Picture:  # fmt: skip
    own = {str(row["term"]): row for row in rows}
    lines = [
        part
        for group, terms in groupby(order, key=order.__getitem__)
        for part in ([("", group)] if group else []) + [(term, "") for term in terms]
    ]
    tall = TOP + STEP * len(lines) + FOOT
    held = sum(row["share"] is not None for row in rows)
    parts = [_frame(axis, tall, held)]
    for nth, (term, group) in enumerate(lines):
        y = TOP + STEP * nth
        parts.append(
            text(0, y + 14, fitting(group, WIDE, 11), "soft")
            if group
            else _row(own[term], axis, y, 1 / held)
        )
    even = axis.at(1 / held)
    parts.append(line(even, TOP - 4, even, tall - FOOT, "even"))
    parts += [
        text(axis.start + 2, TOP + STEP * nth + 13, "not in the embedding", "soft label")
        for nth, (term, _) in enumerate(lines)
        if term and own[term]["share"] is None
    ]
    title = lists_of(material)[of]
    return Picture(
        name, f"Shares of {_polarity(material)} sentiment by term: {title}, {name}",
        _summary(rows, held), WIDE, tall, "".join(parts),
    )  # fmt: skip


def _polarity(material: EmbeddingMaterial) -> str:
    return str(material.run.get("polarity", "negative"))


def _frame(axis: Axis, tall: float, held: int) -> str:
    ticks = axis.ticks(3, times=100.0)
    lines = "".join(line(x, TOP - 4, x, tall - FOOT, "tick") for x, _ in ticks)
    texts = "".join(
        text(x, tall - 4, f"{words} %" if x == ticks[-1][0] else words, "soft mid")
        for x, words in ticks
    )
    even = axis.at(1 / held)
    return f"{lines}{texts}{text(even - 3, 13, f'even: {per_cent(1 / held)}', 'soft')}"


def _row(row: Row, axis: Axis, y: float, even: float) -> str:
    name = text(axis.start - 8, y + 13, fitting(str(row["term"]), LONGEST, 12), "end")
    if row["share"] is None:
        return name
    x, start = axis.at(row["share"]), axis.start
    kind = "above" if row["share"] > even else "below"
    bar = rect(start, y + 3, x - start, STEP - 6, f"bar {kind}")
    number = text(WIDE, y + 13, per_cent(row["share"]), "num end")
    if row["share_low"] is None or row["share_high"] is None:
        return f"{name}{bar}{number}"
    low, high = axis.at(row["share_low"]), axis.at(row["share_high"])
    whisker = line(low, y + STEP / 2, high, y + STEP / 2, "whisker")
    cut = text(high + 1, y + 13, "›", "num") if axis.beyond(row["share_high"]) else ""
    return f"{name}{bar}{whisker}{cut}{number}"


def _summary(rows: Sequence[Row], held: int) -> str:
    told = [
        f"{row['term']} {per_cent(row['share'])}"
        if row["share"] is not None
        else f"{row['term']} is not in the embedding"
        for row in sorted(rows, key=lambda row: -(row["share"] or 0.0))
    ]
    return f"Even would be {per_cent(1 / held)} each. {'; '.join(told)}."
