"""The shared lexicons: what each package rates a word, and where Hu & Liu's lists are found."""

from importlib.util import find_spec

import pytest

from tiltmeter import lexicons
from tiltmeter.errors import MissingExtraError, TiltmeterError


@pytest.mark.parametrize(
    ("name", "module", "word", "rating"),
    [
        ("vader", "vaderSentiment", "happy", 2.7),
        ("afinn", "afinn", "happy", 3),
        ("nrc", "nrclex", "furious", -1.0),
        ("senticnet", "senticnet", "happy", 0.225),
        ("senticnet-es", "senticnet", "triste", -0.349),
        ("senticnet-ar", "senticnet", "سعيد", 0.293),
    ],
)
def test_a_word_has_the_valence_its_package_gives_it(name, module, word, rating):
    if not find_spec(module):
        pytest.skip(f"needs {module}")
    assert lexicons.word_ratings(name)[word] == rating
    assert lexicons.lexicon_release(name).split()[0] == lexicons.LEXICONS[name].distribution


def test_a_lexicon_whose_package_is_not_installed_names_its_extra(monkeypatch):
    def absent(_):
        raise lexicons.PackageNotFoundError

    monkeypatch.setattr(lexicons, "version", absent)
    with pytest.raises(
        MissingExtraError, match=r"NRCLex, which carries the lexicon 'nrc'.*systems"
    ):
        lexicons.word_ratings("nrc")


def test_hu_lius_lists_are_looked_for_where_the_variable_says_and_nowhere_else(
    monkeypatch, tmp_path
):
    monkeypatch.setenv(lexicons.HU_LIU_VARIABLE, str(tmp_path))
    with pytest.raises(TiltmeterError, match=r"does not hold positive-words\.txt and negative"):
        lexicons.find_hu_liu()
    for file in lexicons.HU_LIU_FILES:
        (tmp_path / file).write_text("word\n")
    assert lexicons.find_hu_liu() == tmp_path


def test_hu_lius_lists_are_found_in_the_cache_before_nltks_folder(monkeypatch, tmp_path):
    monkeypatch.delenv(lexicons.HU_LIU_VARIABLE, raising=False)
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NLTK_DATA", str(tmp_path / "nltk"))
    places = [
        tmp_path / "nltk" / "corpora" / "opinion_lexicon",
        tmp_path / "cache" / "lexicons" / "hu-liu",
    ]
    for place in places:
        place.mkdir(parents=True)
        for file in lexicons.HU_LIU_FILES:
            (place / file).write_text("word\n")
        assert lexicons.find_hu_liu() == place
