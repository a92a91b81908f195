import pytest

from tiltmeter.corpora.expand import article_before


@pytest.mark.parametrize(
    "word",
    [
        "amazing",
        "annoying",
        "irritating",
        "outrageous",
        "angry",
        "ecstatic",
        "excited",
        "enraged",
        "upset",
        "ugly",
        "urgent",
        "hour",
        "hourly",
        "honest",
        "honorable",
        "honourable",
        "heir",
        "uninteresting",
        "unimportant",
        "unnerving",
        "MRI",
        "FBI",
    ],
)
def test_a_vowel_sound_takes_an(word):
    assert article_before(word) == "an"


@pytest.mark.parametrize(
    "word",
    [
        "dreadful",
        "shocking",
        "vexing",
        "wonderful",
        "serious",
        "grim",
        "happy",
        "hilarious",
        "horrible",
        "heartbreaking",
        "unique",
        "unified",
        "universal",
        "useful",
        "usual",
        "utopian",
        "euphoric",
        "one-sided",
        "European",
    ],
)
def test_a_consonant_sound_takes_a(word):
    assert article_before(word) == "a"


def test_the_first_sound_of_a_phrase_decides_and_quotes_and_spaces_do_not():
    # "honest" decides, not "man"; a quotation mark has no sound.
    assert article_before("honest man") == "an"
    assert article_before("“unusual” man") == "an"
    assert article_before(" (useful) thing") == "a"
    assert article_before("Amanda") == "an"
    assert article_before("Heather") == "a"


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("unimaginable", "an"),
        ("unidentified", "an"),
        ("ubiquitous", "a"),
        ("Ukrainian", "a"),
        ("UK", "a"),
        ("U-turn", "a"),
        ("X-ray", "an"),
        ("8-year-old", "an"),
        ("11-year-old", "an"),
        ("80-year-old", "an"),
    ],
)
def test_words_whose_spelling_misleads_are_heard_right(word, article):
    assert article_before(word) == article
