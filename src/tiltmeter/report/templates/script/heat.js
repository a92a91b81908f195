/* The heat map: templates across, emotion words down. */
import { corpora, entryOf, languageOf, panelOf, submissions, unitOf, words } from "./data.js";
import { fillSlots, h, headCell, lede, scrollBox } from "./elements.js";

const rowHead = (text, language) => h("th", { scope: "row", dir: "auto", lang: language }, text);

/* arrow keys walk over the cells of a table, which Tab reaches once */
const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
function walkCells(event) {
  const step = STEPS[event.key];
  const row = event.target.closest("tr");
  if (!step || event.target.tagName !== "BUTTON") return;
  event.preventDefault();
  const column = event.target.closest("td").cellIndex + step[1];
  let next = row;
  do {
    if (step[0]) next = step[0] > 0 ? next.nextElementSibling : next.previousElementSibling;
  } while (step[0] && next && !next.querySelector("td"));
  const button = next?.cells[column]?.querySelector("button");
  if (!button) return;
  event.target.tabIndex = -1;
  button.tabIndex = 0;
  button.focus();
}

function heatTable({ caption, templates, rows }, cell, language) {
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

/* what the pairs of a cell are found by */
export function cellFilters(i, panel, at) {
  const { examples } = corpora[submissions[i].corpus];
  for (const { templates, rows } of panelOf(i, panel).cells.tables) {
    for (const [, word, places] of rows) {
      const nth = places.indexOf(at);
      if (nth >= 0)
        return { word, template: `${templates[nth]}: ${examples[templates[nth]] || ""}` };
    }
  }
  return null;
}

export function heatMap(i, panel, openCell) {
  const { cells, said } = entryOf(i);
  const { heat, cells: map } = panelOf(i, panel);
  const language = languageOf(i);
  const { examples } = corpora[submissions[i].corpus];
  const places = map.tables.flatMap(({ rows }) => rows.flatMap((row) => row[2]));
  const sizes = places.map((at) => Math.abs(cells[at])).filter((size) => !Number.isNaN(size));
  const widest = Math.max(0, ...sizes);
  let first = true;
  const cell = (at) => {
    const v = cells[at];
    if (Number.isNaN(v)) return h("td", { class: "void" }, said.cells[at]);
    const { word, template } = cellFilters(i, panel, at);
    const label = fillSlots(words.heat.cell, { size: said.cells[at], word, template });
    const facts = { type: "button", "aria-label": label, tabindex: first ? 0 : -1 };
    const click = () => openCell(at);
    const made = h("td", null, h("button", { ...facts, on: { click } }, said.cells[at]));
    first = false;
    if (v && widest) {
      const alpha = (0.08 + (0.5 * Math.abs(v)) / widest).toFixed(3);
      made.style.background = `rgb(var(--${v > 0 ? "up" : "down"}-wash) / ${alpha})`;
    }
    return made;
  };
  const tables = map.tables.map((table) => {
    first = true;
    return heatTable(table, cell, language);
  });
  const example = (template) =>
    h(
      "li",
      null,
      `${template}: `,
      h("span", { lang: language, dir: "auto" }, examples[template] || ""),
    );
  return [
    lede(`${unitOf(i).heat} ${heat}`),
    scrollBox(words.heat.label, h("div", { class: "heats", on: { keydown: walkCells } }, tables)),
    h("ul", { class: "templates" }, map.templates.map(example)),
  ];
}
