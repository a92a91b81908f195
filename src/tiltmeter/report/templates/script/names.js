/* What a regression is made of: groups' mean scores, and the names that pull an effect. */
import { corpora, fitOf, fits, languageOf, modelOf, submissions, unpack, words } from "./data.js";
import { h, headCell, percent, personLink, s, scrollBox } from "./elements.js";
import { upright } from "./scales.js";

/* Names are written under their dots where they do not meet */
const ROOM = 7;

export function groupMeans({ heads, rows }) {
  const cell = (found) =>
    h("td", null, found ? [h("b", null, found[0]), h("span", null, found[1])] : words.dash);
  const line = ([title, cells]) => h("tr", null, h("th", { scope: "row" }, title), cells.map(cell));
  const columns = [h("td", { class: "vh" }), heads.map((head) => headCell(head))];
  return h(
    "table",
    { class: "means" },
    h("caption", null, fits.words.means),
    heads.length > 0 && h("thead", null, h("tr", null, columns)),
    h("tbody", null, rows.map(line)),
  );
}

/* a group's names as dots, those that pull an effect larger and named */
function dotRow(i, group, x, large) {
  const { names } = fitOf(i);
  const { people } = modelOf(i);
  const corpus = corpora[submissions[i].corpus].name;
  const direction = languageOf(i) === "ar" ? "rtl" : null;
  let last = -99;
  const dot = (nth) => {
    const at = x(names.values[nth]);
    const free = large.has(nth) && at - last > ROOM;
    if (free) last = at;
    return s(
      "a",
      {
        class: large.has(nth) ? "pulls" : null,
        href: personLink(corpus, people[nth]).getAttribute("href"),
        "aria-label": `${people[nth]} ${names.said[nth]}`,
        "data-tip": `${people[nth]} ${names.said[nth]}`,
      },
      s("circle", { cx: percent(at), cy: 10, r: large.has(nth) ? 4.5 : 3.5 }),
      free && s("text", { x: percent(at), y: 31, direction }, people[nth]),
    );
  };
  const svg = s(
    "svg",
    { role: "group", "aria-label": group.label },
    s("line", { class: "all", x1: 0, x2: "100%", y1: 10, y2: 10 }),
    upright("mean", x(group.mean), 1, 19),
    group.names.map(dot),
  );
  return [h("span", null, group.title), svg];
}

function axisOf([lowest, highest]) {
  const texts = [
    s("text", { x: "4%", y: 12 }, lowest),
    s("text", { class: "last", x: "100%", y: 12 }, highest),
  ];
  return s("svg", { class: "axis", "aria-hidden": "true" }, texts);
}

/* an effect without the names that pull it: pieces of text, and names by their place */
function pullingLine(i, [title, ...parts]) {
  const { people } = modelOf(i);
  const corpus = corpora[submissions[i].corpus].name;
  const named = (nth) => h("bdi", { lang: languageOf(i) }, personLink(corpus, people[nth]));
  const pieces = parts.map((part) => (typeof part === "number" ? named(part) : part));
  return h("li", null, h("b", null, title), pieces);
}

function everyName(i, shown) {
  const { names } = fitOf(i);
  const { people, groups, heads } = modelOf(i);
  const corpus = corpora[submissions[i].corpus].name;
  const number = (text) => h("td", { class: "num" }, text);
  const line = (nth) =>
    h(
      "tr",
      null,
      h(
        "th",
        { scope: "row", dir: "auto", lang: languageOf(i) },
        personLink(corpus, people[nth], { dir: null }),
      ),
      groups[nth].map((group) => h("td", null, group)),
      number(names.said[nth]),
      names.without.map((points) => number(points ? points[nth] : words.dash)),
    );
  const columns = [
    heads[0].map((text) => headCell(text)),
    heads[1].map((text) => headCell(text, "num")),
  ];
  const head = h("thead", null, h("tr", null, columns));
  const table = h("table", { class: "plain" }, head, h("tbody", null, shown.map(line)));
  return scrollBox(fits.words.nameTable, table);
}

export function namesThatPull(i) {
  const { names } = fitOf(i);
  if (!names) return [];
  names.values ??= unpack(...names.means);
  const shown = [...names.values.keys()].filter((nth) => !Number.isNaN(names.values[nth]));
  const known = shown.map((nth) => names.values[nth]);
  const low = Math.min(...known);
  const width = Math.max(...known) - low || 1;
  const x = (v) => 4 + (92 * (v - low)) / width;
  const large = new Set(names.large);
  const rows = names.groups.map((group) => dotRow(i, group, x, large));
  const table = h("details", null, h("summary", null, fits.words.everyName));
  table.addEventListener("toggle", () => {
    if (table.children.length === 1) table.append(everyName(i, shown));
  });
  return [
    h("h4", null, fits.words.names),
    h("p", { class: "lede" }, fits.words.aboutNames),
    h("div", { class: "named" }, h("span"), axisOf(names.ends), rows),
    names.pulling.length > 0 &&
      h(
        "ul",
        { class: "pulling" },
        names.pulling.map((line) => pullingLine(i, line)),
      ),
    table,
  ];
}
