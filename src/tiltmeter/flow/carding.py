"""Model cards from an audit's output folder or its pack."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import TiltmeterError, UnknownNameError
from tiltmeter.files import parquet_frame
from tiltmeter.flow.run_shape import check_estimates, read_results
from tiltmeter.report import Evidence, assessed, card_markdown, card_yaml, evidence_in


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a system's model card may say of an audit."""

    system: str
    markdown: str
    yaml: str


def model_cards(path: Path | str, system: str | None = None) -> list[ModelCard]:
    """The cards of every system of an audit, or of one."""
    with evidence_in(Path(path)) as files:
        cards = _cards(files)
    if system is None:
        return cards
    mine = [one for one in cards if one.system == system]
    if not mine:
        raise UnknownNameError("system in this audit", system, [one.system for one in cards])
    return mine


def _cards(files: Evidence) -> list[ModelCard]:
    stored = read_results(files)
    try:
        estimates = parquet_frame(files.read("estimates.parquet"))
    except OSError as error:
        raise TiltmeterError(f"{files.where}: estimates.parquet: {error.strerror}") from error
    check_estimates(estimates, files.where)
    systems = assessed(stored.findings, estimates, stored.run, stored.environment)
    return [ModelCard(one.system, card_markdown(one), card_yaml(one)) for one in systems]
