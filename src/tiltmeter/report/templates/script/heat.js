/* The heat map: templates across, emotion words down. */
import { corpora, entryOf, languageOf, panelOf, submissions, unitOf, words } from "./data.js";
import { h, headCell, lede, scrollBox } from "./elements.js";

const rowHead = (text, language) => h("th", { scope: "row", dir: "auto", lang: language }, text);

function tableOf({ caption, templates, rows }, cell, language) {
  const body = [];
  let last = null;
  for (const [emotion, word, places] of rows) {
    if (emotion !== null && emotion !== last) {
      const facts = { class: "emo", scope: "rowgroup", colspan: templates.length + 1 };
      body.push(h("tr", null, h("th", facts, emotion)));
    }
    last = emotion;
    body.push(h("tr", null, rowHead(word, language), places.map(cell)));
  }
  const heads = templates.map((template) => headCell(template));
  return h(
    "table",
    { class: "heat" },
    h("caption", null, caption),
    h("thead", null, h("tr", null, h("td", { class: "void" }), heads)),
    h("tbody", null, body),
  );
}

export function heatMap(i, panel) {
  const { cells, said } = entryOf(i);
  const { heat, cells: map } = panelOf(i, panel);
  const language = languageOf(i);
  const { examples } = corpora[submissions[i].corpus];
  const places = map.tables.flatMap(({ rows }) => rows.flatMap((row) => row[2]));
  const sizes = places.map((at) => Math.abs(cells[at])).filter((size) => !Number.isNaN(size));
  const widest = Math.max(0, ...sizes);
  const cell = (at) => {
    const v = cells[at];
    const made = h("td", { class: Number.isNaN(v) ? "void" : null }, said.cells[at]);
    if (v && widest) {
      const alpha = (0.08 + (0.5 * Math.abs(v)) / widest).toFixed(3);
      made.style.background = `rgb(var(--${v > 0 ? "up" : "down"}-wash) / ${alpha})`;
    }
    return made;
  };
  const tables = map.tables.map((table) => tableOf(table, cell, language));
  const example = (template) =>
    h(
      "li",
      null,
      `${template}: `,
      h("span", { lang: language, dir: "auto" }, examples[template] || ""),
    );
  return [
    lede(`${unitOf(i).heat} ${heat}`),
    scrollBox(words.heat.label, h("div", { class: "heats" }, tables)),
    h("ul", { class: "templates" }, map.templates.map(example)),
  ];
}
