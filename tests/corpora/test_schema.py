"""Reading corpus files: encodings, what a file extends, and editions."""

from pathlib import Path

import pytest

from tiltmeter.corpora import corpus_editions, load_corpus
from tiltmeter.errors import CorpusError, TiltmeterError
from tiltmeter.records import TomlLocator

# ---------------------------------------------------------------- files that cannot be read


@pytest.mark.parametrize("content", [b"", b" \n\t\n"])
def test_an_empty_file_is_called_empty(complaint, content):
    assert complaint(content).startswith("the file is empty:\n  mine.toml: found nothing in it")
    assert "tiltmeter corpus new" in complaint(content)


def test_a_file_of_comments_only_says_what_is_missing(complaint):
    message = complaint("# to do\n")
    assert "[corpus] needs name" in message
    assert "no [axes]" in message
    assert "no [[templates]] entry" in message


def test_a_file_in_another_encoding_names_the_byte_and_its_line(complaint, tiny):
    # Latin-1 writes È as the one byte 0xc8; "Ève" stands in line 19.
    message = complaint(tiny.replace("Eve", "Ève").encode("latin-1"))
    assert message == (
        "the file is in another encoding:\n"
        "  mine.toml:19: byte 0xc8 is not UTF-8; save the file as UTF-8"
    )


def test_utf16_is_named_as_another_encoding_and_not_as_bad_toml(complaint, tiny):
    message = complaint(tiny.encode("utf-16"))
    assert "the file is in another encoding" in message
    assert "mine.toml:1: byte 0xff is not UTF-8" in message


def test_a_file_that_is_not_toml_says_where(complaint, tiny):
    message = complaint(tiny.replace('name = "tiny"', "name = tiny"))
    assert message.startswith("the file is not valid TOML:\n  mine.toml:2: ")
    assert "look for an unclosed quote" in message


@pytest.mark.parametrize("value", ["[" * 3000, "1" * 5000], ids=["too deep", "too long"])
def test_a_value_python_cannot_hold_is_refused_in_words(complaint, value):
    message = complaint(f"[corpus]\nname = {value}\n")
    assert message.startswith("the file is not valid TOML:\n  mine.toml: ")


def test_a_key_given_twice_says_where(complaint, tiny):
    message = complaint(tiny.replace('language = "en"', 'language = "en"\nlanguage = "es"'))
    assert "mine.toml:4: " in message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TiltmeterError, match=r"absent\.toml"):
        load_corpus(tmp_path / "absent.toml")


@pytest.mark.parametrize("name", ["folder", "folder.toml"])
def test_a_folder_is_no_corpus_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(TiltmeterError, match=name):
        load_corpus(tmp_path / name)


# ---------------------------------------------------------------- lines


def test_a_place_is_the_line_of_the_last_word_after_the_header():
    source = TomlLocator(Path("c.toml"), "[a]\nx = 1\n[[b]]\nx = 2\n[[b]]\nx = 3\n")
    assert source.at("[a]", "x") == "c.toml:2"
    assert source.at("[[b]]") == "c.toml:3"
    assert source.at("[[b]]", "x", nth=1) == "c.toml:6"


def test_a_word_that_cannot_be_found_leaves_the_place_at_its_header():
    assert TomlLocator(Path("c.toml"), "[a]\nx = 1\n[b]\n").at("[b]", "zzz") == "c.toml:3"


def test_he_is_not_found_within_she(complaint, tiny):
    assert "mine.toml:12: the object form of 'he'" in complaint(tiny.replace('"him"', "5"))


def test_lines_are_counted_as_an_editor_counts_them(complaint, tiny):
    # A line separator within a text is no new line: template 1 still stands in line 34.
    text = tiny.replace('"Ann"', '"An\u2028n"').replace("{state}", "{stat}")
    assert "mine.toml:34: unknown slot {stat}" in complaint(text)


# ---------------------------------------------------------------- extends and omit


@pytest.fixture
def base(corpus_file, tiny):
    return corpus_file(tiny, "base.toml")


def own(extra: str = "", more: str = "") -> str:
    return f'[corpus]\nname = "mine"\nextends = "base.toml"\n{extra}\n{more}'


def test_a_file_that_extends_another_has_all_of_it_under_its_own_name(load, base):
    corpus = load(own())
    assert (corpus.name, corpus.language) == ("mine", "en")
    assert corpus.sentences()["text"].equals(load_corpus(base).sentences()["text"])
    assert corpus.sentences()["corpus"].unique().to_list() == ["mine"]


@pytest.mark.usefixtures("base")
def test_an_entry_of_the_same_name_replaces_the_one_it_extends(texts):
    louder = '[[templates]]\nid = "2"\ntext = "{person} shouts."\n'
    written = texts(own(more=louder))
    assert len(written) == 6 * 3 + 6
    assert written[-6:-4] == ["She shouts.", "He shouts."]


@pytest.mark.usefixtures("base")
def test_a_new_entry_is_added_to_what_the_file_extends(texts):
    more = '[[templates]]\nid = "3"\ntext = "{person} shouts."\n'
    assert len(texts(own(more=more))) == 6 * 3 + 6 + 6


@pytest.mark.usefixtures("base")
def test_omit_leaves_out_lists_and_templates_by_name(texts):
    # Without template 1 and its words, and without the pronouns: 4 names in template 2.
    assert texts(own('omit = ["1", "state", "pronouns"]')) == [
        "I saw Ann by herself.",
        "I saw Eve by herself.",
        "I saw Bob by himself.",
        "I saw Tom by himself.",
    ]


@pytest.mark.usefixtures("base")
def test_a_single_table_is_merged_key_by_key(load):
    merged = load(own(more='[axes]\nage = ["old", "young"]\n'))
    assert [axis.name for axis in merged.axes] == ["gender", "age"]
    assert merged.sentences()["age"].null_count() == 24


def test_a_file_may_extend_a_corpus_by_name(load):
    corpus = load('[corpus]\nname = "shorter"\nextends = "eec"\nomit = ["1", "pronouns"]\n')
    # 58 people × (6 templates × 20 words + 4 neutral templates).
    assert corpus.size == 58 * (6 * 20 + 4) == 7192


@pytest.mark.usefixtures("base")
def test_a_chain_of_files_is_followed_to_its_end(load, corpus_file):
    corpus_file('[corpus]\nname = "middle"\nextends = "base.toml"\nomit = ["1"]\n', "middle.toml")
    assert load('[corpus]\nname = "top"\nextends = "middle.toml"\n').size == 6


def test_a_mistake_in_the_extended_file_names_that_file(complaint, corpus_file, tiny):
    corpus_file(tiny.replace("{state}", "{stat}"), "base.toml")
    assert "base.toml:34: unknown slot {stat}" in complaint(own())


def test_extending_something_unknown_offers_what_is_near(complaint):
    message = complaint('[corpus]\nname = "mine"\nextends = "ecc"\n')
    assert message.startswith("there is no corpus called 'ecc': did you mean 'eec'")


@pytest.mark.parametrize("name", ["mine.toml", "./mine.toml", "sub/../mine.toml"])
def test_a_file_that_extends_itself_is_caught_however_it_is_spelled(complaint, tmp_path, name):
    (tmp_path / "sub").mkdir()
    message = complaint(f'[corpus]\nextends = "{name}"\n')
    assert message.startswith("the corpus extends itself:")
    assert "mine.toml extends" in message


def test_two_files_that_extend_each_other_are_caught(complaint, corpus_file):
    corpus_file('[corpus]\nextends = "mine.toml"\n', "other.toml")
    message = complaint('[corpus]\nextends = "other.toml"\n')
    assert "mine.toml extends other.toml extends mine.toml" in message


@pytest.mark.parametrize("value", ["5", '["eec"]'])
def test_extends_must_be_a_name(complaint, value):
    message = complaint(f'[corpus]\nname = "mine"\nextends = {value}\n')
    assert "mine.toml:3: 'extends' is" in message
    assert "expected the name of a corpus or a file" in message


@pytest.mark.parametrize("value", ["5", '"1"', "[1]", "[[1]]"])
@pytest.mark.usefixtures("base")
def test_omit_must_be_a_list_of_names(complaint, value):
    assert "mine.toml:4: 'omit' is" in complaint(own(f"omit = {value}"))


# ---------------------------------------------------------------- editions

EDITIONS = '[editions.corrected]\n[editions.published]\nnote = "as printed"\n\n'
PRINTED = '\n[[templates]]\nid = "1"\nedition = "published"\ntext = "{person} feel {state}"\n'


def test_an_entry_of_an_edition_stands_in_for_the_unmarked_one_there_and_only_there(load, tiny):
    text = EDITIONS + tiny + PRINTED
    corrected, published = (load(text, edition) for edition in ("corrected", "published"))
    assert corrected.sentences()["text"][0] == "She feels glad."
    assert published.sentences()["text"][0] == "She feel glad"
    assert published.design.edition_note == "as printed"


def test_both_editions_share_order_and_ids(load, tiny):
    text = EDITIONS + tiny + PRINTED
    first, second = (load(text, edition).sentences() for edition in ("corrected", "published"))
    assert first["id"].equals(second["id"])
    assert set(second["edition"]) == {"published"}


def test_an_entry_may_belong_to_one_edition_only(load, tiny):
    text = EDITIONS + tiny + PRINTED.replace('id = "1"', 'id = "3"')
    assert load(text).size == 24
    assert load(text, "published").size == 24 + 18


def test_a_list_of_people_may_differ_between_editions(texts, tiny):
    men = '\n[[people]]\nlist = "men"\nedition = "published"\ngender = "male"\nmatch = "names"\n'
    text = EDITIONS + tiny + men + 'members = ["Bab", "Tam"]\n'
    assert "Tom feels glad." in texts(text)
    assert "Tam feels glad." in texts(text, "published")
    assert "Tom feels glad." not in texts(text, "published")


def test_a_file_that_declares_no_edition_has_the_corrected_one(corpus_file, tiny):
    assert corpus_editions(corpus_file(tiny)) == ("corrected",)
    assert corpus_editions(corpus_file(EDITIONS + tiny)) == ("corrected", "published")


def test_a_broken_edition_does_not_spoil_the_other(corpus_file, tiny):
    path = corpus_file(EDITIONS + tiny + PRINTED.replace("{state}", "{stat}"))
    assert load_corpus(path).size == 24
    with pytest.raises(CorpusError, match="unknown slot"):
        load_corpus(path, "published")
