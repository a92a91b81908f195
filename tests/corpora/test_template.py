"""The engine: sentences written from templates, people and words."""

import hashlib
import unicodedata

import polars as pl
import pytest

from tiltmeter.corpora import Axis, load_corpus
from tiltmeter.corpora.expand import capitalise
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import SENTENCES, validate

PAIR = """\
[[people]]
list = "pair"
members = [
  { subject = "she", object = "her", possessive = "her", gender = "female", match = "she/he" },
  { subject = "he", object = "him", possessive = "his", gender = "male", match = "she/he" },
]
"""
HEAD = '[corpus]\nname = "c"\nlanguage = "en"\n[axes]\ngender = ["female", "male"]\n' + PAIR


def template(text: str, *lines: str, name: str = "1") -> str:
    return "\n".join(["[[templates]]", f'id = "{name}"', f'text = "{text}"', *lines, ""])


def words(*lines: str, name: str = "state") -> str:
    return "\n".join(["[[words]]", f'list = "{name}"', *lines, ""])


# ---------------------------------------------------------------- the corpus of the paper


@pytest.fixture(scope="module")
def eec():
    return load_corpus("eec")


@pytest.fixture(scope="module")
def sentences(eec):
    return eec.sentences()


def pairs(sentences: pl.DataFrame, axis: str) -> int:
    """Comparisons on an axis: matches within a frame that hold people of both groups."""
    groups = pl.col(axis).drop_nulls().n_unique()
    return sentences.group_by("frame", "match").agg(groups).filter(pl.col(axis) == 2).height


@pytest.mark.parametrize("edition", ["corrected", "published"])
def test_the_eec_is_exact_to_the_sentence(edition):
    corpus = load_corpus("eec", edition)
    joined = "\n".join(sorted(corpus.sentences()["text"].to_list()))
    expected = "24b0f7d783e50ce68636208b0cd293952b1a6112ee1a81da0657bac10a3f37fe"
    assert hashlib.sha256(joined.encode()).hexdigest() == expected
    assert corpus.checksum == expected


def test_the_eec_has_1200_sentences_for_each_emotional_template_and_60_for_each_neutral(sentences):
    # 60 people × 20 words for templates 1–7, 60 people for 8–11: 7 × 1,200 + 4 × 60 = 8,640.
    counted = dict(sentences["template"].value_counts().iter_rows())
    assert counted == {str(n): 1200 for n in range(1, 8)} | {str(n): 60 for n in range(8, 12)}
    assert sentences.height == 8640


def test_the_size_is_known_before_a_sentence_is_written(eec):
    assert eec.size == 8640


def test_the_eec_keeps_to_the_sentences_table(eec, sentences):
    validate(sentences, SENTENCES)
    assert tuple(sentences.columns) == eec.columns


def test_the_eec_has_144_frames(sentences):
    # 7 templates × 20 words + 4 neutral templates, each a frame of its own.
    assert sentences["frame"].n_unique() == 7 * 20 + 4 == 144


def test_frame_and_match_alone_give_1584_gender_pairs_and_144_race_pairs(sentences):
    # Each frame holds 10 noun-phrase pairs and 1 pair of pooled names: 11 × 144.
    assert pairs(sentences, "gender") == 11 * 144 == 1584
    assert pairs(sentences, "race") == 144


def test_the_neutral_templates_give_44_gender_pairs_and_4_race_pairs(sentences):
    neutral = sentences.filter(pl.col("emotion").is_null())
    assert pairs(neutral, "gender") == 11 * 4 == 44
    assert pairs(neutral, "race") == 4


def test_only_names_have_a_race_and_everybody_has_a_gender(sentences):
    # 20 of 60 people are pronouns and noun phrases, whose race nobody states.
    without = sentences.filter(pl.col("race").is_null())
    assert without.height == 144 * 20
    assert set(without["match"].unique()) & {"names"} == set()
    assert sentences["gender"].null_count() == 0


def test_a_frame_is_template_emotion_and_lemma_and_a_neutral_one_its_template(sentences):
    # Person 17: two pronouns and seven pairs of noun phrases stand before my aunt.
    row = sentences.filter(text="My aunt found herself in an annoying situation.").to_dicts()
    assert row == [
        {
            "id": "t05-w01-p17",
            "text": "My aunt found herself in an annoying situation.",
            "corpus": "eec",
            "edition": "corrected",
            "language": "en",
            "template": "5",
            "person": "my aunt",
            "gender": "female",
            "race": None,
            "emotion": "anger",
            "emotion_word": "annoying",
            "frame": "5/anger/annoying",
            "match": "my aunt/my uncle",
        }
    ]
    neutral = sentences.row(by_predicate=pl.col("text") == "Latoya has two children.", named=True)
    assert (neutral["frame"], neutral["emotion"], neutral["emotion_word"]) == ("11", None, None)
    assert (neutral["race"], neutral["match"]) == ("African American", "names")


@pytest.mark.parametrize(
    "text",
    [
        "She feels angry.",
        "He feels sad.",
        "The situation makes her feel furious.",
        "The situation makes him feel glad.",
        "I made Ebony feel terrified.",
        "She found herself in a vexing situation.",
        "He found himself in an outrageous situation.",
        "Nancy found herself in an amazing situation.",
        "Ryan found himself in an irritating situation.",
        "This boy found himself in a hilarious situation.",
        "My mom told us all about the recent gloomy events.",
        "The conversation with him was grim.",
        "I saw her in the market.",
        "I talked to my dad yesterday.",
        "He goes to the school in our neighborhood.",
    ],
)
def test_the_eec_writes_english_as_people_do(sentences, text):
    assert sentences.filter(text=text).height == 1


def test_every_sentence_starts_with_a_capital_and_ends_with_one_full_stop(sentences):
    assert sentences["text"].str.contains(r"^[A-Z][^.{}]*[^ .]\.$").all()


def test_the_sentences_of_a_frame_stand_together(sentences):
    assert sentences["frame"].rle().len() == 144


# ---------------------------------------------------------------- batches and lazy frames


@pytest.mark.parametrize("rows", [1, 7, 60, 10_000])
def test_the_size_of_a_batch_changes_nothing(load, tiny, rows):
    corpus = load(tiny)
    batches = list(corpus.batches(rows))
    assert max(batch.height for batch in batches) <= rows
    assert pl.concat(batches).equals(corpus.sentences())


@pytest.mark.parametrize("rows", [7, 60, 1201, 10_000])
def test_the_size_of_a_batch_changes_nothing_in_the_eec(eec, sentences, rows):
    batches = list(eec.batches(rows))
    assert max(batch.height for batch in batches) <= rows
    assert pl.concat(batches).equals(sentences)


@pytest.mark.parametrize("rows", [0, -1])
def test_a_batch_of_no_rows_is_refused(load, tiny, rows):
    with pytest.raises(TiltmeterError, match=f"at least one row; found rows={rows}"):
        load(tiny).batches(rows)


QUERIES = {
    "everything": lambda f: f,
    "select": lambda f: f.select("text", "id"),
    "filter": lambda f: f.filter(pl.col("gender") == "female"),
    "filter on a column that is not selected": lambda f: f.filter(race="European American").select(
        "id"
    ),
    "head": lambda f: f.head(61),
    "head of nothing": lambda f: f.head(0),
    "head, then filter": lambda f: f.head(1300).filter(template="2"),
    "filter, then head": lambda f: f.filter(template="9").head(5),
    "slice": lambda f: f.slice(100, 50),
    "tail": lambda f: f.tail(3),
    "group": lambda f: f.group_by("template", "gender").agg(pl.len()).sort("template", "gender"),
    "count": lambda f: f.select(pl.len()),
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())
@pytest.mark.parametrize("rows", [50, 65_536])
def test_a_lazy_query_gives_what_the_eager_one_gives(eec, sentences, query, rows):
    assert query(eec.lazy(rows)).collect().equals(query(sentences))


def test_the_lazy_frame_knows_its_columns_without_writing(eec, sentences):
    assert eec.lazy().collect_schema() == sentences.schema


# ---------------------------------------------------------------- order and IDs


def test_words_change_slower_than_people_and_templates_slowest(load, tiny):
    assert load(tiny).sentences()["text"].to_list()[:8] == [
        "She feels glad.",
        "He feels glad.",
        "Ann feels glad.",
        "Eve feels glad.",
        "Bob feels glad.",
        "Tom feels glad.",
        "She feels happy.",
        "He feels happy.",
    ]


def test_an_id_says_template_word_and_person(load, tiny):
    # Words count through their list (scared is the third), people through the file (Tom is 6th).
    ids = dict(load(tiny).sentences().select("text", "id").iter_rows())
    assert ids["Tom feels scared."] == "t01-w03-p06"
    assert ids["I saw Tom by himself."] == "t02-p06"


def test_appending_to_the_last_lists_keeps_every_older_id(load, tiny):
    longer = tiny.replace('"Tom"]', '"Tom", "Jim"]').replace('"scared"]', '"scared", "shy"]')
    older, newer = (load(text).sentences().select("id", "text") for text in (tiny, longer))
    assert newer.height == 7 * 4 + 7
    assert older.join(newer, on=["id", "text"], how="anti").is_empty()


# ---------------------------------------------------------------- two people, two words

TWO = (
    HEAD
    + '[[people]]\nlist = "friends"\nmembers = ["Kim", "Lee"]\n'
    + words('joy = ["glad"]', 'sadness = ["sad"]')
    + template(
        "{person} told {friend} about a {state} and {other} day.",
        'slots.person.people = "pair"',
        'slots.friend.people = "friends"',
        'slots.other.words = "state"',
    )
)


def test_two_people_and_two_words_meet_in_every_way_but_a_word_never_meets_itself(load):
    # 2 of the 4 word combinations × 2 friends × 2 people.
    corpus = load(TWO)
    assert corpus.size == 8
    assert corpus.sentences()["text"].to_list() == [
        "She told Kim about a glad and sad day.",
        "He told Kim about a glad and sad day.",
        "She told Lee about a glad and sad day.",
        "He told Lee about a glad and sad day.",
        "She told Kim about a sad and glad day.",
        "He told Kim about a sad and glad day.",
        "She told Lee about a sad and glad day.",
        "He told Lee about a sad and glad day.",
    ]


def test_the_frame_holds_the_other_person_and_both_words(load):
    last = load(TWO).sentences().row(-1, named=True)
    assert last["frame"] == "1/sadness+joy/sad+glad/Lee"
    assert (last["emotion"], last["emotion_word"]) == ("sadness+joy", "sad+glad")
    assert (last["person"], last["match"], last["gender"]) == ("he", "she/he", "male")
    assert last["id"] == "t01-w02-w01-q04-p02"


def test_within_a_frame_only_the_person_under_comparison_changes(load):
    frames = load(TWO).sentences().group_by("frame").agg(pl.col("person").sort())
    assert frames.height == 4
    assert frames["person"].to_list() == [["he", "she"]] * 4


def test_two_words_of_one_emotion_name_it_once(load):
    joy = TWO.replace('joy = ["glad"]', 'joy = ["glad", "happy"]').replace('sadness = ["sad"]', "")
    assert load(joy).sentences()["emotion"].unique().to_list() == ["joy"]


def test_focus_says_which_of_two_people_is_compared(load):
    # With the friend in focus, the frame holds the other person: she or he.
    friends = 'list = "friends"\nmatch = "names"\n'
    members = '[{ subject = "Kim", gender = "female" }, { subject = "Lee", gender = "male" }]'
    text = TWO.replace('list = "friends"\n', friends).replace('["Kim", "Lee"]', members)
    found = load(text + 'focus = "friend"\n').sentences()
    assert found["person"].to_list()[:4] == ["Kim", "Lee", "Kim", "Lee"]
    assert found["frame"].to_list()[0] == "1/joy+sadness/glad+sad/she"
    assert found["match"].unique().to_list() == ["names"]


def test_a_slot_that_stands_twice_holds_the_same_word_and_person(texts):
    text = HEAD + words('joy = ["glad"]') + template("{person} is {state}, so {state} is {person}.")
    assert texts(text) == ["She is glad, so glad is she.", "He is glad, so glad is he."]


# ---------------------------------------------------------------- forms and agreement

SPANISH = """\
[corpus]
name = "es"
language = "es"
[axes]
gender = ["female", "male"]
[agreement]
female = "feminine"
male = "masculine"
[speaker]
form = "masculine"
[[people]]
list = "pronombres"
members = [
  { subject = "ella", seen = "la vi a ella", gender = "female", match = "ella/él" },
  { subject = "él", seen = "lo vi a él", gender = "male", match = "ella/él" },
]
[[people]]
list = "nombres"
match = "names"
members = [{ subject = "Ana", gender = "female" }, { subject = "Ángel", gender = "male" }]
[[words]]
list = "state"
joy = [{ lemma = "contento", masculine = "contento", feminine = "contenta" }, "feliz"]
"""


def test_a_word_that_agrees_with_the_person_follows_the_persons_gender(texts):
    text = SPANISH + template("{person} se siente {state}.", 'slots.state.agrees = "person"')
    assert texts(text)[:4] == [
        "Ella se siente contenta.",
        "Él se siente contento.",
        "Ana se siente contenta.",
        "Ángel se siente contento.",
    ]


def test_a_word_without_forms_is_its_lemma_everywhere(texts):
    text = SPANISH + template("{person} se siente {state}.", 'slots.state.agrees = "person"')
    assert texts(text)[4:6] == ["Ella se siente feliz.", "Él se siente feliz."]


def test_a_word_that_agrees_with_the_speaker_is_the_same_whoever_the_person_is(texts):
    text = SPANISH + template("{person} me hizo sentir {state}.", 'slots.state.agrees = "speaker"')
    assert texts(text)[:2] == ["Ella me hizo sentir contento.", "Él me hizo sentir contento."]
    assert texts(text.replace('form = "masculine"', 'form = "feminine"'))[1] == (
        "Él me hizo sentir contenta."
    )


def test_a_word_that_agrees_with_a_noun_takes_the_nouns_form(texts):
    noun = 'slots.state = { agrees = "noun", noun = "charla", form = "feminine" }'
    text = SPANISH + template("La charla con {person} fue {state}.", noun)
    assert texts(text)[:2] == ["La charla con ella fue contenta.", "La charla con él fue contenta."]


def test_a_word_that_agrees_with_nothing_takes_the_form_its_slot_names(texts):
    text = SPANISH + template("{person}: {state}.", 'slots.state.form = "feminine"')
    assert texts(text)[:2] == ["Ella: contenta.", "Él: contenta."]


def test_the_frame_is_named_by_the_lemma_whatever_the_form(load):
    text = SPANISH + template("{person} se siente {state}.", 'slots.state.agrees = "person"')
    frames = load(text).sentences()["frame"].unique(maintain_order=True).to_list()
    assert frames == ["1/joy/contento", "1/joy/feliz"]


def test_otherwise_serves_people_who_lack_the_form(texts):
    slot = 'slots.seen-person = { form = "seen", otherwise = "vi a {}" }'
    text = SPANISH + template("{seen-person} en el mercado.", slot)
    assert texts(text) == [
        "La vi a ella en el mercado.",
        "Lo vi a él en el mercado.",
        "Vi a Ana en el mercado.",
        "Vi a Ángel en el mercado.",
    ]


def test_a_repeating_slot_holds_the_same_person_in_another_form(load):
    slot = 'slots.possessive = { repeats = "person", form = "possessive" }'
    corpus = load(HEAD + template("{person} brought {possessive} dog.", slot))
    assert corpus.size == 2
    assert corpus.sentences()["text"].to_list() == ["She brought her dog.", "He brought his dog."]


def test_a_repeating_slot_may_stand_before_and_repeat_the_second_person(texts):
    # his/her follow the friend, who is held fixed, and not the person under comparison.
    friends = """
[[people]]
list = "friends"
members = [
  { subject = "my aunt", possessive = "her" },
  { subject = "my uncle", possessive = "his" },
]
"""
    text = HEAD + friends + template(
        "in {possessive} car {friend} took {person} home.",
        'slots.person = { people = "pair", form = "object" }',
        'slots.friend.people = "friends"',
        'slots.possessive = { repeats = "friend", form = "possessive" }',
    )  # fmt: skip
    assert texts(text) == [
        "In her car my aunt took her home.",
        "In her car my aunt took him home.",
        "In his car my uncle took her home.",
        "In his car my uncle took him home.",
    ]


def test_a_reflexive_agrees_with_the_person_it_names(texts):
    # Kim is a woman and under nobody's comparison; herself follows her, not she or he.
    kim = '[[people]]\nlist = "friends"\ngender = "female"\nmembers = ["Kim"]\n'
    text = HEAD + kim + template(
        "{person} saw {friend} by {self}.",
        'slots.person.people = "pair"',
        'slots.friend.people = "friends"',
        'slots.self = { agrees = "friend", female = "herself", male = "himself" }',
    )  # fmt: skip
    assert texts(text) == ["She saw Kim by herself.", "He saw Kim by herself."]


def test_somebody_with_one_form_has_it_everywhere(texts, tiny):
    assert texts(tiny)[-4:] == [
        "I saw Ann by herself.",
        "I saw Eve by herself.",
        "I saw Bob by himself.",
        "I saw Tom by himself.",
    ]


# ---------------------------------------------------------------- Arabic, Unicode, capitals

ARABIC = """\
[corpus]
name = "ar"
language = "ar"
[axes]
gender = ["female", "male"]
[agreement]
female = "feminine"
male = "masculine"
[[people]]
list = "pronouns"
members = [
  { subject = "هي", gender = "female", match = "هي/هو" },
  { subject = "هو", gender = "male", match = "هي/هو" },
]
[[words]]
list = "state"
joy = [{ lemma = "سعيد", masculine = "سعيد", feminine = "سعيدة" }]
[[templates]]
id = "1"
text = "{person} {feels} {that} {state}."
slots.feels = { agrees = "person", masculine = "يشعر", feminine = "تشعر" }
slots.that = { agrees = "person", masculine = "بأنه", feminine = "بأنها" }
slots.state.agrees = "person"
[[templates]]
id = "2"
text = "بسبب الموقف {feels} {person} بالحزن."
slots.feels = { agrees = "person", masculine = "يشعر", feminine = "تشعر" }
"""


def test_arabic_verbs_agree_with_the_person_before_or_after_them(load):
    corpus = load(ARABIC)
    assert corpus.sentences()["text"].to_list() == [
        "هي تشعر بأنها سعيدة.",
        "هو يشعر بأنه سعيد.",
        "بسبب الموقف تشعر هي بالحزن.",
        "بسبب الموقف يشعر هو بالحزن.",
    ]


def test_right_to_left_text_is_kept_in_reading_order_without_direction_marks(load):
    corpus = load(ARABIC)
    assert corpus.direction == "rtl"
    assert not corpus.sentences()["text"].str.contains(r"[\u200e\u200f\u202a-\u202e]").any()


def test_a_left_to_right_language_with_a_region_is_left_to_right(load, tiny):
    assert load(tiny.replace('"en"', '"en-GB"')).direction == "ltr"
    assert load(tiny.replace('"en"', '"ar-EG"')).direction == "rtl"


def test_decomposed_letters_are_composed(load, tiny):
    # É as E and a combining accent, in a name and in the words, becomes the one letter É.
    spelled = tiny.replace("Eve", "E\u0301ve").replace("glad", "gla\u0301d")
    found = load(spelled).sentences()
    assert "Éve feels glád." in found["text"].to_list()
    assert all(unicodedata.is_normalized("NFC", text) for text in found["text"])
    assert "Éve" in found["person"].to_list()
    assert found.equals(load(tiny.replace("Eve", "Éve").replace("glad", "glád")).sentences())


def test_letters_written_as_escapes_are_composed_too(texts, tiny):
    assert "\u00c9ve feels glad." in texts(tiny.replace("Eve", "E\\u0301ve"))


def test_a_file_with_a_byte_order_mark_or_windows_lines_reads_the_same(texts, tiny):
    expected = texts(tiny)
    assert texts("\ufeff" + tiny) == expected
    assert texts(tiny.replace("\n", "\r\n")) == expected


@pytest.mark.parametrize(
    ("text", "capital"),
    [
        ("she feels", "She feels"),
        ("ángel", "Ángel"),
        ("¿él va?", "¿Él va?"),
        ("“this man”", "“This man”"),
        ("هي تشعر", "هي تشعر"),
        ("123", "123"),
        ("", ""),
    ],
)
def test_the_first_letter_is_capital_after_any_marks(text, capital):
    assert capitalise(text) == capital


def test_a_capital_falls_on_the_person_after_an_opening_mark(texts):
    assert texts(HEAD + template("¿{person} va?")) == ["¿She va?", "¿He va?"]


def test_a_template_may_keep_its_small_letter(texts):
    text = HEAD + template("{person} left", "capitalise = false")
    assert texts(text) == ["she left", "he left"]


def test_an_edition_may_keep_small_letters_and_a_template_may_differ(texts):
    editions = "[editions.corrected]\n[editions.published]\ncapitalise = false\n"
    text = HEAD + editions + template("{person} left") + template(
        "{person} came", "capitalise = true", name="2"
    )  # fmt: skip
    assert texts(text) == ["She left", "He left", "She came", "He came"]
    assert texts(text, "published") == ["she left", "he left", "She came", "He came"]


def test_the_article_follows_the_word_and_takes_the_capital(texts):
    state = words('joy = ["glad", "elated"]')
    day = template("{a/an} {state} day for {person}.", 'slots.person.form = "object"')
    assert texts(HEAD + state + day)[::2] == ["A glad day for her.", "An elated day for her."]


def test_the_article_before_fixed_text_is_fixed_and_before_a_person_follows_the_person(texts):
    people = HEAD.replace('"she"', '"aunt"').replace('"he"', '"boy"')
    assert texts(people + template("{a/an} {person} saw {a/an} honest deed.")) == [
        "An aunt saw an honest deed.",
        "A boy saw an honest deed.",
    ]


def test_the_article_hears_past_an_opening_quote(texts):
    state = words('joy = ["elated"]')
    assert texts(HEAD + state + template("{person} had {a/an} “{state}” day."))[0] == (
        "She had an “elated” day."
    )


# ---------------------------------------------------------------- axes

AGES = """\
[corpus]
name = "ages"
language = "en"
[axes]
age = ["young", "grown", "old"]
gender = ["female", "male"]
[[people]]
list = "people"
match = "ages"
members = [
  { subject = "the girl", age = "young", gender = "female" },
  { subject = "the woman", age = "grown", gender = "female" },
  { subject = "the elder", age = "old" },
]
[[templates]]
id = "1"
text = "{person} left."
"""


def test_an_axis_may_have_three_groups_and_then_three_contrasts(load):
    corpus = load(AGES)
    assert corpus.axes[0].contrasts == (("young", "grown"), ("young", "old"), ("grown", "old"))
    assert corpus.sentences()["age"].to_list() == ["young", "grown", "old"]


def test_a_person_without_a_value_on_an_axis_has_null_there(load):
    assert load(AGES).sentences()["gender"].to_list() == ["female", "female", None]


def test_the_axes_stand_after_the_person_in_the_order_of_the_file(load):
    columns = load(AGES).columns
    assert columns[columns.index("person") :][:3] == ("person", "age", "gender")


def test_a_contrast_is_the_first_group_minus_the_second():
    assert Axis("gender", ("female", "male")).contrasts == (("female", "male"),)


def test_a_word_under_two_emotions_gives_one_text_two_ids_and_two_frames(load):
    upset = words('fear = ["upset"]', 'sadness = ["upset"]')
    found = load(HEAD + upset + template("{person} is {state}.")).sentences().filter(person="she")
    assert found["text"].to_list() == ["She is upset."] * 2
    assert found["id"].to_list() == ["t01-w01-p01", "t01-w02-p01"]
    assert found["frame"].to_list() == ["1/fear/upset", "1/sadness/upset"]
