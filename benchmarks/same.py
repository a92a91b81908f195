"""Whether two versions give the same results: `make same`.

    make same                            the working tree beside where it left origin/main
    make same BEFORE=v1 ONLY=rate,plan   beside another revision, some scenarios only
    python benchmarks/same.py record FOLDER [--only NAME,…] [--source SRC]
    python benchmarks/same.py compare OLD NEW [--only NAME,…]

A recording keeps, for each scenario, what its commands print and every file they write: tables and
texts as they are, of a page its visible text and the data embedded in it, of a pack its files, of
pictures and models their digest. Numbers are equal where they differ by at most
1e-12, absolute or relative to the larger one; all else must be equal as it stands: files, columns,
dtypes, rows in their order, strings, exit codes. What may differ is in VARIES, TEXT_VARIES and
ALLOWED. The exit code is 1 where anything else does.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from same_commands import SCENARIOS, recipe
from same_pages import read_page

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".venv" / "same"
TOLERANCE = 1e-12
AT_ONCE = 2
SHOWN = 4
"""How many differences of one column or JSON field are printed."""
TABLES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")
TEXTS = (".tex", ".md", ".yaml", ".toml", ".xml", ".txt", ".svg")
PAGE = ".html"
PAGE_TEXT, PAGE_DATA = ".text.txt", ".data.json"
"""What stands in a recording for a page: its visible text, and the data in it."""
RECORDER = "2"
"""Of what is kept of a file; a recording of another one is made anew."""

# What is never compared: file, JSON field or column, why. Stars stand for anything.
VARIES = [
    ("*", "environment*", "versions, platform, command line and time of the run"),
    ("*/run.json", "files.*.sha256", "bytes of files whose contents are compared"),
    ("pack/verified.json", "fingerprint", "a pack's, over run.json and its time too"),
    ("pack/verified.json", "checks.*.seen", "the same fingerprint, and sizes in bytes"),
    ("*.skops", "(digest)", "skops writes other bytes for the same weights"),
    ("*.zip/manifest.json", "(digest)", "sizes and digests of files that are compared themselves"),
    ("train/model/model.json", "weights.sha256", "skops writes other bytes for the same weights"),
    ("train/out/*.json", "run.systems.*.fingerprint", "of those bytes"),
    ("own-files/renamed/*.json", "run.systems.*.fingerprint", "of a function, by its folder too"),
]
# The same in what is printed and in texts: pattern, what stands for it, why.
TEXT_VARIES = [
    (r"(?m)^.+: [\d,]+ of [\d,]+ texts, .*\n?", "", "progress of a command that takes long"),
    (r"\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* (?:\d{4}|\d\d:\d\d)",
     "<day>", "when scores were stored"),
    (r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?",
     "<time>", "when it was run"),
    (r"\bfingerprint +[0-9a-f]{64}", "fingerprint", "a pack's, over run.json and its time too"),
    (r"mine.py:score: fingerprint `\w+`", "mine.py:score", "of a function, by its folder too"),
    (r"scikit-learn [\d.]+: fingerprint `\w+`", "scikit-learn", "as of model.json above"),
    (r"\b\d[\d.,]* ?(?:s|ms|min|seconds?|minutes?)\b", "<duration>", "how long it took"),
]  # fmt: skip
# Differences that are meant: file, JSON field or column ("*" for all of a file), why.
ALLOWED: list[tuple[str, str, str]] = []

# ---------------------------------------------------------------- recording


def record(folder: Path, names: Sequence[str], source: Path | None = None) -> None:
    """Run scenarios, two at a time, and keep what they print and write."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        recipes = {name: recipe(name) for name in names}  # now: this file may change meanwhile
        for done in [
            pool.submit(_record_one, folder / name, recipes[name], source) for name in names
        ]:
            done.result()


def _record_one(target: Path, digest: str, source: Path | None) -> None:
    name = target.name
    with tempfile.TemporaryDirectory(prefix="same-") as scratch:
        place = Path(scratch).resolve() / name
        place.mkdir()
        environment = {key: at for key, at in os.environ.items() if not key.startswith("TILTMETER")}
        environment |= {"COLUMNS": "100", "TILTMETER_STORE": str(place / "store"), "NO_COLOR": "1",
                        "TILTMETER_CACHE": str(place / "cache"), "OMP_NUM_THREADS": "1",
                        "OPENBLAS_NUM_THREADS": "1"}  # fmt: skip
        if source is not None:
            environment["PYTHONPATH"] = str(source.resolve())
        commands = []
        for step in SCENARIOS[name]:
            if callable(step):
                step(place)
                continue
            begun = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "tiltmeter", *shlex.split(step)],
                cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                encoding="utf-8", errors="replace", timeout=1800, check=False,
            )  # fmt: skip
            seconds = time.perf_counter() - begun
            print(f"{name:13} {seconds:5.1f} s  exit {done.returncode}  {step:.90}", flush=True)
            commands.append({
                "command": step, "exit_code": done.returncode,
                "stdout": done.stdout.replace(str(place), "<scratch>"),
                "stderr": done.stderr.replace(str(place), "<scratch>"),
            })  # fmt: skip
        _keep(place, target, {"recipe": digest, "commands": commands})


def _keep(place: Path, target: Path, told: dict[str, Any]) -> None:
    """Move a scenario's files into the recording, whole or not at all."""
    half = target.with_name(f".{target.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    digests: dict[str, str] = {}
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place)
        if path.is_dir() or name.parts[0] in ("made", "store", "cache"):
            continue
        _keep_file(str(name), path.read_bytes(), half / "files", digests)
    half.mkdir(parents=True, exist_ok=True)
    told |= {"recorder": RECORDER, "files": list(digests), "digests": digests}
    (half / "commands.json").write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
    shutil.rmtree(target, ignore_errors=True)
    half.rename(target)


def _keep_file(name: str, data: bytes, kept: Path, digests: dict[str, str]) -> None:
    """Keep what is compared of a file; of one that is compared as it stands, its digest."""
    digests[name], suffix = "", Path(name).suffix
    place = kept / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if suffix in (*TABLES, *TEXTS):
        place.write_bytes(data)
    elif suffix == PAGE:
        text, embedded = read_page(data.decode("utf-8", "replace"))
        place.with_name(place.name + PAGE_TEXT).write_text(text, "utf-8")
        place.with_name(place.name + PAGE_DATA).write_text(json.dumps(embedded), "utf-8")
        digests |= {name + PAGE_TEXT: "", name + PAGE_DATA: ""}
    elif suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for inner in sorted(archive.namelist()):
                _keep_file(f"{name}/{inner}", archive.read(inner), kept, digests)
    else:
        digests[name] = hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- comparing


@dataclass(frozen=True)
class Difference:
    """What differs: in which file, which JSON field or column, which row, and how."""

    file: str
    place: str
    row: str
    before: object
    after: object

    def line(self) -> str:
        """As it is printed."""
        where = ", ".join(filter(None, [self.place, self.row]))
        return f"{self.file}  {where}: {self.before!s:.160} → {self.after!s:.160}"


Found: TypeAlias = Iterator[tuple[str, str, object, object]]
"""Place, row, before, after."""
ABSENT = "absent"


def same_number(old: float, new: float) -> bool:
    """|old − new| ≤ 1e-12 · max(1, |old|, |new|); NaN equals NaN."""
    both_nan = math.isnan(old) and math.isnan(new)
    return both_nan or math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def same_text(old: str, new: str) -> bool:
    """Equal but for numbers in it that are equal; 0.50 for 0.5 is another text."""
    if old == new:
        return True
    number = r"([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)"
    before, after = re.split(number, old), re.split(number, new)
    return len(before) == len(after) and all(
        one == two or (nth % 2 == 1 and float(one) != float(two) and "." in one + two
                       and same_number(float(one), float(two)))
        for nth, (one, two) in enumerate(zip(before, after, strict=True))
    )  # fmt: skip


def compare_values(old: object, new: object, place: str = "") -> Found:
    """Two values of JSON, field by field."""
    if type(old) is not type(new):
        yield place, "", _with_type(old), _with_type(new)
    elif isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new) and set(old) == set(new):
            yield place, "(order of fields)", list(old), list(new)
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{place}.{key}".lstrip(".")
            if key in old and key in new:
                yield from compare_values(old[key], new[key], inner)
            else:
                yield inner, "", old.get(key, ABSENT), new.get(key, ABSENT)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield place, "(length)", len(old), len(new)
        for nth, (one, two) in enumerate(zip(old, new, strict=False)):
            yield from compare_values(one, two, f"{place}.{nth}".lstrip("."))
    elif isinstance(old, float) and isinstance(new, float):
        if not same_number(old, new):
            yield place, "", old, new
    elif old != new:
        yield place, "", old, new


def _with_type(value: object) -> str:
    return f"{value} ({type(value).__name__})"


def compare_json(old: bytes, new: bytes) -> Found:
    yield from compare_values(json.loads(old), json.loads(new))


def compare_json_lines(old: bytes, new: bytes) -> Found:
    before, after = ([json.loads(line) for line in each.splitlines()] for each in (old, new))
    yield from compare_values(before, after)


def compare_csv(old: bytes, new: bytes) -> Found:
    """Two tables of text, cell by cell."""
    delimiter = "\t" if old.split(b"\n")[0].count(b"\t") else ","
    before, after = (
        list(csv.reader(io.StringIO(each.decode("utf-8"), newline=""), delimiter=delimiter))
        for each in (old, new)
    )
    columns = before[0] if before else []
    if columns != (after[0] if after else []):
        yield "(columns)", "", columns, after[0] if after else []
        return
    if len(before) != len(after):
        yield "(rows)", "", len(before) - 1, len(after) - 1
    for nth, (one, two) in enumerate(zip(before, after, strict=False)):
        for place, a, b in zip_longest([*columns], one, two, fillvalue=ABSENT):
            if not same_text(a, b):
                yield place, f"row {nth}", a, b


def compare_parquet(old: bytes, new: bytes) -> Found:
    """Two tables, column by column: names in their order, dtypes, values, metadata."""
    before, after = pl.read_parquet(old), pl.read_parquet(new)
    yield from compare_values(_metadata(old), _metadata(new), "(metadata)")
    if before.columns != after.columns:
        yield "(columns)", "", before.columns, after.columns
    if before.height != after.height:
        yield "(rows)", "", before.height, after.height
        return
    for name in (name for name in before.columns if name in after.columns):
        one, two = before[name], after[name]
        if one.dtype != two.dtype:
            yield name, "(dtype)", one.dtype, two.dtype
        elif not one.equals(two, null_equal=True):
            for nth, (a, b) in enumerate(zip(one.to_list(), two.to_list(), strict=True)):
                for place, _, x, y in compare_values(a, b, name):
                    yield place, f"row {nth}", x, y


def _metadata(table: bytes) -> dict[str, str]:
    found = pl.read_parquet_metadata(io.BytesIO(table))
    return {key: value for key, value in sorted(found.items()) if key != "ARROW:schema"}


def compare_text(old: bytes | str, new: bytes | str) -> Found:
    """Two texts line by line, without days, times and durations."""
    lines = []
    for text in (old, new):
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        for pattern, instead, _ in TEXT_VARIES:
            text = re.sub(pattern, instead, text)
        lines.append(text.splitlines())
    for nth, (one, two) in enumerate(zip_longest(*lines, fillvalue=ABSENT), 1):
        if not same_text(one, two):
            yield "", f"line {nth}", one, two


COMPARERS: dict[str, Callable[[bytes, bytes], Found]] = {
    ".json": compare_json, ".jsonl": compare_json_lines, ".csv": compare_csv, ".tsv": compare_csv,
    ".parquet": compare_parquet,
}  # fmt: skip


def compare_scenario(old: Path, new: Path) -> Iterator[Difference]:
    """All that differs between two recordings of one scenario."""
    name = old.name
    before, after = (json.loads((each / "commands.json").read_text("utf-8")) for each in (old, new))
    if before["recipe"] != after["recipe"]:
        yield Difference(name, "(commands or inputs)", "", before["recipe"], after["recipe"])
    for one, two in zip(before["commands"], after["commands"], strict=False):
        label = f"{name}: tiltmeter {one['command']:.60}"
        if one["exit_code"] != two["exit_code"]:
            yield Difference(label, "exit code", "", one["exit_code"], two["exit_code"])
        for part in ("stdout", "stderr"):
            for _, row, a, b in compare_text(one[part], two[part]):
                yield Difference(label, part, row, a, b)
    for file in sorted({*before["files"]} ^ {*after["files"]}):
        there = file in before["files"]
        yield Difference(
            f"{name}/{file}", "(file)", "", *(("there", ABSENT)[:: 1 if there else -1])
        )
    for file in (file for file in before["files"] if file in after["files"]):
        digests = before["digests"][file], after["digests"][file]
        if digests[0] != digests[1]:
            yield Difference(f"{name}/{file}", "(digest)", "", *digests)
        paths = [each / "files" / file for each in (old, new)]
        if not all(path.is_file() for path in paths):
            continue
        a, b = (path.read_bytes() for path in paths)
        if a != b:
            compare_files = COMPARERS.get(paths[0].suffix, compare_text)
            for place, row, x, y in compare_files(a, b):
                yield Difference(f"{name}/{file}", place, row, x, y)


def _entry(lists: Sequence[tuple[str, str, str]], one: Difference) -> tuple[str, str, str] | None:
    matching = (e for e in lists if fnmatchcase(one.file, e[0]) and fnmatchcase(one.place, e[1]))
    return next(matching, None)


def compare(old: Path, new: Path, names: Sequence[str] = ()) -> int:
    """Print what differs between two recordings; 1 where anything does, else 0."""
    there = [{path.parent.name for path in each.glob("[!.]*/commands.json")} for each in (old, new)]
    wanted = list(names) or sorted(there[0] | there[1])
    shown: Counter[tuple[str, str]] = Counter()
    allowed: Counter[tuple[str, str, str]] = Counter()
    for name in wanted:
        if not all(name in each for each in there):
            states = ["recorded" if name in each else ABSENT for each in there]
            found: Iterator[Difference] = iter([Difference(name, "(scenario)", "", *states)])
        else:
            found = compare_scenario(old / name, new / name)
        for one in found:
            if _entry(VARIES, one):
                continue
            if entry := _entry(ALLOWED, one):
                allowed[entry] += 1
                continue
            key = (one.file, re.sub(r"\.\d+\.", ".*.", one.place))
            shown[key] += 1
            if shown[key] <= SHOWN:
                print(one.line())
    for (file, place), number in shown.items():
        if number > SHOWN:
            print(f"{file}  {place}: {number - SHOWN:,} more")
    for entry, number in allowed.items():
        print(f"allowed: {number:,} differences of {entry[0]} {entry[1]}: {entry[2]}")
    _print_failures(old, new, [name for name in wanted if name in there[0] & there[1]])
    total = sum(shown.values())
    files = len({file for file, _ in shown})
    print(f"{total:,} differences in {files} files" if total else "the same", end=" ")
    print(f"({len(wanted)} scenarios, numbers to {TOLERANCE:g})")
    return int(total > 0)


def _print_failures(old: Path, new: Path, names: Sequence[str]) -> None:
    """Commands that end with another code than 0 in both: meant for gates and errors."""
    for name in names:
        told = (
            json.loads((each / name / "commands.json").read_text("utf-8")) for each in (old, new)
        )
        for one, two in zip(*(each["commands"] for each in told), strict=False):
            if one["exit_code"] and one["exit_code"] == two["exit_code"]:
                print(f"exit {one['exit_code']} in both: {name}: tiltmeter {one['command']:.70}")


# ---------------------------------------------------------------- make same


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def earlier_revision() -> str:
    """Where the branch left origin/main; the last commit where it has not, or the one before it."""
    try:
        base = git("merge-base", "HEAD", "origin/main")
    except subprocess.CalledProcessError:
        base = git("rev-parse", "HEAD")
    changed = git("status", "--porcelain", "--", "src")
    return base if changed or base != git("rev-parse", "HEAD") else "HEAD~1"


def since(revision: str, names: Sequence[str]) -> int:
    """Record a revision, unless it is recorded, and the working tree; compare them."""
    commit = git("rev-parse", "--verify", f"{revision or earlier_revision()}^{{commit}}")
    before, now = CACHE / commit, CACHE / "working-tree"
    missing = [name for name in names if not _is_recorded(before / name)]
    print(f"before: {git('log', '-1', '--format=%h %s', commit)}", flush=True)
    if missing:
        with tempfile.TemporaryDirectory(prefix="same-source-") as folder:
            archive = subprocess.run(
                ["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True
            )
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
                tar.extractall(folder, filter="data")
            record(before, missing, Path(folder) / "src")
    print("now: the working tree", flush=True)
    record(now, names, ROOT / "src")
    return compare(before, now, names)


def _is_recorded(place: Path) -> bool:
    path = place / "commands.json"
    if not path.exists():
        return False
    recording = json.loads(path.read_text("utf-8"))
    return (recording["recipe"], recording.get("recorder")) == (recipe(place.name), RECORDER)


def chosen(only: str) -> list[str]:
    """The scenarios named in a list with commas; all where none is."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    if unknown := [name for name in names if name not in SCENARIOS]:
        raise SystemExit(f"there is no scenario {unknown[0]!r}; there are {', '.join(SCENARIOS)}")
    return names or list(SCENARIOS)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run all commands, keep what they write")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--source", type=Path, help="the src folder of another version")
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    making = commands.add_parser("since", help="a revision and the working tree, compared")
    making.add_argument("revision", nargs="?", default="")
    for each in (recording, comparing, making):
        each.add_argument("--only", default="", help="some scenarios, with commas")
    said = parser.parse_args(words)
    names = chosen(said.only)
    if said.command == "record":
        record(said.folder, names, said.source)
        return 0
    if said.command == "compare":
        return compare(said.old, said.new, names if said.only else ())
    return since(said.revision, names)


if __name__ == "__main__":
    sys.exit(main())
