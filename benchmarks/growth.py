"""How time and peak memory grow with size: each size in a process of its own, exponents fitted."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from claim import Growth

HERE = Path(__file__).parent
IN_CHILD = "import sys, growth; growth.in_child(*sys.argv[1:])"
SMALLEST = 1.0
"""Megabytes: less above the start counts as this, since an allocator takes that much by chance."""
LINEAR, FLAT = 1.1, 0.3
"""Exponents that still count as linear, and as no growth."""
RUNS, LONG = 3, 1.0
"""Runs of which the quickest counts, unless the first took so many seconds."""
Prepare = Callable[[int], Callable[[], object]]
"""From a size to the work that is timed."""


def grown(
    what: str,
    unit: str,
    prepare: Prepare,
    sizes: Sequence[int],
    time_at_most: float = LINEAR,
    memory_at_most: float = LINEAR,
) -> Growth:
    """Do the work of a benchmark's function at every size."""
    runs = [in_process(prepare, size, warm=max(1, sizes[0] // 10)) for size in sizes]
    seconds, megabytes, above = zip(*runs, strict=True)
    held = [max(SMALLEST, one) for one in above]
    return Growth(
        what, tuple(sizes), unit, seconds, megabytes, above,
        exponent(sizes, seconds), exponent(sizes, held), time_at_most, memory_at_most,
    )  # fmt: skip


def exponent(sizes: Sequence[int], found: Sequence[float]) -> float:
    """The b of found = a · sizeᵇ, by least squares of the logarithms.

    >>> round(exponent((1, 10, 100), (3, 30, 300)), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(found), 1)[0])


def in_process(prepare: Prepare, size: int, warm: int) -> tuple[float, float, float]:
    """Seconds, peak megabytes, and those above a run at the size `warm` in the same process."""
    path = Path(sys.modules[prepare.__module__].__file__ or "")
    command = [sys.executable, "-c", IN_CHILD, path.stem, prepare.__name__, str(size), str(warm)]
    paths = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        command, cwd=path.parent, env={**os.environ, "PYTHONPATH": paths},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        why = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise RuntimeError(f"{prepare.__name__} of {size:,} in {path.name}: {why}")
    seconds, megabytes, above = json.loads(done.stdout.splitlines()[-1])
    return seconds, megabytes, above


def in_child(module: str, name: str, size: str, warm: str) -> None:
    """Do one size, and print what it took."""
    prepare: Prepare = getattr(import_module(module), name)
    prepare(int(warm))()  # whatever is imported or cached on the way
    before = peak_megabytes()
    seconds = _quickest(prepare(int(size)))
    peak = peak_megabytes()
    print(json.dumps([seconds, peak, peak - before]))


def _quickest(work: Callable[[], object]) -> float:
    taken: list[float] = []
    while len(taken) < RUNS and not (taken and taken[0] > LONG):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def peak_megabytes() -> float:
    """What this process held at most so far.

    On Linux not by `getrusage`: there a process that was started by a large one counts the large
    one's memory as its own.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**2 if sys.platform == "darwin" else peak / 1024
