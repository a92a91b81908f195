/* The plots of effects: their filters, and every number when it is asked for. */
import { coefficientTable } from "./coefficients.js";
import { fits, submissions } from "./data.js";
import { byId, fillSlots } from "./elements.js";

function plotOf(plot) {
  const order = fits.plots[plot.dataset.plot];
  const rows = [...plot.querySelectorAll(".forest tbody tr")];
  const folded = [...plot.querySelectorAll("details:has(.forest)")];
  const numbers = plot.querySelector(".numbers");
  numbers.hidden = false;
  numbers.addEventListener("toggle", () => {
    if (numbers.open && numbers.children.length < 2) numbers.append(...coefficientTable(order));
  });
  return { plot, rows, folded };
}

function narrow(plots, text, task, corpus) {
  let count = 0;
  for (const { plot, rows, folded } of plots) {
    const { dataset } = plot;
    plot.hidden = Boolean((task && dataset.task !== task) || (corpus && dataset.corpus !== corpus));
    for (const row of rows) {
      row.hidden = !submissions[row.dataset.i].system.toLowerCase().includes(text);
    }
    for (const details of folded) {
      if (text) details.open = true;
      details.hidden = !details.querySelector("tbody tr:not([hidden])");
    }
    if (!plot.hidden) count += rows.filter((row) => !row.hidden).length;
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
