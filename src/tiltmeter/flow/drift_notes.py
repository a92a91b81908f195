"""What is known of a system before and now, and what a reader of a drift check should know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from tiltmeter.flow.asked_again import AskedAgain
from tiltmeter.flow.audit_folder import AuditFolder

VERSION = ("version", "fingerprint", "scale")


def versions_told(before: AuditFolder, asked: AskedAgain) -> pl.DataFrame:
    """What is known of the system before and now."""
    rows = []
    for corpus, scored in asked.scored:
        name, task = asked.called(scored), scored.card.task
        known = before.run.system(name, task, corpus)
        scale = scored.settled.scale
        now = (scored.card.version, scored.card.fingerprint, str(scale) if scale else None)
        told: dict[str, Any] = {"old_system": name, "new_system": scored.card.name, "task": task}
        told["corpus"] = corpus
        for label, value in zip(VERSION, now, strict=True):
            was = getattr(known, label, None)
            told |= {f"old_{label}": None if was is None else str(was), f"new_{label}": value}
        rows.append(told | {"asked": scored.asked, "missing": scored.missing})
    return pl.DataFrame(rows, infer_schema_length=None)


def notes_told(before: AuditFolder, asked: AskedAgain, versions: pl.DataFrame) -> Iterator[str]:
    """What a reader should know, a changed version first."""
    for row in versions.unique(("new_system", "task"), maintain_order=True).to_dicts():
        yield from _version_notes(row)
    for table in before.touched:
        yield f"{table} of the baseline is not as the audit wrote it"
    if asked.sentences.height < before.sentences.height:
        yield (
            f"asked for {asked.sentences.height:,} of the baseline’s {before.sentences.height:,} "
            "sentences, in whole frames"
        )
    if asked.resumed:
        yield f"{asked.resumed:,} answers are of a check within the last day that was stopped"
    for corpus, scored in asked.scored:
        if scored.missing:
            lost = f"{scored.missing:,} answers are missing, most often because: {scored.why}"
            yield f"{scored.card.name} ({scored.card.task}, {corpus}): {lost}"


def _version_notes(row: Mapping[str, Any]) -> Iterator[str]:
    """What is said first: the system is another one than the baseline's."""
    name = f"{row['new_system']} ({row['task']})"
    if row["old_fingerprint"] and row["old_fingerprint"] != row["new_fingerprint"]:
        was, now = row["old_version"] or "unknown", row["new_version"] or "unknown"
        told = f"; version {was} before, {now} now" if was != now else ""
        yield f"{name} is not the system of the baseline: its fingerprint changed{told}"
    if row["old_scale"] != row["new_scale"]:
        yield f"{name}: the scale was {row['old_scale']} and is {row['new_scale']} now"
