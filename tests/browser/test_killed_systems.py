"""Systems killed while the explorer is open: the page says so, the others go on, it recovers."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from explorer_server import served
from tiltmeter.explore.live import live_systems
from tiltmeter.explore.session import ExplorerName
from tiltmeter.systems import Options

MINUTES = 300_000
SERVER = Path(__file__).parents[1] / "systems" / "server.py"
PROGRAM = """
import json, os, sys
with open("pid", "w") as file:
    file.write(str(os.getpid()))
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "score": len(asked["text"]) / 100}))
"""
NAMES = [ExplorerName("Latoya", "female", "Black"), ExplorerName("Jake", "male", "White")]


def expect(thing):
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


@contextlib.contextmanager
def opened(browser, systems, folder):
    """The explorer's page on some systems by their specs; what declares no scale is on 0 to 1."""
    live = live_systems(systems, Options(scale=(0, 1), patient=False), None)
    with served(live, folder, names=NAMES) as server:
        context = browser.new_context(viewport={"width": 1200, "height": 800})
        page = context.new_page()
        page.set_default_timeout(MINUTES)
        page.goto(server.link)
        yield page
        context.close()


def cell(page, row, column):
    return page.locator("#variants tbody tr").nth(row).locator("td").nth(column)


@contextlib.contextmanager
def service(port=0):
    """The tests' service as a process of its own; gives the process and its port."""
    command = [sys.executable, str(SERVER), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def test_a_killed_service_is_named_the_others_go_on_and_it_recovers(browser, tmp_path):
    with contextlib.ExitStack() as stack:
        process, port = stack.enter_context(service())
        name = f"http://127.0.0.1:{port}/score"
        page = stack.enter_context(opened(browser, [name, "vader"], tmp_path))
        page.locator("#text").fill("He sings.")
        expect(cell(page, 0, 0)).to_contain_text("9.0")
        process.kill()
        process.wait()
        page.locator("#text").fill("He sings well.")
        expect(page.locator("#systems li.down")).to_contain_text(f"{name} down")
        expect(page.locator("#verdict")).to_contain_text(f"{name} is down: ")
        expect(page.locator("#verdict")).to_contain_text("refused")
        expect(cell(page, 0, 0)).to_have_text("no answer")
        expect(cell(page, 0, 1)).to_contain_text("63.7")
        page.locator("#text").fill("He sings so well.")
        expect(cell(page, 0, 1)).to_contain_text("70.5")
        stack.enter_context(service(port))
        page.locator("#text").fill("He sings again.")
        expect(cell(page, 0, 0)).to_contain_text("15.0")
        expect(page.locator("#systems li.down")).to_have_count(0)
        expect(page.locator("#verdict")).not_to_contain_text("down")


def test_a_killed_program_is_started_again_and_one_that_cannot_be_is_named(
    browser, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    program, away = tmp_path / "score", tmp_path / "away"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    with opened(browser, ["cmd:./score", "vader"], tmp_path) as page:
        page.locator("#text").fill("He sings.")
        expect(cell(page, 0, 0)).to_contain_text("9.0")
        first = int(Path("pid").read_text())
        os.kill(first, signal.SIGKILL)
        page.locator("#text").fill("He sings well.")
        expect(cell(page, 0, 0)).to_contain_text("14.0")
        second = int(Path("pid").read_text())
        assert second != first
        program.rename(away)
        os.kill(second, signal.SIGKILL)
        page.locator("#text").fill("He sings so well.")
        expect(page.locator("#systems li.down")).to_contain_text("score down")
        expect(page.locator("#verdict")).to_contain_text("./score")
        expect(cell(page, 0, 1)).to_contain_text("70.5")
        away.rename(program)
        page.locator("#text").fill("He sings again.")
        expect(cell(page, 0, 0)).to_contain_text("15.0")
        expect(page.locator("#systems li.down")).to_have_count(0)
        assert int(Path("pid").read_text()) != second
