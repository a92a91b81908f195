"""Every command that opens a folder, and what has to hold of each, whatever the folder holds."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from resealed import AUDITS, FINDINGS, FOLDER, PACK, PANEL, SYSTEMS, Sent, files_in
from resealed_changes import CHANGES, pick
from strangers import lay_traps

SECONDS = 300
"""After which a command is taken to hang."""
MEMORY = 2 * 10**9
MESSAGE_LINES, MESSAGE_LETTERS = 40, 20_000
COMMANDS_A_CASE = 2
HERE = Path(__file__).parent


# ---------------------------------------------------------------- a process that opens folders


@dataclass(frozen=True)
class Reply:
    """What a command gave."""

    code: int | None
    """None: it did not end as a command does."""
    out: str = ""
    err: str = ""
    flagged: tuple[str, ...] = ()
    """Code that ran, programs started, addresses called."""
    peak: int = 0
    seconds: float = 0.0


class Worker:
    """The process, started anew where a request ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._complaints: IO[bytes] | None = None

    def ask(self, **request: Any) -> Reply:
        """Have a request answered: soon, and by a process that outlives it."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if ready else ""
        if line:
            reply = json.loads(line)
            reply["flagged"] = tuple(reply["flagged"])
            if reply["peak"] > MEMORY:  # what is held does not count for the next request
                self.close()
            return Reply(**reply)
        hung = process.poll() is None and not ready
        last_words = self._last_words()
        code = self.close()
        why = f"no end after {SECONDS} seconds" if hung else f"died with {code}"
        return Reply(None, err=f"{why}: {last_words}")

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
            paths = os.pathsep.join([str(HERE), str(HERE.parent)])
            self._process = subprocess.Popen(
                [sys.executable, HERE / "folder_worker.py"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=self._complaints, text=True, encoding="utf-8",
                env={**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "always::RuntimeWarning"},
            )  # fmt: skip
        return self._process

    def _last_words(self) -> str:
        if self._complaints is None:
            return ""
        self._complaints.seek(0)
        return self._complaints.read()[-500:].decode(errors="replace")

    def close(self) -> int:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return 0
        for stream in (process.stdin, process.stdout, self._complaints):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        process.kill()
        return process.wait()


# ---------------------------------------------------------------- the commands

Rows = set[tuple[Any, ...]]
KEYS = ("system", "old", "new", "task", "corpus", "axis", "contrast", "subset", "kind")


def verdicts_in(tree: Any) -> Rows:
    """Every verdict in the JSON of a command, with what it is about."""
    rows: Rows = set()
    if isinstance(tree, dict):
        if tree.get("verdict"):
            keys = (tree.get(key) for key in KEYS)
            labels = (key if isinstance(key, str) else "" for key in keys)
            rows.add((*labels, str(tree["verdict"])))
        for key, value in tree.items():
            if key not in ("run", "environment"):
                rows |= verdicts_in(value)
    elif isinstance(tree, list):
        for value in tree:
            rows |= verdicts_in(value)
    return rows


def stated_in_json(folder: Path, _: Reply) -> Rows:
    """The verdicts in the file that `--json` wrote."""
    return verdicts_in(json.loads((folder / "out.json").read_bytes()))


NUMBERS = ("value", "low", "high", "p_adjusted")
LABELS = ("system", "task", "corpus", "axis", "contrast", "subset", "measure", "verdict",
          "significance")  # fmt: skip


def verified_findings(folder: Path, _: Reply) -> Rows:
    """What `verify` vouches for: verdicts, numbers, and sentences unless it says otherwise."""
    where = folder / FOLDER if (folder / FOLDER).is_dir() else None
    if where is None:
        with zipfile.ZipFile(folder / PACK) as archive:
            findings = json.loads(archive.read(FINDINGS))
    else:
        findings = json.loads((where / FINDINGS).read_bytes())
    unchecked = False
    if (folder / "out.json").exists():
        facts = json.loads((folder / "out.json").read_bytes())
        open_parts = [check for check in facts.get("checks", ()) if check["what"].startswith("not")]
        open_parts += [value for key, value in facts.items() if key.startswith("not")]
        unchecked = "sentences" in json.dumps(open_parts)
    return {
        (*(str(row.get(name)) for name in LABELS),
         *(f"{row[name]:.5g}" if row.get(name) is not None else "" for name in NUMBERS),
         *(() if unchecked else (row["sentence"],)))
        for row in findings["findings"]
    }  # fmt: skip


AS_WRITTEN = re.compile(r"as (it|they) (is|was|are|were) written|not (recomputed|verified|checked)")


CLAIMS = r"### (?:Verdicts|In these sentences)\n(.*?)(?=\n#|\Z)"
"""The parts of a model card that state what an audit showed."""


def card_claims(_: Path, reply: Reply) -> Rows:
    """The verdicts and sentences of model cards, unless they say that nobody checked them."""
    if AS_WRITTEN.search(reply.out + reply.err):
        return set()
    sections = re.findall(CLAIMS, reply.out, re.DOTALL)
    lines = "".join(sections).split("\n")
    return {(line.split(" To decide it: ")[0],) for line in lines if line.startswith("- ")}


def gate_rows(_: Path, reply: Reply) -> Rows:
    """A gate's answer, and the verdict on each comparison."""
    words = ("tilted", "even", "undecided", "no signal", "not estimable")
    lines = reply.out.split("\n")
    verdicts = {tuple(re.split(r"\s{2,}", line)[:3]) for line in lines if line.startswith(words)}
    answers = {(line,) for line in lines if re.match(r"Gate: \w+\.", line)}
    return {*verdicts, *answers, (f"exit code {reply.code}",)}


def opened_findings(_: Path, reply: Reply) -> Rows:
    """The verdicts that the explorer's page is given."""
    audits = json.loads(reply.out)["audits"]
    rows = [row for audit in audits for row in audit["findings"]]
    return {(row["sentence"], row["verdict"]) for row in rows}


def states_nothing(_: Path, __: Reply) -> Rows:
    """No verdict."""
    return set()


@dataclass(frozen=True)
class Opening:
    """A command that opens a folder."""

    name: str
    words: Callable[[str, str, str], tuple[str, ...]]
    """By the folder's name, a system of it and an honest folder: the command line."""
    stated: Callable[[Path, Reply], Rows] = states_nothing
    """The verdicts that it states."""
    codes: tuple[int, ...] = (0, 2, 4)


OPENINGS = (
    Opening("verify", lambda name, *_: ("verify", name, "--json", "out.json"), verified_findings),
    Opening("card", lambda name, *_: ("card", name), card_claims),
    Opening(
        "gate", lambda name, *_: ("gate", name, "--gate", "gender<=0.01"),
        gate_rows, (0, 1, 2, 3, 4),
    ),
    Opening(
        "compare as old",
        lambda name, _, good: ("compare", name, good, "-o", "new", "--json", "out.json", "-q"),
        stated_in_json,
    ),
    Opening(
        "compare as new",
        lambda name, _, good: ("compare", good, name, "-o", "new", "--json", "out.json", "-q"),
        stated_in_json,
    ),
    Opening(
        "drift",
        lambda name, system, _: (
            "drift", name, "--sample", "2", "--repeat", "1", "-o", "new", "--json", "out.json",
            "-q", *(("--as", system) if system else ()),
        ),
        stated_in_json,
    ),
    Opening(
        "explain",
        lambda name, system, _: (
            "explain", system or "vader", "--from", name, "--json", "out.json", "-q",
        ),
        stated_in_json,
    ),
    Opening("explore", lambda *_: (), opened_findings),
    Opening("plan", lambda name, *_: ("plan", "--from", name, "--json", "out.json")),
    Opening("pack", lambda name, *_: ("pack", name, "new.zip", "-q")),
    Opening(
        "audit onto it",
        lambda name, *_: (
            "audit", "constant", "--sample", "1", "--measure", "pairs", "-o", name, "-q",
        ),
    ),
    Opening(
        "compare onto it", lambda name, _, good: ("compare", good, good, "-o", name, "-q")
    ),
    Opening(
        "rate onto it",
        lambda name, *_: (
            "rate", "constant", "--groups", "1", "--draws", "2", "-o", name, "-q",
        ),
    ),
    Opening(
        "rate with it",
        lambda name, *_: (
            "rate", "constant", "--groups", "1", "--draws", "2", "--reference", name, "-o", "new",
            "-q",
        ),
    ),
)  # fmt: skip
BY_NAME = {opening.name: opening for opening in OPENINGS}
ONTO = tuple(opening for opening in OPENINGS if opening.name.endswith("onto it"))
OF_AUDIT = tuple(opening for opening in OPENINGS if opening.name != "rate with it")
OF_PACK = tuple(
    BY_NAME[name] for name in ("verify", "card", "gate", "compare as new", "explain", "plan")
)
OF_PANEL = (BY_NAME["rate with it"], BY_NAME["rate onto it"], BY_NAME["audit onto it"])


# ---------------------------------------------------------------- a case

KEPT = "somebody's own\n"


@dataclass(frozen=True)
class Case:
    """A number, and what it stands for: a folder, a change, and the commands that open it."""

    number: int
    sent: Sent
    description: str
    openings: tuple[Opening, ...]
    system: str
    honest: bool = False
    """Whether nothing was changed, so that every command opens it and states its verdicts."""

    def __str__(self) -> str:
        kind = "pack" if self.sent.packed else self.sent.seed
        return f"case {self.number}: {kind}, {self.description}"


def make_case(number: int, seeds: Mapping[str, dict[str, bytes]], folder: Path) -> Case:
    """The case of a number; the traps that its folder may name lie beside it."""
    rng = np.random.default_rng(number)
    change = CHANGES[number % len(CHANGES)]
    seed = pick(rng, (*AUDITS, *AUDITS, "eec", PANEL))
    packed = seed != PANEL and rng.random() < 0.15
    sent = Sent(seed, dict(seeds[seed]), packed, mirrored=bool(rng.random() < 0.9))
    description = f"{change.__name__}: {change(sent, rng, folder)}"
    return Case(number, sent, description, *_opened_by(sent, change.__name__, rng))


def honest_case(seed: str, seeds: Mapping[str, dict[str, bytes]], *, packed: bool = False) -> Case:
    """A folder as it was left, opened by every command."""
    sent = Sent(seed, dict(seeds[seed]), packed)
    opened_by = OF_PANEL[:1] if seed == PANEL else OF_PACK[:3] if packed else OF_AUDIT
    openings = tuple(opening for opening in opened_by if opening not in ONTO)
    return Case(-1, sent, "unchanged", openings, SYSTEMS.get(seed, ("",))[0], honest=True)


AIMED_AT = {
    "swap_system_spec": "drift", "swap_system_again": "drift",
    "claim_another_schema": "verify", "claim_another_version": "verify",
}  # fmt: skip
"""By change, a command that always opens it: the one that asks or believes what was changed."""


def _opened_by(
    sent: Sent, change: str, rng: np.random.Generator
) -> tuple[tuple[Opening, ...], str]:
    openings = OF_PANEL if sent.seed == PANEL else OF_PACK if sent.packed else OF_AUDIT
    chosen = rng.choice(len(openings), COMMANDS_A_CASE, replace=False)
    system = pick(rng, SYSTEMS.get(sent.seed, ("",)))
    opened_by = [openings[number] for number in chosen]
    if BY_NAME.get(AIMED_AT.get(change, "")) in openings:
        opened_by[0] = BY_NAME[AIMED_AT[change]]
    if sent.renamed and system:
        system = next(iter(sent.renamed))
    return tuple(dict.fromkeys(opened_by)), system


def prepare(folder: Path, address: str) -> None:
    """Put what a folder may name beside the place where it will lie."""
    lay_traps(folder, address)
    (folder / "address").write_text(address)
    with (folder / "trap.toml").open("a") as file:
        file.write('[request]\nheaders = { key = "${MY_SECRET_TOKEN}" }\n')
    lay_victim(folder)


def lay_victim(folder: Path) -> None:
    """Put somebody's folder where a link may lead, as it was."""
    shutil.rmtree(folder / "victim", ignore_errors=True)
    (folder / "victim").mkdir()
    (folder / "victim" / "kept.txt").write_text(KEPT)


def faults_of(
    case: Case, worker: Worker, folder: Path, honest: Path, calls: list[Any]
) -> list[str]:
    """Open what was sent with each command of the case; whatever no command may do, in words."""
    faults = list[str]()
    twin: Reply | None = None
    for opening in case.openings:
        _clear(folder)
        path = case.sent.write(folder)
        before = len(calls)
        reply = _open(opening, case, worker, folder, honest)
        faults += [f"{opening.name}: {fault}" for fault in _faults_in(opening, case, reply, path)]
        if (folder / "ran").exists() or len(calls) > before:
            faults.append(f"{opening.name}: a stranger's code ran, or an address was called")
        if files_in(folder / "victim") != {"kept.txt": KEPT.encode()}:
            faults.append(f"{opening.name}: wrote into another folder")
            lay_victim(folder)
        if opening.stated is states_nothing or reply.code not in {0, 1, 3} & {*opening.codes}:
            continue
        try:
            stated = opening.stated(folder, reply)
        except Exception as error:
            faults.append(f"{opening.name}: its output cannot be read: {error!r:.200}")
            continue
        if not stated:
            faults += [f"{opening.name}: states no verdict"] * case.honest
            continue
        if twin is None:
            twin = worker.ask(action="twin", folder=str(folder), name=_unpacked(case, folder).name)
        faults += [
            f"{opening.name}: {fault}"
            for fault in _against_twin(opening, case, worker, folder, honest, stated, twin)
        ]
    return faults


def _open(opening: Opening, case: Case, worker: Worker, folder: Path, honest: Path) -> Reply:
    name = PACK if case.sent.packed and (folder / PACK).exists() else FOLDER
    if opening.name == "explore":
        return worker.ask(action="explore", folder=str(folder), name=name, person="Latisha")
    good = os.path.relpath(honest / case.sent.seed, folder)
    renamed = case.sent.renamed if opening.name == "drift" else {}  # elsewhere it is the user's
    words = opening.words(name, renamed.get(case.system, case.system), good)
    return worker.ask(action="command", folder=str(folder), words=words)


def _clear(folder: Path, *but: str) -> None:
    """Remove what an earlier command left."""
    for name in {FOLDER, "new", "kept", "ran"} - {*but}:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in (PACK, "new.zip", "out.json"):
        (folder / name).unlink(missing_ok=True)


CHANGED_TABLES = {FINDINGS, "scores.parquet", "sentences.parquet", "estimates.parquet"}
"""What every command that opens an audit has to hold against its digest."""


def _faults_in(opening: Opening, case: Case, reply: Reply, path: Path) -> Iterator[str]:
    if reply.code is None:
        yield " ".join(reply.err.split())[-600:]
        return
    if case.honest and reply.code not in (0, 1, 3):
        yield f"does not open it: {reply.err[:300]}"
    if "Traceback" in reply.err:
        yield f"a traceback: {' | '.join(reply.err.strip().splitlines()[-3:])[-400:]}"
    elif reply.code not in opening.codes:
        yield f"exit code {reply.code}: {reply.err[-200:]}"
    elif (reply.code in (2, 4) and opening.name != "gate") or reply.code == 2:
        asks = ("baseline", *case.sent.renamed.values()) if opening.name == "drift" else ()
        yield from _faults_in_message(reply.err, (path.stem, *asks))
    if "Warning:" in reply.err:
        yield f"a warning of a library: {' '.join(reply.err.split())[:300]}"
    if reply.flagged:
        yield f"did what no folder may bring about: {reply.flagged[:3]}"
    if reply.peak > MEMORY:
        yield f"took {reply.peak / 1e9:.1f} GB"
    printed = reply.err + reply.out * (opening.name != "explore")
    if odd := {letter for letter in printed if _moves_the_cursor(letter)} - {"\n", "\t"}:
        yield f"printed {sorted(map(ascii, odd))[:5]}"
    altered = not case.sent.sealed and CHANGED_TABLES & {*case.sent.touched}
    if altered and opening not in ONTO and reply.code not in (2, 4):
        yield f"opened a folder whose {', '.join(sorted(altered))} is not what its hash says"


def _faults_in_message(err: str, places: Sequence[str]) -> Iterator[str]:
    """Whatever is wrong with a message that has to name one of some places."""
    lines = [line for line in err.splitlines() if line.strip() and not _of_polars(line)]
    if sum(line.startswith("error: ") for line in lines) != 1 or not lines[0].startswith("error"):
        yield f"not one message: {err[:300]!r}"
    elif len(lines) > MESSAGE_LINES or len(err) > MESSAGE_LETTERS:
        yield f"a message of {len(lines)} lines and {len(err):,} letters"
    elif not any(place in err for place in places):
        yield f"a message that does not say where: {err[:300]!r}"


def _of_polars(line: str) -> bool:
    return "panicked at" in line or line.startswith(("note: run with", "called `"))


TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029"


def _moves_the_cursor(letter: str) -> bool:
    """Whether a letter steers a terminal or turns text around."""
    return unicodedata.category(letter) == "Cc" or letter in TURNING


def _unpacked(case: Case, folder: Path) -> Path:
    """The folder that was sent; of a pack, one with its files."""
    if case.sent.packed:
        with zipfile.ZipFile(folder / PACK) as archive:
            for name in ("run.json", "sentences.parquet", "scores.parquet", "people.parquet"):
                (folder / "unpacked").mkdir(exist_ok=True)
                (folder / "unpacked" / name).write_bytes(archive.read(name))
        return folder / "unpacked"
    return folder / FOLDER


def _against_twin(
    opening: Opening, case: Case, worker: Worker, folder: Path, honest: Path, stated: Rows,
    twin: Reply,
) -> Iterator[str]:  # fmt: skip
    """Hold what was stated against what the same command states of an audit of these answers."""
    if twin.code != 0:
        yield f"states verdicts though no audit has such answers ({twin.err[:200]})"
        return
    place = folder / "twin"
    if opening.name == "verify":
        rows = verified_findings(place, Reply(0))
        if stated and len(next(iter(stated))) == len(LABELS) + len(NUMBERS):  # no sentences
            rows = {row[: len(LABELS) + len(NUMBERS)] for row in rows}
        reply = Reply(0)
    else:
        unpacked = Case(case.number, Sent(case.sent.seed, {}), "", (), case.system)
        _clear(place, FOLDER)
        reply = _open(opening, unpacked, worker, place, honest)
        if reply.code not in (0, 1, 3):
            yield f"states verdicts that it does not state of its answers ({reply.err[:200]})"
            return
        rows = opening.stated(place, reply)
    if stated != rows:
        only, lacking = sorted(stated - rows)[:1], sorted(rows - stated)[:1]
        yield f"verdicts do not follow: {str(only)[:300]}; expected {str(lacking)[:300]}"


@contextmanager
def opened_worker() -> Iterator[Worker]:
    """A worker, ended afterwards."""
    worker = Worker()
    try:
        yield worker
    finally:
        worker.close()
