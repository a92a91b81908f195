"""People in free text: recognised, swapped with agreement, refused where a word has two senses."""

import pytest

from tiltmeter.corpora import load_corpus, read_people, swap_people
from tiltmeter.corpora.people_in_text import MentionKind, census_names, counterpart
from tiltmeter.errors import TiltmeterError


def kinds(sentence):
    return [(mention.text, mention.kind.value) for mention in read_people(sentence).mentions]


@pytest.fixture(scope="module")
def eec():
    return load_corpus("eec").sentences()


def test_each_sentence_of_the_eec_swaps_into_another_of_it(eec):
    """The paper's 8,640 sentences, but for those that open with a name that is a word too."""
    texts = set(eec["text"])
    opening = {"Ebony", "Jasmine", "Heather", "Frank", "Harry", "Jack", "Josh", "Roger"}
    swapped = doubted = 0
    for text in texts:
        if text.split()[0] in opening:
            assert [mention.text for mention in read_people(text).doubts] == [text.split()[0]]
            doubted += 1
            continue
        other = swap_people(text).other
        assert other in texts
        assert other != text
        swapped += 1
    assert (swapped, doubted) == (len(texts) - 656, 656)


def test_a_decision_settles_what_opens_with_a_word_and_the_sentence_swaps():
    assert read_people("Ebony feels sad.", {0: "a person"}).swap().other == "Alonzo feels sad."
    with pytest.raises(TiltmeterError, match="no person is recognised"):
        read_people("Ebony keys gleam.", {0: "nobody"}).swap()


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("My friend Shaniqua told her boss.", [("Shaniqua", "name"), ("her", "pronoun")]),
        ("Mrs Smith saw Adam Scott.", [("Mrs", "title"), ("Adam", "name")]),
        ("So he left.", [("he", "pronoun")]),
        ("An old man sings on Sunday.", [("man", "noun")]),
        ("The weather is fine in Kansas.", []),
        ("grace is a virtue; we will rose", []),
    ],
)
def test_names_nouns_pronouns_and_titles_are_recognised_and_surnames_left(sentence, found):
    assert kinds(sentence) == found


@pytest.mark.parametrize(
    ("sentence", "choices"),
    [
        ("I saw her duck.", ("him", "his", "nobody")),
        ("We gave her money.", ("him", "his", "nobody")),
        ("I told her friends.", ("him", "his", "nobody")),
        ("I drove her home.", ("him", "his", "nobody")),
        ("I met her in-laws.", ("him", "his", "nobody")),
        ("Grace is a virtue.", ("a person", "nobody")),
        ("Will you come?", ("a person", "nobody")),
        ("I love Paris.", ("a person", "nobody")),
        ("We met in May.", ("a person", "nobody")),
        ("Oh man, it rains.", ("a person", "nobody")),
        ("Jesus, that was close!", ("a person", "nobody")),
    ],
)
def test_what_may_be_read_in_two_ways_waits_for_a_decision(sentence, choices):
    (doubt,) = read_people(sentence).doubts
    assert doubt.choices == choices
    with pytest.raises(TiltmeterError, match="may "):
        read_people(sentence).swap()
    for choice in choices:
        assert read_people(sentence, {doubt.start: choice}).doubts == ()


@pytest.mark.parametrize(
    ("sentence", "decision", "other"),
    [
        ("I saw her duck.", "him", "I saw him duck."),
        ("I saw her duck.", "his", "I saw his duck."),
        ("Give her it and her hat.", None, "Give him it and his hat."),
        ("Mr. Jones lost his hat; it is his.", None, "Ms. Jones lost her hat; it is hers."),
    ],
)
def test_her_and_his_follow_their_place(sentence, decision, other):
    doubts = read_people(sentence).doubts
    people = read_people(sentence, {doubts[0].start: decision} if decision else {})
    assert people.swap().other == other


@pytest.mark.parametrize(
    ("sentence", "woman", "man"),
    [
        ("Adam lost his keys.", "Latoya lost her keys.", "Darnell lost his keys."),
        ("My sister feels angry.", "Latoya feels angry.", "Darnell feels angry."),
        ("I made her feel sad.", "I made Latoya feel sad.", "I made Darnell feel sad."),
        ("His dog bit him.", "Latoya’s dog bit her.", "Darnell’s dog bit him."),
        ("Mrs Smith is here.", "Latoya is here.", "Darnell is here."),
        ("Adam says Adam is glad.", "Latoya says Latoya is glad.", "Darnell says Darnell is glad."),
        (
            "Adam met Tia and her dog.",
            "Latoya met Tia and her dog.",
            "Darnell met Tia and her dog.",
        ),
    ],
)
def test_a_name_stands_in_a_person_s_place_and_pronouns_agree(sentence, woman, man):
    frame = read_people(sentence).frame()
    assert frame.text("Latoya", "female") == woman
    assert frame.text("Darnell", "male") == man


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Latisha hugged Ebony and her dog barked.", "may mean Ebony or Latisha"),
        ("He gave him a book.", "may be two people"),
        ("They sing.", "no place for a name"),
        ("Two women met.", "no place for a name"),
    ],
)
def test_no_name_is_put_where_it_is_open_whom_a_pronoun_means(sentence, why):
    with pytest.raises(TiltmeterError, match=why):
        read_people(sentence).frame()


def test_the_eec_says_whose_its_names_are_and_a_counterpart_shares_the_group():
    assert census_names()["Torrance"].gender == "male"  # by the Census both women's and men's
    for name in ("Keisha", "Guadalupe", "Emily", "Hieu"):
        known = census_names()[name]
        if known.gender is None:
            with pytest.raises(TiltmeterError, match="women and of men"):
                counterpart(name)
            continue
        other = census_names()[counterpart(name)]
        assert other.most == known.most
        assert {known.gender, other.gender} == {"female", "male"}


def test_marks_are_where_the_words_stand_in_any_text():
    sentence = "“شكراً” — Latoya’s 😀 MOTHER told him."
    for mention in read_people(sentence).mentions:
        assert sentence[mention.start : mention.end] == mention.text
    assert read_people(sentence).mentions[1].kind is MentionKind.NOUN
    assert swap_people(sentence).other.endswith("’s 😀 FATHER told her.")
