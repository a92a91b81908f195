"""A trained GRU computed in NumPy: a tiny one by hand, and folders that hold none."""

import hashlib
import json
import math

import numpy as np
import pytest

from tiltmeter.errors import MissingExtraError, SystemFailure
from tiltmeter.systems import Options, Scale, ask, open_system

safetensors = pytest.importorskip("safetensors.numpy", reason="needs tiltmeter[learn]")

LN2, LN3 = math.log(2), math.log(3)
WORDS = ["good"]


def tiny():
    """One number a word and one unit a layer; gates stand in the order r, z, n.

    Layer 0: z = σ(ln 3) = 3/4, r = σ(−ln 3) = 1/4, n = tanh(x + r · (20 ln 2 · h + 4 ln 2)).
    Layer 1: z = r = σ(0) = 1/2, n = tanh(5 ln 3 · x).
    """
    zero = np.zeros(3)
    arrays = {
        "embedding.weight": [[0.0], [math.log(1.5)]],  # an unknown word, good
        "gru.weight_ih_l0": [[0], [0], [1]],
        "gru.bias_ih_l0": [0, LN3, 0],
        "gru.weight_hh_l0": [[0], [0], [20 * LN2]],
        "gru.bias_hh_l0": [-LN3, 0, 4 * LN2],
        "gru.weight_ih_l1": [[0], [0], [5 * LN3]],
        "gru.bias_ih_l1": zero,
        "gru.weight_hh_l1": [[0], [0], [0]],
        "gru.bias_hh_l1": zero,
        "dense.weight": [[0]] * 6 + [[5 * LN2]],
        "dense.bias": np.zeros(7),
    }
    return {name: np.array(values, np.float32) for name, values in arrays.items()}


def model(folder, arrays=None, words=WORDS, settings=None, write=None):
    """A model folder as `tiltmeter train gru` writes it, or with other weights."""
    path = folder / "gru.safetensors"
    metadata = {} if words is None else {"vocabulary": json.dumps(words)}
    safetensors.save_file(tiny() if arrays is None else arrays, path, metadata=metadata)
    if write is not None:
        path.write_bytes(write(path.read_bytes()))
    card = {
        "recipe": "gru", "kind": "gru", "task": "valence", "language": "en",
        "settings": {"hidden": 1, "answer": "mean"} if settings is None else settings,
        "data": {"train": {"rows": 3}},
        "weights": {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
    }  # fmt: skip
    (folder / "model.json").write_text(json.dumps(card))
    return str(folder)


def answer(state):
    """Softmax of (0, …, 0, 5 ln 2 · state) over v = 0..6, then Σ p(v) · (v/3 − 1)."""
    odds = [1.0] * 6 + [32**state]
    return sum(one * (v / 3 - 1) for v, one in enumerate(odds)) / sum(odds)


# good: n = tanh(ln 1.5 + ln 2) = tanh(ln 3) = (9 − 1)/(9 + 1) = 4/5, h = 1/4 · 4/5 = 1/5;
# above, n = tanh(5 ln 3 · 1/5) = 4/5, h = 1/2 · 4/5 = 2/5.
GOOD = 2 / 5
# good good: n = tanh(ln 1.5 + 1/4 · (20 ln 2 · 1/5 + 4 ln 2)) = tanh(ln 6) = 35/37,
# h = 1/4 · 35/37 + 3/4 · 1/5 = 143/370; above, h = 1/2 · tanh(5 ln 3 · 143/370) + 1/2 · 2/5.
TWICE = math.tanh(5 * LN3 * 143 / 370) / 2 + 1 / 5
# unknown: n = tanh(ln 2) = 3/5, h = 3/20; above, h = 1/2 · tanh(5 ln 3 · 3/20).
UNKNOWN = math.tanh(5 * LN3 * 3 / 20) / 2


def test_a_network_of_two_units_answers_what_it_must(tmp_path):
    system = open_system(model(tmp_path))
    # 5 ln 2 · 2/5 = ln 4, so p(6) = 4/10 and 1/10 each for the rest: the mean of v is
    # 0.4 · 6 + 0.1 · (0 + 1 + 2 + 3 + 4 + 5) = 3.9, and 3.9/3 − 1 = 0.3.
    assert ask(system, ["Good"]) == pytest.approx([0.3], abs=1e-6)
    expected = [answer(state) for state in (GOOD, TWICE, UNKNOWN)]
    assert ask(system, ["good", "GOOD good", "qwxzk"]) == pytest.approx(expected, abs=1e-6)
    assert system.card.scale == Scale(-1.0, 1.0)
    assert system.card.task == "valence"
    assert "the score is the mean of seven classes, Σ p(v) · (v/3 − 1)" in system.card.notes


def test_a_text_without_words_is_one_unknown_word(tmp_path):
    system = open_system(model(tmp_path))
    assert ask(system, ["", " \n\t", "\u200b"]) == pytest.approx([answer(UNKNOWN)] * 3, abs=1e-6)
    assert ask(system, []) == []


def test_a_very_long_text_is_read_to_its_end(tmp_path):
    # A step keeps three quarters of what was, and (3/4)^200 < 1e-24: 200 times is for ever. A last
    # word that is unknown, at −9 here, has n = −1 and takes layer 0 from near 1 to near 1/2.
    arrays = tiny() | {"embedding.weight": np.array([[-9], [0.4]], np.float32)}
    system = open_system(model(tmp_path, arrays))
    long, longer, ended = ask(system, ["good " * 200, "good " * 3000, "good " * 3000 + "bad"])
    assert longer == pytest.approx(long, abs=1e-9)
    assert ended < longer - 1e-3


def test_answers_depend_on_neither_batch_nor_order(tmp_path):
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=a.shape).astype(np.float32) for name, a in tiny().items()}
    system = open_system(model(tmp_path, arrays))
    texts = [" ".join(rng.choice(["good", "bad"], n)) for n in rng.integers(0, 40, 100)]
    alone = [ask(system, [text])[0] for text in texts]
    assert np.ptp(alone) > 0.01
    assert ask(system, texts) == pytest.approx(alone, abs=1e-12)
    assert ask(system, texts[::-1]) == pytest.approx(alone[::-1], abs=1e-12)


def test_the_published_answer_is_the_likeliest_class(tmp_path):
    mean = open_system(model(tmp_path))
    system = open_system(model(tmp_path, settings={"answer": "class"}))
    assert ask(system, ["good"]) == [1.0]  # v = 6 has 4 of 10, so 6/3 − 1
    arrays = tiny() | {"dense.bias": np.array([0, 0, 5, 0, 0, 0, 0], np.float32)}
    turned = open_system(model(tmp_path, arrays, settings={"answer": "class"}))
    assert ask(turned, ["good"]) == pytest.approx([2 / 3 - 1])
    assert system.card.fingerprint != mean.card.fingerprint
    assert any("likeliest of seven classes, as published" in note for note in system.card.notes)


def test_a_card_of_before_there_was_a_choice_means_the_mean(tmp_path):
    assert ask(open_system(model(tmp_path, settings={})), ["good"]) == pytest.approx([0.3])
    with pytest.raises(SystemFailure, match=r"is to answer 'median' .* expected mean or class"):
        open_system(model(tmp_path, settings={"answer": "median"}))


def test_the_user_s_own_scale_is_heard(tmp_path):
    folder = model(tmp_path)
    name = open_system(folder).card.name
    system = open_system(folder, Options(scale={name: (-2, 2)}))
    assert system.card.scale == Scale(-2.0, 2.0)
    assert open_system(folder, Options(scale=Scale(-2.0, 2.0))).card.scale == Scale(-1.0, 1.0)


def test_without_safetensors_the_line_that_installs_it_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltmeter.systems.gru.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tiltmeter\[learn\]'"):
        open_system(model(tmp_path))


def test_training_one_without_torch_names_the_extra(monkeypatch):
    from tiltmeter.studies.training.recipes import LabelledTexts, TrainContext, fit

    monkeypatch.setattr("tiltmeter.studies.training.recipes.find_spec", lambda _: None)
    texts = LabelledTexts(tuple("abcdefghijklmnopqrstu"), np.linspace(0, 1, 21))
    with pytest.raises(MissingExtraError, match=r"torch.* pip install 'tiltmeter\[neural\]'"):
        fit("gru", texts, texts, TrainContext())


# ---------------------------------------------------------------- weights that are no network


def without(name):
    return {key: array for key, array in tiny().items() if key != name}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"write": lambda whole: whole[:200]}, "has weights that cannot be read"),
        ({"write": lambda _: b""}, "has weights that cannot be read"),
        ({"write": lambda _: b"{}" * 9}, "has weights that cannot be read"),
        ({"words": None}, "found no vocabulary in the metadata; expected a list of words"),
        ({"words": {"good": 1}}, "found no vocabulary in the metadata"),
        ({"words": ["good", 7]}, "found no vocabulary in the metadata"),
        ({"words": ["good", "bad"]}, r"found embedding.weight \(2, 1\); expected \(3, 1\)"),
        ({"arrays": without("dense.weight")}, "found no matrix dense.weight"),
        ({"arrays": without("gru.bias_hh_l1")}, r"found gru.bias_hh_l1 missing; expected \(3,\)"),
        (
            {"arrays": tiny() | {"gru.weight_hh_l0": np.zeros((3, 2), np.float32)}},
            r"found gru.weight_hh_l0 \(3, 2\); expected \(3, 1\)",
        ),
        (
            {"arrays": tiny() | {"dense.weight": np.zeros((5, 1), np.float32)}},
            r"found dense.weight \(5, 1\); expected \(7, 1\)",
        ),
        (
            {"arrays": tiny() | {"gru.weight_ih_l2": np.zeros((3, 1), np.float32)}},
            r"found gru.weight_ih_l2 \(3, 1\); expected no such array",
        ),
        (
            {"arrays": tiny() | {"dense.bias": np.full(7, np.nan, np.float32)}},
            "found a number in dense.bias that is not finite",
        ),
    ],
)
def test_weights_that_are_no_network_are_refused_in_one_message(given, said, tmp_path):
    with pytest.raises(SystemFailure, match=said) as failure:
        open_system(model(tmp_path, **given))
    assert "\n" not in str(failure.value)
