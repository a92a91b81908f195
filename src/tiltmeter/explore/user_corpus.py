"""Sentences that a user keeps from the explorer, in a table that `tiltmeter audit` opens."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.errors import OutputError
from tiltmeter.explore.requests import CorpusSentence
from tiltmeter.files import write_text

COLUMNS = ("text", "frame", "gender")


def add_sentences(path: Path, sentences: Sequence[CorpusSentence]) -> int:
    """Add sentences that differ only in whom they mention, as a frame of their own.

    Gives the number of rows then. The file is written anew as a whole: never half a row.
    """
    rows = _rows(path)
    frame = f"explored-{1 + len({row['frame'] for row in rows})}"
    rows += [{"text": one.text, "frame": frame, "gender": one.gender} for one in sentences]
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(file.getvalue(), path)
    return len(rows)


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return []
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise OutputError(
            f"{path} has other columns than {', '.join(COLUMNS)}; name another file to add to"
        )
    return [dict(row) for row in reader]
