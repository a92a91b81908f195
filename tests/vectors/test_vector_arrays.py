"""Vectors as arrays and tables: .npz, .npy with a vocabulary, Parquet."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import open_vectors
from tiltmeter.vectors.formats import arrays

GOOGLE_NEWS = (
    Path(__file__)
    .parents[2]
    .parent.joinpath("shared", "data", "word-vectors", "gnews300-union-unitnorm.npz")
)
WORDS = ["she", "niño", "he", "she"]
VECTORS = np.array([[1, 2], [0.5, -0.25], [7, 8], [9, 9]], dtype=np.float32)
EXPECTED = {"she": [1.0, 2.0], "niño": [0.5, -0.25], "he": [7.0, 8.0]}


def as_lists(found):
    return {word: vector.tolist() for word, vector in found.items()}


def checked(path):
    """The vectors above, wherever they stand, with the second `she` noted."""
    vectors = open_vectors(str(path))
    assert vectors.dimension == 2
    assert as_lists(vectors.lookup(["she", "he", "niño", "they"])) == EXPECTED
    assert vectors.notes == (
        "1 of the words asked for stand more than once, and the first of each was taken: "
        "'she' (again in row 4)",
    )


def test_an_npz_may_say_what_its_vectors_are_called(tmp_path):
    def called(name):
        held = {"words": np.array(WORDS), "vectors": VECTORS, "name": name}
        np.savez(tmp_path / "some.npz", **held)
        return open_vectors(str(tmp_path / "some.npz")).name

    assert called(np.array("vectors of the days, 2d")) == "vectors of the days, 2d"
    for odd in (np.array(["a", "b"]), np.array(3.5), np.array("x" * 201), np.array("")):
        assert called(odd) == "some.npz"
    assert called(np.array([None], dtype=object)) == "some.npz"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, ">f4"])
def test_an_npz_gives_its_rows_whatever_floats_it_holds(tmp_path, save, kind):
    save(tmp_path / "some.npz", words=np.array(WORDS), vectors=VECTORS.astype(kind))
    checked(tmp_path / "some.npz")


@pytest.mark.parametrize("block", [1, 8, 12, 1 << 20])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npz_gives_the_same_rows_in_blocks_of_any_size(tmp_path, monkeypatch, order, block):
    monkeypatch.setattr(arrays, "BLOCK", block)
    vectors = np.array(VECTORS, order=order)
    np.savez(tmp_path / "some.npz", words=np.array(WORDS), vectors=vectors)
    checked(tmp_path / "some.npz")


def test_an_npz_may_hold_its_words_as_utf8_bytes(tmp_path):
    words = np.array([word.encode() for word in WORDS])
    np.savez(tmp_path / "some.npz", words=words, vectors=VECTORS)
    checked(tmp_path / "some.npz")


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_npy_takes_its_words_from_the_text_beside_it(tmp_path, order):
    np.save(tmp_path / "some.npy", np.array(VECTORS, order=order))
    (tmp_path / "some.txt").write_bytes("\r\n".join(WORDS).encode())
    checked(tmp_path / "some.npy")


@pytest.mark.parametrize("values", ["list", "array", "columns"])
def test_parquet_holds_vectors_as_lists_arrays_or_columns(tmp_path, values):
    frame = pl.DataFrame({"count": [4, 3, 2, 1], "term": WORDS})
    if values == "columns":
        frame = frame.with_columns(d0=VECTORS[:, 0], d1=VECTORS[:, 1])
    else:
        kind = pl.List(pl.Float32) if values == "list" else pl.Array(pl.Float32, 2)
        frame = frame.with_columns(pl.Series("vector", VECTORS.tolist(), dtype=kind))
    frame.write_parquet(tmp_path / "some.parquet", row_group_size=2)
    checked(tmp_path / "some.parquet")


def refused(path, message, asked=()):
    with pytest.raises(TiltmeterError, match=message):
        open_vectors(str(path)).lookup(asked)


def test_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "some.npz", words=np.array(WORDS, dtype=object), vectors=VECTORS)
    refused(tmp_path / "some.npz", r"words: holds Python objects.*np\.savez")
    np.save(tmp_path / "some.npy", np.array([["a", 1]], dtype=object))
    (tmp_path / "some.txt").write_text("a\n")
    refused(tmp_path / "some.npy", r"some\.npy: holds Python objects")


def test_an_npz_with_other_arrays_says_which_it_holds(tmp_path):
    np.savez(tmp_path / "some.npz", keys=np.array(WORDS), vectors=VECTORS)
    refused(tmp_path / "some.npz", "holds keys, vectors; expected words and vectors")
    np.savez(tmp_path / "some.npz", words=np.array(WORDS[:3]), vectors=VECTORS)
    refused(tmp_path / "some.npz", r"shape \(3,\).*expected a text for each row")
    np.savez(tmp_path / "some.npz", words=np.array(WORDS), vectors=VECTORS.astype(int))
    refused(tmp_path / "some.npz", r"found int64 of shape \(4, 2\); expected floats")


def test_a_cut_npz_and_a_cut_npy_are_one_message(tmp_path):
    np.savez(tmp_path / "some.npz", words=np.array(WORDS), vectors=VECTORS)
    held = (tmp_path / "some.npz").read_bytes()
    (tmp_path / "some.npz").write_bytes(held[:-30])
    refused(tmp_path / "some.npz", "is damaged or cut short")
    np.save(tmp_path / "some.npy", VECTORS)
    (tmp_path / "some.txt").write_text("\n".join(WORDS))
    held = (tmp_path / "some.npy").read_bytes()
    (tmp_path / "some.npy").write_bytes(held[:-4])
    refused(tmp_path / "some.npy", r"some\.npy: is cut short")


def test_a_vocabulary_must_be_there_and_as_long_as_the_matrix(tmp_path):
    np.save(tmp_path / "some.npy", VECTORS)
    refused(tmp_path / "some.npy", r"has no vocabulary beside it; expected some\.txt")
    (tmp_path / "some.txt").write_text("she\nhe\n")
    refused(tmp_path / "some.npy", r"some\.txt: has 2 lines, but some\.npy has 4 rows", ["she"])


def test_nan_in_a_row_asked_for_is_missing_and_named(tmp_path):
    np.savez(tmp_path / "some.npz", words=np.array(["a", "b"]), vectors=np.array([[1.0], [np.nan]]))
    vectors = open_vectors(str(tmp_path / "some.npz"))
    assert set(vectors.lookup(["a"])) == {"a"}
    assert vectors.notes == ()
    assert set(vectors.lookup(["a", "b"])) == {"a"}
    assert vectors.notes == (
        "1 of the words asked for cannot be read, and count as missing: "
        "'b' (row 2: value 1 of 1 is nan)",
    )


def test_an_array_of_which_many_rows_are_broken_is_refused(tmp_path):
    words, vectors = [f"w{n}" for n in range(40)], np.ones((40, 1))
    vectors[:4] = np.inf
    np.savez(tmp_path / "some.npz", words=np.array(words), vectors=vectors)
    refused(tmp_path / "some.npz", r"is damaged: 4 of the words asked for cannot be read", words)


def test_parquet_faults_name_columns_and_rows(tmp_path):
    path = tmp_path / "some.parquet"
    lists = pl.DataFrame({"word": ["a", "b", "c"], "vector": [[1.0, 2.0], [1.0], [1.0, None]]})
    lists.write_parquet(path)
    vectors = open_vectors(str(path))
    assert set(vectors.lookup(["a", "b", "c"])) == {"a"}
    assert vectors.notes[0].endswith(
        "'b' (row 2: found 1 values; expected 2), 'c' (row 3: found 1 values; expected 2)"
    )
    lists.with_columns(other=pl.col("word")).write_parquet(path)
    refused(path, r"word \(String\).*other \(String\); expected one column of words")
    lists.head(0).write_parquet(path)
    refused(path, "has no rows")
    path.write_bytes(path.read_bytes()[:-9])
    refused(path, "cannot be read as Parquet")


@pytest.mark.skipif(not GOOGLE_NEWS.exists(), reason=f"{GOOGLE_NEWS} is not here")
def test_google_news_vectors_are_of_unit_length_and_as_numpy_reads_them():
    vectors = open_vectors(str(GOOGLE_NEWS))
    found = vectors.lookup(["Aisha", "Stephanie", "angry", "Norwegian"])
    assert (vectors.dimension, sorted(found)) == (300, ["Aisha", "Stephanie", "angry"])
    assert [float(np.linalg.norm(row)) for row in found.values()] == pytest.approx(
        [1] * 3, abs=2e-3
    )
    with np.load(GOOGLE_NEWS, allow_pickle=False) as held:
        row = held["words"].tolist().index("angry")
        assert np.array_equal(found["angry"], held["vectors"][row].astype(np.float32))
