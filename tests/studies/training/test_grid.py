"""A grid of reference systems: what the data allow, resumed, and nothing lost on the way."""

import json

import polars as pl
import pytest

import command_line
import tiltmeter
from labelled_days import write_labelled, write_semeval
from tiltmeter.errors import IncompleteError, OutputError, TiltmeterError, UnknownNameError
from tiltmeter.files import file_digest
from tiltmeter.report.folder import begin_run
from tiltmeter.studies.training.grid import train_grid
from tiltmeter.studies.training.reproduce import reproduce

QUICK = ("svm-unigrams", "lexicon-svr")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = write_semeval(tmp_path_factory.mktemp("semeval"))
    return write_semeval(folder, "fear")


class Seen:
    def __init__(self):
        self.lines, self.told = [], []

    def begin(self, cells):
        self.lines.append(cells)

    def cell(self, cell):
        self.lines.append(str(cell))

    def tell(self, what):
        self.told.append(what)

    def done(self, _cell, card, note):
        self.lines.append(note if card is None else (note or "new"))


@pytest.fixture(scope="module")
def grid(data, tmp_path_factory):
    return train_grid(data, tmp_path_factory.mktemp("grid") / "models", recipes=QUICK)


def test_every_cell_the_data_allow_is_trained_under_a_name_of_its_own(grid):
    assert grid.skill.select("language", "task", "system", "folder").rows() == [
        ("en", "fear", "svm-unigrams-en", "en/fear/svm-unigrams"),
        ("en", "fear", "lexicon-svr-en", "en/fear/lexicon-svr"),
        ("en", "joy", "svm-unigrams-en", "en/joy/svm-unigrams"),
        ("en", "joy", "lexicon-svr-en", "en/joy/lexicon-svr"),
    ]
    assert (grid.trained, grid.kept, grid.failed) == (4, 0, {})
    assert pl.read_csv(grid.folder / "skill.csv").height == 4
    assert grid.skill["test_pearson"].min() > 0.7


def test_what_stands_is_kept_and_what_changed_is_trained_anew(data, tmp_path):
    models = tmp_path / "models"
    first = train_grid(data, models, recipes=["svm-unigrams"], tasks=["joy"])
    written = (first.models[0] / "model.json").stat().st_mtime_ns
    seen = Seen()
    again = train_grid(data, models, recipes=["svm-unigrams"], watch=seen)
    assert (again.trained, again.kept) == (1, 1)  # fear is new
    assert seen.lines == [2, "en fear svm-unigrams", "new", "en joy svm-unigrams", "stands already"]
    assert (first.models[0] / "model.json").stat().st_mtime_ns == written
    other = train_grid(data, models, recipes=["svm-unigrams"], tasks=["joy"], seed=1)
    assert (other.trained, other.kept) == (1, 0)


def test_a_model_whose_data_changed_or_whose_weights_are_damaged_is_trained_anew(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    write_semeval(data)
    models = tmp_path / "models"
    made = train_grid(data, models, recipes=["svm-unigrams"]).models[0]
    weights = made / json.loads((made / "model.json").read_text())["weights"]["file"]
    weights.write_bytes(weights.read_bytes()[:-9])
    assert train_grid(data, models, recipes=["svm-unigrams"]).trained == 1
    write_labelled(data / "2018-EI-reg-En-joy-train.txt", 150, 9)
    assert train_grid(data, models, recipes=["svm-unigrams"]).trained == 1
    assert train_grid(data, models, recipes=["svm-unigrams"]).trained == 0


def test_a_cell_that_cannot_be_trained_does_not_stop_the_others(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    write_semeval(data)
    for part in ("train", "dev"):
        write_labelled(data / f"2018-EI-reg-En-fear-{part}.txt", 5, 1, "fear")
    done = train_grid(data, tmp_path / "models", recipes=["svm-unigrams"])
    assert done.skill["task"].to_list() == ["joy"]
    assert "the train part has 5 labelled texts" in done.failed["en fear svm-unigrams"]


def test_a_folder_of_models_is_all_of_them_or_those_for_a_task(grid, tmp_path):
    def systems(**asked):
        found = tiltmeter.score(str(grid.folder), sample=4, store=tmp_path, **asked).scores
        return sorted(found.select("system", "task").unique().rows())

    both = [("lexicon-svr-en", "joy"), ("svm-unigrams-en", "joy")]
    assert systems(tasks=["joy"]) == both
    assert len(systems()) == 4
    with pytest.raises(TiltmeterError, match="holds 4 trained models, none of them for anger"):
        systems(tasks=["anger"])


@pytest.mark.parametrize(
    ("asked", "error", "what"),
    [
        ({"recipes": ["svm-tfdf"]}, UnknownNameError, "did you mean 'svm-tfidf'"),
        ({"languages": ["fr"]}, UnknownNameError, "no language called 'fr'"),
        ({"tasks": ["mirth"]}, UnknownNameError, "no task called 'mirth'"),
        ({"languages": ["ar"]}, TiltmeterError, "found nothing to train on"),
    ],
)
def test_what_cannot_be_meant_is_one_clear_message(data, tmp_path, asked, error, what):
    with pytest.raises(error, match=what):
        train_grid(data, tmp_path / "models", **asked)
    assert not (tmp_path / "models").exists()


def test_a_folder_that_holds_something_else_is_left_alone(data, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match=r"holds 'thesis\.txt' and is no grid"):
        train_grid(data, tmp_path)
    with pytest.raises(OutputError, match="holds no earlier reproduction"):
        reproduce(data, tmp_path)


def test_the_command_says_how_it_gets_on_and_exits_4_where_a_cell_failed(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    write_semeval(data)
    for part in ("train", "dev"):
        write_labelled(data / f"2018-EI-reg-En-fear-{part}.txt", 5, 1, "fear")
    words = ("train", "--grid", "svm-unigrams", "--data", data, "-o", "models")
    done = command_line.tiltmeter(*words, folder=tmp_path)
    assert done.returncode == 4
    assert "2 of 2  en joy svm-unigrams: test Pearson 0.9" in done.stderr
    assert "error: 1 of 2 models could not be trained: en fear svm-unigrams" in done.stderr
    assert "Models: 1 trained, 0 stood already" in done.stdout


# ---------------------------------------------------------------- the papers again


@pytest.fixture(scope="module")
def reproduction(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduction") / "out"
    store = tmp_path_factory.mktemp("store")
    found = reproduce(data, folder, recipes=["svm-unigrams"], store=store, command="tiltmeter x")
    return folder, found


def test_the_results_page_puts_ours_beside_the_paper_s(reproduction):
    folder, found = reproduction
    page = (folder / "results.html").read_text()
    joy = found.skill.filter(task="joy")["test_pearson"][0]
    for shown in (f"{joy:.3f}", "0.596", "BERT+", "svm-unigrams-en", "Where our numbers differ"):
        assert shown in page
    assert "<script src" not in page
    assert page.count("<script") == 1  # the page's own, which folds and unfolds
    assert (folder / "en" / "report.html").is_file()
    assert pl.read_csv(folder / "tilts.csv").height == found.tilts.height


def test_run_json_lists_every_file_when_all_is_written(reproduction):
    folder, found = reproduction
    told = json.loads((folder / "run.json").read_text())
    assert (told["tool"], told["complete"]) == ("tiltmeter", True)
    assert told["run"] == {
        "study": "reproduction", "models": ["en fear svm-unigrams", "en joy svm-unigrams"],
        "vectors": {}, "seed": 0,
    }  # fmt: skip
    assert told["environment"]["command"] == "tiltmeter x"
    listed = {one["file"]: one["sha256"] for one in told["files"]}
    assert set(listed) == {"results.html", "results.json", "skill.csv", "tilts.csv"}
    assert all(file_digest(folder / name) == digest for name, digest in listed.items())
    results = json.loads((folder / "results.json").read_text())
    assert results["run"] == told["run"]
    assert len(results["skill"]) == 2
    assert len(results["tilts"]) == found.tilts.height


class Stopping(Seen):
    """Stops a run when its second model is to be trained."""

    def cell(self, cell):
        super().cell(cell)
        if len(self.lines) > 2:
            raise KeyboardInterrupt


def test_an_interrupted_reproduction_is_begun_and_goes_on_where_it_was(data, tmp_path):
    asked = {"recipes": ["svm-unigrams"], "store": tmp_path / "store"}
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        reproduce(data, out, watch=Stopping(), **asked)
    begun = json.loads((out / "run.json").read_text())
    assert (begun["complete"], begun["files"]) == (False, [])
    assert begun["run"]["models"] == ["en fear svm-unigrams", "en joy svm-unigrams"]
    assert not (out / "results.html").exists()
    seen = Seen()
    reproduce(data, out, watch=seen, **asked)
    assert seen.lines == [2, "en fear svm-unigrams", "stands already", "en joy svm-unigrams", "new"]
    assert json.loads((out / "run.json").read_text())["complete"]


def test_folders_of_earlier_reproductions_are_gone_on_with_and_others_left_alone(data, tmp_path):
    asked = {"recipes": ["svm-unigrams"], "tasks": ["joy"], "store": tmp_path / "store"}
    out = tmp_path / "out"
    with pytest.raises(UnknownNameError):
        reproduce(data, out, tasks=["mirth"])
    assert not out.exists()  # what cannot be meant leaves nothing behind
    train_grid(data, out / "models", recipes=["svm-unigrams"], tasks=["joy"])
    seen = Seen()
    reproduce(data, out, watch=seen, **asked)  # as before run.json was written
    assert seen.lines[-1] == "stands already"
    reproduce(data, out, **asked)
    begin_run(tmp_path / "begun", {"study": "reproduction"}, {})  # stopped before its first model
    reproduce(data, tmp_path / "begun", **asked)
    for other in (tmp_path / "begun" / "en", tmp_path / "store"):  # an audit's, and nobody's
        with pytest.raises(OutputError, match="holds no earlier reproduction"):
            reproduce(data, other, **asked)


def test_the_tilts_are_those_of_the_audit(reproduction):
    folder, found = reproduction
    findings = json.loads((folder / "en" / "findings.json").read_text())["findings"]
    audited = {
        (one["task"], one["corpus"], one["axis"]): one["value"]
        for one in findings
        if one["subset"] == "all" and one["measure"] == "mean_difference"
    }
    rows = found.tilts.select("task", "corpus", "axis", "value").rows()
    assert {row[:3]: pytest.approx(row[3]) for row in rows} == audited
    assert {corpus for _, corpus, _ in audited} == {"eec", "eec-latino", "eec-arab"}


def test_published_numbers_are_those_of_the_paper_s_table():
    from tiltmeter.studies.training.paper_tables import PAPER_TASKS, TABLE_2

    assert len(TABLE_2) == 15
    cells = {
        (one.language, one.name): dict(zip(PAPER_TASKS, one.pearson, strict=True))
        for one in TABLE_2
    }
    # Three cells read off the paper's Table 2.
    assert cells["en", "BERT+"]["anger"] == 0.592
    assert cells["es", "SVM-tfidf"]["fear"] == 0.638
    assert cells["ar", "XLM-RoBERTa"]["sadness"] == 0.139


def test_a_reproduction_in_which_nothing_can_be_trained_says_why(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for part in ("train", "dev"):
        write_labelled(data / f"2018-EI-reg-En-joy-{part}.txt", 5, 1)
    with pytest.raises(IncompleteError, match=r"no model could be trained: en joy svm-unigrams"):
        reproduce(data, tmp_path / "out", recipes=["svm-unigrams"])


def test_a_narrowed_run_keeps_the_rows_of_models_that_stand(data, tmp_path):
    models = tmp_path / "models"
    train_grid(data, models, recipes=["svm-unigrams"])
    train_grid(data, models, recipes=["svm-unigrams"], tasks=["joy"])
    assert sorted(pl.read_csv(models / "skill.csv")["task"]) == ["fear", "joy"]


@pytest.mark.parametrize("linked", ["models", "models/en", "models/en/joy", "en"])
def test_nothing_is_trained_or_written_through_a_link_in_the_folder(linked, data, tmp_path):
    place, victim = tmp_path / "grid", tmp_path / "victim"
    victim.mkdir()
    (place / "models").mkdir(parents=True)
    (place / "models" / "skill.csv").write_text("")
    if linked == "models":
        (place / "models" / "skill.csv").unlink()
        (place / "models").rmdir()
    link = place / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim)
    with pytest.raises(OutputError, match=r"is a link, which results are not written through"):
        reproduce(data, place, recipes=QUICK)
    assert list(victim.iterdir()) == []


def test_a_table_of_a_grid_that_is_a_link_is_replaced(data, tmp_path):
    victim = tmp_path / "letter.txt"
    victim.write_text("dear")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "skill.csv").symlink_to(victim)
    train_grid(data, tmp_path / "models", recipes=["lexicon-svr"])
    assert victim.read_text() == "dear"
    assert not (tmp_path / "models" / "skill.csv").is_symlink()
