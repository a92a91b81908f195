/* Variants of the sentence down, systems across: scores, how far they lie apart, labels that flip. */

import { byId, element, number, onScale } from "./elements.js";
import { state } from "./state.js";

export const table = { rows: [], scores: {}, systems: [] };
/* rows: {text, label, words, gender, race, person}; scores: system → text → {raw, reason} */

export function setSystems(systems) {
  table.systems = systems;
  for (const system of systems) table.scores[system.name] ??= {};
}

export function take(event, texts) {
  const system = table.systems.find((one) => one.name === event.system);
  if (!system) return;
  if (event.waiting) {
    system.waiting = event.waiting;
    return;
  }
  system.waiting = 0;
  if (event.down) {
    system.down = event.down;
    return;
  }
  system.down = "";
  system.scale = event.scale;
  event.raw.forEach((raw, nth) => {
    table.scores[event.system][texts[event.start + nth]] = { raw, reason: event.reasons?.[nth] };
  });
}

export function points(system, text) {
  const found = table.scores[system.name][text];
  return found ? onScale(found.raw, system.scale) : undefined;
}

/* Systems in the order of the columns: two that are compared stand first, their change behind. */
function columns() {
  const [old, fresh] = compared();
  if (!fresh) return table.systems;
  return [old, fresh, ...table.systems.filter((one) => one !== old && one !== fresh)];
}

function compared() {
  const found = state.beside
    .split("\n")
    .map((name) => table.systems.find((one) => one.name === name));
  return found[0] && found[1] ? found : [];
}

/* `waits`: what has to be decided before there is a second sentence. */
export function showVariants(removed, waits) {
  const every = columns();
  const changes = compared().length > 0;
  const titles = ["sentence", ...every.map(heading)];
  if (changes) titles.splice(3, 0, "change");
  const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)));
  const rows = table.rows.map((row, nth) => {
    const cells = every.map((system) => cell(system, row, nth));
    if (changes) cells.splice(2, 0, change(row, nth));
    cells.forEach((one, place) => {
      one.dataset.label = titles[place + 1];
    });
    return element("tr", {}, sentence(row, nth, removed), ...cells);
  });
  const focused = byId("variants").contains(document.activeElement)
    ? document.activeElement.getAttribute("aria-label")
    : null;
  byId("variants").replaceChildren(
    element("caption", { class: "vh" }, "Scores of each variant by each system"),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
  const again = [...byId("variants").querySelectorAll("button")];
  if (focused) again.find((one) => one.getAttribute("aria-label") === focused)?.focus();
  const pieces = conclusions();
  if (waits) pieces.unshift(element("span", {}, waits), " ");
  const line = element("p", {}, ...pieces);
  if (byId("verdict").textContent !== line.textContent)
    byId("verdict").replaceChildren(...line.childNodes);
}

function heading(system) {
  if (!system.scale) return `${system.name}, its own units`;
  const { low, high, known } = system.scale;
  const ends = known === "declared" ? "" : ` (${low} to ${high}, ${known})`;
  return `${system.name}, of 100${ends}`;
}

function sentence(row, nth, removed) {
  const words = new Set(row.words ?? []);
  const pieces = row.text
    .split(/([\p{L}\p{M}\p{N}’']+)/u)
    .map((piece) => (words.has(piece) ? element("mark", {}, piece) : piece));
  const remove = element(
    "button",
    {
      type: "button",
      class: "remove",
      "aria-label": `Remove ${row.label}`,
      onclick: () => removed(row),
    },
    "×",
  );
  const own = row.person ? remove : null;
  return element("th", { scope: "row", class: "text", dir: "auto" }, ...pieces, nth ? own : null);
}

function cell(system, row, nth) {
  const value = points(system, row.text);
  if (value === undefined || value === null) {
    const reason = table.scores[system.name][row.text]?.reason;
    if (system.down) return element("td", { class: "none" }, "no answer");
    if (reason) return element("td", { class: "none", title: reason }, "no score");
    const wait = system.waiting ? `waiting ${system.waiting} s` : "…";
    return element("td", { class: "wait" }, wait);
  }
  const fill = element("i");
  fill.style.width = `${Math.max(0, Math.min(100, system.scale ? value : 50))}%`;
  const shown = system.scale ? number(value) : number(value, 3);
  const parts = [element("span", { class: "number" }, shown)];
  const first = nth ? points(system, table.rows[0].text) : null;
  if (nth && first !== null && first !== undefined) parts.push(...gapParts(system, value, first));
  if (system.scale) parts.push(element("span", { class: "bar" }, fill));
  return element("td", {}, ...parts);
}

function gapParts(system, value, first) {
  const gap = value - first;
  const beyond = system.scale && Math.abs(gap) > state.margin;
  const mark = beyond ? (gap > 0 ? " ▲" : " ▼") : "";
  const words = Math.abs(gap) < 1e-9 ? " same" : ` ${gap > 0 ? "+" : ""}${number(gap)}${mark}`;
  const parts = [
    element("span", { class: beyond ? `gap beyond ${gap > 0 ? "up" : "down"}` : "gap" }, words),
  ];
  if (flips(system, value, first)) parts.push(element("span", { class: "flip" }, "label flips"));
  return parts;
}

function flips(system, value, first) {
  return Boolean(system.scale) && value >= state.threshold !== first >= state.threshold;
}

/* What the rows show, a sentence for each system that moves. */
function conclusions() {
  const pieces = [];
  for (const system of table.systems) {
    if (system.down) {
      pieces.push(element("span", {}, `${system.name} is down: ${system.down}. `), element("br"));
    }
  }
  if (table.rows.length < 2) return pieces;
  const up = table.systems.filter((one) => !one.down);
  const of = (one) => table.rows.map((row) => points(one, row.text));
  if (up.some((one) => of(one).includes(undefined))) return pieces; // still to come
  const judged = up.filter((one) => one.scale && !of(one).includes(null));
  const moved = judged.filter((one) => {
    const [first, ...others] = of(one);
    return others.some((value) => Math.abs(value - first) > state.margin);
  });
  const names = moved.map((one) => one.name).join(", ");
  if (judged.length) {
    pieces.push(
      moved.length
        ? `${moved.length} of ${judged.length} move by more than ${number(state.margin)} points: ${names}.`
        : `None of ${judged.length} moves by more than ${number(state.margin)} points here.`,
    );
  }
  for (const one of up.filter((system) => !judged.includes(system))) {
    const why = one.scale ? "gave no score to some of these" : "has no known scale";
    pieces.push(` ${one.name} ${why} and is not counted.`);
  }
  return pieces;
}

/* How much more the newer of two versions makes of a difference, or of the sentence itself. */
function change(row, nth) {
  const [old, fresh] = compared();
  const first = table.rows[0].text;
  const moved = (system) => points(system, row.text) - (nth ? points(system, first) : 0);
  const by = old.scale && fresh.scale ? moved(fresh) - moved(old) : Number.NaN;
  if (Number.isNaN(by)) return element("td", { class: "none" }, "–");
  if (Math.abs(by) < 1e-9) return element("td", { class: "none" }, "same");
  const side = Math.abs(by) > state.margin ? "gap beyond " : "gap ";
  const words = `${by > 0 ? "+" : ""}${number(by)}${nth ? " apart" : ""}`;
  return element("td", {}, element("span", { class: side + (by > 0 ? "up" : "down") }, words));
}
