/* The pair explorer: both sentences, both scores, the difference; filtered and sorted. */
import { common, corpora, entryOf, pairsOf, submissions, towards, valueIn, words } from "./data.js";
import { fillSlots, h, lede, percent } from "./elements.js";
import { bothSentences } from "./sentences.js";

const STEP = 20;
const ORDERS = {
  size: null,
  up: (a, b) => b.delta - a.delta,
  down: (a, b) => a.delta - b.delta,
};

/* a choice among what the pairs have in a column; nothing where all have the same */
function filterBy(name, pairs, column) {
  const found = [...new Set(pairs.map((pair) => column.at[pair.at]))].sort((a, b) => a - b);
  if (found.length < 2) return null;
  const option = (at) => h("option", { value: at, dir: "auto" }, column.values[at]);
  const all = h("option", { value: "" }, words.pairs.all);
  const select = h("select", { name, "data-filter": name }, all, found.map(option));
  return { select, column, label: h("label", null, words.pairs[name], select) };
}

function scoreOf(place, { low, high }) {
  const width = (common.numbers[place] - low) / (high - low || 1);
  const inner = h("i");
  inner.style.width = percent(100 * Math.min(1, Math.max(0, width)));
  const hidden = h("span", { class: "vh" }, words.pairs.score);
  return [
    h("span", { class: "level", "aria-hidden": "true" }, inner),
    h("span", { class: "score" }, hidden, common.texts[place]),
  ];
}
function differenceOf({ delta, said }, ends) {
  const side = delta > 0 ? "up" : delta < 0 ? "down" : "none";
  const arrow = (text) => h("i", { "aria-hidden": "true" }, text);
  return h(
    "span",
    { class: `apart ${side}` },
    delta < 0 && arrow("◂ "),
    said,
    delta > 0 && arrow(" ▸"),
    h("span", null, towards(delta, ends) || words.same),
  );
}
function pairItem(pair, corpus, entry, ends) {
  const [first, second] = bothSentences(corpus, pair.at);
  return h(
    "li",
    { class: "pair" },
    first,
    scoreOf(pair.first, entry),
    second,
    scoreOf(pair.second, entry),
    differenceOf(pair, ends),
    h("span", { class: "about", dir: "auto" }, valueIn(corpus.pairs.about, pair.at)),
  );
}

export function pairExplorer(i, panel) {
  const corpus = corpora[submissions[i].corpus];
  const ends = corpus.panels[panel];
  const entry = entryOf(i);
  const all = pairsOf(i, panel);
  if (!all.length) return lede(words.pairs.none);

  const filters = ["emotion", "template", "match"]
    .map((name) => filterBy(name, all, corpus.pairs[name]))
    .filter(Boolean);
  const orders = [words.pairs.size, ...ends.sorts];
  const sort = h(
    "select",
    { name: "order" },
    Object.keys(ORDERS).map((value, nth) => h("option", { value }, orders[nth])),
  );
  const status = h("p", { role: "status", "aria-live": "polite" });
  const form = h(
    "form",
    { class: "tools explorer", on: { submit: (event) => event.preventDefault() } },
    filters.map((one) => one.label),
    h("label", null, words.pairs.sort, sort),
    status,
  );
  const list = h("ol", { class: "pairs" });
  let limit = STEP;
  const click = () => {
    limit += STEP;
    draw();
  };
  const more = h("button", { type: "button", on: { click } }, words.pairs.more);

  function draw() {
    const wanted = filters.filter((one) => one.select.value !== "");
    const matches = (pair) =>
      wanted.every(({ select, column }) => column.at[pair.at] === Number(select.value));
    const found = all.filter(matches);
    if (ORDERS[sort.value]) found.sort(ORDERS[sort.value]);
    const shown = found.slice(0, limit).map((pair) => pairItem(pair, corpus, entry, ends));
    list.replaceChildren(...shown);
    more.hidden = found.length <= limit;
    const said = found.length === 1 ? words.pairs.one : words.pairs.many;
    const held = entry.held ? entry.held[panel][1] : "";
    status.textContent = fillSlots(said, { n: shown.length, all: found.length }) + held;
  }
  form.addEventListener("change", () => {
    limit = STEP;
    draw();
  });
  draw();
  return [form, list, more];
}
