"""Who is left out of the family of comparisons: controls, and systems without a signal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.claims.verdict import thresholds

SIGNAL, ALL, OWN = "signal", "all", "own-emotion"
SUBMISSION = ("system", "task", "corpus")
UNKNOWN = "und"
"""The language of a corpus that does not say its own."""
LANGUAGES = {"ar": "Arabic", "de": "German", "en": "English", "es": "Spanish", "fr": "French"}
Key = tuple[str, str, str]
"""System, task and corpus."""


@dataclass(frozen=True, slots=True)
class AuditedSubmission:
    """What is known of a submission besides its scores."""

    system: str
    task: str
    corpus: str
    language: str
    """The corpus'."""
    reads: tuple[str, ...] = ()
    """The languages that the system says it reads; none: it does not say."""
    control: bool = False

    @property
    def key(self) -> Key:
        """As findings name it."""
        return self.system, self.task, self.corpus


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Submissions that leave the family of comparisons."""

    controls: frozenset[Key] = frozenset()
    no_signal: Mapping[Key, str] = field(default_factory=dict)
    """With the reason, and what to do."""
    not_assessed: Mapping[Key, str] = field(default_factory=dict)
    """Those of which signal cannot be told, with the reason; they stay in the family."""

    def mask(self, rows: pl.DataFrame) -> NDArray[np.bool_]:
        """Which rows are of a submission that is left out."""
        keys = rows.select(SUBMISSION).rows()
        return np.array([key in self.controls or key in self.no_signal for key in keys], bool)

    def reasons(self, rows: pl.DataFrame) -> list[str | None]:
        """Why each row's system gives no signal; None where it gives one, or nobody knows."""
        return [self.no_signal.get(key) for key in rows.select(SUBMISSION).rows()]


def find_exclusions(estimates: pl.DataFrame, audited: Iterable[AuditedSubmission]) -> Exclusions:
    """Who is left out, from the `signal` of estimates and what is known of each submission."""
    rows = estimates.filter(pl.col("measure") == SIGNAL)
    seen = {
        (*(str(row[name]) for name in SUBMISSION), row["subset"]): row
        for row in rows.iter_rows(named=True)
    }
    every, limits = tuple(audited), thresholds()["signal"]
    no_signal, not_assessed = dict[Key, str](), dict[Key, str]()
    for one in every:
        if why := why_unreadable(one):
            no_signal[one.key] = why
            continue
        words, own = (seen.get((*one.key, subset)) for subset in (ALL, OWN))
        if words is None or not words["n"]:
            not_assessed[one.key] = "no template has scores for two emotion words"
            continue
        n, own_share = f"{words['n']:,}", own["value"] if own else None
        same = words["value"] == 0 and words["statistic"] == 0
        beyond_chance = words["p"] is not None and words["p"] < limits["level"]
        unclear = words["p"] is None or words["df"] < limits["fewest"]
        if words["value"] is None or (not (same or beyond_chance) and unclear):
            what = f"{words['df']:.0f} degrees of freedom within words are too few to tell it"
            not_assessed[one.key] = f"{what} from chance"
            continue
        if same:
            why = f"it answers the same to all {n} emotion words"
        elif not beyond_chance:
            why = f"its scores move no more from one of {n} emotion words to another than within "
            why += f"one (F = {words['statistic']:.2f})"
        elif words["value"] < limits["words"] and (own_share or 0.0) < limits["own_words"]:
            read = round(words["value"] * words["n"])
            why = f"it tells {read:,} of {n} emotion words from those it does not read"
        if why:
            there = "" if one.language == UNKNOWN else f", {_spoken(one.language)}"
            after = f"see with tiltmeter try whether it reads the corpus' language{there}"
            no_signal[one.key] = f"{why}: {after}"
    return Exclusions(frozenset(one.key for one in every if one.control), no_signal, not_assessed)


def why_unreadable(one: AuditedSubmission) -> str:
    """Why a system cannot read the corpus, by what it says of itself; nothing where it can."""
    language = one.language.split("-")[0]
    if not one.reads or UNKNOWN in (language, *one.reads):
        return ""
    if language in {code.split("-")[0] for code in one.reads}:
        return ""
    reads, there = " and ".join(map(_spoken, one.reads)), _spoken(language)
    return (
        f"it reads {reads}, and the corpus {one.corpus} is in {there}: choose a system that reads "
        f"{there} (tiltmeter systems lists them), or a corpus in {_spoken(one.reads[0])}"
    )


def _spoken(code: str) -> str:
    return LANGUAGES.get(code.split("-")[0], code)
