"""Word vectors averaged, and lexicons, as encoders of texts: values worked out by hand."""

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.vectors import features, open_encoder


@pytest.fixture
def toy(tmp_path):
    path = tmp_path / "toy.txt"
    path.write_text("ebony 1 0\nEbony 0 4\nis 3 2\n")
    return str(path)


def test_a_text_is_the_mean_of_its_words_spelled_as_they_stand_else_in_lower_case(toy):
    encoder = open_encoder(toy)
    rows = encoder.encode(["Ebony IS!", "ebony, ebony is", "nobody", ""])
    # Ebony (0, 4), IS falls back to is (3, 2): ((0+3)/2, (4+2)/2). Then (1+1+3)/3, (0+0+2)/3.
    by_hand = [[1.5, 3.0], [5 / 3, 2 / 3], [0, 0], [0, 0]]
    np.testing.assert_allclose(rows, by_hand, rtol=1e-6)


def test_the_digest_changes_with_the_vectors(toy, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("ebony 1 0\nEbony 0 4\nis 3 2.5\n")
    same = tmp_path / "same.txt"
    same.write_text("ebony 1 0\nEbony 0 4\nis 3 2\n")
    digests = [open_encoder(str(path)).digest for path in (toy, same, other)]
    assert digests[0] == digests[1] != digests[2]


def test_a_broken_vector_is_an_error_for_texts_since_a_row_cannot_say_what_it_lacks(tmp_path):
    (tmp_path / "some.txt").write_text("ebony 1 0\nis 3 x\nangry 1 1\n")
    encoder = open_encoder(str(tmp_path / "some.txt"))
    assert encoder.encode(["Ebony, angry"]).tolist() == [[1.0, 0.5]]
    with pytest.raises(
        TiltmeterError, match=r"some\.txt: 1 of the words.*'is' \(line 2: found 'x'"
    ):
        encoder.encode(["Ebony is angry"])


def test_nothing_is_kept_on_disk_of_what_is_sooner_computed(toy, tmp_path):
    features(open_encoder(toy), ["Ebony is"], tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_lexicons_give_mean_lowest_highest_and_the_share_of_words_found():
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    ratings = SentimentIntensityAnalyzer().lexicon
    good, bad = ratings["lovely"], ratings["awful"]
    row = open_encoder("lexicons", language="en").encode(["A lovely, awful qwrtz"])[0]
    # VADER's four come first: two of four words found.
    assert row[:4] == pytest.approx([(good + bad) / 2, bad, good, 2 / 4])


@pytest.mark.parametrize(("language", "text"), [("es", "estoy triste"), ("ar", "أنا سعيد")])
def test_spanish_and_arabic_have_lexicons_too(language, text):
    encoder = open_encoder("lexicons", language=language)
    found, nothing = encoder.encode([text, "qwrtz"])
    assert found.any()
    assert not nothing.any()
    assert encoder.languages == (language,)


def test_a_language_without_lexicons_is_said_to_be_so():
    with pytest.raises(TiltmeterError, match="no lexicons for the language 'fr'; expected one of"):
        open_encoder("lexicons", language="fr")


def test_a_copy_beside_comes_first(toy, tmp_path):
    beside = tmp_path / "model"
    beside.mkdir()
    (beside / "toy.txt").write_text("is 7 7\n")
    assert open_encoder(toy, beside=beside).encode(["is"]).tolist() == [[7.0, 7.0]]
    assert open_encoder("/gone/toy.txt", beside=beside).encode(["is"]).tolist() == [[7.0, 7.0]]
