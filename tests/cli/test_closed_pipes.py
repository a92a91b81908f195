"""Who stops reading (`| head -3`) stops nothing: files are written, exit codes kept."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from audit_folders import sentences_of

SMALL = ("--sample", "11", "--measure", "pairs")


@pytest.fixture(scope="module")
def folder(at):
    """Two audits, labelled texts, scores in a table and stored answers to work with."""
    for name in ("old", "new"):
        done = at.run("audit", "tilted:gender=0.05", "vader", *SMALL, "-o", name)
        assert done.returncode == 0, done.stderr
    texts = [f"day {nth} was {mark}" for nth in range(15) for mark in ("good", "sad", "awful")]
    worth = [0.8, 0.3, 0.1] * 15
    pl.DataFrame({"text": texts, "score": worth}).write_csv(at.folder / "gold.csv")
    given = sentences_of()["text"].to_list()
    pl.DataFrame({"text": given, "score": [0.5] * len(given)}).write_csv(at.folder / "scores.csv")
    (at.folder / "pyproject.toml").write_text(
        '[tool.tiltmeter]\nsystems = ["tilted:gender=0.05"]\ncorpus = "eec"\nsample = 11\n'
        'gate = "gender<=0.01"\noutput = "gated"\njunit = "gated.xml"\nsummary = "gated.md"\n'
    )
    return at.folder


def broken_pipe():
    """The end to write into of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def run_unread(folder, *words, closed=("stdout", "stderr"), python=()):
    """Run a command in its own process, nobody reading what it prints to these streams."""
    pipes = {name: broken_pipe() for name in closed}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
    try:
        return subprocess.run(
            [sys.executable, *python, "-m", "tiltmeter", *words],
            cwd=folder, env={**os.environ, "TILTMETER_STORE": "store"}, stdin=subprocess.DEVNULL,
            check=False, text=True, **streams,
        )  # fmt: skip
    finally:
        for pipe in pipes.values():
            os.close(pipe)


def is_complete(folder):
    return json.loads((folder / "run.json").read_text("utf-8"))["complete"]


@pytest.mark.parametrize("closed", [("stdout",), ("stderr",), ("stdout", "stderr")])
@pytest.mark.parametrize("python", [(), ("-u",)])
def test_an_audit_is_whole_although_nobody_reads_what_it_prints(folder, tmp_path, closed, python):
    out = tmp_path / "out"
    done = run_unread(
        folder, "audit", "tilted:gender=0.05", *SMALL, "--repeat", "2", "-o", out,
        "--json", tmp_path / "findings.json", "--pack", tmp_path / "audit.zip",
        "--gate", "gender<=0.01", "--junit", tmp_path / "gate.xml",
        "--summary", tmp_path / "gate.md", closed=closed, python=python,
    )  # fmt: skip
    assert done.returncode == 1  # as the gate says: tilted
    assert is_complete(out)
    for name in ("findings.json", "audit.zip", "gate.xml", "gate.md"):
        assert (tmp_path / name).stat().st_size, name
    assert not done.stderr


def test_an_audit_whose_first_lines_are_read_is_whole(folder, tmp_path):
    line = f"{sys.executable} -m tiltmeter audit vader {' '.join(SMALL)} -o {tmp_path}/out"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line} 2>&1 | head -n 1"], cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert is_complete(tmp_path / "out")


COMMANDS = {
    "compare old new -o {out} --json {out}.json --gate": (0, ["out", "out.json"]),
    "rate vader random --mode published --draws 5 --groups 1 -o {out} --json {out}.json":
        (0, ["out", "out.json"]),
    "drift old vader --sample 2 -o {out} --json {out}.json": (0, ["out", "out.json"]),
    "explain vader --from old -o {out} --json {out}.json": (0, ["out", "out.json"]),
    "explain vader --text 'Tia feels happy.' --json {out}.json": (0, ["out.json"]),
    "embeddings glove-6b-50d --resamples 60 --lexicon vader --terms national-origin -o {out} "
    "--json {out}.json": (0, ["out", "out.json"]),
    "skill vader --gold gold.csv --resamples 400 -o {out}.csv --json {out}.json":
        (0, ["out.csv", "out.json"]),
    "score vader --sample 2 -o {out}.csv --reports {out}-files.csv":
        (0, ["out.csv", "out-files.csv"]),
    "plan --corpus names-us --people 20 --json {out}.json": (0, ["out.json"]),
    "try vader 'She sings.' --json {out}.json": (0, ["out.json"]),
    "gate old --gate gender<=0.01 --junit {out}.xml --summary {out}.md": (1, ["out.xml", "out.md"]),
    "pack old {out}.zip": (0, ["out.zip"]),
    "verify old --json {out}.json": (0, ["out.json"]),
    "card old": (0, []),
    "corpus check eec-ar --edition published --all -o {out}.csv": (0, ["out.csv"]),
    "corpus export eec -o {out}.csv": (0, ["out.csv"]),
    "corpus export eec": (0, []),
    "check-submissions scores.csv --json {out}.json": (2, ["out.json"]),
    "store list": (0, []),
    "--help": (0, []),
    "audit nobody -o {out}": (2, []),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_its_files_and_keeps_its_exit_code(folder, tmp_path, command):
    code, files = COMMANDS[command]
    done = run_unread(folder, *shlex.split(command.format(out=tmp_path / "out")))
    assert done.returncode == code
    for name in files:
        written = tmp_path / name
        assert is_complete(written) if written.is_dir() else written.stat().st_size, name


def test_a_gate_of_pyproject_writes_its_report_and_exits_as_it_decides(folder):
    assert run_unread(folder, "gate").returncode == 1
    assert is_complete(folder / "gated")
    assert (folder / "gated.xml").stat().st_size
    assert (folder / "gated.md").stat().st_size


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full to write to")
@pytest.mark.parametrize(
    "command", ["audit vader --sample 11 --measure pairs", "rate vader random --draws 5 --groups 1"]
)
def test_a_full_output_comes_after_the_files(folder, tmp_path, command):
    line = f"{sys.executable} -m tiltmeter {command} -o {tmp_path}/out > /dev/full"
    done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "error: the output cannot be written: No space left on device\n"
    assert is_complete(tmp_path / "out")
