"""How long `tiltmeter` takes to answer when next to nothing is to be computed.

Run with `make bench` or `python benchmarks/startup.py`; seconds. Beside it stand the bare
interpreter, `python -c pass`, which nothing written in Python can beat, and one that imports
Typer, which reads the command line. A run is a process from its start to its end; each gets turns,
and the quickest counts.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from claim import Claim, attempted, print_claims, timed

COMMANDS: dict[tuple[str, ...], float] = {
    ("--help",): 0.3,
    ("--version",): 0.3,
    ("audit", "--help"): 0.3,
    ("try", "vader", "My {sister|brother} feels angry."): 1.0,
}
"""Commands, and the seconds that each may take."""
TURNS = 10


def seconds(*command: str) -> float:
    """What a command takes from start to end."""
    return timed(lambda: subprocess.run(command, check=True, capture_output=True), TURNS)


def tiltmeter() -> str:
    """The command that was installed beside this Python."""
    return str(Path(sys.executable).with_name("tiltmeter"))


def claims() -> list[Claim]:
    bare, typer = (seconds(sys.executable, "-c", code) for code in ("pass", "import typer"))
    beside = f"python -c pass {bare:.3f} s, with Typer imported {typer:.3f} s"
    found = []
    for command, at_most in COMMANDS.items():
        taken = seconds(tiltmeter(), *command)
        said = f"tiltmeter {' '.join(command)}, in seconds"
        found.append(Claim(said, f"{taken:.3f} s", beside, taken, at_most, at_most=True))
    return found


def main() -> None:
    print_claims("start-up", attempted({"start-up": claims}))


if __name__ == "__main__":
    main()
