"""What `tiltmeter embeddings` prints: RNSB beside what ordinary words get, and what lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import facts, heading, say, table
from tiltmeter.report import p_value

if TYPE_CHECKING:
    import polars as pl

    from tiltmeter.flow import Embeddings

SHOWN, EMBEDDINGS = 12, 10
"""Rows of a table, and embeddings, before they are only counted."""


def show_embeddings(done: Embeddings) -> None:
    """Print what was found of each embedding, then what is worth knowing."""
    names = done.material.embeddings["embedding"].to_list()
    for name in names[:EMBEDDINGS]:
        _show_rnsb(done, name)
        _show_tests(done.weat.filter(embedding=name).drop_nulls("effect"))
        _show_links(done.links.filter(embedding=name))
        _show_mending(done.mitigation.filter(embedding=name))
    if len(names) > EMBEDDINGS:
        say(f"… and {len(names) - EMBEDDINGS:,} more embeddings; the report has them all")
    say()
    for line in _legend(done):
        say(line)
    facts(("", note) for note in (*_lacking(done), *done.material.notes))


def _show_rnsb(done: Embeddings, name: str) -> None:
    heading(f"{name}: how unevenly {done.material.run['polarity']} sentiment falls (RNSB)")
    rows = [_rnsb(row) for row in done.rnsb.filter(embedding=name).iter_rows(named=True)]
    right = ("RNSB", "95 % interval", "ordinary", "p")
    _table(["terms", *right, "highest"], rows, right)


def _rnsb(row: dict[str, Any]) -> list[str]:
    if row["rnsb"] is None:
        return [row["list"], "refused", "", "", "", ""]
    ends = "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"
    even = "" if row["by_chance"] is None else f"{row['by_chance']:.2f}"
    return [row["list"], f"{row['rnsb']:.3f}", ends, even, _p(row["p_adjusted"]), row["most"]]


def _show_tests(known: pl.DataFrame) -> None:
    if known.height:
        say()
        _table(
            ["word test", "first closer to good", "d", "p"],
            [_test(row) for row in known.iter_rows(named=True)],
            ("d", "p"),
        )


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


def _legend(done: Embeddings) -> Iterator[str]:
    """What the columns say, and what the numbers rest on."""
    told = done.material
    if done.rnsb["by_chance"].count():
        yield (
            "0 is even. ordinary: the middle of what as many everyday words get, drawn by chance; "
            "p: how often these are as uneven, corrected for how many lists and embeddings there "
            "are. highest: the term with the highest probability."
        )
    elif done.rnsb.height:
        yield "0 is even. highest: the term with the highest probability."
    lexicon = told.run["lexicon"]
    sizes = f"{lexicon['positive']:,} positive and {lexicon['negative']:,} negative words"
    yield f"Lexicon: {lexicon['title']}, {sizes}."
    for row in told.classifiers.drop_nulls("balanced").head(EMBEDDINGS).iter_rows(named=True):
        right = f"tells {row['balanced']:.0%} of words held out apart"
        how = {"cross-validation": "chosen by cross-validation", "given": "as given"}
        chosen = how.get(row["chosen_by"], "as in the paper")
        yield f"{row['embedding']}: its classifier {right} (ridge {row['ridge']:.3g}, {chosen})."


def _lacking(done: Embeddings) -> Iterator[str]:
    """Lists without a number and why; terms that an embedding lacks."""
    for row in done.rnsb.iter_rows(named=True):
        if row["reason"] is not None:
            yield f"{row['embedding']}, {row['list']}: no RNSB: {row['reason']}"
        elif row["n_found"] < row["n_terms"]:
            of = done.terms.filter(embedding=row["embedding"], list=row["list"])
            named = ", ".join(of.filter(of["found_as"].is_null())["term"])
            yield f"{row['embedding']}, {row['list']}: not in the embedding: {named}"
