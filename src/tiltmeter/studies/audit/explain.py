"""Why a system scores as it does: an audit's folder explained, and the system asked for more."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.claims.judge import judge_tilts
from tiltmeter.corpora import read_people
from tiltmeter.errors import ArgumentError, TiltmeterError, argument, did_you_mean
from tiltmeter.files import without_folders
from tiltmeter.scoring import Progress, Settings, blocks_of, count_asks, stored_form, texts_of
from tiltmeter.scoring.matrix import NATIVE, SCALE, score_matrix
from tiltmeter.scoring.open_systems import NamedSystem, Spec, open_systems
from tiltmeter.scoring.provenance import environment
from tiltmeter.scoring.scoring_run import ScoringOptions, scoring_options
from tiltmeter.studies.audit.gate import exclusions_of
from tiltmeter.studies.audit.stored_audit import (
    AuditFolder,
    phrases_of_audit,
    read_audit,
)
from tiltmeter.studies.explain.carriers import carriers_of
from tiltmeter.studies.explain.interactions import interactions_of
from tiltmeter.studies.explain.knowledge import OWN_VECTORS, known_words, near_words
from tiltmeter.studies.explain.material import TiltMaterial, claims_of
from tiltmeter.studies.explain.rarity import rarity_of
from tiltmeter.studies.explain.sentences import (
    SentenceExplanation,
    SentenceProbe,
    all_questions,
    explain_sentence,
    names_to_ask,
    probe_sentence,
    sentence_with,
    with_another_name,
)
from tiltmeter.studies.explain.study import ClaimExplanation, Explanation, QuestionCost
from tiltmeter.systems import Options, Scale, System, is_scores

LONGEST_TEXT = 5_000
"""Letters of a text that is explained: as in the explorer."""
LONGEST_NAME = 100
TYPICAL = {"female": "Mary", "male": "James"}
"""The most common names of the US Census 2020, for a sentence that no audit stands beside."""
PLAIN = "I saw {} in the market."
"""What is said of a name that no audit's sentence mentions."""
Told = Callable[[QuestionCost], object]


def explain(
    system: Spec,
    folder: Path | str | None = None,
    *,
    text: str | None = None,
    names: Sequence[str] = (),
    vectors: str | None = None,
    of: str | None = None,
    tasks: Sequence[str] = (),
    options: Options | None = None,
    store: Path | str | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    dry_run: bool = False,
    told: Told | None = None,
    command: str = "",
) -> Explanation:
    """Why a system scores as it does.

    `folder` is an audit's: who carries each of its tilts, in which words, and whether among names
    that the system knows; nothing is asked for it. Then the system is asked why the names that
    carry them, or `names`, move a score, and about `text`. `of` is what the audit calls the system,
    `vectors` word vectors in which near sentiment words are looked for. `told` hears what asking
    costs before anything is asked; with `dry_run` nothing is.
    """
    names = _names_given(names)
    _check_text(text)
    if folder is None and text is None and not names:
        what = f"{argument('text')}, {argument('names', '--name')} or an audit’s folder"
        raise TiltmeterError(f"there is nothing to explain: give {what}, as in --from out/")
    stored = is_scores(str(system)) if isinstance(system, str | Path) else False
    audited = None if folder is None else _audited(system, folder, of)
    materials = audited.materials if audited else ()
    found = [_explain_claims(one, audited.system) for one in materials] if audited else []
    claims = tuple(each for part in found for each in part)
    probes, of_text = _probes(materials, claims, names), None
    if text is not None:
        of_text = _text_probe(text, names)
        probes = [of_text, *probes]
    # A word left out may leave a text that has no score: that is told, and stops nothing.
    how = replace(settings or Settings(), max_missing=1.0)
    manner = scoring_options(options, store, how, progress)
    answered = _Answers()
    notes = list[str]()
    if stored:
        if audited is None:
            what = f"{system} holds scores made elsewhere"
            raise TiltmeterError(f"{what}; name a system that can be asked")
        notes.append("its scores were made elsewhere, so nobody here can ask it why")
    elif probes:
        wanted = list(tasks) or ([str(claims[0].claim.row["task"])] if claims else [])
        try:
            answered = _ask(system, probes, wanted, manner, audited, vectors, dry_run, told)
        except TiltmeterError as error:
            if text is not None or names:
                raise
            notes.append(f"it was not asked about any name: {error}")
    every = list(answered.sentences)
    explained = every.pop(0) if of_text is not None and every else None
    label = audited.system if audited else answered.cost.system
    return Explanation(
        label or spec_name(system), claims, tuple(every), explained, answered.cost,
        {
            "system": label, "audit": None if audited is None else audited.folder.run_values,
            "text": text, "names": list(names),
            "vectors": vectors and without_folders(vectors),
        },
        environment(command), tuple(notes),
    )  # fmt: skip


def spec_name(system: Spec) -> str:
    """What a thing to explain is called before it is opened."""
    if isinstance(system, tuple):
        return str(system[0])
    if isinstance(system, str | Path):
        return without_folders(str(system))
    return str(getattr(system, "__name__", type(system).__name__))


def _check_text(text: str | None) -> None:
    if text is None:
        return
    if not text.strip():
        raise ArgumentError("text", "is empty; expected a sentence, as in 'Tia feels happy.'")
    if len(text) > LONGEST_TEXT:
        what = f"has {len(text):,} letters; expected at most {LONGEST_TEXT:,}"
        raise ArgumentError("text", f"{what}: give one sentence of it")


def _names_given(names: Sequence[str]) -> list[str]:
    given = list(dict.fromkeys(name.strip() for name in names))
    for name in given:
        if not name or len(name) > LONGEST_NAME:
            found = f"has {len(name):,} letters" if name else "is empty"
            raise ArgumentError("names", f"{found}; expected a name, as in Tia", "--name")
    return given


# ---------------------------------------------------------------- an audit's folder


@dataclass(frozen=True, eq=False)
class ExplainedAudit:
    """One system of an audit's folder, ready to be explained."""

    folder: AuditFolder
    system: str
    materials: tuple[TiltMaterial, ...]

    def scale(self, task: str) -> Scale | None:
        """The scale that the audit found the system to have."""
        for corpus in self.folder.corpora:
            facts = self.folder.run.system(self.system, task, corpus)
            if facts and facts.scale_ends:
                return Scale(*facts.scale_ends)
        return None


def _audited(system: Spec, folder: Path | str, of: str | None) -> ExplainedAudit:
    audit = read_audit(folder)
    known = list(dict.fromkeys(name for name, _ in audit.submissions))
    name = of or spec_name(system)
    if name not in known:
        near = did_you_mean(name, known) or f"it holds {', '.join(known[:8])}"
        which = "" if of else f"; say what the audit calls it with {argument('of', '--as')}"
        raise TiltmeterError(f"{audit.path}: holds no system {name!r}: {near}{which}")
    tilts = judge_tilts(
        audit.claims, audit.statistics.rule, audit.statistics.margins,
        exclusions_of(audit.run, audit.claims),
    )  # fmt: skip
    phrases = phrases_of_audit(audit)
    materials = []
    for corpus in audit.corpora:
        sentences = audit.sentences.filter(corpus=corpus)
        scores = audit.scores.filter(system=name, corpus=corpus)
        if scores.is_empty():
            continue
        matrix = score_matrix(scores, sentences)
        own = tilts.filter(system=name, corpus=corpus)
        claims = claims_of(own, matrix.submissions, sentences, phrases)
        facts = next(one for one in audit.run.corpora if one.name == corpus)
        axes = tuple(axis.name for axis in facts.axes)
        width = matrix.submissions["width"].to_numpy()
        people = audit.people_of(corpus)
        materials.append(
            TiltMaterial(corpus, sentences, matrix.values, width, axes, people, claims)
        )
    if not any(one.claims for one in materials):
        what = f"{audit.path}: it makes no claim about people on {name}"
        raise TiltmeterError(f"{what}; audit with --measure pairs and --mode corrected")
    return ExplainedAudit(audit, name, tuple(materials))


def _explain_claims(material: TiltMaterial, system: str) -> list[ClaimExplanation]:
    known = known_words(system)
    return [
        ClaimExplanation(
            found, interactions_of(material, found.claim), rarity_of(material, found.claim, known)
        )
        for found in carriers_of(material, material.claims)
    ]


# ---------------------------------------------------------------- asking the system


def _probes(
    materials: Sequence[TiltMaterial], claims: Sequence[ClaimExplanation], names: Sequence[str]
) -> list[SentenceProbe]:
    """What is asked about names: those given, else those that carry the audit's tilts."""
    places: dict[str, tuple[TiltMaterial, int]] = {}
    chosen = names_to_ask([one.carriers for one in claims])
    for name, carriers in chosen:
        material = next(one for one in materials if carriers.claim in one.claims)
        places[name] = material, carriers.claim.place
    if not names:
        probes = (sentence_with(one, at, name) for name, (one, at) in places.items())
        return [one for one in probes if one is not None]
    found = list[SentenceProbe]()
    for name in names:
        every = (sentence_with(one, claim.place, name) for one in materials
                 for claim in one.claims[:1])  # fmt: skip
        probe = next((one for one in every if one is not None), None)
        if probe is None and places:
            (other, (material, at)), *_ = places.items()
            like = sentence_with(material, at, other)
            probe = None if like is None else with_another_name(like, name)
        found.append(probe or probe_sentence(PLAIN.format(name), _typical_of([name]), name))
    return found


def _text_probe(text: str, names: Sequence[str]) -> SentenceProbe:
    """What is asked about a typed sentence: about the names given, else those recognised in it."""
    mentions = read_people(text).mentions
    found = [one.text for one in mentions if one.kind == "name"]
    listed = [name for name in names if name in text] or found
    return probe_sentence(text, _typical_of(listed))


def _typical_of(names: Sequence[str]) -> dict[str, str]:
    """A common name of the same gender for each, where its gender is known."""
    genders = {}
    for name in names:
        mentions = read_people(f"I saw {name}.").mentions
        genders[name] = next((one.gender for one in mentions if one.text == name), None)
    return {name: TYPICAL.get(gender or "", "") for name, gender in genders.items()}


@dataclass(frozen=True)
class _Answers:
    sentences: tuple[SentenceExplanation, ...] = ()
    cost: QuestionCost = field(default_factory=QuestionCost)


def _ask(
    given: Spec,
    probes: Sequence[SentenceProbe],
    tasks: Sequence[str],
    manner: ScoringOptions,
    audited: ExplainedAudit | None,
    vectors: str | None,
    dry_run: bool,
    told: Told | None,
) -> _Answers:
    """Every probe answered; the texts go through the same store as an audit's."""
    questions = all_questions(probes)
    texts = texts_of(
        pl.DataFrame({
            "id": [f"q{nth}" for nth in range(len(questions))], "text": questions,
            "corpus": ["explain"] * len(questions),
        })
    )  # fmt: skip
    with open_systems([given], tasks[:1], manner.options) as subjects:
        if not subjects.systems:
            raise TiltmeterError(f"{spec_name(given)} cannot be asked")
        one = subjects.systems[0]
        if one.system.rows:
            what = f"{one.label} reads the row of a corpus"
            raise TiltmeterError(f"{what}, so it cannot be asked about a sentence")
        form = stored_form(one.system, manner.store)
        new, stored = count_asks(form.card, blocks_of(texts), manner.store, manner.settings)
        cost = QuestionCost(one.label, len(questions), new, stored, new * form.card.price)
        if told is not None:
            told(cost)
        near = _near(vectors, one.system, probes)
        if dry_run:
            return _Answers((), cost)
        scale = audited.scale(one.system.card.task) if audited else None
        scored = manner.ask(one, texts, scale=scale)
        cost = QuestionCost(one.label, len(questions), scored.asked, scored.known, cost.price)
        means = scored.scores.group_by("id", maintain_order=True).agg(
            pl.col("raw").mean(), pl.col("score").mean()
        )
        raw = dict(zip(questions, means["raw"], strict=True))
        unit = dict(zip(questions, means["score"], strict=True))
        on_scale = any(value is not None for value in unit.values())
        if all(value is None for value in raw.values()):
            raise TiltmeterError(f"{one.label} gave no score to any text: {scored.why}")
        return _Answers(_explained(one, probes, unit if on_scale else raw, on_scale, near), cost)


def _explained(
    one: NamedSystem,
    probes: Sequence[SentenceProbe],
    scores: Mapping[str, float | None],
    on_scale: bool,
    near: Mapping[str, Any],
) -> tuple[SentenceExplanation, ...]:
    known = known_words(one.system.card.name, one.system)
    unit = SCALE if on_scale else NATIVE
    return tuple(explain_sentence(probe, scores, unit, known, one.system, near) for probe in probes)


def _near(
    vectors: str | None, system: System, probes: Sequence[SentenceProbe]
) -> Mapping[str, Any]:
    """Near sentiment words in the vectors named, or in GloVe for the system that reads it."""
    spec = vectors or OWN_VECTORS.get(system.card.name)
    names = list(dict.fromkeys(name for probe in probes for name in probe.probe.names))
    return near_words(spec, names) if spec and names else {}
