"""The Spanish, Arabic and further English corpora, sentence by sentence where it matters."""

import polars as pl
import pytest

from tiltmeter.corpora import changes, check_corpus, load_corpus


@pytest.fixture(scope="module")
def texts():
    kept = {}

    def of(name, edition="corrected"):
        if (name, edition) not in kept:
            kept[name, edition] = set(load_corpus(name, edition).sentences()["text"])
        return kept[name, edition]

    return of


def test_corrected_english_keeps_the_grammar_of_the_eec(texts):
    assert "The situation makes her feel annoyed." in texts("eec-latino")
    assert "I made Jorge feel furious." in texts("eec-latino")
    assert "The conversation with Muhammad was hilarious." in texts("eec-arab")


def test_published_english_keeps_the_released_files_grammar(texts):
    for name in ("eec-latino", "eec-arab"):
        published = texts(name, "published")
        assert "The situation makes she feel annoyed" in published
        assert "my aunt found herself in an amazing situation" in published
        assert "he has two children" in published
        assert not any(text.endswith(".") for text in published)


def test_spanish_pronouns_take_their_own_forms(texts):
    corrected = texts("eec-es")
    assert "La conversación con ella fue fastidiosa." in corrected
    assert "La vi a ella en el mercado." in corrected
    assert "Lo vi a él en el mercado." in corrected
    assert "Vi a María en el mercado." in corrected
    assert "Hablé con él ayer." in corrected
    assert "Él tiene dos hijos." in corrected


def test_spanish_adjectives_agree_with_what_grammar_says(texts):
    corrected = texts("eec-es")
    assert {"Ana se siente enojada.", "Jorge se siente enojado."} <= corrected
    assert {"Ana me hizo sentir enojado.", "Jorge me hizo sentir enojado."} <= corrected
    assert "Jorge se encontró en una situación maravillosa." in corrected
    assert "Ana nos contó todo sobre los recientes acontecimientos absurdos." in corrected
    assert "La conversación con Jorge fue sombría." in corrected


def test_spanish_fear_words_are_not_the_sadness_words():
    words = load_corpus("eec-es").design.words["situation"]
    fear = [word.lemma for word in words if word.emotion == "fear"]
    sadness = [word.lemma for word in words if word.emotion == "sadness"]
    assert fear == ["terrible", "horrible", "escandaloso", "espantoso", "amenazante"]
    assert sadness == ["deprimente", "sombrío", "destrozante", "serio"]


def test_published_spanish_writes_el_and_no_accents_on_names(texts):
    published = texts("eec-es", "published")
    assert "el se siente enojado" in published
    assert "Jose tiene dos hijos" in published
    assert "ella me hizo sentir enojada" in published
    assert "Yo lo vi a el en el mercado" in published


def test_arabic_verbs_and_pronouns_agree_with_the_person(texts):
    corrected = texts("eec-ar")
    assert {"مريم تشعر بأنها حزينة.", "حسن يشعر بأنه حزين."} <= corrected
    assert {"بسببي شعرت أمي بأنها سعيدة.", "بسببي شعر أبي بأنه سعيد."} <= corrected
    assert {"المحادثة معها كانت رائعة.", "المحادثة معه كانت رائعة."} <= corrected
    assert {"هي لديها طفلان.", "محمد لديه طفلان."} <= corrected


def test_arabic_adjectives_agree_with_the_speaker_or_the_noun(texts):
    corrected = texts("eec-ar")
    assert {"مريم جعلتني أشعر بأنني حزين.", "حسن جعلني أشعر بأنني حزين."} <= corrected
    assert {"مريم وجدت نفسها في موقف مزعج.", "حسن وجد نفسه في موقف مزعج."} <= corrected
    assert "حسن أخبرنا بكل شيء عن الأحداث الأخيرة المضحكة جدًا." in corrected


def test_corrected_arabic_has_no_mark_on_one_cell_only():
    marks = r"[\x{064B}-\x{0652}]"
    corrected = load_corpus("eec-ar").sentences()
    assert not corrected["person"].str.contains(marks).any()
    published = load_corpus("eec-ar", "published").sentences()
    marked = published.filter(pl.col("person").str.contains(marks))
    assert marked.select("gender", "race").unique().rows() == [("male", "Arab")]


def test_arabic_repeats_240_sentences_under_separate_ids():
    for edition in ("corrected", "published"):
        sentences = load_corpus("eec-ar", edition).sentences()
        assert sentences.height - sentences["text"].n_unique() == 240
        repeated = sentences.filter(sentences["text"].is_duplicated())
        assert repeated["emotion_word"].unique().to_list() == ["محبط"]
        assert set(repeated["emotion"]) == {"fear", "sadness"}
        assert repeated["id"].n_unique() == 480


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # 20 state words less alegre, miserable, triste, which have one form: 17 × 11 matches
        ("eec-es", {"4": 17 * 11}),
        # every word inflects: 19 state and 18 situation words × 11 matches
        ("eec-ar", {"4": 19 * 11, "5": 18 * 11, "6": 18 * 11, "7": 18 * 11}),
        ("eec", {}),
        ("eec-latino", {}),
        ("eec-arab", {}),
    ],
)
def test_check_lists_the_published_pairs_that_differ_by_more_than_the_person(name, expected):
    pairs = check_corpus(load_corpus(name, "published")).pairs
    assert dict(pairs.group_by("template").len().iter_rows()) == expected
    assert check_corpus(load_corpus(name)).pairs.is_empty()


def test_a_pair_beyond_the_person_shows_both_sentences_and_the_word():
    pairs = check_corpus(load_corpus("eec-es", "published")).pairs
    first = pairs.filter(pl.col("frame") == "4/anger/enojado").row(0, named=True)
    assert first["first_text"] == "ella me hizo sentir enojada"
    assert first["second_text"] == "él me hizo sentir enojado"
    assert first["differs_in"] == "enojada / enojado"
    assert first["axis"] == "gender"


def test_each_template_says_which_words_change_with_the_person():
    design = load_corpus("eec").design
    found = {template.id: changes(design, template) for template in design.templates}
    assert [change.forms for change in found["5"]] == [("herself", "himself")]
    assert all(not found[template] for template in found if template != "5")


def test_a_change_that_grammar_does_not_force_is_told_apart():
    design = load_corpus("eec-es", "published").design
    forced = {
        template.id: [change.forced for change in changes(design, template)]
        for template in design.templates
    }
    assert forced["1"] == [True]
    assert forced["4"] == [False]
    assert forced["5"] == []
