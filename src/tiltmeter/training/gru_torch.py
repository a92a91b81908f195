"""A GRU classifier fitted with PyTorch, epoch by epoch; what is learned is handed over in NumPy."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.systems import GruNetwork, tweet_parts, word_rows

CLASSES = 7
EMBEDDING = 100
TOGETHER = 64
POOL = 8
"""Batches whose texts are sorted by length among themselves."""
RATE = 5e-3
STEEPEST = 1.0
"""The longest step's gradient: recurrent networks now and then take a leap."""
SEEN = 2
"""Words of the training texts seen less often are unknown words, so that those are learned too."""

Classes = NDArray[np.int64]


def learn(
    texts: Sequence[str],
    classes: Classes,
    settings: Mapping[str, Any],
    seed: int,
    go_on: Callable[[GruNetwork], bool],
) -> None:
    """Fit a network, and after each epoch ask with what it has become whether to go on.

    The same texts, settings and seed give the same network again on the same machine: one thread,
    and a seed that leaves the caller's own random numbers alone.
    """
    import torch

    vocabulary = frequent_words(texts)
    known = {word: row for row, word in enumerate(vocabulary, start=1)}
    rows = [torch.tensor(word_rows(text, known)) for text in texts]
    gold = torch.as_tensor(classes)
    with _one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _network(len(vocabulary) + 1, settings["hidden"], settings["dropout"])
        step = _stepping(network)
        while True:
            network.train()
            for batch in _batches([len(one) for one in rows]):
                step([rows[at] for at in batch], gold[batch])
            if not go_on(GruNetwork(vocabulary, _arrays(network))):
                return


def _batches(lengths: Sequence[int]) -> Iterator[Any]:
    """The places of all texts at random, those of a batch alike in length: half the steps."""
    import torch

    sizes = torch.as_tensor(lengths)
    pools = torch.randperm(len(sizes)).split(POOL * TOGETHER)
    batches = [b for pool in pools for b in pool[sizes[pool].argsort(stable=True)].split(TOGETHER)]
    return (batches[at] for at in torch.randperm(len(batches)))


def frequent_words(texts: Iterable[str]) -> tuple[str, ...]:
    """The words seen at least twice, in the order of the alphabet.

    >>> frequent_words(["so so sad", "Sad!"])
    ('sad', 'so')
    """
    counts = Counter(part for text in texts for part in tweet_parts(text))
    return tuple(sorted(part for part, count in counts.items() if count >= SEEN))


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Sums in one order, and no slower: the matrices are small."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _network(words: int, hidden: int, dropout: float) -> Any:  # noqa: ANN401 - PyTorch's own
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


def _stepping(network: Any) -> Callable[[list[Any], Any], None]:  # noqa: ANN401
    """What makes one step down the gradient on a batch."""
    import torch
    from torch.nn import functional, utils

    descent = torch.optim.Adam(network.parameters(), lr=RATE)

    def step(rows: list[Any], gold: Any) -> None:  # noqa: ANN401
        loss = functional.cross_entropy(logits(network, rows), gold)
        descent.zero_grad()
        loss.backward()
        utils.clip_grad_norm_(network.parameters(), STEEPEST)
        descent.step()

    return step


def logits(network: Any, rows: list[Any]) -> Any:  # noqa: ANN401
    """The dense layer's outputs after each text's last word, shape (texts, 7)."""
    from torch.nn.utils import rnn

    words = network["drop"](network["embedding"](rnn.pad_sequence(rows, batch_first=True)))
    lengths = [len(one) for one in rows]
    packed = rnn.pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
    _, states = network["gru"](packed)
    return network["dense"](network["drop"](states[-1]))


def _arrays(network: Any) -> dict[str, NDArray[np.float64]]:  # noqa: ANN401
    return {
        name: tensor.detach().numpy().astype(np.float64)
        for name, tensor in network.state_dict().items()
    }
