/* Why a score is what it is: each word left out, names alone, the system's own lexicon. */

import { byId, element, number } from "./elements.js";

export const reasons = {};

export function showWhy(systems) {
  const known = systems.filter((system) => reasons[system.name]?.why);
  if (!known.length) {
    byId("why").replaceChildren();
    byId("why-answer").replaceChildren();
    byId("why-cost").textContent = "";
    return;
  }
  const effects = known.map((system) => reasons[system.name].why.effects);
  const unit = (system) => (system.scale ? 100 : 1);
  const largest = Math.max(
    1e-9,
    ...known.flatMap((system, nth) =>
      effects[nth].map((one) => Math.abs(one.effect ?? 0) * unit(system)),
    ),
  );
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "word"),
    ...known.map((system) => element("th", { scope: "col" }, `${system.name}: what it adds`)),
  );
  const does = (place) =>
    effects.some((one) => one[place].is_name || Math.abs(one[place].effect ?? 1) > 1e-9);
  const places = effects[0].map((_, place) => place).filter(does);
  const idle = effects[0].filter((_, place) => !does(place)).map((one) => one.word.text);
  const rows = places.map((place) => {
    const first = effects[0][place];
    const cells = known.map((system, nth) => {
      const found = effects[nth][place];
      return element(
        "td",
        {},
        ...effectParts(found, unit(system), largest, reasons[system.name].lexicon),
      );
    });
    const kind = first.is_name ? "name" : null;
    return element(
      "tr",
      {},
      element("th", { scope: "row", class: kind, dir: "auto" }, first.word.text),
      ...cells,
    );
  });
  byId("why").replaceChildren(
    element("caption", { class: "vh" }, "What each word adds to the score"),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
  const said = known.flatMap((system) => saidOfNames(system));
  if (!places.length) said.push("No word by itself adds anything here.");
  else if (idle.length) said.push(`The other words add nothing: ${idle.join(", ")}.`);
  byId("why-answer").replaceChildren(...said.map((words) => element("span", {}, words)));
  const [one] = known;
  const asked = reasons[one.name].asked;
  const cut = reasons[one.name].shortened ? " Only the first 60 words were left out in turn." : "";
  byId("why-cost").textContent =
    `${asked} questions a system. ${reasons[one.name].why.nothing}${cut}`;
}

function effectParts(found, unit, largest, hasLexicon) {
  if (found.effect === null) return [element("span", { class: "none" }, "no score")];
  const size = found.effect * unit;
  const bar = element("i", { class: size > 0 ? "up" : "down" });
  const wide = (50 * Math.abs(size)) / largest;
  bar.style.width = `${wide}%`;
  bar.style.left = size > 0 ? "50%" : `${50 - wide}%`;
  const parts = [element("span", { class: "effect" }, bar), number(size)];
  if (hasLexicon && found.lexicon !== null) {
    parts.push(element("span", { class: "chip" }, `in its lexicon: ${number(found.lexicon, 2)}`));
  }
  return parts;
}

/* What the system makes of the names in the sentence, and what else is known of it. */
function saidOfNames(system) {
  const { why, lexicon } = reasons[system.name];
  const unit = system.scale ? 100 : 1;
  const said = [];
  for (const [name, alone] of Object.entries(why.names_alone)) {
    if (alone === null) continue;
    const entry = why.effects.find((one) => one.word.text === name);
    const listed = lexicon
      ? entry?.lexicon === null
        ? "not in its lexicon"
        : "in its lexicon"
      : "";
    const effect =
      entry?.effect === null || entry === undefined ? "" : `adds ${number(entry.effect * unit)}`;
    said.push(
      `“${name}” alone scores ${number(alone * unit)}${effect ? `, ${effect}` : ""}${listed ? `, ${listed}` : ""}`,
    );
  }
  const facts = reasons[system.name].facts.map((fact) => `${system.name}: ${fact}`);
  return said.length ? [`${system.name}: ${said.join("; ")}.`, ...facts] : facts;
}
