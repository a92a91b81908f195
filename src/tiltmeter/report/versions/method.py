"""How two versions were compared, and what the verdicts do not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.report.html.glossary import Term
from tiltmeter.report.numbers import count
from tiltmeter.report.verdict_wording import margin_told
from tiltmeter.report.versions.material import VersionMaterial
from tiltmeter.report.versions.tables import version_tables


def facts(material: VersionMaterial) -> Iterator[tuple[str, str]]:
    """Label and value of what determines the verdicts."""
    yield "Old audit", _audit(material.old, material.run["audits"]["old"])
    yield "New audit", _audit(material.new, material.run["audits"]["new"])
    sizes = [
        f"{count(one['sentences'], 'sentence')} of {one['name']}" for one in material.run["corpora"]
    ]
    yield "Compared on", "; ".join(sizes)
    margins = {row[0]: row[1] for row in material.changes.select("axis", "margin").rows()}
    alike = len(set(margins.values())) == 1
    told = [margin_told(next(iter(margins.values())))] if alike else [
        f"{axis} {margin_told(margin)}" for axis, margin in margins.items()
    ]  # fmt: skip
    yield "Margin", ", ".join(told)
    yield "Rule", str(material.changes["rule"][0])
    yield from environment_facts(material.environment)


def _audit(folder: str, run: Mapping[str, Any]) -> str:
    systems = run.get("systems")
    told = [
        f"{one.get('system')}{f', {version}' if (version := one.get('version')) else ''}"
        for one in (systems if isinstance(systems, list) else ())
        if isinstance(one, dict)
    ]
    listed = "; ".join(dict.fromkeys(told[:6])) + (" …" if len(told) > 6 else "")
    return f"{folder} ({listed})"


def environment_facts(known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Versions, machine and time, where they are known."""
    versions = known.get("versions") or {}
    if versions:
        yield "Versions", ", ".join(f"{name} {number}" for name, number in versions.items())
    for label, name in (("Machine", "platform"), ("Made", "time")):
        if known.get(name):
            yield label, str(known[name])


LIMITS = (
    (
        "Better is not even.",
        "The tilt shrank, and may still be larger than you can accept: see either version’s own "
        "verdict.",
    ),
    (
        "Worse is not large.",
        "The tilt surely grew, by whatever the interval says. A change within the margin is called "
        "the same, however sure it is.",
    ),
    (
        "Same is not none.",
        "The change is shown to be smaller than the margin. Two versions can be equally tilted, "
        "and the same in the mean while single pairs moved: they are listed.",
    ),
    (
        "Undecided is an answer.",
        "The data allow both. More people would decide it; looking at it longer does not.",
    ),
    (
        "A corpus is not the world.",
        "The verdict reaches to people like these, in these templates, and no further.",
    ),
)

GLOSSARY = (
    Term("tilt", "tilt", "The mean difference between the scores of matched sentences about two "
         "groups, in points of 100 of the scale."),
    Term("change", "change", "The new version’s tilt minus the old one’s. Both scored the same "
         "sentences, so what they make of them alike cancels, and a small change shows."),
    Term("size", "grew, shrank", "How much larger the tilt is than before, whichever way it leans: "
         "|new| − |old|. It is shown only where both the change and the sum of the two tilts "
         "differ from 0; so chance around 0 is not taken for a change."),
    Term("margin", "margin", "The change that does not matter to you, named before looking."),
    Term("same", "same within the margin", "Two one-sided tests show that the change is smaller "
         "than the margin in either direction."),
    Term("sample", "by names, by couples", "People are random: intervals allow for other names, or "
         "couples such as my mother and my father, and for other words of the same emotions. "
         "Templates and emotions are as they are."),
    Term("correction", "after correction", "Who makes many comparisons finds some changes by "
         "chance. Corrected p-values allow for how many were made."),
    Term("skill", "skill", "How well scores agree with gold scores of labelled texts (Pearson’s "
         "r). An audit keeps no answers to gold texts, so the difference is not paired, and its "
         "interval is as wide as it could be."),
)  # fmt: skip


def downloads(material: VersionMaterial) -> list[str]:
    """The tables beside the page."""
    return list(version_tables(material))
