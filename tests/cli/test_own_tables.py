"""A user's own tables, from the front door: how they are read, and that an export opens again."""

import json
from pathlib import Path

import polars as pl
import pytest

import tiltmeter
from tiltmeter.corpora import write_corpus

ENDINGS = ("csv", "tsv", "jsonl", "parquet")

AGES = """\
Sentence,Pattern,Who,Generation
The child is glad.,1,the child,young
The adult is glad.,1,the adult,grown
The elder is glad.,1,the elder,old
I saw the child.,2,the child,young
I saw the adult.,2,the adult,grown
I saw the elder.,2,the elder,old
"""
READ = (
    "--column", "text=Sentence", "--column", "template=Pattern", "--column", "person=Who",
    "--axis", "generation=old,young,grown",
)  # fmt: skip
COLUMNS = {"text": "Sentence", "template": "Pattern", "person": "Who"}
ORDER = ("old", "young", "grown")
"""Neither the alphabet's nor the file's."""
AXES = {"generation": ORDER}

SCORES = """\
def score(text):
    return 0.5 + 0.1 * ("elder" in text) + 0.03 * ("child" in text) + 0.02 * ("glad" in text)
"""


@pytest.fixture(scope="module")
def tables(at):
    """The folder with a table of the user's own, its export, and a system that reads it."""
    (at.folder / "ages.csv").write_text(AGES)
    (at.folder / "scorer.py").write_text(SCORES)
    read = tiltmeter.load_corpus(at.folder / "ages.csv", columns=COLUMNS, axes=AXES)
    write_corpus(read, at.folder / "whole.csv")
    return at


def findings(at, *arguments):
    """The findings of an audit, as a program reads them."""
    done = at.run("audit", *arguments, "--json", "-", "-o", "out", "--force")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["findings"]


# ------------------------------------------------------------------ an export opens again


@pytest.mark.parametrize("name", ["eec", "eec-es"])
def test_an_exported_corpus_gives_the_same_findings_in_every_format(tmp_path, name):
    def found(corpus):
        done = tiltmeter.audit("vader", corpus, measures="pairs", flips=0, store=tmp_path / "store")
        return done.findings.to_dicts()

    expected = found(name)
    assert {(one["axis"], one["contrast"]) for one in expected} >= {("gender", "female-male")}
    for ending in ENDINGS:
        write_corpus(tiltmeter.load_corpus(name), tmp_path / f"mine.{ending}")
        assert found(tmp_path / f"mine.{ending}") == expected, ending


def test_an_exported_table_keeps_its_axis_and_the_order_of_its_groups(tables):
    expected = findings(tables, "./scorer.py:score", "--corpus", "ages.csv", *READ)
    pairs = {one["contrast"] for one in expected if one["axis"] == "generation"}
    assert pairs == {"old-young", "old-grown", "young-grown"}
    as_told = tiltmeter.load_corpus(tables.folder / "ages.csv", columns=COLUMNS, axes=AXES)
    for ending in ENDINGS:
        write_corpus(as_told, tables.folder / f"again.{ending}")
        again = tiltmeter.load_corpus(tables.folder / f"again.{ending}")
        assert again.axes == as_told.axes
        assert again.sentences().equals(as_told.sentences())
    done = tables.run("corpus", "export", "ages.csv", *READ, "-o", "again.csv")
    assert done.returncode == 0, done.stderr
    assert findings(tables, "./scorer.py:score", "--corpus", "again.csv") == expected


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_export_of_your_own_templates_keeps_order_and_phrases(tmp_path, ending):
    before = tiltmeter.load_corpus(Path(__file__).parents[2] / "examples" / "office.toml")
    write_corpus(before, tmp_path / f"mine.{ending}")
    after = tiltmeter.load_corpus(tmp_path / f"mine.{ending}")
    assert before.axes[0].groups == ("young", "old")  # not in the alphabet's order
    assert after.axes == before.axes
    assert [a.phrase(g) for a in after.axes for g in a.groups] == [
        a.phrase(g) for a in before.axes for g in a.groups
    ]
    assert after.sentences().equals(before.sentences())
    assert not [note for note in after.notes if "guess" in note]


def test_an_export_that_was_sorted_and_cut_keeps_its_order(tables):
    rows = pl.read_csv(tables.folder / "whole.csv", infer_schema=False)
    rows.sort("text", descending=True).write_csv(tables.folder / "sorted.csv")
    assert tiltmeter.load_corpus(tables.folder / "sorted.csv").axes[0].groups == ORDER
    rows.filter(pl.col("generation") != "grown").write_csv(tables.folder / "cut.csv")
    assert tiltmeter.load_corpus(tables.folder / "cut.csv").axes[0].groups == ("old", "young")


def test_an_export_without_its_order_says_that_the_order_is_a_guess(tables):
    rows = pl.read_csv(tables.folder / "whole.csv", infer_schema=False)
    rows.drop("axes").write_csv(tables.folder / "lost.csv")
    lost = tiltmeter.load_corpus(tables.folder / "lost.csv")
    assert lost.axes[0].groups == ("young", "grown", "old")  # as they come in the file
    assert any("the order of its groups is a guess" in note for note in lost.notes)


@pytest.mark.parametrize("cell", ["", "x", "[1]", '{"generation": 3}', '{"generation": ["old"]}'])
def test_a_strange_cell_for_the_axes_is_no_order(tables, cell):
    rows = pl.read_csv(tables.folder / "whole.csv", infer_schema=False)
    rows.with_columns(axes=pl.lit(cell)).write_csv(tables.folder / "odd.csv")
    odd = tiltmeter.load_corpus(tables.folder / "odd.csv")
    assert odd.axes[0].groups == ("young", "grown", "old")
    assert any("the order of its groups is a guess" in note for note in odd.notes)


def test_a_large_export_keeps_its_axes_too(tables, monkeypatch):
    monkeypatch.setattr("tiltmeter.corpora.corpus.LARGE", 0)
    again = tiltmeter.load_corpus(tables.folder / "whole.csv")
    assert again.axes[0].groups == ORDER
    given = tiltmeter.load_corpus(tables.folder / "ages.csv", columns=COLUMNS, axes=AXES)
    assert given.axes == again.axes
    assert given.sentences()["text"].to_list() == again.sentences()["text"].to_list()


def test_drawn_datasets_open_again(tmp_path):
    expected = tiltmeter.load_corpus("rating-2-e3", seed=7)
    write_corpus(expected, tmp_path / "drawn.csv")
    again = tiltmeter.load_corpus(tmp_path / "drawn.csv")
    assert again.axes == expected.axes
    assert again.sentences().equals(expected.sentences())


# ------------------------------------------------------------------ --axis and --column


def test_score_and_plan_read_a_table_as_they_are_told(tables):
    done = tables.run(
        "score", "./scorer.py:score", "--corpus", "ages.csv", *READ, "-o", "scores.csv"
    )
    assert done.returncode == 0, done.stderr
    assert "6 scores written" in done.stderr
    done = tables.run("plan", "--corpus", "ages.csv", *READ)
    assert done.returncode == 0, done.stderr
    assert "old" in done.stdout


def test_python_reads_a_table_as_it_is_told(tables):
    done = tiltmeter.audit(
        {"mine": lambda text: 0.5 + 0.1 * ("elder" in text)},
        tables.folder / "ages.csv", columns=COLUMNS, axes={"generation": list(ORDER)},
        store=tables.folder / "python",
    )  # fmt: skip
    found = done.findings.filter(measure="mean_difference", subset="all", contrast="old-young")
    assert found["value"].round(6).to_list() == [0.1]
    with pytest.raises(tiltmeter.TiltmeterError, match="expected a list of them"):
        tiltmeter.load_corpus(tables.folder / "ages.csv", axes={"generation": "old,young"})


def test_a_corpus_that_is_no_table_takes_no_columns(at):
    done = at.run("audit", "constant", "--corpus", "eec", "--axis", "gender=male,female")
    assert done.returncode == 2
    assert "--axis: only for a table" in done.stderr


def test_a_gate_in_pyproject_reads_a_table(tables):
    (tables.folder / "pyproject.toml").write_text(
        "[tool.tiltmeter]\nsystems = ['constant']\ncorpus = 'ages.csv'\n"
        "column = ['text=Sentence', 'template=Pattern']\naxis = 'generation=old,young,grown'\n"
        "gate = 'generation<=0.05'\n"
    )
    done = tables.run("gate")
    assert "old" in done.stdout, done.stderr
    assert done.returncode in (0, 3), done.stderr


STORED = """\
Who,Feeling,Origin,Number,Sentence
F,happy,north,0.5,a
M,happy,south,0.4,b
F,grim,north,-0.5,c
M,grim,south,-0.2,d
F,happy,south,0.5,e
M,happy,north,0.4,f
F,grim,south,-0.5,g
M,grim,north,-0.1,h
"""


def test_rate_reads_stored_outputs_as_it_is_told(at):
    (at.folder / "stored.csv").write_text(STORED)
    read = (
        "--column", "gender=Who", "--column", "emotion=Feeling", "--column", "sentiment=Number",
        "--axis", "gender", "--axis", "origin=north,south",
    )  # fmt: skip
    done = at.run("rate", "--scores", "stored.csv", *read, "-o", "rated", "--draws", "0")
    assert done.returncode == 0, done.stderr
    assert "origin" in done.stdout
    assert "read 'F' as female, 'M' as male" in " ".join(done.stdout.split())
    wrong = at.run("rate", "--scores", "stored.csv", *read[:-1], "origin=north,east", "-o", "no")
    assert wrong.returncode == 2
    assert "origin is 'south'; expected one of north, east" in wrong.stderr
    assert "the group 'east' of origin, but no row holds it" in wrong.stderr
    slip = at.run("rate", "--scores", "stored.csv", "--column", "sentimnt=Number", "-o", "no")
    assert slip.returncode == 2
    assert "did you mean 'sentiment'" in slip.stderr


# ------------------------------------------------------------------ women and men by other names


@pytest.mark.parametrize(
    ("axis", "women", "men"),
    [("Gender", "Female", "Male"), ("gender", "FEMALE", "MALE"), ("sex", "F", "M"),
     ("Sex", "f", "m"), ("gender", "Woman", "Man"), ("target", "women", "men")],
)  # fmt: skip
def test_women_and_men_are_recognised_by_other_names(tmp_path, axis, women, men):
    rows = f"text,template,{axis}\nHe sings.,1,{men}\nShe sings.,1,{women}\n"
    (tmp_path / "mine.csv").write_text(rows)
    asked = {"target": ()} if axis == "target" else None
    corpus = tiltmeter.load_corpus(tmp_path / "mine.csv", axes=asked)
    (found,) = corpus.axes
    assert found.groups == (women, men)  # women minus men, under the user's own names
    assert [found.phrase(group) for group in found.groups] == ["about women", "about men"]
    said = f"{found.name}: {women!r} for women and {men!r} for men, as recognised"
    assert any(note.startswith(said) for note in corpus.notes)


def test_findings_speak_of_women_and_men(tmp_path):
    rows = "He sings.,1,M\nShe sings.,1,F\nHe runs.,2,M\nShe runs.,2,F\n"
    (tmp_path / "mine.csv").write_text(f"text,template,Sex\n{rows}")
    done = tiltmeter.audit(
        {"mine": lambda text: 0.6 if "She" in text else 0.5}, tmp_path / "mine.csv",
        store=tmp_path / "store",
    )  # fmt: skip
    said = done.findings.filter(subset="all", measure="mean_difference")["sentence"][0]
    assert "sentences about women 10 points of 100 higher than the same sentences about men" in said


def test_groups_that_may_be_one_are_kept_apart_and_said(tmp_path):
    rows = "text,template,gender\na,1,F\nb,1,Female\nc,1,M\n"
    (tmp_path / "mine.csv").write_text(rows)
    corpus = tiltmeter.load_corpus(tmp_path / "mine.csv")
    assert corpus.axes[0].groups == ("F", "Female", "M")
    assert [corpus.axes[0].phrase(one) for one in ("F", "M")] == ["marked “F”", "about men"]
    assert any("'F' and 'Female' are kept apart" in note for note in corpus.notes)


def test_a_letter_means_nothing_on_another_axis(tmp_path):
    (tmp_path / "mine.csv").write_text("text,template,grade\na,1,F\nb,1,M\n")
    corpus = tiltmeter.load_corpus(tmp_path / "mine.csv", axes={"grade": ()})
    assert corpus.axes[0].phrase("F") == "marked “F”"


# ------------------------------------------------------------------ sentences in no pair

SPANISH = """\
text,template,person,gender,race,emotion,emotion_word
Ana se siente enojada.,1,Ana,female,Latino,anger,enojada
Amy se siente enojada.,1,Amy,female,Anglo,anger,enojada
Luis se siente enojado.,1,Luis,male,Latino,anger,enojado
Adam se siente enojado.,1,Adam,male,Anglo,anger,enojado
Ana se siente triste.,1,Ana,female,Latino,sadness,triste
Amy se siente triste.,1,Amy,female,Anglo,sadness,triste
Luis se siente triste.,1,Luis,male,Latino,sadness,triste
Adam se siente triste.,1,Adam,male,Anglo,sadness,triste
"""


def test_check_and_audit_say_how_many_sentences_are_in_no_pair(at):
    (at.folder / "es.csv").write_text(SPANISH)
    done = at.run("corpus", "check", "es.csv")
    said = " ".join(done.stdout.split())
    assert "ok pairs: gender: 1 pairs of female and male" in said
    assert "note pairs: gender: 4 of 8 sentences are in no pair" in said
    assert "their lemma in a column emotion_word" in said
    assert "Ana se siente enojada. (female alone in 1/anger/enojada, all)" in said
    assert "compares only some of its sentences" in said
    assert "race: 4 of 8" not in said
    done = at.run("audit", "constant", "--corpus", "es.csv", "-o", "spanish")
    assert "gender: 4 of 8 sentences are in no pair" in " ".join(done.stdout.split())
    page = (at.folder / "spanish" / "report.html").read_text()
    assert "4 of 8 sentences are in no pair" in page
    lemma = SPANISH.replace(",enojada\n", ",enojado\n")
    (at.folder / "lemma.csv").write_text(lemma)
    done = at.run("corpus", "check", "lemma.csv")
    assert "in no pair" not in done.stdout
    assert "holds together" in done.stdout


def test_a_large_table_says_it_too(tmp_path, monkeypatch):
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "es.csv").write_text(SPANISH)
    done = tiltmeter.audit("constant", tmp_path / "es.csv", stream=True, store=tmp_path / "store")
    assert any("4 of 8 sentences are in no pair" in note for note in done.compared[0].notes)
