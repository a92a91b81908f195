"""A system asked again for an earlier audit's sentences, apart from what is stored."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tiltmeter.errors import TiltmeterError, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.scoring import ScaleSource, Scored, Store, frames_drawn, on_scale, texts_of
from tiltmeter.scoring.open_systems import Asked, Spec, Subjects, open_systems
from tiltmeter.scoring.scoring_run import ScoringOptions, names_of
from tiltmeter.studies.audit.stored_audit import AuditFolder
from tiltmeter.studies.versions.measure import VersionPair
from tiltmeter.systems import Scale, is_packaged, is_scores

BESIDE = "-drift"
"""What the folder is called, beside the store, that holds answers while asking is under way."""
STALE = 24 * 3600.0
"""Seconds after which a stopped check is begun anew: its answers are of another day."""


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """What a system answered this time."""

    sentences: pl.DataFrame
    """Of all corpora asked for."""
    scores: pl.DataFrame
    pairs: tuple[VersionPair, ...]
    scored: tuple[tuple[str, Scored], ...]
    """By corpus: each task's scores, and how they came about."""
    resumed: int = 0
    """Answers that an earlier, stopped check had gathered."""

    def called(self, scored: Scored) -> str:
        """What the baseline calls the system of these scores."""
        card = scored.card
        wanted = (one for one in self.pairs if (one.new, one.task) == (card.name, card.task))
        return next(wanted).old


def ask_again(
    baseline: AuditFolder,
    given: Spec | None,
    of: str | None,
    manner: ScoringOptions,
    *,
    sample: int | None,
    seed: int,
) -> AskedAgain:
    """Ask a system for a baseline's sentences, or for some of its frames."""
    target = _target(baseline, given, of)
    if given is None and not is_packaged(target):
        # A folder may come from a stranger: whatever runs more than an installed package needs the
        # user's own word.
        raise TiltmeterError(
            f"{baseline.path} names the system {target!r}, and a folder may not say what is run or "
            "called: name it yourself, as `tiltmeter drift BASELINE SYSTEM`"
        )
    spec = target if given is None else given
    if isinstance(spec, str | Path) and is_scores(str(spec)):
        what = f"{spec} holds scores made elsewhere, which cannot be asked again"
        raise TiltmeterError(f"{what}: audit the new file and use `tiltmeter compare`")
    sentences = _sentences(baseline, sample, seed)
    tasks = [task for system, task in baseline.submissions if system == target]
    with (
        open_systems([spec], tasks, manner.options) as subjects,
        _apart(manner, baseline, subjects) as apart,
    ):
        manner.options.scales.check(names_of(subjects))
        found = [
            (str(corpus), _asked(apart, one, part, baseline, target))
            for (corpus,), part in sentences.group_by("corpus", maintain_order=True)
            for one in subjects.asked
        ]
    if manner.progress:  # they stand in the check's own folder now, once that is written
        manner.progress.keep(-sum(scored.asked for _, scored in found))
    for card in (scored.card for _, scored in found):
        if card.task not in tasks:
            what = f"{card.name} answers for {card.task}"
            raise TiltmeterError(f"{what}; the baseline has {target} for {', '.join(tasks)}")
    pairs = dict.fromkeys(
        VersionPair(target, scored.card.name, scored.card.task) for _, scored in found
    )
    return AskedAgain(
        sentences,
        pl.concat([scored.scores for _, scored in found]),
        tuple(pairs),
        tuple(found),
        sum(scored.known for _, scored in found),
    )


def _asked(
    manner: ScoringOptions,
    asked: Asked,
    sentences: pl.DataFrame,
    baseline: AuditFolder,
    target: str,
) -> Scored:
    """The answers on the scale of the baseline, unless another is declared."""
    corpus, card = str(sentences["corpus"][0]), asked.system.card
    facts = baseline.run.system(target, card.task, corpus)
    ends = facts.scale_ends if facts else None
    scored = manner.ask(asked, texts_of(sentences), scale=Scale(*ends) if ends else None)
    if scored.settled.known is ScaleSource.INFERRED and facts:  # and the baseline knew of none
        unbounded = replace(scored.settled, scale=None, known=ScaleSource.UNBOUNDED)
        return on_scale(scored, unbounded)
    return scored


def _target(baseline: AuditFolder, given: Spec | None, of: str | None) -> str:
    """The baseline's system that is asked again."""
    names = list(dict.fromkeys(system for system, _ in baseline.submissions))
    if of is not None:
        if of not in names:
            near = did_you_mean(of, names) or f"it holds {', '.join(names[:8])}"
            raise TiltmeterError(f"the baseline has no system {of!r}: {near}")
        return of
    if given is not None and (name := without_folders(str(given))) in names:
        return name
    if len(names) > 1:
        listed = ", ".join(names[:8])
        raise TiltmeterError(f"the baseline holds several systems, {listed}: say which with --as")
    return names[0]


def _sentences(baseline: AuditFolder, sample: int | None, seed: int) -> pl.DataFrame:
    """All sentences of a baseline, or so many whole frames of each corpus."""
    if sample is None:
        return baseline.sentences
    if sample < 1:
        raise TiltmeterError(f"--sample needs at least one frame; found {sample!r}")
    parts = []
    for _, part in baseline.sentences.group_by("corpus", maintain_order=True):
        known = part.select("template", "frame", "emotion").unique(maintain_order=True)
        chosen = pl.Series("frame", frames_drawn(known, sample, seed), pl.String).to_frame()
        parts.append(part.join(chosen, on="frame", how="semi", maintain_order="left"))
    return pl.concat(parts)


@contextmanager
def _apart(
    manner: ScoringOptions, baseline: AuditFolder, subjects: Subjects
) -> Iterator[ScoringOptions]:
    """The same manner with a store of its own, removed once everything is answered."""
    parts = [str(baseline.path.resolve()), *(one.system.card.fingerprint for one in subjects.asked)]
    key = hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()[:16]
    where = Path(f"{manner.store.path}{BESIDE}") / key
    if where.exists() and time.time() - where.stat().st_mtime > STALE:
        shutil.rmtree(where, ignore_errors=True)
    yield replace(manner, store=Store(where), settings=replace(manner.settings, reuse="missing"))
    shutil.rmtree(where, ignore_errors=True)
    with suppress(OSError):  # another check is under way
        where.parent.rmdir()
