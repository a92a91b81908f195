"""What a corpus can tell before an audit: what tilt it can detect or rule out, and at what cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.corpora import Corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.findings import Rule, thresholds
from tiltmeter.flow.asking import corpus_given, manner_of
from tiltmeter.flow.audit_folder import read_audit
from tiltmeter.flow.planned_noise import SOURCES, Noise, assumed, measured, of_audit
from tiltmeter.flow.planned_table import planned_table
from tiltmeter.flow.runs import run_of
from tiltmeter.flow.subjects import Specs, opened
from tiltmeter.flow.wanted import check_stored, contrasts_wanted, margins_given, references_given
from tiltmeter.measures import Contrast, Spreads
from tiltmeter.scoring import Progress, Settings
from tiltmeter.systems import Options

TYPICAL = Spreads(people=0.034, templates=0.002, words=0.0024, noise=0.017)
"""Planned with where no system is named; docs/plan.md says what they were measured on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What can be told of each contrast, and what it would take."""

    corpus: str
    edition: str
    table: pl.DataFrame
    """A row a system and contrast; docs/plan.md tells the columns."""
    level: float
    family: int
    power: float
    assumed: Spreads | None
    """The noise planned with, where it was not measured on a system."""

    @property
    def typical(self) -> Spreads | None:
        """The medians of the systems' standard deviations, where there is any noise."""
        noisy = self.table.filter(pl.col("se") > 0)
        if self.assumed or noisy.is_empty():
            return None
        return Spreads(*(float(np.median(noisy[f"sd_{name}"].to_numpy())) for name in SOURCES))

    @property
    def facts(self) -> dict[str, Any]:
        """What determines the numbers."""
        noise = asdict(self.assumed) if self.assumed else "measured"
        return {
            "corpus": self.corpus, "edition": self.edition, "level": self.level,
            "family": self.family, "correction": "bonferroni", "power": self.power, "noise": noise,
        }  # fmt: skip


def plan(
    systems: Specs | None = None,
    corpus: Corpus | Path | str = "eec",
    *,
    folder: Path | str | None = None,
    margin: float | Mapping[str, float] | None = None,
    spreads: Spreads | None = None,
    level: float = 0.05,
    family: int | None = None,
    power: float | None = None,
    reference: Mapping[str, str] | None = None,
    all_pairs: bool = False,
    edition: str | None = None,
    columns: Mapping[str, str] | None = None,
    axes: Mapping[str, Sequence[str]] | None = None,
    language: str | None = None,
    encoding: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Say what tilt a corpus can detect or rule out, and what more names or templates would do.

    The noise is that of `systems`, asked or stored; or that of an audit's `folder`; or else of
    `spreads`, standard deviations in parts of the scale, by default typical ones. `margin` is one
    for all axes, or by axis, with `default` for the others. `reference` and `all_pairs` say what is
    compared, as in `audit`, and `columns`, `axes`, `language` and `encoding` how a corpus that is a
    table is read. `family` is how many comparisons the
    level is shared among, by default every row of the plan.
    """
    rule, wanted = Rule(level=level, family=family), _checked_power(power)
    _check_one_noise(systems, folder, spreads)
    if folder is not None:
        audit = read_audit(folder)
        name, of = audit.corpora[0], str(audit.sentences["edition"][0])
        found = list(of_audit(audit))
        margins = margins_given(margin, (one.design.contrast.axis for one in found))
    else:
        reading = {"columns": columns, "axes": axes, "language": language, "encoding": encoding}
        loaded = _held(corpus_given(corpus, edition, reading))
        references = references_given(reference)
        (contrasts,) = contrasts_wanted([loaded], references, all_pairs=all_pairs)
        name, of, compared = loaded.name, loaded.edition, [axis.name for axis in loaded.axes]
        margins = margins_given(margin, compared)
        if systems is None:
            found = list(assumed(loaded.sentences(), contrasts, compared, spreads or TYPICAL))
        else:
            asked = tasks, options, store, settings, progress
            found = _of_systems(systems, loaded, contrasts, *asked)
    if not found:
        raise TiltmeterError(f"{name}: no two of its sentences can be compared; nothing to plan")
    shared = rule.family or len(found)
    table = planned_table(found, margins, level / shared, wanted)
    nobody = systems is None and folder is None
    return Plan(name, of, table, level, shared, wanted, spreads or TYPICAL if nobody else None)


def _checked_power(power: float | None) -> float:
    wanted = float(thresholds()["power"]) if power is None else power
    if not 0 < wanted < 1:
        raise TiltmeterError(f"the power lies between 0 and 1, as in 0.8; found {wanted:g}")
    return wanted


def _check_one_noise(systems: Specs | None, folder: object, spreads: Spreads | None) -> None:
    """Refuse a plan that is to rest on two kinds of noise."""
    if folder is not None and systems is not None:
        raise TiltmeterError("a plan rests on systems or on an audit's folder; give one of them")
    if spreads is not None and (folder is not None or systems is not None):
        what = "a plan takes a system's own noise from its scores"
        raise TiltmeterError(f"{what}; leave out the assumed standard deviations, or the systems")
    for name, one in asdict(spreads).items() if spreads else ():
        if not 0 <= one < 1:
            what = f"the standard deviation of {name} is {one:g}"
            raise TiltmeterError(f"{what}; expected a part of the scale from 0 to 1, as in 0.01")


def _held(corpus: Corpus) -> Corpus:
    if corpus.large:
        what = f"{corpus.name} has {corpus.size:,} sentences, more than a plan holds in memory"
        raise TiltmeterError(f"{what}; plan with a corpus of fewer people, templates and words")
    return corpus


def _of_systems(
    systems: Specs,
    corpus: Corpus,
    contrasts: Sequence[Contrast],
    tasks: Sequence[str],
    options: Options | None,
    store: Path | str | None,
    settings: Settings | None,
    progress: Progress | None,
) -> list[Noise]:
    """Systems asked, or their answers taken from the store."""
    manner = manner_of(options, store, settings, progress)
    with opened(systems, tasks, manner.options) as subjects:
        run = run_of(subjects, corpus, manner, None, 0, stream=False)
        check_stored([run], manner.settings)
    axes = [axis.name for axis in corpus.axes]
    return list(measured(corpus.sentences(), run.lazy_scores().collect(), contrasts, axes))
