/* Names and couples as dots around the average of all who are compared in the same place. */
import {
  corpora,
  entryOf,
  languageOf,
  panelOf,
  spotsOf,
  submissions,
  unitOf,
  words,
} from "./data.js";
import { fillSlots, h, lede, percent, personLink, s } from "./elements.js";
import { across, scaleTo, tickRow, upright } from "./scales.js";

const MOST = 40;

/* each person's value and its text, by their place among those embedded */
export function valuesOf(i) {
  const { people, those, said } = entryOf(i);
  const spots = spotsOf(corpora[submissions[i].corpus].people.at);
  const found = new Map();
  people.forEach((value, nth) => {
    if (Number.isNaN(value)) return;
    found.set(those ? spots.get(those[nth]) : nth, { value, said: said.people[nth] });
  });
  return found;
}

export function personDot(x) {
  const circle = s("circle", { cx: percent(x), cy: "50%", r: 4 });
  const zero = upright(null, 50, 0, "100%");
  return s("svg", { "aria-hidden": "true" }, zero, across("stem", 50, x), circle);
}

function blockTable(i, block, rows, scale) {
  const { name, people } = corpora[submissions[i].corpus];
  const link = (at) => personLink(name, people.person[at], { dir: null });
  const furthest = [...rows].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, MOST);
  const shown = furthest.sort((a, b) => b.value - a.value);
  const all = block.all ?? rows.length;
  const rest = all > shown.length ? fillSlots(block.furthest, { n: shown.length, all }) : "";
  const hidden = (text) => h("th", { scope: "col" }, h("span", { class: "vh" }, text));
  const head = [
    hidden(words.people.person),
    h("td", null, tickRow(scale)),
    hidden(unitOf(i).short),
  ];
  const body = shown.map(({ at, value, said }) =>
    h(
      "tr",
      { class: block.side },
      h("th", { scope: "row", dir: "auto", lang: languageOf(i) }, link(at)),
      h("td", null, personDot(scale.at(value * unitOf(i).times))),
      h("td", null, said),
    ),
  );
  const caption = h("caption", null, block.title, rest);
  return h("table", null, caption, h("thead", null, h("tr", null, head)), h("tbody", null, body));
}

export function peopleOf(i, panel) {
  const blocks = panelOf(i, panel).people;
  if (!blocks) return lede(words.people.noAxis);
  const values = valuesOf(i);
  const known = blocks
    .map((block) => {
      const there = block.rows.filter((at) => values.has(at));
      return [block, there.map((at) => ({ at, ...values.get(at) }))];
    })
    .filter(([, rows]) => rows.length);
  if (!known.length) return lede(words.people.none);
  const scale = scaleTo(entryOf(i).limits.people[panel]);
  const tables = known.map(([block, rows]) => blockTable(i, block, rows, scale));
  return h("div", { class: "people" }, tables);
}
