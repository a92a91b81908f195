"""Vectors as text: what is found, what is noted and what is refused, with the line."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import open_vectors
from tiltmeter.vectors.formats import text as text_format

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
    ("line", "why"),
    [
        ("bad 1 2", "found 2 values; expected 3"),
        ("bad", "found 0 values; expected 3"),
        ("bad 1 2 3 4", "found more than the 3 values expected"),
        ("bad 1 two 3", "found 'two' among the values; expected numbers"),
        ("bad 1 1_0 3", "found '1_0' among the values; expected numbers"),
        ("bad 1  3", "found 2 values; expected 3"),
        ("bad 1 nan 3", "value 2 of 3 is nan"),
        ("bad 1 2 -inf", "value 3 of 3 is -inf"),
        ("bad 1 2 1e39", "value 3 of 3 is inf"),
        ("bad 1 2 3\0", "found '3\\x00' among the values; expected numbers"),
    ],
)
def test_one_broken_line_voids_its_own_word_and_no_other(opened, line, why):
    vectors = opened(f"a 1 2 3\nb 1 2 3\n{line}\nc 4 5 6\n")
    assert as_lists(vectors.lookup(["a", "c", "bad"])) == {"a": [1, 2, 3], "c": [4, 5, 6]}
    assert vectors.notes[-1] == (
        f"1 of the words asked for cannot be read, and count as missing: 'bad' (line 3: {why})"
    )


def test_a_broken_line_is_no_concern_of_who_asks_for_other_words(opened):
    vectors = opened("a 1 2 3\nbad 1 2 x\nc 4 5 6\n")
    assert set(vectors.lookup(["a", "c"])) == {"a", "c"}
    assert vectors.notes == ()


def test_a_file_of_which_many_words_asked_for_are_broken_is_refused(opened):
    # 4 of 40 are more than 5 % and more than 3.
    lines = [f"w{n} 1 {'x' if n < 4 else 2}" for n in range(40)]
    vectors = opened("\n".join(["first 1 2", *lines]))
    with pytest.raises(
        TiltmeterError, match=r"is damaged: 4 of the words.*'w0' \(line 2: found 'x'"
    ):
        vectors.lookup([f"w{n}" for n in range(40)])


def test_faults_of_lines_that_nobody_asked_for_are_counted_with_their_numbers(opened):
    lines = [b"w%d 1 2 3" % n for n in range(300)]
    lines[9], lines[19], lines[20], lines[29] = b"", b"short", b"a 1", b"caf\xe9 1 2 3"
    lines[39], lines[49] = b"w\0rd 1 2 3", b" 1 2 3"
    vectors = opened(b"\n".join(lines))
    assert set(vectors.lookup(["w0", "w299"])) == {"w0", "w299"}
    assert vectors.notes == (
        "1 line without anything: 10",
        "3 lines without a word and its values: 20, 21, 50",
        "1 line with a word that is not UTF-8: 30",
        "1 line with a NUL byte in the word: 40",
    )


def test_a_file_that_is_mostly_something_else_is_refused(opened):
    lines = ["a 1 2 3"] * 20 + ["It was a dark night"[:3]] * 20
    with pytest.raises(TiltmeterError, match=r"is damaged: it has 40 lines, but 20 lines without"):
        opened("\n".join(lines)).lookup(["a"])


def test_more_than_five_faulty_lines_are_counted_and_five_named(opened):
    lines = ["w 1 2"] * 300
    for at in (1, 3, 5, 7, 9, 11, 13):
        lines[at] = ""
    assert "7 lines without anything: 2, 4, 6, 8, 10 and 2 more" in read(opened, lines)


def read(opened, lines):
    vectors = opened("\n".join(lines) + "\n")
    vectors.lookup(["w"])
    return vectors.notes


@pytest.mark.parametrize("end", ["d 4", "d", "d 4 5 -"])
def test_a_file_that_ends_in_the_middle_of_a_line_is_refused(opened, end):
    # Half a download would lack words, and RNSB of the others is another number.
    vectors = opened(f"a 1 2 3\nb 1 2 3\nc 4 5 6\n{end}")
    with pytest.raises(TiltmeterError, match="is cut short: it ends in the middle of line 4"):
        vectors.lookup(["a"])


def test_a_last_line_needs_no_line_end(opened):
    assert "d" in opened("a 1 2 3\nb 1 2 3\nd 4 5 6 ").lookup(["d"])


@pytest.mark.parametrize("size", [16, 17, 24, 64])
@pytest.mark.parametrize("packed", [False, True])
def test_buffers_of_any_size_give_the_same(opened, monkeypatch, size, packed):
    monkeypatch.setattr("tiltmeter.vectors.formats.source.BUFFER", size)
    held = GLOVE.encode()
    vectors = opened(gzip.compress(held) if packed else held, f"some.txt{'.gz' if packed else ''}")
    found = vectors.lookup(["the", ". . .", ".", "niño", "1984"])
    assert found.keys() == {"the", ". . .", ".", "niño", "1984"}


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_is_too_long_is_skipped_and_counted(opened, monkeypatch, packed):
    monkeypatch.setattr(text_format, "LONGEST_LINE", 16)
    held = b"a 1 2 3\n" + b"x" * 100 + b" 1 2 3\nb 4 5 6\n" + b"y" * 50
    name = f"some.txt{'.gz' if packed else ''}"
    vectors = opened(gzip.compress(held) if packed else held, name)
    assert set(vectors.lookup(["a", "b"])) == {"a", "b"}
    assert vectors.notes == ("2 lines without a word and its values: 2, 4",)


def test_lines_that_fill_a_batch_are_parsed_as_those_that_do_not(opened, monkeypatch):
    monkeypatch.setattr(text_format, "PARSED_AT_ONCE", 10)
    found = opened(GLOVE).lookup(["the", "1984", "niño", "."])
    assert as_lists(found)["1984"] == [4.0, 5.0, 6.0]
    assert set(found) == {"the", "1984", "niño", "."}


NUMBERBATCH = "4 2\n/c/en/she 1 2\n/c/en/new_york 3 4\n/c/es/she 5 6\n/c/es/ella 7 8\n"


@pytest.mark.parametrize("name", ["numberbatch.txt", "numberbatch.txt.gz"])
def test_numberbatch_gives_the_words_of_one_language(tmp_path, name):
    held = NUMBERBATCH.encode()
    (tmp_path / name).write_bytes(gzip.compress(held) if name.endswith("gz") else held)
    english = open_vectors(str(tmp_path / name))
    spanish = open_vectors(str(tmp_path / name), "es")
    asked = ["she", "new_york", "ella", "/c/en/she"]
    assert as_lists(english.lookup(asked)) == {"she": [1, 2], "new_york": [3, 4]}
    assert as_lists(spanish.lookup(asked)) == {"she": [5, 6], "ella": [7, 8]}
    assert (english.format, english.languages, spanish.languages) == (
        "Numberbatch text",
        ("en",),
        ("es",),
    )
    assert english.digest != spanish.digest
    assert "those of 'es' count" in spanish.notes[0]


def test_a_word_with_a_number_behind_it_is_no_broken_line_where_the_first_word_has_its_own(opened):
    # "1 2" is a word here: asked for "1", its line looks like one value too many.
    vectors = opened("a 1 2\n1 2 5 6\n1 7 8\n")
    assert as_lists(vectors.lookup(["1"])) == {"1": [7.0, 8.0]}
    assert as_lists(vectors.lookup(["1 2"])) == {"1 2": [5.0, 6.0]}


def test_the_first_of_two_lines_counts_and_the_second_is_noted(opened):
    vectors = opened("a 1 2\nb 3 4\na 5 6\nb\nc 1 1\n")
    assert as_lists(vectors.lookup(["a", "b"])) == {"a": [1.0, 2.0], "b": [3.0, 4.0]}
    assert vectors.notes == (
        "1 line without a word and its values: 4",
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


def test_a_header_that_promises_fewer_words_than_follow_is_noted(opened):
    vectors = opened("1 2\na 1 2\nb 3 4\n", "some.vec")
    assert set(vectors.lookup(["b"])) == {"b"}
    assert vectors.notes == ("its first line promises 1 words, but 2 lines follow",)


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
