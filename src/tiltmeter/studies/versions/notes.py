"""What two audits share, whom they moved, what a gate says, skill, notes and what to ask next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.claims.changes import ChangeVerdict
from tiltmeter.claims.gate import Decision, GateComparison, gate_given
from tiltmeter.errors import ArgumentError, TiltmeterError
from tiltmeter.ranking import coarsen_column
from tiltmeter.schemas import SENTENCES
from tiltmeter.scoring import ScaleSource
from tiltmeter.studies.audit.stored_audit import AuditFolder
from tiltmeter.studies.paired.advice import NextStep, next_step
from tiltmeter.studies.paired.verdict_wording import MovedShares, moved_shares
from tiltmeter.studies.skill.measure import GOLD
from tiltmeter.studies.versions.measure import VersionPair
from tiltmeter.systems import SIGNED

ASIDE = ("corpus", "edition", "language")
"""What need not agree: the same sentence may stand in two editions."""


@dataclass(frozen=True, slots=True)
class Common:
    """What two audits share of one corpus."""

    corpus: str
    sentences: pl.DataFrame
    """In the newer audit's order."""
    old_size: int
    new_size: int

    @property
    def whole(self) -> bool:
        """Whether both audits hold exactly these sentences."""
        return self.sentences.height == self.old_size == self.new_size


def common_sentences(old: pl.DataFrame, new: pl.DataFrame, corpus: str) -> Common:
    """Sentences of a corpus in both audits, of frames that both hold whole.

    A frame of which one audit has more or other sentences would compare other people.
    """
    before, after = (frame.filter(pl.col("corpus") == corpus) for frame in (old, new))
    axes = [name for name in after.columns if name not in SENTENCES.columns]
    by = [name for name in SENTENCES.columns if name not in ASIDE]
    by += [axis for axis in axes if axis in before.columns]
    shared = after.join(before, on=by, how="semi", nulls_equal=True, maintain_order="left")
    sizes = [frame.group_by("frame").len(name) for name, frame in
             (("old", before), ("new", after), ("both", shared))]  # fmt: skip
    counted = sizes[2].join(sizes[0], on="frame").join(sizes[1], on="frame")
    whole = counted.filter(pl.col("both") == pl.col("old"), pl.col("both") == pl.col("new"))
    whole_frames = shared.join(whole, on="frame", how="semi", maintain_order="left")
    return Common(corpus, whole_frames, before.height, after.height)


def passes(undecided: str) -> bool:
    """Whether what is undecided passes a gate."""
    if undecided not in ("fail", "pass"):
        raise ArgumentError("undecided", f"is fail or pass; found {undecided!r}")
    return undecided == "pass"


def check_apart(folder: Path, audits: Iterable[Path]) -> None:
    """Refuse to write over an audit that is compared."""
    for audit in audits:
        if folder.resolve() == audit.resolve():
            raise TiltmeterError(f"{folder}: is one of the audits; choose another folder with -o")


def change_decision(
    changes: pl.DataFrame, undecided: str, whole: str = "", answers: pl.DataFrame | None = None
) -> Decision:
    """What a gate says of changes of tilt and, of a service asked again, of its answers."""
    passes(undecided)
    margins = dict(changes.select("axis", "margin").rows())
    rows = [*_gated(changes, "change")]
    if answers is not None:
        rows += _gated(answers.with_columns(axis=pl.lit("answers")), "shift")
    return Decision(gate_given(margins, undecided), tuple(rows), whole=whole)


def _gated(frame: pl.DataFrame, value: str) -> Iterator[GateComparison]:
    for row in frame.iter_rows(named=True):
        words = ("edition", "contrast", "reference", "reason", "sentence")
        text: dict[str, Any] = {name: str(row.get(name) or "") for name in words}
        yield GateComparison(
            **text, system=row["new_system"], task=row["task"], corpus=row["corpus"],
            axis=row["axis"], verdict=row["verdict"], value=row[value], low=row[f"{value}_low"],
            high=row[f"{value}_high"], margin=row["margin"], people=row.get("subset") or "",
            n=row.get("n") or 0, exact=row.get("change_se") == 0,
            needed_people=row.get("needed_people"),
        )  # fmt: skip


def people_moved(
    old: AuditFolder, new: AuditFolder, shared: Sequence[Common]
) -> tuple[MovedShares, MovedShares]:
    """Whom either audit found moved, where both asked about the same people at the same margin."""
    if old.run.statistics.margins != new.run.statistics.margins:
        return {}, {}
    whole = [one.corpus for one in shared if one.whole]
    shares = (moved_shares(one.claims.filter(pl.col("corpus").is_in(whole))) for one in (old, new))
    before, after = shares
    return before, after


def next_audit(changes: pl.DataFrame, audit: AuditFolder) -> NextStep | None:
    """What would decide the largest undecided change, as an audit of it would say."""
    undecided = changes.filter(
        pl.col("needed_people").is_not_null(), verdict=ChangeVerdict.UNDECIDED
    )
    size = coarsen_column(pl.col("change").abs())
    for row in undecided.sort(size, descending=True, maintain_order=True).to_dicts():
        claim = row | {"system": row["new_system"], "value": row["change"]}
        step = next_step(claim, audit.run)
        if step and step.larger:
            return step
    return None


SKILL = pl.Schema(
    dict.fromkeys(("old_system", "new_system", "task", "gold"), pl.String())
    | {f"{one}{part}": pl.Float64() for one in ("old", "new") for part in ("", "_low", "_high")}
    | {"old_n": pl.Int64(), "new_n": pl.Int64()}
    | dict.fromkeys(("difference", "low", "high"), pl.Float64())
    | {"note": pl.String()}
)
METRIC = "pearson"


def skill_of_versions(
    old: AuditFolder, new: AuditFolder, pairs: Sequence[VersionPair]
) -> pl.DataFrame:
    """Pearson's r of either version where an audit has it, and the difference where both do.

    An audit keeps correlations and not the answers to gold texts, so their difference is not
    paired. Its interval is the widest that the two allow, [low_new − high_old, high_new − low_old]:
    that of Zou (2007) from Fisher's two intervals, for versions whose errors were exactly opposite.
    """
    alike = _gold(old) == _gold(new)
    rows = []
    for pair in pairs:
        before = _skill(old, pair.old, pair.task)
        after = _skill(new, pair.new, pair.task)
        if before is None and after is None:
            continue
        row: dict[str, Any] = dict.fromkeys(SKILL)
        for name, one in (("old", before), ("new", after)):
            row |= {} if one is None else {
                name: one["value"], f"{name}_low": one["low"], f"{name}_high": one["high"],
                f"{name}_n": one["n"],
            }  # fmt: skip
        gold = (after or before or {})["corpus"]
        row |= {"old_system": pair.old, "new_system": pair.new, "task": pair.task, "gold": gold}
        if row["old"] is None or row["new"] is None:
            row["note"] = f"the {'old' if row['old'] is None else 'new'} audit has no skill"
        elif not alike:
            row["note"] = "the audits used other gold scores, so the two do not compare"
        else:
            row["difference"] = row["new"] - row["old"]
            if None not in [row[name] for name in ("new_low", "old_high", "new_high", "old_low")]:
                row["low"] = row["new_low"] - row["old_high"]
                row["high"] = row["new_high"] - row["old_low"]
        rows.append(row)
    return pl.DataFrame(rows, SKILL, orient="row")


def _skill(audit: AuditFolder, system: str, task: str) -> dict[str, Any] | None:
    own = audit.estimates.filter(
        pl.col("system") == system, pl.col("task") == task, pl.col("subset") == GOLD,
        pl.col("measure") == METRIC, pl.col("value").is_not_null(),
    )  # fmt: skip
    return own.row(0, named=True) if own.height else None


def _gold(audit: AuditFolder) -> object:
    """What tells the gold of one audit from another's: the files' digests."""
    gold = audit.run.gold
    return sorted(str(one.get("sha256")) for one in gold.files) if gold else None


NOTHING = 1e-6
"""Part of the largest answer below which a difference is none."""

SAME_VERSION = "both audits name the same version and settings"
UNSEEN = "something changed that they do not cover, such as a model file or a service"
FEW = 3
"""Systems that are named before they are only counted."""


def notes_on(
    old: AuditFolder, new: AuditFolder, pairs: Sequence[VersionPair], shared: Sequence[Common]
) -> Iterator[str]:
    """Sentences left out, versions that are the same, scales that differ."""
    for one in shared:
        if not one.whole:
            yield (
                f"{one.corpus}: compared on the {one.sentences.height:,} sentences that both "
                f"audits hold in whole frames; the old one has {one.old_size:,}, the new one "
                f"{one.new_size:,}"
            )
    compared = {one.corpus for one in shared}
    for audit, which in ((old, "old"), (new, "new")):
        for corpus in audit.corpora:
            if corpus not in compared:
                yield f"{corpus}: only the {which} audit has sentences of it that can be compared"
    known, alike = [], []
    for pair in pairs:
        systems = pair.new if pair.old == pair.new else f"{pair.old} and {pair.new}"
        name = f"{systems} ({pair.task})"
        before = old.run.system(pair.old, pair.task, shared[0].corpus)
        after = new.run.system(pair.new, pair.task, shared[0].corpus)
        known.append((name, before, after))
        if not (before and after and before.fingerprint):
            continue
        if before.fingerprint != after.fingerprint:
            continue
        keys = ["corpus", "id", "repeat"]
        then, now = (
            audit.scores.filter(system=system, task=pair.task).select(*keys, raw="raw")
            for audit, system in ((old, pair.old), (new, pair.new))
        )
        both = then.join(now, on=keys, suffix="_after").drop_nulls()
        widest = both.select(pl.max_horizontal(pl.all().exclude(keys).abs().max())).item() or 0.0
        differ = int(((both["raw"] - both["raw_after"]).abs() > NOTHING * widest).sum())
        if differ:
            what = f"{differ:,} of {both.height:,} answers differ"
            yield f"{name}: {SAME_VERSION}, yet {what}: {UNSEEN}"
        else:
            alike.append(name)
    if len(alike) > FEW:
        yield f"{len(alike):,} systems: {SAME_VERSION}"
    else:
        yield from (f"{name}: {SAME_VERSION}" for name in alike)
    for name, before, after in known:
        scales = [one.scale if one else None for one in (before, after)]
        sources = [one.scale_known if one else ScaleSource.DECLARED for one in (before, after)]
        if scales[0] != scales[1] and ScaleSource.DECLARED not in sources:
            which = "as they are" if None in scales else f"on {SIGNED}"
            yield (
                f"{name}: the old scale was inferred as {scales[0] or 'unbounded'}, the new one as "
                f"{scales[1] or 'unbounded'}; both are read {which}"
            )
        elif None not in scales and scales[0] != scales[1]:
            yield (
                f"{name}: the old scale is {scales[0]}, the new one {scales[1]}; each is read as 0 "
                "to 1, so a change of scale may look like one of tilt"
            )
        for system, which in ((before, "old"), (after, "new")):
            if system and system.missing:
                yield f"{name}: {system.missing:,} scores are missing in the {which} audit"


def inferred_ends(audit: AuditFolder, system: str, task: str) -> tuple[float, ...] | None:
    """The ends of a system's inferred scale, none where it is unbounded; None where declared."""
    for corpus in audit.corpora:
        facts = audit.run.system(system, task, corpus)
        if facts and facts.scale_known != ScaleSource.DECLARED:
            return facts.scale_ends or ()
    return None
