"""How quick a report is written: page, tables and figures of 219 systems.

Run with `make bench` or `python benchmarks/report.py`; a minute or two. Scores of 219 made-up
systems on the Equity Evaluation Corpus are audited, which is not timed, and reported, which is.

The peer writes the same numbers in the plainest way that pandas has: every table that we write with
`to_csv`, the findings with `json.dumps` and with `to_html`, and the scores, sentences and estimates
as Parquet with Polars, as we do. It draws nothing, explains nothing and cannot be searched. Figures
are beside what vl-convert alone takes for them: it draws them, we say what is to be drawn.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl

from claim import Claim, Growth, Work, attempted, print_claims, timed
from growth import grown
from pairs import simulated
from tiltmeter import Audit, audit, load_corpus
from tiltmeter.studies.audit.figures import drawn_figures

SYSTEMS, SIZES = 219, (2, 20, 200)
MEGABYTES = 6.5
"""What the page of 219 systems may weigh."""
DRAWING = ("vegalite_to_svg", "svg_to_png")


def audited(systems: int) -> Audit:
    """An audit of made-up systems, and whatever a report needs computed."""
    found = audit(simulated(load_corpus("eec").sentences(), systems), corpus="eec")
    found  # noqa: B018 - computed once, and kept
    return found


def without_figures(found: Audit) -> None:
    """Write the page and every table into a folder that is gone again."""
    with tempfile.TemporaryDirectory() as folder:
        found.report(folder)


def with_pandas(folder: Path, tables: dict[str, pd.DataFrame], parquet: list[pl.DataFrame]) -> None:
    """The same tables, findings and Parquet files, written plainly."""
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    findings = tables["findings"]
    rows = findings.to_dict("records")
    (folder / "findings.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    findings.to_html(folder / "findings.html")
    for number, frame in enumerate(parquet):
        frame.write_parquet(folder / f"{number}.parquet")


def against_pandas(found: Audit) -> list[Claim]:
    """Page, tables and data beside pandas; and what the page weighs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        weight = found.report(folder / "ours").stat().st_size / 1e6
        tables = {one.stem: pd.read_csv(one) for one in folder.glob("ours/tables/*.csv")}
        findings = json.loads((folder / "ours" / "findings.json").read_text("utf-8"))["findings"]
        tables["findings"] = pd.DataFrame(findings)
        parquet = [pl.read_parquet(one) for one in folder.glob("ours/*.parquet")]
        plain = timed(partial(with_pandas, folder, tables, parquet), 3)
    ours = timed(partial(without_figures, found), 3)
    said = f"page, {len(tables) - 1} tables, JSON and Parquet of {SYSTEMS} systems"
    return [
        Claim(said, f"{ours:.2f} s", f"pandas and Polars, tables alone {plain:.2f} s",
              plain / ours, 1.0),
        Claim(f"the page of {SYSTEMS} systems, in megabytes", f"{weight:.1f} MB", "none",
              weight, MEGABYTES, at_most=True),
    ]  # fmt: skip


def drawn(found: Audit) -> Claim:
    """Figures beside the time that vl-convert has of it."""
    inside: list[float] = []
    begun = time.perf_counter()
    with clocked(inside):
        many = len(list(drawn_figures(found)))
    ours, alone = time.perf_counter() - begun, sum(inside)
    return Claim(
        f"{many} figures of {SYSTEMS} systems", f"{ours:.1f} s", f"vl-convert alone {alone:.1f} s",
        ours / alone, 1.2, at_most=True,
    )  # fmt: skip


@contextmanager
def clocked(taken: list[float]) -> Iterator[None]:
    """Note the seconds of every call of vl-convert in this."""
    drawer = import_module("vl_convert")
    whole = {name: getattr(drawer, name) for name in DRAWING}

    def clock(work: Callable[..., Any]) -> Callable[..., Any]:
        def timed_work(*given: object, **named: object) -> object:
            begun = time.perf_counter()
            done = work(*given, **named)
            taken.append(time.perf_counter() - begun)
            return done

        return timed_work

    for name, work in whole.items():
        setattr(drawer, name, clock(work))
    try:
        yield
    finally:
        for name, work in whole.items():
            setattr(drawer, name, work)


def of_systems(systems: int) -> Callable[[], object]:
    """The work of reporting so many systems, figures left out."""
    found = audited(systems)
    return lambda: without_figures(found)


def growth() -> Growth:
    return grown("a report without figures", "systems", of_systems, SIZES)


def main() -> None:
    found = audited(SYSTEMS)
    works: dict[str, Work] = {
        "page and tables": lambda: against_pandas(found),
        "figures": lambda: drawn(found),
        "growth": growth,
    }
    print_claims("report", attempted(works))


if __name__ == "__main__":
    main()
