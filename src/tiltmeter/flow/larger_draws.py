"""What to ask next where claims stay undecided, and how many sentences it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.audit_run import LargerDraw
from tiltmeter.corpora import Corpus
from tiltmeter.flow.runs import Run
from tiltmeter.report import people_wanted

NAMES_US = "names-us"
"""The corpus that draws people from a population, for claims that a list cannot carry."""
NAMES_US_SIZE = 25_886
"""How many sentences it has, drawn as its file says: to open it for that takes 0.2 s."""
ENGLISH = "en"
AXES = ("gender", "race")
"""The axes that it has."""


def larger_draws(runs: Sequence[Run], tilts: pl.DataFrame) -> list[LargerDraw]:
    """For each corpus with undecided claims: a population, or more people of its own."""
    undecided = tilts.filter(verdict="undecided")
    there = {run.corpus.name for run in runs}
    return [
        draw
        for run in runs
        for draw in _of_corpus(run.corpus, undecided.filter(corpus=run.corpus.name))
        if draw.people is not None or draw.ask not in there
    ]


def systems_from_files(runs: Sequence[Run]) -> list[str]:
    """The systems whose scores were read from files: nobody here can ask them for more."""
    return list(
        dict.fromkeys(
            one.card.name
            for run in runs
            for one, source in zip(run.scored, run.sources, strict=False)
            if not isinstance(source, int)
        )
    )


def _of_corpus(corpus: Corpus, undecided: pl.DataFrame) -> Iterator[LargerDraw]:
    axes = tuple(undecided["axis"].unique(maintain_order=True))
    if not axes:
        return
    if corpus.population is None:
        shared = tuple(axis for axis in axes if axis in AXES)
        if shared and corpus.language.split("-")[0] == ENGLISH:
            yield LargerDraw(corpus.name, shared, NAMES_US, None, NAMES_US_SIZE)
        return
    deal = corpus.design.deal if corpus.design else None
    claims = undecided.iter_rows(named=True)
    wanted = {people_wanted(claim, corpus.population): None for claim in claims}
    for people in wanted:
        if people is not None and deal is not None and not corpus.population.census:
            yield LargerDraw(corpus.name, axes, corpus.name, people, deal.size_with(people))
