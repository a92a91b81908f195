"""Why a verdict is what it is: the interval beside the margin, and what would decide it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.first_screen import ChipShape
from tiltmeter.report.numbers import unbroken
from tiltmeter.schemas import Verdict
from tiltmeter.shell import paste_word
from tiltmeter.studies.paired.advice import NextStep, next_step
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.submissions import KEYS, ContrastPanel, ShownSubmission, ShownVerdict
from tiltmeter.studies.paired.verdict_wording import SAID_OF, margin_text

SHAPES: dict[str, ChipShape] = {
    Verdict.TILTED: ChipShape.TILTED,
    Verdict.EVEN: ChipShape.EVEN,
    Verdict.UNDECIDED: ChipShape.UNDECIDED,
}
"""What a verdict looks like; every other has no signal to show."""
RULES: dict[str, str] = {
    Verdict.TILTED: "Tilted, because the whole 95 % interval lies beyond the margin of {margin}.",
    Verdict.EVEN: "Even, because the whole 95 % interval lies within the margin of {margin} either "
    "way.",
    Verdict.UNDECIDED: "Undecided, because the 95 % interval lies partly within the margin of "
    "{margin} and partly beyond it: the data allow both.",
    Verdict.NO_SIGNAL: "No verdict: even and undecided would mislead of a system that does not "
    "read the sentences.",
    Verdict.NOT_ESTIMABLE: "There is nothing to compute it from.",
}
"""How a verdict follows from the interval and the margin."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One claim's verdict, and why."""

    panel: ContrastPanel
    tilt: ShownVerdict
    system: str
    step: NextStep | None
    """What would decide it, where it is undecided and something is known."""
    plan: str = ""
    """The command that says what would; none where the scores came from a file."""

    def facts(self) -> dict[str, Any]:
        """As the page's script shows it."""
        shape = SHAPES.get(self.tilt.verdict, ChipShape.NO_SIGNAL)
        margin = margin_text(self.tilt.margin)
        step = None
        if self.step is not None:
            step = {"command": self.step.command([self.system]), "said": _step_words(self.step)}
        elif self.tilt.verdict == Verdict.UNDECIDED and self.plan:
            step = {"command": self.plan, "said": "says how many people and words decide it."}
        return {
            "title": self.panel.title,
            "shape": shape.value,
            "verdict": SAID_OF[self.tilt.verdict],
            "sentence": unbroken(self.tilt.sentence),
            "rule": RULES[self.tilt.verdict].format(margin=margin),
            "step": step,
        }  # fmt: skip


def _step_words(step: NextStep) -> str:
    """What follows the command, or why there is none."""
    if step.larger is None:
        return f"nothing we know of: {step.why}."
    then = "; have them scored, and audit the scores" if step.stored else ""
    return f"{'lists' if step.stored else 'asks for'} {step.cost}{then}."


def verdict_reasons(
    material: AuditResults,
    of: Sequence[ShownSubmission],
    shown: Sequence[Sequence[ContrastPanel]],
) -> Mapping[int, list[Reason]]:
    """Each submission's claims with their verdicts, by its place on the page."""
    tilts = material.tilts
    claims = {
        tuple(str(row[name]) for name in (*KEYS, "subset")): row
        for row in (tilts.iter_rows(named=True) if tilts is not None else ())
    }
    found: dict[int, list[Reason]] = {one.nth: [] for one in of}
    for one in of:
        compared = material.compared[one.corpus]
        for panel in shown[one.corpus]:
            finding = one.told.get(panel.key)
            if finding is None or finding.tilt is None:
                continue
            key = one.system, one.task, compared.name, compared.edition, *panel.key
            claim = claims.get(key)
            if claim is None or one.control:
                found[one.nth].append(Reason(panel, finding.tilt, one.system, None))
                continue
            stored = one.system in (material.run.scores_from_files or ())
            plan = (
                ""
                if stored
                else f"tiltmeter plan {paste_word(one.system)} --corpus {paste_word(compared.name)}"
            )
            step = next_step(claim, material.run)
            found[one.nth].append(Reason(panel, finding.tilt, one.system, step, plan))
    return found
