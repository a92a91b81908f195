"""People in free text: recognised, swapped with agreement, refused where a word has two senses."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.corpora import load_corpus, read_people, swap_people
from tiltmeter.corpora.first_names import census_names, counterpart
from tiltmeter.corpora.mentions import MentionKind
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
        ("Dr. Patel and Dr. Anna Patel met Chancellor Merkel.", [("Anna", "name")]),
        ("O'Brien met D’Angelo in San Diego.", []),
        ("Burger King is in North Carolina on St. Patrick's Day.", []),
        (
            "Anne-Marie and Mary Ann met DeShawn.",
            [("Anne-Marie", "name"), ("Mary Ann", "name"), ("DeShawn", "name")],
        ),
        ("JOHN IS FURIOUS!", [("JOHN", "name")]),
        ("Mr and Mrs Smith complained.", [("Mr", "title"), ("Mrs", "title")]),
        ("He or she must sign, and (s)he or her/his aunt.", [("aunt", "noun")]),
        ("An angry Black man shouted.", [("man", "noun")]),
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
        ("Charlotte is a city.", ("a person", "nobody")),
        ("Alexa did not work.", ("a person", "nobody")),
        ("Mother Teresa was kind.", ("a person", "nobody")),
        ("Queen played Wembley.", ("a person", "nobody")),
        ("I read that Zelensky Barack left.", ("a person", "nobody")),
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
        ("I miss her so much.", None, "I miss him so much."),
        ("I hate her attitude.", None, "I hate his attitude."),
        ("Her eyes met his.", None, "His eyes met hers."),
        ("Everyone loves his or her mother.", None, "Everyone loves his or her father."),
        (
            "Ladies, the policemen met two waitresses.",
            None,
            "Gentlemen, the policewomen met two waiters.",
        ),
        ("Anne-Marie and my mother-in-law sing.", None, "Derek and my father-in-law sing."),
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
        ("My sister Emily sings.", "My sister Latoya sings.", "My brother Darnell sings."),
        ("He is the man!", "Latoya is the woman!", "Darnell is the man!"),
        (
            "They held a man named Tyrone.",
            "They held a woman named Latoya.",
            "They held a man named Darnell.",
        ),
        (
            "Emily is a kind woman who lost her keys.",
            "Latoya is a kind woman who lost her keys.",
            "Darnell is a kind man who lost his keys.",
        ),
        ("Emily is with a woman.", "Latoya is with a woman.", "Darnell is with a woman."),
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
        ("The 25-year-old woman sings.", "no place for a name"),
        ("My mother-in-law is awful.", "no place for a name"),
        ("The king of pop sings.", "no place for a name"),
        ("Mr and Mrs Smith complained.", "no place for a name"),
        ("Everyone loves his or her mother.", "no place for a name"),
    ],
)
def test_no_name_is_put_where_it_is_open_whom_a_pronoun_means(sentence, why):
    with pytest.raises(TiltmeterError, match=why):
        read_people(sentence).frame()


@pytest.mark.parametrize(
    ("sentence", "decisions", "other"),
    [
        ("Casey lost the keys.", {0: "a woman"}, "Wyatt lost the keys."),
        ("Casey lost the keys.", {0: "a man"}, "Peggy lost the keys."),
        ("Adam met Emily.", {9: "nobody"}, "Amanda met Emily."),
        ("i think john is loud.", {8: "a man"}, "i think jennifer is loud."),
        ("The book is his.", {12: "her"}, "The book is her."),
    ],
)
def test_a_user_may_change_what_was_recognised(sentence, decisions, other):
    assert read_people(sentence, decisions).swap().other == other


def test_a_word_that_no_list_knows_may_be_called_a_person():
    people = read_people("We thanked Qwxyz and john in Boston on Monday.")
    assert [one.text for one in people.others] == ["Qwxyz", "john"]
    named = read_people("We thanked Qwxyz today.", {11: "a woman"})
    assert named.frame().text("Darnell", "male") == "We thanked Darnell today."
    with pytest.raises(TiltmeterError, match="no name that the Census lists"):
        named.swap()
    with pytest.raises(TiltmeterError, match="'Casey' is a name of women and of men"):
        read_people("Casey sings.").swap()


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


LAST = [
    "", " ", "\n", "\n\n", ".", "!?", "…", ")", " 😄", "😄",
    " 👩🏽‍🦰", " 👨‍👩‍👧", " 2", " #1", " _", " -", "\u200d",
]  # fmt: skip


@pytest.mark.parametrize("after", LAST)
@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("You annoyed her", "You annoyed him"),
        ("You annoyed him", "You annoyed her"),
        ("The book is his", "The book is hers"),
        ("The book is hers", "The book is his"),
        ("She hurt herself", "He hurt himself"),
    ],
)
def test_a_pronoun_that_no_word_follows_stands_by_itself(sentence, other, after):
    assert swap_people(sentence + after).other == other + after
    assert read_people(f"{after} {sentence}{after}").frame().text("Adam", "male")


PIECES = st.sampled_from(
    ["her", "Her", "HER", "his", "him", "hers", "herself", "himself", "she", "he", "s/he", "(s)he",
     "Mrs", "Mr.", "and", "Grace", "Mary", "Ann", "Anne-Marie", "Casey", "my", "sister", "mother",
     "in-law", "who", "feel", "made", "own", "duck", "O'", "’s", "😄", "👩‍🦰", "\u200d", "2",
     "-", "/", "_", "{", "|", "}", ".", "…", "“", "\n", "\0", "ß", "İ", "ﬁ", "هي"]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=3), max_size=7), st.sampled_from(["", " "]))
@settings(max_examples=300)
def test_no_text_ends_in_anything_but_an_answer_or_a_clear_error(pieces, space):
    people = read_people(space.join(pieces))
    for mention in (*people.mentions, *people.others):
        assert people.sentence[mention.start : mention.end] == mention.text
        for choice in {*mention.changes, *mention.choices, "a woman", "a man", "nobody"}:
            settled = read_people(people.sentence, {mention.start: choice})
            for answer in (settled.swap, settled.frame):
                with suppress(TiltmeterError):
                    answer()
    for answer in (people.swap, people.frame):
        with suppress(TiltmeterError):
            answer()


def test_marks_are_where_the_words_stand_in_any_text():
    sentence = "“شكراً” — Latoya’s 😀 MOTHER told him."
    for mention in read_people(sentence).mentions:
        assert sentence[mention.start : mention.end] == mention.text
    assert read_people(sentence).mentions[1].kind is MentionKind.NOUN
    assert swap_people(sentence).other.endswith("’s 😀 FATHER told her.")
