"""Make corpora/data/people/names-that-are-words.txt: names of the Census that are everyday words.

    python benchmarks/census_words.py /usr/share/dict/american-english-small

The list of words is Debian's wamerican-small (SCOWL). A name that is in it and opens a sentence is
a doubt where people are recognised in free text.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

PEOPLE = Path(__file__).parent.parent / "src/tiltmeter/corpora/data/people"
OURS = "april carol dale jade jasmine jesus josh june max may roger rusty sandy woody"
HEAD = """\
# First names of the US Census 2020 that are everyday words of English too: in lower case in SCOWL’s
# small American list (Debian’s wamerican-small), and a dozen of ours. SCOWL: copyright Kevin
# Atkinson, free to use, copy and distribute. Made by benchmarks/census_words.py.
"""


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    words = {word for word in Path(sys.argv[1]).read_text("utf-8").split() if word.islower()}
    words |= set(OURS.split())
    names = pl.read_parquet(PEOPLE / "us-first-names.parquet")["name"]
    found = sorted(name for name in names if name.lower() in words)
    text = HEAD + "".join(f"{name}\n" for name in found)
    (PEOPLE / "names-that-are-words.txt").write_text(text, "utf-8")
    print(f"{len(found):,} names")


if __name__ == "__main__":
    main()
