"""The report page as text: what it says, what it embeds, what it must never let through."""

import base64
import hashlib
import html as entities
import json
import math
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from msgspec import structs

from simulated_material import (
    audit_html,
    compared_of,
    material_from,
    material_of,
    ranks_of,
    scored,
    simulated_scores,
    skill_of,
)
from tiltmeter.audit_run import AuditedSystem, AuditRun, AuditStatistics, GoldSource
from tiltmeter.claims.signal import Exclusions
from tiltmeter.corpora import Axis, Corpus, load_corpus
from tiltmeter.errors import UnknownNameError
from tiltmeter.report.numbers import fixed, interval, p_value, points
from tiltmeter.report.scale import SymmetricScale, scale_for
from tiltmeter.studies.audit.page import summary
from tiltmeter.studies.paired.comparison import boxes
from tiltmeter.studies.paired.packing import Rounding
from tiltmeter.studies.paired.page_data import FEWEST, kept
from tiltmeter.studies.paired.submissions import _subset_row

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
FEMALE = (SENTENCES["gender"] == "female").to_numpy()
HOSTILE = "<script>alert(1)</script>"
NAMES = ("zebrafish", "quokka", "narwhal")


def shifted(shift, size=SENTENCES.height):
    """Every sentence 0.5, those about women higher by `shift`, with a spread over templates."""
    noise = np.random.default_rng(7).normal(0, 0.01, size)
    return np.clip(0.5 + shift * FEMALE + noise, 0, 1)


@pytest.fixture(scope="module")
def material():
    """Women 3 points higher, 1 point lower, and no difference but noise."""
    shifts = dict(zip(NAMES, (0.03, -0.01, 0.0), strict=True))
    scores = [scored(SENTENCES, name, "valence", shifted(by)) for name, by in shifts.items()]
    run = AuditRun(
        statistics=AuditStatistics(family=6),
        systems=tuple(AuditedSystem(name, "valence", "eec", version="1") for name in NAMES),
    )
    environment = {"command": f"tiltmeter audit {' '.join(NAMES)}", "versions": {"numpy": "2"}}
    return material_of(pl.concat(scores), EEC, run=run, environment=environment)


@pytest.fixture(scope="module")
def text(material):
    return audit_html(material)


@pytest.fixture(scope="module")
def large():
    """The paper's 219 submissions."""
    material = material_of(simulated_scores(SENTENCES), EEC)
    return replace(material, skill=skill_of(material))


def visible(markup):
    """The text of a page without its style, scripts and tags."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", " ", markup, flags=re.DOTALL)
    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", bare)).split())


def embedded(markup, name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', markup, re.DOTALL)[1])


# ------------------------------------------------------------------ what it says


def test_the_answer_says_how_much_first_then_how_many(text):
    said = visible(text)
    assert "Do these 3 systems score the same sentence alike, whoever it mentions?" in said
    assert (
        "Up to 3.0 points of 100. 1 of 3 systems scores sentences about women higher than the same "
        "sentences about men, 1 lower, and for 1 no difference was detected. The largest "
        "difference is zebrafish ’s, for valence, higher about women." in said
    )


def test_one_system_alone_gets_its_own_sentence():
    alone = material_of(scored(SENTENCES, "vader", "valence", shifted(0.03)), EEC)
    said = visible(audit_html(alone))
    assert "Does vader score the same sentence alike, whoever it mentions?" in said
    assert "vader scores sentences about women 3.0 points of 100 higher than the same" in said
    assert "Find a system" not in said


def test_both_ends_of_the_strip_are_said_in_words_and_detection_not_by_colour_alone(text):
    strip = text[text.index('id="strip"') : text.index('id="skill"')]
    assert "higher about men" in strip
    assert "higher about women" in strip
    assert strip.count(">difference detected<") >= 2
    assert ">no difference detected<" in strip
    assert 'class="dots lean-up"' in strip
    assert 'class="dots lean-down"' in strip


def test_several_tasks_are_counted_one_by_one(large):
    said = visible(audit_html(large))
    # 219 submissions in turn up, down, none: 16+16+15+16+12 up, 15+15+15+15+12 down
    assert "75 of 219 submissions score sentences about women higher" in said
    assert "72 lower, and for 72 no difference was detected" in said
    # 36 systems of valence in turn: 12 of each kind
    assert re.search(r"valence 12 12 12 2\.\d points", said)


def test_without_gold_the_page_says_why_skill_matters_and_how_to_give_it(text):
    assert "--gold FILE" in visible(text)
    assert '<figure class="scatter">' not in text


def test_with_gold_every_task_and_contrast_has_a_scatter_with_its_numbers(large):
    made = audit_html(large)
    assert made.count('<figure class="scatter">') == 5 * 2
    assert "Pearson’s correlation" in made
    ranked = replace(large, run=AuditRun(gold=GoldSource(rank_by="spearman")))
    assert "Spearman’s correlation" in audit_html(ranked)


def test_families_of_systems_are_a_table(material):
    meta = pl.DataFrame({"system": NAMES, "algorithm": ["svm", "svm", "rules"]})
    made = audit_html(replace(material, meta=meta))
    # svm: 3 points up and 1 point down, 2 on average whatever the direction
    assert re.search(r"algorithm svm female-male 2 1 1 0 2\.0", visible(made))
    assert "Tilt and skill by family" not in audit_html(material)


def test_what_is_not_as_usual_is_said_at_the_top(material):
    odd = replace(
        material,
        subset="neutral",
        run=AuditRun(statistics=AuditStatistics(mode="published", family=438, family_given=True)),
        compared=tuple(replace(one, sample="400 of 8,640 sentences") for one in material.compared),
    )
    made = audit_html(odd)
    top = visible(made).split("How far each system tilts")[0]
    assert (
        "a sample only, exploratory subset, statistics as published, family given by the user"
        in top
    )
    said = visible(made.split('<section id="in-full"')[1])
    assert "on sentences without an emotion word only (subset neutral)" in said
    assert "mode published" in said
    assert "Corrected for 438 comparisons, a number given by the user." in said
    assert "only a sample was scored: 400 of 8,640 sentences" in said


def test_the_limits_of_the_test_are_said_plainly(text):
    said = visible(text)
    assert "Pairs share templates, emotion words and names, so they are not independent" in said
    assert EEC.checksum in said
    assert "tiltmeter audit zebrafish quokka narwhal" in said


def test_words_that_wordsmd_forbids_do_not_stand_on_the_page(text):
    said = visible(text).lower()
    for word in ("unbiased", "debias", "biased system", "passed fairness", "discriminates"):
        assert word not in said


def test_every_glossary_link_leads_somewhere(text):
    wanted = set(re.findall(r'href="#(g-[^"]+)"', text))
    there = set(re.findall(r'id="(g-[^"]+)"', text))
    assert wanted
    assert wanted <= there


def test_ids_are_unique(text, large):
    for made in (text, audit_html(large)):
        found = re.findall(r'\bid="([^"]+)"', made)
        assert len(found) == len(set(found))


def test_the_papers_tables_stand_in_print_with_downloads(text):
    assert 'href="tables/table5-gender-all.csv"' in text
    assert 'href="tables/table5-gender-all.tex"' in text
    assert "F=M not significant" in text


def test_figures_are_linked_where_they_stand_beside_the_page(material, text):
    assert 'href="figures/figure1-gender-valence.svg"' in audit_html(material, figures=True)
    assert 'href="figures/' not in text


# ------------------------------------------------------------------ safety


def test_nothing_is_loaded_from_anywhere(text):
    without_namespace = text.replace("http://www.w3.org/2000/svg", "")
    assert "://" not in without_namespace
    assert not re.search(r"<(link|img|iframe|object|embed|base)\b|\bsrc=|@import|url\(", text)
    assert not re.search(r"\son\w+=", re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL))


def test_the_policy_allows_only_the_pages_own_style_and_script(text):
    policy = entities.unescape(re.search(r'Security-Policy" content="([^"]+)"', text)[1])
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]+\sstyle=", re.sub(r"<script\b.*?</script>", "", text))


def corpus_of(sentences, name, title, axes):
    return Corpus(
        name, title, "corrected", "en", axes, sentences.height, lambda _: iter([sentences])
    )


def hostile_material():
    """A system, a task, a person and sentences that are all markup."""
    sentences = SENTENCES.with_columns(
        text=pl.col("text") + "</script><img src=x onerror=alert(2)>\u2028"
    )
    corpus = corpus_of(sentences, "eec", "<b>corpus</b>", EEC.axes)
    scores = [scored(sentences, name, "<i>joy</i>", shifted(0.02)) for name in (HOSTILE, "other")]
    return material_of(pl.concat(scores), corpus)


def test_markup_in_names_and_sentences_stays_text():
    material = hostile_material()
    for made in (audit_html(material), audit_html(material, only=HOSTILE), summary(material)):
        assert HOSTILE not in made
        assert "<img" not in made
        assert "<i>joy" not in made
        assert "<b>corpus" not in made
        data = re.findall(r'<script type="application/json".*?</script>', made, re.DOTALL)
        assert not any("\u2028" in block for block in data)
        assert entities.escape(HOSTILE) in made


def test_templates_never_mark_text_as_safe():
    from importlib import resources

    folder = resources.files("tiltmeter.report") / "templates"
    files = [*folder.iterdir(), *(folder / "script").iterdir()]
    for file in (one for one in files if one.is_file()):
        content = file.read_text(encoding="utf-8")
        assert not re.search(r"\|\s*safe\b|autoescape|innerHTML|outerHTML|insertAdjacent", content)


# ------------------------------------------------------------------ one system's own page


def test_a_systems_own_page_names_no_other_system(large, material):
    made = audit_html(material, only="quokka")
    assert "quokka" in made
    assert "zebrafish" not in made
    assert "narwhal" not in made
    mine = audit_html(large, only="team07")
    assert set(re.findall(r"team\d\d", mine)) == {"team07"}


def test_a_systems_own_page_shows_the_field_and_its_places(large):
    ranks = ranks_of(large).with_columns(kind=pl.lit(""))  # this page's answer is of all pairs
    made = audit_html(replace(large, ranks=ranks), only="team07")
    field = re.findall(r'<circle class="f"|class="crowd"', made)
    # strip and scatter, two contrasts: the others of 46, 46, 45, 46 and 36 systems
    assert len(field) == 2 * 2 * (45 + 45 + 44 + 45 + 35)
    assert "rank 6–8 of 46" in visible(made)
    assert re.search(r"\d+–\d+ of 46 by size", visible(made))
    assert "Tilts by size" not in made  # a board would name the others
    assert 'href="tables/' not in made


def test_a_system_nobody_audited_has_no_page(material):
    with pytest.raises(UnknownNameError, match="did you mean 'quokka'"):
        audit_html(material, only="quoka")


# ------------------------------------------------------------------ what is embedded


def test_every_pair_is_embedded_to_a_fraction_of_a_point(text, material):
    common, entry = embedded(text, "common"), embedded(text, "entry-0")
    compared = material.compared[0]
    deltas = np.frombuffer(base64.b64decode(entry["deltas"]), "<i2") * entry["step"]
    assert np.abs(deltas - compared.study.deltas[0]).max() < 1e-5
    pairs = compared.study.pairs
    texts = whole_texts(common["corpora"][0]["pairs"]["texts"])
    assert texts == [*pairs["text_first"], *pairs["text_second"]]
    assert len(texts) == 2 * 1728


def whole_texts(packed):
    """Texts whose frames' beginnings and ends are packed once."""
    frame, middle = (
        np.frombuffer(base64.b64decode(packed[name]), "<u2") for name in ("frame", "middle")
    )
    return [
        packed["ends"][of][0] + packed["middles"][own] + packed["ends"][of][1]
        for of, own in zip(frame, middle, strict=True)
    ]


def told(common, places):
    """The texts that an entry's places stand for."""
    return [common["texts"][at] for at in np.frombuffer(base64.b64decode(places), "<u2")]


def test_every_number_of_a_pair_is_written_by_python(text, material):
    common, said = embedded(text, "common"), embedded(text, "entry-0")["said"]
    compared = material.compared[0]
    assert told(common, said["deltas"]) == [
        points(abs(d)) for d in compared.study.deltas[0].tolist()
    ]
    for side, scores in (("first", compared.study.first[0]), ("second", compared.study.second[0])):
        assert told(common, said[side]) == [fixed(100 * score, 1) for score in scores.tolist()]
        # the script draws a bar from the number that the text stands for
        at = np.frombuffer(base64.b64decode(said[side]), "<u2")
        drawn = np.array(common["numbers"], float)[at]
        assert np.abs(drawn - 100 * scores).max() <= 0.05 + 1e-9


def test_page_and_terminal_round_alike():
    """0.425 is 42 points everywhere: Python rounds a half to the even number, a script up."""
    women = (SENTENCES["gender"] == "female").to_numpy()
    material = material_of(scored(SENTENCES, "half", "valence", 0.425 * women), EEC)
    made = audit_html(material)
    common, entry = embedded(made, "common"), embedded(made, "entry-0")
    gender = [panel["axis"] for panel in common["corpora"][0]["panels"]].index("gender")
    assert told(common, entry["said"]["deltas"])[0] == "42"
    assert entry["said"]["boxes"][gender] == (
        "in points of 100: median 42 higher about women, "
        "middle half from 42 higher about women to 42 higher about women"
    )
    assert entry["subsets"][0][:3] == [1, "42", "42 to 42"]
    assert "42 points of 100 higher" in material.paired_findings["sentence"][0]


@pytest.mark.parametrize("exact", [0.425, 0.0125, 0.00105, 0.625])
def test_a_result_computed_in_two_ways_is_one_number(exact):
    """A mean over pairs and one over people may differ in their last bit, on either side."""
    near = [math.nextafter(exact, end) for end in (0.0, 1.0)]
    near += [exact * (1 - 1e-14), exact * (1 + 1e-14)]
    assert {points(value) for value in near} == {points(exact)}
    assert {interval(value, value, value, 100.0) for value in near} == {(points(exact),) * 3}
    assert {p_value(value) for value in near} == {p_value(exact)}


def test_a_p_value_near_the_level_has_the_same_digits_on_the_page_and_in_sentences():
    row = {"value": 0.01, "low": 0.001, "high": 0.02, "p_adjusted": 0.0498, "flip": 0.0502, "n": 9,
           "n_dropped": None, "significance": "up"}  # fmt: skip
    shown = _subset_row(row, "scale")
    assert shown[3:5] == ["0.0498", "0.0502"]
    assert p_value(0.0498) == "p = 0.0498"


def test_a_missing_pair_is_embedded_as_missing():
    values = shifted(0.02)
    values[0] = np.nan
    material = material_of(scored(SENTENCES, "gap", "valence", values), EEC)
    entry = embedded(audit_html(material), "entry-0")
    deltas = np.frombuffer(base64.b64decode(entry["deltas"]), "<i2")
    assert (deltas == -32768).sum() == np.isnan(material.compared[0].study.deltas).sum() > 0


def test_219_systems_weigh_at_most_six_and_a_half_megabytes(large):
    """Eight bytes for each of 378,432 pairs, three of whose numbers are texts, are 4 MB of it."""
    made = audit_html(large)
    assert len(made.encode()) <= 6_500_000
    assert embedded(made, "entry-0")["which"] is None


def test_where_all_pairs_are_too_many_each_submission_keeps_its_largest(material):
    compared = material.compared[0]
    chosen = kept(compared, [0, 1, 2], budget=450)
    # 450 // 3 // (3 submissions × 2 contrasts) = 25 of each contrast
    assert [len(one) for one in chosen] == [50, 50, 50]
    gender = (compared.study.pairs["axis"] == "gender").to_numpy()
    mine = chosen[0][gender[chosen[0]]]
    sizes = np.abs(compared.study.deltas[0])
    assert sizes[mine].min() >= np.sort(sizes[gender])[-25]
    assert len(kept(compared, [0], budget=1)[0]) == 2 * FEWEST


@pytest.mark.slow
def test_a_thousand_systems_keep_their_largest_pairs():
    many = material_of(simulated_scores(SENTENCES, {"valence": 300}), EEC)
    made = audit_html(many)
    entry = embedded(made, "entry-0")
    which = np.frombuffer(base64.b64decode(entry["which"]), "<u4")
    assert 2 * FEWEST <= which.size < 1728
    assert len(made.encode()) <= 6_000_000


# ------------------------------------------------------------------ odd states


def test_all_constant():
    scores = [scored(SENTENCES, name, "valence", np.full(SENTENCES.height, 0.5)) for name in "ab"]
    said = visible(audit_html(material_of(pl.concat(scores), EEC)))
    assert "No difference detected for any of 2 systems." in said
    assert "Both sides of every pair have the same score." in said


def test_forty_per_cent_missing_and_nothing_at_all():
    values = shifted(0.02)
    values[np.arange(values.size) % 5 < 2] = np.nan
    empty = np.full(values.size, np.nan)
    scores = [
        scored(SENTENCES, "gaps", "valence", values),
        scored(SENTENCES, "none", "valence", empty),
    ]
    said = visible(audit_html(material_of(pl.concat(scores), EEC)))
    assert "3,456 of 8,640 sentences (40 %) without a score" in said
    assert "not estimable" in said
    assert "nan" not in said.lower().split()


def test_a_system_on_no_known_scale_stands_in_a_block_of_its_own():
    scores = [
        scored(SENTENCES, "scaled", "valence", shifted(0.02)),
        scored(SENTENCES, "wild", "valence", 1000 * shifted(0.02), native=True),
    ]
    made = audit_html(material_of(pl.concat(scores), EEC))
    assert made.count('class="block"') == 2
    assert "standard deviations of each system’s own scores" in made
    assert "own units" in visible(made)


def three_groups():
    """One axis with three groups: young, middle, old; the young 2 points above both others."""
    people = ("young", "middle", "old")
    rows = [
        (f"{t}-{g}", f"The {g} person {t}.", "ages", "corrected", "en", str(t), f"the {g} person",
         None, None, str(t), "people", g)
        for t in range(8)
        for g in people
    ]  # fmt: skip
    columns = ("id", "text", "corpus", "edition", "language", "template", "person", "emotion",
               "emotion_word", "frame", "match", "age")  # fmt: skip
    sentences = pl.DataFrame(rows, columns, orient="row").with_columns(
        pl.col("emotion", "emotion_word").cast(pl.String)
    )
    axis = Axis("age", tuple(people), tuple(f"about {group} people" for group in people))
    corpus = corpus_of(sentences, "ages", "Ages", (axis,))
    young = (sentences["age"] == "young").to_numpy()
    values = 0.5 + 0.02 * young + np.random.default_rng(0).normal(0, 0.001, young.size)
    scores = [scored(sentences, name, "valence", values) for name in ("one", "two")]
    return material_of(pl.concat(scores), corpus)


def test_three_groups_make_three_panels():
    made = audit_html(three_groups())
    said = visible(made)
    strip = made.split('<section id="strip"')[1].split("</section>")[0]
    assert strip.count('role="columnheader"') == 1 + 3
    assert "2 of 2 systems score sentences about young people higher than the same" in said
    assert "age: young and middle" in said


def test_two_corpora_stand_one_under_the_other(material):
    other = load_corpus("eec-es")
    spanish = other.sentences()
    scores = scored(spanish, "zebrafish", "valence", np.full(spanish.height, 0.5))
    compared, estimates = compared_of(scores, other)
    both = material_from(
        [*material.compared, compared], pl.concat([material.paired_estimates, estimates])
    )
    made = audit_html(both)
    assert 'id="by-corpus"' in made
    assert made.count('class="block"') == 2
    assert other.title in visible(made)
    # narwhal has no scores on the second corpus: its own page leaves it out
    assert other.title not in visible(audit_html(both, only="narwhal"))


# ------------------------------------------------------------------ the notebook's summary


def test_the_summary_is_a_fragment_with_inline_styles_only(material, large):
    made = summary(material)
    assert not re.search(r"<(style|script|link)\b|\bclass=", made)
    assert "Up to 3.0 points of 100." in visible(made)
    assert "zebrafish" in made
    assert "The 20 largest of 219" in visible(summary(large))


# ------------------------------------------------------------------ small parts


def test_whiskers_end_at_the_last_difference_within_reach():
    # quartiles of 0, 1, 2, 3, 4, −100 by linear interpolation: 0.25, 1.5, 2.75; reach 3.75
    low, first, median, third, high = boxes(np.array([[0.0, 1, 2, 3, 4, -100]]))[0]
    assert (low, first, median, third, high) == (0.0, 0.25, 1.5, 2.75, 4.0)


def test_a_submission_without_pairs_has_no_box():
    assert np.isnan(boxes(np.full((1, 3), np.nan))).all()


def test_a_scale_holds_every_value_and_marks_round_sizes():
    assert scale_for([0.5, -2.1], []).limit == 2.5
    assert scale_for([], []).limit == 1.0
    assert [text for _, text in SymmetricScale(2.5).ticks] == ["2", "0", "2"]
    assert [text for _, text in SymmetricScale(1.0).ticks] == ["1", "0.5", "0", "0.5", "1"]
    assert SymmetricScale(2.0).at(-2.0) == 4.0  # 50 − 46


# ---------------------------------------------------------------- whom a difference rests on


def test_a_difference_that_one_name_makes_is_said_to_be_so():
    tia = (SENTENCES["person"] == "Tia").to_numpy()
    told = audit_html(material_of(scored(SENTENCES, "one", "joy", 0.5 + 0.2 * tia), EEC))
    assert "most of it from “Tia”" in visible(told).replace("“ ", "“").replace(" ”", "”")
    # Tia's sentences stand 20 points higher: 20 / 20 names / 11 pairs in a frame, 0.09 of gender
    entry = embedded(told, "entry-0")
    assert entry["rests"][0] == [
        "Over all sentences the difference is 0.091 points higher about women. It depends most on "
        "sentences with “Tia”; without them it would be 0.",
        True,
    ]


def test_a_pair_that_a_difference_rests_on_is_named_as_a_pair():
    # only sentences about my brother move: the pair differs, and it does not tell by whom
    brother = (SENTENCES["person"] == "my brother").to_numpy()
    told = audit_html(material_of(scored(SENTENCES, "one", "joy", 0.5 + 0.2 * brother), EEC))
    assert ">my sister/my brother</bdi>" in told


def test_a_control_is_counted_apart_and_does_not_lead(material):
    first, *others = material.run.systems
    systems = (structs.replace(first, control="planted"), *others)
    said = visible(
        audit_html(replace(material, run=structs.replace(material.run, systems=systems)))
    )
    # zebrafish stands 3 points higher, quokka 1 lower, noise aside
    assert "Do these 2 systems score the same sentence alike" in said
    assert "Up to 0.95 points of 100. None of 2 systems scores sentences about women higher" in said
    assert "A control is counted apart: zebrafish." in said


def test_a_system_without_a_signal_is_counted_apart_with_the_reason(material):
    silent = {("zebrafish", "valence", material.compared[0].name): "it reads English"}
    said = visible(audit_html(replace(material, apart=Exclusions(no_signal=silent))))
    assert "None of 2 systems scores sentences about women higher" in said
    assert "No signal, so counted apart: zebrafish; it reads English." in said


def test_files_set_aside_are_listed_with_their_reasons(material):
    rows = [
        ("zebrafish", "eec", "runs/<b>.txt", "found no rows"),
        (None, "eec", "README.md", "found the ending '.md'"),
    ]
    aside = pl.DataFrame(rows, ("system", "corpus", "file", "reason"), orient="row")
    made = audit_html(replace(material, set_aside=aside))
    assert "<b>.txt" not in made
    said = visible(made)
    assert "2 files set aside : what they hold is in no number below." in said
    assert "Files set aside 2 files could not be used; the others went on without them" in said
    assert "runs/<b>.txt found no rows" in said
    own = visible(audit_html(replace(material, set_aside=aside), only="zebrafish"))
    assert "1 file set aside This file of zebrafish could not be used" in own
    assert "runs/<b>.txt : found no rows" in own
    assert "README" not in own
    assert "set aside" not in visible(audit_html(replace(material, set_aside=aside), only="quokka"))


def test_the_numbers_in_an_answer_are_those_of_the_strip():
    # two noisy systems: a mean with fewer digits than its own, since its interval is wide
    rng = np.random.default_rng(1)
    scores = [
        scored(SENTENCES, name, "valence", np.clip(rng.normal(0.5, 0.2, SENTENCES.height), 0, 1))
        for name in "ab"
    ]
    made = audit_html(material_of(pl.concat(scores), EEC))
    largest = re.findall(r"’s, for valence, ([\d.]+) points? of 100 higher", visible(made))
    assert largest
    assert set(largest) <= set(re.findall(r"<b>([\d.]+)</b>", made))


def test_a_difference_that_all_names_make_is_laid_at_nobody_s_door(text):
    assert "most of it from" not in text


def test_a_hostile_person_is_only_text():
    renamed = SENTENCES.with_columns(
        person=pl.when(pl.col("person") == "Tia").then(pl.lit(HOSTILE)).otherwise("person")
    )
    corpus = replace(EEC, write=lambda _: iter([renamed]))
    tia = (SENTENCES["person"] == "Tia").to_numpy()
    told = audit_html(material_of(scored(renamed, "one", "joy", 0.5 + 0.2 * tia), corpus))
    assert HOSTILE not in told


@pytest.mark.parametrize(
    "rounding", [Rounding(), Rounding(100.0), Rounding(100.0, None, 1), Rounding(1.0, None, 3)]
)
def test_numbers_with_one_key_are_said_alike(rounding):
    rng = np.random.default_rng(3)
    near = [1e-5, 0.00995, 0.0995, 0.1, 1.0, 9.95, 99.5, 1e12, 1e-300]
    edges = [np.nextafter(value, to) for value in near for to in (0.0, np.inf)]
    values = rng.normal(0, 1, 20_000) * 10.0 ** rng.integers(-7, 4, 20_000)
    values = np.concatenate([values, values.round(3), near, edges, [0.0]])
    said = {}
    for key, value in zip(rounding.keys(values).tolist(), values.tolist(), strict=True):
        if not math.isnan(key):
            assert said.setdefault(key, rounding.say(value)) == rounding.say(value)
    assert len(said) < len(values) / 2
