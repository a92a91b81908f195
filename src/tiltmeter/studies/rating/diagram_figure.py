"""A causal diagram as inline SVG, and what a system's tests say of its arrows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from math import hypot

from tiltmeter.report import phrases
from tiltmeter.report.phrases import shortened
from tiltmeter.studies.rating import wording
from tiltmeter.studies.rating.answer import about
from tiltmeter.studies.rating.diagram import SENTIMENT, WORD
from tiltmeter.studies.rating.groups import Measure
from tiltmeter.studies.rating.rated_systems import Row, SystemRatings
from tiltmeter.studies.rating.study import Ratings
from tiltmeter.studies.rating.wording import ArrowKind

NARROW, BROAD, TALL, STEP, HALF = 340.0, 460.0, 190.0, 58.0, 15.0
"""Two and three columns wide; the least height; nodes' distance; half of a node's height."""
ALONG = (0.36, 0.52, 0.26)
"""How far along an arrow its label stands, by turns, so that labels do not meet."""
LETTER, WIDEST = 6.9, 21
"""Width of a letter; letters of a node."""

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Arrow:
    """What is known of an arrow, in short and in words."""

    kind: ArrowKind
    short: str
    words: str


@dataclass(frozen=True, slots=True)
class Node:
    """Where a node stands; nobody recorded a hidden one, and nothing causes a first one."""

    name: str
    x: float
    y: float
    wide: float
    hidden: bool = False
    first: bool = False


def edges_of(texts: Sequence[str]) -> list[Edge]:
    """Arrows read from text.

    >>> edges_of(["gender -> sentiment"])
    [('gender', 'sentiment')]
    """
    pairs = (text.split("->", 1) for text in texts)
    return [(first.strip(), second.strip()) for first, second in pairs]


def plain_arrow(edge: Edge) -> Arrow:
    """An arrow that no test is about."""
    if edge == (WORD, SENTIMENT):
        return Arrow(ArrowKind.WANTED, "desired", "desired: words should decide the score")
    if edge[1] == WORD:
        return Arrow(ArrowKind.DECIDES, "", "decides which words a sentence has")
    return Arrow(ArrowKind.OPEN, "", "not tested")


def diagram_svg(
    edges: Sequence[Edge], arrows: Mapping[Edge, Arrow], unobserved: Sequence[str] = ()
) -> str:
    """The diagram, its arrows marked by result; whoever cannot see it gets it in words."""
    known = {edge: arrows.get(edge) or plain_arrow(edge) for edge in edges}
    nodes = layout(edges, unobserved)
    wide = width_of(edges)
    tall = max((node.y for node in nodes.values()), default=TALL) + HALF + 4
    words = "; ".join(f"{a} → {b}: {known[a, b].words}" for a, b in edges)
    parts = [
        f'<svg class="dag{" broad" * (wide > NARROW)}" role="img" viewBox="0 0 {wide:g} {tall:g}" '
        f'aria-label="Causal diagram. {_safe(words)}">'
    ]
    turns = cycle(ALONG)
    along = {
        edge: next(turns) if edge[1] == SENTIMENT and edge[0] != WORD else 0.45 for edge in edges
    }
    parts += [_arrow(edge, known[edge], nodes, along[edge]) for edge in edges]
    for node in nodes.values():
        parts.append(
            f'<g class="{"node hidden" if node.hidden else "node"}">'
            f'<rect x="{node.x - node.wide / 2:.1f}" y="{node.y - HALF:.1f}" '
            f'width="{node.wide:.1f}" height="{2 * HALF:g}" rx="{HALF:g}"/>'
            f'<text x="{node.x:.1f}" y="{node.y + 4.5:.1f}">{_safe(shortened(node.name, WIDEST))}'
            "</text></g>"
        )
    return "".join(parts) + "</svg>"


def layout(edges: Sequence[Edge], unobserved: Sequence[str] = ()) -> dict[str, Node]:
    """Where nodes stand: those without a cause left, what comes between in the middle."""
    left, middle = _inner(edges)
    tall = max(TALL, STEP * (max(len(left), len(middle) + 1)) + 2 * HALF)
    names = {name for edge in edges for name in edge}
    right = {WORD: HALF + 4, SENTIMENT: tall - HALF - 4}
    columns = (
        (0.0, {name: tall * (nth + 1) / (len(left) + 1) for nth, name in enumerate(left)}),
        # above the arrows that lead down to sentiment
        (0.5, {name: tall * (0.27 + 0.3 * nth) for nth, name in enumerate(middle)}),
        (1.0, {name: y for name, y in right.items() if name in names}),
    )
    nodes = {}
    for at, heights in columns:  # 0 for the left end and 1 for the right
        wide = {name: LETTER * len(shortened(name, WIDEST)) + 22 for name in heights}
        widest = max(wide.values(), default=0.0)
        x = 4 + widest / 2 + at * (width_of(edges) - 8 - widest)
        for name, y in heights.items():
            # at the left end in one line, so that no arrow from one runs through another
            aside = 0.0 if at else (widest - wide[name]) / 2
            nodes[name] = Node(name, x + aside, y, wide[name], name in unobserved, not at)
    return nodes


def width_of(edges: Sequence[Edge]) -> float:
    """The drawing's width: broader where something comes between."""
    return BROAD if _inner(edges)[1] else NARROW


def _inner(edges: Sequence[Edge]) -> tuple[list[str], list[str]]:
    """The nodes besides word and score: those without a cause, and those with one."""
    names = dict.fromkeys(name for edge in edges for name in edge if name not in (WORD, SENTIMENT))
    caused = {second for _, second in edges}
    return [n for n in names if n not in caused], [n for n in names if n in caused]


def _arrow(edge: Edge, arrow: Arrow, nodes: Mapping[str, Node], along: float) -> str:
    start, end = nodes[edge[0]], nodes[edge[1]]
    others = [node for name, node in nodes.items() if name not in edge]
    bend = _bend(start, end, others)
    straight = bend == ((start.x + end.x) / 2, (start.y + end.y) / 2)
    x1, y1 = (start.x + start.wide / 2 + 2, start.y) if start.first else _leaving(start, *bend)
    x2, y2 = _leaving(end, *((x1, y1) if straight else bend), 9.0)
    bend = ((x1 + x2) / 2, (y1 + y2) / 2) if straight else bend
    xm, ym = (
        (1 - along) ** 2 * first + 2 * along * (1 - along) * control + along**2 * last
        for first, control, last in zip((x1, y1), bend, (x2, y2), strict=True)
    )
    label, wide = "", 6.8 * len(arrow.short) + 6
    if arrow.short:
        label = (
            f'<rect x="{xm - wide / 2:.1f}" y="{ym - 8:.1f}" width="{wide:.1f}" height="16"/>'
            f'<text x="{xm:.1f}" y="{ym + 4:.1f}">{_safe(arrow.short)}</text>'
        )
    dx, dy = x2 - bend[0], y2 - bend[1]
    size = hypot(dx, dy) or 1.0
    dx, dy = dx / size, dy / size
    tip = x2 + 8 * dx, y2 + 8 * dy
    sides = ((x2 - s * 4.5 * dy, y2 + s * 4.5 * dx) for s in (1, -1))
    head = " ".join(f"{a:.1f},{b:.1f}" for a, b in (tip, *sides))
    return (
        f'<g class="arrow {arrow.kind}"><path d="M{x1:.1f} {y1:.1f}Q{bend[0]:.1f} {bend[1]:.1f} '
        f'{x2:.1f} {y2:.1f}"/><polygon points="{head}"/>{label}</g>'
    )


def _bend(start: Node, end: Node, others: Sequence[Node]) -> tuple[float, float]:
    """The middle of an arrow, moved aside where it would run through a node."""
    x, y = (start.x + end.x) / 2, (start.y + end.y) / 2
    length = hypot(end.x - start.x, end.y - start.y) or 1.0
    for node in others:
        across = (node.x - start.x) * (end.y - start.y) - (node.y - start.y) * (end.x - start.x)
        inside = min(start.x, end.x) < node.x < max(start.x, end.x)
        if inside and abs(across) / length < 1.8 * HALF:
            side = 1 if node.y <= y else -1
            return x, y + side * 3.2 * HALF
    return x, y


def _leaving(node: Node, x: float, y: float, gap: float = 2.0) -> tuple[float, float]:
    """Where a line from a node towards a point leaves it."""
    dx, dy = x - node.x, y - node.y
    size = hypot(dx, dy) or 1.0
    reach = min(
        (node.wide / 2) / abs(dx) if dx else float("inf"), HALF / abs(dy) if dy else float("inf")
    )
    reach = min(reach, 1.0) + gap / size
    return node.x + reach * dx, node.y + reach * dy


def _safe(text: str) -> str:
    return escape(text, quote=True)


def arrow_results(
    study: Ratings, rated: SystemRatings, columns: Sequence[Row], edges: Sequence[Edge]
) -> dict[Edge, Arrow]:
    """The tested arrows of one group's diagram, into sentiment.

    Each by its own column, or else by the composite about the fewest attributes.
    """
    results = column_results(study, rated, columns)
    arrows = {}
    for edge in edges:
        named = [(phrases.attributes(about(row)), str(row["column"])) for row in columns]
        own = [(len(parts), name) for parts, name in named if edge[0] in parts]
        if edge[1] == SENTIMENT and own and min(own)[1] in results:
            arrows[edge] = results[min(own)[1]]
    return arrows


def column_results(
    study: Ratings, rated: SystemRatings, columns: Sequence[Row]
) -> dict[str, Arrow]:
    """By column: the result of its tests or of its adjustment."""
    return {
        str(row["column"]): _result(study, rated, rated.columns[row["column"]])
        for row in columns
        if row["column"] in rated.columns
    }


def _result(study: Ratings, rated: SystemRatings, row: Row) -> Arrow:
    """Marked by chance where it is known, else by the confidence that tests reach."""
    if row["psi"] is None and not row["x"]:
        reason = f"not rated: {row['reason'] or 'no raw score'}"
        return Arrow(ArrowKind.OPEN, "not rated", reason)
    if row["measure"] != Measure.WRS:
        size = phrases.moved(None if row["x"] else row["psi"])
        return Arrow(wording.arrow_kind(row), size, wording.adjusted(row))
    levels = study.confidence
    tests = rated.tests.get(row["column"], ())
    rejected = [one["rejected"] for one in tests if one["rejected"] is not None]
    sure = sum(many >= len(levels) for many in rejected)
    some = sum(0 < many < len(levels) for many in rejected)
    words = wording.by_tests(sure or some, len(rejected), levels, certain=bool(sure))
    if not sure and not some:
        return Arrow(ArrowKind.NONE, "none", words)
    kind = ArrowKind.FOUND if sure else ArrowKind.SOME
    if row.get("p") is not None or row.get("by_chance") is not None:
        kind = wording.arrow_kind(row)
    size = f"raw score {phrases.weight(row['psi'])}"
    return Arrow(kind, size, f"{words}{wording.in_brackets(row)}")
