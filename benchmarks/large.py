"""Ten million sentences on one machine: what an audit in parts takes, and what it holds.

Run with `make bench` or `python benchmarks/large.py`; `quick` after it leaves out 10^7 sentences. A
corpus is written from templates, `constant` and VADER are asked for every sentence, and the whole
report is made: scores, sentences, pairs, a regression, figures. Every size starts from nothing, in
a process of its own. The peer is the same audit with everything held in memory.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from claim import Claim, attempted, print_claims
from growth import exponent, in_process

SYSTEMS = ["constant", "vader"]
SIZES = (10_000, 100_000, 1_000_000)
FULL = 10_000_000
HELD = 300_000
"""Sentences of the audit that is also made in memory."""
BOUND = 2_000.0
"""Megabytes that 10^7 sentences may take."""
NAMES, KIN = 50, 10


def corpus_of(sentences: int, folder: Path) -> Path:
    """A corpus of about so many sentences: four templates × words × 220 people, and one neutral."""
    words = max(2, round(sentences / (4 * (4 * NAMES + 2 * KIN)) / 2))
    joy, anger = ([f"{word} {nth}" for nth in range(words)] for word in ("happy", "angry"))
    kin = ", ".join(
        f'{{ subject = "aunt {nth}", gender = "female", match = "kin {nth}" }}, '
        f'{{ subject = "uncle {nth}", gender = "male", match = "kin {nth}" }}'
        for nth in range(KIN)
    )
    people = "".join(
        f'[[people]]\nlist = "{gender} {race}"\ngender = "{gender}"\nrace = "{race}"\n'
        f'match = "names"\nmembers = {json.dumps([f"{gender}{race}{n}" for n in range(NAMES)])}\n'
        for gender in ("female", "male")
        for race in "AB"
    )
    texts = ("{person} feels {state}.", "I saw {person} look {state} again.",
             "{person} is so {state} today.", "Yesterday {person} seemed {state} to me.",
             "{person} lives in our street.")  # fmt: skip
    templates = "".join(
        f'[[templates]]\nid = "{nth}"\ntext = "{text}"\n' for nth, text in enumerate(texts, 1)
    )
    path = folder / f"large-{sentences}.toml"
    path.write_text(
        f'[corpus]\nname = "large"\ntitle = "Large"\nlanguage = "en"\nsource = "benchmarks"\n'
        f'licence = "CC0-1.0"\nreview = "unreviewed"\n[axes]\ngender = ["female", "male"]\n'
        f'race = ["A", "B"]\n[[people]]\nlist = "kin"\nmembers = [{kin}]\n{people}'
        f'[[words]]\nlist = "state"\njoy = {json.dumps(joy)}\nanger = {json.dumps(anger)}\n'
        f"{templates}"
    )
    return path


def audit_in_parts(sentences: int) -> Callable[[], object]:
    """The whole audit and its report, from nothing."""
    return _audit(sentences, stream=True)


def audit_in_memory(sentences: int) -> Callable[[], object]:
    """The same with everything held."""
    return _audit(sentences, stream=False)


def _audit(sentences: int, *, stream: bool) -> Callable[[], object]:
    from tiltmeter import audit

    folder = Path(tempfile.mkdtemp())
    corpus = corpus_of(sentences, folder)

    def work() -> None:
        try:
            done = audit(SYSTEMS, corpus, store=folder / "store", stream=stream, flips=0)
            done.report(folder / "out", force=True)
        finally:
            shutil.rmtree(folder / "store", ignore_errors=True)

    return work


def claims(*, full: bool) -> list[Claim]:
    """Time and memory at growing sizes, and against the audit in memory."""
    sizes = (*SIZES, FULL) if full else SIZES
    runs = [in_process(audit_in_parts, size, warm=1000) for size in sizes]
    seconds, megabytes, _ = zip(*runs, strict=True)
    spent = ", ".join(f"{one:,.0f}" for one in seconds)
    held = ", ".join(f"{one:,.0f}" for one in megabytes)
    listed = ", ".join(f"{size:,}" for size in sizes)
    what = f"audit of {' and '.join(SYSTEMS)} in parts, {listed} sentences"
    _, in_parts, _ = in_process(audit_in_parts, HELD, warm=1000)
    _, in_memory, _ = in_process(audit_in_memory, HELD, warm=1000)
    return [
        Claim(f"time of an {what}", f"{spent} s", "1 is linear",
              exponent(sizes[1:], seconds[1:]), 1.1, at_most=True),
        Claim(f"peak memory of an {what}", f"{held} MB", f"bound {BOUND:,.0f} MB at 10^7",
              megabytes[-1] / BOUND, 1.0, at_most=True),
        Claim(f"peak memory, {HELD:,} sentences", f"in parts {in_parts:,.0f} MB",
              f"held in memory {in_memory:,.0f} MB", in_memory / in_parts, 1.5),
    ]  # fmt: skip


if __name__ == "__main__":
    whole = "quick" not in sys.argv[1:]
    print_claims("large corpora", attempted({"an audit in parts": lambda: claims(full=whole)}))
