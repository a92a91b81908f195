"""The figures of a study of embeddings: files that stand alone, with every number in words."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from made_up_embeddings import (
    GLOVE,
    HOSTILE,
    NAMES,
    NEWS,
    ORIGIN,
    RELIGION,
    all_refused,
    frame,
    made_up_material,
    many_embeddings,
    odd_material,
    one_embedding,
)
from tiltmeter.report.svg import Box, covered, place_labels
from tiltmeter.studies.embeddings.figures import (
    MAP_MOST,
    bar_pictures,
    heat_pictures,
    map_pictures,
    term_order,
)
from tiltmeter.studies.embeddings.forests import mitigation_forests, rnsb_forest, weat_forest
from tiltmeter.studies.embeddings.page import embedding_figures

SVG = "{http://www.w3.org/2000/svg}"


def test_every_figure_is_a_file_of_its_own():
    figures = embedding_figures(made_up_material())
    assert set(figures) == {
        "rnsb", "weat", "ridges",
        *(f"terms-{of}" for of in (ORIGIN, RELIGION, NAMES)),
        *(f"correlations-{of}" for of in (ORIGIN, RELIGION, NAMES)),
        *(f"map-{of}-{name}" for of in (ORIGIN, NAMES)
          for name in ("glove-6b-50d", "news-word2vec", "minilm")),
        "map-religion-glove-6b-50d", "map-religion-minilm",
        "link-glove-6b-50d-embedding-mlp-valence", "mitigation-gender-glove-6b-50d",
    }  # fmt: skip


@pytest.mark.parametrize("made", [made_up_material, one_embedding, all_refused, odd_material])
def test_files_are_whole_and_load_nothing(made):
    for name, text in embedding_figures(made()).items():
        root = ET.fromstring(text)
        assert root.tag == f"{SVG}svg", name
        assert root.find(f"{SVG}title").text, name
        assert root.find(f"{SVG}desc").text, name
        assert "var(--" not in text, name
        attributes = {name for one in root.iter() for name in one.attrib}
        assert not {one for one in attributes if "href" in one or one.startswith("on")}, name
        assert "url(" not in text, name
        assert not re.search(r"\b(nan|inf)\b", re.sub(r"<(title|desc|text).*?</", "", text)), name


def test_hostile_text_stays_text():
    for text in embedding_figures(odd_material()).values():
        assert HOSTILE not in text
        assert not [one for one in ET.fromstring(text).iter() if one.tag.endswith("img")]


def test_names_that_would_share_a_file_do_not():
    figures = embedding_figures(made_up_material(("A b", "a-b"), (ORIGIN,), further=False))
    maps = [name for name in figures if name.startswith("map-")]
    assert len(maps) == 2
    assert len(embedding_figures(many_embeddings(12))) == 2 * (12 + 2) + 2


def test_no_numbers_no_figures_but_the_strip_of_reasons():
    assert set(embedding_figures(all_refused())) == {"rnsb", "ridges"}
    empty = made_up_material((), (), further=False)
    assert embedding_figures(empty) == {}


def test_bars_share_their_scale_and_order():
    glove, news, _ = bar_pictures(made_up_material(), ORIGIN)
    orders = [re.findall(r'class="end">([a-z]+)<', one.body) for one in (glove, news)]
    assert orders[0] == orders[1]
    assert orders[0][0] == "mexican"
    ticks = [re.findall(r'class="soft mid">([^<]+)<', one.body) for one in (glove, news)]
    assert ticks[0] == ticks[1]
    # glove holds 15 terms, news 12: 100/15 = 6.7 %, 100/12 = 8.3 %
    assert "even: 6.7 %" in glove.body
    assert "even: 8.3 %" in news.body
    assert news.body.count("not in the embedding") == 3


def test_a_bar_ends_where_its_share_is():
    # two terms with 75 % and 25 %: the axis goes from 0 to 75 (steps of 25), so the larger bar
    # reaches its end and the smaller a third of it
    rows = [
        {"embedding": "e", "list": "l", "term": term, "found_as": term, "share": share}
        for term, share in (("aa", 0.75), ("bb", 0.25))
    ]
    material = made_up_material(("e",), ("l",), further=False, terms={"l": ("aa", "bb")})
    (picture,) = bar_pictures(replace(material, terms=frame("terms", rows)), "l")
    more, less = re.findall(r'class="bar (?:above|below)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"',
                            picture.body)  # fmt: skip
    assert float(more[1]) == pytest.approx(3 * float(less[1]), abs=0.3)
    assert 'class="bar above"' in picture.body
    assert "whisker" not in picture.body  # there is no interval


def test_a_very_long_whisker_is_cut_and_marked():
    # the longest bar is 10 %, so whiskers are drawn up to 16 %, and the axis ends at 20 %
    material = made_up_material(("e",), ("l",), further=False, terms={"l": ("aa", "bb")})
    rows = [
        {"embedding": "e", "list": "l", "term": term, "found_as": term, "share": share,
         "share_low": 0.01, "share_high": high}
        for term, share, high in (("aa", 0.10, 0.9), ("bb", 0.05, 0.11))
    ]  # fmt: skip
    (picture,) = bar_pictures(replace(material, terms=frame("terms", rows)), "l")
    assert re.findall(r'class="soft mid">([^<]+)<', picture.body) == ["0", "10", "20 %"]
    assert picture.body.count("›") == 1


def test_groups_stand_under_their_names():
    order = term_order(made_up_material().terms.filter(list=NAMES).to_dicts())
    assert list(dict.fromkeys(order.values())) == ["European American", "African American"]
    picture = bar_pictures(made_up_material(), NAMES)[0]
    assert picture.body.index("European American") < picture.body.index("African American")


def test_a_list_that_is_refused_has_no_bars():
    assert [one.caption for one in bar_pictures(made_up_material(), RELIGION)] == [GLOVE, "minilm"]


def test_the_strip_marks_what_goes_beyond_ordinary_words():
    forest = rnsb_forest(made_up_material())
    assert [row.label for row in forest.rows] == [GLOVE, NEWS, "minilm"]
    glove, news, texts = (row.cells for row in forest.rows)  # origin, religion, names of each
    assert glove[0].says[0] == "more uneven than ordinary words, p < 0.001"
    assert texts[2].says[0] == "no difference from ordinary words detected, p = 0.52"
    assert "hollow" in texts[2].marks[0].kind
    assert "hollow" not in glove[0].marks[0].kind
    assert news[1].number == "–"
    assert news[1].says[0].startswith("refused: 2 of 7 terms")
    assert news[0].says[1] == "without 3 of 15 terms"


def test_the_band_is_where_ordinary_words_fall():
    # the scale ends at 0.2, the band from 0.018 to 0.0945: 4 + 92 · 0.09 = 12.28 % of the width,
    # 92 · 0.0765 / 0.2 = 35.19 % wide
    forest = rnsb_forest(made_up_material())
    assert forest.panels[0].scale.high == 0.2
    assert forest.rows[0].cells[0].band == pytest.approx((0.018, 0.0945))
    assert 'class="band" x="12.28%" y="0" width="35.19%"' in forest.html()


def test_no_intervals_in_the_published_mode():
    bare = made_up_material(mode="published", further=False)
    gone = ("low", "high", "even_low", "even_high", "by_chance", "p", "p_adjusted")
    none = {name: pl.lit(None, pl.Float64) for name in gone}
    material = replace(bare, rnsb=bare.rnsb.with_columns(**none))
    cell = rnsb_forest(material).rows[0].cells[0]
    assert cell.marks[0].low is cell.marks[0].high is None
    assert cell.band is None
    assert cell.references == ()
    assert cell.says[0] == "not held against chance"


def test_heat_maps_tell_sign_by_shape():
    picture = heat_pictures(made_up_material(), ORIGIN)[0]
    plus, minus = (re.search(rf'class="{kind}" d="([^"]+)"', picture.body)[1]
                   for kind in ("plus", "minus"))  # fmt: skip
    assert "a" not in plus
    assert "a" in minus  # arcs
    # 15 · 14 pairs, each drawn once; none where a term meets itself
    assert plus.count("M") + minus.count("M") == 210


def test_few_terms_have_numbers_in_their_cells():
    picture = heat_pictures(made_up_material(), RELIGION)[0]
    assert len(re.findall(r'class="in">−?[01]\.\d\d<', picture.body)) == 7 * 6


def test_the_published_heat_map_says_that_it_holds_products():
    material = made_up_material(mode="published")
    picture = heat_pictures(material, RELIGION)[0]
    assert picture.title.startswith("Products of probabilities")
    assert len(re.findall(r'class="in">', picture.body)) == 7 * 7
    text = ET.fromstring(embedding_figures(material)["correlations-religion"]).itertext()
    assert "these are no correlations" in " ".join(text)


def test_one_half_of_the_correlations_is_enough():
    material = made_up_material((GLOVE,), (RELIGION,))
    half = material.correlations.filter(pl.col("first") < pl.col("second"))
    whole, upper = (heat_pictures(replace(material, correlations=one), RELIGION)[0]
                    for one in (material.correlations, half))  # fmt: skip
    numbers = [sorted(re.findall(r'class="in">([^<]+)<', one.body)) for one in (whole, upper)]
    assert numbers[0] == numbers[1]


def test_a_map_draws_so_many_words_and_labels_every_term():
    material = made_up_material((GLOVE,), (ORIGIN,))
    crowd = pl.concat([material.plane] * 9)
    terms = crowd.filter(pl.col("kind") != "term")
    picture = map_pictures(
        replace(material, plane=pl.concat([terms, material.plane.filter(kind="term")])), ORIGIN
    )[0]
    assert re.search(r'class="good" d="([^"]+)"', picture.body)[1].count("M") == MAP_MOST
    assert len(re.findall(r'class="label">', picture.body)) == 15


def test_labels_keep_apart_where_there_is_room():
    points = [(100.0, 100.0, "first"), (104.0, 100.0, "second"), (102.0, 103.0, "third")]
    labels = place_labels(points, 330, 300)
    boxes = [one.box for one in labels]
    assert not any(covered([a], [b for b in boxes if b is not a])[0] for a in boxes)
    assert all(one.box.x >= 0 for one in place_labels([(2.0, 150.0, "at the edge")], 330, 300))


def test_a_box_covers_what_it_shares_with_each_that_stands():
    # With the first 2 × 12 = 24, with the second 4 × 2 = 8; the third only touches.
    standing = [Box(0, 0, 12), Box(16, 10, 10), Box(20, 0, 5)]
    assert covered([Box(10, 0, 10), Box(90, 90, 10)], standing).tolist() == [32.0, 0.0]


def test_both_ends_of_a_word_test_are_words():
    rows = weat_forest(made_up_material()).rows  # cells of glove, news, texts
    assert rows[0].cells[0].ends == ("◂ insects", "flowers ▸")
    assert rows[0].about == "closer to pleasant than to unpleasant"
    assert rows[0].cells[0].marks[0].kind == "mark up"
    assert rows[3].cells[0].marks[0].kind == "mark hollow"  # p = 0.21
    assert rows[1].cells[1].says[0].startswith("refused: 4 of 32")


def test_mitigation_asks_three_things():
    (one,) = mitigation_forests(made_up_material())
    assert [part.panels[0].title for part in one.parts] == [
        "The tilt", "What the vectors are good for: should stay",
        "Is it still there? Guessing gives about 50 %",
    ]  # fmt: skip
    rnsb, _ = one.parts[0].rows
    assert rnsb.cells[0].says[0].replace("\u00a0", " ") == "○ 0.310 · ▲ 0.270 · ■ 0.290 · ◆ 0.180"
    assert rnsb.about == "National origin"
    assert "INLP: fewer than 10 analogies" in one.parts[1].rows[1].cells[0].says[0]


def test_of_many_word_tests_those_that_move_most_are_drawn():
    rows = [
        {"embedding": GLOVE, "direction": "gender", "method": method, "measure": "weat",
         "what": f"t{n}", "value": 1.0 - (method == "hard") * n / 10}
        for n in range(7) for method in ("none", "hard")
    ]  # fmt: skip
    material = replace(made_up_material(), mitigation=frame("mitigation", rows))
    drawn = mitigation_forests(material)[0].parts[0].rows
    assert [row.about for row in drawn] == ["t3", "t4", "t5", "t6"]


def test_tests_of_encoders_are_called_seat():
    material = made_up_material()
    assert "<title>WEAT and SEAT effect sizes</title>" in embedding_figures(material)["weat"]
    seat = replace(material, weat=material.weat.with_columns(kind=pl.lit("seat")))
    assert "<title>SEAT effect sizes</title>" in embedding_figures(seat)["weat"]


def test_rows_of_one_measure_share_a_scale():
    rows = mitigation_forests(made_up_material())[0].parts[0].rows
    of = {}
    for row in rows:
        of.setdefault(row.label, set()).add(row.cells[0].scale)
    assert all(len(scales) == 1 for scales in of.values())
