"""What a reader of two versions side by side should know first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.audit_run import AuditedSystem
from tiltmeter.flow.audit_folder import AuditFolder
from tiltmeter.flow.common_sentences import Common
from tiltmeter.measures import VersionPair
from tiltmeter.scoring import ScaleSource
from tiltmeter.systems import SIGNED

NOTHING = 1e-6
"""Part of the largest answer below which a difference is none."""

SAME_VERSION = "both audits name the same version and settings"
UNSEEN = "something changed that they do not cover, such as a model file or a service"
FEW = 3
"""Systems that are named before they are only counted."""


def notes_on(
    old: AuditFolder, new: AuditFolder, pairs: Sequence[VersionPair], shared: Sequence[Common]
) -> Iterator[str]:
    """Sentences left out, versions that are the same, scales that differ, tables changed since."""
    for audit, which in ((old, "old"), (new, "new")):
        for table in audit.touched:
            yield f"{table} of the {which} audit is not as the audit wrote it"
    yield from _sentences(old, new, shared)
    known = [_known(old, new, pair, shared[0].corpus) for pair in pairs]
    alike = []
    for pair, (name, before, after) in zip(pairs, known, strict=True):
        if not _same(before, after):
            continue
        if differ := _answers_that_differ(old, new, pair):
            yield f"{name}: {SAME_VERSION}, yet {differ}: {UNSEEN}"
        else:
            alike.append(name)
    yield from _counted(alike, SAME_VERSION)
    for name, before, after in known:
        yield from _told(name, before, after)


def _sentences(old: AuditFolder, new: AuditFolder, shared: Sequence[Common]) -> Iterator[str]:
    for one in shared:
        if not one.whole:
            yield (
                f"{one.corpus}: compared on the {one.sentences.height:,} sentences that both "
                f"audits hold in whole frames; the old one has {one.old_size:,}, the new one "
                f"{one.new_size:,}"
            )
    kept = {one.corpus for one in shared}
    for audit, which in ((old, "old"), (new, "new")):
        for corpus in audit.corpora:
            if corpus not in kept:
                yield f"{corpus}: only the {which} audit has sentences of it that can be compared"


def _known(
    old: AuditFolder, new: AuditFolder, pair: VersionPair, corpus: str
) -> tuple[str, AuditedSystem | None, AuditedSystem | None]:
    """What both audits say of a pair of versions, and what to call it."""
    name = pair.new if pair.old == pair.new else f"{pair.old} and {pair.new}"
    return (
        f"{name} ({pair.task})",
        old.run.system(pair.old, pair.task, corpus),
        new.run.system(pair.new, pair.task, corpus),
    )


def inferred_ends(audit: AuditFolder, system: str, task: str) -> tuple[float, ...] | None:
    """The ends of a system's inferred scale, none where it is unbounded; None where declared."""
    for corpus in audit.corpora:
        facts = audit.run.system(system, task, corpus)
        if facts and facts.scale_known != ScaleSource.DECLARED:
            return facts.scale_ends or ()
    return None


def _same(before: AuditedSystem | None, after: AuditedSystem | None) -> bool:
    if before is None or after is None or not before.fingerprint:
        return False
    return before.fingerprint == after.fingerprint


def _answers_that_differ(old: AuditFolder, new: AuditFolder, pair: VersionPair) -> str:
    """How many answers to the same sentences are others, where any are."""
    keys = ["corpus", "id", "repeat"]
    before, after = (
        audit.scores.filter(system=name, task=pair.task).select(*keys, raw="raw")
        for audit, name in ((old, pair.old), (new, pair.new))
    )
    both = before.join(after, on=keys, suffix="_after").drop_nulls()
    widest = both.select(pl.max_horizontal(pl.all().exclude(keys).abs().max())).item() or 0.0
    differ = int(((both["raw"] - both["raw_after"]).abs() > NOTHING * widest).sum())
    return f"{differ:,} of {both.height:,} answers differ" if differ else ""


def _counted(names: Sequence[str], what: str) -> Iterator[str]:
    """The same remark on several systems, once."""
    if len(names) > FEW:
        yield f"{len(names):,} systems: {what}"
        return
    yield from (f"{name}: {what}" for name in names)


def _told(name: str, before: AuditedSystem | None, after: AuditedSystem | None) -> Iterator[str]:
    scales = [one.scale if one else None for one in (before, after)]
    known = [one.scale_known if one else ScaleSource.DECLARED for one in (before, after)]
    if scales[0] != scales[1] and ScaleSource.DECLARED not in known:
        which = "as they are" if None in scales else f"on {SIGNED}"
        yield (
            f"{name}: the old scale was inferred as {scales[0] or 'unbounded'}, the new one as "
            f"{scales[1] or 'unbounded'}; both are read {which}"
        )
    elif None not in scales and scales[0] != scales[1]:
        yield (
            f"{name}: the old scale is {scales[0]}, the new one {scales[1]}; each is read as 0 to "
            "1, so a change of scale may look like one of tilt"
        )
    for one, which in ((before, "old"), (after, "new")):
        if one and one.missing:
            yield f"{name}: {one.missing:,} scores are missing in the {which} audit"
