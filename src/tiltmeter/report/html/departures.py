"""What is not as usual in a run: subset, edition, mode, sample, family."""

from __future__ import annotations

from tiltmeter.report.material import Material
from tiltmeter.report.wording import on_subset


def departures(material: Material) -> list[str]:
    """What is not as usual: subset, edition, mode, sample, family; each a sentence."""
    said = []
    if material.subset != "all":
        where = on_subset(material.subset, "the task’s own emotion").removesuffix(", ")
        said.append(
            f"The differences below were seen {where} only (subset {material.subset}): a family "
            "of comparisons of its own, and exploratory. Pairs, people and box plots show all "
            "sentences."
        )
    for compared in material.compared:
        if compared.edition != "corrected":
            wording = "which follows the paper’s wording"
            said.append(f"{compared.title}: the {compared.edition} edition, {wording}.")
        if compared.sample:
            said.append(f"{compared.title}: only a sample was scored: {compared.sample}.")
    statistics = material.run.get("statistics", {})
    if statistics.get("mode", "corrected") != "corrected":
        said.append(f"Statistics as in the paper (mode {statistics['mode']}).")
    if statistics.get("family_given"):
        said.append(
            f"Corrected for {statistics['family']:,} comparisons, a number given by the user."
        )
    return said
