"""Audits from a notebook with what people really hand over, and what they change in between."""

import pickle

import polars as pl
import pytest

import tiltmeter
from tiltmeter.errors import IncompleteError, SystemFailure, TiltmeterError
from tiltmeter.report.charts import drawable
from tiltmeter.scoring import Settings
from tiltmeter.systems import from_callable

TABLE = """text,gender,template
My sister is angry,female,1
My brother is angry,male,1
She sings,female,2
He sings,male,2
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def audit(tmp_path, corpus):
    def audited(systems, on=corpus, **options):
        return tiltmeter.audit(systems, on, store=tmp_path / "store", **options)

    return audited


def tilts(done):
    return dict(done.findings.filter(subset="all").select("system", "value").rows())


# ---------------------------------------------------------------- stored scores of another function


def test_two_lambdas_of_one_line_are_two_systems(audit):
    # Nobody names them, so their name and their line of source are the same.
    done = audit([lambda texts: [0.5] * len(texts), lambda texts: [0.9] * len(texts)])
    assert done.scores.filter(system="<lambda>")["score"].to_list() == [0.5] * 4
    assert done.scores.filter(system="<lambda> (2)")["score"].to_list() == [0.9] * 4


def test_a_model_trained_anew_under_its_old_name_is_asked_anew(audit):
    space = {}
    exec("def score(texts): return [model(text) for text in texts]", space)
    for higher in (0.9, 0.1):
        space["model"] = lambda text, higher=higher: higher if "ister" in text else 0.5
        # one of two pairs differs: (higher − 0.5) / 2
        assert tilts(audit({"mine": space["score"]}))["mine"] == pytest.approx((higher - 0.5) / 2)


def test_a_function_typed_anew_at_a_prompt_has_another_fingerprint():
    def typed(code):
        space = {"__name__": "__main__"}
        exec(code, space)
        return from_callable(space["score"], "score").card.fingerprint

    one = typed("def score(text): return 1.0 if text in {'a', 'b', 'c'} else 0.5")
    assert typed("def score(text): return 1.0 if text in {'c', 'b', 'a'} else 0.5") == one
    assert typed("def score(text): return 2.0 if text in {'a', 'b', 'c'} else 0.5") != one
    assert typed("GOOD = {'a'}\ndef score(text): return float(text in GOOD)") != typed(
        "GOOD = {'b'}\ndef score(text): return float(text in GOOD)"
    )


def test_functions_that_call_each_other_are_written_down_once():
    space = {}
    exec("def even(n): return odd(n)\ndef odd(n): return even(n)", space)

    def fingerprint(name):
        return from_callable(space[name], "one").card.fingerprint

    assert fingerprint("even") == fingerprint("even") != fingerprint("odd")


# ---------------------------------------------------------------- names


def test_a_number_that_tells_namesakes_apart_is_nobody_s_own_name(audit):
    done = audit([("x", "constant"), ("x", "tilted:gender=0.1"), ("x (2)", "tilted:gender=0.2")])
    assert tilts(done) == pytest.approx({"x": 0.0, "x (3)": 0.1, "x (2)": 0.2})
    table = pl.DataFrame({"text": ["She sings"], "score": [0.5]})
    done = audit([("x", table), ("x", table), ("x (2)", table)])
    assert set(done.findings["system"]) == {"x", "x (2)", "x (3)"}


def test_half_a_letter_is_no_name(audit):
    with pytest.raises(TiltmeterError, match="expected a name"):
        audit({"\ud800": "constant"})


def test_letters_that_end_the_drawing_process_are_not_drawn():
    drawn = drawable({"system": "\x00a\x1b[31m\x08\x0c\ufffe\n\\u001b"})
    assert drawn == r'{"system": "\ufffda\ufffd[31m\ufffd\ufffd\ufffd\n\\u001b"}'


# ---------------------------------------------------------------- what is handed over


def test_an_async_object_is_refused_and_leaves_no_coroutine_behind(audit):
    class Service:
        async def __call__(self, texts):
            return [0.5] * len(texts)

    with pytest.raises(SystemFailure, match="is async"):
        audit({"service": Service()})


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"on": None}, "found NoneType for the corpus"),
        ({"on": [5]}, "found int for the corpus"),
        ({"on": pl.DataFrame({"text": ["a"]})}, "found DataFrame for the corpus"),
        ({"reference": "gender=male"}, "found str for the reference"),
        ({"reference": ["gender"]}, "found list for the reference"),
        ({"reference": {"gender": None}}, "the reference is None for the axis 'gender'"),
        ({"reference": {"gender": 3}}, "the reference is 3 for the axis 'gender'"),
        ({"formula": 3}, "formula is 3; expected text"),
        ({"formula": ""}, "formula is ''; expected text"),
        ({"errors": ""}, "errors is ''; expected text"),
        ({"errors": 3}, "errors is 3; expected text"),
        ({"precision": " "}, "precision is ' '; expected text"),
        ({"precision": ["gender"]}, "expected text, as in 'gender'"),
        ({"no_reference": "no"}, "no_reference is 'no'; expected True or False"),
        ({"measures": 3}, "found int for the measures; expected pairs or regression"),
        ({"measures": [None]}, "no measure called 'None'"),
        ({"sample": 1.5}, "sample needs at least one frame; found 1.5"),
        ({"seed": -1}, "seed is a whole number"),
        ({"seed": None}, "seed is a whole number"),
    ],
)
def test_what_is_of_the_wrong_kind_is_said_in_words(audit, options, what):
    with pytest.raises(TiltmeterError, match=what):
        audit("constant", **options)


def test_a_corpus_in_another_edition_than_asked_for_is_not_taken_silently(audit, corpus):
    loaded = tiltmeter.load_corpus(corpus)
    assert audit("constant", on=loaded, edition=loaded.edition)
    with pytest.raises(TiltmeterError, match="not 'published'"):
        audit("constant", on=loaded, edition="published")


def test_one_task_may_be_a_word_and_none_may_be_none(audit):
    assert audit("nrclex", tasks="anger").findings["task"].unique().to_list() == ["anger"]
    assert audit("nrclex", tasks=None).findings["task"].unique().to_list() == ["valence"]


def test_an_audit_of_what_is_not_stored_is_incomplete(audit):
    with pytest.raises(IncompleteError, match="no stored score for 4 of 4"):
        audit("vader", settings=Settings(reuse="stored"))
    assert audit("vader", settings=Settings(reuse="stored", max_missing=1.0))


# ---------------------------------------------------------------- what comes back


def test_an_audit_at_a_prompt_is_a_few_lines(audit):
    assert repr(audit(["constant", "tilted:gender=0.1"])) == (
        "Audit of 2 systems on odd (4 sentences)\n"
        "  gender female-male: difference detected in 1 of 2\n"
        "  gender female-male, by couples: 2 not estimable\n"
        "  tables: .findings .tilts .estimates .scores .sentences .skill; page: .report(folder)"
    )


@pytest.mark.parametrize("on", ["table", "templates"])
def test_an_audit_can_be_pickled(audit, tmp_path, corpus, on):
    template = tmp_path / "small.toml"
    template.write_text(
        '[corpus]\nname = "small"\ntitle = "S"\nlanguage = "en"\n[axes]\ng = ["a", "b"]\n'
        '[[people]]\nlist = "kin"\nmatch = "m"\nmembers = [\n'
        '  { subject = "Ann", g = "a" },\n  { subject = "Ben", g = "b" },\n]\n'
        '[[templates]]\nid = "1"\ntext = "I saw {person}."\n'
    )
    done = audit("constant", on=corpus if on == "table" else template)
    again = pickle.loads(pickle.dumps(done))
    assert again.findings.equals(done.findings)
    assert again.runs[0].corpus.sentences().equals(done.runs[0].corpus.sentences())


def test_scores_of_one_axis_alone_make_a_report(audit, tmp_path):
    sentences = tiltmeter.load_corpus("eec").sentences()
    kin = sentences.filter(pl.col("race").is_null() & (pl.col("emotion") == "joy"))
    scores = kin.select("id", score=pl.int_range(pl.len()) / kin.height)
    done = audit({"kin": scores}, "eec", measures="pairs")
    page = done.report(tmp_path / "out").read_text(encoding="utf-8")
    assert "no two groups have a label to compare" in page
