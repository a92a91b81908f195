/* A person: how far its sentences stand from the average in every system, and all its sentences. */
import {
  calledOf,
  common,
  corpora,
  entryOf,
  singlesOf,
  submissions,
  submissionsOn,
  unitOf,
  valueIn,
  words,
} from "./data.js";
import {
  cutRows,
  fillSlots,
  h,
  headCell,
  lede,
  personLink,
  scrollBox,
  sortHead,
} from "./elements.js";
import { personDot, valuesOf } from "./people.js";
import { scaleTo } from "./scales.js";
import { takeTipHome } from "./tips.js";

const MOST_SYSTEMS = 40;
const MOST_SENTENCES = 60;

function effectsOf(corpus, spots) {
  const found = submissionsOn(corpus).flatMap((i) => {
    const values = valuesOf(i);
    return spots.filter((at) => values.has(at)).map((at) => ({ i, at, ...values.get(at) }));
  });
  const left = submissionsOn(corpus).length - new Set(found.map(({ i }) => i)).size;
  const size = ({ i, value }) => Math.abs(value) * unitOf(i).times;
  const native = ({ i }) => Number(submissions[i].unit === "native");
  found.sort((a, b) => native(a) - native(b) || size(b) - size(a));
  return { found, left };
}

function effectTable(corpus, spots) {
  const { people } = corpora[corpus];
  const { found, left } = effectsOf(corpus, spots);
  const rest = left ? lede(fillSlots(words.person.left, { n: left })) : null;
  if (!found.length) return rest || lede(words.people.none);
  const inPoints = found.filter(({ i }) => submissions[i].unit === "scale");
  const scale = scaleTo(Math.max(0, ...inPoints.map(({ value }) => Math.abs(value))));
  const rows = found.map(({ i, at, value, said }) => {
    const { anchor, unit } = submissions[i];
    const system = h("a", { href: `#${anchor}`, "data-open": anchor, dir: "auto" }, calledOf(i));
    const match = spots.length > 1 && h("span", { class: "of" }, ` ${valueIn(people.match, at)}`);
    const way = value > 0 ? words.person.higher : value < 0 ? words.person.lower : words.same;
    const drawn = unit === "scale" && personDot(scale.at(value));
    return h(
      "tr",
      { class: value > 0 ? "first" : value < 0 ? "second" : "none" },
      h("th", { scope: "row" }, system, match),
      h("td", { class: "num" }, said),
      h("td", null, value ? `${unitOf(i).short} ${way}` : way),
      h("td", { class: "drawn-dot" }, drawn),
    );
  });
  const { body, more } = cutRows(rows, MOST_SYSTEMS, words.allRows);
  const texts = [words.others.system, words.person.effect, words.person.direction];
  const heads = texts.map((text, nth) => headCell(text, nth === 1 ? "num" : null));
  const dots = h("th", { scope: "col" }, h("span", { class: "vh" }, words.person.drawn));
  const head = h("thead", null, h("tr", null, heads, dots));
  const table = h("table", { class: "plain effects" }, head, body);
  return [scrollBox(words.person.effects, table), more, rest];
}

/* why there are no single sentences, or not this person's */
function withoutSentences(corpus) {
  const held = corpora[corpus].singles;
  const why = held && !held.scored ? words.person.manySystems : words.person.notHeld;
  return [lede(why), lede(words.person.files)];
}

function sentenceTable(corpus, name) {
  const held = singlesOf(corpus);
  const { language } = corpora[corpus];
  const mine = held?.scored ? [...held.texts.keys()].filter((n) => held.nameOf(n) === name) : [];
  if (!mine.length) return withoutSentences(corpus);
  const systems = submissionsOn(corpus);
  const place = (i, n) => entryOf(i).singles[n];
  const number = (i, n) => common.numbers[place(i, n)] ?? Number.NEGATIVE_INFINITY;
  const lines = new Map();
  const line = (n) => {
    if (!lines.has(n)) {
      const text = h("th", { scope: "row" }, h("bdi", { lang: language }, held.texts[n]));
      const scores = systems.map((i) => h("td", { class: "num" }, common.texts[place(i, n)]));
      lines.set(n, h("tr", null, text, scores));
    }
    return lines.get(n);
  };
  const body = h("tbody");
  const more = h("button", { type: "button" }, fillSlots(words.person.all, { n: mine.length }));
  let limit = MOST_SENTENCES;
  let order = mine;
  const draw = () => {
    body.replaceChildren(...order.slice(0, limit).map(line));
    more.hidden = order.length <= limit;
  };
  more.addEventListener("click", () => {
    limit = order.length;
    draw();
  });
  const sortBy = (key) => (head) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const one of head.parentNode.children) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    order = [...mine].sort((a, b) => (down ? key(b) - key(a) : key(a) - key(b)));
    draw();
  };
  const heads = systems.map((i) => {
    const label = fillSlots(words.person.sort, { system: calledOf(i) });
    const byScore = sortBy((n) => number(i, n));
    return sortHead(calledOf(i), "num", label, byScore);
  });
  const sentence = sortHead(
    words.person.sentence,
    null,
    words.person.inOrder,
    sortBy((n) => -n),
  );
  sentence.setAttribute("aria-sort", "descending");
  const head = h("thead", null, h("tr", null, sentence, heads));
  draw();
  return [
    lede(words.person.aboutSentences),
    scrollBox(words.person.sentences, h("table", { class: "plain sentences" }, head, body)),
    more,
  ];
}

function personView(corpus, name) {
  const { people } = corpora[corpus];
  const spots = [...people.person.keys()].filter((nth) => people.person[nth] === name);
  const about = [...new Set(spots.map((nth) => valueIn(people.about, nth)))].filter(Boolean);
  const elsewhere = [...corpora.keys()].filter(
    (nth) => nth !== corpus && corpora[nth].people.person.includes(name),
  );
  if (!spots.length) {
    const held = fillSlots(words.person.unknown, { n: people.person.length, all: people.all });
    return h("div", { class: "inside" }, lede(held), lede(words.person.files));
  }
  return h(
    "div",
    { class: "inside" },
    about.length > 0 && lede(fillSlots(words.person.about, { about: about.join("; ") })),
    elsewhere.map((nth) =>
      h(
        "p",
        null,
        words.person.also,
        personLink(corpora[nth].name, name, { "aria-label": `${name}, ${corpora[nth].name}` }),
        ` (${corpora[nth].name})`,
      ),
    ),
    h("h3", null, words.person.effects),
    lede(words.system.aboutPeople),
    effectTable(corpus, spots),
    h("h3", null, words.person.sentences),
    sentenceTable(corpus, name),
  );
}

/* ---------------------------------------------------------------- its dialog */
export const personDialog = h("dialog", { id: "person", "aria-labelledby": "person-name" });
document.body.append(personDialog);

/* `person` is [corpus, name]; false where the page has no such corpus */
export function showPerson([corpusName, name]) {
  const corpus = corpora.findIndex((one) => one.name === corpusName);
  if (corpus < 0 || !name) return false;
  const click = () => personDialog.close();
  const close = h("button", { type: "button", on: { click } }, words.detail.close);
  const title = h(
    "h2",
    { id: "person-name", tabindex: -1 },
    h("bdi", { lang: corpora[corpus].language }, name),
    corpora.length > 1 && [" ", h("span", { class: "task" }, corpusName)],
  );
  const bar = h("div", { class: "bar" }, title, h("div", { class: "steps" }, close));
  personDialog.replaceChildren(bar, personView(corpus, name));
  if (!personDialog.open) personDialog.showModal();
  personDialog.scrollTop = 0;
  title.focus({ preventScroll: true });
  return true;
}
personDialog.addEventListener("click", (event) => {
  if (event.target === personDialog) personDialog.close();
});
personDialog.addEventListener("close", () => {
  takeTipHome();
  personDialog.replaceChildren();
});
