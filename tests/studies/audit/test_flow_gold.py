"""Skill beside tilt, through the whole audit: gold asked for, looked up in files, ranked, said."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import tiltmeter
from tiltmeter.errors import TiltmeterError
from tiltmeter.schemas import ESTIMATES, validate
from tiltmeter.scoring import Settings
from tiltmeter.systems import Card, Missing, Options, System

SEMEVAL = Path(__file__).parents[4] / "shared" / "data" / "semeval2018"
needs_semeval = pytest.mark.skipif(not SEMEVAL.is_dir(), reason=f"no SemEval data in {SEMEVAL}")

GOLD = pl.DataFrame(
    {
        "id": [f"tw-{nth}" for nth in range(6)],
        "text": ["a fine day", "a bad day", "so good", "awful", "no words here", "happy and glad"],
        "score": [0.8, 0.2, 0.7, 0.1, 0.5, 0.9],
    }
)
LENGTHS = [len(text) for text in GOLD["text"]]


def lengths(texts):
    return [len(text) / 100 for text in texts]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def run(store):
    def run(systems, gold=GOLD, **settings):
        settings = {"store": store, "sample": 8, "flips": 0, **settings}
        return tiltmeter.audit(systems, gold=gold, **settings)

    return run


@pytest.fixture(scope="module")
def eec():
    return tiltmeter.load_corpus("eec").sentences()


def notes(audit, system):
    table = audit.notes
    return table.filter((table["system"] == system) & table["note"].str.contains("skill"))[
        "note"
    ].to_list()


def skill(audit, system):
    return audit.skill.filter(pl.col("system") == system).row(0, named=True)


# ---------------------------------------------------------------- systems that are asked


def test_an_asked_system_is_asked_for_the_gold_texts(run):
    audit = run([lengths, "vader"])
    found = skill(audit, "lengths")
    assert found["pearson"] == pytest.approx(stats.pearsonr(LENGTHS, GOLD["score"]).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(LENGTHS, GOLD["score"]).statistic)
    assert (found["n"], found["gold"], found["rank"]) == (6, "gold", 2)
    assert audit.skill is audit.skill


def test_without_gold_there_is_no_skill(run):
    audit = run(["constant"], gold=None)
    assert audit.skill is None
    assert audit.skill is None
    assert audit.meta is None
    assert audit.run.gold is None


def test_the_correlations_stand_in_the_estimates_and_not_in_the_findings(run):
    audit = run(["vader"])
    table = validate(audit.estimates, ESTIMATES).filter(pl.col("subset") == "gold")
    assert table["measure"].to_list() == ["pearson", "spearman"]
    shown = skill(audit, "vader")
    assert table["value"].to_list() == [shown["pearson"], shown["spearman"]]
    assert "gold" not in audit.findings["subset"]
    with pytest.raises(TiltmeterError) as caught:
        run(["vader"], subset="goldd")
    assert "'gold'" not in str(caught.value)


def test_controls_and_constant_answers_have_no_skill_and_a_note_says_why(run):
    audit = run(["biased-female", "constant", "vader"])
    assert audit.skill["rank"].to_list() == [1, None, None]
    assert notes(audit, "biased-female") == [
        "no skill is known: a control that answers from the corpus' rows; it cannot answer the "
        "gold texts"
    ]
    assert "all the same" in notes(audit, "constant")[0]


def test_gold_for_another_task_gives_no_skill(run):
    audit = run(["vader", "constant"], gold=GOLD.with_columns(task=pl.lit("joy")))
    assert audit.skill["pearson"].to_list() == [None, None]
    assert notes(audit, "vader") == [
        "no skill is known: no gold scores for valence; there are some for joy"
    ]
    assert audit.estimates.filter(pl.col("subset") == "gold").is_empty()


def test_each_task_has_its_own_gold_and_ranks(run):
    joy = GOLD.with_columns(task=pl.lit("joy"))
    anger = GOLD.with_columns(task=pl.lit("anger"), score=1 - pl.col("score"))
    audit = run([lengths, "random"], gold=pl.concat([joy, anger]), tasks=["joy", "anger"])
    by_task = dict(audit.skill.filter(system="lengths").select("task", "pearson").rows())
    assert by_task["joy"] == pytest.approx(-by_task["anger"])
    assert sorted(audit.skill.select("task", "rank").rows()) == [
        ("anger", 1), ("anger", 2), ("joy", 1), ("joy", 2),
    ]  # fmt: skip


def test_a_system_that_fails_on_the_gold_keeps_its_tilt(run):
    def only_sentences(text):
        if text == "awful":
            raise ValueError("too short")
        return len(text) / 100

    gaps = System(Card("gaps"), lambda texts: [
        Missing("no words") if len(text) < 12 and "." not in text else float(len(text))
        for text in texts
    ])  # fmt: skip
    audit = run([only_sentences, gaps])
    assert "raised ValueError: too short" in notes(audit, "only_sentences")[0]
    assert "could not be asked for the gold texts" in notes(audit, "gaps")[0]
    assert set(audit.findings["system"]) == {"only_sentences", "gaps"}
    allowed = run([gaps], settings=Settings(max_missing=1.0))
    assert skill(allowed, "gaps")["n"] == 2
    assert notes(allowed, "gaps") == [
        "no skill is known: it has scores for 2 of 6 gold texts; at least 3 are needed"
    ]


def test_gold_that_nobody_here_could_use_is_an_error_before_anything_is_asked(run):
    asked = []

    def noisy(text):
        asked.append(text)
        return 0.5

    with pytest.raises(TiltmeterError, match="have IDs but no texts, and every system is asked"):
        run([noisy], gold=GOLD.drop("text"))
    assert len(asked) <= 4  # opening a function may try it on a text or two


def test_gold_texts_are_stored_and_not_asked_again(tmp_path):
    asked = []

    def own(texts):
        asked.extend(texts)
        return [float(len(text)) for text in texts]

    system = System(Card("own", version="7"), own)
    for _ in range(2):
        tiltmeter.audit(system, gold=GOLD, store=tmp_path, sample=3, flips=0, check=0)
    assert sum(text == "awful" for text in asked) == 1


def test_what_determined_the_skill_is_on_record(run, tmp_path):
    path = tmp_path / "joy-gold.csv"
    GOLD.vstack(GOLD.head(1)).write_csv(path)
    audit = run(["constant"], gold=path, tasks=["joy"], mode="published")
    facts = audit.run.gold
    assert facts.rank_by == "spearman"  # as K&M rank
    assert facts.rows == 6
    (file,) = facts.files
    assert (file["name"], file["rows"], file["repeated"]) == ("joy-gold.csv", 7, 1)
    assert len(file["sha256"]) == 64
    assert run(["constant"]).run.gold.rank_by == "pearson"
    with pytest.raises(TiltmeterError, match="rank_by is 'auc'"):
        run(["constant"], rank_by="auc")


# ---------------------------------------------------------------- files of scores


def submission(eec, answers, *, ids=True, texts=True, task="valence"):
    """A file as teams hand it in: the tweets' rows, then the corpus'."""
    tweets = GOLD.select("id", "text").with_columns(score=pl.Series(answers, dtype=pl.Float64))
    rng = np.random.default_rng(len(answers))
    rows = eec.select("id", "text").with_columns(score=pl.Series(rng.random(eec.height)))
    frame = pl.concat([tweets, rows]).with_columns(task=pl.lit(task))
    return frame.drop([name for name, kept in (("id", ids), ("text", texts)) if not kept])


GOOD, POOR = [0.9, 0.2, 0.6, 0.1, 0.5, 0.8], [0.1, 0.5, 0.6, 0.3, 0.3, 0.2]


def test_tweets_in_a_file_are_joined_by_id_or_else_by_text(run, eec, tmp_path):
    submission(eec, GOOD, texts=False).write_csv(tmp_path / "by-id.csv")
    submission(eec, POOR, ids=False).write_csv(tmp_path / "by-text.csv")
    audit = run(str(tmp_path))
    expected = {"by-id": GOOD, "by-text": POOR}
    for system, answers in expected.items():
        r = stats.pearsonr(answers, GOLD["score"]).statistic
        assert skill(audit, system)["pearson"] == pytest.approx(r)
    assert audit.skill["system"].to_list() == ["by-id", "by-text"]


def test_corpus_rows_by_text_and_tweets_by_id_in_the_same_file(run, eec, tmp_path):
    mystery = pl.when(pl.col("id").str.starts_with("t0") | pl.col("id").str.starts_with("t1"))
    renamed = submission(eec, GOOD).with_columns(
        id=mystery.then(pl.format("2018-En-mystery-{}", pl.int_range(pl.len()))).otherwise("id")
    )
    renamed.write_csv(tmp_path / "official.csv")
    audit = run(str(tmp_path / "official.csv"), gold=GOLD.drop("text"))
    assert skill(audit, "official")["n"] == 6
    assert audit.findings.filter(pl.col("n") > 0).height


def test_gold_without_texts_serves_files_and_not_systems_that_are_asked(run, eec, tmp_path):
    submission(eec, GOOD).write_csv(tmp_path / "good.csv")
    audit = run([str(tmp_path / "good.csv"), "vader"], gold=GOLD.drop("text"))
    assert skill(audit, "good")["rank"] == 1
    assert notes(audit, "vader") == [
        "no skill is known: the gold scores have no texts to ask it for"
    ]


def test_files_without_the_tweets_keep_their_tilt(run, eec, tmp_path):
    submission(eec, GOOD).tail(eec.height).write_csv(tmp_path / "no-tweets.csv")
    submission(eec, GOOD).write_csv(tmp_path / "whole.csv")
    twice = pl.concat([submission(eec, GOOD), submission(eec, POOR).head(6)])
    twice.write_csv(tmp_path / "two-scores.csv")
    audit = run(str(tmp_path))
    assert audit.skill["system"].to_list() == ["whole", "no-tweets", "two-scores"]
    assert (
        "no scores for the gold texts in its file: none of its 8,640 rows is of the gold"
        in (notes(audit, "no-tweets")[0])
    )
    assert "found 0.9 and 0.1 for the same sentence" in notes(audit, "two-scores")[0]
    alone = run(str(tmp_path / "no-tweets.csv"))
    assert alone.skill["rank"].to_list() == [None]


def test_a_few_missing_tweets_are_counted_and_said(run, eec, tmp_path):
    submission(eec, [0.9, None, 0.6, 0.1, 0.5, 0.8]).write_csv(tmp_path / "gaps.csv")
    audit = run(str(tmp_path / "gaps.csv"))
    assert skill(audit, "gaps")["n"] == 5
    assert notes(audit, "gaps") == [
        "its skill rests on 5 of 6 gold texts; it has no score for the others"
    ]


def test_names_told_apart_on_the_corpus_stay_apart_on_the_gold(run, eec, tmp_path):
    # Both files say "model" for the system; only one holds the tweets.
    named = {name: submission(eec, GOOD).with_columns(system=pl.lit("model")) for name in "ab"}
    named["a"].write_csv(tmp_path / "a.csv")
    named["b"].tail(eec.height).write_csv(tmp_path / "b.csv")
    audit = run(str(tmp_path))
    ranks = dict(audit.skill.select("system", "rank").rows())
    assert ranks == {"model (a.csv)": 1, "model (b.csv)": None}


def test_several_tasks_in_a_folder_have_skill_each(run, eec, tmp_path):
    for task in ("joy", "fear"):
        folder = tmp_path / "team"
        folder.mkdir(exist_ok=True)
        answers = GOOD if task == "joy" else POOR
        submission(eec, answers, task=task).write_csv(folder / f"{task}.csv")
    gold = pl.concat(GOLD.with_columns(task=pl.lit(task)) for task in ("joy", "fear"))
    audit = run(str(tmp_path), gold=gold)
    found = dict(audit.skill.select("task", "pearson").rows())
    assert found["joy"] == pytest.approx(stats.pearsonr(GOOD, GOLD["score"]).statistic)
    assert found["fear"] == pytest.approx(stats.pearsonr(POOR, GOLD["score"]).statistic)


def test_ids_that_two_tasks_both_use_for_other_texts_do_not_mix(run, eec):
    # Each task numbers its own texts from 1, as home-made gold does.
    fear = GOLD.reverse().with_columns(id=GOLD["id"], task=pl.lit("fear"))
    gold = pl.concat([GOLD.with_columns(task=pl.lit("joy")), fear])
    rows = {
        task: part.select("id", "text").with_columns(score=pl.Series(GOOD), task=pl.lit(task))
        for task, part in (("joy", GOLD), ("fear", fear))
    }
    corpus = submission(eec, GOOD).tail(eec.height).select("id", "text", "score")
    both = [
        pl.concat([part, corpus.with_columns(task=pl.lit(task))]) for task, part in rows.items()
    ]
    audit = run({"home-made": pl.concat(both)}, gold=gold)
    found = dict(audit.skill.select("task", "pearson").rows())
    assert found["joy"] == pytest.approx(stats.pearsonr(GOOD, GOLD["score"]).statistic)
    assert found["fear"] == pytest.approx(stats.pearsonr(GOOD, fear["score"]).statistic)


def test_several_corpora_have_one_skill(run):
    audit = run(["vader"], corpus=["eec", "eec-latino"])
    assert audit.skill.height == 1
    validate(audit.estimates, ESTIMATES)


# ---------------------------------------------------------------- what an organiser knows


def test_meta_keeps_the_systems_that_are_audited_and_says_which_are_not(run):
    meta = pl.DataFrame(
        {"system": ["vader", "gone"], "algorithm": ["lexicon", "LSTM"], "features": ["words", "-"]}
    )
    audit = run(["vader", "constant"], meta=meta)
    assert audit.meta.rows() == [("vader", "lexicon", "words")]
    assert audit.meta is audit.meta
    facts = audit.run.meta
    assert (facts.not_audited, facts.not_described) == (("gone",), ("constant",))


def test_meta_that_speaks_of_nobody_here_is_an_error(run):
    with pytest.raises(TiltmeterError, match="none of the systems audited; it has 'vadr': did you"):
        run(["vader"], meta=pl.DataFrame({"system": ["vadr"], "algorithm": ["x"]}))


def test_gold_and_meta_of_no_known_kind_are_refused(run):
    with pytest.raises(TiltmeterError, match="found list for gold; expected a path, or a pandas"):
        run(["constant"], gold=[0.1, 0.2])


# ---------------------------------------------------------------- real tweets


@needs_semeval
def test_vader_s_skill_on_the_english_valence_tweets(store):
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    path = SEMEVAL / "2018-Valence-reg-En-test-gold.txt"
    audit = tiltmeter.audit("vader", gold=path, store=store, sample=8, flips=0)
    lines = path.read_text(encoding="utf-8-sig").splitlines()[1:]
    rows = [line.split("\t") for line in lines if line]
    analyser = SentimentIntensityAnalyzer()
    compound = [analyser.polarity_scores(tweet)["compound"] for _, tweet, _, _ in rows]
    gold = [float(score) for *_, score in rows]
    found = skill(audit, "vader")
    assert found["n"] == len(rows) == 937
    assert found["pearson"] == pytest.approx(stats.pearsonr(compound, gold).statistic, abs=1e-12)
    assert found["spearman"] == pytest.approx(stats.spearmanr(compound, gold).statistic, abs=1e-12)
    assert 0.6 < found["pearson"] < 0.8


@needs_semeval
def test_five_tasks_at_once_from_one_folder(store, tmp_path):
    for path in SEMEVAL.glob("2018-*-reg-En-*test-gold.txt"):
        (tmp_path / path.name).symlink_to(path)
    tasks = ["valence", "anger", "fear", "joy", "sadness"]
    audit = tiltmeter.audit(
        ["nrclex", "random"] if _installed("nrclex") else ["random"],
        gold=tmp_path, tasks=tasks, options=Options(), store=store, sample=8, flips=0,
    )  # fmt: skip
    sizes = dict(audit.skill.filter(system="random").select("task", "n").rows())
    assert sizes == {"valence": 937, "anger": 1002, "fear": 986, "joy": 1105, "sadness": 975}
    # chance alone: |r| is below 4 / √n for a system that draws at random
    assert audit.skill.filter(system="random")["pearson"].abs().max() < 4 / np.sqrt(900)


def _installed(name):
    from tiltmeter.systems import LISTED

    return LISTED[name].ready
