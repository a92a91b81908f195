"""How quick a text file of word vectors becomes RNSB, and in how little memory.

Run with `make bench` or `python benchmarks/embeddings.py`; two to five minutes, nearly all of them
gensim's. It writes a GloVe file of 200,000 words × 300 values, some 500 MB, to a temporary folder:
made-up words, and among them VADER's, the ordinary words and four lists of identity terms, with
sentiment planted in some of the dimensions.

The peer is gensim's `KeyedVectors.load_word2vec_format`, which reads the whole file, with the very
same RNSB of ours after it; both must come to the same numbers before any time counts. gensim is no
dependency: `make bench` installs it, and where it is not there its rows say so.

The bytes themselves are read in two ways: in blocks into the same megabyte, the quickest there is,
which is beside our reading; and at once with `Path.read_bytes`, the plainest, which is beside the
whole way to RNSB.

Every row is a process of its own, so that its peak memory is its own. Time begins when the file is
opened, imports done and the file in the page cache; each side gets the quickest of its runs. *One
fit* is RNSB as the paper's authors compute it (C = 1, one fit on 90 % of the words). *The study*
adds what they have not: a ridge chosen by cross-validation, and 500 resamples for the intervals; it
takes both sides the same time, so it hides most of the difference.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from claim import Claim, Growth, NotRun, Work, attempted, print_claims
from growth import FLAT, grown, peak_megabytes
from tiltmeter.corpora import Lexicon, TermList, load_lexicon, load_ordinary_words, load_terms
from tiltmeter.studies.embeddings.rnsb import RnsbConfig, rnsb_study
from tiltmeter.studies.embeddings.space import Space, space_of
from tiltmeter.vectors import read_words

WORDS, DIMENSION, SEED = 200_000, 300, 0
SIZES = (2_000, 20_000, 200_000)
LISTS = ("national-origin", "religion", "gender", "race-names")
PLANTED, SHIFT = 30, 12_000
"""Dimensions that hold sentiment, and by how many of the numbers below."""
NUMBERS = 1 << 16
"""Different numbers in the file, in rising order: a normal one with spread 0.4, in GloVe's form."""
BLOCK = 1 << 20
RUNS, PEER_RUNS = 5, 1
QUICKER, TIMES_RAW, MEGABYTES = 40.0, 10.0, 300.0
"""The targets: at least so many times gensim, at most so many times the bytes, at most so much."""
AGREES = 1e-6
ONE_FIT, STUDY = "published", "corrected"
Told = dict[str, float]
Result = TypeVar("Result")


# ---------------------------------------------------------------- the file


def write_vectors(path: Path) -> None:
    """A GloVe text file with sentiment in it, the same on every machine."""
    write_rows(path, *vocabulary(asked_for(), np.random.default_rng(SEED)))


def write_rows(path: Path, words: Sequence[str], signs: NDArray[np.int64] | None = None) -> None:
    """Words with normal numbers in GloVe's form, shifted by their signs where they have some."""
    rng = np.random.default_rng(SEED)
    spread = NormalDist(0, 0.4)
    texts = [f" {spread.inv_cdf((n + 0.5) / NUMBERS):.5g}".encode() for n in range(NUMBERS)]
    table = np.array(texts, dtype=object)
    leaning = np.zeros(len(words), np.int64) if signs is None else signs
    with path.open("wb") as file:
        for begun in range(0, len(words), 1_000):
            part = slice(begun, begun + 1_000)
            chosen = rng.integers(0, NUMBERS, (len(words[part]), DIMENSION))
            chosen[:, :PLANTED] += SHIFT * leaning[part, None]
            rows = table[np.clip(chosen, 0, NUMBERS - 1)].tolist()
            lines = zip(words[part], rows, strict=True)
            file.write(b"".join(word.encode() + b"".join(row) + b"\n" for word, row in lines))


def vocabulary(asked: Asked, rng: np.random.Generator) -> tuple[list[str], NDArray[np.int64]]:
    """Words in random order, and whether each is positive, negative or neither."""
    signs = dict.fromkeys(asked.sentiment.positive, -1) | dict.fromkeys(asked.sentiment.negative, 1)
    told = [*asked.words, *(f"word{n}" for n in range(WORDS - len(asked.words)))]
    order = rng.permutation(len(told)).tolist()
    return [told[at] for at in order], np.array([signs.get(told[at], 0) for at in order])


@dataclass(frozen=True, slots=True)
class Asked:
    """What RNSB needs of a file."""

    sentiment: Lexicon
    lists: tuple[TermList, ...]
    ordinary: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """Every word, once."""
        terms = (text for one in self.lists for text in one.texts)
        told = (*self.sentiment.positive, *self.sentiment.negative, *terms, *self.ordinary)
        return list(dict.fromkeys(word for word in told if " " not in word))


def asked_for() -> Asked:
    """VADER's words, the lists' terms and ordinary words."""
    return Asked(
        load_lexicon(["vader"]),
        tuple(map(load_terms, LISTS)),
        load_ordinary_words(),
    )


# ---------------------------------------------------------------- each process


def raw_blocks(path: Path) -> None:
    """Every byte of the file, a block at a time into the same place."""
    block = bytearray(BLOCK)
    with path.open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def ours(path: Path, words: Sequence[str]) -> Space:
    """Words as Tiltmeter reads them."""
    return space_of(read_words(str(path), words).vectors)


def gensims(path: Path, words: Sequence[str]) -> Space:
    """The same words as gensim reads them."""
    held = import_module("gensim.models").KeyedVectors.load_word2vec_format(
        str(path), binary=False, no_header=True
    )
    there = tuple(word for word in words if word in held)
    return Space(path.name, there, np.array([held[word] for word in there], np.float64))


def rnsb_of(space: Space, asked: Asked, mode: str) -> dict[str, float]:
    """RNSB of every list."""
    manner = RnsbConfig(mode=mode)
    study = rnsb_study(space, asked.lists, asked.sentiment, asked.ordinary, manner)
    return dict(study.rnsb.select("list", "rnsb").iter_rows())


READERS: Mapping[str, Callable[[Path, Sequence[str]], Space]] = {
    "tiltmeter": ours,
    "gensim": gensims,
}


def in_this_process(what: str, path: Path, runs: int) -> Told:
    """Do one thing; seconds of each part, megabytes held at most, and the RNSB of each list."""
    if what == "bytes":
        ways = {"in blocks": raw_blocks, "at once": Path.read_bytes}
        return {name: min(seconds(way, path)[0] for _ in range(runs)) for name, way in ways.items()}
    if what == "gensim":
        import_module("gensim.models")
    asked = asked_for()
    rnsb_of(toy_space(asked), asked, ONE_FIT)  # whatever is imported on the way
    parts: list[tuple[float, float]] = []
    for _ in range(runs):
        reading, space = seconds(READERS[what], path, asked.words)
        fitting, found = seconds(rnsb_of, space, asked, ONE_FIT)
        parts.append((reading, fitting))
    quickest = min(parts, key=sum)
    told = {"read": quickest[0], "fit": quickest[1], "megabytes": peak_megabytes()}
    told["study"], of_study = seconds(rnsb_of, space, asked, STUDY)
    told |= {"megabytes of study": peak_megabytes(), "words": len(space.words)}
    return told | found | {f"{name}, the study": value for name, value in of_study.items()}


def seconds(work: Callable[..., Result], *given: object) -> tuple[float, Result]:
    """How long some work took, and what came of it."""
    begun = time.perf_counter()
    found = work(*given)
    return time.perf_counter() - begun, found


def toy_space(asked: Asked) -> Space:
    """Every word, somewhere in two dimensions."""
    places = np.random.default_rng(SEED).normal(size=(len(asked.words), 2))
    return Space("toy", tuple(asked.words), places)


# ---------------------------------------------------------------- the claims


def measured(what: str, path: Path, runs: int) -> Told:
    """The same in a process of its own."""
    command = [sys.executable, __file__, what, str(path), str(runs)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: Told = json.loads(told.splitlines()[-1])
    return found


def claims(path: Path) -> list[Claim | NotRun]:
    """What was measured, beside its target."""
    bare, mine = measured("bytes", path, RUNS), measured("tiltmeter", path, RUNS)
    peer = measured("gensim", path, PEER_RUNS) if find_spec("gensim") else None
    found: list[Claim | NotRun] = [
        beside_bytes(f"{mine['words']:,.0f} words read", mine["read"], "in blocks", bare, path),
        beside_bytes("file to RNSB, one fit", mine["read"] + mine["fit"], "at once", bare, path),
    ]
    if peer:
        must_agree(mine, peer)
        found += [
            beside_gensim("file to RNSB, one fit", "fit", mine, peer, QUICKER),
            beside_gensim("file to RNSB, the study", "study", mine, peer, 1.0),
        ]
    else:
        found.append(NotRun("file to RNSB against gensim", "needs pip install gensim"))
    for name, key in (("one fit", "megabytes"), ("the study", "megabytes of study")):
        told = f"{mine[key]:,.0f} MB", f"gensim {peer[key]:,.0f} MB" if peer else "not measured"
        found.append(
            Claim(
                f"peak megabytes, file to RNSB, {name}", *told, mine[key], MEGABYTES, at_most=True
            )
        )
    return found


def beside_bytes(claim: str, taken: float, way: str, bare: Told, path: Path) -> Claim:
    """A time beside that of the file's bytes."""
    read = f"{path.stat().st_size / 1e6:,.0f} MB {way} in {bare[way]:.3f} s"
    return Claim(claim, f"{taken:.3f} s", read, taken / bare[way], TIMES_RAW, at_most=True)


def reading_of(words: int) -> Callable[[], object]:
    """The work of reading a thousand words out of so many."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "growing.txt"
    write_rows(path, [f"word{number}" for number in range(words)])
    asked = [f"word{number}" for number in range(0, words, max(1, words // 1_000))][:1_000]

    def work(_kept: object = folder) -> object:
        return read_words(str(path), asked)

    return work


def growth() -> Growth:
    what = f"reading 1,000 words × {DIMENSION} out of a GloVe text file"
    return grown(what, "words in it", reading_of, SIZES, memory_at_most=FLAT)


def beside_gensim(claim: str, part: str, mine: Told, peer: Told, target: float) -> Claim:
    """A time beside gensim's."""
    here, there = mine["read"] + mine[part], peer["read"] + peer[part]
    return Claim(claim, f"{here:.2f} s", f"gensim {there:.1f} s", there / here, target)


def must_agree(mine: Told, peer: Told) -> None:
    """Raise where the two sides do not come to the same RNSB."""
    for name in (*LISTS, *(f"{name}, the study" for name in LISTS)):
        if not abs(mine[name] - peer[name]) < AGREES:
            raise SystemExit(
                f"{name}: RNSB {mine[name]} from our vectors, {peer[name]} from gensim's"
            )


def from_a_file() -> list[Claim | NotRun]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made-up.txt"
        write_vectors(path)
        return claims(path)


def main(given: Sequence[str]) -> None:
    if given:
        what, place, runs = given
        print(json.dumps(in_this_process(what, Path(place), int(runs))))
        return
    works: dict[str, Work] = {"from a file to RNSB": from_a_file, "growth": growth}
    print_claims(f"word vectors, {WORDS:,} × {DIMENSION} as GloVe text", attempted(works))


if __name__ == "__main__":
    main(sys.argv[1:])
