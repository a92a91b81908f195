"""What a person waits for: one sentence, an audit whose scores are stored, a shared task's folder.

Run with `make bench` or `python benchmarks/felt.py`; two or three minutes. Every run is a process
from its start to its end, and the quickest of some counts. Beside `try` stands an interpreter that
imports Polars; beside an audit `peer_audit.py`, which scores, tests and prints; beside a folder of
submissions `peer_submissions.py`, which reads and tests each file with pandas. Submissions are
made up: VADER's scores, noise and a small tilt, for 219 teams.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from claim import Claim, Work, attempted, print_claims, timed
from startup import tiltmeter
from tiltmeter import load_corpus, score

SENTENCE = "My {sister|brother} feels angry."
TEAMS = 219
TASKS = {
    "anger": "EI-reg_en_anger_pred.txt",
    "fear": "EI-reg_en_fear_pred.txt",
    "joy": "EI-reg_en_joy_pred.txt",
    "sadness": "EI-reg_en_sadness_pred.txt",
    "valence": "V-reg_en_pred.txt",
}
"""Each task's file in a team's folder, as SemEval-2018 names them."""
LAST_LINE = "The report is in"
TURNS = 5
HERE = Path(__file__).parent
PLAIN = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of a user, whose Python keeps compiled modules."""


def run(*words: object) -> None:
    """A command from its start to its end."""
    subprocess.run(list(map(str, words)), check=True, capture_output=True, env=PLAIN)


def seconds(*words: object, turns: int = TURNS) -> float:
    """The quickest of some runs of a command."""
    return timed(partial(run, *words), turns)


def answered(*words: object) -> float:
    """Seconds until an audit has printed its answer: all but where the report is."""
    begun, last = time.perf_counter(), 0.0
    command = list(map(str, words))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=PLAIN) as process:
        for line in process.stdout or ():
            if not line.startswith(LAST_LINE):
                last = time.perf_counter() - begun
    return last


def trying() -> list[Claim]:
    polars = seconds(sys.executable, "-c", "import polars")
    ours = seconds(tiltmeter(), "try", "vader", SENTENCE)
    told, beside = f"{ours:.2f} s", f"python -c 'import polars' {polars:.2f} s"
    return [
        Claim("tiltmeter try, in seconds", told, beside, ours, 0.5, at_most=True),
        Claim("tiltmeter try", told, beside, ours / polars, 3.0, at_most=True),
    ]


def auditing(folder: Path) -> list[Claim]:
    """An audit of VADER whose scores are stored, beside a script that scores anew."""
    audit = (tiltmeter(), "audit", "vader", "--store", folder / "store", "-o", folder / "out")
    run(*audit)
    naive = seconds(sys.executable, HERE / "peer_audit.py", folder / "eec.csv")
    printed = min(answered(*audit) for _ in range(TURNS))
    whole = seconds(*audit)
    beside = f"score, test and print {naive:.2f} s"
    return [
        Claim("a stored audit, to the printed answer", f"{printed:.2f} s", beside,
              printed / naive, 1.0, at_most=True),
        Claim("a stored audit, page and tables written", f"{whole:.2f} s", beside,
              whole / naive, 1.6, at_most=True),
    ]  # fmt: skip


def one_task(folder: Path) -> Claim:
    """219 files of one task, folder and all, beside a loop of pandas."""
    place = folder / "one"
    write_submissions(place, {"valence": "valence.txt"}, folder / "store")
    loop = seconds(sys.executable, HERE / "peer_submissions.py", folder / "eec.csv", place, turns=2)
    ours = seconds(tiltmeter(), "audit", place, "-o", folder / "out-one", turns=2)
    return Claim(
        f"an audit of {TEAMS} submissions, page and tables written", f"{ours:.1f} s",
        f"pandas and ttest_rel in a loop {loop:.1f} s", ours / loop, 1.5, at_most=True,
    )  # fmt: skip


def five_tasks(folder: Path) -> list[Claim]:
    """219 teams with five tasks each: seconds, and the most memory that one process held."""
    place = folder / "five"
    write_submissions(place, TASKS, folder / "store")
    ours = seconds(tiltmeter(), "audit", place, "-o", folder / "out-five", turns=1)
    held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    what = f"{TEAMS} × {len(TASKS)} submissions"
    return [
        Claim(f"an audit of {what}, in seconds", f"{ours:.1f} s", "none", ours, 25.0, at_most=True),
        Claim(f"peak memory of {what}, in megabytes", f"{held:,.0f} MB", "none", held, 1_000.0,
              at_most=True),
    ]  # fmt: skip


def write_submissions(place: Path, tasks: dict[str, str], store: Path) -> None:
    """A folder of made-up submissions: a folder a team, or a file where there is one task."""
    sentences, rng = load_corpus("eec").sentences(), np.random.default_rng(7)
    base = score("vader", "eec", store=store).scores["score"].to_numpy()
    female = (sentences["gender"] == "female").fill_null(False).to_numpy()
    for team in range(TEAMS):
        for task, name in tasks.items():
            tilt = rng.normal(0, 0.01) * female
            scores = np.clip(base + rng.normal(0, 0.05, len(base)) + tilt, 0, 1)
            path = place / (f"team{team:03}/{name}" if len(tasks) > 1 else f"team{team:03}.txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            pl.DataFrame({
                "ID": sentences["id"], "Tweet": sentences["text"], "Affect Dimension": task,
                "Intensity Score": scores.round(3),
            }).write_csv(path, separator="\t")  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(tiltmeter(), "corpus", "export", "eec", "-o", folder / "eec.csv")
        works: dict[str, Work] = {
            "one sentence": trying,
            "a stored audit": lambda: auditing(folder),
            "submissions of one task": lambda: one_task(folder),
            "submissions of five tasks": lambda: five_tasks(folder),
        }
        print_claims("what a person waits for", attempted(works))


if __name__ == "__main__":
    main()
