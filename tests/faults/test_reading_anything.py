"""Every reader against everything: what it cannot read is one of our errors, soon, in little space.

Each starts from a valid file (`valid_samples.py`), which is cut, flipped, spliced and stuffed, or
written anew with values that nobody means (`damaged_bytes.py`).
"""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from damaged_bytes import damaged, odd_json, odd_table, odd_toml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from valid_samples import READERS, Reader

from tiltmeter.errors import TiltmeterError

EXAMPLES, MANY = 6, 2000
"""Of each reader: in `make test`, and in `make faults`."""
SECONDS = 300
MEGABYTES = 500
"""What reading files of at most 200 kB may take."""
TABLES = ("csv", "tsv", "jsonl", "parquet")
EACH = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name.replace(" ", "-"))


def laid_out(reader: Reader, folder: Path, data: bytes | None = None) -> Path:
    """The reader's files in a folder, the first of them with other content."""
    for name, valid in reader.files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(valid)
    path = folder / reader.file
    if data is not None:
        path.write_bytes(data)
    return path


def files(reader: Reader) -> st.SearchStrategy[bytes]:
    """Everything that is tried on a reader."""
    valid, ending = reader.files()[reader.file], reader.file.rpartition(".")[2]
    tried = [damaged(valid)]
    if ending == "toml":
        tried.append(odd_toml(valid))
    if ending == "json":
        tried.append(odd_json(valid))
    if ending in TABLES and "grid" not in reader.name:
        tried.append(odd_table(valid, ending))
    return st.one_of(tried)


@contextmanager
def soon() -> Iterator[None]:
    """Interrupt what does not come to an end."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"not read within {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def check(reader: Reader, folder: Path, examples: int) -> None:
    """Try so many files; anything but a result or one of our errors fails, warnings too."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

    @settings(max_examples=examples, deadline=None, suppress_health_check=health)
    @given(files(reader))
    def tried(data: bytes) -> None:
        path = laid_out(reader, folder, data)
        with soon():
            try:
                reader.read(path)
            except TiltmeterError as error:
                said = str(error)
                assert said

    tried()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - largest
    assert grown < MEGABYTES * 1024


@EACH
def test_a_valid_file_is_read(reader, tmp_path):
    reader.read(laid_out(reader, tmp_path))


@EACH
def test_a_damaged_file_gives_one_of_our_errors(reader, tmp_path):
    check(reader, tmp_path, EXAMPLES)


@pytest.mark.slow
@EACH
def test_thousands_of_damaged_files_give_one_of_our_errors(reader, tmp_path):
    check(reader, tmp_path, MANY)


PANICS = """
import sys
from pathlib import Path
from valid_samples import SENTENCES, scores_of, vectors, written, VECTOR_FRAME
from tiltmeter.corpora import load_corpus
from tiltmeter.errors import TiltmeterError

folder = Path(sys.argv[1])
for frame, read in ((SENTENCES, load_corpus), (SENTENCES, scores_of), (VECTOR_FRAME, vectors)):
    whole = written(frame, "parquet")
    for at in range(60, 130):  # the first page's header, where flips make Polars 2.1 panic
        path = folder / f"{read.__name__}-{at}.parquet"  # anew: the last may still be mapped
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1:])
        try:
            read(path)
        except TiltmeterError:
            pass
print("read")
"""


def test_a_panic_of_polars_is_one_of_our_errors(tmp_path):
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", PANICS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here)
    # Polars prints its panics itself: to hide them the whole process' stream would be swapped.
    assert (done.stdout, done.returncode) == ("read\n", 0)
    assert "Traceback" not in done.stderr
