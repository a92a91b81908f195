"""Binary files of vectors, written here byte by byte.

The layouts were checked against gensim 4.4.0 and fastText 0.9.2 (fasttext-wheel) on 2026-11-16:
both read the fastText model below, gensim reads the word2vec file, and their numbers stand here.
"""

import gzip
import struct

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import open_vectors, read_words
from tiltmeter.vectors.formats.binary import fnv1a, ngram_buckets

WORDS = {"she": (1.0, 2.0, 3.0), "niño": (0.5, -1.5, 1e-3), "he": (-1.0, 0.0, 7.25)}
BUCKETS = 7
# What gensim and fastText both give for the model below; only for </s> do they differ, where gensim
# adds n-grams and gives (37.6, −4.2).
LITERALS = {
    "ab": [96.33333587646484, -4.333333492279053],
    "é": [5.0, -2.0],
    "xa": [16.0, -4.0],
    "abé": [101.33333587646484, -5.666666507720947],
    "señora": [281.3333435058594, -6.833333492279053],
    "حزين": [30.0, -4.5],
}


def word2vec(words=WORDS, count=None, newline=b"\n"):
    """As word2vec.c writes it, which ends each vector with a newline; gensim does not."""
    start = f"{len(words) if count is None else count} 3\n".encode()
    rows = (w.encode() + b" " + struct.pack("<3f", *v) + newline for w, v in words.items())
    return start + b"".join(rows)


def fasttext(words=("ab", "é", "</s>"), version=12, model=2, quantised=False, pruned=-1, longest=3):
    """A model of two dimensions, n-grams of three letters and seven buckets."""
    settings = (2, 5, 1, 1, 5, 1, 2, model, BUCKETS, 3, longest, 100)
    out = struct.pack("<2i12id", 793712314, version, *settings, 1e-4)
    out += struct.pack("<3i2q", len(words), len(words), 0, 100, pruned)
    for word in words:
        out += word.encode() + b"\0" + struct.pack("<qb", 5, 0)
    rows = [[2.0**row, -float(row)] for row in range(len(words) + BUCKETS)]
    out += struct.pack("<?2q", quantised, len(rows), 2) + np.array(rows, "<f4").tobytes()
    return out + struct.pack("<?2q", False, len(words), 2) + bytes(8 * len(words))


@pytest.fixture
def opened(tmp_path):
    """Opens bytes as a file of the name given."""

    def opened(held, name="some.bin"):
        (tmp_path / name).write_bytes(held)
        return open_vectors(str(tmp_path / name))

    return opened


def as_lists(found):
    return {word: vector.tolist() for word, vector in found.items()}


@pytest.mark.parametrize("newline", [b"\n", b""], ids=["word2vec.c", "gensim"])
def test_word2vec_binary_gives_the_float32_that_was_written(opened, newline):
    vectors = opened(word2vec(newline=newline))
    found = vectors.lookup(["she", "he", "niño", "Shereen"])
    expected = {word: [float(np.float32(v)) for v in row] for word, row in WORDS.items()}
    assert (vectors.dimension, as_lists(found)) == (3, expected)


def test_word2vec_binary_may_be_compressed_as_google_news_is(opened):
    vectors = opened(gzip.compress(word2vec()), "GoogleNews.bin.gz")
    assert as_lists(vectors.lookup(["he"])) == {"he": [-1.0, 0.0, 7.25]}


def test_word2vec_binary_is_known_by_its_bytes_not_by_its_ending(opened):
    assert set(opened(word2vec(), "some.vec").lookup(["she"])) == {"she"}
    assert set(opened(b"1 2\nshe 0.5 1\n", "text.bin").lookup(["she"])) == {"she"}


def test_words_are_found_in_a_binary_longer_than_one_block(opened):
    many = {f"word{number}": (number, -number, 0.5) for number in range(60_000)}
    found = opened(word2vec(many)).lookup(["word0", "word31234", "word59999"])
    assert as_lists(found) == {
        "word0": [0.0, 0.0, 0.5],
        "word31234": [31234.0, -31234.0, 0.5],
        "word59999": [59999.0, -59999.0, 0.5],
    }


def test_a_cut_word2vec_binary_says_after_which_word(opened):
    with pytest.raises(TiltmeterError, match=r"some.bin: is cut short: it ends after 2 of 3 words"):
        opened(word2vec()[:-5]).lookup(["she"])


def test_a_binary_whose_words_never_end_is_called_damaged(opened):
    held = b"3 3\n" + b"\0" * 300_000
    with pytest.raises(TiltmeterError, match="is damaged: no word can be made out after 0 of 3"):
        opened(held).lookup(["she"])


def test_nan_in_a_word_asked_for_is_named_and_elsewhere_nobodys_concern(opened):
    vectors = opened(word2vec(WORDS | {"bad": (0.0, float("nan"), 1.0)}))
    assert set(vectors.lookup(["she"])) == {"she"}
    assert vectors.lookup(["bad"]) == {}
    assert "'bad' (word 4: value 2 of 3 is nan)" in vectors.notes[0]


def test_a_word_that_stands_twice_keeps_its_first_vector_and_is_noted(opened):
    held = word2vec({"she": (1, 1, 1), "he": (2, 2, 2)}, count=3) + word2vec({"she": (3, 3, 3)})[4:]
    vectors = opened(held)
    assert as_lists(vectors.lookup(["she"])) == {"she": [1.0, 1.0, 1.0]}
    assert vectors.notes == (
        "1 of the words asked for stand more than once, and the first of each was taken: "
        "'she' (again as word 3)",
    )


def test_bytes_that_are_no_utf8_in_another_word_do_no_harm(opened):
    held = word2vec({"bad": (1, 1, 1), "he": (2, 2, 2)}).replace(b"bad", b"b\xff\xfe")
    assert set(opened(held).lookup(["he", "bad"])) == {"he"}


def test_the_hash_of_an_ngram_is_what_hand_arithmetic_gives():
    # hash ← (hash XOR byte) · 0x01000193 mod 2³², from 0x811c9dc5. "<ab" is 3c 61 62:
    #   (0x811c9dc5 ^ 0x3c) · 0x01000193 → 0x390caefb
    #   (0x390caefb ^ 0x61) · 0x01000193 → 0x68f6dc6e
    #   (0x68f6dc6e ^ 0x62) · 0x01000193 → 0x489c66e4 = 1218209508 = 5 mod 7
    assert (fnv1a(b"<ab"), fnv1a(b"<ab") % BUCKETS) == (0x489C66E4, 5)
    # "ab>" is 61 62 3e: 0xe40c292c, 0x4d2505ca, 0x65485f1c = 1699241756 = 2 mod 7
    assert (fnv1a(b"ab>"), fnv1a(b"ab>") % BUCKETS) == (0x65485F1C, 2)


def test_a_byte_above_127_is_extended_with_its_sign_before_it_is_hashed():
    # "<é>" is 3c c3 a9 3e; as signed bytes c3 is ffffffc3 and a9 is ffffffa9:
    #   0x390caefb, (0x390caefb ^ 0xffffffc3) · p → 0x6908db28, 0x280e7713, 0x3bc59bd7 = 0 mod 7
    # Plain FNV-1a would give 0xfbb4e9d7 = 1 mod 7.
    assert (fnv1a("<é>".encode()), fnv1a("<é>".encode()) % BUCKETS) == (0x3BC59BD7, 0)


def test_ngrams_are_of_letters_not_of_bytes_and_a_bracket_alone_is_none():
    # <né>: n, é, then <n, né, é>, in the order of where they begin.
    expected = ["<n", "n", "né", "é", "é>"]
    assert ngram_buckets("né", 1, 2, 1000) == [fnv1a(gram.encode()) % 1000 for gram in expected]


def test_a_fasttext_word_is_the_mean_of_its_row_and_its_ngrams_rows(opened):
    # Row r is (2^r, −r); the words are rows 0 to 2, bucket b is row 3 + b.
    #   ab    row 0, <ab in bucket 5: row 8, ab> in bucket 2: row 5
    #         ((1 + 256 + 32) / 3, −(0 + 8 + 5) / 3) = (96.33333, −4.333333)
    #   é     row 1, <é> in bucket 0: row 3: ((2 + 8) / 2, −(1 + 3) / 2) = (5, −2)
    #   xa    not in the vocabulary; <xa and xa> are both in bucket 1: row 4 = (16, −4)
    #   </s>  fastText gives the end of a sentence its own row only: row 2 = (4, −2)
    vectors = opened(fasttext())
    found = as_lists(vectors.lookup(["ab", "é", "xa", "</s>", ""]))
    assert found == {
        "ab": pytest.approx([289 / 3, -13 / 3], rel=1e-7),
        "é": [5.0, -2.0],
        "xa": [16.0, -4.0],
        "</s>": [4.0, -2.0],
    }
    assert vectors.notes == (
        "1 of the words asked for are not in the vocabulary and were built from their character "
        "n-grams: 'xa'",
    )


def test_fasttext_words_are_those_gensim_and_fasttext_give(opened):
    found = as_lists(opened(fasttext()).lookup(LITERALS))
    assert found == {word: pytest.approx(row, abs=1e-6) for word, row in LITERALS.items()}


def test_an_old_fasttext_classifier_has_no_ngrams_whatever_it_says(opened):
    vectors = opened(fasttext(version=11, model=3))
    assert as_lists(vectors.lookup(["ab", "xa"])) == {"ab": [1.0, 0.0]}


def test_a_fasttext_model_without_ngrams_knows_only_its_words(opened):
    assert as_lists(opened(fasttext(longest=0)).lookup(["é", "xa"])) == {"é": [2.0, -1.0]}


@pytest.mark.parametrize("how", [{"quantised": True}, {"pruned": 4}])
def test_a_quantised_model_is_refused_with_what_to_use_instead(opened, how):
    with pytest.raises(
        TiltmeterError, match=r"quantised fastText model.*use the \.bin it was made"
    ):
        opened(fasttext(**how))
    with pytest.raises(TiltmeterError, match="quantised fastText model"):
        opened(fasttext(**how), "some.ftz")


@pytest.mark.parametrize("kept", [40, 100, 110, 200])
def test_a_cut_fasttext_model_is_refused_wherever_it_was_cut(opened, kept):
    # 92 bytes stand before the dictionary, 37 in it, 17 before the matrix, 80 in it.
    with pytest.raises(TiltmeterError, match=r"some\.bin: is cut short"):
        opened(fasttext()[:kept])


def test_a_fasttext_model_of_another_version_or_compressed_says_what_to_do(opened):
    with pytest.raises(TiltmeterError, match=r"version 13; this Tiltmeter reads 11 and 12"):
        opened(fasttext(version=13))
    with pytest.raises(TiltmeterError, match="unpack it with gunzip"):
        opened(gzip.compress(fasttext()), "some.bin.gz")


def test_fasttext_settings_that_make_no_sense_are_called_damaged(opened):
    held = bytearray(fasttext())
    held[8:12] = struct.pack("<i", -5)  # the dimension
    with pytest.raises(TiltmeterError, match="its settings make no sense"):
        opened(bytes(held))


def test_a_word_of_the_vocabulary_in_another_case_is_sooner_taken_than_one_built(opened, tmp_path):
    opened(fasttext())
    found = read_words(str(tmp_path / "some.bin"), ["AB", "xa"])
    assert dict(found.found_as) == {"AB": "ab"}
    assert dict(found.vectors.select("text", "vector").iter_rows()) == {
        "AB": LITERALS["ab"],
        "xa": LITERALS["xa"],
    }
    assert found.remarks == (
        "1 of the words asked for are not in the vocabulary and were built from their character "
        "n-grams: 'xa'",
        "1 of the words asked for were found only in another spelling: 'AB' (as 'ab')",
    )
