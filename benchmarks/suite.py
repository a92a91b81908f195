"""Every benchmark, one after another, and one table of all claims: `make bench`.

    make bench                       all of them; writes results.json and docs/performance.md
    make bench ONLY=pairs,rating     some; prints the table and leaves both files as they are
    make bench RESUME=1              goes on where a run was stopped: those without a row
    python benchmarks/suite.py --page    docs/performance.md again from results.json

A benchmark is a file here that can be run (`__main__`), apart from this one, `same.py`, the
simulations and what makes our data. Each runs in a process of its own, so that its imports and its
memory are its own. One that breaks is a row that says so, the others go on, and the exit code is 1.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from claim import HANDED, Claim, NotRun, print_table
from machine import commit, machine, today
from performance_page import page

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "performance.md"
NOT_BENCHMARKS = ("compare_", "suite", "same", "simulate_", "census_")
LONGEST = "large"
STOPPED = "make bench was stopped before it"
AT_MOST = 3600
"""Seconds after which a benchmark is stopped."""
Told = dict[str, Any]


def benchmarks() -> list[Path]:
    """Every file that the suite runs, the one that takes longest last."""
    found = sorted(HERE.glob("*.py"), key=lambda path: (path.stem == LONGEST, path.stem))
    return [path for path in found if _runs(path) and not path.stem.startswith(NOT_BENCHMARKS)]


def _runs(path: Path) -> bool:
    return 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")


def chosen(only: str) -> list[Path]:
    """The benchmarks named in a list with commas; all where none is."""
    known = {path.stem: path for path in benchmarks()}
    names = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        listed = ", ".join(known)
        raise SystemExit(f"there is no benchmark {unknown[0]!r}; there are {listed}")
    return [known[name] for name in names] or list(known.values())


def run(path: Path) -> Told:
    """One benchmark in a process of its own, and its rows."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "rows.json"
        begun = time.perf_counter()
        broken = _broken([sys.executable, str(path)], {**os.environ, HANDED: str(place)})
        seconds = time.perf_counter() - begun
        handed = json.loads(place.read_text("utf-8")) if place.exists() else {}
    rows = handed.get("rows", [])
    if not rows:
        reason = broken or "it handed over no row"
        rows = [NotRun(path.stem, reason, failed=True).told()]
    return {
        "benchmark": path.stem,
        "about": first_sentence(path),
        "seconds": round(seconds, 1),
        "rows": rows,
        "growth": handed.get("growth", []),
    }


def _broken(command: Sequence[str], environment: dict[str, str]) -> str:
    """Run a command; what went wrong in a line, or nothing."""
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=AT_MOST, check=False
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {AT_MOST:,} s"
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
    return ""


def first_sentence(path: Path) -> str:
    """What a benchmark is about, in its own words."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(told.split("\n\n")[0].split())


def as_row(told: Told) -> Claim | NotRun:
    """A row of results.json as a claim again."""
    if "not_run" in told:
        return NotRun(told["claim"], told["not_run"], told["failed"])
    return Claim(**{name: value for name, value in told.items() if name != "met"})


def measured(paths: Sequence[Path], kept: Sequence[Told] = ()) -> Iterator[Told]:
    """All rows of some benchmarks, and on what they were measured; anew after each of them.

    Those in `kept` were measured by a run that was stopped, and stay as they are.
    """
    about = {"command": "make bench", "date": today(), "commit": commit(), "machine": machine()}
    before = {one["benchmark"]: one for one in kept}
    ran = [before.get(path.stem) or _waiting(path) for path in paths]
    for nth, path in enumerate(paths):
        if path.stem in before:
            continue
        print(f"{path.stem} …", end=" ", flush=True)
        ran[nth] = {**run(path), "date": about["date"], "commit": about["commit"]}
        print(f"{ran[nth]['seconds']:.0f} s", flush=True)
        yield {**about, "seconds": round(sum(one["seconds"] for one in ran)), "benchmarks": ran}


def _waiting(path: Path) -> Told:
    """A benchmark whose turn has not come, as it stands where `make bench` is stopped."""
    row = NotRun(path.stem, STOPPED).told()
    about = {"benchmark": path.stem, "about": first_sentence(path), "seconds": 0.0}
    return {**about, "rows": [row], "growth": []}


def of_a_stopped_run() -> list[Told]:
    """What results.json has of benchmarks that ran to their end."""
    told = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"benchmarks": []}
    day = {name: told.get(name, "") for name in ("date", "commit")}
    return [{**day, **one} for one in told["benchmarks"] if not _unmeasured(one)]


def _unmeasured(one: Told) -> bool:
    return any(row.get("not_run") == STOPPED or row.get("failed") for row in one["rows"])


def print_results(results: Told) -> None:
    """The one table, under the machine."""
    for name, value in results["machine"].items():
        print(f"{name:13} {value}")
    print(f"{'commit':13} {results['commit']}, {results['date']}, {results['seconds']:,} s in all")
    rows = [as_row(row) for one in results["benchmarks"] for row in one["rows"]]
    print_table("every claim", [row.row() for row in rows])
    claims = [row for row in rows if isinstance(row, Claim)]
    met = sum(claim.met for claim in claims)
    print(f"{met} of {len(claims)} targets met; {len(rows) - len(claims)} rows not run")


def main(only: str = "") -> int:
    if only == "--page":
        PAGE.write_text(page(json.loads(RESULTS.read_text("utf-8"))), "utf-8")
        return 0
    kept = of_a_stopped_run() if only == "--resume" else []
    only = only.removeprefix("--resume")
    results: Told = {}
    for results in measured(chosen(only), kept):
        if not only:
            RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
            PAGE.write_text(page(results), "utf-8")
    if not results:
        print(f"{RESULTS.name} has a row of every benchmark; make bench measures them anew")
        return 0
    print_results(results)
    if only:
        print(f"{RESULTS.name} and {PAGE.name} are left as they are: not every benchmark ran")
    else:
        print(f"written: {RESULTS.relative_to(HERE.parent)}, {PAGE.relative_to(HERE.parent)}")
    rows = (row for one in results["benchmarks"] for row in one["rows"])
    return int(any(row.get("failed") for row in rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
