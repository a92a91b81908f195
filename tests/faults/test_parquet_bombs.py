"""Some kilobytes of Parquet that stands for gigabytes: refused in words, in little memory."""

import os
import subprocess
import sys
import zipfile

import polars as pl
import pytest

from small_audit import members, resealed, small_folder
from tiltmeter import TiltmeterError, load_corpus
from tiltmeter.corpora import read_gold
from tiltmeter.files import MOST_CELLS, parquet_frame
from tiltmeter.vectors import open_vectors

MOST_MEMORY = 2 * 2**30

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the memory of a child")


def write_bomb(frame, path):
    """The first row of a table ten million times, far fewer cells than may be read."""
    million = pl.concat([pl.concat([frame.head(1)] * 1000)] * 1000, rechunk=True).lazy()
    pl.concat([million] * 10).sink_parquet(path, compression="zstd", row_group_size=5_000_000)
    rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    assert rows * frame.width < MOST_CELLS
    assert path.stat().st_size < 2**20
    return path


def run_measured(folder, *words):
    """What a command ends with and says, and how much memory it took at most."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tiltmeter", *map(str, words)], cwd=folder,
        env={**os.environ, "TILTMETER_STORE": str(folder / "store")},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    return child.returncode, " ".join(said.split()), usage.ru_maxrss * 1024


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """An audit's folder, packs of it in which one table is a bomb, and bombs of other kinds."""
    place = tmp_path_factory.mktemp("bombs")
    with pytest.MonkeyPatch.context() as patch:
        small_folder(place, patch)
    files = {
        path.relative_to(place / "out").as_posix(): path.read_bytes()
        for path in sorted((place / "out").rglob("*"))
        if path.is_file()
    }
    for name in ("scores", "sentences"):
        table = pl.read_parquet(place / "out" / f"{name}.parquet")
        bomb = write_bomb(table, place / f"{name}.parquet")
        pack = place / f"{name}.zip"
        resealed({**files, f"{name}.parquet": bomb.read_bytes()}, pack)
        with zipfile.ZipFile(pack) as archive:
            archive.extractall(place / name)
        (place / name / "manifest.json").unlink()
        assert members(pack)
    return place


COMMANDS = {
    "compare": ("compare", "out", "FOLDER", "-o", "compared"),
    "plan": ("plan", "--from", "FOLDER"),
    "explain": ("explain", "vader", "--from", "FOLDER"),
    "verify": ("verify", "FOLDER"),
    "verify a pack": ("verify", "FOLDER.zip"),
    "gate": ("gate", "FOLDER", "--gate", "gender<=0.2"),
    "drift": ("drift", "FOLDER", "vader", "-o", "drifted"),
    "scores": ("audit", "scores.parquet", "--sample", "11", "-o", "audited"),
    "a corpus": ("audit", "vader", "--corpus", "sentences.parquet", "-o", "audited"),
    "ratings": ("rate", "--scores", "scores.parquet", "-o", "rated"),
}


@pytest.mark.parametrize("name", ["scores", "sentences"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bomb_ends_with_a_message_in_little_memory(command, name, places):
    words = [word.replace("FOLDER", name) for word in COMMANDS[command]]
    if name not in " ".join(words):
        pytest.skip("the command opens the other bomb")
    code, said, memory = run_measured(places, *words)
    assert memory < MOST_MEMORY, f"{memory / 2**30:.1f} GB"
    if command == "gate" and code in (0, 1, 3):
        return  # which reads findings alone
    assert code == 2, said
    assert "stand for" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("read", [parquet_frame, load_corpus, read_gold])
def test_texts_that_repeat_are_counted_each_by_itself(read, tmp_path):
    """A page holds a long text once and a million times its number."""
    path = tmp_path / "long.parquet"
    table = pl.DataFrame({"text": ["x" * 1000] * 1_000_000, "score": [0.5] * 1_000_000})
    table.write_parquet(path)
    assert path.stat().st_size < 20_000
    with pytest.raises((TiltmeterError, OSError), match=r"stand for .*; at most 256\.0 MB"):
        read(path)


def test_vectors_that_stand_for_gigabytes_are_refused(places):
    with pytest.raises(TiltmeterError, match="stand for"):
        open_vectors(str(places / "scores.parquet"))
