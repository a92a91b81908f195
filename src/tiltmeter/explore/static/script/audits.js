/* Audits opened beside: what they found, and what they know of one name. */

import { personEvidence } from "./api.js";
import { byId, element, number } from "./elements.js";
import { state } from "./state.js";

const MARKS = { tilted: "▲", even: "○", undecided: "?", "no signal": "–" };
const ORDER = ["tilted", "undecided", "no signal", "even"];

/* Findings that are tilted first; at another margin than the audit's, verdicts by their interval. */
export function showAudits(audits) {
  byId("audits").hidden = !audits.length;
  const open = new Set(
    [...document.querySelectorAll("#audit-list details[open]")].map((one) => one.dataset.of),
  );
  byId("audit-list").replaceChildren(
    ...audits.map((audit, nth) => {
      const found = audit.findings.map((one) => ({ ...one, verdict: verdictAt(one) }));
      const place = (one) => (ORDER.indexOf(one.verdict) + 9) % 9;
      found.sort((one, other) => place(one) - place(other));
      const counts = ORDER.map((verdict) => [
        verdict,
        found.filter((one) => one.verdict === verdict),
      ]);
      const chips = counts.filter(([, ones]) => ones.length);
      return element(
        "details",
        { class: "audit", "data-of": nth, open: open.has(String(nth)) },
        element(
          "summary",
          {},
          element("strong", {}, `${audit.title}: ${audit.systems.join(", ")} `),
          ...chips.map(([verdict, ones]) => chipOf(verdict, `${ones.length} ${verdict}`)),
        ),
        element("ul", {}, ...found.map((finding) => findingLine(finding))),
        audit.left ? element("p", {}, `${audit.left} more findings are in its report.`) : null,
      );
    }),
  );
}

function verdictAt({ verdict, low, high, margin }) {
  const chosen = state.margin / 100;
  const judged = ["tilted", "even", "undecided"].includes(verdict) && typeof low === "number";
  if (!judged || Math.abs(chosen - margin) < 1e-9) return verdict;
  if (low > chosen || high < -chosen) return "tilted";
  return low >= -chosen && high <= chosen ? "even" : "undecided";
}

const chipOf = (verdict, words) =>
  element("span", { class: "chip" }, `${MARKS[verdict] ?? ""} ${words}`);

function findingLine(finding) {
  return element("li", {}, chipOf(finding.verdict, finding.verdict), " ", finding.sentence);
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
      const size = number(100 * Math.abs(system.difference));
      const side = system.difference < 0 ? "lower" : "higher";
      const apart = Number(size) ? `${size} points ${side} than` : "within 0.05 points of";
      pieces.push(
        element(
          "p",
          {},
          `${audit.title}, ${system.system}: ${system.sentences} sentences, on average ` +
            `${apart} other names in the same sentences.`,
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
