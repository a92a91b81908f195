"""What `tiltmeter drift` prints: the verdict, what became of answers, and the change of tilt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiltmeter.cli.compare_page import show_changes
from tiltmeter.cli.console import say, visible

if TYPE_CHECKING:
    from tiltmeter.flow import Drift


def show_drift(done: Drift) -> None:
    """Print what is known of the version first, then the verdict and what it rests on."""
    from tiltmeter.report import answers_sentence, drift_answer

    for note in done.notes:
        say(visible(f"{note}."))
    say(visible(drift_answer(done.verdict, done.answers, done.changes)), style="bold")
    for row in done.answers.to_dicts():
        say(visible(answers_sentence(row)))
    show_changes(done.changes, done.phrases)
