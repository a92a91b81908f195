"""`gru`: embedding, two GRU layers, softmax over seven classes (Rating 2023, after Cho 2014)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.ranking import coarsen
from tiltmeter.studies.training.recipes import (
    FittedModel,
    LabelledTexts,
    Settings,
    TrainContext,
    agreement,
)
from tiltmeter.systems import GruNetwork, tweet_parts, word_rows

Array = NDArray[np.float64]
Classes = NDArray[np.int64]

SETTINGS: tuple[Settings, ...] = (
    {"hidden": 64, "dropout": 0.3},
    {"hidden": 64, "dropout": 0.5},
    {"hidden": 32, "dropout": 0.5},
)
LONGEST = 15
PATIENCE = 3
"""Epochs without a higher r on dev after which a setting is left."""
FILE = "gru.safetensors"
CLASSES = 7
EMBEDDING = 100
BATCH = 64
POOL = 8
"""Batches whose texts are sorted by length among themselves."""
RATE = 5e-3
STEEPEST = 1.0
"""The longest step's gradient: recurrent networks now and then take a leap."""
LEAST_SEEN = 2
"""Words of the training texts seen less often are unknown words, so that those are learned too."""


@dataclass(frozen=True, slots=True)
class GruTrial:
    """A setting at the epoch that served it best."""

    settings: Settings
    r: float
    answers: Array
    """What it said of dev."""


def gru(train: LabelledTexts, dev: LabelledTexts, context: TrainContext) -> FittedModel:
    """Fit a GRU classifier; hidden size, dropout and epochs chosen on dev."""

    def best_epoch(nth: int, settings: Settings) -> GruTrial:
        """A setting fitted on train until dev has not gained for some epochs."""
        trials: list[GruTrial] = []

        def go_on(network: GruNetwork) -> bool:
            answers = scores(network, dev.texts)
            so_far = {**settings, "epochs": len(trials) + 1}
            trials.append(GruTrial(so_far, agreement(answers, dev.scores), answers))
            context.tell(f"setting {nth} of {len(SETTINGS)}, epoch {len(trials)}")
            return len(trials) < min(LONGEST, int(_best(trials).settings["epochs"]) + PATIENCE)

        learn(train.texts, nearest_classes(train), settings, context.seed, go_on)
        return _best(trials)

    tried = [best_epoch(nth, settings) for nth, settings in enumerate(SETTINGS, start=1)]
    best = _best(tried)
    both, epochs = train + dev, list[GruNetwork]()

    def go_on(network: GruNetwork) -> bool:
        epochs.append(network)
        many = int(best.settings["epochs"])
        context.tell(f"train and dev together, epoch {len(epochs)} of {many}")
        return len(epochs) < many

    learn(both.texts, nearest_classes(both), best.settings, context.seed, go_on)
    network = epochs[-1]

    def save(folder: Path) -> str:
        network.save(folder / FILE)
        return FILE

    return FittedModel(
        "gru",
        lambda texts: scores(network, texts),
        save,
        {**best.settings, "embedding": EMBEDDING, "answer": "mean"},
        tuple((one.settings, one.r) for one in tried),
        on_dev=best.answers,
    )


def scores(network: GruNetwork, texts: Sequence[str]) -> Array:
    """Σ p(v) · v/6: the mean answer on the labels' scale, 0 to 1."""
    return network.chances(texts) @ (np.arange(CLASSES) / (CLASSES - 1))


def nearest_classes(labelled: LabelledTexts) -> NDArray[np.int64]:
    """The classes round(6 · score), or an error where all are the same.

    >>> nearest_classes(LabelledTexts(("a", "b", "c"), np.array([0, 1 / 6, 0.7]))).tolist()
    [0, 1, 4]
    """
    found = np.rint(labelled.scores * (CLASSES - 1)).astype(np.int64)
    if found.min() == found.max():
        what = f"every score of the training texts lies nearest to class {found[0]} of 0 to 6"
        raise TiltmeterError(f"{what}; expected texts of at least two classes")
    return found


def _best(tried: Sequence[GruTrial]) -> GruTrial:
    return max(tried, key=lambda one: coarsen(one.r))


# ---------------------------------------------------------------- PyTorch


def learn(
    texts: Sequence[str],
    classes: Classes,
    settings: Settings,
    seed: int,
    go_on: Callable[[GruNetwork], bool],
) -> None:
    """Fit a network, and after each epoch ask with what it has become whether to go on.

    The same texts, settings and seed give the same network again on the same machine: one thread,
    and a seed that leaves the caller's own random numbers alone.
    """
    import torch
    from torch.nn import functional, utils

    vocabulary = frequent_words(texts)
    known = {word: row for row, word in enumerate(vocabulary, start=1)}
    rows = [torch.tensor(word_rows(text, known)) for text in texts]
    gold = torch.as_tensor(classes)
    sizes = torch.tensor([len(row) for row in rows])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums in one order, and no slower: the matrices are small
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = untrained_network(
                len(vocabulary) + 1, settings["hidden"], settings["dropout"]
            )
            descent = torch.optim.Adam(network.parameters(), lr=RATE)
            while True:
                network.train()
                # All texts at random, those of a batch alike in length: half the steps.
                pools = torch.randperm(len(sizes)).split(POOL * BATCH)
                batches = [
                    batch
                    for pool in pools
                    for batch in pool[sizes[pool].argsort(stable=True)].split(BATCH)
                ]
                for nth in torch.randperm(len(batches)):
                    batch = batches[nth]
                    outputs = logits(network, [rows[at] for at in batch])
                    loss = functional.cross_entropy(outputs, gold[batch])
                    descent.zero_grad()
                    loss.backward()
                    utils.clip_grad_norm_(network.parameters(), STEEPEST)
                    descent.step()
                if not go_on(GruNetwork(vocabulary, network_arrays(network))):
                    return
    finally:
        torch.set_num_threads(threads)


def frequent_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The words seen at least twice, in the order of the alphabet.

    >>> frequent_words(["so so sad", "Sad!"])
    ('sad', 'so')
    """
    counts = Counter(part for text in texts for part in tweet_parts(text))
    return tuple(sorted(part for part, count in counts.items() if count >= LEAST_SEEN))


def untrained_network(words: int, hidden: int, dropout: float) -> Any:  # noqa: ANN401 - PyTorch's own
    """Embedding, two GRU layers and a dense layer, with what falls out in between."""
    from torch import nn

    parts = nn.ModuleDict(
        {
            "embedding": nn.Embedding(words, EMBEDDING),
            "gru": nn.GRU(EMBEDDING, hidden, num_layers=2, dropout=dropout, batch_first=True),
            "dense": nn.Linear(hidden, CLASSES),
            "drop": nn.Dropout(dropout),
        }
    )
    nn.init.normal_(parts["embedding"].weight, std=0.1)
    return parts


def logits(network: Any, rows: list[Any]) -> Any:  # noqa: ANN401
    """The dense layer's outputs after each text's last word, shape (texts, 7)."""
    from torch.nn.utils import rnn

    words = network["drop"](network["embedding"](rnn.pad_sequence(rows, batch_first=True)))
    lengths = [len(one) for one in rows]
    packed = rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    _, states = network["gru"](packed)
    return network["dense"](network["drop"](states[-1]))


def network_arrays(network: Any) -> dict[str, Array]:  # noqa: ANN401
    """The weights by name, as `GruNetwork` takes them."""
    return {
        name: tensor.detach().numpy().astype(np.float64)
        for name, tensor in network.state_dict().items()
    }
