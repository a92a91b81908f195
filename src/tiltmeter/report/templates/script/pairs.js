/* The pair explorer: both sentences, both scores, the difference; filtered and sorted. */
import {
  common,
  corpora,
  entryOf,
  pairsOf,
  pairTexts,
  submissions,
  towards,
  valueIn,
  words,
} from "./data.js";
import { fillSlots, h, lede, percent, personLink } from "./elements.js";
import { pairInOthers } from "./others.js";
import { markedSentences } from "./sentences.js";

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

export function scoreOf(place, { low, high }) {
  const width = (common.numbers[place] - low) / (high - low || 1);
  const inner = h("i");
  inner.style.width = percent(100 * Math.min(1, Math.max(0, width)));
  const hidden = h("span", { class: "vh" }, words.pairs.score);
  return [
    h("span", { class: "level", "aria-hidden": "true" }, inner),
    h("span", { class: "score" }, hidden, common.texts[place]),
  ];
}
export function differenceOf({ delta, said }, ends) {
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
/* the two of a couple, each with an address; names are many to a side */
function coupleOf({ name, pairs, people, language }, at) {
  const match = valueIn(pairs.match, at);
  const spots = [...people.person.keys()].filter((nth) => valueIn(people.match, nth) === match);
  const names = [...new Set(spots.map((nth) => people.person[nth]))];
  if (names.length > 2) return null;
  return names.map((one) => [" · ", personLink(name, one, { lang: language })]);
}
function pairItem(pair, i, panel, remember) {
  const { corpus: place } = submissions[i];
  const corpus = corpora[place];
  const [entry, ends, texts] = [entryOf(i), corpus.panels[panel], pairTexts(place)];
  const { othersFirst, othersSecond, about } = corpus.pairs;
  const after = [othersFirst, othersSecond].map((column) => valueIn(column, pair.at));
  const both = [texts.first[pair.at], texts.second[pair.at]];
  const [first, second] = markedSentences(...both, corpus.language, after);
  const others = pairInOthers(i, panel, pair.at, () => remember(`pair/${panel}/${pair.at}`));
  return h(
    "li",
    { class: "pair" },
    first,
    scoreOf(pair.first, entry),
    second,
    scoreOf(pair.second, entry),
    differenceOf(pair, ends),
    h(
      "p",
      { class: "about", dir: "auto" },
      valueIn(about, pair.at),
      coupleOf(corpus, pair.at),
      others && [" ", others.button],
    ),
    others?.place,
  );
}

const FILTERS = ["emotion", "word", "template", "match"];

/* `show` filters by a cell of the heat map, or opens one pair in all systems */
export function pairExplorer(i, panel, remember) {
  const corpus = corpora[submissions[i].corpus];
  const all = pairsOf(i, panel);
  if (!all.length) return { element: lede(words.pairs.none), show: () => null };

  const filters = FILTERS.map((name) => filterBy(name, all, corpus.pairs[name])).filter(Boolean);
  const orders = [words.pairs.size, ...corpus.panels[panel].sorts];
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
  let single = null;
  const click = () => {
    limit += STEP;
    draw();
  };
  const more = h("button", { type: "button", on: { click } }, words.pairs.more);
  const every = fillSlots(words.pairs.every, { n: all.length });
  const element = h("details", { class: "every" }, h("summary", null, every), form, list, more);

  function draw() {
    const wanted = filters.filter((one) => one.select.value !== "");
    const matches = (pair) =>
      wanted.every(({ select, column }) => column.at[pair.at] === Number(select.value));
    const found = single === null ? all.filter(matches) : all.filter((pair) => pair.at === single);
    if (ORDERS[sort.value]) found.sort(ORDERS[sort.value]);
    const shown = found.slice(0, limit).map((pair) => pairItem(pair, i, panel, remember));
    list.replaceChildren(...shown);
    more.hidden = found.length <= limit;
    const { held } = entryOf(i);
    const many = single === null ? found.length : all.length;
    const said = many === 1 ? words.pairs.one : words.pairs.many;
    const counts = fillSlots(said, { n: shown.length, all: many });
    status.textContent = counts + (held ? held[panel][1] : "");
  }
  form.addEventListener("change", () => {
    limit = STEP;
    single = null;
    draw();
  });
  element.addEventListener("toggle", () => {
    if (element.open && !list.children.length) draw();
  });

  function show({ at, chosen }) {
    single = at ?? null;
    limit = STEP;
    for (const { select, column } of filters) {
      const value = chosen?.[select.name];
      const place = value === undefined ? -1 : column.values.indexOf(value);
      select.value = place < 0 ? "" : String(place);
    }
    draw();
    element.open = true;
    if (single !== null) list.querySelector("button.quiet")?.click();
    element.scrollIntoView();
    element.firstElementChild.focus({ preventScroll: true });
  }
  return { element, show };
}
