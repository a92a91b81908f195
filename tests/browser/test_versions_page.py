"""The pages of two versions and of drift in a real browser, from disk, with the network off."""

import pytest
from odd_names import HOSTILE, LONG
from test_rating_page import CONTRAST

from audit_folders import scored, sentences_of, tilted, write_audit
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift
from tiltmeter.systems import UNIT, Card, System

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page with a hostile and a long name, and one of drift."""
    root = tmp_path_factory.mktemp("versions")
    sentences = sentences_of(12)
    for name, system, tilt in (("old", HOSTILE, 0.0), ("new", LONG, 0.03)):
        scores = scored(sentences, system, tilted(sentences, tilt, seed=1))
        write_audit(root / name, sentences, scores, gold={system: 0.6})
    found = compare(root / "old", root / "new")
    service = System(Card(HOSTILE, scale=UNIT), lambda texts: [0.7] * len(texts))
    moved = drift(root / "old", service, store=root / "store")
    return {"compare": found.report(root / "c"), "drift": moved.report(root / "d")}


@pytest.mark.parametrize("name", ["compare", "drift"])
@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_can_be_read(visit, pages, name, width, scheme):
    page = visit(
        pages[name], viewport={"width": width, "height": 900}, color_scheme=scheme
    )  # fmt: skip
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) == []
    assert page.locator("script").count() == 0


def test_the_answer_the_figure_and_the_pairs_are_there(visit, pages):
    page = visit(pages["compare"])
    assert "2 worse" in page.locator("#answer").inner_text()  # by names, by couples
    assert page.locator(".drawn").count() == 3
    assert page.locator(".drawn .mark.up:not(.hollow)").count() == 2
    # The heaviest change stands open: gender by names. A side of its pairs is the mean of twenty
    # names, whose noise is far below the planted 3 points, so all 12 pairs moved apart; five are
    # shown, and none came closer. (Of couples, one person a side, some come closer by chance.)
    assert page.locator("details[open] .moved").count() == 5
    assert page.locator("details[open] .aside").inner_text() == "No pair."
    assert page.locator("#skill td.num").count() == 3
