"""How quick the explorer is in a real browser: a score after a key, 600 names, twenty at once.

Run with `make bench` or `python benchmarks/explorer.py`; two minutes. The explorer is the command,
a process of its own with VADER; the browser is Chromium, typed into key by key. Times are the
page's own clock: from a key to the frame in which the score's text is another one, from the request
for all names to the frame in which the last of them is drawn. Beside them stands VADER asked in a
loop, which no page can beat. Under load, a request that the page itself gives up, as its user has
typed on, is counted apart from one that was not answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from claim import Claim, NotInstalledError, attempted, print_claims
from startup import tiltmeter
from tiltmeter.systems import ask, open_system

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

EDITS = 200
STRIPS = 20
NAMES = 600
USERS = 20
SECONDS = 60
PACE = 150
"""Milliseconds between two keys of one person."""
WORDS = ("happy", "angry", "lovely", "sorry", "lucky", "ugly", "guilty", "friendly")
"""Each ends in a letter without which VADER does not know it."""
PEOPLE = ("sister", "brother", "aunt", "uncle", "mother", "father", "niece", "nephew")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WATCH = """() => {
  const seen = {key: 0, since: [], names: 0, strips: [], sent: 0, whole: 0, left: 0, failed: 0,
    why: []};
  globalThis.seen = seen;
  const number = () => document.querySelector("#variants tbody td .number")?.textContent;
  let shown = number(), waits = false;
  addEventListener("keydown", () => { seen.key = performance.now(); waits = true; }, true);
  const drawn = (then) => requestAnimationFrame(() => then(performance.now()));
  new MutationObserver(() => {
    if (number() === undefined || number() === shown) return;
    shown = number();
    if (waits) drawn((now) => seen.since.push(now - seen.key));
    waits = false;
  }).observe(document.querySelector("#variants"), {childList: true, subtree: true});
  new MutationObserver(() => {
    const many = document.querySelectorAll("#strip circle").length;
    if (seen.names && many === 600) {
      const begun = seen.names;
      seen.names = 0;
      drawn((now) => seen.strips.push(now - begun));
    }
  }).observe(document.querySelector("#strip"), {childList: true, subtree: true});
  const usual = globalThis.fetch;
  globalThis.fetch = async (address, request) => {
    seen.sent += 1;
    if (address === "/api/names") seen.names = performance.now();
    try {
      const answer = await usual(address, request);
      if (!answer.ok) {
        seen.failed += 1;
        seen.why.push(`${answer.status} ${address} ${request.body} ${await answer.clone().text()}`);
        return answer;
      }
      const [mine, theirs] = answer.body.tee();
      counted(mine);
      return new Response(theirs, {status: answer.status, headers: answer.headers});
    } catch (error) {
      lost(error);
      throw error;
    }
  };
  const lost = (error) => {
    seen[error.name === "AbortError" ? "left" : "failed"] += 1;
    if (error.name !== "AbortError") seen.why.push(String(error));
  };
  const counted = async (body) => {
    const reader = body.getReader();
    try {
      while (!(await reader.read()).done);
      seen.whole += 1;
    } catch (error) {
      lost(error);
    }
  };
}"""


def sentence(nth: int) -> tuple[str, str]:
    """One of many sentences but for its last letter, and that letter."""
    word = WORDS[nth % len(WORDS)]
    whole = f"On day {nth} my {PEOPLE[nth // 3 % len(PEOPLE)]} was so {word}"
    return whole[:-1], whole[-1]


@contextlib.contextmanager
def explorer() -> Iterator[str]:
    """The command with VADER; gives its link."""
    with tempfile.TemporaryDirectory() as folder:
        command = [tiltmeter(), "explore", "vader", "--no-browser", "--store", f"{folder}/store"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
            said = (re.search(r"http://\S+", line) for line in process.stdout or ())
            try:
                yield next(found[0] for found in said if found)
            finally:
                process.terminate()


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser without a window."""
    path = shutil.which("chromium")
    if importlib.util.find_spec("playwright") is None or path is None:
        raise NotInstalledError("needs playwright and chromium")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        await browser.close()


async def opened(browser: Browser, link: str, hosts: set[str]) -> Page:
    """A page in a context of its own, watched; where it asks is noted."""
    context = await browser.new_context(viewport={"width": 1200, "height": 800})
    page = await context.new_page()
    page.set_default_timeout(300_000)
    page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or request.url[:5]))
    await page.goto(link)
    await until(page, "() => document.querySelectorAll('#strip circle').length === 600")
    await page.evaluate(WATCH)
    return page


async def until(page: Page, met: str, arg: object = None) -> None:
    """Wait for a condition of the page; its policy forbids what Playwright's own waiting does."""
    await page.evaluate(
        f"(arg) => new Promise((done) => {{ const met = {met};"
        " const look = () => met(arg) ? done(0) : setTimeout(look, 5); look(); })", arg,
    )  # fmt: skip


async def edit(page: Page, nth: int) -> None:
    """One sentence without its last letter, then that letter as a key; until its score is shown."""
    most, last = sentence(nth)
    await page.fill("#text", most)
    await until(
        page, "(text) => document.querySelector('#variants th.text')?.textContent === text"
        " && document.querySelector('#variants td .number')", most,
    )  # fmt: skip
    await page.wait_for_timeout(30)
    before = await page.evaluate("seen.since.length")
    await page.keyboard.press(last)
    await until(page, "(many) => seen.since.length > many", before)


async def alone(link: str) -> tuple[list[float], list[float]]:
    """Milliseconds of edits and of strips by one person at leisure."""
    async with chromium() as browser:
        page = await opened(browser, link, set())
        for nth in range(EDITS):
            await edit(page, nth)
        for nth in range(STRIPS):
            before = await page.evaluate("seen.strips.length")
            await page.fill("#text", f"On day {nth + EDITS} Adam was so happy with it.")
            await until(page, "(many) => seen.strips.length > many", before)
        return await page.evaluate("seen.since"), await page.evaluate("seen.strips")


async def together(link: str) -> tuple[dict[str, Any], set[str]]:
    """Twenty people who type for a minute, and what became of everything they asked."""
    hosts = set[str]()
    async with chromium() as browser:
        pages = [await opened(browser, link, hosts) for _ in range(USERS)]
        end = time.monotonic() + SECONDS

        async def types(page: Page, user: int) -> None:
            nth = 1_000 * (user + 1)
            while time.monotonic() < end:
                most, last = sentence(nth)
                await page.fill("#text", "")
                await page.type("#text", most + last, delay=PACE)
                await page.wait_for_timeout(1_000)
                nth += 1

        await asyncio.gather(*(types(page, user) for user, page in enumerate(pages)))
        for page in pages:
            await until(page, "() => seen.sent === seen.whole + seen.left + seen.failed")
        every = [await page.evaluate("seen") for page in pages]
    total = {name: sum(one[name] for one in every) for name in ("sent", "whole", "left", "failed")}
    why = [one for seen in every for one in seen["why"]]
    return total | {"why": why, "since": [one for seen in every for one in seen["since"]]}, hosts


def p95(milliseconds: list[float]) -> float:
    return float(np.quantile(milliseconds, 0.95))


def bare(many: int) -> float:
    """Milliseconds of VADER by itself for some sentences."""
    texts, system = ["".join(sentence(nth)) for nth in range(many)], open_system("vader")
    ask(system, ["a first text, which opens what is needed"])
    begun = time.perf_counter()
    ask(system, texts)
    return 1_000 * (time.perf_counter() - begun)


def at_leisure() -> list[Claim]:
    with explorer() as link:
        edits, strips = asyncio.run(alone(link))
    median = float(np.median(edits))
    return [
        Claim(f"from a key to VADER’s score on the screen, p95 of {len(edits)} edits, milliseconds",
              f"{p95(edits):.0f} ms, median {median:.0f}", f"VADER itself {bare(1):.2f} ms",
              p95(edits), 150.0, at_most=True),
        Claim(f"from the request to {NAMES} names drawn, p95 of {len(strips)}, milliseconds",
              f"{p95(strips):.0f} ms", f"VADER itself {bare(NAMES):.0f} ms", p95(strips), 1_000.0,
              at_most=True),
    ]  # fmt: skip


def under_load() -> list[Claim]:
    with explorer() as link:
        total, hosts = asyncio.run(together(link))
    what = f"{USERS} browsers typing for {SECONDS} s"
    answered = f"{total['whole']:,} answered, {total['left']:,} given up by a later key"
    answered += f"; {total['why'][0][:120]}" if total["why"] else ""
    elsewhere = sorted(hosts - {"127.0.0.1"} - {"data:"})
    return [
        Claim(f"requests of {what} that were not answered", f"{total['failed']}: of "
              f"{total['sent']:,}, {answered}", "none", total["failed"], 0.0, at_most=True),
        Claim(f"from a key to the score, {what}, p95, milliseconds", f"{p95(total['since']):.0f} ms"
              f" of {len(total['since']):,}", "none", p95(total["since"]), 1_000.0, at_most=True),
        Claim(f"hosts but 127.0.0.1 that {what} asked", ", ".join(elsewhere) or "0", "none",
              len(elsewhere), 0.0, at_most=True),
    ]  # fmt: skip


def main() -> None:
    works = {"one person": at_leisure, "twenty at once": under_load}
    print_claims("the explorer", attempted(works))


if __name__ == "__main__":
    main()
