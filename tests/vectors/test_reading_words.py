"""Words asked for, whatever they stand in: spellings, what is missing, what is remarked on."""

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.schemas import VECTORS, validate
from tiltmeter.vectors import Encoder, read_words, reads_texts, words
from tiltmeter.vectors.words import spellings

TOY = "irish 1 2\nIrish 3 4\nMEXICAN 5 6\nNew_York 7 8\nnew york 9 9\nblack 1 1\n"


@pytest.fixture
def toy(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text(TOY)
    return str(path)


def as_lists(reading):
    return dict(reading.vectors.select("text", "vector").iter_rows())


def test_the_table_holds_the_words_found_in_the_order_asked(toy):
    found = read_words(toy, ["black", "irish", "nobody", "black"])
    validate(found.vectors, VECTORS)
    assert found.vectors["encoder"].to_list() == ["toy.txt"] * 2
    assert found.vectors["text"].to_list() == ["black", "irish"]
    assert (found.name, found.spec, found.kind, found.format) == (
        "toy.txt",
        toy,
        "words",
        "GloVe text",
    )
    assert (found.dimension, found.missing, dict(found.found_as)) == (2, ("nobody",), {})


def test_another_case_is_taken_only_where_the_spelling_is_not_there_and_is_said(toy):
    found = read_words(toy, ["Irish", "Mexican", "BLACK"])
    assert as_lists(found) == {"Irish": [3, 4], "Mexican": [5, 6], "BLACK": [1, 1]}
    assert dict(found.found_as) == {"Mexican": "MEXICAN", "BLACK": "black"}
    assert found.remarks == (
        "2 of the words asked for were found only in another spelling: "
        "'Mexican' (as 'MEXICAN'), 'BLACK' (as 'black')",
        "1 of the words asked for also stand in another case, which was not used: "
        "'Irish' ('irish')",
    )


def test_exact_case_finds_only_what_is_spelled_so(toy):
    found = read_words(toy, ["Irish", "Mexican"], case="exact")
    assert (as_lists(found), found.missing, found.remarks) == ({"Irish": [3, 4]}, ("Mexican",), ())
    with pytest.raises(UnknownNameError, match="'fallback'"):
        read_words(toy, ["Irish"], case="falback")


def test_the_callers_other_spellings_come_before_another_case(toy):
    found = read_words(toy, ["Black", "Eire"], also={"Eire": ["Irish", "irish"]})
    assert as_lists(found) == {"Black": [1, 1], "Eire": [3, 4]}
    found = read_words(toy, ["mexican"], also={"mexican": ["irish"]})
    assert dict(found.found_as) == {"mexican": "irish"}


def test_a_phrase_is_looked_for_with_underscores_and_as_it_is(toy):
    found = read_words(toy, ["New York", "new york"], case="exact")
    assert as_lists(found) == {"New York": [7, 8], "new york": [9, 9]}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("irish", ("irish", "Irish", "IRISH")),
        ("McDonald", ("McDonald", "mcdonald", "Mcdonald", "MCDONALD")),
        ("o'brien", ("o'brien", "O'brien", "O'BRIEN")),
        ("ß", ("ß", "SS")),
        ("عربي", ("عربي",)),
        ("", ()),
    ],
)
def test_spellings_are_tried_in_this_order(word, expected):
    assert spellings(word) == expected


def test_the_digest_depends_on_words_and_vectors_and_not_on_the_rest(tmp_path):
    def digest(text, asked):
        (tmp_path / "some.txt").write_text(text)
        return read_words(str(tmp_path / "some.txt"), asked).digest

    both = digest("a 1 2\nb 3 4\n", ["a", "b"])
    assert digest("x 9 9\nb 3 4\na 1.0 2.0\n", ["b", "a", "nobody"]) == both
    assert digest("a 1 2\nb 3 5\n", ["a", "b"]) != both
    assert digest("a 1 2\nb 3 4\n", ["a"]) != both


def test_a_broken_line_is_a_missing_word_and_is_named(tmp_path):
    (tmp_path / "some.txt").write_text("she 1 2\nhe 1 x\nthey 3 4\n")
    found = read_words(str(tmp_path / "some.txt"), ["she", "he", "they"])
    assert (found.missing, len(found.remarks)) == (("he",), 1)
    assert "'he' (line 2: found 'x' among the values" in found.remarks[0]


def test_nothing_found_is_an_empty_table_of_the_right_kind(toy):
    found = read_words(toy, ["nobody"])
    validate(found.vectors, VECTORS)
    assert (found.vectors.height, found.missing) == (0, ("nobody",))
    assert read_words(toy, []).vectors.schema == found.vectors.schema


def test_an_encoder_of_texts_lacks_nothing_and_keeps_sentences_as_they_are(monkeypatch, tmp_path):
    def encode(texts):
        return np.array([[len(text), 0.5] for text in texts], np.float32).reshape(-1, 2)

    seen = []
    encoder = Encoder("lengths", 2, "0" * 64, encode, ("en",), notes=("cut",), kept=False)
    monkeypatch.setattr(
        words,
        "open_encoder",
        lambda spec, language: seen.append((spec, language)) or encoder,
    )
    found = read_words(str(tmp_path), ["Irish", "This is Irish."], language="en")
    assert seen == [(str(tmp_path), "en")]
    assert as_lists(found) == {"Irish": [5, 0.5], "This is Irish.": [14, 0.5]}
    assert (found.kind, found.missing, found.remarks) == ("texts", (), ("cut",))


def test_what_reads_texts_and_what_reads_words(toy, tmp_path):
    assert not reads_texts(toy)
    assert not reads_texts("gone.kv")
    assert reads_texts(str(tmp_path))
    assert reads_texts("bert+=./mine")
    assert reads_texts("hf:some/model")
    with pytest.raises(UnknownNameError, match="did you mean 'glove-6b-50d'"):
        reads_texts("glove-6b-50")


def test_what_is_not_there_or_cannot_hold_vectors_is_one_message(tmp_path):
    with pytest.raises(TiltmeterError, match="there is no such file"):
        read_words(str(tmp_path / "gone.txt"), ["she"])
    (tmp_path / "some.txt").write_bytes(b"")
    with pytest.raises(TiltmeterError, match=r"is empty \(0 bytes\)"):
        read_words(str(tmp_path / "some.txt"), ["she"])
    (tmp_path / "some.bin").write_bytes(b"3 2\nshe " + np.ones(2, "<f4").tobytes() + b"he \0\0")
    with pytest.raises(TiltmeterError, match=r"is cut short: it ends after 1 of 3 words"):
        read_words(str(tmp_path / "some.bin"), ["she"])


def test_progress_is_told_when_done(toy):
    told = []
    read_words(toy, ["Irish", "black"], progress=lambda *each: told.append(each))
    assert told == [(2, 2)]


def test_a_reading_is_of_float32_lists(toy):
    assert read_words(toy, ["black"]).vectors.schema["vector"] == pl.List(pl.Float32)
