"""What a system's tests and adjustments say of the arrows of a causal diagram."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.report.ratings import chance_words, phrases, wording
from tiltmeter.report.ratings.diagram import SCORE, Arrow, Edge
from tiltmeter.report.ratings.driving import Evidence
from tiltmeter.report.ratings.material import WRS
from tiltmeter.report.ratings.rated import Rated, Row, Subject

KINDS = ("found", "some", "none")


def arrow_results(
    found: Evidence, subject: Subject, rated: Rated, columns: Sequence[Row], edges: Sequence[Edge]
) -> dict[Edge, Arrow]:
    """The tested arrows of one group's diagram, each by its own column or else by a composite."""
    told = column_results(found, subject, rated, columns)
    arrows = {}
    for edge in edges:
        column = _column_of(found, edge, columns)
        if column is not None and column in told:
            arrows[edge] = told[column]
    return arrows


def _column_of(found: Evidence, edge: Edge, columns: Sequence[Row]) -> str | None:
    """The column that tests an arrow into sentiment: the one about the fewest attributes."""
    if edge[1] != SCORE:
        return None
    names = [str(row["column"]) for row in columns]
    named = [(phrases.attributes(found.about[name]), name) for name in names]
    fitting = [(len(parts), name) for parts, name in named if edge[0] in parts]
    return min(fitting)[1] if fitting else None


def column_results(
    found: Evidence, subject: Subject, rated: Rated, columns: Sequence[Row]
) -> dict[str, Arrow]:
    """By column: the result of its tests or of its adjustment."""
    return {
        str(row["column"]): _result(found, subject, rated, rated.columns[row["column"]])
        for row in columns
        if row["column"] in rated.columns
    }


def _result(found: Evidence, subject: Subject, rated: Rated, row: Row) -> Arrow:
    if row["psi"] is None and not row["x"]:
        return Arrow("open", "not rated", f"not rated: {row['reason'] or 'no raw score'}")
    if row["measure"] != WRS:
        return _moved(row)
    tests = found.tests.get((*subject.key, rated.variant, row["column"]), ())
    return _tested(found, tests, row)


def _moved(row: Row) -> Arrow:
    size = None if row["x"] else row["psi"]
    return Arrow(chance_words.how_far(row), phrases.moved(size), wording.adjusted(row))


def _tested(found: Evidence, tests: Sequence[Row], row: Row) -> Arrow:
    """Marked by chance where it is known, else by the confidence that tests reach."""
    levels = found.confidence
    rejected = [one["rejected"] for one in tests if one["rejected"] is not None]
    sure = sum(many >= len(levels) for many in rejected)
    some = sum(0 < many < len(levels) for many in rejected)
    words = wording.by_tests(sure or some, len(rejected), levels, certain=bool(sure))
    if not sure and not some:
        return Arrow("none", "none", words)
    kind = "found" if sure else "some"
    if row.get("p") is not None or row.get("by_chance") is not None:
        kind = chance_words.how_far(row)
    return Arrow(
        kind, f"raw score {phrases.weight(row['psi'])}", f"{words}{chance_words.in_brackets(row)}"
    )
