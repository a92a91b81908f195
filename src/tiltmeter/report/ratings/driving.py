"""What drove a system's grade, found in the tests and effects behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.report.ratings import chance_words, phrases, wording
from tiltmeter.report.ratings.material import DISCRETISED, WRS, Phrases, RatingMaterial
from tiltmeter.report.ratings.rated import Rated, Row, Subject, by_key


@dataclass(frozen=True, slots=True)
class Evidence:
    """The tests, effects and word effects of every system, by system, task, variant, column."""

    tests: dict[tuple[str, ...], list[Row]]
    effects: dict[tuple[str, ...], list[Row]]
    ates: dict[tuple[str, ...], list[Row]]
    about: dict[str, str]
    """The attributes of each column: those compared, or those held fixed by its adjustment."""
    adjusted: frozenset[str]
    """Columns whose classes are compared within strata."""
    weights: tuple[float, ...]
    confidence: tuple[float, ...]
    phrases: Mapping[str, Phrases] = field(default_factory=dict)
    """How the corpus of each column speaks of its people."""


def evidence(material: RatingMaterial) -> Evidence:
    """Looked up once for the whole page."""
    tests, effects, ates = (
        by_key(frame, "variant", "column")
        for frame in (material.tests, material.effects, material.ates)
    )
    columns = material.columns.rows(named=True)
    return Evidence(
        tests,
        effects,
        ates,
        {str(row["column"]): about(row) for row in columns},
        frozenset(str(row["column"]) for row in columns if row["adjustment"]),
        material.weights,
        material.confidence,
        {str(row["column"]): material.phrases.get(str(row["group"]), {}) for row in columns},
    )


def about(column: Row) -> str:
    """The attributes a column is about: where words are decided, those that decide them.

    >>> about({"attribute": "age × gender", "measure": "die", "adjustment": "age"})
    'age'
    >>> about({"attribute": "gender", "measure": "wrs", "adjustment": "age"})
    'gender'
    """
    held = "" if column["measure"] == WRS else str(column["adjustment"] or "")
    return held or str(column["attribute"])


def drivers(found: Evidence, subject: Subject, rated: Rated) -> Iterator[str]:
    """At most two lines: the tests that count most, and the adjustment that moves most."""
    for tested in (True, False):
        rows = [
            row
            for row in rated.columns.values()
            if row["rating"] is not None and (row["measure"] == WRS) is tested
        ]
        if rows:
            yield _line(found, (*subject.key, rated.variant), rows)


def _line(found: Evidence, key: tuple[str, ...], rows: Sequence[Row]) -> str:
    tests = {row["column"]: len(found.tests.get((*key, row["column"]), ())) for row in rows}
    row = max(rows, key=lambda one: (one["rating"], one["x"], _size(one, tests[one["column"]])))
    column = str(row["column"])
    if row["measure"] == WRS and not row["psi"]:
        return wording.nothing_detected(", ".join(phrases.column_named(one) for one in rows))
    said = _moves(found, row) if row["measure"] != WRS else _differs(found, (*key, column), row)
    parts = (said, chance_words.rests_on(row))
    return f"{phrases.column_named(row)}: {' '.join(part for part in parts if part)}"


def _moves(found: Evidence, row: Row) -> str:
    psi = None if row["x"] else row["psi"]
    said = wording.movement(row["measure"], psi, found.about[row["column"]])
    chance = chance_words.by_chance(row) if psi else ""
    return f"{said} ({chance})." if chance else f"{said}."


def _differs(found: Evidence, key: tuple[str, ...], row: Row) -> str:
    told = largest_difference(found, found.tests.get(key, ()), row["attribute"])
    chance = chance_words.by_chance(row)
    size = f"raw score {phrases.weight(row['psi'])}{f'; {chance}' if chance else ''}"
    return f"{told} ({size})." if told else f"{size}."


def _size(row: Row, tests: int) -> float:
    return float(row["psi"] or 0) / max(tests, 1)


def largest_difference(found: Evidence, tests: Sequence[Row], attribute: str) -> str:
    """The two classes that tests tell apart most, in words; nothing where none does."""
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in tests:
        pairs.setdefault((row["first"], row["second"]), []).append(row)
    weighed = {pair: sum(_weight(found, row) for row in rows) for pair, rows in pairs.items()}
    best = max(weighed, key=lambda pair: (weighed[pair], "NA" not in pair), default=None)
    if best is None or not weighed[best]:
        return ""
    return _difference(found, best, pairs[best], attribute)


def _weight(found: Evidence, row: Row) -> float:
    """A test rejects at its lowest confidence levels first."""
    return sum(found.weights[len(found.weights) - (row["rejected"] or 0) :])


def _difference(found: Evidence, pair: tuple[str, str], rows: Sequence[Row], attribute: str) -> str:
    rejected = [row for row in rows if row["rejected"]]
    up = [row for row in rejected if row["t"] > 0]
    down = [row for row in rejected if row["t"] < 0]
    more = max((up, down), key=lambda side: sum(_weight(found, row) for row in side))
    higher, lower = pair if more is up else pair[::-1]
    many = max(row["rejected"] for row in more)
    told = [row for row in more if row["rejected"] == many]
    own = found.phrases.get(rows[0]["column"], {})
    return wording.difference(
        phrases.about(higher, attribute, own), phrases.about(lower, attribute, own),
        (len(told), len(rows)), found.confidence, many, _apart(found, told),
    )  # fmt: skip


def _apart(found: Evidence, rows: Sequence[Row]) -> float | None:
    """The largest distance of two means, as a part of the scale: −1..1, or 0..1 where split.

    None of strata: their tests do not compare the plain means.
    """
    if rows[0]["column"] in found.adjusted:
        return None
    key = tuple(rows[0][name] for name in ("system", "task", "variant", "column"))
    means = [row[name] for row in found.tests[key] for name in ("mean_first", "mean_second")]
    scale = 1.0 if rows[0]["variant"] == DISCRETISED and min(means) >= 0 else 2.0
    return max(abs(float(row["mean_first"] - row["mean_second"])) for row in rows) / scale
