"""A gate's answer as JUnit XML, which every CI reads: a test case for each gated comparison."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from tiltmeter.report.gate_wording import (
    Told,
    bound_said,
    deciding_said,
    interval_said,
    name_said,
    size_said,
    verdict_said,
    worst_said,
)

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""


def junit_xml(decision: Told) -> str:
    """Tilted is a failure; so is undecided, or skipped where the gate lets it pass.

    A system that could not be scored is an error.
    """
    missing = decision.get("unavailable", ())
    many = len(decision["comparisons"]) + len(missing)
    failed = sum(one["fails"] for one in decision["comparisons"])
    skipped = sum(one["open"] and not one["fails"] for one in decision["comparisons"])
    outcomes = f'failures="{failed}" errors="{len(missing)}" skipped="{skipped}"'
    counts = f'tests="{many}" {outcomes} time="0"'
    cases = "".join(map(_not_judged, missing))
    cases += "".join(line for one in decision["comparisons"] for line in _case(one))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="tiltmeter" {counts}>\n'
        f'  <testsuite name="tiltmeter gate" {counts}>\n{cases}  </testsuite>\n</testsuites>\n'
    )


def _case(one: Told) -> Iterator[str]:
    within = "within " if one.get("limit") is None else ""
    name = f"{name_said(one)} {within}{bound_said(one)}"
    opening = f'    <testcase classname="tiltmeter.{_safe(one["corpus"])}" name="{_safe(name)}"'
    yield f'{opening} time="0">\n'
    if one["fails"]:
        yield f'      <failure type="{one["verdict"]}" {_body(one)}</failure>\n'
    elif one["open"]:
        message = f"{verdict_said(one)}, let pass. {deciding_said(one)}"
        yield f'      <skipped message="{_safe(message)}"/>\n'
    yield "    </testcase>\n"


def _not_judged(system: str) -> str:
    name, message = _safe(f"{system} is judged"), "it could not be scored"
    opening = f'    <testcase classname="tiltmeter" name="{name}" time="0">\n'
    return f'{opening}      <error type="incomplete" message="{message}"/>\n    </testcase>\n'


def _body(one: Told) -> str:
    """The message of a failure and what it holds: the finding, the worst pairs, what is needed."""
    parts = (verdict_said(one), size_said(one), interval_said(one))
    message = ", ".join(part for part in parts if part)
    lines = [one["sentence"], deciding_said(one), *worst_said(one)]
    return f'message="{_safe(message)}">' + _safe("\n".join(line for line in lines if line))


def _safe(text: str) -> str:
    r"""Text that XML can hold: what it cannot is shown as an escape.

    >>> _safe("a<b\x00\ud800 & \"c\"")
    'a&lt;b\\x00\\ud800 &amp; &quot;c&quot;'
    """
    return escape(_NOT_XML.sub(lambda found: ascii(found[0])[1:-1], text))
