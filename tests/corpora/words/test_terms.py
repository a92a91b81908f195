"""Lists of identity terms: those we ship, and what a user's file may do wrong."""

import pytest

from tiltmeter.corpora import TERM_LISTS, load_corpus, load_terms
from tiltmeter.errors import TiltmeterError, UnknownNameError

PAIR = '[[terms]]\nwords = ["one", "two"]\n'


@pytest.fixture
def message(corpus_file):
    """The error that a list of terms raises, without its folder."""

    def read(text: str | bytes, edition: str = "corrected") -> str:
        path = corpus_file(text)
        with pytest.raises(TiltmeterError) as caught:
            load_terms(path, edition)
        return str(caught.value).replace(str(path.parent) + "/", "")

    return read


@pytest.mark.parametrize("name", TERM_LISTS)
@pytest.mark.parametrize("edition", ["corrected", "published"])
def test_every_list_says_what_it_is_and_where_it_comes_from(name, edition):
    terms = load_terms(name, edition)
    assert (terms.name, terms.edition) == (name, edition)
    assert all((terms.title, terms.about, terms.provenance.source, terms.provenance.licence))
    assert len(terms.terms) >= 8
    assert len({term.text.casefold() for term in terms.terms}) == len(terms.terms)


@pytest.mark.parametrize("name", [name for name in TERM_LISTS if name[-3:] in ("-es", "-ar")])
def test_a_list_of_our_own_translation_says_that_nobody_has_reviewed_it(name):
    provenance = load_terms(name).provenance
    assert provenance.review == "unreviewed"
    assert "Not reviewed by a native speaker" in provenance.note


def test_national_origin_has_the_fifteen_terms_of_the_paper():
    assert [term.text for term in load_terms("national-origin").terms] == [
        "swedish", "irish", "mexican", "chinese", "filipino", "german", "english", "french",
        "norwegian", "american", "indian", "dutch", "russian", "scottish", "italian",
    ]  # fmt: skip


def test_religion_as_published_has_the_notebooks_seventeen_and_corrected_three_fewer():
    published = [term.text for term in load_terms("religion", "published").terms]
    corrected = load_terms("religion")
    assert published == [
        "zionist", "catholic", "christian", "islamic", "protestant", "taoist", "atheist", "hindu",
        "buddhist", "diasporic", "sikh", "juche", "jewish", "bahai", "jains", "shintoist",
        "paganist",
    ]  # fmt: skip
    dropped = ("zionist", "diasporic", "juche")
    assert [term.text for term in corrected.terms] == [w for w in published if w not in dropped]
    assert all(word in corrected.provenance.note for word in dropped)


@pytest.mark.parametrize("name", ["gender", "gender-es", "gender-ar"])
def test_the_words_of_gender_pair_up(name):
    terms = load_terms(name)
    sides = [[t.text for t in terms.terms if t.group == group] for group in terms.groups]
    assert terms.groups == ("female", "male")
    assert len(sides[0]) == len(sides[1]) == len(terms.terms) / 2


def test_names_are_read_from_the_corpus_so_that_they_stand_written_once():
    terms = load_terms("race-names")
    people = load_corpus("eec").design.people
    expected = {person.name: person.groups["race"] for person in people if person.groups["race"]}
    assert {term.text: term.group for term in terms.terms} == expected
    assert len(expected) == 40
    assert terms.groups == ("African American", "European American")


def test_names_by_gender_leave_out_pronouns_and_noun_phrases():
    terms = load_terms("gender-names")
    assert [sum(t.group == group for t in terms.terms) for group in ("female", "male")] == [20, 20]
    assert "she" not in [term.text for term in terms.terms]


def test_the_checksum_changes_with_a_term_a_group_or_a_spelling(corpus_file):
    texts = [
        PAIR,
        PAIR.replace("two", "three"),
        PAIR + 'group = "g"\n',
        PAIR + 'also = { two = ["2"] }\n',
    ]
    sums = {load_terms(corpus_file("[list]\n" + text)).checksum for text in texts}
    assert len(sums) == 4
    again = load_terms(corpus_file('[list]\nname = "another name"\n' + PAIR))
    assert again.checksum == load_terms(corpus_file("[list]\n" + PAIR)).checksum


def test_a_users_list_has_groups_spellings_and_a_name_of_its_own(corpus_file):
    text = '[list]\ntitle = "Ages"\nlanguage = "en-GB"\n[[terms]]\ngroup = "young"\n'
    text += 'words = ["grey", "teenager"]\nalso = { grey = ["gray"] }\n'
    text += '[[terms]]\ngroup = "old"\nwords = ["senior citizen"]\n'
    terms = load_terms(corpus_file(text, "age.toml"))
    assert (terms.name, terms.title, terms.language) == ("age", "Ages", "en-GB")
    assert terms.groups == ("young", "old")
    assert terms.terms[0].also == ("gray",)
    assert terms.terms[2].text == "senior citizen"


def test_a_users_list_may_take_the_names_of_a_corpus(corpus_file):
    text = '[list]\ncorpus = "eec-latino"\naxis = "race"\n'
    assert load_terms(corpus_file(text)).groups == ("Latino", "Anglo")


def test_words_are_compared_in_composed_unicode(corpus_file):
    text = '[list]\n[[terms]]\nwords = ["france\\u0301s", "ingles"]\n'
    assert load_terms(corpus_file(text)).terms[0].text == "franc\u00e9s"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[list]\ntitel = 'x'\n" + PAIR, "mine.toml:2: unknown key 'titel' in [list]: did you"),
        ("[list]\n" + PAIR + "wrods = 1\n", "mine.toml:4: unknown key 'wrods' in [[terms]]: did"),
        ("[list]\n[[term]]\nwords = ['a', 'b']", "mine.toml:2: unknown section 'term': did you"),
        (PAIR, "mine.toml: found no table [list]; expected one"),
        ("[list]\n", "mine.toml:1: found no terms in this edition; expected two or more"),
        ("[list]\n[[terms]]\nwords = ['a']", "mine.toml:1: found one term ('a') in this edition"),
        ("[list]\n[[terms]]\ngroup = 'g'", "mine.toml:2: [[terms]] needs words; expected a"),
        ("[list]\n[[terms]]\nwords = []", "mine.toml:3: words is []; expected a list of words"),
        (
            '[list]\n[[terms]]\nwords = [\n  "one",\n  "two",\n  "one",\n]',
            "mine.toml:4: 'one' stands 2 times in 'words'; keep one",
        ),
        ("[list]\n" + PAIR + PAIR, "mine.toml:3: 'one' stands twice; a term stands once"),
        (
            "[list]\n" + PAIR + '[[terms]]\nwords = ["ONE"]',
            "mine.toml:5: 'ONE' is a spelling of both 'one' and 'ONE'",
        ),
        (
            '[list]\n[[terms]]\ngroup = "a"\nwords = ["x", "y"]\n'
            '[[terms]]\ngroup = "b"\nwords = ["y", "z"]',
            "'y' stands in two groups, 'a' and 'b'; a term stands once",
        ),
        (
            '[list]\n[[terms]]\nwords = ["a", "b"]\nalso = { a = ["b"] }',
            "'b' is a spelling of both 'a' and 'b'",
        ),
        ('[list]\n[[terms]]\nwords = ["a", ""]', "mine.toml:3: an empty text in 'words'; expected"),
        ('[list]\n[[terms]]\nwords = ["a", 7]', "mine.toml:3: 7 in 'words'; expected a word"),
        ('[list]\n[[terms]]\nwords = "a b"', "mine.toml:3: words is 'a b'; expected a list"),
        ("[list]\n" + PAIR + "group = 3", "mine.toml:4: group is 3; expected text"),
        ("[list]\n" + PAIR + "also = 3", "mine.toml:4: also is 3; expected other spellings"),
        (
            "[list]\n" + PAIR + "also = { tow = ['2'] }",
            "mine.toml:4: 'also' has spellings of 'tow', which is not among the words",
        ),
        ("[list]\n" + PAIR + "edition = 'new'", "mine.toml:4: edition is 'new'; expected 'correc"),
        ("[list]\nlanguage = 'English please'\n" + PAIR, "mine.toml:2: language is 'English pl"),
        ("[list]\nreview = 'fine'\n" + PAIR, "mine.toml:2: review is 'fine'; expected it to be"),
        ("[list]\ncorpus = 'ecc'\naxis = 'race'\n", "there is no corpus called 'ecc': did you mea"),
        ("[list]\ncorpus = 'eec'\naxis = 'rce'\n", "mine.toml:3: the corpus 'eec' has no axis 'rc"),
        ("[list]\naxis = 'race'\n" + PAIR, "mine.toml:2: 'axis' needs 'corpus', the corpus whose"),
        ("[list]\nterms = 3\n[[terms", "mine.toml:3: Expected ']]'"),
        ("list = 3", "'list' is not a table; write [list] above its entries"),
        ("terms = 3\n[list]\n", "mine.toml:1: write each entry under its own [[terms]]"),
        ("", "mine.toml: found nothing in it; expected a TOML file with [list]"),
        (b"[list]\ntitle = 'caf\xe9'\n", "mine.toml:2: byte 0xe9 is not UTF-8; save the file as"),
        (b"\x89PNG\r\n\x1a\n\0\0", "mine.toml:1: byte 0x89 is not UTF-8"),
    ],
)
def test_a_mistake_is_one_message_with_file_and_line(message, text, expected):
    assert expected in message(text)


def test_every_mistake_is_told_at_once(message):
    found = message("[list]\ntitel = 'x'\n[[terms]]\nwords = ['a', '', 'a']\ngroup = 2\n")
    assert all(said in found for said in ("titel", "an empty text", "'a' stands 2 times", "group"))


def test_an_edition_may_be_left_with_too_few_terms(message):
    text = "[list]\n[[terms]]\nedition = 'published'\nwords = ['a', 'b']\n"
    assert "found no terms in this edition" in message(text)


def test_a_name_nobody_knows_offers_the_nearest():
    with pytest.raises(UnknownNameError, match="no list of terms called 'nationl-origin': did you"):
        load_terms("nationl-origin")
    with pytest.raises(UnknownNameError, match="no edition of a list of terms called 'publishd'"):
        load_terms("gender", "publishd")


def test_a_folder_a_missing_file_and_an_endless_name_are_one_clear_message(tmp_path):
    with pytest.raises(TiltmeterError, match="this is a folder; expected a TOML file"):
        load_terms(tmp_path)
    with pytest.raises(TiltmeterError, match="No such file or directory; expected a TOML file"):
        load_terms(tmp_path / "none.toml")
    with pytest.raises(TiltmeterError, match="File name too long"):
        load_terms("x" * 4000 + ".toml")
    with pytest.raises(UnknownNameError):
        load_terms("x" * 4000)
