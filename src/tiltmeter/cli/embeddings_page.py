"""What `tiltmeter embeddings` prints: RNSB beside what ordinary words get, and what lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table, visible
from tiltmeter.cli.embeddings_legend import lacking, legend, worth_knowing
from tiltmeter.report import p_value

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Embeddings

SHOWN, EMBEDDINGS, TESTED = 12, 10, 3
"""Rows of a table and embeddings before they are only counted; embeddings with their tests."""
RIGHT = ("RNSB", "95 % interval", "ordinary", "p")
DETECTED = 0.05
NARROW = 64
"""Columns of a terminal below which tables keep to what matters most."""


def show_embeddings(done: Embeddings) -> None:
    """Print what was found of each embedding, then what is worth knowing."""
    names = done.material.embeddings["embedding"].to_list()
    for name in names[:EMBEDDINGS]:
        _show_rnsb(done, name)
        _show_groups(done.material.groups.filter(embedding=name))
        if len(names) <= TESTED:
            _show_tests(done.weat.filter(embedding=name).drop_nulls("effect"))
        _show_links(done.links.filter(embedding=name))
        _show_mending(done.mitigation.filter(embedding=name))
    if len(names) > EMBEDDINGS:
        say(f"… and {len(names) - EMBEDDINGS:,} more embeddings; the report has them all")
    say()
    for line in legend(done, EMBEDDINGS, tested=len(names) <= TESTED):
        say(visible(line))
    facts(("", note) for note in (*lacking(done), *worth_knowing(done)))


def _show_rnsb(done: Embeddings, name: str) -> None:
    heading(f"{name}: how unevenly {done.material.run['polarity']} sentiment falls (RNSB)")
    rows = [_rnsb(row) for row in done.rnsb.filter(embedding=name).iter_rows(named=True)]
    columns = ["terms", *RIGHT, "highest"]
    always = columns[:3] if _is_narrow() else columns
    kept = [n for n, column in enumerate(columns)
            if n < 2 or (column in always and any(row[n] for row in rows))]  # fmt: skip
    _table([columns[n] for n in kept], [[row[n] for n in kept] for row in rows], RIGHT)


def _is_narrow() -> bool:
    """Whether whole tables would be cut to shreds; the report has what is then left out."""
    return get_terminal_size().columns < NARROW


def _rnsb(row: dict[str, Any]) -> list[str]:
    if row["rnsb"] is None:
        return [row["list"], "refused", "", "", "", ""]
    ends = "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    even = "" if row["by_chance"] is None else f"{row['by_chance']:.2f}"
    return [row["list"], f"{row['rnsb']:.3f}", ends, even, _p(row["p_adjusted"]), row["most"]]


def _show_groups(groups: pl.DataFrame) -> None:
    """How far groups of terms stand apart in their mean probability."""
    if groups.height:
        say()
        rows = [_group(row) for row in groups.iter_rows(named=True)]
        right = ("points", "95 % interval", "p")
        columns = ["groups of terms", *right, "higher"]
        if _is_narrow():
            columns, rows = columns[:2], [row[:2] for row in rows]
        _table(columns, rows, right)


def _group(row: dict[str, Any]) -> list[str]:
    named = f"{row['list']}: {row['first']} − {row['second']}"
    ends = "" if row["low"] is None else f"{_points(row['low'])} to {_points(row['high'])}"
    higher = row["first"] if row["difference"] > 0 else row["second"]
    detected = row["p_adjusted"] is not None and row["p_adjusted"] <= DETECTED
    size, chance = _points(row["difference"]), _p(row["p_adjusted"])
    return [named, size, ends, chance, higher if detected else "–"]


def _points(share: float) -> str:
    return f"{100 * share:.0f}".replace("-", "−")


def _show_tests(known: pl.DataFrame) -> None:
    if known.height:
        say()
        columns = [_kind(known), "whose words, closer to what", "d", "p"]
        rows = [_test(row) for row in known.iter_rows(named=True)]
        if _is_narrow():
            columns, rows = [columns[0], *columns[2:]], [[row[0], *row[2:]] for row in rows]
        _table(columns, rows, ("d", "p"))


def _kind(known: pl.DataFrame) -> str:
    return "SEAT" if "seat" in known["kind"] else "word test"


def _test(row: dict[str, Any]) -> list[str]:
    return [row["test"], row["title"], _number(row["effect"]), _p(row["p_adjusted"])]


def _show_links(links: pl.DataFrame) -> None:
    """How far systems' tilts between names go with the vectors."""
    if links.height:
        say()
        rows = [_link(row) for row in links.iter_rows(named=True)]
        _table(["tilt between names", "names", "r with vectors", "95 % interval", "p"], rows,
               ("names", "r with vectors", "95 % interval", "p"))  # fmt: skip


def _link(row: dict[str, Any]) -> list[str]:
    if row["pearson"] is None:
        return [f"{row['system']}: {row['reason']}", str(row["n"]), "–", "", ""]
    ends = "" if row["low"] is None else f"{_number(row['low'])} to {_number(row['high'])}"
    return [row["system"], str(row["n"]), _number(row["pearson"]), ends, _p(row["p_adjusted"])]


def _show_mending(frame: pl.DataFrame) -> None:
    """A row for each number, a column for each method."""
    for (direction,), part in frame.group_by("direction", maintain_order=True):
        methods = part["method"].unique(maintain_order=True).to_list()
        columns = ["before" if one == "none" else one for one in methods]
        say()
        _table([f"without {direction}", *columns], list(_mended(part, methods)), columns, 30)


def _mended(frame: pl.DataFrame, methods: Sequence[str]) -> Iterator[list[str]]:
    for (measure, what), part in frame.group_by("measure", "what", maintain_order=True):
        if measure == "analogies" and what != "overall":
            continue  # each kind of analogy stands in the report
        values = dict(part.select("method", "value").iter_rows())
        cells = ["–" if (one := values.get(name)) is None else _number(one) for name in methods]
        yield [f"{measure}: {what}", *cells]


def _table(
    names: Sequence[str], rows: Sequence[list[str]], right: Iterable[str], most: int = SHOWN
) -> None:
    table(names, rows[:most], right=list(right))
    if len(rows) > most:
        say(f"… and {len(rows) - most:,} more; the report has them all")


def _number(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def _p(p: float | None) -> str:
    return "" if p is None else p_value(p).removeprefix("p ").removeprefix("= ")
