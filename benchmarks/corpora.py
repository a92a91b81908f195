"""How fast a corpus is written, and that its memory stays flat from 10⁵ to 10⁷ sentences.

The peer is the obvious loop: itertools.product over people and words, str.format, one dict a row.
Run with `make bench` or `python benchmarks/corpora.py`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

from claim import Claim, Growth, attempted, print_claims
from growth import FLAT, grown

SIZES = (10**5, 10**6, 10**7)
WORDS, TEMPLATES = 100, 10
BATCH = SIZES[0] // TEMPLATES
"""Sentences in a batch where sizes are compared: a batch ends with its template."""
FASTER, HALF_AGAIN = 5.0, 1.5
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


def ours(path: Path, **batches: int) -> tuple[int, float]:
    """Sentences written in batches, and the seconds it took."""
    from tiltmeter import load_corpus

    start = time.perf_counter()
    count = sum(batch.height for batch in load_corpus(path).batches(**batches))
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


def written(sentences: int) -> Callable[[], object]:
    """The work of writing a corpus in batches that are the same at every size."""
    folder = tempfile.TemporaryDirectory()
    path = corpus_of(sentences, Path(folder.name))

    def work(_kept: object = folder) -> object:
        return ours(path, rows=BATCH)

    return work


def against_loop() -> Claim:
    with tempfile.TemporaryDirectory() as folder:
        path = corpus_of(SIZES[1], Path(folder))
        ours(path)  # warm: imports and first allocations
        count, seconds = ours(path)
    start = time.perf_counter()
    looped = sum(1 for _ in loop(count // (WORDS * TEMPLATES)))
    rate, peer_rate = count / seconds, looped / (time.perf_counter() - start)
    return Claim(
        f"sentences per second at {count:,}", f"{rate:,.0f}/s",
        f"product + format loop {peer_rate:,.0f}/s", rate / peer_rate, FASTER,
    )  # fmt: skip


def growth() -> list[Claim | Growth]:
    found = grown("writing a corpus", "sentences", written, SIZES, memory_at_most=FLAT)
    times = found.megabytes[-1] / found.megabytes[0]
    flat = Claim(
        f"peak memory, 10⁷ over 10⁵ sentences, {BATCH:,} in a batch",
        f"{found.megabytes[-1]:.0f} MB", f"at 10⁵: {found.megabytes[0]:.0f} MB",
        times, HALF_AGAIN, at_most=True,
    )  # fmt: skip
    return [flat, found]


def main() -> None:
    print_claims("corpora", attempted({"against a loop": against_loop, "growth": growth}))


if __name__ == "__main__":
    main()
