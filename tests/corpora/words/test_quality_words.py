"""Analogies and rated pairs: what tells whether vectors still know what they knew."""

import re

import pytest

from tiltmeter.corpora import load_analogies, load_similarities
from tiltmeter.corpora.words import quality
from tiltmeter.errors import TiltmeterError


@pytest.fixture
def gensim(tmp_path, monkeypatch):
    """A package with rated pairs that must not be imported."""
    data = tmp_path / "gensim" / "test" / "test_data"
    data.mkdir(parents=True)
    (tmp_path / "gensim" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    return data


def test_every_pair_is_asked_with_every_other_of_its_section_in_both_orders():
    asked = load_analogies()
    sections = {}
    for section, words in asked:
        sections.setdefault(section, []).append(words)
    # 25 pairs make 25 · 24 questions.
    assert {section: len(words) for section, words in sections.items()} == dict.fromkeys(
        ["capital and country", "singular and plural", "present and past",
         "adjective and comparative", "verb and participle", "country and language"], 25 * 24,
    )  # fmt: skip
    assert ("Berlin", "Germany", "Paris", "France") in sections["capital and country"]
    assert len(set(asked)) == len(asked)


def test_a_file_of_questions_is_read_with_its_sections(corpus_file):
    text = "// a comment\n: capitals\nAthens Greece Oslo Norway\n\n: family\nboy girl man woman\n"
    assert load_analogies(corpus_file(text, "questions-words.txt")) == (
        ("capitals", ("Athens", "Greece", "Oslo", "Norway")),
        ("family", ("boy", "girl", "man", "woman")),
    )


def test_a_users_pairs_in_toml_make_questions(corpus_file):
    text = '[list]\n[[sections]]\nname = "s"\npairs = [["a", "b"], ["c", "d"]]\n'
    expected = (("s", ("a", "b", "c", "d")), ("s", ("c", "d", "a", "b")))
    assert load_analogies(corpus_file(text)) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("q.txt", ": s\na b c\n", "q.txt:2: found 3 words; expected lines of four words"),
        ("q.txt", ": s\n", "q.txt: found no questions; expected lines of four words"),
        ("q.txt", "", "q.txt: found nothing in it; expected lines of four words"),
        ("q.toml", "[list]\n", "q.toml:1: found no pairs; expected some under [[sections]]"),
        ("q.toml", '[list]\n[[sections]]\nname = "s"\npairs = [["a", "b"]]', "found 1 pairs; exp"),
    ],
)
def test_a_file_that_asks_nothing_is_one_clear_message(corpus_file, name, text, expected):
    with pytest.raises(TiltmeterError, match=re.escape(expected)):
        load_analogies(corpus_file(text, name))


SIMLEX = "word1\tword2\tPOS\tSimLex999\tconc(w1)\nold\tnew\tA\t1.58\t2.72\n"
SIMLEX += "smart\tintelligent\tA\t9.2\t1.75\nhard\tdifficult\tA\t8.77\t3.76\n"


@pytest.mark.parametrize(
    ("name", "text", "called"),
    [
        (
            "combined.csv",
            "Word 1,Word 2,Human (mean)\nold,new,1.58\nsmart,intelligent,9.2\nhard,difficult,8.77",
            "WordSim-353",
        ),
        (
            "wordsim353.tsv",
            "# by its authors\n# Word 1\tWord 2\nold\tnew\t1.58\nsmart\tintelligent\t9.2\n"
            "hard\tdifficult\t8.77\n",
            "WordSim-353",
        ),
        ("SimLex-999.txt", SIMLEX, "SimLex-999"),
        ("mine.txt", "old new 1.58\nsmart intelligent 9.2\nhard difficult 8.77", "mine"),
    ],
)
def test_rated_pairs_are_read_from_the_files_people_have(corpus_file, name, text, called):
    expected = (("old", "new", 1.58), ("smart", "intelligent", 9.2), ("hard", "difficult", 8.77))
    assert load_similarities(corpus_file(text, name)) == (called, expected)


def test_without_a_file_an_installed_gensim_is_asked_and_not_imported(gensim):
    (gensim / "wordsim353.tsv").write_text("# x\nold\tnew\t1\nbig\tlarge\t9\nred\tblue\t3\n")
    named, pairs = load_similarities()
    assert (named, len(pairs), pairs[1]) == ("WordSim-353", 3, ("big", "large", 9.0))


def test_without_a_file_and_without_a_package_there_are_none(monkeypatch):
    monkeypatch.setattr(quality, "find_spec", lambda _: None)
    assert load_similarities() is None


def test_a_gensim_without_its_tests_has_none(gensim):
    assert gensim.is_dir()
    assert load_similarities() is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("old,new,1\nbig,large,much\na,b,3", "x.csv:2: found 'much' for the score; expected a num"),
        ("old,new,1\nbig,9,\na,b,3", "x.csv:2: found '' for the score; expected a number"),
        ("old,new,1\n,large,2\na,b,3", "x.csv:2: found 3 cells; expected two words and a score"),
        ("old,new\nbig,large\na,b", "x.csv:1: found 2 cells; expected two words and a score"),
        ("old,new,1", "x.csv: found 1 pairs; expected 3 or more"),
        ("old\nnew", "x.csv:1: found one column, as in 'old'; expected two words and a score"),
    ],
)
def test_a_file_without_rated_pairs_is_one_clear_message(corpus_file, text, expected):
    with pytest.raises(TiltmeterError, match=re.escape(expected)):
        load_similarities(corpus_file(text, "x.csv"))
