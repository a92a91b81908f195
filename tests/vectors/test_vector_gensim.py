"""gensim's KeyedVectors: read as gensim 3 and 4 save them, and nothing in them ever runs."""

import builtins
import os
import pickle
import sys
import types

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import open_vectors, read_words
from tiltmeter.vectors.formats.gensim import check_memo

WORDS = ["she", "he", "new_york"]
VECTORS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)


@pytest.fixture
def gensim(monkeypatch):
    """A module of gensim's name with empty classes, whose pickles are as gensim's own."""
    name = "gensim.models.keyedvectors"
    module = types.ModuleType(name)
    for called in ("KeyedVectors", "Word2VecKeyedVectors", "Vocab", "Doc2VecKeyedVectors"):
        setattr(module, called, type(called, (), {"__module__": name}))
    for each in ("gensim", "gensim.models"):
        monkeypatch.setitem(sys.modules, each, types.ModuleType(each))
    monkeypatch.setitem(sys.modules, name, module)
    return module


def saved(path, kind, protocol=4, **state):
    held = kind()
    held.__dict__.update(state)
    path.write_bytes(pickle.dumps(held, protocol))
    return str(path)


def in_gensim_4(**more):
    index = {word: row for row, word in enumerate(WORDS)}
    told = {"vector_size": 2, "index_to_key": WORDS, "key_to_index": index, "next_index": 0}
    told |= {"norms": None, "expandos": {"count": np.array([3, 2, 1])}, "mapfile_path": None}
    told |= {"lifecycle_events": [{"event": "saving", "ignore": frozenset()}], "__numpys": []}
    return told | more


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["<f4", ">f4", "f2", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_gensim_4_saves_is_read(tmp_path, gensim, protocol, kind, order):
    vectors = np.array(VECTORS, dtype=kind, order=order)
    path = saved(
        tmp_path / "some.kv", gensim.KeyedVectors, protocol, **in_gensim_4(vectors=vectors)
    )
    found = open_vectors(path)
    assert (found.dimension, found.format) == (2, "gensim KeyedVectors")
    assert {word: row.tolist() for word, row in found.lookup([*WORDS, "they"]).items()} == {
        "she": [1, 2],
        "he": [3, 4],
        "new_york": [5, 6],
    }


def test_what_gensim_3_saves_is_read(tmp_path, gensim):
    def vocab(row):
        held = gensim.Vocab()
        held.__dict__.update(count=np.int64(3 - row), index=row)
        return held

    told = {"vocab": {word: vocab(row) for row, word in enumerate(WORDS)}, "index2word": WORDS}
    path = tmp_path / "some.kv"
    saved(path, gensim.Word2VecKeyedVectors, 2, vectors=VECTORS, vectors_norm=None, **told)
    assert open_vectors(str(path)).lookup(["he"])["he"].tolist() == [3, 4]


def test_large_vectors_beside_it_are_mapped(tmp_path, gensim):
    path = saved(tmp_path / "some.kv", gensim.KeyedVectors, **in_gensim_4(__numpys=["vectors"]))
    with pytest.raises(TiltmeterError, match=r"expected some\.kv\.vectors\.npy beside it"):
        open_vectors(path)
    np.save(tmp_path / "some.kv.vectors.npy", VECTORS)
    found = read_words(path, ["New York", "They"])
    assert (found.found_as, found.missing) == ({"New York": "new_york"}, ("They",))
    assert found.vectors["vector"].to_list() == [[5, 6]]
    np.save(tmp_path / "some.kv.vectors.npy", VECTORS[:2])
    with pytest.raises(TiltmeterError, match="has 3 words, but vectors for 2"):
        open_vectors(path)


class Called:
    """Pickles as a call of a function."""

    def __init__(self, function, *args):
        self.said = function, args

    def __reduce__(self):
        return self.said


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize(
    ("function", "name"),
    [(os.system, "posix.system"), (builtins.eval, "eval"), (builtins.getattr, "getattr")],
)
def test_a_pickle_that_would_run_code_is_refused_and_runs_nothing(
    tmp_path, gensim, function, name, protocol, nested
):
    trace = tmp_path / "ran"
    commands = {"posix.system": f"touch {trace}", "eval": f"open({str(trace)!r}, 'w')"}
    hostile = Called(function, commands.get(name, trace), *(["touch"] if name == "getattr" else []))
    path = tmp_path / "some.kv"
    if nested:
        saved(path, gensim.KeyedVectors, protocol, **in_gensim_4(vectors=VECTORS, extra=[hostile]))
    else:
        path.write_bytes(pickle.dumps(hostile, protocol))
    with pytest.raises(TiltmeterError, match=rf"names '[a-z_]*\.?{name}'.*nothing was run"):
        open_vectors(str(path))
    assert not trace.exists()


@pytest.mark.parametrize(
    "hostile",
    [
        b"\x80\x04cgensim.models.keyedvectors\nKeyedVectors.__init__\n.",
        b"\x80\x04cnumpy\nload\n.",
        b"\x80\x04c_codecs\nlookup\n.",
        # BUILD upon the class itself, which would change it for whoever comes next.
        b"\x80\x04cgensim.models.keyedvectors\nKeyedVectors\n}X\x01\x00\x00\x00aK\x01sb.",
        b"\x80\x04X\x01\x00\x00\x00aQ.",
        b"\x80\x04\x82\x01.",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.",
        b"\x80\x04.",
        b"\x80\x04]",
        b"\x80\x04}.",
    ],
)
def test_odd_and_damaged_pickles_are_one_message(tmp_path, hostile):
    (tmp_path / "some.kv").write_bytes(hostile)
    with pytest.raises(TiltmeterError, match=r"some\.kv: "):
        open_vectors(str(tmp_path / "some.kv"))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (in_gensim_4(vectors=VECTORS.astype(int)), "in a form that is not read"),
        (in_gensim_4(vectors=VECTORS[0]), "in a form that is not read"),
        (in_gensim_4(vectors=np.array([["a", None]], dtype=object)), "in a form that is not read"),
        (in_gensim_4(vectors=VECTORS[:1]), "has 3 words, but vectors for 1"),
        ({"vectors": VECTORS}, "has no list of words"),
    ],
)
def test_keyed_vectors_without_what_they_need_are_refused(tmp_path, gensim, state, message):
    path = saved(tmp_path / "some.kv", gensim.KeyedVectors, **state)
    with pytest.raises(TiltmeterError, match=message):
        open_vectors(path)


def test_other_things_than_keyed_vectors_are_refused(tmp_path, gensim):
    path = saved(tmp_path / "some.kv", gensim.Doc2VecKeyedVectors)
    with pytest.raises(TiltmeterError, match=r"names 'gensim.*Doc2VecKeyedVectors'"):
        open_vectors(path)
    path = saved(tmp_path / "some.kv", gensim.Vocab)
    with pytest.raises(TiltmeterError, match=r"holds a Vocab; expected gensim's KeyedVectors"):
        open_vectors(path)
    (tmp_path / "some.kv").write_text("she 1 2\n")
    with pytest.raises(TiltmeterError, match="is no file saved by gensim"):
        open_vectors(path)


def test_a_file_that_gensim_itself_saved_is_read(tmp_path):
    reason = "gensim is not installed; it is too heavy for a development dependency"
    models = pytest.importorskip("gensim.models", reason=reason)
    held = models.KeyedVectors(vector_size=2)
    held.add_vectors(WORDS, VECTORS)
    held.save(str(tmp_path / "within.kv"))
    held.save(str(tmp_path / "beside.kv"), sep_limit=1)
    assert (tmp_path / "beside.kv.vectors.npy").exists()
    for name in ("within.kv", "beside.kv"):
        found = open_vectors(str(tmp_path / name)).lookup(WORDS)
        assert np.array_equal([found[word] for word in WORDS], VECTORS)


@pytest.mark.parametrize(
    "instructions",
    [b"\x80\x02]r\xff\xff\xff\x7f.", b"\x80\x02]p2000000000\n.", b"\x80\x04]r\xff\xff\xff\x7f."],
)
def test_a_number_beyond_the_file_sets_no_memory_aside(tmp_path, instructions):
    """Unpickling these eleven bytes would set 34 GB aside for what they may mention again."""
    path = tmp_path / "some.kv"
    path.write_bytes(instructions)
    with pytest.raises(TiltmeterError, match="far more memory than its size allows"):
        open_vectors(str(path))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_an_honest_memo_is_let_through(tmp_path, protocol):
    path = tmp_path / "some.kv"
    words = {"words": [f"word{n}" for n in range(400)], "more": [1, 2.5, None, b"x" * 300, 10**30]}
    path.write_bytes(pickle.dumps(words, protocol=protocol))
    check_memo(path)
