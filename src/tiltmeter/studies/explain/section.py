"""The section of an audit's page that says who carries each tilt, from its scores alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from tiltmeter.report.numbers import SCALE, count
from tiltmeter.report.page import Section
from tiltmeter.report.phrases import listed
from tiltmeter.shell import paste_word
from tiltmeter.studies.explain import wording
from tiltmeter.studies.explain.carriers import NOTABLE, Carriers, carriers_of
from tiltmeter.studies.explain.interactions import Interaction, Interactions, interactions_of
from tiltmeter.studies.explain.knowledge import known_words
from tiltmeter.studies.explain.material import TiltMaterial, materials_of
from tiltmeter.studies.explain.rarity import rarity_of
from tiltmeter.studies.explain.study import ClaimExplanation
from tiltmeter.studies.explain.view import joined, label, lead_sentence, paragraph
from tiltmeter.studies.paired.results import AuditResults

MOST_SYSTEMS = 20
"""Systems whose tilts are explained on an audit's page; of more, each is explained by itself."""


def explain_section(audit: AuditResults, *, section: str = "why") -> Section | None:
    """Who carries each tilt of an audit, from its scores alone; None where it makes no claims.

    For more than 20 systems it says how each is explained by itself. `section` is its id.
    """
    if audit.tilts is None or audit.tilts.is_empty():
        return None
    systems = audit.tilts["system"].unique(maintain_order=True).to_list()
    title, nav = "Who carries each tilt", "Why"
    ask = paragraph("Why a name moves a score is asked of the system itself:") + Markup(
        "<pre><code>tiltmeter explain {} --from DIR</code></pre>"
    ).format(paste_word(systems[0]) if len(systems) == 1 else "SYSTEM")
    if len(systems) > MOST_SYSTEMS:
        many = f"{count(len(systems), 'system')} are too many for one page. One at a time:"
        body = paragraph(many) + ask
        return Section(
            section, title, body=body, lede="Each system is explained by itself.", nav=nav
        )
    body, still = Markup(), list[str]()
    for material in materials_of(audit):
        several = len(audit.compared) > 1
        found = carriers_of(material, material.claims, shown=0, together=())
        # only of what is large enough does anybody ask whose it is; taking people out is the work
        notable = [nth for nth, one in enumerate(found) if one.notable]
        claims = [found[nth].claim for nth in notable]
        for nth, one in zip(
            notable, carriers_of(material, claims, shown=1, together=()), strict=True
        ):
            found[nth] = one
        for system in systems:
            mine = [one for one in found if one.claim.keys["system"] == system]
            if not mine:
                continue
            name = f"{system}, {material.corpus}" if several else system
            if all(one.people and not one.moving for one in mine):
                still.append(name.replace(", ", " on "))
                continue
            body += Markup('<h3 dir="auto"><bdi>{}</bdi></h3>').format(name)
            body += _claims_list(material, mine)
            told = (
                each
                for one in mine
                if one.notable or one.driver
                for each in interactions_of(material, one.claim)
                if any(map(partial(_matters, one), each.found))
            )
            body += joined(map(_words_line, told))
    if still:
        body += paragraph(f"Nobody moves a score of {listed(still, most=len(still))}.")
    if not body:
        return None
    lede = "Each tilt with and without the people who carry it."
    return Section(section, title, body=body + ask, lede=lede, nav=nav)


def _claims_list(material: TiltMaterial, found: Sequence[Carriers]) -> Markup:
    """A line for each claim: who drives it, or that the system moves what it knows."""
    lines = Markup()
    for one in found:
        rarity = None
        if one.notable and one.driver is None:
            known = known_words(one.claim.keys["system"])
            if known is not None:
                rarity = rarity_of(material, one.claim, known, bearers=False)
        lines += Markup('<li dir="auto"><b>{}</b> ({}): {}</li>').format(
            label(one.claim.row), one.claim.row["contrast"],
            lead_sentence(ClaimExplanation(one, rarity=rarity)),
        )  # fmt: skip
    return Markup("<ul>{}</ul>").format(lines)


def _matters(carriers: Carriers, one: Interaction) -> bool:
    """Whether a word, emotion or template differs, and by enough to matter."""
    margin = carriers.claim.row["margin"] if carriers.claim.unit == SCALE else 0.0
    return one.apart and abs(one.interaction) > NOTABLE * margin


def _words_line(found: Interactions) -> Markup:
    """The words, emotions or templates of one claim that differ."""
    claim = found.claim
    apart = [one for one in found.found if one.apart]
    names = [wording.category_words(found.of, one.category) for one in apart]
    sizes = [wording.sized(claim, one.tilt) for one in apart]
    kinds = wording.KINDS[found.of]
    text = (
        f"{label(claim.row)} ({claim.row['contrast']}): {len(apart)} of {len(found.found)} "
        f"{kinds} differ from the whole of {wording.sized(claim, claim.value)}: "
        f"{listed(names, sizes, most=3)}."
    )
    return Markup('<p class="aside" dir="auto">{}</p>').format(text)
