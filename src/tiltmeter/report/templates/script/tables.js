/* Tables of one system: what describes its differences, parts of the corpus, its card. */
import { corpora, entryOf, panelOf, submissions, towards, unitOf, words } from "./data.js";
import { h, headCell, scrollBox } from "./elements.js";

const number = (text, kind = "") => h("td", { class: `num ${kind}`.trim() }, text);

export function describedTable(i, panel) {
  const labels = panelOf(i, panel).described;
  const rows = entryOf(i).described[panel].map((row, nth) => {
    if (!row) return null;
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, labels[nth]),
      number(row[0]),
      h("td", null, row[1]),
    );
  });
  const caption = h("caption", { class: "vh" }, words.boxes.described);
  const table = h("table", { class: "plain" }, caption, h("tbody", null, rows));
  return h("div", { class: "scroll" }, table);
}

export function subsetTable(i, panel) {
  const { corpus, task } = submissions[i];
  const rows = entryOf(i).subsets.map((row, nth) => {
    const subset = corpora[corpus].subsets[nth];
    if (!row || subset.panel !== panel) return null;
    const [way, amount, interval, p, flip, pairs, dropped, kind] = row;
    const cells = [
      h("th", { scope: "row" }, subset.labels[task]),
      number(amount, kind === "up" || kind === "down" ? kind : ""),
      h("td", null, towards(way, panelOf(i, panel))),
      ...[interval, p, flip, pairs, dropped].map((text) => number(text)),
      h("td", null, words.said[kind]),
    ];
    return h("tr", { class: subset.main ? "main" : null }, cells);
  });
  const texts = [0, 2, 8];
  const heads = unitOf(i).subsets.map((text, nth) =>
    headCell(text, texts.includes(nth) ? null : "num"),
  );
  const head = h("thead", null, h("tr", null, heads));
  const table = h("table", { class: "plain subsets" }, head, h("tbody", null, rows));
  return scrollBox(words.subsets.label, table);
}

export function factsOf(i) {
  const { facts } = entryOf(i);
  if (!facts.length) return null;
  const lines = facts.map(([name, fact]) => [h("dt", null, name), h("dd", { dir: "auto" }, fact)]);
  return [h("h3", null, words.system.facts), h("dl", { class: "facts" }, lines)];
}
