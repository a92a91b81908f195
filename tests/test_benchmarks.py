"""The benchmark suite's own logic: what it runs, what it tells, what it does when one breaks."""

import importlib
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))  # they are scripts and import each other so

import claim  # noqa: E402
import growth  # noqa: E402
import performance_page  # noqa: E402
import suite  # noqa: E402

QUICKER = claim.Claim("sums", "1 s", "a loop 40 s", 40.0, 30.0)
ROW = {"claim", "ours", "peer", "ratio", "target", "at_most", "met"}
NOT_RUN = {"claim", "not_run", "failed"}
GROWN = {
    "what", "sizes", "unit", "seconds", "megabytes", "above", "time_exponent", "memory_exponent",
    "time_at_most", "memory_at_most",
}  # fmt: skip


@pytest.fixture
def results():
    if not suite.RESULTS.exists():
        pytest.skip("make bench has not been run here")
    return json.loads(suite.RESULTS.read_text("utf-8"))


def script(folder, body):
    path = folder / "one.py"
    told = (
        f'"""What it is about.\n\nMore."""\nimport sys\nsys.path.insert(0, {str(BENCHMARKS)!r})\n'
    )
    path.write_text(f"{told}{body}\n")
    return path


class TestWhatIsRun:
    def test_every_file_that_runs_but_simulations_and_the_suite_itself(self):
        runs = {path.stem for path in BENCHMARKS.glob("*.py") if "__main__" in path.read_text()}
        left = {name for name in runs if name.startswith(("simulate_", "census_", "compare_"))}
        left |= {"suite", "same"}
        assert {path.stem for path in suite.benchmarks()} == runs - left
        assert {"corpora", "scoring", "pairs", "report", "startup", "rerun"} <= runs - left

    def test_some_by_name(self):
        assert [path.stem for path in suite.chosen("rating, pairs")] == ["rating", "pairs"]
        assert suite.chosen("") == suite.benchmarks()

    def test_an_unknown_name_is_told_with_those_there_are(self):
        with pytest.raises(SystemExit, match=r"'pears'; there are claims, corpora, .*pairs"):
            suite.chosen("pears")

    @pytest.mark.parametrize("path", suite.benchmarks(), ids=lambda path: path.stem)
    def test_each_says_what_it_is_about_in_one_sentence(self, path):
        assert suite.first_sentence(path).endswith(".")


class TestRunning:
    def test_rows_come_back_from_a_process_of_their_own(self, tmp_path):
        body = "from claim import *\nprint_claims('t', [Claim('sums', '1 s', '2 s', 2.0, 1.0)])"
        told = suite.run(script(tmp_path, body))
        assert told["about"] == "What it is about."
        assert [row["claim"] for row in told["rows"]] == ["sums"]
        assert told["rows"][0]["met"] is True

    def test_one_that_breaks_is_a_row_that_says_why(self, tmp_path, capsys):
        told = suite.run(script(tmp_path, "raise ValueError('no such column')"))
        (row,) = told["rows"]
        assert row["not_run"] == "ValueError: no such column"
        assert row["failed"] is True
        assert "Traceback" in capsys.readouterr().err

    def test_a_part_that_breaks_leaves_the_others(self, tmp_path):
        body = (
            "from claim import *\ndef broken(): raise ValueError('odd')\n"
            "works = {'odd one': broken, 'sums': lambda: Claim('sums', '1 s', '2 s', 2.0, 1.0)}\n"
            "print_claims('t', attempted(works))"
        )
        rows = suite.run(script(tmp_path, body))["rows"]
        assert [row["claim"] for row in rows] == ["odd one", "sums"]
        assert [row.get("failed") for row in rows] == [True, None]

    def test_what_is_not_installed_is_no_failure(self):
        def lacking():
            raise claim.NotInstalledError("needs pip install gensim")

        (row,) = claim.attempted({"against gensim": lacking})
        assert row == claim.NotRun("against gensim", "needs pip install gensim", failed=False)

    @pytest.fixture
    def elsewhere(self, monkeypatch, tmp_path):
        """A suite of one benchmark that writes into another folder."""
        (tmp_path / "docs").mkdir()
        monkeypatch.setattr(suite, "HERE", tmp_path / "benchmarks")
        monkeypatch.setattr(suite, "RESULTS", tmp_path / "results.json")
        monkeypatch.setattr(suite, "PAGE", tmp_path / "docs" / "performance.md")
        monkeypatch.setattr(suite, "benchmarks", lambda: [BENCHMARKS / "pairs.py"])

    def runs(self, monkeypatch, *rows):
        told = {"benchmark": "pairs", "about": "What.", "seconds": 1.0, "growth": []}
        monkeypatch.setattr(suite, "run", lambda _: told | {"rows": [row.told() for row in rows]})

    @pytest.mark.usefixtures("elsewhere")
    def test_all_of_them_write_results_and_page(self, monkeypatch, capsys):
        self.runs(monkeypatch, QUICKER)
        assert suite.main() == 0
        results = json.loads(suite.RESULTS.read_text("utf-8"))
        assert results["benchmarks"][0]["rows"] == [QUICKER.told()]
        assert "| sums | 1 s | a loop 40 s | 40 | ≥ 30 | yes |" in suite.PAGE.read_text("utf-8")
        told = capsys.readouterr().out
        assert "1 of 1 targets met; 0 rows not run" in told
        assert "a loop 40 s" in told
        assert "processor" in told

    @pytest.mark.usefixtures("elsewhere")
    def test_some_leave_both_files(self, monkeypatch):
        self.runs(monkeypatch, QUICKER)
        assert suite.main("pairs") == 0
        assert not suite.RESULTS.exists()
        assert not suite.PAGE.exists()

    @pytest.mark.usefixtures("elsewhere")
    def test_a_stopped_run_goes_on_where_it_ended(self, monkeypatch):
        ran = []

        def one(path):
            ran.append(path.stem)
            told = {"benchmark": path.stem, "about": "What.", "seconds": 1.0, "growth": []}
            return told | {"rows": [QUICKER.told()]}

        paths = [BENCHMARKS / "pairs.py", BENCHMARKS / "rating.py"]
        monkeypatch.setattr(suite, "benchmarks", lambda: paths)
        monkeypatch.setattr(suite, "run", one)
        stopped = next(suite.measured(paths))
        earlier = {**stopped, "commit": "before"}
        earlier["benchmarks"][0].pop("commit")
        suite.RESULTS.write_text(json.dumps(earlier), "utf-8")
        assert suite.main("--resume") == 0
        assert ran == ["pairs", "rating"]
        results = json.loads(suite.RESULTS.read_text("utf-8"))
        assert results["benchmarks"][0]["commit"] == "before"
        assert suite.PAGE.read_text("utf-8").count("at commit before, by a run that was") == 1
        assert suite.main("--resume") == 0
        assert ran == ["pairs", "rating"]

    @pytest.mark.usefixtures("elsewhere")
    @pytest.mark.parametrize(("failed", "code"), [(True, 1), (False, 0)])
    def test_what_broke_is_the_exit_code(self, monkeypatch, failed, code):
        self.runs(monkeypatch, QUICKER, claim.NotRun("odd", "why", failed))
        assert suite.main() == code


class TestClaims:
    @pytest.mark.parametrize(
        ("ratio", "target", "at_most", "met"),
        [(40, 40, False, True), (39, 40, False, False), (1.05, 1.05, True, True),
         (1.06, 1.05, True, False)],
    )  # fmt: skip
    def test_a_target_is_met_at_its_own_value(self, ratio, target, at_most, met):
        assert claim.Claim("a", "b", "c", ratio, target, at_most).met is met

    def test_a_row_of_the_results_is_the_claim_again(self):
        assert suite.as_row(QUICKER.told()) == QUICKER
        missing = claim.NotRun("a", "needs torch")
        assert suite.as_row(missing.told()) == missing


class TestGrowth:
    @pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
    def test_a_known_exponent_comes_back(self, power):
        sizes = (1, 10, 100)
        assert growth.exponent(sizes, [7 * size**power for size in sizes]) == pytest.approx(power)

    def test_of_points_off_the_line_the_slope_is_that_of_least_squares(self):
        # logs of 1, 10, 100 are 0, 1, 2 and those of 1, 100, 100 are 0, 2, 2, in powers of ten:
        # slope = ((−1)(−4/3) + 0 + (1)(2/3)) / 2 = 1.
        assert growth.exponent((1, 10, 100), (1, 100, 100)) == pytest.approx(1.0)

    @pytest.fixture
    def filled(self, tmp_path, monkeypatch):
        """Work that fills so many megabytes, in a module of its own."""
        body = "def filled(size):\n    return lambda: b'1' * (size << 20) if size < 99 else 1 / 0\n"
        (tmp_path / "filling.py").write_text(body)
        monkeypatch.syspath_prepend(tmp_path)
        return importlib.import_module("filling").filled

    def test_each_size_has_a_process_of_its_own(self, filled):
        held = b"1" * (200 << 20)  # what this process holds is not counted
        found = growth.grown("filling", "megabytes", filled, (10, 60))
        assert max(found.megabytes) < len(held) >> 20
        assert found.above == pytest.approx([9, 59], abs=4)  # it is warm with the first megabyte
        assert all(second > 0 for second in found.seconds)
        assert [one.claim for one in found.claims()] == [
            "time of filling: 10, 60 megabytes", "peak memory of filling: 10, 60 megabytes",
        ]  # fmt: skip

    def test_what_breaks_in_the_process_is_told(self, filled):
        with pytest.raises(RuntimeError, match=r"filled of 99 in filling\.py: ZeroDivisionError"):
            growth.in_process(filled, 99, warm=1)


class TestResults:
    def test_they_have_the_shape_that_is_documented(self, results):
        assert {"command", "date", "commit", "machine", "seconds", "benchmarks"} == {*results}
        assert {"processor", "cores", "memory", "system", "python", "polars"} <= {
            *results["machine"]
        }
        for one in results["benchmarks"]:
            assert {"benchmark", "about", "date", "commit", "seconds", "rows", "growth"} == {*one}
            assert one["rows"]
            assert all({*row} in (ROW, NOT_RUN) for row in one["rows"])
            assert all({*row} == GROWN for row in one["growth"])

    def test_every_number_stands_on_the_page(self, results):
        assert suite.PAGE.read_text("utf-8") == performance_page.page(results)

    def test_every_benchmark_is_in_them(self, results):
        ran = {one["benchmark"] for one in results["benchmarks"]}
        assert ran == {path.stem for path in suite.benchmarks()}


class TestThePage:
    def page(self, *rows, growth=()):
        one = {"benchmark": "scoring", "about": "What.", "rows": rows, "growth": growth}
        told = {"command": "make bench", "date": "2026-11-16", "commit": "abc", "seconds": 90,
                "machine": {"cores": "2"}, "benchmarks": [one]}  # fmt: skip
        return performance_page.page(told)

    def test_a_shortfall_stands_with_its_reason(self):
        slow = claim.Claim("score with one worker, x", "1.1 s", "1 s", 1.1, 1.05, at_most=True)
        told = self.page(slow.told())
        assert "| score with one worker, x | 1.1 s | 1 s | 1.1 | ≤ 1.05 | **no** |" in told
        assert "**scoring: score with one worker, x.** 1.1, target ≤ 1.05. Checking," in told

    def test_one_without_a_reason_says_so(self):
        odd = claim.Claim("odd", "1 s", "1 s", 1.0, 2.0)
        assert "**scoring: odd.** 1, target ≥ 2. Not yet explained" in self.page(odd.told())

    def test_what_was_not_run_says_why(self):
        missing = claim.NotRun("against torch", "needs torch")
        told = self.page(missing.told())
        assert "| against torch | not run: needs torch |" in told
        assert "Nothing was measured in this run." in told

    def test_a_bar_in_a_cell_stays_in_it(self):
        assert performance_page.table(("a",), [("x | y",)]).endswith("| x \\| y |\n")

    def test_every_known_shortfall_is_of_a_benchmark_that_is_there(self):
        names = {path.stem for path in suite.benchmarks()}
        for one in performance_page.known_shortfalls():
            assert one["benchmark"] in names
            assert one["why"].strip()
