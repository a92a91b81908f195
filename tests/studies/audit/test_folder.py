"""The output folder: its contract, whose it is, and that nothing of anyone else's is lost."""

import hashlib
import json
import os
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from jinja2 import DictLoader, Environment

import tiltmeter.studies.audit.figures as figures_module
import tiltmeter.studies.audit.page as page_module
from simulated_material import material_of, scored
from tiltmeter.corpora import load_corpus
from tiltmeter.errors import MissingExtraError, OutputError
from tiltmeter.report.charts import can_draw
from tiltmeter.report.folder import check_folder, results_in
from tiltmeter.report.page import CompiledTemplates, Page, Section
from tiltmeter.studies.audit.findings import findings_json

EEC = load_corpus("eec")
SENTENCES = EEC.sentences()
KEYS = [
    "id", "system", "task", "corpus", "edition", "mode", "axis", "contrast", "subset", "measure",
    "value", "low", "high", "p", "p_adjusted", "family", "n", "significance", "verdict", "margin",
    "rule", "sentence",
]  # fmt: skip
NAMES = ["=HYPERLINK(1)", "<script>alert(1)</script>", "../../up", "Same", "same", "n" * 300]


@pytest.fixture(scope="module")
def run():
    """Six systems named to make trouble, one of them with missing scores."""
    rng = np.random.default_rng(1)
    level = rng.uniform(0.3, 0.7, SENTENCES.height)
    missing = np.where(rng.random(SENTENCES.height) < 0.1, np.nan, level)
    tilted = level + 0.1 * (SENTENCES["gender"] == "female").to_numpy()
    values = [tilted, missing, *([level] * 4)]
    scores = pl.concat(
        scored(SENTENCES, name, "joy", value) for name, value in zip(NAMES, values, strict=True)
    )
    return material_of(scores, EEC)


@pytest.fixture(scope="module")
def written(run, tmp_path_factory):
    """A folder written whole, with the real page, figures and a page for each system."""
    folder = tmp_path_factory.mktemp("audit") / "out"
    run.report(folder, individual=True, figures=can_draw())
    return folder


@pytest.fixture
def quick(monkeypatch):
    """Pages and figures stand in where a test is about files alone."""

    def quick_page(_, only=None, **__):
        return Page("report.html", str(only), Section("answer", ""))

    monkeypatch.setattr(page_module, "audit_page", quick_page)
    monkeypatch.setattr(figures_module, "drawn_figures", lambda _: [("figure1.svg", b"<svg/>")])


def names_in(folder):
    return {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}


def test_the_folder_holds_what_the_contract_says(written):
    files = {one.name for one in written.iterdir()}
    drawn = {"figures"} if can_draw() else set()
    assert files == drawn | {
        "report.html", "findings.json", "estimates.parquet", "scores.parquet", "sentences.parquet",
        "people.parquet", "run.json", "tables", "individual",
    }  # fmt: skip


def test_every_group_table_is_there_for_spreadsheets_and_for_papers(written):
    tables = {one.name for one in (written / "tables").iterdir()}
    for name in ("table5-gender-all", "table6-gender-neutral", "table7-race-all"):
        assert {f"{name}.csv", f"{name}.tex"} <= tables
    assert {"differences.csv", "largest-pairs.csv", "people.csv", "templates-words.csv",
            "matches.csv"} <= tables  # fmt: skip


def test_no_file_is_left_half_written(written):
    assert not [name for name in names_in(written) if "/." in f"/{name}"]


def test_findings_json_has_the_keys_of_the_contract_in_order(written, run):
    told = json.loads((written / "findings.json").read_text(encoding="utf-8"))
    assert list(told) == ["schema_version", "environment", "run", "findings"]
    assert [list(one) for one in told["findings"]] == [KEYS] * run.findings.height


def test_findings_json_ends_with_a_newline_and_has_a_finding_a_line(run):
    text = findings_json(run)
    assert text.endswith("}\n")
    lines = [line for line in text.splitlines() if line.startswith('    {"id": ')]
    assert len(lines) == run.findings.height


def test_numbers_have_ten_significant_digits_and_missing_ones_are_null(run):
    material = run
    third = material.paired_findings.head(2).with_columns(
        value=pl.Series([1 / 3, -2 / 3e7]), low=pl.Series([None, -0.0]), p=pl.lit(1e-300)
    )
    text = findings_json(replace(material, paired_findings=third))
    assert '"value": 0.3333333333, "low": null,' in text
    assert '"value": -6.666666667e-08, "low": 0.0,' in text
    assert '"p": 1e-300' in text


def test_findings_are_the_same_bytes_whatever_the_environment(run):
    here = findings_json(run)
    there = findings_json(replace(run, environment={"time": "later", "command": "x\udc80"}))
    assert here != there
    cut = [text[text.index('  "run": ') :] for text in (here, there)]
    assert cut[0] == cut[1]
    there.encode()  # half a character of a command line does not stop us


def test_an_empty_run_is_still_json(run):
    empty = replace(run, paired_findings=run.paired_findings.clear())
    assert json.loads(findings_json(empty))["findings"] == []


def test_run_json_lists_every_other_file_with_its_digest(written):
    told = json.loads((written / "run.json").read_text(encoding="utf-8"))
    assert list(told) == ["schema_version", "tool", "complete", "environment", "run", "files"]
    assert told["tool"] == "tiltmeter"
    assert {one["file"] for one in told["files"]} == names_in(written) - {"run.json"}
    for one in told["files"]:
        data = (written / one["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == one["sha256"]


def test_parquet_files_hold_the_tables_and_what_they_are_of(written, run):
    assert pl.read_parquet(written / "estimates.parquet").equals(run.estimates)
    assert pl.read_parquet(written / "scores.parquet").equals(run.scores)
    assert pl.read_parquet(written / "sentences.parquet").equals(SENTENCES)
    about = pl.read_parquet_metadata(written / "scores.parquet")
    assert about["tiltmeter.corpus"] == "eec"
    assert about["tiltmeter.edition"] == EEC.edition
    assert "tiltmeter.sample" not in about


@pytest.mark.usefixtures("quick")
def test_a_sample_is_said_in_the_tables(run, tmp_path):
    part = replace(run.compared[0], sample="5 frames")
    replace(run, compared=(part,)).report(tmp_path / "out")
    about = pl.read_parquet_metadata(tmp_path / "out" / "estimates.parquet")
    assert about["tiltmeter.sample"] == "5 frames"


def test_no_cell_of_a_spreadsheet_is_a_formula(written):
    for path in written.rglob("*.csv"):
        for column in pl.read_csv(path, infer_schema_length=None).select(pl.col(pl.String)):
            assert not column.str.contains(r"^[=+\-@\t\r]").any()
    differences = pl.read_csv(written / "tables" / "differences.csv")
    assert "'=HYPERLINK(1)" in set(differences["system"])
    assert differences["low"].dtype == pl.Float64  # a minus sign of a number stays


def test_tables_keep_full_precision(written, run):
    read = pl.read_csv(written / "tables" / "differences.csv")
    known = run.estimates.filter(pl.col("measure") == "mean_difference")
    assert read["mean_difference"].to_list() == known["value"].to_list()


def test_each_system_has_a_page_of_its_own_with_a_safe_name(written):
    index = pl.read_csv(written / "individual" / "index.csv")
    assert index["system"].to_list() == ["'=HYPERLINK(1)", *NAMES[1:]]
    assert index["file"].str.to_lowercase().n_unique() == len(NAMES)
    assert index["file"].str.contains(r"^[a-z0-9-]+\.html$").all()
    pages = {one.name for one in (written / "individual").iterdir()}
    assert pages == {*index["file"], "index.csv"}


def test_the_report_and_each_systems_page_are_real_pages(written):
    for path in [written / "report.html", *(written / "individual").glob("*.html")]:
        text = path.read_text(encoding="utf-8")
        assert text.lstrip().lower().startswith("<!doctype html>")
        assert "<script>alert(1)</script>" not in text


@pytest.mark.usefixtures("quick")
class TestWhoseAFolderIs:
    def test_an_empty_folder_and_a_new_one_deep_down_can_be_used(self, run, tmp_path):
        (tmp_path / "empty").mkdir()
        for folder in (tmp_path / "empty", tmp_path / "a" / "b" / "c"):
            check_folder(folder)
            run.report(folder)
            assert (folder / "run.json").is_file()

    def test_checking_makes_nothing(self, tmp_path):
        check_folder(tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_a_folder_with_something_else_is_left_alone(self, run, tmp_path):
        (tmp_path / "thesis.txt").write_text("years of work")
        with pytest.raises(OutputError, match=r"not empty.*force=True"):
            run.report(tmp_path)
        assert names_in(tmp_path) == {"thesis.txt"}

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", '{"tool": "other", "schema_version": 1}', "["]
    )
    def test_someone_elses_run_json_does_not_make_a_folder_ours(self, tmp_path, text):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(OutputError, match="not empty"):
            check_folder(tmp_path)

    def test_force_writes_beside_what_is_there(self, run, tmp_path):
        (tmp_path / "thesis.txt").write_text("years of work")
        (tmp_path / "tables").mkdir()
        (tmp_path / "tables" / "mine.csv").write_text("1")
        run.report(tmp_path, force=True)
        run.report(tmp_path)
        assert {"thesis.txt", "tables/mine.csv", "report.html"} <= names_in(tmp_path)

    @pytest.mark.parametrize("force", [False, True])
    def test_a_file_in_the_place_of_the_folder_is_kept(self, tmp_path, force):
        (tmp_path / "out").write_text("a file")
        with pytest.raises(OutputError, match="is a file"):
            check_folder(tmp_path / "out", force)
        with pytest.raises(OutputError, match="is a file"):
            check_folder(tmp_path / "out" / "deeper", force)
        assert (tmp_path / "out").read_text() == "a file"

    def test_a_place_that_cannot_be_written_to_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_: False)
        with pytest.raises(OutputError, match="cannot be written to"):
            check_folder(tmp_path)
        with pytest.raises(OutputError, match="cannot be written to"):
            check_folder(tmp_path / "new")

    def test_a_page_that_fails_leaves_nothing_behind(self, run, tmp_path, monkeypatch):
        def fails(material, **_):  # noqa: ARG001
            raise RuntimeError

        monkeypatch.setattr(page_module, "audit_page", fails)
        with pytest.raises(RuntimeError):
            run.report(tmp_path / "out")
        assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
class TestTidyingUp:
    @pytest.fixture
    def ours(self, run, tmp_path):
        folder = tmp_path / "out"
        run.report(folder, individual=True)
        return folder

    @staticmethod
    def listing_also(folder, path, name=None):
        """Claim in run.json that a file is ours, with its true digest."""
        told = json.loads((folder / "run.json").read_text())
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        told["files"].append({"file": name or str(path), "sha256": digest})
        (folder / "run.json").write_text(json.dumps(told))

    def test_files_of_an_earlier_run_go_and_empty_folders_with_them(self, run, ours, monkeypatch):
        assert (ours / "individual" / "index.csv").exists()
        monkeypatch.setattr(figures_module, "drawn_figures", lambda _: [("figure9.svg", b"<svg/>")])
        run.report(ours, figures=True)
        assert not (ours / "individual").exists()
        assert names_in(ours / "figures") == {"figure9.svg"}

    def test_what_someone_added_or_changed_stays(self, run, ours):
        (ours / "individual" / "note.txt").write_text("mine")
        (ours / "individual" / "index.csv").write_text("changed")
        run.report(ours)
        assert names_in(ours / "individual") == {"note.txt", "index.csv"}

    def test_a_tampered_list_removes_nothing_outside(self, run, ours, tmp_path):
        outside = tmp_path / "precious.txt"
        outside.write_text("precious")
        beside = ours / "notes.txt"
        beside.write_text("beside")
        for name in ("../precious.txt", "tables/../../precious.txt", str(outside)):
            self.listing_also(ours, outside, name)
        self.listing_also(ours, beside, "notes.txt")
        run.report(ours)
        assert outside.read_text() == "precious"
        assert beside.exists()

    def test_links_are_not_followed(self, run, ours, tmp_path):
        away = tmp_path / "away"
        away.mkdir()
        (away / "precious.txt").write_text("precious")
        (ours / "tables" / "link.txt").symlink_to(away / "precious.txt")
        self.listing_also(ours, ours / "tables" / "link.txt", "tables/link.txt")
        for one in (ours / "individual").iterdir():
            one.unlink()
        (ours / "individual").rmdir()
        (ours / "individual").symlink_to(away)
        self.listing_also(ours, away / "precious.txt", "individual/precious.txt")
        with pytest.raises(OutputError, match="individual: is a link"):
            run.report(ours)
        assert (away / "precious.txt").read_text() == "precious"
        (ours / "individual").unlink()
        run.report(ours)
        assert (away / "precious.txt").read_text() == "precious"
        assert (ours / "tables" / "link.txt").is_symlink()

    @pytest.mark.parametrize(
        "files", [None, 3, ["x"], [{"file": 1}], {"a": "b"}, [{"file": "tables/\x00"}]]
    )
    def test_a_list_that_makes_no_sense_is_passed_over(self, run, ours, files):
        told = json.loads((ours / "run.json").read_text()) | {"files": files}
        (ours / "run.json").write_text(json.dumps(told))
        run.report(ours)
        assert (ours / "individual" / "index.csv").exists()


def test_figures_without_the_charts_extra_are_refused_before_anything_is_written(
    run, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'tiltmeter\[charts\]'"):
        run.report(tmp_path / "out", figures=True)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_figures_are_drawn_only_when_asked_for_and_go_when_not(run, tmp_path):
    run.report(tmp_path, figures=True)
    assert names_in(tmp_path / "figures") == {"figure1.svg"}
    run.report(tmp_path)
    assert not (tmp_path / "figures").exists()


@pytest.mark.usefixtures("quick")
def test_a_run_that_was_stopped_can_be_repeated_into_the_same_folder(run, monkeypatch, tmp_path):
    def stopped(_):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(figures_module, "drawn_figures", stopped)
        with pytest.raises(KeyboardInterrupt):
            run.report(out, figures=True)
    assert json.loads((out / "run.json").read_text())["complete"] is False
    run.report(out)
    assert json.loads((out / "run.json").read_text())["complete"] is True


@pytest.mark.usefixtures("quick")
def test_what_is_being_done_is_told(run, tmp_path):
    told = []
    out = tmp_path / "out"
    run.report(out, individual=True, figures=True, stage=told.append)
    assert told[0] == "writing the page"
    assert "drawing figure1.svg" in told
    assert told[-1] == f"writing the page of system {len(NAMES)} of {len(NAMES)}"


@pytest.mark.usefixtures("quick")
def test_what_a_killed_run_left_half_written_is_removed_and_nothing_else(run, tmp_path):
    out = tmp_path / "out"
    run.report(out)
    half = out / ".estimates.parquet.68n81_9p"
    theirs = [out / ".notes.md.68n81_9p", out / ".estimates.parquet.backup", out / "mine.txt"]
    for path in (half, *theirs):
        path.write_text("x")
    run.report(out)
    assert not half.exists()
    assert all(path.exists() for path in theirs)


def test_templates_are_compiled_once_and_anew_when_they_change(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))

    def made(text):
        env = Environment(
            loader=DictLoader({"page.html": text}), bytecode_cache=CompiledTemplates()
        )
        return env.get_template("page.html").render()

    assert made("one") == "one"
    (kept,) = tmp_path.rglob("*.pyc")
    before = kept.stat().st_ino
    assert made("one") == "one"
    assert kept.stat().st_ino == before
    assert made("two") == "two"
    kept.write_bytes(b"no code")
    assert made("two") == "two"


def test_every_file_is_on_disk_before_run_json_says_that_all_is_there(tmp_path, monkeypatch):
    synced, sync = set[int](), os.fsync

    def watched(handle):
        synced.add(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    with results_in(tmp_path, {}, {}) as writer:
        writer.text("report.html", "ours")
        writer.csv("tables/pairs.csv", pl.DataFrame({"a": [1]}))
        synced.clear()
    there = [tmp_path / name for name in ("report.html", "tables/pairs.csv", "tables", "run.json")]
    assert {path.stat().st_ino for path in there} <= synced


def test_a_disk_that_refuses_to_keep_a_file_is_said(tmp_path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    def write():
        with results_in(tmp_path, {}, {}) as writer:
            writer.text("report.html", "ours")
            monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OutputError, match="No space left"):
        write()
    assert not json.loads((tmp_path / "run.json").read_text())["complete"]
