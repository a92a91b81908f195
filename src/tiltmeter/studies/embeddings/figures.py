"""The paper's figures: correlations, term bars, word map; the link, the ridge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from tiltmeter.ranking import coarsen
from tiltmeter.report.numbers import fixed, short
from tiltmeter.report.scale import axis_around, axis_for
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
NUMBERED, LEAST, HEAT_MOST = 8, 14.0, 34.0
"""Up to so many terms cells hold numbers; a cell's smallest and largest side."""


def heat_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A square for each embedding of a list: how its terms go together."""
    title, product = study.lists.get(of, of), study.published
    what = "Products of probabilities" if product else "Correlations"
    found = []
    for (name, listed), rows in parts_of(study.correlations, "embedding", "list"):
        values: dict[tuple[str, str], float] = {}
        for row in rows:
            if row["r"] is not None:
                first, second = row["first"], row["second"]
                values[first, second] = values[second, first] = row["r"]
        if listed != of or not values:
            continue
        terms = list(dict.fromkeys(row[end] for end in ("first", "second") for row in rows))
        labels = [fit_words(term, HEAT_LONGEST, 12) for term in terms]
        edge = max(map(width_of, labels)) + 6
        side = min(HEAT_MOST, max(LEAST, (HEAT_WIDE - edge) / len(terms)))
        whole = edge + side * len(terms)
        middles = [edge + side * (nth + 0.5) + 4 for nth in range(len(terms))]
        parts = [text(edge - 5, y, term, "end") for y, term in zip(middles, labels, strict=True)]
        parts += [
            f'<g transform="translate({x:.1f} {edge - 5:.1f}) rotate(-90)">{text(0, 0, term)}</g>'
            for x, term in zip(middles, labels, strict=True)
        ]
        parts.append(rect(edge, edge, side * len(terms), side * len(terms), "cell"))
        cells = [
            (values[row, column], edge + side * x, edge + side * y)
            for y, row in enumerate(terms)
            for x, column in enumerate(terms)
            if (row, column) in values and (product or row != column)
        ]
        if len(terms) <= NUMBERED:
            parts += [
                f'<rect class="{"plus" if value >= 0 else "minus"}" x="{x + 0.5:.1f}" '
                f'y="{y + 0.5:.1f}" width="{side - 1:.1f}" height="{side - 1:.1f}" '
                f'fill-opacity="{min(1.0, abs(value)) * 0.55:.2f}"/>'
                f"{text(x + side / 2, y + side / 2 + 4, fixed(value, 2), 'in')}"
                for value, x, y in cells
            ]
        else:  # a square above zero, a circle below; its area is the size
            paths: dict[str, str] = {"plus": "", "minus": ""}
            for value, left, top in cells:
                r = (side - 2) / 2 * math.sqrt(min(1.0, abs(value)))
                x, y = left + side / 2, top + side / 2
                half = f"a{r:.1f} {r:.1f} 0 1 0"
                if value >= 0:
                    outline = f" {y - r:.1f}h{2 * r:.1f}v{2 * r:.1f}h{-2 * r:.1f}z"
                else:
                    outline = f" {y:.1f}{half} {2 * r:.1f} 0{half} {-2 * r:.1f} 0z"
                paths["plus" if value >= 0 else "minus"] += f"M{x - r:.1f}{outline}"
            parts += [f'<path class="{kind}" d="{path}"/>' for kind, path in paths.items() if path]
        pairs = sorted(
            ((value, *pair) for pair, value in values.items() if pair[0] < pair[1]),
            key=lambda pair: (coarsen(pair[0]), *pair[1:]),
        )
        sizes = [f"{first} and {second} {fixed(value, 2)}" for value, first, second in pairs]
        summary = (
            f"Largest {'product' if product else 'correlation'}: {'; '.join(sizes[::-1][:3])}. "
            f"Smallest: {'; '.join(sizes[:3])}."
            if pairs
            else "There are not two terms to compare."
        )
        found.append(
            Picture(name, f"{what} of terms: {title}, {name}", summary, max(whole, HEAT_WIDE),
                    whole + 2, "".join(parts))
        )  # fmt: skip
    return found


BARS_WIDE, STEP, BARS_TOP, BARS_FOOT = 330.0, 19.0, 30.0, 18.0
FARTHEST = 1.6
"""Whiskers go as far as so many times the longest bar; a longer one is cut, or bars would be
slivers."""
BARS_LONGEST, NUMBER = 104.0, 46.0
"""Widest name of a term; room for its number."""


def bar_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A panel for each embedding with shares, all with the same terms on the same scale."""
    rows = study.measured_terms(of)
    known = [row for row in rows if row["share"] is not None]
    order = term_order(rows)
    names = width_of(max((fit_words(t, BARS_LONGEST, 12) for t in order), key=width_of, default=""))
    longest = max((row["share"] for row in known), default=0.0)
    ends = [row["share_high"] for row in known if row["share_high"] is not None]
    reach = max(longest, min(max(ends, default=0.0), FARTHEST * longest))
    axis = axis_for([reach], names + 8, BARS_WIDE - NUMBER, many=3)
    ticks, start = axis.ticks(3, times=100.0), axis.start
    lines = [  # a term, or a group's heading
        part
        for group, terms in groupby(order, key=order.__getitem__)
        for part in ([("", group)] if group else []) + [(term, "") for term in terms]
    ]
    tall = BARS_TOP + STEP * len(lines) + BARS_FOOT
    found = []
    for name in dict.fromkeys(row["embedding"] for row in known):
        own = {row["term"]: row for row in rows if row["embedding"] == name}
        even = 1 / sum(row["share"] is not None for row in own.values())
        parts = [line(x, BARS_TOP - 4, x, tall - BARS_FOOT, "tick") for x, _ in ticks]
        parts += [
            text(x, tall - 4, f"{words} %" if x == ticks[-1][0] else words, "soft mid")
            for x, words in ticks
        ]
        parts.append(text(axis.at(even) - 3, 13, f"even: {per_cent(even)}", "soft"))
        missing = []
        for nth, (term, group) in enumerate(lines):
            y = BARS_TOP + STEP * nth
            if group:
                parts.append(text(0, y + 14, fit_words(group, BARS_WIDE, 11), "soft"))
                continue
            share, low, high = (own[term][key] for key in ("share", "share_low", "share_high"))
            parts.append(text(start - 8, y + 13, fit_words(term, BARS_LONGEST, 12), "end"))
            if share is None:
                missing.append(text(start + 2, y + 13, "not in the embedding", "soft label"))
                continue
            kind = "bar above" if share > even else "bar below"
            parts.append(rect(start, y + 3, axis.at(share) - start, STEP - 6, kind))
            if low is not None and high is not None:
                end, middle = axis.at(high), y + STEP / 2
                parts.append(line(axis.at(low), middle, end, middle, "whisker"))
                parts += [text(end + 1, y + 13, "›", "num")] if axis.beyond(high) else []
            parts.append(text(BARS_WIDE, y + 13, per_cent(share), "num end"))
        parts.append(line(axis.at(even), BARS_TOP - 4, axis.at(even), tall - BARS_FOOT, "even"))
        shares = "; ".join(
            f"{row['term']} is not in the embedding" if row["share"] is None
            else f"{row['term']} {per_cent(row['share'])}"
            for row in sorted(own.values(), key=lambda row: -coarsen(row["share"] or 0.0))
        )  # fmt: skip
        found.append(
            Picture(
                name, f"Shares of {study.polarity} sentiment by term: {study.lists[of]}, {name}",
                f"Even would be {per_cent(even)} each. {shares}.", BARS_WIDE, tall,
                "".join(parts + missing),
            )
        )  # fmt: skip
    return found


def term_order(rows: Sequence[Row]) -> dict[str, str]:
    """Terms with their groups: group by group, the largest share over all embeddings first."""
    shares: dict[str, list[float]] = {}
    groups: dict[str, str] = {}
    for row in rows:
        groups.setdefault(row["term"], row["group"] or "")
        own = shares.setdefault(row["term"], [])
        if row["share"] is not None:
            own.append(row["share"])
    places = {group: nth for nth, group in enumerate(dict.fromkeys(groups.values()))}

    def place(term: str) -> tuple[int, float]:
        own = shares[term]
        return places[groups[term]], -coarsen(sum(own) / len(own)) if own else 0.0

    return {term: groups[term] for term in sorted(groups, key=place)}


MAP_WIDE, MAP_TALL, MAP_FOOT, EDGE = 330.0, 300.0, 20.0, 8.0
CROWD, LARGER = 20, 1.5
"""With more terms than this a map is so much larger."""
NAMED = 60
"""Terms that are named on a map, the first of their list; placing more takes long and hides all."""
MAP_MOST = 400
"""Sentiment words of each kind that are drawn."""


def map_pictures(study: Embeddings, of: str) -> list[Picture]:
    """A map for each embedding of a list."""
    found = []
    for (name, listed), rows in parts_of(study.plane, "embedding", "list"):
        if listed != of or not any(row["kind"] == "term" for row in rows):
            continue
        known = [row for row in rows if row["x"] is not None and row["y"] is not None]
        good, bad, terms = (
            [row for row in known if row["kind"] == kind]
            for kind in ("positive", "negative", "term")
        )
        good, bad = thinned(good), thinned(bad)
        every = [*good, *bad, *terms]
        times = LARGER if len(terms) > CROWD else 1.0
        wide, tall = times * MAP_WIDE, times * MAP_TALL
        across = axis_around((row["x"] for row in every), EDGE, wide - EDGE)
        down = axis_around((row["y"] for row in every), tall - MAP_FOOT - EDGE, EDGE)
        dots, crosses, points = (
            [(across.at(row["x"]), down.at(row["y"])) for row in some]
            for some in (good, bad, terms)
        )
        dot_path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in dots)
        cross_path = "".join(f"M{x - 2:.1f} {y - 2:.1f}l4 4m0-4l-4 4" for x, y in crosses)
        named = [str(row["text"]) for row in terms[:NAMED]]
        labels = [(*point, name) for point, name in zip(points, named, strict=False)]
        parts = [
            f'<path class="good" d="{dot_path}"/><path class="bad" d="{cross_path}"/>',
            *(shape("square", *point, 3.6, "term") for point in points),
            draw_labels(place_labels(labels, wide, tall - MAP_FOOT)),
            line(0, tall - MAP_FOOT, wide, tall - MAP_FOOT, "tick"),
        ]
        shares = rows[0]["x_share"], rows[0]["y_share"]
        if None not in shares:
            foot = "Across {} of the variance, down {}".format(*map(per_cent, shares))
            parts.append(text(0, tall - 5, foot, "soft"))
        summary = (
            f"{len(good):,} positive words as dots, {len(bad):,} negative words as crosses, "
            f"{len(terms):,} terms, {len(named):,} of them labelled: {', '.join(named)}."
        )
        title = f"Map of words: {study.lists.get(of, of)}, {name}"
        found.append(Picture(name, title, summary, wide, tall, "".join(parts)))
    return found


def thinned(rows: Sequence[Row]) -> list[Row]:
    """At most so many rows, spread evenly over all."""
    every = max(1.0, len(rows) / MAP_MOST)
    return [rows[int(nth * every)] for nth in range(min(len(rows), MAP_MOST))]


LINK_WIDE, LINK_TALL, LINK_LEFT, LINK_FOOT, LINK_TOP = 460.0, 330.0, 44.0, 40.0, 22.0
LABELLED, OUTER = 24, 14
"""With more names than this only so many, the outermost, are labelled."""


def link_pictures(study: Embeddings) -> dict[tuple[str, str, str], Picture]:
    """A scatter for each embedding, system and task."""
    polarity = study.polarity
    other = {"negative": "positive", "positive": "negative"}.get(polarity, "other")
    bottom, right = LINK_TALL - LINK_FOOT, LINK_WIDE - 8
    found = {}
    for key, every in parts_of(study.link_names, "embedding", "system", "task"):
        rows = [row for row in every if None not in (row["log_odds"], row["deviation"])]
        if len(rows) < 2:
            continue
        embedding, system, task = key
        times, unit = (100, "points") if in_points(study, system) else (1, "own units")
        scores = [times * row["deviation"] for row in rows]
        across = axis_around((row["log_odds"] for row in rows), LINK_LEFT, right, air=0.08)
        down = axis_around(scores, bottom, LINK_TOP, air=0.08)
        points = [
            (across.at(row["log_odds"]), down.at(score))
            for row, score in zip(rows, scores, strict=True)
        ]
        parts = [
            line(x, LINK_TOP, x, bottom, "zero" if words == "0" else "tick")
            + text(x, bottom + 14, words, "soft mid")
            for x, words in across.ticks(5)
        ]
        parts += [
            line(LINK_LEFT, y, right, y, "zero" if words == "0" else "tick")
            + text(LINK_LEFT - 6, y + 4, words, "soft end")
            for y, words in down.ticks(5)
        ]
        parts += [
            text(LINK_LEFT, LINK_TALL - 6, f"◂ vector closer to {other} words", "soft"),
            text(right, LINK_TALL - 6, f"closer to {polarity} words ▸", "soft end"),
            text(0, 12, f"▴ scored higher by the system than other names, {unit}", "soft"),
        ]
        shapes = shapes_of(rows)
        for point, row in zip(points, rows, strict=True):
            mark, colour = shapes[row["group"] or ""]
            parts.append(shape(mark, *point, 4.6, f"g{colour}"))
        labels = [(*point, row["person"]) for point, row in zip(points, rows, strict=True)]
        if len(labels) > LABELLED:  # those farthest from the middle
            x, y = (sum(part) / len(points) for part in zip(*points, strict=True))
            labels.sort(key=lambda label: -((label[0] - x) ** 2 + (label[1] - y) ** 2))
            labels = labels[:OUTER]
        parts.append(draw_labels(place_labels(labels, LINK_WIDE, bottom, points)))
        title = f"Names: {polarity} sentiment of the vector and scores of {system}, {embedding}"
        found[embedding, system, task] = Picture(
            "", title, f"{link_key(rows)}.", LINK_WIDE, LINK_TALL, "".join(parts)
        )
    return found


def in_points(study: Embeddings, system: str) -> bool:
    """Whether a system's scale is known, so that its differences are points of 100."""
    return all(one.scale for one in study.run.get("systems") or () if one.system == system)


def shapes_of(rows: Sequence[Row]) -> dict[str, tuple[Shape, int]]:
    """A shape and a colour for each group."""
    shapes, groups = tuple(SIGNS), dict.fromkeys(row["group"] or "" for row in rows)
    return {group: (shapes[n % len(shapes)], n % 6) for n, group in enumerate(groups)}


def link_key(rows: Sequence[Row]) -> str:
    """Which mark stands for which group."""
    return ", ".join(
        f"{SIGNS[of]} {group or 'no group'} "
        f"({sum((row['group'] or '') == group for row in rows)} names)"
        for group, (of, _) in shapes_of(rows).items()
    )


RIDGE_WIDE, RIDGE_TALL, RIDGE_LEFT, RIDGE_FOOT = 250.0, 130.0, 40.0, 22.0


def ridge_pictures(study: Embeddings) -> list[Picture]:
    """A small curve for each embedding."""
    found = []
    for (name,), every in parts_of(study.ridges, "embedding"):
        rows = [row for row in every if row["log_loss"] is not None and (row["ridge"] or 0) > 0]
        if len(rows) < 2:
            continue
        rows.sort(key=lambda row: row["ridge"])
        ends = [row["log_loss"] + sign * (row["se"] or 0.0) for row in rows for sign in (-1, 1)]
        across = axis_around((math.log10(row["ridge"]) for row in rows), RIDGE_LEFT, RIDGE_WIDE - 6)
        down = axis_around(ends, RIDGE_TALL - RIDGE_FOOT, 6)
        errors, path, chosen, best = "", [], "", None
        for row in rows:
            x, loss, se = across.at(math.log10(row["ridge"])), row["log_loss"], row["se"]
            path.append(f"{x:.1f} {down.at(loss):.1f}")
            if se is not None:
                errors += line(x, down.at(loss - se), x, down.at(loss + se), "rule")
            if row["chosen"]:
                best, chosen = best or row, chosen + shape("circle", x, down.at(loss), 4.5, "dot")
        first, last = rows[0]["ridge"], rows[-1]["ridge"]
        summary = f"Held-out log-loss for ridges from {short(first)} to {short(last)}."
        if best:
            summary += f" Chosen: {short(best['ridge'])}, {fixed(best['log_loss'], 3)}."
        parts = (
            f'{errors}<path class="curve" d="M{"L".join(path)}"/>{chosen}',
            text(across.at(math.log10(first)), RIDGE_TALL - 6, short(first, 1), "soft mid"),
            text(across.at(math.log10(last)), RIDGE_TALL - 6, short(last, 1), "soft end"),
            text((RIDGE_LEFT + RIDGE_WIDE) / 2, RIDGE_TALL - 6, "ridge", "soft mid"),
            *(text(RIDGE_LEFT - 6, y + 4, words, "soft end") for y, words in down.ticks(3)),
        )
        title = f"Choice of the ridge: {name}"
        found.append(Picture(name, title, summary, RIDGE_WIDE, RIDGE_TALL, "".join(parts)))
    return found
