/* A scale around zero, in per cent of the width, with the ticks that Python chose. */
import { common } from "./data.js";
import { h, percent, s } from "./elements.js";

const ticks = new Map(common.scales);

/* a scale from −limit to limit, or from −1 to 1 where there is nothing to draw */
export const scaleTo = (limit) => ({
  at: (v) => Math.min(100, Math.max(0, 50 + (46 * v) / (limit || 1))),
  ticks: ticks.get(limit),
});

export const upright = (kind, x, y1, y2) =>
  s("line", { class: kind, x1: percent(x), x2: percent(x), y1, y2 });
export const across = (kind, from, to, y = "50%") =>
  s("line", { class: kind, x1: percent(from), x2: percent(to), y1: y, y2: y });
export const grid = (scale) =>
  scale.ticks.map(([x, text]) => upright(text === "0" ? "zero" : "tick", x, 0, "100%"));

export function tickRow(scale) {
  const texts = scale.ticks.map(([x, text]) => s("text", { x: percent(x), y: 12 }, text));
  return s("svg", { class: "axis", "aria-hidden": "true" }, texts);
}
export const bothEnds = ({ less, more }) =>
  h(
    "p",
    { class: "both", "aria-hidden": "true" },
    h("span", null, `◂ ${less}`),
    h("span", null, `${more} ▸`),
  );
