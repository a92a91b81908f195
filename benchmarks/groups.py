"""How an axis with many groups is audited: twenty groups, four tasks, one system, in files.

Run with `make bench` or `python benchmarks/groups.py`; about two minutes. The table has five names
of each group in every frame of the Equity Evaluation Corpus, 14,400 sentences, and 57,600 scores.
Comparing every two groups and drawing each comparison, the command ran eleven minutes and wrote
281 MB before it was stopped; its time and size now are beside what they may be at most.

The peer is the same audit with every two groups compared (`all_pairs`), without a report. Both must
find the one group with a planted tilt.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from claim import Claim, Work, attempted, print_claims, timed
from tiltmeter import Audit, audit, load_corpus

GROUPS, PEOPLE, TASKS = 20, 5, ("anger", "fear", "joy", "sadness")
SECONDS, MEGABYTES = 20.0, 30.0
"""What the command may take and its folder weigh."""
PLANTED, GROUP = 0.05, "G03"


def write_files(folder: Path) -> tuple[Path, Path]:
    """The table, and one system's scores of it."""
    frames = load_corpus("eec").sentences().filter(person="Ebony")
    rng = np.random.default_rng(1)
    people = [(f"G{g:02}", f"Name{g:02}{n}") for g in range(GROUPS) for n in range(PEOPLE)]
    parts = [
        frames.select(
            pl.col("text").str.replace_all("Ebony", name),
            "template", "emotion", "emotion_word",
            person=pl.lit(name), race=pl.lit(group),
            level=pl.lit(rng.normal(0.5, 0.01) + PLANTED * (group == GROUP)),
        )
        for group, name in people
    ]  # fmt: skip
    table = pl.concat(parts).with_columns(id=pl.format("s{}", pl.int_range(pl.len())))
    noise = rng.normal(0.0, 0.02, (len(TASKS), table.height))
    scores = [
        table.select("id", task=pl.lit(task), score=pl.col("level") + pl.Series(noise[nth]))
        for nth, task in enumerate(TASKS)
    ]
    places = folder / "table.csv", folder / "sys.csv"
    table.drop("level").write_csv(places[0])
    pl.concat(scores).write_csv(places[1])
    return places


def command(folder: Path, table: Path, scores: Path) -> list[Claim]:
    """The whole command as a user gives it: its time and what it leaves behind."""
    out = folder / "out"
    words = ["audit", str(scores), "--corpus", str(table), "-o", str(out), "-q"]
    store = ["--store", str(folder / "store")]
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "tiltmeter", *words, *store], check=True)
    seconds = time.perf_counter() - begun
    weight = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    what = f"audit of {GROUPS} groups × {len(TASKS)} tasks, one system, with its report"
    return [
        Claim(f"{what}, in seconds", f"{seconds:.1f} s", "none", seconds, SECONDS, at_most=True),
        Claim(f"{what}, in megabytes", f"{weight:.1f} MB", "none", weight, MEGABYTES,
              at_most=True),
    ]  # fmt: skip


def against_all_pairs(folder: Path, table: Path, scores: Path) -> Claim:
    """Each group beside the average of all, against every two groups; no report."""
    ours, every = (
        partial(audit, scores, table, store=folder / "store", all_pairs=all_pairs)
        for all_pairs in (False, True)
    )
    must_find(ours())
    quick = timed(ours, 1)
    slow = timed(lambda: must_find(every()), 1)
    return Claim(
        f"estimates and verdicts of {GROUPS} groups beside their average", f"{quick:.1f} s",
        f"every two of them {slow:.1f} s", slow / quick, 4.0,
    )  # fmt: skip


def must_find(found: Audit) -> None:
    """Whoever is tilted in every task, it is the group with the planted tilt."""
    if found.tilts is None:
        raise AssertionError("the audit has no verdicts")
    tilted = found.tilts.filter(subset="all", verdict="tilted")["contrast"].unique()
    if tilted.is_empty() or not tilted.str.contains(GROUP).all():
        raise AssertionError(f"expected {GROUP} alone to be tilted; found {tilted.to_list()}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_files(folder)
        works: dict[str, Work] = {
            "the command": lambda: command(folder, *files),
            "beside every two": lambda: against_all_pairs(folder, *files),
        }
        print_claims("groups", attempted(works))


if __name__ == "__main__":
    main()
