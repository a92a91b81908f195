"""Finding a corpus: by name, by path, from a plug-in, and built upon another."""

import pytest

from tiltmeter.corpora import CORPORA, changes, load_corpus
from tiltmeter.errors import CorpusError, TiltmeterError, UnknownNameError

BASE = """
[corpus]
name = "base"
language = "en"
[axes]
gender = ["female", "male"]
[[people]]
list = "first"
members = [
  { subject = "she", gender = "female", match = "she/he" },
  { subject = "he", gender = "male", match = "she/he" },
]
[[people]]
list = "second"
gender = "female"
match = "names"
members = ["Ada"]
[[people]]
list = "third"
gender = "male"
match = "names"
members = ["Bob"]
[[templates]]
id = "1"
text = "{person} sings."
"""


@pytest.fixture
def built_on_base(tmp_path):
    def load(text, edition=None):
        (tmp_path / "base.toml").write_text(BASE)
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return load_corpus(path, edition)

    return load


def people(corpus):
    return list(dict.fromkeys(corpus.sentences()["person"]))


def test_a_replaced_list_keeps_its_place(built_on_base):
    corpus = built_on_base(
        '[corpus]\nname = "m"\nextends = "base.toml"\n'
        '[[people]]\nlist = "second"\ngender = "female"\nmatch = "names"\nmembers = ["Eve"]\n'
    )
    assert people(corpus) == ["she", "he", "Eve", "Bob"]
    assert corpus.name == "m"
    assert corpus.language == "en"


def test_an_unmarked_entry_replaces_every_edition_of_its_name(built_on_base):
    later = (
        '[corpus]\nname = "m"\nextends = "base.toml"\n'
        "[editions.corrected]\n[editions.published]\n"
        '[[templates]]\nid = "1"\ntext = "{person} hums."\n'
    )
    assert built_on_base(later, "published").sentences()["text"][0] == "She hums."


def test_omitting_what_the_base_does_not_have_is_an_error(built_on_base):
    with pytest.raises(CorpusError, match=r"mine.toml:4: omit 'secnd': did you mean 'second'"):
        built_on_base('[corpus]\nname = "m"\nextends = "base.toml"\nomit = ["secnd"]\n')


def test_omitting_without_extending_is_an_error(built_on_base):
    with pytest.raises(CorpusError, match="nothing is extended"):
        built_on_base('[corpus]\nname = "m"\nomit = ["second"]\n')


def test_a_base_that_is_not_there_is_named(built_on_base):
    with pytest.raises(CorpusError, match=r"mine.toml:3: extends 'nowhere.toml', and there is"):
        built_on_base('[corpus]\nname = "m"\nextends = "nowhere.toml"\n')
    with pytest.raises(UnknownNameError, match="there is no corpus called 'ece'"):
        built_on_base('[corpus]\nname = "m"\nextends = "ece"\n')


def test_a_path_too_long_for_the_system_is_a_clear_error(tmp_path):
    with pytest.raises(CorpusError, match="File name too long"):
        load_corpus(tmp_path / ("x" * 5000 + ".toml"))


@pytest.mark.parametrize("target", [lambda: 1 / 0, lambda: None])
def test_a_plug_in_that_fails_is_named(monkeypatch, target):
    monkeypatch.setitem(CORPORA._built_in, "broken", target)
    with pytest.raises(TiltmeterError, match="the corpus 'broken' should be the path"):
        load_corpus("broken")


def test_a_slip_in_a_persons_key_is_not_taken_for_a_form(built_on_base):
    with pytest.raises(CorpusError, match=r"'gendr' of 'they'.*did you mean 'gender'"):
        built_on_base(
            '[corpus]\nname = "m"\nextends = "base.toml"\n[[people]]\nlist = "more"\n'
            'members = [{ subject = "they", gendr = "female", match = "x" }]\n'
        )


@pytest.mark.parametrize("name", ["1-w01", "a/b", "a b"])
def test_a_template_id_that_would_spoil_sentence_ids_is_refused(built_on_base, name):
    with pytest.raises(CorpusError, match="goes into sentence IDs"):
        built_on_base(
            '[corpus]\nname = "m"\nextends = "base.toml"\n'
            f'[[templates]]\nid = "{name}"\ntext = "{{person}} hums."\n'
        )


def test_a_person_who_stands_twice_in_a_template_is_a_change_grammar_forces(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(
        BASE.replace('"she", ', '"she", own = "her", ')
        .replace('"he", ', '"he", own = "his", ')
        .replace(
            'text = "{person} sings."',
            'text = "{person} sings {own} song."\nslots.person.people = ["first"]\n'
            'slots.own = { repeats = "person", form = "own" }',
        )
    )
    design = load_corpus(path).design
    (change,) = changes(design, design.templates[0])
    assert change.forms == ("her", "his")
    assert change.forced


def test_a_form_one_of_a_pair_has_and_the_other_lacks_is_missing(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(
        BASE.replace('"he", ', '"he", object = "him", ').replace(
            'text = "{person} sings."', 'text = "I saw {person}."\nslots.person.form = "object"'
        )
    )
    with pytest.raises(CorpusError, match="needs the object form of 'she', which has only subject"):
        load_corpus(path)


def test_a_line_break_in_a_name_is_refused(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(BASE.replace('"Ada"', '"A\\nda"'))
    with pytest.raises(CorpusError, match="expected text"):
        load_corpus(path)


def test_an_unknown_section_and_an_unknown_slot_are_told_together(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(BASE.replace("{person}", "{persn}") + "[colour]\n")
    with pytest.raises(CorpusError, match=r"(?s)unknown section 'colour'.*unknown slot \{persn\}"):
        load_corpus(path)


def test_words_fused_with_a_pronoun_count_as_changes():
    design = load_corpus("eec-es").design
    (change,) = changes(design, design.templates[7])
    assert change.forms == ("la vi a ella", "lo vi a él")
    arabic = load_corpus("eec-ar").design
    assert changes(arabic, arabic.templates[8])[0].forms == ("معها", "معه")
