"""The first screen: chips with a shape and a word, a pair with its scores, the next command."""

from markupsafe import Markup

from tiltmeter.report.first_screen import (
    Chip,
    ChipShape,
    FirstScreen,
    NextCommand,
    SentencePair,
)
from tiltmeter.report.page import Page, Section, render


def test_a_chip_is_a_shape_and_a_word_and_links_to_why() -> None:
    chip = Chip(ChipShape.TILTED, "<b>vader", "tilted", "#why")
    assert chip.html() == Markup(
        '<a class="chip tilted" href="#why"><span class="sign" aria-hidden="true">▲</span>'
        "<bdi>&lt;b&gt;vader</bdi> <b>tilted</b></a>"
    )


def test_each_shape_has_a_class_of_its_own() -> None:
    assert len({shape.style for shape in ChipShape}) == len(ChipShape)


def test_a_screen_shows_what_it_has_and_no_empty_heading() -> None:
    pair = SentencePair("Adam <i>", "Alonzo", "0.31", "0.22", levels=(0.31, 0.22))
    made = FirstScreen(pair=pair, steps=(NextCommand("tiltmeter audit 'a b'"),)).html()
    assert "Adam &lt;i&gt;" in made
    assert 'width="31.0%"' in made
    assert "tiltmeter audit 'a b'" in Markup(made).striptags()
    assert "People moved" not in made
    assert "bottom-line" not in made


def test_two_versions_scores_stand_in_columns_of_their_own() -> None:
    pair = SentencePair("She is sad.", "He is sad.", "40.0", "41.0", before=("30.0", "31.0"))
    made = FirstScreen(pair=pair).html()
    places = [made.index(one) for one in (">before", ">now", "30.0", "40.0", "31.0", "41.0")]
    assert places == sorted(places)
    assert "<svg" not in made


def test_a_sentence_that_was_answered_otherwise_stands_alone() -> None:
    made = FirstScreen(pair=SentencePair("He is sad.", "", "40.0", "", before=("30.0", ""))).html()
    assert made.count("<q ") == 1
    assert "<mark>" not in made


def test_every_section_is_folded_but_its_heading_and_its_sentence() -> None:
    sections = (
        Section("more", "More of it", body=Markup("<p>inside</p>"), lede="One sentence."),
        Section("open", "Open", body=Markup("<p>outside</p>"), folded=False),
    )
    html = render(Page("a.html", "Is it?", Section("answer", ""), sections))
    folded = html.split('<section id="more"')[1].split("</section>")[0]
    assert folded.index("One sentence.") < folded.index("</summary>") < folded.index("inside")
    assert "<details" not in html.split('<section id="open"')[1].split("</section>")[0]
