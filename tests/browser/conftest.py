"""A real browser with the network off, and report pages on disk for it to open."""

import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from odd_names import HOSTILE, LONG

from simulated_material import audit_html, material_of, scored, simulated_scores, skill_of
from tiltmeter.audit_run import AuditedSystem, AuditRun
from tiltmeter.corpora import load_corpus

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MINUTES = 300_000
"""How long a page is waited for, in milliseconds: a busy machine is slow."""


DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolved when what an action set off, a `toggle` or the next frame, has been done."""
ACTIONS = ("click", "check", "uncheck", "fill", "press", "select_option")


def patient(action):
    """The action of a user, after which the page has had its time: a busy machine is slow."""

    def act(self, *words, **said):
        result = action(self, *words, **said)
        getattr(self, "page", self).evaluate(DRAWN)
        return result

    return act


@pytest.fixture(scope="module", autouse=True)
def patient_users():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with pytest.MonkeyPatch.context() as patch:
        for kind in (sync_api.Locator, sync_api.Page):
            for name in ACTIONS:
                patch.setattr(kind, name, patient(getattr(kind, name)))
        yield


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium; a module's end stops it, so that no event loop outlives it."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium here")
    sync_api.expect.set_options(timeout=MINUTES)
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield started
        started.close()


class Visit:
    """A page opened from disk, and everything it complained about or asked the network for."""

    def __init__(self, browser, file, address="", **settings):
        settings = {"viewport": {"width": 1280, "height": 900}} | settings
        self.context = browser.new_context(**settings)
        self.context.set_offline(True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(MINUTES)
        self.complaints, self.requests, self.alerts = [], [], []
        self.page.on("console", lambda one: self.complaints.append(f"{one.type}: {one.text}"))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.on("dialog", lambda one: (self.alerts.append(one.message), one.dismiss()))
        self.page.goto(f"file://{file}{address}")


@pytest.fixture
def visit(browser):
    """Opens a page; it must not complain, alert, or ask for anything but itself."""
    visits = []

    def opened(file, address="", **settings):
        visits.append(Visit(browser, file, address, **settings))
        return visits[-1].page

    yield opened
    for one in visits:
        one.context.close()
        assert one.complaints == []
        assert one.alerts == []
        assert len(one.requests) == 1


def written(folder, name, text):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def small_material():
    """Five systems: women higher, women lower, noise, a name that is markup, and a long name."""
    corpus = load_corpus("eec")
    sentences = corpus.sentences()
    female = (sentences["gender"] == "female").to_numpy()
    noise = np.random.default_rng(3).normal(0, 0.02, sentences.height)
    shifts = {"higher": 0.03, "lower": -0.01, "noise": 0.0, HOSTILE: 0.005, LONG: 0.001}
    scores = [
        scored(sentences, name, "valence", np.clip(0.5 + by * female + noise, 0, 1))
        for name, by in shifts.items()
    ]
    about = {"version": "1", "scale": "0 to 1", "notes": ("a simulated system",)}
    systems = tuple(AuditedSystem(name, "valence", "eec", **about) for name in shifts)
    run = AuditRun(systems=systems)
    return material_of(pl.concat(scores), corpus, run=run)


@pytest.fixture(scope="session")
def small(folder, small_material):
    return written(folder, "small.html", audit_html(small_material))


@pytest.fixture(scope="session")
def large_material():
    """The paper's 219 submissions, with skill."""
    corpus = load_corpus("eec")
    material = material_of(simulated_scores(corpus.sentences()), corpus)
    return replace(material, skill=skill_of(material))


@pytest.fixture(scope="session")
def large(folder, large_material):
    return written(folder, "large.html", audit_html(large_material))


@pytest.fixture(scope="session")
def own(folder, large_material):
    return written(folder, "own.html", audit_html(large_material, only="team07"))


@pytest.fixture(scope="session")
def arabic(folder):
    corpus = load_corpus("eec-ar")
    sentences = corpus.sentences()
    female = (sentences["gender"] == "female").to_numpy()
    values = 0.5 + 0.02 * female + np.random.default_rng(5).normal(0, 0.01, female.size)
    scores = [scored(sentences, name, "valence", values) for name in ("نموذج", "other")]
    return written(folder, "arabic.html", audit_html(material_of(pl.concat(scores), corpus)))


@pytest.fixture(scope="session")
def many(folder):
    """So many systems that only their largest pairs are embedded."""
    corpus = load_corpus("eec")
    material = material_of(simulated_scores(corpus.sentences(), {"valence": 290}), corpus)
    return written(folder, "many.html", audit_html(material))
