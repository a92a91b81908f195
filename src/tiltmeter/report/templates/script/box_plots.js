/* The paper's box plots, a figure each, drawn when it is opened and in sight. */
import { boxSvg } from "./boxes.js";
import { common, entryOf, panelOf, submissions, words } from "./data.js";
import { byId, dialog, h, lede } from "./elements.js";
import { bothEnds, scaleTo, tickRow } from "./scales.js";

const GLYPHS = { up: "▲", down: "▼", none: "●" };

function rowOf(i, panel, scale) {
  const { system, anchor, significance } = submissions[i];
  const { average, first } = panelOf(i, panel);
  const name = !average ? system : dialog ? `${first}: ${system}` : first;
  const kind = significance[panel];
  const box = entryOf(i).said.boxes[panel];
  const label = `${name}: ${words.said[kind]}${box ? `; ${box}` : ""}`;
  const glyph = GLYPHS[kind] || words.dash;
  const link = dialog ? h("a", { href: `#${anchor}`, "data-open": anchor }, name) : name;
  const mark = h("span", { class: `k ${kind}`, "aria-hidden": "true" }, glyph);
  return h(
    "div",
    { class: "boxrow" },
    h("span", { title: name, dir: "auto" }, mark, link),
    boxSvg(i, panel, scale, { "aria-label": label }),
  );
}

function boxPlot({ rows, less, more }) {
  const scale = scaleTo(Math.max(...rows.map(([i, panel]) => entryOf(i).limits.pairs[panel])));
  const axis = h("div", null, bothEnds({ less, more }), tickRow(scale));
  const head = h("div", { class: "boxrow headrow" }, h("span"), axis);
  return [head, ...rows.map(([i, panel]) => rowOf(i, panel, scale))];
}

function figureOf(plot) {
  const inside = h("div", { class: "boxplot", role: "group", "aria-label": plot.label });
  const figure = h("details", { open: plot.open }, h("summary", null, plot.title), inside);
  let drawn = false;
  const draw = () => {
    if (drawn || !figure.open) return;
    drawn = true;
    inside.append(...boxPlot(plot));
  };
  figure.addEventListener("toggle", draw);
  const seen = (sights, watcher) => {
    if (sights.some((one) => one.isIntersecting)) draw();
    if (drawn) watcher.disconnect();
  };
  new IntersectionObserver(seen, { rootMargin: "400px" }).observe(figure);
  return figure;
}

const figures = common.figures.map(figureOf);
byId("boxes")?.append(...(figures.length ? figures : [lede(words.boxes.noFigure)]));
