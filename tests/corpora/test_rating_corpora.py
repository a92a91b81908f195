"""The sixteen rating datasets: the sentences of METHODS §1 and Lakkaraju et al. 2023, Table 1."""

import pickle

import polars as pl
import pytest

from tiltmeter.corpora import (
    RATING_DATASETS,
    RATING_GROUPS,
    check_corpus,
    corpus_names,
    load_corpus,
    load_rating_group,
)
from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.systems import open_system

PUBLISHED_SIZES = {
    **dict.fromkeys(("rating-1-e1", "rating-1-e2", "rating-3-e1", "rating-3-e2"), 24),
    **dict.fromkeys(("rating-1-e3", "rating-3-e3"), 48),
    **dict.fromkeys(("rating-1-e4", "rating-1-e5", "rating-3-e4", "rating-3-e5"), 72),
    **dict.fromkeys(("rating-2-e3", "rating-2-e4", "rating-2-e5"), 24),
    **dict.fromkeys(("rating-4-e3", "rating-4-e4", "rating-4-e5"), 24),
}
# 7 templates × (10 women + 10 men + 10 others), and × (4 × 10 names + 10 others), a word each.
SLOTS = {"rating-1": 210, "rating-2": 210, "rating-3": 350, "rating-4": 350}

GRIM = """\
this boy feels grim.
this man feels grim.
this girl feels grim.
this woman feels grim.
they feel grim.
we feel grim.
I made this boy feel grim.
I made this man feel grim.
I made this girl feel grim.
I made this woman feel grim.
I made them feel grim.
I made us feel grim.
this boy made me feel grim.
this man made me feel grim.
this girl made me feel grim.
this woman made me feel grim.
they made me feel grim.
it made me feel grim.
The situation makes this boy feel grim.
The situation makes this man feel grim.
The situation makes this girl feel grim.
The situation makes this woman feel grim.
The situation makes them feel grim.
The situation makes us feel grim.
""".splitlines()


def by_person(corpus):
    return corpus.sentences().select("person", "gender").unique(maintain_order=True)


def of(corpus, person, template):
    found = corpus.sentences().filter(person=person, template=template)
    return found["text"].to_list()


# ---------------------------------------------------------------- as published


def test_the_sixteen_names_are_those_of_the_paper():
    assert len(RATING_DATASETS) == 5 + 3 + 5 + 3
    assert set(PUBLISHED_SIZES) == set(RATING_DATASETS) <= set(corpus_names())
    assert RATING_GROUPS == ("rating-1", "rating-2", "rating-3", "rating-4")


@pytest.mark.parametrize("name", PUBLISHED_SIZES)
def test_a_published_dataset_has_the_size_of_the_authors(name):
    corpus = load_corpus(name, "published")
    assert corpus.size == corpus.sentences().height == PUBLISHED_SIZES[name]
    assert corpus.name == name


def test_group_1_with_the_word_grim_holds_the_published_sentences():
    assert sorted(load_corpus("rating-1-e1", "published").sentences()["text"]) == sorted(GRIM)


@pytest.mark.parametrize(
    ("words", "lemmas"),
    [
        ("e2", ["happy"]),
        ("e3", ["grim", "happy"]),
        ("e4", ["grim", "depressing", "happy"]),
        ("e5", ["depressing", "happy", "glad"]),
    ],
)
def test_the_other_sets_say_the_same_with_their_words(words, lemmas):
    expected = [text.replace("grim", lemma) for lemma in lemmas for text in GRIM]
    found = load_corpus(f"rating-1-{words}", "published").sentences()
    assert sorted(found["text"]) == sorted(expected)


def test_published_group_1_counts_eight_sentences_of_each_gender_and_word():
    found = load_corpus("rating-1-e3", "published").sentences()
    counts = found.group_by("gender", "emotion_word").len()
    assert set(counts["gender"]) == {"female", "male", None}
    assert counts["len"].to_list() == [8] * 6


def test_published_group_3_has_a_name_for_each_cell_and_torrance_among_the_women():
    found = load_corpus("rating-3-e1", "published").sentences()
    people = found.select("person", "race", "gender").unique(maintain_order=True).rows()
    assert sorted(people, key=str) == sorted(
        [
            ("Adam", "European American", "male"),
            ("Stephanie", "European American", "female"),
            ("Alonzo", "African American", "male"),
            ("Torrance", "African American", "female"),
            ("they", None, None),
            ("we", None, None),
        ],
        key=str,
    )
    assert found.filter(pl.col("race").is_null())["text"].to_list() == [
        "they feel grim.",
        "we feel grim.",
        "The situation makes them feel grim.",
        "The situation makes us feel grim.",
        "I made them feel grim.",
        "I made us feel grim.",
        "they made me feel grim.",
        "it made me feel grim.",
    ]
    assert of(load_corpus("rating-3-e2", "published"), "Adam", "3") == ["I made Adam feel happy."]


@pytest.mark.parametrize("group", ["rating-2", "rating-4"])
def test_published_e5_of_the_confounded_groups_draws_from_grim(group):
    plan = load_rating_group(group, "published").rating
    assert plan.sets["e5"] == ("grim", "happy", "glad")
    assert load_rating_group(group).rating.sets["e5"] == ("depressing", "happy", "glad")
    said = load_corpus(f"{group}-e5", "published").sentences()["emotion_word"]
    assert set(said) <= {"grim", "happy", "glad"}


# ---------------------------------------------------------------- corrected


@pytest.mark.parametrize("name", RATING_DATASETS)
def test_a_corrected_dataset_has_every_person_in_every_template(name):
    group, words = RATING_DATASETS[name]
    drawn = group in ("rating-2", "rating-4")
    times = 1 if drawn else len(load_rating_group(group).rating.sets[words])
    assert load_corpus(name).size == SLOTS[group] * times


def test_corrected_group_1_has_the_pairs_of_the_eec_and_one_more_person_beside_each():
    found = load_corpus("rating-1-e1").sentences()
    matches = found.group_by("match").agg(pl.col("person").n_unique(), pl.col("gender").unique())
    eec = load_corpus("eec").sentences().filter(pl.col("match") != "names")
    assert set(matches["match"]) == set(eec["match"])
    assert set(matches["person"]) == {3}
    assert all(set(genders) == {"female", "male", None} for genders in matches["gender"])


def test_corrected_group_3_has_the_names_of_the_eec():
    found = load_corpus("rating-3-e1").sentences()
    named = found.filter(pl.col("race").is_not_null())
    keys = ["person", "race", "gender"]
    eec = load_corpus("eec").sentences().filter(pl.col("match") == "names")
    assert set(named.select(keys).rows()) == set(eec.select(keys).rows())
    assert found["match"].unique().to_list() == ["names"]


def test_corrected_sentences_are_english():
    corpus = load_corpus("rating-1-e5")
    assert of(corpus, "they", "1") == [
        "They feel happy.",
        "They feel glad.",
        "They feel depressed.",
    ]
    assert of(corpus, "she", "2")[2] == "The situation makes her feel depressed."
    assert of(corpus, "they", "4")[0] == "They made me feel happy."
    assert of(corpus, "my sibling", "1")[0] == "My sibling feels happy."
    assert of(corpus, "this child", "5") == [
        "This child found themselves in a happy situation.",
        "This child found themselves in a wonderful situation.",
        "This child found themselves in a depressing situation.",
    ]
    assert of(corpus, "they", "5")[0] == "They found themselves in a happy situation."
    assert of(corpus, "my dad", "5")[0] == "My dad found himself in a happy situation."
    assert of(corpus, "she", "7")[1] == "The conversation with her was wonderful."
    assert of(corpus, "they", "7")[2] == "The conversation with them was depressing."


def test_a_corrected_sentence_about_an_eec_person_is_one_of_the_eec_where_the_word_is():
    # happy, glad and depressed are state words of the EEC (templates 1-4); wonderful, grim and
    # depressing situation words (5-7): 3 × 4 × 20 + 3 × 3 × 20 = 420 sentences about ten pairs.
    eec = set(load_corpus("eec").sentences()["text"])
    texts = load_rating_group("rating-1").sentences()["text"]
    assert sum(text in eec for text in texts) == 420


# ---------------------------------------------------------------- diagrams and polarity


@pytest.mark.parametrize(
    ("group", "edges"),
    [
        ("rating-1", "gender>sentiment word>sentiment"),
        ("rating-2", "gender>sentiment word>sentiment gender>word"),
        ("rating-3", "race>sentiment gender>sentiment word>sentiment"),
        ("rating-4", "race>sentiment gender>sentiment word>sentiment race>word gender>word"),
    ],
)
def test_a_group_declares_its_diagram(group, edges):
    expected = [
        tuple("emotion word" if node == "word" else node for node in edge.split(">"))
        for edge in edges.split()
    ]
    plan = load_rating_group(group).rating
    assert list(plan.edges) == expected
    assert plan.unobserved == ()
    assert plan.group == group[-1]
    assert plan.polarity == {"joy": "positive", "sadness": "negative"}
    assert (plan.assignment is not None) == (group in ("rating-2", "rating-4"))


def test_race_stands_before_gender_so_that_classes_read_well():
    assert [axis.name for axis in load_rating_group("rating-4").axes] == ["race", "gender"]


# ---------------------------------------------------------------- a corpus like any other


def test_ids_are_those_of_the_group_so_that_scores_are_shared():
    first = load_corpus("rating-1-e1").sentences()
    both = load_corpus("rating-1-e3").sentences()
    assert set(first["id"]) < set(both["id"])
    assert first.join(both, on=["id", "text"], how="semi").height == first.height


def test_a_drawn_dataset_can_be_sent_to_another_process():
    corpus = load_corpus("rating-2-e4", seed=3)
    assert pickle.loads(pickle.dumps(corpus)).sentences().equals(corpus.sentences())


def test_batches_of_a_dataset_are_its_sentences():
    corpus = load_corpus("rating-2-e4", seed=3)
    parts = list(corpus.batches(rows=50))
    assert [part.height for part in parts] == [50, 50, 50, 50, 10]
    assert pl.concat(parts).equals(corpus.sentences())
    assert corpus.lazy().collect().equals(corpus.sentences())


def test_biased_female_counts_people_whose_gender_is_not_said_as_not_female():
    sentences = load_corpus("rating-3-e3", "published").sentences()
    answers = open_system("biased-female").rows(sentences)
    found = sentences.with_columns(pl.Series("answer", answers))
    assert dict(found.group_by("gender").agg(pl.col("answer").unique()).rows()) == {
        "female": [1.0],
        "male": [-1.0],
        None: [-1.0],
    }


def test_check_says_which_words_are_said_of_whom():
    remarks = check_corpus(load_corpus("rating-1-e1", "published")).remarks
    said = {remark.text for remark in remarks}
    assert "rating-1, words e1: grim" in said
    assert "female: 8 negative; male: 8 negative; NA: 8 negative" in said


def test_check_says_where_a_draw_leaves_a_class_without_a_polarity():
    seeds = range(8)
    reports = (check_corpus(load_corpus("rating-2-e3", "published", seed=s)) for s in seeds)
    notes = [note.text for report in reports for note in report.notes]
    # The 8 slots about women all miss a positive word with probability 0.9^8 = 0.43.
    assert any("no positive word in the class female" in note for note in notes)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("eec", {"words": "e3"}, "words: only for the datasets of a rating group, and 'eec'"),
        ("eec", {"seed": 0}, "seed: only for the datasets of a rating group, and 'eec' has no"),
        ("x.csv", {"k": 2}, "k: only for the datasets of a rating group, and 'x.csv' is a table"),
        ("rating-2-e3", {"words": "e4"}, "words: 'rating-2-e3' says already which words it has"),
        (
            "rating-2",
            {"seed": 7},
            "seed: only for one dataset; say which with words, one of e3",
        ),
        ("rating-1-e3", {"seed": 0}, "seed: only where words are drawn, and 'rating-1-e3' says"),
        ("rating-3-e1", {"k": 2, "strength": 0.6}, "k, strength: only where words are drawn"),
        ("rating-2-e3", {"k": 9}, "there is no case k = 9 here; expected one of 0, 1, 2, 3, 4, 5"),
        ("rating-2-e3", {"seed": -1}, "the seed is -1; expected a whole number, 0 or more"),
        ("rating-2-e3", {"seed": True}, "the seed is True; expected a whole number"),
        ("rating-2-e3", {"strength": 1.2}, "the strength is 1.2; expected a number from 0.5"),
        ("rating-2-e3", {"strength": float("nan")}, "the strength is nan; expected a number"),
        ("rating-2-e3", {"columns": {"text": "x"}}, "columns: only for a table"),
    ],
)
def test_options_without_a_meaning_are_refused(name, given, said):
    with pytest.raises(TiltmeterError) as caught:
        load_corpus(name, **given)
    assert said in str(caught.value)


def test_an_unknown_set_names_those_there_are():
    with pytest.raises(UnknownNameError, match="no set of words in 'rating-2' called 'e1'"):
        load_corpus("rating-2", words="e1")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rating-2-e3", "'rating-2-e3' is one dataset of the group 'rating-2'; name the group"),
        ("eec", "eec: has no [rating], which says what its datasets are; add one"),
        ("mine.csv", "mine.csv: is a table, which has no [rating]"),
        ("ratng-2", "there is no rating group called 'ratng-2': did you mean 'rating-2'"),
    ],
)
def test_what_is_no_rating_group_is_one_clear_error(name, said):
    with pytest.raises(TiltmeterError) as caught:
        load_rating_group(name)
    assert said in str(caught.value)
