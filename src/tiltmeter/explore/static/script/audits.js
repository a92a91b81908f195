/* Audits opened beside: what they found, and what they know of one name. */

import { personEvidence } from "./api.js";
import { byId, element, number } from "./elements.js";

const MARKS = { tilted: "▲", even: "○", undecided: "?", "no signal": "–" };

export function showAudits(audits) {
  if (!audits.length) return;
  byId("audits").hidden = false;
  byId("audit-list").replaceChildren(
    ...audits.map((audit) =>
      element(
        "div",
        { class: "audit" },
        element("h3", {}, `${audit.title}: ${audit.systems.join(", ")}`),
        element("ul", {}, ...audit.findings.map((finding) => findingLine(finding))),
        audit.left ? element("p", {}, `${audit.left} more findings are in its report.`) : null,
      ),
    ),
  );
}

function findingLine(finding) {
  const verdict = finding.verdict ?? "";
  const chip = verdict
    ? element("span", { class: "chip" }, `${MARKS[verdict] ?? ""} ${verdict}`)
    : null;
  return element("li", {}, chip, " ", finding.sentence);
}

export async function showEvidence(name) {
  const box = byId("evidence");
  box.replaceChildren(element("p", {}, `Looking for ${name.name} in the audits…`));
  const { audits } = await personEvidence(name.name);
  const pieces = [element("h3", {}, `${name.name} in the audits`)];
  for (const audit of audits) {
    for (const system of audit.systems) {
      if (system.difference === null) {
        const words = `${audit.title}, ${system.system}: nothing to compare it with.`;
        pieces.push(element("p", {}, words));
        continue;
      }
      const side = system.difference < 0 ? "lower" : "higher";
      pieces.push(
        element(
          "p",
          {},
          `${audit.title}, ${system.system}: ${system.sentences} sentences, on average ` +
            `${number(100 * Math.abs(system.difference))} points ${side} than other names in the same sentences.`,
        ),
      );
    }
    pieces.push(sentences(audit));
  }
  if (!audits.length) pieces.push(element("p", {}, "No audit opened here has this name."));
  box.replaceChildren(...pieces);
}

function sentences(audit) {
  const lines = audit.sentences.map((one) =>
    element("li", { dir: "auto" }, `${one.text} `, element("span", { class: "number" }, one.shown)),
  );
  return element(
    "details",
    {},
    element("summary", {}, `Its ${audit.sentences.length} sentences and scores`),
    element("ul", {}, ...lines),
  );
}
