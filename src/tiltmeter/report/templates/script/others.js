/* The same pair in the other systems: both scores in each, a row a system. */
import {
  calledOf,
  common,
  corpora,
  entryOf,
  pairsOf,
  submissions,
  submissionsOn,
  towards,
  unitOf,
  words,
} from "./data.js";
import { h, headCell, scrollBox } from "./elements.js";

/* what a system made of a pair of averages; nothing where it is not among those it keeps */
const ofPair = (panel, at) => (i) => {
  const pair = pairsOf(i, panel).find((one) => one.at === at);
  return pair && { first: pair.first, second: pair.second, delta: pair.delta, said: pair.said };
};
/* of two single sentences: the scores say which is higher, and nothing is counted here */
const ofSentences = (first, second) => (i) => {
  const { singles } = entryOf(i);
  const [one, other] = [singles[first], singles[second]];
  const delta = common.numbers[one] - common.numbers[other];
  const known = common.numbers[one] !== null && common.numbers[other] !== null;
  return { first: one, second: other, delta: known ? delta : Number.NaN, said: "" };
};

function otherLine(i, now, panel, found) {
  const { anchor } = submissions[i];
  const name = h("a", { href: `#${anchor}`, "data-open": anchor, dir: "auto" }, calledOf(i));
  const facts = { scope: "row", "aria-current": i === now ? "true" : null };
  const head = h("th", facts, name);
  if (!found) return h("tr", null, head, h("td", { colspan: 3 }, words.others.left));
  const { less, more } = corpora[submissions[i].corpus].panels[panel];
  const unit = found.said && found.delta ? ` ${unitOf(i).short} ` : " ";
  const way = Number.isNaN(found.delta)
    ? words.others.missing
    : towards(found.delta, { less, more }) || words.same;
  const said = found.delta ? found.said : "";
  const number = (place) => h("td", { class: "num" }, common.texts[place]);
  return h(
    "tr",
    null,
    head,
    number(found.first),
    number(found.second),
    h("td", { class: "way" }, said, unit, way),
  );
}

function otherTable(i, panel, find) {
  const { corpus } = submissions[i];
  const { sides } = corpora[corpus].panels[panel];
  const heads = [words.others.system, ...sides, words.others.difference];
  const size = ({ found }) => (found && !Number.isNaN(found.delta) ? Math.abs(found.delta) : -1);
  const rows = submissionsOn(corpus)
    .map((one) => ({ one, found: find(one) }))
    .sort((a, b) => (b.one === i) - (a.one === i) || size(b) - size(a));
  const body = rows.map(({ one, found }) => otherLine(one, i, panel, found));
  const columns = heads.map((text, nth) => headCell(text, nth === 1 || nth === 2 ? "num" : null));
  const head = h("thead", null, h("tr", null, columns));
  return scrollBox(
    words.others.label,
    h("table", { class: "plain" }, head, h("tbody", null, body)),
  );
}

/* a button, and the table that it opens below */
function inOthers(i, panel, find, opened) {
  if (submissionsOn(submissions[i].corpus).length < 2) return null;
  const place = h("div", { class: "in-others", hidden: true });
  const button = h(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false" },
    new Set(submissions.map((one) => one.system)).size > 1 ? words.others.open : words.others.tasks,
  );
  const toggle = (open) => {
    if (open && !place.children.length) place.append(otherTable(i, panel, find));
    place.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => {
    toggle(place.hidden);
    if (!place.hidden) opened?.();
  });
  return { button, place, toggle };
}

export const pairInOthers = (i, panel, at, opened) => inOthers(i, panel, ofPair(panel, at), opened);
export function sentencesInOthers(i, panel, first, second) {
  if (!corpora[submissions[i].corpus].singles.scored) return null;
  return inOthers(i, panel, ofSentences(first, second));
}
