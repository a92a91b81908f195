"""On what something was measured: the machine, the libraries, the commit, the day."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARIES = ("numpy", "scipy", "polars", "pandas", "statsmodels", "gensim", "torch", "transformers")


def machine() -> dict[str, str]:
    """What the numbers depend on besides the code."""
    return {
        "processor": processor(),
        "cores": cores(),
        "memory": memory(),
        "system": f"{platform.system()} {platform.release()}",
        "other work": load(),
        "python": platform.python_version(),
        **{name: installed(name) for name in LIBRARIES},
    }


def processor() -> str:
    """The processor's own name, where the system tells it."""
    about = _text("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", about)
    return found[1] if found else platform.processor() or platform.machine()


def cores() -> str:
    """Cores, and how many of them this process may use."""
    there = os.cpu_count() or 1
    may = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    return str(there) if may == there else f"{may} of {there}"


def memory() -> str:
    """The machine's memory in gigabytes."""
    found = re.search(r"MemTotal:\s+(\d+) kB", _text("/proc/meminfo"))
    return f"{int(found[1]) / 1024**2:.0f} GB" if found else "not known"


def load() -> str:
    """How busy the machine is: other work moves the seconds, and the ratios a little."""
    if not hasattr(os, "getloadavg"):
        return "not known"
    return f"{os.getloadavg()[0]:.1f} processes on average"


def installed(name: str) -> str:
    """A library's version."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def commit() -> str:
    """The commit, and whether files differ from it."""
    short = _git("rev-parse", "--short", "HEAD")
    if not short:
        return "not known"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks")
    return f"{short} with uncommitted changes" if _code(changed) else short


def _code(changed: str) -> bool:
    """Whether more has changed than the results, which a run writes itself."""
    return any(not line.endswith("results.json") for line in changed.splitlines())


def today() -> str:
    """The date in UTC, as in 2026-11-16."""
    return datetime.now(UTC).date().isoformat()


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _text(path: str) -> str:
    place = Path(path)
    return place.read_text() if place.exists() else ""
