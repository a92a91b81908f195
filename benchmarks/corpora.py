"""How fast a corpus is written, and that its memory stays flat from 10^5 to 10^7 sentences.

The peer is the obvious loop: itertools.product over people and words, str.format, one dict a row.
Run with `make bench` or `python benchmarks/corpora.py`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from claim import Claim, print_claims

SIZES = (10**5, 10**6, 10**7)
WORDS, TEMPLATES = 100, 10
FASTER, FLAT = 5.0, 1.5
"""Targets: five times the loop's rate; at most half as much memory again at 100× the sentences."""


def corpus_of(sentences: int, folder: Path) -> Path:
    """Write a corpus file of so many sentences: 10 templates, 100 words, the people to fit."""
    people = sentences // (WORDS * TEMPLATES)
    names = [f'"Name{number}"' for number in range(people)]
    words = ", ".join(f'"word{number}"' for number in range(WORDS))
    lines = ["[corpus]", 'name = "large"', 'language = "en"']
    lines += ["[axes]", 'gender = ["female", "male"]']
    for group, members in (("female", names[::2]), ("male", names[1::2])):
        lines += ["[[people]]", f'list = "{group}"', f'gender = "{group}"', 'match = "names"']
        lines += [f"members = [{', '.join(members)}]"]
    lines += ["[[words]]", 'list = "state"', f"joy = [{words}]"]
    for number in range(1, TEMPLATES + 1):
        lines += ["[[templates]]", f'id = "{number}"']
        lines += [f'text = "{{person}} felt {{reflexive}} {{state}} on day {number}."']
        lines += ['slots.reflexive = { agrees = "person", female = "herself", male = "himself" }']
    path = folder / "large.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def ours(path: Path) -> tuple[int, float]:
    """Sentences written in batches, and the seconds it took."""
    from tiltmeter import load_corpus

    start = time.perf_counter()
    count = sum(batch.height for batch in load_corpus(path).batches())
    return count, time.perf_counter() - start


def loop(people: int) -> Iterator[dict[str, str]]:
    """The same rows by the obvious loop."""
    named = [(f"Name{n}", "female" if n % 2 == 0 else "male") for n in range(people)]
    for template, word, (person, gender) in product(range(1, TEMPLATES + 1), range(WORDS), named):
        reflexive = "herself" if gender == "female" else "himself"
        yield {
            "id": f"t{template:02}-w{word + 1:02}-p{int(person[4:]) + 1:02}",
            "text": f"{person} felt {reflexive} word{word} on day {template}.",
            "corpus": "large",
            "edition": "corrected",
            "language": "en",
            "template": str(template),
            "person": person,
            "gender": gender,
            "emotion": "joy",
            "emotion_word": f"word{word}",
            "frame": f"{template}/joy/word{word}",
            "match": "names",
        }


def peak_megabytes(path: Path) -> float:
    """Peak memory of a fresh process that streams the whole corpus."""
    code = (
        "import resource, sys; from tiltmeter import load_corpus\n"
        "for batch in load_corpus(sys.argv[1]).batches(): pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = corpus_of(SIZES[1], Path(folder))
        ours(path)  # warm: imports and first allocations
        count, seconds = ours(path)
        start = time.perf_counter()
        looped = sum(1 for _ in loop(count // (WORDS * TEMPLATES)))
        peer = time.perf_counter() - start
        rate, peer_rate = count / seconds, looped / peer
        peaks = {size: peak_megabytes(corpus_of(size, Path(folder))) for size in SIZES}
    memory = ", ".join(f"10^{len(str(size)) - 1}: {peak:.0f} MB" for size, peak in peaks.items())
    claims = [
        Claim(
            f"sentences per second at {count:,}",
            f"{rate:,.0f}/s",
            f"product + format loop {peer_rate:,.0f}/s",
            rate / peer_rate,
            FASTER,
        ),
        Claim(
            "peak memory, 10^7 over 10^5 sentences",
            memory,
            "the same process at 10^5",
            peaks[SIZES[-1]] / peaks[SIZES[0]],
            FLAT,
            at_most=True,
        ),
    ]
    print_claims("corpora", claims)


if __name__ == "__main__":
    main()
