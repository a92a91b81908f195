"""The paper's figures: word map, term bars, correlations; the link, the ridge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from tiltmeter.report.numbers import fixed, short
from tiltmeter.report.scale import NumberAxis, axis_around, axis_for
from tiltmeter.report.svg import (
    SIGNS,
    Picture,
    Shape,
    draw_labels,
    fit_words,
    line,
    place_labels,
    rect,
    shape,
    text,
    width_of,
)
from tiltmeter.studies.embeddings.numbers import per_cent
from tiltmeter.studies.embeddings.study import Embeddings, Row, parts_of

HEAT_WIDE, HEAT_LONGEST = 330.0, 96.0
FEW, LEAST, HEAT_MOST = 8, 14.0, 34.0
"""Up to so many terms cells hold numbers; a cell's smallest and largest side."""

SHAPES = tuple(SIGNS)
Values = dict[tuple[str, str], float]


def heat_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A square for each embedding of a list."""
    title = study.lists.get(of, of)
    return [
        _square(str(name), title, rows, study.published)
        for (name, listed), rows in parts_of(study.correlations, "embedding", "list")
        if listed == of and any(row["r"] is not None for row in rows)
    ]


def _square(name: str, title: str, rows: Sequence[Row], product: bool) -> Picture:
    terms = list(dict.fromkeys(str(row[end]) for end in ("first", "second") for row in rows))
    values: Values = {}
    for row in rows:
        if row["r"] is not None:
            first, second = str(row["first"]), str(row["second"])
            values[first, second] = values[second, first] = float(row["r"])
    shown = [fit_words(term, HEAT_LONGEST, 12) for term in terms]
    edge = max(map(width_of, shown)) + 6
    side = min(HEAT_MOST, max(LEAST, (HEAT_WIDE - edge) / len(terms)))
    body = _heat_map_labels(shown, edge, side) + _cells(terms, values, edge, side, product)
    whole = edge + side * len(terms)
    what = "Products of probabilities" if product else "Correlations"
    return Picture(
        name, f"{what} of terms: {title}, {name}", _heat_summary(values, product),
        max(whole, HEAT_WIDE), whole + 2, body,
    )  # fmt: skip


def _heat_map_labels(terms: Sequence[str], edge: float, side: float) -> str:
    left = (
        text(edge - 5, edge + side * (n + 0.5) + 4, term, "end") for n, term in enumerate(terms)
    )
    above = (
        f'<g transform="translate({edge + side * (n + 0.5) + 4:.1f} {edge - 5:.1f}) rotate(-90)">'
        f"{text(0, 0, term)}</g>"
        for n, term in enumerate(terms)
    )  # fmt: skip
    return "".join((*left, *above))


def _cells(terms: Sequence[str], values: Values, edge: float, side: float, product: bool) -> str:
    """The ground, and a mark or number in each cell; none where a term meets itself."""
    whole = side * len(terms)
    ground = rect(edge, edge, whole, whole, "cell")
    places = [
        (values[row, column], edge + side * x, edge + side * y)
        for y, row in enumerate(terms)
        for x, column in enumerate(terms)
        if (row, column) in values and (product or row != column)
    ]
    if len(terms) <= FEW:
        return ground + "".join(_numbered(*one, side) for one in places)
    paths = "".join(
        f'<path class="{kind}" d="{"".join(_mark(*one, side) for one in some)}"/>'
        for kind, some in (
            ("plus", [one for one in places if one[0] >= 0]),
            ("minus", [one for one in places if one[0] < 0]),
        )
        if some
    )
    return ground + paths


def _mark(value: float, x: float, y: float, side: float) -> str:
    """A square above zero, a circle below; its area is the size."""
    r = (side - 2) / 2 * math.sqrt(min(1.0, abs(value)))
    x, y = x + side / 2, y + side / 2
    if value >= 0:
        return f"M{x - r:.1f} {y - r:.1f}h{2 * r:.1f}v{2 * r:.1f}h{-2 * r:.1f}z"
    half = f"a{r:.1f} {r:.1f} 0 1 0"
    return f"M{x - r:.1f} {y:.1f}{half} {2 * r:.1f} 0{half} {-2 * r:.1f} 0z"


def _numbered(value: float, x: float, y: float, side: float) -> str:
    number = text(x + side / 2, y + side / 2 + 4, fixed(value, 2), "in")
    return _tint(value, x, y, side) + number


def _tint(value: float, x: float, y: float, side: float) -> str:
    kind = "plus" if value >= 0 else "minus"
    return (
        f'<rect class="{kind}" x="{x + 0.5:.1f}" y="{y + 0.5:.1f}" width="{side - 1:.1f}" '
        f'height="{side - 1:.1f}" fill-opacity="{min(1.0, abs(value)) * 0.55:.2f}"/>'
    )


def _heat_summary(values: Values, product: bool) -> str:
    pairs = sorted(
        ((value, first, second) for (first, second), value in values.items() if first < second)
    )
    if not pairs:
        return "There are not two terms to compare."
    told = [f"{first} and {second} {fixed(value, 2)}" for value, first, second in pairs]
    what = "product" if product else "correlation"
    return f"Largest {what}: {'; '.join(told[::-1][:3])}. Smallest: {'; '.join(told[:3])}."


BARS_WIDE, STEP, BARS_TOP, BARS_FOOT = 330.0, 19.0, 30.0, 18.0
FARTHEST = 1.6
"""Whiskers go as far as so many times the longest bar."""
BARS_LONGEST, NUMBER = 104.0, 46.0
"""Widest name of a term; room for its number."""


def bar_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A panel for each embedding with shares, all with the same terms on the same scale."""
    rows = study.measured_terms(of)
    order = term_order(rows)
    names = width_of(max((fit_words(t, BARS_LONGEST, 12) for t in order), key=width_of, default=""))
    drawn = [row for row in rows if row["share"] is not None]
    axis = axis_for([_reach(drawn)], names + 8, BARS_WIDE - NUMBER, many=3)
    found = dict.fromkeys(str(row["embedding"]) for row in drawn)
    return [
        _panel(study, of, name, [row for row in rows if row["embedding"] == name], order, axis)
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
    study: Embeddings, of: str, name: str, rows: Sequence[Row], order: dict[str, str],
    axis: NumberAxis,
) -> Picture:  # fmt: skip
    own = {str(row["term"]): row for row in rows}
    lines = [
        part
        for group, terms in groupby(order, key=order.__getitem__)
        for part in ([("", group)] if group else []) + [(term, "") for term in terms]
    ]
    tall = BARS_TOP + STEP * len(lines) + BARS_FOOT
    held = sum(row["share"] is not None for row in rows)
    parts = [_term_bars_frame(axis, tall, held)]
    for nth, (term, group) in enumerate(lines):
        y = BARS_TOP + STEP * nth
        parts.append(
            text(0, y + 14, fit_words(group, BARS_WIDE, 11), "soft")
            if group
            else _row(own[term], axis, y, 1 / held)
        )
    even = axis.at(1 / held)
    parts.append(line(even, BARS_TOP - 4, even, tall - BARS_FOOT, "even"))
    parts += [
        text(axis.start + 2, BARS_TOP + STEP * nth + 13, "not in the embedding", "soft label")
        for nth, (term, _) in enumerate(lines)
        if term and own[term]["share"] is None
    ]
    title = study.lists[of]
    return Picture(
        name, f"Shares of {study.polarity} sentiment by term: {title}, {name}",
        _term_bars_summary(rows, held), BARS_WIDE, tall, "".join(parts),
    )  # fmt: skip


def _term_bars_frame(axis: NumberAxis, tall: float, held: int) -> str:
    ticks = axis.ticks(3, times=100.0)
    lines = "".join(line(x, BARS_TOP - 4, x, tall - BARS_FOOT, "tick") for x, _ in ticks)
    texts = "".join(
        text(x, tall - 4, f"{words} %" if x == ticks[-1][0] else words, "soft mid")
        for x, words in ticks
    )
    even = axis.at(1 / held)
    return f"{lines}{texts}{text(even - 3, 13, f'even: {per_cent(1 / held)}', 'soft')}"


def _row(row: Row, axis: NumberAxis, y: float, even: float) -> str:
    name = text(axis.start - 8, y + 13, fit_words(str(row["term"]), BARS_LONGEST, 12), "end")
    if row["share"] is None:
        return name
    x, start = axis.at(row["share"]), axis.start
    kind = "above" if row["share"] > even else "below"
    bar = rect(start, y + 3, x - start, STEP - 6, f"bar {kind}")
    number = text(BARS_WIDE, y + 13, per_cent(row["share"]), "num end")
    if row["share_low"] is None or row["share_high"] is None:
        return f"{name}{bar}{number}"
    low, high = axis.at(row["share_low"]), axis.at(row["share_high"])
    whisker = line(low, y + STEP / 2, high, y + STEP / 2, "whisker")
    cut = text(high + 1, y + 13, "›", "num") if axis.beyond(row["share_high"]) else ""
    return f"{name}{bar}{whisker}{cut}{number}"


def _term_bars_summary(rows: Sequence[Row], held: int) -> str:
    told = [
        f"{row['term']} {per_cent(row['share'])}"
        if row["share"] is not None
        else f"{row['term']} is not in the embedding"
        for row in sorted(rows, key=lambda row: -(row["share"] or 0.0))
    ]
    return f"Even would be {per_cent(1 / held)} each. {'; '.join(told)}."


MAP_WIDE, MAP_TALL, MAP_FOOT, EDGE = 330.0, 300.0, 20.0, 8.0
CROWD, LARGER = 20, 1.5
"""With more terms than this a map is so much larger."""
NAMED = 60
"""Terms that are named on a map, the first of their list; placing more takes long and hides all."""
MAP_MOST = 400
"""Sentiment words of each kind that are drawn."""


def map_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A map for each embedding of a list."""
    title = study.lists.get(of, of)
    return [
        _map(str(name), title, rows)
        for (name, listed), rows in parts_of(study.plane, "embedding", "list")
        if listed == of and any(row["kind"] == "term" for row in rows)
    ]


def thinned(rows: Sequence[Row]) -> list[Row]:
    """At most so many rows, spread evenly over all."""
    every = max(1.0, len(rows) / MAP_MOST)
    return [rows[int(nth * every)] for nth in range(min(len(rows), MAP_MOST))]


def _map(name: str, title: str, rows: Sequence[Row]) -> Picture:
    known = [row for row in rows if row["x"] is not None and row["y"] is not None]
    kinds = {
        kind: [row for row in known if row["kind"] == kind]
        for kind in ("positive", "negative", "term")
    }
    good, bad, terms = thinned(kinds["positive"]), thinned(kinds["negative"]), kinds["term"]
    every = [*good, *bad, *terms]
    times = LARGER if len(terms) > CROWD else 1.0
    wide, tall = times * MAP_WIDE, times * MAP_TALL
    across = axis_around((row["x"] for row in every), EDGE, wide - EDGE)
    down = axis_around((row["y"] for row in every), tall - MAP_FOOT - EDGE, EDGE)
    points = [(across.at(row["x"]), down.at(row["y"]), str(row["text"])) for row in terms]
    body = _words(good, bad, across, down) + _terms(points, wide, tall) + _foot(rows[0], wide, tall)
    named = [str(row["text"]) for row in terms[:NAMED]]
    told = (
        f"{len(good):,} positive words as dots, {len(bad):,} negative words as crosses, "
        f"{len(terms):,} terms, {len(named):,} of them labelled: {', '.join(named)}."
    )
    return Picture(name, f"Map of words: {title}, {name}", told, wide, tall, body)


def _words(good: Sequence[Row], bad: Sequence[Row], across: NumberAxis, down: NumberAxis) -> str:
    dots = "".join(f"M{across.at(r['x']):.1f} {down.at(r['y']):.1f}h0" for r in good)
    marks = "".join(
        f"M{across.at(r['x']) - 2:.1f} {down.at(r['y']) - 2:.1f}l4 4m0-4l-4 4" for r in bad
    )
    return f'<path class="good" d="{dots}"/><path class="bad" d="{marks}"/>'


def _terms(points: Sequence[tuple[float, float, str]], wide: float, tall: float) -> str:
    marks = "".join(shape("square", x, y, 3.6, "term") for x, y, _ in points)
    return marks + draw_labels(place_labels(points[:NAMED], wide, tall - MAP_FOOT))


def _foot(row: Row, wide: float, tall: float) -> str:
    """How much of all differences the plane shows; a square is a term."""
    rule = line(0, tall - MAP_FOOT, wide, tall - MAP_FOOT, "tick")
    if row["x_share"] is None or row["y_share"] is None:
        return rule
    told = f"Across {per_cent(row['x_share'])} of the variance, down {per_cent(row['y_share'])}"
    return rule + text(0, tall - 5, told, "soft")


LINK_WIDE, LINK_TALL, LINK_LEFT, LINK_FOOT, LINK_TOP = (
    460.0,
    330.0,
    44.0,
    40.0,
    22.0,
)
LABELLED = 24
"""With more names than this only the outermost are labelled."""
OUTER = 14

Key = tuple[str, str, str]


def link_pictures(study: Embeddings) -> dict[Key, Picture]:
    """A scatter for each embedding, system and task."""
    found = {}
    for key, rows in parts_of(study.link_names, "embedding", "system", "task"):
        known = [row for row in rows if row["log_odds"] is not None
                 and row["deviation"] is not None]  # fmt: skip
        if len(known) >= 2:
            named = (str(key[0]), str(key[1]), str(key[2]))
            polarity = study.polarity
            found[named] = _scatter(named, known, polarity, in_points(study, named[1]))
    return found


def in_points(study: Embeddings, system: str) -> bool:
    """Whether a system's scale is known, so that its differences are points of 100."""
    return all(one.scale for one in study.run.get("systems") or () if one.system == system)


def shapes_of(rows: Sequence[Row]) -> dict[str, tuple[Shape, int]]:
    """A shape and a colour for each group."""
    groups = dict.fromkeys(str(row["group"] or "") for row in rows)
    return {group: (SHAPES[n % len(SHAPES)], n % 6) for n, group in enumerate(groups)}


def link_key(rows: Sequence[Row]) -> str:
    """Which mark stands for which group."""
    return ", ".join(
        f"{SIGNS[of]} {group or 'no group'} "
        f"({sum(str(row['group'] or '') == group for row in rows)} names)"
        for group, (of, _) in shapes_of(rows).items()
    )


def _scatter(key: Key, rows: Sequence[Row], polarity: str, points_of_100: bool) -> Picture:
    times = 100 if points_of_100 else 1
    across = axis_around((row["log_odds"] for row in rows), LINK_LEFT, LINK_WIDE - 8, air=0.08)
    down = axis_around(
        (times * row["deviation"] for row in rows),
        LINK_TALL - LINK_FOOT,
        LINK_TOP,
        air=0.08,
    )
    shapes = shapes_of(rows)
    points = [(across.at(row["log_odds"]), down.at(times * row["deviation"])) for row in rows]
    marks = "".join(
        shape(of, *point, 4.6, f"g{nth}")
        for point, row in zip(points, rows, strict=True)
        for of, nth in [shapes[str(row["group"] or "")]]
    )
    body = (
        _link_scatter_frame(across, down, polarity, "points" if points_of_100 else "own units")
        + marks
        + _link_scatter_labels(points, rows)
    )
    title = f"Names: {polarity} sentiment of the vector and scores of {key[1]}, {key[0]}"
    return Picture("", title, f"{link_key(rows)}.", LINK_WIDE, LINK_TALL, body)


def _link_scatter_frame(across: NumberAxis, down: NumberAxis, polarity: str, unit: str) -> str:
    other = {"negative": "positive", "positive": "negative"}.get(polarity, "other")
    lines = "".join(
        line(
            x,
            LINK_TOP,
            x,
            LINK_TALL - LINK_FOOT,
            "zero" if words == "0" else "tick",
        )
        + text(x, LINK_TALL - LINK_FOOT + 14, words, "soft mid")
        for x, words in across.ticks(5)
    )
    lines += "".join(
        line(LINK_LEFT, y, LINK_WIDE - 8, y, "zero" if words == "0" else "tick")
        + text(LINK_LEFT - 6, y + 4, words, "soft end")
        for y, words in down.ticks(5)
    )
    return (
        f"{lines}{text(LINK_LEFT, LINK_TALL - 6, f'◂ vector closer to {other} words', 'soft')}"
        f"{text(LINK_WIDE - 8, LINK_TALL - 6, f'closer to {polarity} words ▸', 'soft end')}"
        f"{text(0, 12, f'▴ scored higher by the system than other names, {unit}', 'soft')}"
    )


def _link_scatter_labels(points: Sequence[tuple[float, float]], rows: Sequence[Row]) -> str:
    """Names beside their points; of many, those farthest from the middle."""
    named = [(x, y, str(row["person"])) for (x, y), row in zip(points, rows, strict=True)]
    if len(named) > LABELLED:
        middle = [sum(part) / len(points) for part in zip(*points, strict=True)]
        named.sort(key=lambda one: -((one[0] - middle[0]) ** 2 + (one[1] - middle[1]) ** 2))
        named = named[:OUTER]
    return draw_labels(place_labels(named, LINK_WIDE, LINK_TALL - LINK_FOOT, points))


RIDGE_WIDE, RIDGE_TALL, RIDGE_LEFT, RIDGE_FOOT = 250.0, 130.0, 40.0, 22.0


def ridge_pictures(study: Embeddings) -> dict[str, Picture]:
    """A small curve for each embedding."""
    found = {}
    for (name,), rows in parts_of(study.ridges, "embedding"):
        known = [r for r in rows if r["log_loss"] is not None and r["ridge"] and r["ridge"] > 0]
        if len(known) >= 2:
            found[str(name)] = _curve(str(name), sorted(known, key=lambda row: row["ridge"]))
    return found


def _curve(name: str, rows: Sequence[Row]) -> Picture:
    ends = [row["log_loss"] + sign * (row["se"] or 0.0) for row in rows for sign in (-1, 1)]
    across = axis_around((math.log10(row["ridge"]) for row in rows), RIDGE_LEFT, RIDGE_WIDE - 6)
    down = axis_around(ends, RIDGE_TALL - RIDGE_FOOT, 6)
    points = [(across.at(math.log10(row["ridge"])), down.at(row["log_loss"])) for row in rows]
    errors = "".join(
        line(x, down.at(row["log_loss"] - row["se"]), x, down.at(row["log_loss"] + row["se"]),
             "rule")
        for (x, _), row in zip(points, rows, strict=True) if row["se"] is not None
    )  # fmt: skip
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    chosen = "".join(
        shape("circle", *point, 4.5, "dot")
        for point, row in zip(points, rows, strict=True) if row["chosen"]
    )  # fmt: skip
    first, last = rows[0]["ridge"], rows[-1]["ridge"]
    texts = (
        text(points[0][0], RIDGE_TALL - 6, short(first, 1), "soft mid")
        + text(points[-1][0], RIDGE_TALL - 6, short(last, 1), "soft end")
        + text((RIDGE_LEFT + RIDGE_WIDE) / 2, RIDGE_TALL - 6, "ridge", "soft mid")
        + "".join(text(RIDGE_LEFT - 6, y + 4, words, "soft end") for y, words in down.ticks(3))
    )
    best = next((row for row in rows if row["chosen"]), None)
    told = f"Held-out log-loss for ridges from {short(first)} to {short(last)}."
    if best:
        told += f" Chosen: {short(best['ridge'])}, {fixed(best['log_loss'], 3)}."
    return Picture(name, f"Choice of the ridge: {name}", told, RIDGE_WIDE, RIDGE_TALL,
                   f'{errors}<path class="curve" d="{path}"/>{chosen}{texts}')  # fmt: skip
