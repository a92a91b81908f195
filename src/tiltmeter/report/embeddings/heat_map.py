"""The paper's Figure 4: how terms' predictions go together, as a square of cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiltmeter.report.embeddings.material import EmbeddingMaterial
from tiltmeter.report.embeddings.picture import Picture, rect, text, width_of
from tiltmeter.report.embeddings.rows import Row, lists_of, parts_of
from tiltmeter.report.numbers import fixed
from tiltmeter.report.ratings.label import fitting

WIDE, LONGEST = 330.0, 96.0
FEW, LEAST, MOST = 8, 14.0, 34.0
"""Up to so many terms cells hold numbers; a cell's smallest and largest side."""

Values = dict[tuple[str, str], float]


def is_product(material: EmbeddingMaterial) -> bool:
    """Whether the cells are products of probabilities, as in the authors' notebook."""
    return material.run.get("mode") == "published"


def heat_pictures(material: EmbeddingMaterial, of: str) -> list[Picture]:
    """A square for each embedding of a list."""
    title = lists_of(material).get(of, of)
    return [
        _square(str(name), title, rows, is_product(material))
        for (name, listed), rows in parts_of(material.correlations, "embedding", "list")
        if listed == of and any(row["r"] is not None for row in rows)
    ]


def _square(name: str, title: str, rows: Sequence[Row], product: bool) -> Picture:
    terms = list(dict.fromkeys(str(row[end]) for end in ("first", "second") for row in rows))
    values: Values = {}
    for row in rows:
        if row["r"] is not None:
            first, second = str(row["first"]), str(row["second"])
            values[first, second] = values[second, first] = float(row["r"])
    shown = [fitting(term, LONGEST, 12) for term in terms]
    edge = max(map(width_of, shown)) + 6
    side = min(MOST, max(LEAST, (WIDE - edge) / len(terms)))
    body = _labels(shown, edge, side) + _cells(terms, values, edge, side, product)
    whole = edge + side * len(terms)
    what = "Products of probabilities" if product else "Correlations"
    return Picture(
        name, f"{what} of terms: {title}, {name}", _summary(values, product), max(whole, WIDE),
        whole + 2, body,
    )  # fmt: skip


def _labels(terms: Sequence[str], edge: float, side: float) -> str:
    left = (
        text(edge - 5, edge + side * (n + 0.5) + 4, term, "end") for n, term in enumerate(terms)
    )
    above = (
        text(0, 0, term, "", f' transform="translate({edge + side * (n + 0.5) + 4:.1f} '
             f'{edge - 5:.1f}) rotate(-90)"')
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


def _summary(values: Values, product: bool) -> str:
    pairs = sorted(
        ((value, first, second) for (first, second), value in values.items() if first < second)
    )
    if not pairs:
        return "There are not two terms to compare."
    told = [f"{first} and {second} {fixed(value, 2)}" for value, first, second in pairs]
    what = "product" if product else "correlation"
    return f"Largest {what}: {'; '.join(told[::-1][:3])}. Smallest: {'; '.join(told[:3])}."
