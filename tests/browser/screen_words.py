"""How many words a reader sees: on the first screen of a page, and on all of it, as it opens."""

DESKTOP = {"width": 1200, "height": 800}
PHONE = {"width": 400, "height": 700}
FIRST_SCREEN = 150
"""Words that the first screen may hold at most (REPORT_DESIGN.md)."""
ONE_SYSTEM = 1_200
"""Words that a page about one system may show at most before anything is opened."""

COUNT = """(bottom) => {
  const clips = (one) => getComputedStyle(one).overflowX === "hidden" &&
    one.getBoundingClientRect().width < 2;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let above = 0, all = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    const words = (text.data.match(/\\S*[\\p{L}\\p{N}]\\S*/gu) || []).length;
    if (!words || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(parent.tagName)) continue;
    if (!parent.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getClientRects()[0];
    let clipped = parent;
    while (clipped && !clips(clipped)) clipped = clipped.parentElement;
    if (!box || box.width < 2 || box.right < 0 || clipped) continue;
    all += words;
    if (box.top + scrollY < bottom) above += words;
  }
  return [above, all];
}"""


def screen_words(page, name: str, bottom: int = DESKTOP["height"]) -> tuple[int, int]:
    """Words above a line of the page and on all of it; printed for whoever runs `pytest -s`."""
    above, everything = page.evaluate(COUNT, bottom)
    width = page.viewport_size["width"]
    print(f"{name}, {width} px wide: {above} words above {bottom} px, {everything} before opening")
    assert not page.evaluate("scrollX + document.documentElement.scrollWidth > innerWidth"), name
    return above, everything


def assert_first_screen(page, name: str) -> None:
    """The first screen holds at most 150 words, and they are not none."""
    above, _ = screen_words(page, name)
    assert 10 < above <= FIRST_SCREEN, f"{name}: {above} words on the first screen"
