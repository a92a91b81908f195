"""A gate's answer in words, the same on the terminal, in pytest, in CI, in Markdown and JUnit XML.

A decision comes as plain records, as `findings.Decision.told` gives them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any
from unicodedata import category

import polars as pl

from tiltmeter.audit_run import AuditRun
from tiltmeter.claims.gate import Outcome, Recheck
from tiltmeter.report.numbers import POINTS, count, fixed, points
from tiltmeter.report.terminal import escape_hidden
from tiltmeter.schemas import Verdict
from tiltmeter.studies.paired.advice import next_step
from tiltmeter.studies.paired.verdict_wording import (
    Populations,
    by_whom,
    deciding_text,
    margin_text,
    reaches,
)
from tiltmeter.studies.paired.wording import (
    FOUND,
    NAMED,
    Phrases,
    interval_towards_higher,
    moment_text,
)

VERDICTS = {
    Verdict.TILTED: "tilted",
    Verdict.UNDECIDED: "undecided",
    Verdict.NO_SIGNAL: "no signal",
    Verdict.NOT_ESTIMABLE: "not estimable",
}
OF_A_SHARE = {**VERDICTS, Verdict.TILTED: "beyond the limit", Verdict.EVEN: "within the limit"}
"""Of people moved."""
LIMITS = "This holds for these margins, this corpus and this version of the system, no further."
SCORE_DIGITS = 3
MOVED, COUPLES = "moved", "couples"


Told = Mapping[str, Any]
"""A decision, one of its comparisons or a pair of sentences, as `Decision.told` gives them."""


def verdict_words(one: Told) -> str:
    """A verdict as people read it, always with its margin where it is even."""
    if _is_share(one):
        return OF_A_SHARE[one["verdict"]]
    return VERDICTS.get(one["verdict"]) or f"even within {margin_words(one['margin'])}"


def _is_share(one: Told) -> bool:
    return bool(one.get("measure") == MOVED)


def bound_words(one: Told) -> str:
    """What a comparison is held to: a margin, or the share of people that may be moved."""
    return f"at most {percent(one['limit'])}" if _is_share(one) else margin_words(one["margin"])


def margin_words(margin: float) -> str:
    """A margin in points of 100.

    >>> margin_words(0.01), margin_words(0.025), margin_words(0.00012)
    ('±1 point', '±2.5 points', '±0.012 points')
    """
    told = f"{margin * POINTS:.3g}"
    return f"±{told} {'point' if told == '1' else 'points'}"


def percent(share: float) -> str:
    """A share of people.

    >>> percent(0.05), percent(0.0716), percent(0.0006), percent(1.0)
    ('5 %', '7.2 %', '0.06 %', '100 %')
    """
    return f"{_two_digits(share)} %"


def _two_digits(share: float) -> str:
    told = f"{100 * share:.2g}"
    return "100" if told == "1e+02" else told


def size_words(one: Told) -> str:
    """How much higher for whom: `3.0 points higher about women`; nothing where it is not known.

    Of people moved, how many: `3 of 40 names moved, 7.5 %`.
    """
    value, low, high = one["value"], one["low"], one["high"]
    if value is None:
        return ""
    if _is_share(one):
        return f"{one['moved']:,} of {count(one['n'], _unit(one))} moved, {percent(value)}"
    low, high = (value if end is None else end for end in (low, high))
    size = interval_towards_higher(value, low, high, "scale")[0]
    told = f"{size} {'point' if size == '1' else 'points'}"
    if one.get("average") and value < 0:
        return f"{told} lower {one['about_first']}"
    return f"{told} higher {higher_words(one)}" if value else "0 points"


def _unit(one: Told) -> str:
    return "couple" if one["people"] == COUPLES else "name"


def higher_words(one: Told) -> str:
    """Whose sentences are scored higher: `about women`; nobody's where there is no difference."""
    if not one["value"]:
        return ""
    side = "first" if one["value"] > 0 else "second"
    return one[f"about_{side}"] or f"marked “{one[side]}”"


def interval_words(one: Told) -> str:
    """The interval that decides, told from the side that is scored higher."""
    if one["value"] is None or one["low"] is None or one["high"] is None:
        return ""
    if one.get("exact"):
        return "exact"
    if _is_share(one):
        return f"{_two_digits(one['low'])} to {percent(one['high'])}"
    _, low, high = interval_towards_higher(one["value"], one["low"], one["high"], "scale")
    return f"{low} to {high}"


def deciding_words(one: Told) -> str:
    """What would decide an open comparison, or why it cannot be; nothing of a decided one.

    Of a tilted one that gives no signal, that.
    """
    if not one["open"]:
        return f"It gives no signal: {one['reason']}." if one["reason"] else ""
    if one["verdict"] != Verdict.UNDECIDED:
        return _sentence(one["reason"] or "there is nothing to compute it from")
    if _is_share(one) and one["needed_people"] is None:
        return "The share lies where no number of people would decide it."
    if _is_share(one):
        many = f"{one['needed_people']:,} {_unit(one)}s"
        return f"About {many} would decide it, if the share is as seen."
    said = _sentence(deciding_text({**one, "subset": one["people"]}).removeprefix("; "))
    return f"{said} Next: {one['next_step']}" if one.get("next_step") else said


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def pair_words(pair: Told) -> Iterator[str]:
    """A pair in two lines, each sentence after its score."""
    for text, score, n in (
        (pair["text_first"], pair["score_first"], pair["n_first"]),
        (pair["text_second"], pair["score_second"], pair["n_second"]),
    ):
        mean = f" (average of {n:,} like it)" if n > 1 else ""
        yield f"{fixed(score, SCORE_DIGITS)}  {text}{mean}"


def worst_pair_words(one: Told) -> Iterator[str]:
    """The pairs that differ most, under a line that says so; nothing where none are known."""
    if not one["worst"]:
        return
    yield f"Pairs that differ most, of {one['system']}, {axis_words(one)} (scores from 0 to 1):"
    for pair in one["worst"]:
        yield from (f"  {line}" for line in pair_words(pair))
        yield f"    {points(pair['score_first'] - pair['score_second'])} points apart"


def axis_words(one: Told) -> str:
    """What is compared, and by whom: `gender by names`, or `moved.race, African American`."""
    if _is_share(one):
        whom = COUPLES if one["people"] == COUPLES else one["contrast"]
        return f"{MOVED}.{one['axis']}, {whom}"
    return f"{one['axis']} {by_whom({'subset': one['people']})}" if one["people"] else one["axis"]


def name_words(one: Told) -> str:
    """The whole of it: `vader, valence, eec: gender by names, female-male`."""
    contrast = "" if _is_share(one) else f", {one['contrast']}"
    return f"{one['system']}, {one['task']}, {one['corpus']}: {axis_words(one)}{contrast}"


def with_next_steps(judged: pl.DataFrame, run: AuditRun) -> pl.DataFrame:
    """The claims, each undecided one with the command that would decide it, if one is known."""
    steps = [next_step(row, run) for row in judged.iter_rows(named=True)]
    said = [
        step.said([system]) if step and step.larger else ""
        for step, system in zip(steps, judged["system"], strict=True)
    ]
    return judged.with_columns(next_step=pl.Series(said, dtype=pl.String))


def with_moved_sentences(
    moved: pl.DataFrame, phrases: Phrases, populations: Populations | None = None
) -> pl.DataFrame:
    """The shares of people moved that a gate judged, each with its sentence."""
    known = populations or {}
    said = [
        _moved_sentence(row, phrases, reaches(row, known.get(str(row["corpus"]))))
        for row in moved.iter_rows(named=True)
    ]
    return moved.with_columns(sentence=pl.Series(said, dtype=pl.String))


def _moved_sentence(row: Told, phrases: Phrases, whom: str) -> str:
    if row["verdict"] == Verdict.NO_SIGNAL:
        return f"No signal from {row['system']}: {row['reason']}."
    couples = row["subset"] == COUPLES
    about = phrases.get((row["corpus"], row["axis"], row["group"]), f"marked “{row['group']}”")
    unit = "couple" if couples else "name"
    of = "" if couples else f", in sentences {about},"
    exact = row["low"] == row["high"]
    ends = f"{_two_digits(row['low'])} to {percent(row['high'])}"
    sure = "everybody was met" if exact else f"95 % interval {ends} of {whom}"
    said = OF_A_SHARE[row["verdict"]]
    verdict = f"{said} at a limit" if row["verdict"] == Verdict.UNDECIDED else said
    return (
        f"{row['system']} moves {row['moved']:,} of {count(row['people'], unit)}{of} by more than "
        f"{margin_text(row['margin'])}, {percent(row['share'])} ({sure}): {verdict} of "
        f"{percent(row['limit'])} ({row['task']}, {row['corpus']})."
    )


def stored_words(scores: Told, today: datetime | None = None) -> str:
    """Of when a system's stored scores are, and whether they still hold; on `today`, else in UTC.

    >>> stored_words({"oldest": "2026-11-16T22:53:01+00:00", "recheck": "same",
    ...     "asked_again": 200, "few_for_price": False})
    'scores of 16 Nov 2026 22:53 UTC, 200 asked again: the same'
    """
    oldest = scores["oldest"]
    of_when = f"scores of {moment_text(oldest, today)}" if oldest else "scores of an unknown date"
    recheck = scores["recheck"]
    if recheck in FOUND:
        again = f"{scores['asked_again']:,} asked again"
        if scores["few_for_price"]:
            again = f"only {again}, since each has a price"
        return f"{of_when}, {again}: {FOUND[recheck]}"
    if recheck == Recheck.FOLDER:
        return f"{of_when}, as they are in the folder; nothing was asked"
    why = {
        Recheck.NO_ANSWER: f": no answer to {scores['asked_again']:,} texts, {scores['reason']}",
        Recheck.NOT_WANTED: ", as --reuse stored says",
    }
    return f"{of_when}, not asked again{why.get(recheck, '')}"


def stored_lines(decision: Told, today: datetime | None = None) -> Iterator[tuple[str, str]]:
    """Whose stored scores a decision rests on, and of when they are, each line once."""
    systems: dict[str, dict[str, None]] = {}
    for scores in decision.get("stored", ()):
        systems.setdefault(stored_words(scores, today), {})[scores["system"]] = None
    for line, every in systems.items():
        names = list(every)
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        yield f"{', '.join(names[:NAMED])}{more}", line


def outcome_words(decision: Told) -> str:
    """The gate's answer in one line, last of everything."""
    found = Counter(
        verdict_words(one) if _is_share(one) else VERDICTS.get(one["verdict"], _EVEN)
        for one in decision["comparisons"]
    )
    parts = [f"{found[kind]:,} {kind}" for kind in _ORDER if found[kind]]
    still_open = any(found[kind] for kind in _OPEN)
    let = " (let pass)" if decision["outcome"] == "pass" and still_open else ""
    many = count(len(decision["comparisons"]), "comparison")
    missing = decision.get("unavailable", ())
    without = f" Not judged, since it could not be scored: {', '.join(missing)}." * bool(missing)
    kept = decision.get("stale") and decision["outcome"] == Outcome.UNDECIDED
    old = f" {STALE}" if kept else ""
    return f"Gate: {decision['outcome']}. Of {many}: {', '.join(parts)}{let}.{old}{without}"


STALE = (
    "Stored scores that were not asked again do not pass: ask again, or accept them with "
    "--reuse stored."
)


_EVEN = "even within the margin"
_OPEN = ("undecided", "no signal", "not estimable")
_ORDER = (Verdict.TILTED, OF_A_SHARE[Verdict.TILTED], *_OPEN, _EVEN, OF_A_SHARE[Verdict.EVEN])


def gate_text(decision: Told) -> str:
    """The whole answer as plain text: the outcome, then what keeps it from passing."""
    lines = [_harmless(outcome_words(decision))]
    lines += [_harmless(f"{whose}: {line}") for whose, line in stored_lines(decision)]
    for one in decision["comparisons"]:
        if not one["open"] and one["verdict"] != Verdict.TILTED:
            continue
        told = [f"{name_words(one)}: {verdict_words(one)}"]
        spread = interval_words(one)
        if size := size_words(one):
            between = "95 % interval " if " to " in spread else ""
            sure = f", {between}{spread}" if spread else ""
            told.append(f"  {size}{sure}; {'' if _is_share(one) else 'margin '}{bound_words(one)}")
        if deciding := deciding_words(one):
            told.append(f"  {deciding}")
        told += [f"  {line}" for line in worst_pair_words(one)]
        lines += ["", *map(_harmless, told)]
    return "\n".join(lines)


def _harmless(line: str) -> str:
    """A line without terminal escapes or line ends, which a system's name or a text may hold."""
    return escape_hidden(line).replace("\n", "\\n")


HEADER = ("verdict", "system", "task", "corpus", "compared", "found", "95 % interval", "held to")
SHOWN = 200
"""Rows of the table; a summary of GitHub holds 1 MiB."""
LONGEST = 300
"""Letters of one text."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$@:&<>])")


def gate_markdown(decision: Told) -> str:
    """The outcome, a table of what was judged, and what is behind what did not pass."""
    lines = [f"## Tiltmeter: {decision['outcome']}", "", plain(outcome_words(decision)), ""]
    for whose, line in stored_lines(decision):
        lines += [f"{plain(whose)}: {plain(line)}", ""]
    lines += [_row(HEADER), _row(["---"] * len(HEADER))]
    ordered = sorted(
        decision["comparisons"], key=lambda one: (one["verdict"] != Verdict.TILTED, not one["open"])
    )
    for one in ordered[:SHOWN]:
        said, contrast = verdict_words(one), "" if one.get("limit") is not None else one["contrast"]
        compared = f"{axis_words(one)}, {contrast}" if contrast else axis_words(one)
        told = one["system"], one["task"], one["corpus"], compared
        verdict = f"**{said}**" if one["verdict"] == Verdict.TILTED else said
        found = map(plain, (*told, size_words(one), interval_words(one)))
        lines.append(_row([verdict, *found, bound_words(one)]))
    if len(ordered) > SHOWN:
        lines += ["", f"… and {len(ordered) - SHOWN:,} more."]
    for one in ordered[:SHOWN]:
        if why := deciding_words(one):
            lines += ["", f"**{plain(one['system'])}, {plain(axis_words(one))}**: {plain(why)}"]
        if not one["worst"]:
            continue
        said = plain(one["sentence"] or f"{one['system']}, {one['axis']}: {size_words(one)}")
        heads = ["score", "sentence", "score", "sentence", "points apart"]
        lines += ["", said, "", _row(heads), _row(["---"] * len(heads))]
        for pair in one["worst"]:
            first, second = pair["score_first"], pair["score_second"]
            texts = plain(pair["text_first"]), plain(pair["text_second"])
            scores = fixed(first, 3), fixed(second, 3)
            lines.append(_row([scores[0], texts[0], scores[1], texts[1], points(first - second)]))
    return "\n".join([*lines, "", LIMITS, ""])


def plain(text: str) -> str:
    """Text that Markdown and HTML take as text, on one line.

    >>> plain("a|b <i>`x`")
    'a&#124;b &lt;i&gt;&#96;x&#96;'
    """
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    visible = "".join(" " if category(letter) in hidden else letter for letter in cut)
    return _SPECIAL.sub(_entity, " ".join(visible.split(" ")).strip())


def _entity(found: re.Match[str]) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    harmless = ".-():+!"
    letter = found[0]
    return letter if letter in harmless else named.get(letter, f"&#{ord(letter)};")


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""


def junit_xml(decision: Told) -> str:
    """Tilted is a failure; so is undecided, or skipped where the gate lets it pass.

    A system that could not be scored is an error; stored scores that were not asked again are a
    failure, and of when all stored ones are is a property of the suite.
    """
    missing = decision.get("unavailable", ())
    stale = [scores for scores in decision.get("stored", ()) if scores["stale"]]
    many = len(decision["comparisons"]) + len(missing) + len(stale)
    failed = sum(one["fails"] for one in decision["comparisons"]) + len(stale)
    skipped = sum(one["open"] and not one["fails"] for one in decision["comparisons"])
    outcomes = f'failures="{failed}" errors="{len(missing)}" skipped="{skipped}"'
    counts = f'tests="{many}" {outcomes} time="0"'
    cases = "".join(
        f'    <testcase classname="tiltmeter" name="{_safe(f"{system} is judged")}" time="0">\n'
        '      <error type="incomplete" message="it could not be scored"/>\n    </testcase>\n'
        for system in missing
    )
    cases += "".join(
        f'    <testcase classname="tiltmeter.{_safe(scores["corpus"])}" '
        f'name="{_safe(_submission(scores))} still answers as stored" time="0">\n'
        f'      <failure type="stale" message="{_safe(stored_words(scores))}">{STALE}</failure>\n'
        "    </testcase>\n"
        for scores in stale
    )
    cases += "".join(line for one in decision["comparisons"] for line in _case(one))
    ages = "".join(
        f'      <property name="{_safe(_submission(scores))}" '
        f'value="{_safe(stored_words(scores))}"/>\n'
        for scores in decision.get("stored", ())
    )
    if ages:
        cases = f"    <properties>\n{ages}    </properties>\n{cases}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="tiltmeter" {counts}>\n'
        f'  <testsuite name="tiltmeter gate" {counts}>\n{cases}  </testsuite>\n</testsuites>\n'
    )


def _submission(scores: Told) -> str:
    return f"{scores['system']}, {scores['task']}, {scores['corpus']}"


def _case(one: Told) -> Iterator[str]:
    """A comparison; a failure holds the finding, the worst pairs and what is needed."""
    within = "within " if one.get("limit") is None else ""
    name = f"{name_words(one)} {within}{bound_words(one)}"
    opening = f'    <testcase classname="tiltmeter.{_safe(one["corpus"])}" name="{_safe(name)}"'
    yield f'{opening} time="0">\n'
    said = verdict_words(one)
    if one["fails"]:
        message = _safe(", ".join(filter(None, (said, size_words(one), interval_words(one)))))
        lines = filter(None, [one["sentence"], deciding_words(one), *worst_pair_words(one)])
        body = _safe("\n".join(lines))
        yield f'      <failure type="{one["verdict"]}" message="{message}">{body}</failure>\n'
    elif one["open"]:
        message = f"{said}, let pass. {deciding_words(one)}"
        yield f'      <skipped message="{_safe(message)}"/>\n'
    yield "    </testcase>\n"


def _safe(text: str) -> str:
    r"""Text that XML can hold: what it cannot is shown as an escape.

    >>> _safe("a<b\x00\ud800 & \"c\"")
    'a&lt;b\\x00\\ud800 &amp; &quot;c&quot;'
    """
    return escape(_NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text))
