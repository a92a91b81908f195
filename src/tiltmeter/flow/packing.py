"""An output folder packed as evidence: one zip that others can verify, without anybody's keys."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiltmeter.errors import OutputError, TiltmeterError
from tiltmeter.files import is_file, is_there
from tiltmeter.report import evidence_in, is_pack, results_of, write_pack
from tiltmeter.systems import shown_words

SHORTEST_KEY = 8
"""Letters of a value that is looked for: shorter ones stand in any text."""

FOLDERS = ("PWD", "OLDPWD")
"""Called like passwords, and none."""


def pack(folder: Path | str, to: Path | str) -> Path:
    """Pack an audit's output folder into a zip, the same bytes for the same folder.

    Refused where the folder is not what the audit left, or holds a key of this machine.
    """
    where, target = Path(folder), Path(to)
    _check_command(results_of(where))
    _check_target(target)
    write_pack(where, target, Keys().look)
    return target


def fingerprint_of(path: Path | str) -> str:
    """The one digest over all files of a pack or output folder, each of them checked."""
    with evidence_in(Path(path)) as found:
        return found.manifest.fingerprint


def _check_target(to: Path) -> None:
    """Replace an earlier pack, and nothing else."""
    if is_file(to) and not is_pack(to):
        what = f"{to}: is there already, and is no pack"
        raise OutputError(f"{what}; name another place, or remove it")


class Keys:
    """The secrets in this machine's environment, looked for in what is packed."""

    def __init__(self) -> None:
        self._keys = dict(_keys())
        self._longest = max(map(len, self._keys), default=0)
        self._file, self._last = "", b""

    def look(self, name: str, part: bytes) -> None:
        """Raise where a file holds a key, also where it begins in the part before."""
        kept = self._last if name == self._file else b""
        seen = kept + part
        for key, variable in self._keys.items():
            if key in seen:
                what = f"{name} holds the value of ${variable}, which looks like a key"
                raise TiltmeterError(f"{what}: nothing was packed; see where it comes from")
        self._file, self._last = name, seen[max(0, len(seen) - self._longest) :]


def _keys() -> Iterator[tuple[bytes, str]]:
    """Values of variables that are called like keys, and what these are called."""
    for name, value in os.environ.items():
        said, place = f"{name}=0", name in FOLDERS or (value.startswith("/") and is_there(value))
        if len(value) >= SHORTEST_KEY and not place and shown_words([said]) != [said]:
            yield value.encode(errors="surrogateescape"), name


def _check_command(run: dict[str, Any]) -> None:
    """Refuse a command line that a key stands in: the audit strikes them out, others may not."""
    told = run.get("environment", {}).get("command") or ""
    try:
        words = shlex.split(told)
    except ValueError:
        words = told.split()
    if shown_words(words) != words:
        what = "the command in run.json holds what looks like a key"
        raise TiltmeterError(f"{what}: nothing was packed; audit again with the key in a ${{NAME}}")
