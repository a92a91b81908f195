/* The plot of effects: rows that the page does not draw as it opens, and its filters. */
import { coefficientTable } from "./coefficients.js";
import { fitOf, fits, modelOf, submissions } from "./data.js";
import { byId, fillSlots, h, percent, s } from "./elements.js";
import { across, upright } from "./scales.js";

function behindLine([low, high, beyond]) {
  const ends = [
    beyond !== "left" && beyond !== "both" && upright(null, low, "32%", "68%"),
    beyond !== "right" && beyond !== "both" && upright(null, high, "32%", "68%"),
  ];
  return s("g", { class: "behind" }, across(null, low, high), ends);
}
function ownLine([low, high, beyond]) {
  const left = beyond === "left" || beyond === "both";
  const right = beyond === "right" || beyond === "both";
  return [
    across("mine", low, high),
    left && s("text", { x: 0, y: "50%", dy: 5 }, "‹"),
    right && s("text", { x: "100%", y: "50%", dy: 5, "text-anchor": "end" }, "›"),
  ];
}

/* as templates/regression.html draws it */
function effectCell(mark, effect) {
  const { units, interval } = fits.words;
  const unit = mark.means && [
    h("span", { class: "u" }, units),
    h("span", { class: "vh" }, fillSlots(interval, mark)),
  ];
  const ends = [
    h("i", null, effect.full),
    h("span", null, effect.less),
    h("span", null, effect.more),
  ];
  const drawn = [
    s("use", { href: "#grid-effects" }),
    mark.behind && behindLine(mark.behind),
    mark.line && ownLine(mark.line),
    mark.x !== null && s("circle", { cx: percent(mark.x), cy: "50%", r: 5 }),
  ];
  const said = [
    h("b", null, mark.number),
    unit,
    " ",
    h("span", { class: "r" }, mark.spread),
    h("span", { class: "s" }, mark.said),
  ];
  return h(
    "td",
    { role: "cell", class: `c ${mark.kind} s${mark.side}` },
    h("span", { class: "ends", "aria-hidden": "true" }, ends),
    s("svg", { "aria-hidden": "true" }, drawn),
    h("span", { class: "x" }, said),
  );
}
function effectRow(i) {
  const { anchor, system } = submissions[i];
  const { effects } = modelOf(i);
  const facts = { href: `#${anchor}`, "data-open": anchor, "data-part": "regressed", dir: "auto" };
  return h(
    "tr",
    { "data-i": i, role: "row" },
    h("th", { scope: "row", role: "rowheader", class: "name" }, h("a", facts, system)),
    fitOf(i).marks.map((mark, nth) => effectCell(mark, effects[nth])),
  );
}

function plotOf(plot) {
  const order = fits.plots[plot.dataset.plot];
  const body = plot.querySelector("tbody");
  const more = plot.querySelector(".more");
  const numbers = plot.querySelector(".numbers");
  const drawAll = () => {
    body.append(...order.slice(body.rows.length).map(effectRow));
    if (more) more.parentNode.hidden = true;
  };
  if (more) more.hidden = false;
  more?.addEventListener("click", drawAll);
  numbers.hidden = false;
  numbers.addEventListener("toggle", () => {
    if (numbers.open && numbers.children.length < 2) numbers.append(...coefficientTable(order));
  });
  return { plot, order, body, drawAll };
}

function narrow(plots, text, task, corpus) {
  let count = 0;
  for (const one of plots) {
    const { dataset } = one.plot;
    const other = (task && dataset.task !== task) || (corpus && dataset.corpus !== corpus);
    one.plot.hidden = Boolean(other);
    if (text) one.drawAll();
    for (const row of one.body.rows) {
      row.hidden = !submissions[row.dataset.i].system.toLowerCase().includes(text);
    }
    const shown = [...one.body.rows].filter((row) => !row.hidden).length;
    if (!other) count += text ? shown : one.order.length;
  }
  for (const head of document.querySelectorAll(".of-corpus")) {
    const mine = plots.filter((one) => one.plot.dataset.corpus === head.dataset.corpus);
    head.hidden = mine.every((one) => one.plot.hidden);
  }
  const narrowed = text || task || corpus;
  byId("effect-shown").textContent = narrowed ? fillSlots(fits.rows, { n: count }) : "";
}

if (fits) {
  const plots = [...document.querySelectorAll(".plot")].map(plotOf);
  const find = byId("effect-find");
  const chosen = [byId("effect-task"), byId("effect-corpus")];
  const change = () => {
    const text = find?.value.trim().toLowerCase() || "";
    narrow(plots, text, ...chosen.map((one) => one?.value || ""));
  };
  byId("effect-tools")?.addEventListener("submit", (event) => event.preventDefault());
  find?.addEventListener("input", change);
  for (const one of chosen) one?.addEventListener("change", change);
}
