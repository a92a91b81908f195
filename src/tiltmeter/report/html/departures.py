"""What is not as usual in a run: subset, edition, mode, sample, family."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.report.material import Material
from tiltmeter.report.wording import on_subset, unavailable_said


def departures(material: Material) -> list[str]:
    """Who could not be scored, then what is not as usual, a sentence each."""
    said = unavailable_said(material.run.unavailable)
    pairs = "pairs" in material.measures
    if material.subset != "all":
        where = on_subset(material.subset, "the task’s own emotion").removesuffix(", ")
        said.append(
            f"The differences below were seen {where} only (subset {material.subset}): a family "
            f"of comparisons of its own, and exploratory.{ALL_PAIRS if pairs else ''}"
        )
    for compared in material.compared:
        if compared.edition != "corrected":
            wording = "which follows the paper’s wording"
            said.append(f"{compared.title}: the {compared.edition} edition, {wording}.")
        if compared.sample:
            said.append(f"{compared.title}: only a sample was scored: {compared.sample}.")
    statistics = material.run.statistics
    if statistics.mode != "corrected":
        said.append(f"Statistics as in the paper (mode {statistics.mode}).")
    if statistics.family_given:
        said.append(f"Corrected for {statistics.family:,} comparisons, a number given by the user.")
    return said + list(_regression(material))


ALL_PAIRS = " Pairs, people and box plots show all sentences."
MODELS = {
    "mixed": "The regression’s effects are those of a mixed model: linear on the logit, with "
    "random names and templates.",
    "naive": "The regression’s errors treat all sentences as independent, though they share names "
    "and templates.",
}


def _regression(material: Material) -> Iterator[str]:
    """What is not as usual in a regression: its errors, its reference, its spread."""
    given = material.run.regression
    if not material.regressed or given is None:
        return
    if given.errors in MODELS:
        yield MODELS[given.errors]
    if given.no_reference:
        yield "The regression holds each group beside the average of all groups of its axis."
    if given.precision:
        yield f"The regression lets the spread of scores depend on {given.precision}."
