"""Vectors as text: what is found, what is noted and what is refused, with the line."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.embeddings.vectors import open_vectors
from tiltmeter.errors import TiltmeterError

GLOVE = "the 0.5 -1.25 3\n. . . 1 2 3\n. 7 8 9\nniño 1e-3 0 .5\n1984 4 5 6\n"


@pytest.fixture
def opened(tmp_path):
    """Opens a text as a file of the name given."""

    def opened(text, name="some.txt"):
        held = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(held)
        return open_vectors(str(tmp_path / name))

    return opened


def as_lists(found):
    return {word: vector.tolist() for word, vector in found.items()}


def test_glove_text_gives_the_numbers_of_each_word_asked_for(opened):
    vectors = opened(GLOVE)
    found = vectors.lookup(["the", "1984", "niño", "not there"])
    assert vectors.dimension == 3
    assert as_lists(found) == {
        "the": [0.5, -1.25, 3.0],
        "1984": [4.0, 5.0, 6.0],
        "niño": pytest.approx([0.001, 0.0, 0.5]),
    }


def test_a_word_that_holds_spaces_is_told_from_the_word_it_begins_with(opened):
    found = opened(GLOVE).lookup([". . .", ".", ". ."])
    assert as_lists(found) == {". . .": [1.0, 2.0, 3.0], ".": [7.0, 8.0, 9.0]}


@pytest.mark.parametrize("ending", ["\n", " \n", "\r\n"], ids=["plain", "fastText", "Windows"])
def test_a_header_is_no_word_and_line_ends_do_not_matter(opened, ending):
    vectors = opened(ending.join(["2 2", "she 1 2", "2 3 4", ""]), "some.vec")
    assert as_lists(vectors.lookup(["2", "she"])) == {"2": [3.0, 4.0], "she": [1.0, 2.0]}
    assert vectors.notes == ()


def test_tabs_may_stand_between_word_and_values(opened):
    found = opened("New York\t1\t2\nNew\t3\t4\n").lookup(["New York", "New"])
    assert as_lists(found) == {"New York": [1.0, 2.0], "New": [3.0, 4.0]}


def test_a_byte_order_mark_is_no_part_of_the_first_word(opened):
    assert set(opened(b"\xef\xbb\xbf" + GLOVE.encode()).lookup(["the"])) == {"the"}
    assert set(opened(b"\xef\xbb\xbf1 2\nshe 1 2\n").lookup(["she"])) == {"she"}


def test_compressed_text_is_read_as_it_is(opened):
    vectors = opened(gzip.compress(GLOVE.encode()), "glove.txt.gz")
    assert as_lists(vectors.lookup(["."])) == {".": [7.0, 8.0, 9.0]}


def test_a_file_without_a_last_newline_loses_nothing(opened):
    assert as_lists(opened("a 1 2\nb 3 4").lookup(["b"])) == {"b": [3.0, 4.0]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bad 1 2", r"some\.txt:3: found 2 values for 'bad'; expected 3"),
        ("bad", r"some\.txt:3: found 0 values for 'bad'; expected 3"),
        ("bad 1 2 3 4", r"some\.txt:3: found more values for 'bad'; expected 3"),
        ("bad 1 two 3", r"some\.txt:3: found 'two' among the values of 'bad'; expected numbers"),
        ("bad 1 1_0 3", r"some\.txt:3: found '1_0' among the values"),
        ("bad 1 nan 3", r"some\.txt:3: value 2 of 3 is nan; expected finite numbers"),
        ("bad 1 2 -inf", r"some\.txt:3: value 3 of 3 is -inf"),
        ("bad 1 2 1e39", r"some\.txt:3: value 3 of 3 is inf"),
    ],
)
def test_a_broken_line_is_an_error_only_for_who_asks_for_its_word(opened, line, message):
    vectors = opened(f"a 1 2 3\nb 1 2 3\n{line}\nc 4 5 6\n")
    assert set(vectors.lookup(["a", "c"])) == {"a", "c"}
    with pytest.raises(TiltmeterError, match=message):
        vectors.lookup(["bad"])


def test_a_word_with_a_number_behind_it_is_no_broken_line_where_the_first_word_has_its_own(opened):
    # "1 2" is a word here: asked for "1", its line looks like one value too many.
    vectors = opened("a 1 2\n1 2 5 6\n1 7 8\n")
    assert as_lists(vectors.lookup(["1"])) == {"1": [7.0, 8.0]}
    assert as_lists(vectors.lookup(["1 2"])) == {"1 2": [5.0, 6.0]}


def test_the_first_of_two_lines_counts_and_the_second_is_noted(opened):
    vectors = opened("a 1 2\nb 3 4\na 5 6\nb\nc 1 1\n")
    assert as_lists(vectors.lookup(["a", "b"])) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    assert vectors.notes == (
        "2 of the words asked for stand more than once, and the first of each was taken: "
        "'a' (again in line 3), 'b' (again in line 4)",
    )


def test_bytes_that_are_no_utf8_do_no_harm_and_no_surrogate_is_ever_found(opened):
    vectors = opened(b"caf\xe9 1 2\nb 3 4\n")
    assert set(vectors.lookup(["b", "café", "caf\udce9"])) == {"b"}


def test_a_header_that_promises_more_words_than_follow_is_noted(opened):
    vectors = opened("9 2\na 1 2\nb 3 4\n", "some.vec")
    assert set(vectors.lookup(["b"])) == {"b"}
    assert vectors.notes == ("its first line promises 9 words, but only 2 lines follow",)


def test_a_header_whose_dimension_is_wrong_is_refused(opened):
    with pytest.raises(TiltmeterError, match=r"some\.vec:1: promises 300 values.* have 2: correct"):
        opened("2 300\na 1 2\nb 3 4\n", "some.vec")


def test_one_broken_line_at_the_beginning_does_not_set_the_dimension(opened):
    assert opened("a 1\nb 3 4\nc 5 6\n").dimension == 2


@pytest.mark.parametrize("text", ["It was a dark night.\nAnd so on.\n", "3 2\n", "\n\n", "word\n"])
def test_a_text_without_vectors_is_refused_when_it_is_opened(opened, text):
    with pytest.raises(TiltmeterError, match="holds no vectors as text in its first lines"):
        opened(text)


def test_text_in_another_encoding_is_refused(opened):
    with pytest.raises(TiltmeterError, match="holds no vectors as text"):
        opened("a 1 2\nb 3 4\n".encode("utf-16"))


def test_a_cut_gzip_file_is_one_message(opened):
    many = "".join(f"w{n} {n * 0.7919} {n * 0.6113}\n" for n in range(90_000))
    held = gzip.compress(many.encode())
    with pytest.raises(TiltmeterError, match=r"some\.vec\.gz: is damaged or cut short"):
        opened(held[: len(held) - 1000], "some.vec.gz").lookup(["w89999"])


WORD = st.text(st.characters(codec="utf-8", exclude_characters=" \t\n\r\v\f"), min_size=1)
NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(st.dictionaries(WORD, st.tuples(NUMBER, NUMBER), min_size=1))
def test_whatever_is_written_is_read_again(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("written") / "some.vec"
    lines = [f"{len(words)} 2", *(f"{word} {a!r} {b!r}" for word, (a, b) in words.items())]
    path.write_bytes("\n".join(lines).encode())
    found = open_vectors(str(path)).lookup([*words, "not there"])
    assert set(found) == set(words)
    assert all(np.array_equal(found[word], np.float32(row)) for word, row in words.items())
