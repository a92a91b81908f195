"""A section for a model card, in Markdown and as Hugging Face's metadata.

A card is made from findings.json, estimates.parquet and run.json alone, so it is the same whether
an audit has just been made, or its folder or pack is read back. The metadata follows
huggingface.co/docs/hub/model-cards: one `model-index` entry with task, dataset and metrics, a
metric a comparison. What has no number has no metric; the section in Markdown says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from tiltmeter.audit_run import AuditedCorpus, AuditedSystem, AuditRun
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.json_files import rounded
from tiltmeter.report.markup import code, plain, starting
from tiltmeter.report.numbers import count, short
from tiltmeter.report.phrases import slug, unique_slugs
from tiltmeter.shell import paste_command
from tiltmeter.studies.audit.gate_wording import verdict_words
from tiltmeter.studies.paired.results import AuditResults
from tiltmeter.studies.paired.verdict_wording import MovedShare, moved_sentence

ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
REPLACED = "\ufffd"
"""Stands for half a character, which no file can hold."""


def yaml_text(value: Mapping[str, Any]) -> str:
    """A mapping in block style.

    >>> print(yaml_text({"a": [{"b": "x: y"}, {"b": 1e-05}], "c": {}}), end="")
    a:
    - b: "x: y"
    - b: 1.0e-05
    c: {}
    """
    return "".join(f"{line}\n" for line in _lines(value))


def quoted(text: str) -> str:
    r"""A text in double quotes; whatever does not print is escaped.

    >>> print(quoted('a "b": \n' + chr(0x2028)))
    "a \"b\": \n\U00002028"
    """
    return f'"{"".join(_letter(letter) for letter in text)}"'


def _letter(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    if "\ud800" <= letter <= "\udfff":
        return REPLACED
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"


def _lines(value: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, one in value.items():
        if isinstance(one, Mapping) and one:
            yield f"{indent}{name}:"
            yield from _lines(one, f"{indent}  ")
        elif isinstance(one, Sequence) and not isinstance(one, str) and one:
            yield f"{indent}{name}:"
            for item in one:
                first, *rest = _lines(item, f"{indent}  ")
                yield f"{indent}- {first.removeprefix(f'{indent}  ')}"
                yield from rest
        else:
            yield f"{indent}{name}: {_scalar(one)}"


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Mapping | Sequence):
        return "{}" if isinstance(value, Mapping) else "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    number = rounded(value)
    if number is None:
        return "null"
    told = repr(number)  # without a point, readers of YAML 1.1 would take 1e-05 for a text
    return told if "e" not in told or "." in told else told.replace("e", ".0e")


Row = Mapping[str, Any]
ALL, GOLD = "all", "gold"
"""The sentences of a corpus that main claims are of; labelled texts."""
TILT, PAIRED, FLIPS = "tilt", "mean_difference", "flips"
CLAIMS = ("names", "couples")
"""Whom claims are about, as their `subset` says."""
SKILL = ("pearson", "spearman")
KEY = ("task", "corpus", "axis", "contrast", "subset", "measure")
NUMBERS = ("value", "low", "high", "unit", "n", "n_dropped")


@dataclass(frozen=True, slots=True)
class Assessed:
    """One system's findings and how they came about."""

    system: str
    findings: Sequence[Row]
    """As findings.json holds them, those over all sentences alone."""
    numbers: Mapping[tuple[str, ...], Row]
    """By task, corpus, axis, contrast, subset and measure: value, low, high, unit, n, n_dropped,
    with all their digits."""
    run: AuditRun
    environment: Mapping[str, Any]

    def of(self, *measures: str) -> list[Row]:
        """The findings of some measures."""
        return [row for row in self.findings if row["measure"] in measures]

    def regressed(self) -> list[Row]:
        """The findings of regressions."""
        return [row for row in self.findings if row["measure"] not in (TILT, PAIRED)]

    def unit(self, row: Row) -> str:
        """In what a finding's value is told: scale, or native."""
        found = self.numbers.get(tuple(str(row[name]) for name in KEY), {})
        return str(found.get("unit") or "scale")

    def estimated(self, *measures: str) -> list[dict[str, Any]]:
        """The numbers of some measures over all sentences or texts, with what each is of."""
        return [
            {**dict(zip(KEY, key, strict=True)), **rounded(row)}
            for key, row in self.numbers.items()
            if key[-1] in measures and key[-2] in (ALL, GOLD)
        ]

    @property
    def corpora(self) -> list[AuditedCorpus]:
        """The corpora that the system was audited on."""
        own = {one.corpus for one in self.systems}
        return [one for one in self.run.corpora if one.name in own]

    @property
    def systems(self) -> list[AuditedSystem]:
        """What is known of the system, a row for each task and corpus."""
        return [one for one in self.run.systems if one.system == self.system]

    @property
    def version(self) -> str:
        """Tiltmeter's own."""
        return str(self.environment.get("versions", {}).get("tiltmeter", ""))


def assessed(
    findings: Iterable[Row],
    estimates: pl.DataFrame,
    run: AuditRun,
    environment: Mapping[str, Any],
) -> list[Assessed]:
    """Every system of an audit with what is known of it, in the order they were audited."""
    by_system: dict[str, list[Row]] = {one.system: [] for one in run.systems}
    for row in findings:
        if row["system"] in by_system and (
            row["subset"] in (ALL, *CLAIMS) or row["measure"] not in (TILT, PAIRED)
        ):
            by_system[row["system"]].append(row)
    judged = {row["measure"] for rows in by_system.values() for row in rows} - {TILT, PAIRED}
    needed = estimates.filter(
        pl.col("subset").is_in([ALL, GOLD, *CLAIMS]) | pl.col("measure").is_in(list(judged))
    )  # a card tells nothing of the many other subsets
    keys = needed.select(pl.col(KEY).cast(pl.String).fill_null("None")).rows()
    numbers: dict[str, dict[tuple[str, ...], Row]] = {}
    values = needed.select(NUMBERS).iter_rows(named=True)
    for system, key, value in zip(needed["system"], keys, values, strict=True):
        numbers.setdefault(system, {})[key] = value
    return [
        Assessed(name, rows, numbers.get(name, {}), run, environment)
        for name, rows in by_system.items()
    ]


LIMITS = (
    "A verdict holds for this version of the system, this corpus and this margin, no further.",
    "“Even” means that any difference is smaller than the margin, not that there is none. "
    "“Undecided” is an answer: the data allow both.",
    "A corpus of written sentences is not the world. Groups are as the corpus assigns them to "
    "words and names; they are nobody's own account of themselves.",
    "A difference between groups is not the only harm a system can do, and a small one may matter "
    "in a use that this assessment knows nothing of.",
)


def card_markdown(of: Assessed) -> str:
    """One system's section, ready to be pasted into its model card."""
    parts = [
        "## Assessment of tilt with Tiltmeter",
        f"Does {plain(of.system)} score the same sentence alike, whoever it mentions?",
        *_asked(of),
        *_section("Verdicts", map(_verdict, of.of(TILT))),
        *_section("In these sentences", map(_said, of.of(PAIRED))),
        *_section("Axes told apart (regression)", map(_said, of.regressed())),
        *_section("Labels", _flips(of)),
        *_section("Skill", _skill(of)),
        *_section("What this does not mean", (f"- {one}" for one in LIMITS)),
        *_section("How to repeat it", _repeat(of)),
    ]
    return "\n\n".join(parts) + "\n"


def _section(title: str, lines: Iterator[str]) -> list[str]:
    listed = list(lines)
    return [f"### {title}", "\n".join(listed)] if listed else []


def _asked(of: Assessed) -> Iterator[str]:
    """What the system was asked, on each corpus."""
    for corpus in of.corpora:
        tasks = [one.task for one in of.systems if one.corpus == corpus.name]
        pairs = ", ".join(
            f"{one.pairs:,} on {plain(one.axis)} ({plain(one.contrast)})" for one in corpus.pairs
        )
        drawn = f" (a sample: {plain(corpus.sample)})" if corpus.sample else ""
        yield (
            f"It was asked for {plain(' and '.join(tasks))} of "
            f"{count(corpus.sentences, 'sentence')} of "
            f"{plain(corpus.title)} ({plain(corpus.name)}, {plain(corpus.edition)} "
            f"edition, {plain(corpus.language)}){drawn}. Pairs of sentences that differ only in "
            f"the person were compared: {pairs}. A difference is told in points of 100 of the "
            "system's scale."
        )


def _verdict(row: Row) -> str:
    """A verdict, whom it moves by group, and what would decide it."""
    said = verdict_words({"verdict": row["verdict"], "margin": row["margin"]})
    kind = f", by {row['subset']}" if row["subset"] in CLAIMS else ""
    line = (
        f"- **{said}** ({plain(row['axis'])}, {plain(row['contrast'])}{kind}): "
        f"{plain(row['sentence'])}"
    )
    shares = [MovedShare(**one) for one in row.get("moved", ())]
    if moved := moved_sentence(shares, str(row["subset"]), row["margin"]):
        line += f" {plain(moved)}"
    step = row.get("next") or {}
    if step.get("command"):
        asks = count(step["sentences"], "sentence")
        line += f" To decide it: {_command(step['command'])}, which asks for {asks}."
    return line


def _said(row: Row) -> str:
    return f"- {starting(row['sentence'])}"


def _flips(of: Assessed) -> Iterator[str]:
    for one in of.estimated(FLIPS):
        if one["value"] is None:
            continue
        turned = round(one["value"] * one["n"])
        sure = f", 95 % interval {_percent(one['low'])} to {_percent(one['high'])}"
        yield (
            f"- {plain(one['task'])}, {plain(one['corpus'])}, {plain(one['axis'])} "
            f"({plain(one['contrast'])}): {turned:,} of {count(one['n'], 'pair')} change label "
            f"with the person ({_percent(one['value'])}{sure if one['low'] is not None else ''})."
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{short(100 * share)} %"


def _skill(of: Assessed) -> Iterator[str]:
    for one in of.estimated(*SKILL):
        if one["value"] is None:
            continue
        ends = f" (95 % interval {short(one['low'])} to {short(one['high'])})"
        sure = "" if one["low"] is None else ends
        yield (
            f"- {plain(one['task'])}: {one['measure'].capitalize()} {short(one['value'])}{sure} "
            f"with the gold scores of {plain(one['corpus'])}, {count(one['n'], 'text')}."
        )


def _command(text: object) -> str:
    """A command as it can be pasted: what a stranger wrote in its place is not shown."""
    if not isinstance(text, str):
        what = f"found {text!r} for a command in run.json or findings.json; expected a text"
        raise TiltmeterError(f"{what}: it was altered or damaged; audit again")
    command = paste_command(text)
    return code(command) if command else "not shown, as it is none that repeats an audit"


def _repeat(of: Assessed) -> Iterator[str]:
    """Everything that determines the findings."""
    said = of.run.statistics
    if command := of.environment.get("command"):
        yield f"- command: {_command(command)}"
    yield f"- Tiltmeter {plain(of.version)}, {plain(str(of.environment.get('time', ''))[:10])}"
    for one in of.systems:
        version = f", {plain(one.version)}" if one.version else ""
        scale = plain(one.scale) if one.scale else "not known"
        yield (
            f"- {plain(one.system)}{version}: fingerprint {code(one.fingerprint)}, scale "
            f"{scale}, {count(one.missing, 'answer')} missing ({plain(one.task)}, "
            f"{plain(one.corpus)})"
        )
    for corpus in of.corpora:
        yield f"- corpus {plain(corpus.name)}: SHA-256 {code(corpus.checksum)}"
    yield (
        f"- statistics: {plain(said.mode)}, {plain(said.correction)} over "
        f"{count(said.family, 'comparison')}, level {said.level:g}, seed {said.seed}"
    )


TASK_TYPE = "text-classification"
HEAD = (
    "# Paste into the block between the two --- lines at the head of the model card (README.md).\n"
    "# A metric's value is the mean difference in parts of the scale: the first group minus the\n"
    "# second. Its verdict holds for this margin, corpus and version, no further.\n"
)


def card_yaml(of: Assessed) -> str:
    """One system's metadata, ready to be pasted."""
    results = list(_results(of))
    if not results:
        return "# No difference could be estimated, so there is nothing to list.\n{}\n"
    return HEAD + yaml_text({"model-index": [{"name": of.system, "results": results}]})


def _results(of: Assessed) -> Iterator[dict[str, Any]]:
    for one in of.systems:
        corpus = next(each for each in of.corpora if each.name == one.corpus)
        metrics = list(_metrics(of, one.task, corpus.name))
        if metrics:
            yield {
                "task": {"type": TASK_TYPE, "name": f"sentiment: {one.task}"},
                "dataset": {
                    "name": corpus.title,
                    "type": slug(corpus.name),
                    "config": corpus.edition,
                    "revision": corpus.checksum,
                },
                "metrics": metrics,
            }
    for skill in of.estimated(*SKILL):
        if skill["value"] is not None:
            yield {
                "task": {"type": TASK_TYPE, "name": f"sentiment: {skill['task']}"},
                "dataset": {"name": skill["corpus"], "type": slug(skill["corpus"])},
                "metrics": [
                    {
                        "type": f"{skill['measure']}r",
                        "name": skill["measure"],
                        "value": skill["value"],
                    }
                ],
            }


def _metrics(of: Assessed, task: str, corpus: str) -> Iterator[dict[str, Any]]:
    """A metric for each comparison, of the verdicts where there are some, else of these pairs."""
    for row in of.of(TILT) or of.of("mean_difference"):
        if row["task"] != task or row["corpus"] != corpus or row["value"] is None:
            continue
        kind = row["subset"] if row["subset"] in CLAIMS else ""
        measure, by = row["measure"].replace("_", " "), f", by {kind}" if kind else ""
        args = {
            "verdict": row["verdict"],
            "margin": row["margin"],
            "low": row["low"],
            "high": row["high"],
            "unit": of.unit(row),
            kind or "pairs": row["n"],
            "moved": sum(one["moved"] for one in row["moved"]) if row.get("moved") else None,
            "tool": f"tiltmeter {of.version}".strip(),
        }
        yield {
            "type": row["measure"],
            "name": f"{measure}, {row['axis']}: {row['contrast']}{by}",
            "value": row["value"],
            "args": {name: value for name, value in args.items() if value is not None},
        }


FOLDER = "model-cards"


def cards_of(audit: AuditResults, rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """The name and text of every file, from what a report is made of and its `audit_rows`."""
    return card_files(assessed(rows, audit.estimates, audit.run, audit.environment))


def card_files(systems: Sequence[Assessed]) -> Iterator[tuple[str, str]]:
    """The name and text of every file."""
    slugs = unique_slugs(one.system for one in systems)
    for one in systems:
        yield f"{FOLDER}/{slugs[one.system]}.md", card_markdown(one)
        yield f"{FOLDER}/{slugs[one.system]}.yaml", card_yaml(one)
