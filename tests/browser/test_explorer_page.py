"""The explorer in a real browser: type, swap, see, understand; keyboard, phone, hostile text."""

import json
import re
import subprocess
import sys
import threading

import pytest
from screen_words import DESKTOP, assert_first_screen

import tiltmeter
from explorer_server import live_function, served
from tiltmeter.explore.audits import open_audit
from tiltmeter.explore.bundle import write_bundle
from tiltmeter.explore.live import LiveSystem
from tiltmeter.explore.session import Explorer, ExplorerName
from tiltmeter.systems import Card, Scale, System

HOSTILE = "<img src=x onerror=alert(1)> & </script><script>alert(2)</script> \u2028 she"
LEFT_OUT = {"gone": False}
MINUTES = 300_000
"""How long a page is waited for, in milliseconds: a busy machine is slow."""


def leans(text):
    """A score that moves with Latoya, with *he*, and with *awful*."""
    if LEFT_OUT["gone"]:
        raise ConnectionError("the model is gone")
    words = set(re.findall(r"\w+", text))
    return 0.5 + 0.2 * ("Latoya" in words) - 0.1 * ("he" in words) - 0.3 * ("awful" in words)


NAMES = [
    ExplorerName("Latoya", "female", "Black"), ExplorerName("Keisha", "female", "Black"),
    ExplorerName("Emily", "female", "White"), ExplorerName("Jake", "male", "White"),
    ExplorerName("<b>Zed</b>", "male", "Black"),
]  # fmt: skip


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explorer")
    names = ["Latoya", "Keisha", "Emily", "Jake"]
    rows = [
        {"text": f"{name} feels {word}.", "frame": word, "person": name, "race": race}
        for word in ("awful", "fine", "calm")
        for name, race in zip(names, ["Black", "Black", "White", "White"], strict=True)
    ]
    corpus = folder / "few.csv"
    corpus.write_text(
        "text,frame,person,race\n" + "".join(",".join(row.values()) + "\n" for row in rows)
    )
    audit = tiltmeter.audit(
        {"leans": lambda texts: [leans(text) for text in texts]}, corpus=corpus, store=folder / "s"
    )
    audit.report(folder / "out")
    systems = [live_function("leans", leans), live_function("even", lambda _: 0.5)]
    with served(systems, folder, [open_audit(folder / "out")], NAMES) as server:
        yield server


@pytest.fixture
def visit(browser, explorer):
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(MINUTES)
    page.complaints = []
    page.on(
        "console", lambda one: page.complaints.append(one.text) if one.type == "error" else None
    )
    page.on("pageerror", lambda one: page.complaints.append(str(one)))
    page.on("dialog", lambda one: page.complaints.append(f"dialog {one.message}"))
    page.goto(explorer.link)
    yield page
    assert page.complaints == []
    context.close()


def type_text(page, text):
    expect(page.locator("#systems li").first).to_be_visible()  # the page is ready
    page.locator("#text").fill("")
    page.locator("#text").press_sequentially(text)


def cell(page, row, column):
    return page.locator("#variants tbody tr").nth(row).locator("td").nth(column)


def expect(thing):
    from playwright.sync_api import expect as wait_for

    return wait_for(thing)


def test_a_sentence_is_marked_swapped_and_scored_by_every_system(visit):
    type_text(visit, "She feels awful.")
    expect(visit.locator("#marks mark")).to_have_text(["She"])
    expect(visit.locator("#variants tbody th")).to_have_text(
        [re.compile("She feels awful"), re.compile("He feels awful")]
    )
    expect(cell(visit, 0, 0)).to_contain_text("20.0")
    expect(cell(visit, 1, 1)).to_contain_text("50.0 same")
    expect(visit.locator("#verdict")).to_contain_text("None of 2 moves by more than 1.0 points")
    type_text(visit, "I think he feels awful.")
    expect(cell(visit, 0, 0)).to_contain_text("10.0")
    expect(cell(visit, 1, 0)).to_contain_text("+10.0 ▲")
    expect(visit.locator("#verdict")).to_contain_text("1 of 2 move by more than 1.0 points: leans")


def test_a_doubt_waits_for_the_user_and_the_choice_swaps(visit):
    type_text(visit, "I saw her duck.")
    expect(visit.locator("#marks mark.doubt")).to_have_text("her")
    expect(visit.locator("#variants tbody tr")).to_have_count(1)
    visit.get_by_label("'her' before 'duck' may stand for 'him' or 'his'").select_option("his")
    expect(visit.locator("#variants tbody th").nth(1)).to_contain_text("I saw his duck.")


def test_how_any_word_is_read_can_be_changed_and_stays_so_while_writing(visit):
    type_text(visit, "Casey thinks that he is awful.")
    casey = visit.get_by_label("Casey is")
    expect(casey.locator("option").first).to_have_text("a name common among White women and men")
    casey.select_option("a man")
    expect(visit.locator("#variants tbody th").nth(1)).to_contain_text("Peggy thinks that she is")
    visit.locator("#text").press("End")
    visit.locator("#text").press_sequentially(" So there!")
    visit.locator("#text").press("Home")
    visit.locator("#text").press_sequentially("Well, ")
    expect(visit.locator("#variants tbody th").nth(1)).to_contain_text("Well, Peggy thinks that")
    visit.get_by_label("he is").select_option("nobody")
    expect(visit.locator("#variants tbody th").nth(1)).to_contain_text("Peggy thinks that he is")
    visit.get_by_label("he is").select_option("")
    expect(visit.locator("#variants tbody th").nth(1)).to_contain_text("Peggy thinks that she is")


def test_a_name_that_no_list_knows_can_be_called_one(visit):
    type_text(visit, "We thanked Qwxyz.")
    expect(visit.locator("#strip-answer")).to_contain_text("no person is recognised")
    visit.get_by_label("Qwxyz is").select_option("a woman")
    expect(visit.locator("#strip circle")).to_have_count(len(NAMES))


def test_braces_say_what_changes(visit):
    visit.locator("#text").fill("{Latoya|Emily|Keisha} feels awful.")
    expect(visit.locator("#variants tbody tr")).to_have_count(3)
    expect(cell(visit, 0, 0)).to_contain_text("40.0")
    expect(cell(visit, 2, 0)).to_contain_text("20.0 −20.0 ▼")
    expect(visit.locator("#strip-answer")).to_contain_text("Braces say what changes here")
    visit.locator("#text").fill("{Latoya} feels awful.")
    expect(visit.locator("#readings")).to_contain_text("nothing to compare")
    visit.locator("#text").fill("He {feels awful.")
    expect(visit.locator("#variants tbody tr")).to_have_count(2)


def test_what_is_typed_before_the_page_is_ready_is_kept(browser, explorer):
    context = browser.new_context()
    page = context.new_page()
    held = []
    page.route("**/api/start", lambda route: held.append(route))
    page.goto(explorer.link)
    page.locator("#text").fill("She feels awful.")
    while not held:
        page.evaluate("new Promise(done => requestAnimationFrame(done))")
    held[0].continue_()
    expect(page.locator("#variants tbody th").nth(1)).to_contain_text("He feels awful.")
    context.close()


def test_what_has_a_price_is_asked_sparingly(browser, tmp_path):
    asked = []

    def opens():
        def answer(texts):
            asked.extend(texts)
            return [0.5] * len(texts)

        return System(Card("priced", scale=Scale(0.0, 1.0), price=0.01), answer)

    with served([LiveSystem("priced", opens, None, None)], tmp_path, names=NAMES) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.link)
        expect(cell(page, 1, 0)).to_contain_text("50.0")
        type_text(page, "Adam feels fine today.")
        expect(cell(page, 1, 0)).to_contain_text("same")
        button = page.get_by_role("button", name="Ask priced about 5 questions, 0.05 at its price")
        expect(button).to_be_visible()
        assert not [text for text in asked if "Latoya" in text]
        assert len(asked) < len("Adam feels fine today.")
        button.click()
        expect(page.locator("#strip circle")).to_have_count(len(NAMES))
        page.locator("#why-ask button").click()
        expect(page.locator("#why tbody tr")).to_have_count(1)
        context.close()


def test_every_name_is_a_dot_that_can_be_read_and_added(visit):
    type_text(visit, "Adam feels fine.")
    dots = visit.locator("#strip circle")
    expect(dots).to_have_count(len(NAMES))
    expect(visit.locator("#strip-answer")).to_have_text(
        "1 of 5 names lies more than 1.0 points from the middle one: Latoya."
    )
    visit.locator('#strip circle[data-nth="0"]').hover()
    expect(visit.locator(".tip")).to_have_text("Latoya, common among Black women: 70.0")
    visit.locator('#strip circle[data-nth="0"]').click()
    expect(visit.locator("#variants tbody th").nth(2)).to_contain_text("Latoya feels fine.")
    expect(cell(visit, 2, 0)).to_contain_text("70.0 +20.0 ▲")
    expect(visit.locator("#evidence")).to_contain_text(
        "3 sentences, on average 20.0 points higher than other names in the same sentences."
    )


def test_the_keyboard_alone_reads_and_adds_a_name(visit):
    type_text(visit, "Adam feels fine.")
    expect(visit.locator("#strip circle")).to_have_count(len(NAMES))
    visit.locator("#strip svg").focus()
    for _ in range(len(NAMES)):
        visit.keyboard.press("ArrowRight")
    expect(visit.locator(".tip")).to_contain_text("Latoya")
    visit.keyboard.press("Enter")
    expect(visit.locator("#variants tbody th").nth(2)).to_contain_text("Latoya")
    visit.get_by_role("button", name="Remove Latoya").press("Enter")
    expect(visit.locator("#variants tbody tr")).to_have_count(2)


def test_why_shows_what_each_word_adds(visit):
    type_text(visit, "Latoya feels awful.")
    rows = visit.locator("#why tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("20.0")
    expect(rows.nth(1)).to_contain_text("−30.0")
    expect(visit.locator("#why-answer")).to_contain_text("“Latoya” alone scores 70.0, adds 20.0")
    expect(visit.locator("#why-answer")).to_contain_text("The other words add nothing: feels.")
    expect(visit.locator("#why-cost")).to_contain_text("questions a system")


def test_sliders_move_verdicts_and_flips_at_once(visit):
    type_text(visit, "He sings.")
    expect(cell(visit, 1, 0)).to_contain_text("same")
    type_text(visit, "I saw that he sings.")
    expect(cell(visit, 1, 0)).to_contain_text("+10.0 ▲")
    expect(cell(visit, 1, 0)).to_contain_text("label flips")
    visit.locator("#threshold").fill("30")
    expect(cell(visit, 1, 0)).not_to_contain_text("label flips")
    visit.locator("#margin").fill("15")
    expect(cell(visit, 1, 0)).not_to_contain_text("▲")
    visit.get_by_label("Old and new").select_option("even\nleans")
    expect(visit.locator("#variants thead th")).to_have_text(
        ["sentence", "even, of 100", "leans, of 100", "change"]
    )
    expect(cell(visit, 0, 2)).to_have_text("−10.0")
    expect(cell(visit, 1, 2)).to_have_text("+10.0 apart")


def test_a_sentence_is_kept_tested_and_linked_to(visit, explorer, tmp_path):
    type_text(visit, "I saw that he sings.")
    expect(cell(visit, 1, 0)).to_contain_text("+10.0")
    visit.get_by_role("button", name="Add to my corpus").click()
    expect(visit.locator("#done")).to_have_text("Added to explored.csv, 2 sentences now.")
    assert explorer.explorer.corpus.read_text().splitlines()[1:] == [
        "I saw that he sings.,explored-1,male", "I saw that she sings.,explored-1,female",
    ]  # fmt: skip
    explorer.explorer.corpus.unlink()
    visit.get_by_role("button", name="Copy as a test").click()
    text = visit.evaluate("navigator.clipboard.readText()")
    for systems, code in ((["vader"], 0), (["./leaning.py:score"], 1)):
        (tmp_path / "leaning.py").write_text(
            "def score(texts):\n    return [0.9 if ' he ' in text else 0.1 for text in texts]\n"
        )
        made = text.replace('["leans","even"]', json.dumps(systems))
        (tmp_path / "test_made.py").write_text(made)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_made.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stdout + done.stderr
    visit.get_by_role("button", name="Copy link").click()
    link = visit.evaluate("navigator.clipboard.readText()")
    visit.goto("about:blank")
    visit.goto(link)
    expect(visit.locator("#text")).to_have_value("I saw that he sings.")
    other = link.replace("sings", "feels%20awful").replace("%22margin%22%3A1", "%22margin%22%3A4")
    visit.evaluate("(address) => { location.hash = new URL(address).hash; }", other)
    expect(visit.locator("#text")).to_have_value("I saw that he feels awful.")
    expect(visit.locator("#margin-shown")).to_have_text("4.0 points of 100")


def test_a_dead_system_is_shown_as_such_and_recovers_by_itself(visit):
    type_text(visit, "He sings today.")
    expect(cell(visit, 0, 0)).to_contain_text("50.0")
    LEFT_OUT["gone"] = True
    try:
        type_text(visit, "She sings once more.")
        expect(visit.locator("#systems li.down")).to_contain_text("leans down")
        expect(visit.locator("#verdict")).to_contain_text("leans is down")
        expect(visit.locator("#verdict")).to_contain_text("the model is gone")
        expect(cell(visit, 0, 1)).to_contain_text("50.0")
    finally:
        LEFT_OUT["gone"] = False
    expect(cell(visit, 0, 0)).to_contain_text("50.0")
    expect(visit.locator("#systems li.down")).to_have_count(0)


def test_hostile_text_and_names_are_inert(visit):
    visit.locator("#text").fill(HOSTILE)
    expect(visit.locator("#variants tbody th").first).to_contain_text("<img src=x")
    expect(visit.locator("main img, main script")).to_have_count(0)
    type_text(visit, "Adam feels fine.")
    visit.locator('#strip circle[data-nth="4"]').hover()
    expect(visit.locator(".tip")).to_contain_text("<b>Zed</b>")
    expect(visit.locator("#strip b")).to_have_count(0)


def test_another_site_s_page_gets_nothing_through_the_browser(browser, explorer):
    """A page that even knows the token can neither read an answer nor have anything written."""
    context = browser.new_context()
    page = context.new_page()
    page.route("http://evil.example/*", lambda route: route.fulfill(body="<p>Hello</p>"))
    page.goto("http://evil.example/")
    base, _, token = explorer.link.partition("/?token=")
    sentences = [{"text": "She sings.", "gender": "female"}, {"text": "x", "gender": "male"}]
    tried = page.evaluate(
        """async ([base, token, body]) => {
          const plain = { method: "POST", body, mode: "no-cors" };
          const usual = { method: "POST", body, headers: { "x-tiltmeter-token": token } };
          const said = [];
          for (const [path, how] of [
            [`/?token=${token}`, {}], ["/api/start", { headers: usual.headers }],
            ["/api/corpus", usual], ["/api/corpus", plain],
          ]) {
            const answer = await fetch(base + path, how).catch(() => null);
            const text = answer && (await answer.text());
            said.push(answer ? `${answer.type} ${answer.status} ${text}` : "refused");
          }
          const frame = document.createElement("iframe");
          frame.src = `${base}/?token=${token}`;
          document.body.append(frame);
          await new Promise((done) => frame.addEventListener("load", done));
          said.push(String(frame.contentDocument));
          return said;
        }""",
        [base, token, json.dumps({"sentences": sentences})],
    )
    assert tried[:3] == ["refused"] * 3
    assert tried[3] in ("refused", "opaque 0 ")
    assert tried[4] == "null"
    assert not any("h1" in frame.content() for frame in page.frames if frame.url.startswith(base))
    assert not explorer.explorer.corpus.exists()
    context.close()


def test_audits_opened_beside_say_what_they_found(visit):
    summary = visit.locator("#audits summary")
    expect(summary).to_contain_text("out: leans")
    finding = visit.locator("#audits li").first
    expect(finding).to_be_hidden()
    summary.click()
    expect(finding).to_be_visible()
    expect(summary).to_contain_text("1 undecided")
    visit.locator("#margin").fill("20")
    expect(summary).to_contain_text("1 undecided")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone(browser, explorer, scheme):
    context = browser.new_context(viewport={"width": 360, "height": 700}, color_scheme=scheme)
    page = context.new_page()
    page.goto(explorer.link)
    expect(page.locator("#strip circle")).to_have_count(len(NAMES))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_the_first_screen_is_quiet(browser, tmp_path):
    with served(["vader", "afinn"], tmp_path) as server:
        context = browser.new_context(viewport=DESKTOP)
        page = context.new_page()
        page.goto(server.link)
        expect(page.locator("#strip circle")).to_have_count(len(server.explorer.names))
        expect(page.locator("#why tbody tr")).to_have_count(1)
        assert_first_screen(page, "explorer")
        context.close()


def test_without_its_token_the_page_says_what_to_do(browser, explorer):
    page = browser.new_page()
    page.goto(explorer.link.partition("?")[0])
    expect(page.locator("body")).to_contain_text("lacks its token")
    page.close()


def test_a_bundle_opens_from_disk_without_a_server(browser, tmp_path):
    explorer = Explorer([live_function("leans", leans)], tmp_path / "kept.csv", names=NAMES)
    sentences = ["Adam feels awful.", HOSTILE]
    writer = threading.Thread(target=write_bundle, args=(explorer, tmp_path / "site", sentences))
    writer.start()  # Playwright has the event loop of this thread
    writer.join()
    context = browser.new_context(offline=True)
    page = context.new_page()
    complaints, requests = [], []
    page.on("pageerror", lambda one: complaints.append(str(one)))
    page.on("console", lambda one: complaints.append(one.text) if one.type == "error" else None)
    page.on("request", lambda one: requests.append(one.url))
    page.goto((tmp_path / "site" / "index.html").as_uri())
    expect(page.locator("#strip circle")).to_have_count(len(NAMES))
    expect(cell(page, 0, 0)).to_contain_text("20.0")
    expect(page.locator("#why tbody tr")).to_have_count(2)
    page.locator("#text").select_option(HOSTILE)
    expect(page.locator("#variants tbody th").first).to_contain_text("<img src=x")
    assert complaints == []
    assert all(url.startswith(("file:", "data:")) for url in requests)
    context.close()
