"""One plot of estimates with intervals: rows for a page, a picture for a file."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from tiltmeter.report.forest import (
    Forest,
    ForestCell,
    ForestPanel,
    ForestRow,
    ForestScale,
    Mark,
    around_zero,
    drawn,
    from_zero,
)

HOSTILE = '"><script>alert(1)</script>\x00'
CELL = ForestCell(
    (Mark(1.0, 0.5, 1.5, "up"),), "1.0", "points", "higher for women", "0.5 to 1.5",
    ("difference detected",), "up", (-0.5, 0.5),
)  # fmt: skip


def forest(*cells: ForestCell, label: str = "vader", **more: object) -> Forest:
    panel = ForestPanel(
        "gender", ForestScale(-2, 2, signed=False), ("higher for men", "higher for women"), "points"
    )
    rows = tuple(ForestRow(label, (cell,), tag="anger") for cell in cells)
    return Forest("tilt", "Mean difference", (panel,), rows, **more)  # type: ignore[arg-type]


def test_marks_stand_where_their_values_are() -> None:
    assert drawn(CELL, ForestScale(-2, 2)) == (
        '<rect class="band" x="38.5%" y="0" width="23%" height="100%"/>'
        '<line class="span up" x1="61.5%" y1="50%" x2="84.5%" y2="50%"/>'
        '<circle class="mark up" cx="73%" cy="50%" r="5"/>'
    )


def test_a_row_for_the_page() -> None:
    html = str(forest(CELL).html())
    assert '<g id="grid-tilt-0">' in html
    assert '<span class="ends" aria-hidden="true"><span>higher for men</span><span>' in html
    assert (
        '<th role="rowheader" scope="row" class="name"><bdi>vader</bdi> <span class="task">' in html
    )
    assert '<td role="cell" class="dots lean-up">' in html
    assert '<use href="#grid-tilt-0"/><rect class="band"' in html
    words = html.split('<span class="x">')[1].split("</td>")[0]
    assert " ".join(re.sub("<.*?>", " ", words).split()) == (
        "1.0 points higher for women, 95 % interval 0.5 to 1.5 difference detected"
    )
    assert "style=" not in html


def test_what_lies_past_the_edge_is_marked() -> None:
    made = drawn(ForestCell((Mark(0.0, -9.0, 1.0),)), ForestScale(-2, 2))
    assert 'x1="0%"' in made
    assert '<text x="0" y="50%" class="beyond">‹</text>' in made
    assert "›" not in made


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        (  # RNSB: what ordinary words get, their mean, the estimate in ink
            ForestCell(
                (Mark(0.2, 0.1, 0.3, ink=True, filled=True),), band=(0.0, 0.1), references=(0.05,)
            ),
            ['class="band"', 'class="reference"', 'class="mark ink"'],
        ),
        (  # two versions: the old one hollow above, the new one full below, joined
            ForestCell(
                (Mark(0.1, 0.0, 0.2, level=30), Mark(0.4, 0.3, 0.5, "up", level=70)), joined=True
            ),
            ['class="join"', 'cy="30%"', 'class="mark hollow"', 'cy="70%"'],
        ),
        (  # a mitigation: a shape for each method
            ForestCell(
                (Mark(0.5, filled=False), Mark(0.1, shape="triangle", ink=True, filled=True))
            ),
            ['<svg x="13.2%"', '<path class="mark ink"'],
        ),
        (  # regression: the same effect with other errors behind it
            ForestCell((Mark(0.5, 0.4, 0.6),), behind=(0.3, 0.7)),
            ['<line class="behind" x1="31.6%" y1="50%"'],
        ),
        (ForestCell(crowd=(0.1, 0.9)), ['class="crowd"']),
    ],
)
def test_every_plot_of_a_page_can_be_drawn(cell: ForestCell, parts: list[str]) -> None:
    made = drawn(cell, ForestScale(0, 1))
    assert [part for part in parts if part not in made] == []


def test_marks_with_words_of_their_own_stand_under_each_other() -> None:
    cell = ForestCell(
        (Mark(1, name="before", number="1.0"), Mark(0.2, name="now", number="0.2", filled=True))
    )
    html = str(forest(cell).html())
    assert html.count('<span class="l">') == 2
    assert '<span aria-hidden="true">○</span><span class="of"> before</span> <b>1.0</b>' in html
    assert forest(cell).summary() == "gender: vader: before 1.0; now 0.2."


def test_rows_beyond_the_most_are_folded_away() -> None:
    html = str(forest(CELL, CELL, CELL, most=1).html())
    assert "<summary>2 more</summary>" in html
    assert html.count("<tbody") == 2


def test_a_cell_may_have_its_own_scale_and_ends() -> None:
    cell = ForestCell((Mark(0.5),), scale=ForestScale(0, 1, times=100, unit=" %"), ends=("a", "b"))
    html = str(forest(cell).html())
    assert '<text class="own" x="50.0%" y="100%">50 %</text>' in html
    assert '<span class="ends own"' in html
    assert "#grid-tilt-0" not in html


def test_nothing_to_draw_says_why() -> None:
    html = str(forest(ForestCell(number="–", says=("not estimable",))).html())
    assert '<b>–</b><span class="s" dir="auto">not estimable</span>' in html


def test_the_file_is_a_picture_with_its_words() -> None:
    root = ET.fromstring(forest(CELL, ForestCell(number="–", says=("refused",))).svg())
    names = {"svg": "http://www.w3.org/2000/svg"}
    assert root.findtext("svg:title", namespaces=names) == "Mean difference"
    assert root.findtext("svg:desc", namespaces=names) == (
        "gender: vader: 1.0 points higher for women, 0.5 to 1.5; difference detected; "
        "vader: –; refused."
    )
    assert "var(" not in forest(CELL).svg()


def test_hostile_words_stay_words() -> None:
    cell = ForestCell(
        (Mark(1, name=HOSTILE, number="1"),), says=(HOSTILE,), ends=(HOSTILE, HOSTILE)
    )
    one = forest(cell, label=HOSTILE, first=HOSTILE)
    assert "<script" not in one.html()
    assert "<script" not in one.svg()
    assert ET.fromstring(one.svg()) is not None
    assert "<b>" in forest(ForestCell(says=(Markup("<b>ours</b>"),))).html()


def test_scales() -> None:
    assert around_zero([], []).high == 1.0
    assert [words for _, words in around_zero([1.4]).ticks()] == ["1", "0", "1"]
    assert [words for _, words in from_zero([0.145]).ticks()] == ["0", "0.05", "0.1", "0.15"]
    assert [words for _, words in ForestScale(-2, 2).ticks()] == ["−2", "−1", "0", "1", "2"]
