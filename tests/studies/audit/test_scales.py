"""One scale for each system, over all its tasks: declared or inferred, and always named."""

import polars as pl
import pytest

import tiltmeter
from small_audit import small_corpus, small_folder, write_folder
from tiltmeter.errors import TiltmeterError
from tiltmeter.scoring import ScaleSource
from tiltmeter.studies.audit.verify import pack, verify
from tiltmeter.studies.skill.run import skill
from tiltmeter.studies.versions.compare import compare
from tiltmeter.studies.versions.drift import drift
from tiltmeter.systems import Options, Scale

TASKS = ("anger", "fear", "joy")


@pytest.fixture
def corpus(tmp_path):
    return small_corpus(tmp_path)


def table(corpus, lowest=-0.02):
    """Scores of three tasks, those about women 0.04 higher; one of fear's lies below 0."""
    sentences = corpus.sentences()
    women = (sentences["gender"] == "female").cast(pl.Float64) * 0.04
    parts = []
    for task in TASKS:
        scores = 0.3 + women + 0.05 * (pl.Series(range(sentences.height)) // 8).cast(pl.Float64)
        if task == "fear":
            scores[0] = lowest
        parts.append(sentences.select("id", task=pl.lit(task), score=scores))
    return pl.concat(parts)


def scales(run):
    return {(one.card.name, one.card.task): one.resolved_scale.scale for one in run.scored}


def by_task(text):
    """A function that goes below 0 for the task of a sentence that speaks of it."""
    return -0.5 if "glad" in text and "Ann" in text else 0.5


def test_a_table_of_several_tasks_has_one_scale(corpus, tmp_path):
    """Fear alone was read on −1..1 and its effect halved beside the others'."""
    found = tiltmeter.audit({"team": table(corpus)}, corpus, store=tmp_path / "s", measures="pairs")
    assert set(scales(found.runs[0]).values()) == {Scale(-1, 1)}
    assert {one.resolved_scale.known for one in found.runs[0].scored} == {ScaleSource.INFERRED}
    tilts = found.findings.filter(measure="mean_difference", subset="all", axis="gender")
    by = dict(tilts.select("task", "value").rows())
    # 0.04 of a scale 2 long is 0.02; the one low score moves fear's mean a little.
    assert by["anger"] == by["joy"] == pytest.approx(0.02, abs=1e-9)
    assert by["fear"] < by["anger"]


def test_a_task_chosen_is_on_the_scale_of_all(corpus, tmp_path):
    run = tiltmeter.score({"team": table(corpus)}, corpus, tasks=["joy"], store=tmp_path / "s")
    assert scales(run) == {("team", "joy"): Scale(-1, 1)}


def test_a_scale_holds_over_corpora(tmp_path):
    """A function that answers below 0 on one corpus only is on −1..1 on both."""
    one, two = small_corpus(tmp_path, "one"), small_corpus(tmp_path, "two")
    given = {"both": pl.concat([_scores(one, 0.5), _scores(two, -0.5)])}
    found = tiltmeter.audit(given, [one, two], store=tmp_path / "s", measures="pairs", flips=0)
    assert [scales(run)["both", "valence"] for run in found.runs] == [Scale(-1, 1)] * 2
    assert found.runs[0].scores["score"].to_list() == [0.75] * 32  # (0.5 + 1) / 2


def _scores(corpus, value):
    rows = corpus.sentences().select("corpus", "id", raw=pl.lit(value))
    return rows.select(
        system=pl.lit("both"), task=pl.lit("valence"), corpus="corpus", id="id",
        repeat=pl.lit(0), raw="raw", score="raw", reason=pl.lit(None, pl.String),
    )  # fmt: skip


def test_a_streamed_audit_has_the_same_scales(corpus, tmp_path):
    how = {"tasks": ["joy", "anger"], "store": tmp_path / "s"}
    held, parts = (
        tiltmeter.score({"mine": by_task}, corpus, stream=stream, **how) for stream in (False, True)
    )
    assert (
        scales(held)
        == scales(parts)
        == dict.fromkeys([("mine", "joy"), ("mine", "anger")], Scale(-1, 1))
    )
    options = Options(scale={"mine": (-2, 2)})
    told = tiltmeter.score({"mine": by_task}, corpus, stream=True, options=options, **how)
    assert set(scales(told).values()) == {Scale(-2, 2)}
    assert told.scores["score"].max() == 0.625  # (0.5 + 2) / 4


@pytest.mark.parametrize("stream", [False, True])
def test_each_system_may_have_a_scale_declared(corpus, tmp_path, stream):
    options = Options(scale={"one": (-5, 5), "default": "0:2"})
    given = {"one": by_task, "two": by_task, "vader": "vader"}
    run = tiltmeter.score(given, corpus, options=options, store=tmp_path / "s", stream=stream)
    assert list(scales(run).values()) == [Scale(-5, 5), Scale(0, 2), Scale(-1, 1)]
    assert {one.resolved_scale.known for one in run.scored} == {ScaleSource.DECLARED}
    assert [one.resolved_scale.outside for one in run.scored][:2] == [0, 2]
    said = "; ".join(run.scored[1].remarks)
    assert "answers outside the scale 0 to 2: 2, kept as they are; the first: −0.5 for" in said
    kept = "keeps its own scale, −1 to 1: one without a system's name, 0 to 2, is for systems that"
    assert kept in "; ".join(run.scored[2].notes)
    assert "keeps its own" not in "; ".join(run.scored[0].notes)
    named = Options(scale={"theirs": "-5:5", "default": "0:2"})
    run = tiltmeter.score({"theirs": "vader"}, corpus, options=named, store=tmp_path / "s",
                          stream=stream)  # fmt: skip
    assert list(scales(run).values()) == [Scale(-5, 5)]


def test_a_scale_of_nobody_is_refused_before_anything_is_asked(corpus, tmp_path):
    asked = []

    def mine(texts):
        asked.extend(texts)
        return [0.5] * len(texts)

    options = Options(scale={"mien": (0, 1)})
    for stream in (False, True):
        asked.clear()
        with pytest.raises(TiltmeterError, match="'mien', which is not here: did you mean 'mine'"):
            tiltmeter.score(
                {"mine": mine}, corpus, options=options, store=tmp_path / "s", stream=stream
            )
        assert len(asked) <= 4  # opening a function may try it on a text or two
    with pytest.raises(TiltmeterError, match="the systems are scores"):
        tiltmeter.score(table(corpus), corpus, options=options, store=tmp_path / "s")


def test_a_score_just_outside_is_shown_unrounded(corpus, tmp_path):
    given = table(corpus, 1.0000001)
    options = Options(scale=(0, 1))
    run = tiltmeter.score({"team": given}, corpus, options=options, store=tmp_path / "s")
    fear = next(one for one in run.scored if one.card.task == "fear")
    assert "the scale 0 to 1: 1, kept as they are; the first: 1.0000001 for" in fear.remarks[-1]
    assert run.reports[0].out_of_range == 1
    assert "outside the scale 0 to 1, kept as they are: 1, the first is 1.0000001" in "".join(
        run.reports[0].notes
    )


def test_skill_has_one_scale_for_all_tasks(tmp_path):
    texts = [f"text {nth}" for nth in range(30)]
    gold = pl.DataFrame({"id": texts, "text": texts, "score": [nth / 30 for nth in range(30)]})
    gold = pl.concat([gold.with_columns(task=pl.lit(task)) for task in ("joy", "fear")])
    given = gold.select(
        "id", "task", score=pl.col("score") - pl.when(task="fear").then(0.1).otherwise(0)
    )
    found = skill({"team": given}, gold, resamples=200, store=tmp_path)
    errors = dict(found.overall.filter(measure="mae").select("task", "value").rows())
    # On −1..1 a score y is read as (y + 1) / 2: joy's mean distance is the mean of (1 − y) / 2.
    assert errors["joy"] == pytest.approx(sum((1 - nth / 30) / 2 for nth in range(30)) / 30)


def test_verify_reads_answers_on_the_scale_of_the_audit(corpus, tmp_path, monkeypatch):
    """Joy alone lies in 0..1; its scale is −1..1 by the other tasks, which were left out."""
    found = tiltmeter.audit(
        {"team": table(corpus)}, corpus, tasks=["joy", "anger"], store=tmp_path / "s", flips=0
    )
    folder = write_folder(found, tmp_path / "out", monkeypatch)
    (facts, _) = found.run.systems
    assert (facts.scale, facts.scale_known) == ("−1 to 1", "inferred")
    pack(folder, tmp_path / "pack.zip")
    assert verify(tmp_path / "pack.zip")


def test_drift_is_told_on_the_scale_of_the_baseline(tmp_path, monkeypatch):
    """A sample without the low answer was read on 0..1, and every answer had "moved"."""
    low = {"mine": lambda texts: [-0.5 if "Ann" in text else 0.5 for text in texts]}
    folder = small_folder(tmp_path, monkeypatch, low, flips=0)
    now = drift(folder, ("mine", lambda texts: [0.5 for _ in texts]), store=tmp_path / "again")
    assert now.versions["old_scale"].to_list() == now.versions["new_scale"].to_list()


def test_two_versions_are_compared_on_one_scale(tmp_path, monkeypatch):
    """One answer of −0.02 was read as half a tilt, and the version as better."""

    def even(text):
        return 0.7 if any(name in text for name in ("Ann", "Bea", "Eva", "Fay")) else 0.5

    def low(text):
        return -0.02 if text in ("Ann feels glad.", "Cid feels glad.") else even(text)

    folders = []
    for name, function in (("old", even), ("new", low)):
        (tmp_path / name).mkdir()
        where = tmp_path / name
        found = tiltmeter.audit(
            {"mine": function}, small_corpus(where), store=where / "s", measures="pairs", flips=0
        )
        folders.append(write_folder(found, where / "out", monkeypatch))
    versions = compare(*folders)
    gender = versions.changes.filter(axis="gender").row(0, named=True)
    # On −1..1 the old tilt is 0.2 / 2; of 16 sentences each, one of women loses 0.72 and one of
    # men 0.52, so that the tilt falls by 0.2 / 16 / 2 = 0.00625.
    assert (gender["old"], gender["change"]) == (pytest.approx(0.1), pytest.approx(-0.00625))
    assert any("both are read on −1 to 1" in note for note in versions.notes)
