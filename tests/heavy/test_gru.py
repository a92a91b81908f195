"""The recipe `gru`: trained with PyTorch on small data of our own, answered without it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.corpora import read_gold, semeval_files
from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.training import gru as recipe
from tiltmeter.studies.training.gru import learn, logits, network_arrays, untrained_network
from tiltmeter.studies.training.recipes import LabelledTexts, TrainContext, fit, write_model
from tiltmeter.systems import GruNetwork, ask, open_system, word_rows

pytestmark = pytest.mark.heavy

DATA = Path(__file__).parents[3] / "shared" / "data" / "semeval2018"
CHEERFUL = ("sunny", "kind", "bright", "lovely", "warm")
GLOOMY = ("grey", "cold", "bitter", "dull", "harsh")


def labelled(size, seed):
    """Texts of six cheerful and gloomy words; the class is how many are cheerful, and a score a
    hundredth beside it."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 7, size)
    parts = [[*rng.choice(CHEERFUL, n), *rng.choice(GLOOMY, 6 - n)] for n in places]
    texts = tuple(" ".join(rng.permutation(one)) for one in parts)
    scores = places / 6 + rng.choice([-0.01, 0.01], size)
    return LabelledTexts(texts, np.clip(scores, 0, 1))


TRAIN, DEV = labelled(300, 1), labelled(80, 2)


@pytest.fixture(scope="module")
def fitted():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipe, "SETTINGS", ({"hidden": 16, "dropout": 0.1},))
        patch.setattr(recipe, "LONGEST", 12)
        yield fit("gru", TRAIN, DEV, TrainContext(seed=3))


@pytest.fixture(scope="module")
def folder(fitted, tmp_path_factory):
    place = tmp_path_factory.mktemp("models") / "gru"
    card = {
        "recipe": "gru", "task": "joy", "language": "en", "settings": dict(fitted.settings),
        "data": {"train": {"rows": 300}},
    }  # fmt: skip
    write_model(fitted, card, place)
    return place


def test_it_learns_what_was_planted(fitted):
    unseen = labelled(200, 9)
    assert np.corrcoef(fitted.predict(unseen.texts), unseen.scores)[0, 1] > 0.8
    (settings, r), *rest = fitted.tried
    assert not rest
    assert r == pytest.approx(np.corrcoef(fitted.on_dev, DEV.scores)[0, 1])
    assert fitted.settings == {**settings, "embedding": 100, "answer": "mean"}
    assert 1 <= settings["epochs"] <= 12


def test_the_folder_answers_what_was_fitted_on_minus_one_to_one(fitted, folder):
    system = open_system(str(folder))
    texts = [*DEV.texts[:20], "", "никто 😀 qwxzk", "sunny " * 500]
    expected = 2 * fitted.predict(texts) - 1
    assert ask(system, texts) == pytest.approx(expected.tolist(), abs=1e-6)
    assert (system.card.task, system.card.languages) == ("joy", ("en",))
    assert np.ptp(ask(system, texts)) > 0.5


def test_numpy_computes_what_torch_does():
    import torch

    torch.manual_seed(8)
    words = tuple(f"w{n}" for n in range(50))
    network = untrained_network(51, 24, 0.5).eval()
    with torch.no_grad():
        for tensor in network.parameters():
            tensor.normal_(std=0.5)  # far from the small weights it starts with
    rng = np.random.default_rng(8)
    texts = [" ".join(rng.choice([*words, "other"], n)) for n in rng.integers(1, 60, 70)]
    known = {word: row for row, word in enumerate(words, start=1)}
    rows = [torch.tensor(word_rows(text, known)) for text in texts]
    with torch.inference_mode():
        expected = logits(network, rows).softmax(-1).numpy()
    found = GruNetwork(words, network_arrays(network)).chances(texts)
    assert np.ptp(expected, axis=0).min() > 0.1
    assert np.abs(found - expected).max() < 1e-5


def test_auditing_one_needs_no_torch(folder):
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from tiltmeter.systems import ask, open_system\n"
        f"print(ask(open_system({str(folder)!r}), ['sunny warm', 'grey cold'])); "
        "assert 'transformers' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    high, low = json.loads(done.stdout)
    assert high > low


def weights(seed):
    """What two epochs make of a seed."""
    found = []

    def go_on(network):
        found.append(network)
        return len(found) < 2

    settings = {"hidden": 8, "dropout": 0.5}
    learn(TRAIN.texts, recipe.nearest_classes(TRAIN), settings, seed, go_on)
    return found[-1]


def test_training_again_gives_the_same_file_and_leaves_the_caller_s_numbers_alone(tmp_path):
    import torch

    torch.manual_seed(1)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    weights(5).save(tmp_path / "a")
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    torch.manual_seed(2)
    weights(5).save(tmp_path / "b")
    weights(6).save(tmp_path / "c")
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


def test_epochs_and_settings_are_chosen_on_dev_alone(monkeypatch):
    monkeypatch.setattr(recipe, "SETTINGS", ({"hidden": 8, "dropout": 0.1},))
    monkeypatch.setattr(recipe, "PATIENCE", 2)
    told = []
    # Dev says the opposite of train: the first epochs, which know least, agree with it best.
    upside_down = LabelledTexts(DEV.texts, 1 - DEV.scores)
    made = fit("gru", TRAIN, upside_down, TrainContext(tell=told.append))
    ((settings, _),) = made.tried
    tried = [line for line in told if line.startswith("setting 1 of 1")]
    assert len(tried) == settings["epochs"] + 2  # stopped after two without a gain
    assert told[-1] == f"train and dev together, epoch {settings['epochs']} of {settings['epochs']}"


def test_labels_nearest_to_one_class_are_refused():
    scores = np.linspace(0.46, 0.54, 60)  # all nearest to 3 of 6
    flat = LabelledTexts(tuple(f"a {n}" for n in range(60)), scores)
    with pytest.raises(TiltmeterError, match="lies nearest to class 3 of 0 to 6"):
        fit("gru", flat, flat, TrainContext())


@pytest.mark.skipif(not DATA.exists(), reason=f"the tweets of SemEval-2018 are not here: {DATA}")
def test_it_knows_something_of_real_tweets(monkeypatch):
    # For speed one setting, four epochs and 800 of 1,181 texts; the whole recipe gives 0.64.
    monkeypatch.setattr(recipe, "SETTINGS", ({"hidden": 64, "dropout": 0.5},))
    monkeypatch.setattr(recipe, "LONGEST", 4)
    found = semeval_files(DATA, "en", "valence", kind="oc")
    frames = [read_gold(path).frame for path in (found.train, found.dev, found.test)]
    some, dev, test = (
        LabelledTexts(tuple(one["text"]), one["score"].to_numpy())
        for one in (frames[0].head(800), frames[1].head(300), frames[2])
    )
    made = fit("gru", some, dev, TrainContext())
    assert np.corrcoef(made.predict(test.texts), test.scores)[0, 1] > 0.3
