"""Gigabytes of nothing, pipes, devices and bombs: refused by what they are, not by what breaks."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from valid_samples import GLOVE, ROWS, WORDS, skops_bytes

from tiltmeter.cli import main
from tiltmeter.corpora import load_corpus, load_lexicon, read_gold, read_system_metadata
from tiltmeter.errors import TiltmeterError
from tiltmeter.files import GB, MB
from tiltmeter.systems import open_system, read_scores
from tiltmeter.vectors import open_vectors

LIGHT = 450
"""Megabytes that a refusal may take, the start of Python among them."""
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".toml")


def noise(file: io.BufferedWriter, size: int) -> None:
    block = os.urandom(MB)
    for _ in range(size // len(block)):
        file.write(block)


def repeated(piece: bytes):
    def fill(file: io.BufferedWriter, size: int) -> None:
        block = piece * (MB // len(piece))
        for _ in range(size // len(block)):
            file.write(block)

    return fill


def headed(file: io.BufferedWriter, size: int) -> None:
    file.write(b"text,gender,template\nShe is here.,female,1\n")
    repeated(b"\0")(file, size)


GARBAGE = {
    "random bytes": noise,
    "one line": repeated(b"a"),
    "newlines": repeated(b"\n"),
    "NULs": repeated(b"\0"),
    "a hole": lambda file, size: file.truncate(size),
    "NULs after a head": headed,
}


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str
    megabytes: float


# Not by `wait4`: on Linux that counts a child's memory from that of the process it was forked off,
# and a long run of tests is a large one.
TOLD = """
import atexit, pathlib, re, sys
def tell():
    held = pathlib.Path("/proc/self/status").read_text()
    print("peak", re.search(r"VmHWM:\\s+(\\d+)", held)[1], file=sys.stderr)
atexit.register(tell)
from tiltmeter.cli import main
main()
"""


def tiltmeter(*words: str) -> Ran:
    """Run the command line in a process of its own and see what it took."""
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *words], capture_output=True, text=True, check=False
    )
    err, _, peak = done.stderr.rpartition("peak ")
    return Ran(done.returncode, done.stdout, err, int(peak) / 1024)


def check_refused(done: Ran, megabytes: float = LIGHT) -> None:
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err
    assert len(done.err) < 2000
    assert done.megabytes < megabytes


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_no_table_of_any_kind(kind, tmp_path):
    check_no_table(garbage(tmp_path, kind, MB))


@pytest.mark.slow
@pytest.mark.parametrize("kind", GARBAGE)
def test_64_mb_of_garbage_are_no_corpus(kind, tmp_path):
    path = garbage(tmp_path, kind, 64 * MB)
    check_refused(tiltmeter("corpus", "check", str(path)))
    check_no_table(path)


def garbage(folder: Path, kind: str, size: int) -> Path:
    path = folder / "garbage.csv"
    with path.open("wb") as file:
        GARBAGE[kind](file, size)
    return path


def check_no_table(path: Path) -> None:
    """Whatever it is called, and whatever it is to be."""
    for ending in ENDINGS:
        path = path.rename(path.with_suffix(ending))
        for read in (load_corpus, read_gold, read_system_metadata, lambda p: load_lexicon([p])):
            with pytest.raises(TiltmeterError):
                read(path)
        with pytest.raises(TiltmeterError):
            read_scores(path, pl.DataFrame({"id": ["1"], "text": ["a"]}))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", GARBAGE)
def test_a_gigabyte_of_garbage_is_no_corpus(kind, ending, tmp_path):
    path = tmp_path / f"garbage{ending}"
    with path.open("wb") as file:
        GARBAGE[kind](file, GB)
    # What begins as a table, and Parquet, whose index stands at its end, are read first.
    read_first = kind == "NULs after a head" or ending == ".parquet"
    check_refused(tiltmeter("corpus", "check", str(path)), 2600 if read_first else LIGHT)
    check_refused(tiltmeter("score", str(path), "--corpus", "eec"), 2600 if read_first else LIGHT)
    path.unlink()


@pytest.mark.parametrize(
    ("name", "size", "read", "said"),
    [
        ("about.csv", 3 * GB, read_system_metadata, "found 3.0 GB; at most 2.0 GB are read"),
        ("mine.toml", 20 * MB, load_corpus, "found 20.0 MB; at most 16.0 MB are read"),
        ("worth.txt", GB, lambda path: load_lexicon([path]), "found 1.0 GB; at most 16.0 MB"),
    ],
)
def test_a_file_too_large_to_be_read_is_not_opened(name, size, read, said, tmp_path):
    with (tmp_path / name).open("wb") as file:
        file.truncate(size)
    with pytest.raises(TiltmeterError, match=said):
        read(tmp_path / name)


def test_a_key_of_a_hundred_thousand_parts_does_not_take_for_ever(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("[corpus]\n" + "a." * 100_000 + "a = 1\n")
    with pytest.raises(TiltmeterError, match=r"deep.toml:2: Found 100,000 points in a line"):
        load_corpus(path)


# ---------------------------------------------------------------- what is no plain file


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def loop(path: Path) -> None:
    path.symlink_to(path)


def nobodys(path: Path) -> None:
    path.symlink_to(path.parent / "nothing here")


READS = {
    ".csv": (load_corpus, read_gold, read_system_metadata),
    ".tsv": (load_corpus, read_gold, read_system_metadata),
    ".jsonl": (load_corpus, read_gold),
    ".parquet": (load_corpus, read_gold, lambda path: open_vectors(str(path))),
    ".toml": (load_corpus, lambda path: load_lexicon([path]), lambda path: open_system(str(path))),
    ".txt": (lambda path: load_lexicon([path]), lambda path: open_vectors(str(path))),
    ".gz": (lambda path: open_vectors(str(path)),),
    ".skops": (lambda path: open_system(f"sklearn:{path}"),),
}


@pytest.mark.parametrize("ending", READS)
@pytest.mark.parametrize("make", [pipe, device, loop, nobodys, folder])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(make, ending, tmp_path):
    path = tmp_path / f"odd{ending}"
    make(path)
    for read in READS[ending]:
        refused: list[TiltmeterError] = []

        def tried(read=read, refused=refused):
            with pytest.raises(TiltmeterError) as error:
                read(path)
            refused.append(error.value)

        thread = threading.Thread(target=tried, daemon=True)
        thread.start()
        thread.join(300)
        assert len(refused) == 1, "it waits, or raised something else"


def test_a_pipe_on_the_command_line_is_refused_in_words(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    done = tiltmeter("corpus", "check", str(tmp_path / "pipe.csv"))
    check_refused(done)
    assert "this is a pipe or a device, which is not opened" in done.err


@pytest.mark.parametrize(
    "name", ["x" * 300, f"{'x' * 300}.csv", f"{'x' * 300}.toml", "~nobody-is-called-so/x.csv"]
)
def test_a_name_too_long_or_of_nobody_is_refused_in_words(name, tmp_path, monkeypatch, capfd):
    for words in (
        ("corpus", "check", name),
        ("score", name, "--corpus", "eec"),
        ("embeddings", name, "-o", str(tmp_path / "out")),
    ):
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *words])
        with pytest.raises(SystemExit) as done:
            main()
        told = capfd.readouterr().err
        assert done.value.code == 2
        assert told.startswith("error: ")
        assert "output" not in told


# ---------------------------------------------------------------- bombs


def gzip_bomb(path: Path, size: int) -> Path:
    """Little that unpacks to much: good lines, a line without an end, so often packed anew."""
    block = gzip.compress(GLOVE + bytes(16 * MB), mtime=0)
    path.write_bytes(block * (size // (16 * MB)))
    return path


def test_a_gzip_bomb_is_not_unpacked_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.files.UNPACKED", 32 * MB)
    path = gzip_bomb(tmp_path / "bomb.txt.gz", 256 * MB)
    vectors = open_vectors(str(path))
    with pytest.raises(TiltmeterError, match="unpacks to more than 100 times its size"):
        vectors.lookup(["she"])


def test_a_file_of_blank_lines_is_given_up_soon(tmp_path):
    path = tmp_path / "blank.txt"
    path.write_bytes(GLOVE + b"\n" * (64 * MB))
    vectors = open_vectors(str(path))
    with pytest.raises(TiltmeterError, match="lines without anything"):
        vectors.lookup(["she"])


@pytest.mark.slow
def test_eight_gigabytes_in_eight_megabytes_are_refused_in_little_space(tmp_path):
    path = gzip_bomb(tmp_path / "bomb.txt.gz", 8 * GB)
    done = tiltmeter("embeddings", str(path), "-o", str(tmp_path / "out"))
    check_refused(done)
    assert "unpacks to more than" in done.err


def packed(path: Path, members: dict[str, bytes], zeros: int) -> Path:
    """A zip file with some members and one of so many zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        with archive.open("zeros.npy", "w", force_zip64=True) as file:
            for _ in range(zeros // (16 * MB)):
                file.write(bytes(16 * MB))
    return path


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_a_zip_bomb_of_vectors_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.files.UNPACKED", 32 * MB)
    members = {"words.npy": npy(np.array(WORDS)), "vectors.npy": npy(ROWS)}
    path = packed(tmp_path / "bomb.npz", members, 256 * MB)
    with pytest.raises(TiltmeterError, match=r"would unpack to 256.0 MB, so it is not opened"):
        open_vectors(str(path))


def test_a_zip_bomb_of_a_pipeline_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.files.UNPACKED", 32 * MB)
    with zipfile.ZipFile(io.BytesIO(skops_bytes())) as held:
        members = {name: held.read(name) for name in held.namelist()}
    path = packed(tmp_path / "bomb.skops", members, 256 * MB)
    with pytest.raises(TiltmeterError, match="would unpack to 256"):
        open_system(f"sklearn:{path}")


def test_a_matrix_of_billions_in_a_few_bytes_is_refused(tmp_path):
    head = npy(ROWS).replace(b"(5, 3)", b"(5, 999999999)")
    members = {"words.npy": npy(np.array(WORDS)), "vectors.npy": head}
    path = packed(tmp_path / "wide.npz", members, 0)
    with pytest.raises(TiltmeterError, match="found rows of 999,999,999 values"):
        open_vectors(str(path))
    path = tmp_path / "wide.bin"
    path.write_bytes(b"5 999999999\n" + bytes(range(256)))
    with pytest.raises(TiltmeterError, match="promises 999,999,999 values a word"):
        open_vectors(str(path))


@pytest.mark.parametrize(
    "read",
    [load_corpus, read_gold, read_system_metadata, lambda path: open_vectors(str(path))],
)
def test_a_table_of_too_many_cells_in_a_few_kilobytes_is_refused(read, tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.files.MOST_CELLS", 1_000_000)
    path = tmp_path / "bomb.parquet"
    pl.DataFrame({f"c{nth}": ["x"] * 100_000 for nth in range(12)}).write_parquet(path)
    assert path.stat().st_size < 20_000
    with pytest.raises(TiltmeterError, match=r"100,000 rows of 12 columns; at most 1,000,000"):
        read(path)
