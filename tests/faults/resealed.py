"""Folders and packs that somebody has been at, with every hash made to fit.

`Sent` is a folder held in memory. Whatever is changed in it (`resealed_changes.py`), `seal` makes
the digests of run.json fit again, and those of manifest.json where it goes out as a pack.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

import command_line
from small_audit import members, small_corpus, zipped
from small_audit import resealed as resealed_pack

FOLDER, PACK = "sent", "sent.zip"
RUN, FINDINGS, RATINGS, MANIFEST = "run.json", "findings.json", "ratings.json", "manifest.json"

_OPEN, _CLOSE = "\ue000", "\ue001"
_RAW = re.compile(rb'"\\ue000([0-9a-f]*)\\ue001"')


def raw(text: bytes) -> str:
    """Stand in a tree for bytes that `json.dumps` would not write: 1e400, a lone surrogate.

    >>> rendered({"a": raw(b"1e400")})
    b'{\\n "a": 1e400\\n}'
    """
    return f"{_OPEN}{text.hex()}{_CLOSE}"


def rendered(tree: Any) -> bytes:
    """The tree as JSON, with the bytes that `raw` stands for."""
    text = json.dumps(tree, indent=1, default=str).encode()
    return _RAW.sub(lambda match: bytes.fromhex(match[1].decode()), text)


def digest(data: bytes) -> str:
    """What run.json says of a file."""
    return hashlib.sha256(data).hexdigest()


@dataclass
class Sent:
    """What somebody sends: a folder's files, and what of it is no plain file."""

    seed: str
    files: dict[str, bytes]
    packed: bool = False
    odd: dict[str, Callable[[Path], object]] = field(default_factory=dict)
    """By name, what makes a link, a pipe or a folder at a path."""
    sealed: bool = True
    """False: a change was made and the hashes left as they were."""
    mirrored: bool = True
    """Whether findings.json is to tell of the same run as run.json."""
    trees: dict[str, Any] = field(default_factory=dict)
    """JSON that is being changed; `seal` writes it."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Systems that are called otherwise, by what they were called."""
    touched: list[str] = field(default_factory=list)
    """The files whose content was changed."""

    def tree(self, name: str) -> Any:
        """A JSON file's content, to be changed in place or replaced with `put_tree`."""
        if name not in self.trees:
            self.trees[name] = json.loads(self.files[name])
        self.touch(name)
        return self.trees[name]

    def put_tree(self, name: str, tree: Any) -> None:
        """Replace a JSON file's content."""
        self.trees[name] = tree
        self.touch(name)

    def table(self, name: str) -> pl.DataFrame:
        """A table of the folder."""
        return pl.read_parquet(self.files[f"{name}.parquet"])

    def put_table(self, name: str, frame: pl.DataFrame, folder: Path) -> None:
        """Replace a table."""
        path = folder / "table.parquet"
        frame.write_parquet(path)
        self.put_bytes(f"{name}.parquet", path.read_bytes())

    def put_bytes(self, name: str, data: bytes) -> None:
        """Replace or add a file."""
        self.files[name] = data
        self.trees.pop(name, None)
        self.touch(name)

    def touch(self, name: str) -> None:
        """Note that a file was changed."""
        if name not in self.touched:
            self.touched.append(name)

    @cached_property
    def tables(self) -> list[str]:
        """The names of its tables."""
        return sorted(Path(name).stem for name in self.files if name.endswith(".parquet"))

    def seal(self) -> dict[str, bytes]:
        """Every file as it goes out, the digests in run.json made to fit unless `sealed` is not."""
        run = self.trees.get(RUN)
        if run is None and RUN in self.files:
            run = _parsed(self.files[RUN])
        if self.mirrored and isinstance(run, dict) and RUN in self.trees and FINDINGS in self.files:
            findings = self.trees.get(FINDINGS) or _parsed(self.files[FINDINGS])
            if isinstance(findings, dict):
                same = {name: run[name] for name in ("run", "environment") if name in run}
                self.trees[FINDINGS] = findings | same
        files = dict(self.files)
        files |= {name: rendered(tree) for name, tree in self.trees.items()}
        if isinstance(run, dict) and self.sealed:
            files[RUN] = rendered({**run, "files": _relisted(run.get("files"), files)})
        return files

    def write(self, folder: Path) -> Path:
        """Write it into a folder of the receiver; the path of what was sent."""
        files = self.seal()
        if self.packed:
            manifest = self.trees.get(MANIFEST)
            inside = {name: data for name, data in files.items() if name != MANIFEST}
            pack = resealed_pack(inside, folder / PACK, relist=False)
            if manifest is None:
                return pack
            return zipped({**members(pack), MANIFEST: rendered(manifest)}, pack)
        where = folder / FOLDER
        for name, data in files.items():
            path = where / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        for name, make in self.odd.items():
            path = where / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            make(path)
        return where


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _relisted(listed: Any, files: dict[str, bytes]) -> Any:
    """The list of files in run.json, with the digests of what goes out."""
    if not isinstance(listed, list):
        return listed
    return [
        {**entry, "sha256": digest(files[entry["file"]])}
        if isinstance(entry, dict) and entry.get("file") in files and entry["file"] != RUN
        else entry
        for entry in listed
    ]


def list_file(sent: Sent, name: str) -> None:
    """Have run.json list a file that was added."""
    run = sent.tree(RUN)
    if isinstance(run, dict) and isinstance(run.get("files"), list):
        run["files"].append({"file": name, "sha256": ""})


# ---------------------------------------------------------------- what the changes begin with

GOLD = "text,score\n" + "".join(
    f"I feel {word} about it.,0.{tenth}\n"
    for tenth, word in enumerate(
        ["awful", "bad", "sad", "so", "fine", "good", "great", "wonderful"], 1
    )
)
_AUDIT = {
    "eec": ("vader", "--sample", "11", "--measure", "pairs"),
    "people": ("vader", "--corpus", "names-us", "--people", "2", "--frames", "4"),
    "several": ("vader", "constant", "tilted:gender=0.03", "--sample", "4", "--measure", "pairs"),
    "regression": (
        "vader", "tilted:gender=0.03", "--corpus", "small.csv", "--axis", "gender=female,male",
        "--axis", "region=north,south", "--language", "en", "--gold", "gold.csv",
        "--max-missing", "1",
    ),
}  # fmt: skip
SYSTEMS = {"several": ("vader", "constant", "tilted:gender=0.03"), "regression": ("vader",)}
"""The systems of an audit, where there is another than vader."""
AUDITS = tuple(_AUDIT)
PANEL = "panel"
_RATE = ("vader", "textblob", "--groups", "1", "--draws", "2")


def make_seeds(folder: Path) -> dict[str, dict[str, bytes]]:
    """The files of every folder that the changes begin with, by the seed's name."""
    small_corpus(folder)
    (folder / "gold.csv").write_text(GOLD)
    runs = {name: ("audit", *words) for name, words in _AUDIT.items()} | {PANEL: ("rate", *_RATE)}
    for name, words in runs.items():
        done = command_line.tiltmeter(*words, "-o", name, "--store", "kept", "-q", folder=folder)
        assert done.returncode == 0, done.stderr
    return {name: files_in(folder / name) for name in runs}


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def link_to(target: str) -> Callable[[Path], object]:
    """A link to some place."""
    return lambda path: path.symlink_to(target)


def put_pipe(path: Path) -> None:
    """Put a pipe that nobody writes into at a path."""
    os.mkfifo(path)
