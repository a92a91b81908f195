"""The page of a drift check: drift.html, self-contained, without a script."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.html.glossary import Term
from tiltmeter.report.html.page_parts import own_text, policy, rendered, trusted
from tiltmeter.report.numbers import count
from tiltmeter.report.ratings import phrases
from tiltmeter.report.ratings.phrases import called
from tiltmeter.report.verdict_wording import margin_told
from tiltmeter.report.versions import drift_wording, method
from tiltmeter.report.versions.drift_material import DriftMaterial
from tiltmeter.report.versions.moved import moved_parts
from tiltmeter.report.versions.page import STYLES
from tiltmeter.report.versions.strip import ABOVE, BELOW, blocks
from tiltmeter.report.versions.tables import drift_tables

LIMITS = (
    (
        "Steady is not even.",
        "The system answers as it did in the baseline. If it was tilted then, it still is.",
    ),
    (
        "Drifted is not worse.",
        "Answers moved. Whether a tilt grew or shrank is said for each comparison.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. Ask more often (--repeat) or for more frames.",
    ),
    (
        "Only these sentences were asked.",
        "A service may have changed for texts that are not in the corpus.",
    ),
)
GLOSSARY = (
    Term("noise", "noise", "How far two answers to the same text are apart when asked at the same "
         "time. A service that answers differently each time has some."),
    Term("beyond", "beyond noise", "How much further an answer of then is from one of now than two "
         "answers of now are from each other; 0 on average where nothing moved."),
    *(one for one in method.GLOSSARY if one.anchor != "skill"),
)  # fmt: skip


def drift_page(material: DriftMaterial) -> str:
    """The whole page."""
    css = "\n".join(map(own_text, STYLES))
    names = material.answers["new_system"].unique(maintain_order=True).to_list()
    return rendered(
        "drift.html",
        material=material,
        question=f"Does {called(names[0])} still answer as it did?",
        answer=drift_wording.drift_answer(material.verdict, material.answers, material.changes),
        answers=material.answers.to_dicts(),
        wording=drift_wording,
        notes=list(material.notes),
        blocks=blocks(material),
        rows=(ABOVE, BELOW),
        moved=moved_parts(material),
        facts=list(_facts(material)),
        limits=LIMITS,
        downloads=list(drift_tables(material)),
        glossary=GLOSSARY,
        phrases=phrases,
        css=trusted(css),
        policy=policy(css),
    )  # fmt: skip


def _facts(material: DriftMaterial) -> Iterator[tuple[str, str]]:
    run = material.run
    yield "Baseline", material.baseline
    for row in material.versions.to_dicts():
        was = f"{row['old_version'] or 'unknown'}, {_short(row['old_fingerprint'])}"
        now = f"{row['new_version'] or 'unknown'}, {_short(row['new_fingerprint'])}"
        yield f"{row['new_system']} ({row['task']}, {row['corpus']})", f"then {was}; now {now}"
    times = "once" if run["repeats"] == 1 else f"{run['repeats']} times"
    yield "Asked for", f"{count(run['sentences'], 'sentence')}, each text {times}; nothing stored"
    yield "Margin", margin_told(material.answers["margin"][0])
    yield "Rule", str(material.changes["rule"][0])
    yield from method.environment_facts(material.environment)


def _short(fingerprint: str | None) -> str:
    return f"fingerprint {fingerprint[:12]}" if fingerprint else "fingerprint unknown"
