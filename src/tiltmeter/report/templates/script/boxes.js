/* A box of differences with the largest pairs as marks; arrow keys walk along the marks. */
import {
  corpora,
  entryOf,
  pairsOf,
  pairTexts,
  panelOf,
  submissions,
  towards,
  unitOf,
  words,
} from "./data.js";
import { fillSlots, h, lede, percent, s } from "./elements.js";
import { across, bothEnds, grid, scaleTo, tickRow, upright } from "./scales.js";
import { setTip, showByKey } from "./tips.js";

const MARKS = 20;
const GOLDEN = 0.6180339887;
const SHAPES = {
  up: "M0-5 4.6 3.4h-9.2z",
  down: "M0 5-4.6-3.4h9.2z",
  none: "M-3.6 0a3.6 3.6 0 1 0 7.2 0 3.6 3.6 0 1 0-7.2 0z",
};

function pairTip(i, panel, pair) {
  const { corpus } = submissions[i];
  const { language } = corpora[corpus];
  const texts = pairTexts(corpus);
  const way = towards(pair.delta, panelOf(i, panel)) || words.same;
  const quote = (text) => h("q", { dir: "auto", lang: language }, text);
  return () => [
    h("b", null, `${pair.said} ${unitOf(i).short} ${way}`),
    quote(texts.first[pair.at]),
    quote(texts.second[pair.at]),
  ];
}

/* a key's handler that steps from mark to mark, from left to right */
function walker(marks, deltas) {
  const order = deltas.map((_, nth) => nth).sort((a, b) => deltas[a] - deltas[b]);
  let now = -1;
  return (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !marks.length) return;
    event.preventDefault();
    if (now >= 0) marks[order[now]].classList.remove("on");
    now = (now + step + order.length) % order.length;
    marks[order[now]].classList.add("on");
    showByKey(marks[order[now]]);
  };
}

function boxRect(x, box) {
  const width = percent(Math.max(0, x(box[3]) - x(box[1])));
  return s("rect", { class: "boxrect", x: percent(x(box[1])), width, y: "20%", height: "60%" });
}

export function boxSvg(i, panel, scale, facts) {
  const { significance } = submissions[i];
  const kind = significance[panel] in SHAPES ? significance[panel] : "none";
  const box = entryOf(i).boxes[panel];
  const x = (v) => scale.at(v * unitOf(i).times);
  const shown = pairsOf(i, panel).slice(0, MARKS);
  const marks = shown.map((pair) => {
    const facts = { x: percent(x(pair.delta)), y: "50%", overflow: "visible", class: `pt ${kind}` };
    const mark = s("svg", facts, s("path", { d: SHAPES[kind] }));
    setTip(mark, pairTip(i, panel, pair));
    return mark;
  });
  const keydown = walker(
    marks,
    shown.map((pair) => pair.delta),
  );
  const blur = () => {
    for (const mark of marks) mark.classList.remove("on");
  };
  return s(
    "svg",
    { ...facts, tabindex: marks.length ? 0 : null, role: "img", on: { keydown, blur } },
    grid(scale),
    box && [across("boxline", x(box[0]), x(box[4])), boxRect(x, box)],
    marks,
    box && upright("median", x(box[2]), "16%", "84%"),
  );
}

/* every pair as a dot, spread up and down the same way every time */
function cloud(i, pairs, scale) {
  const { times } = unitOf(i);
  const dots = pairs.map(({ delta }, nth) => {
    const x = (scale.at(delta * times) * 10).toFixed(1);
    return `M${x} ${(4 + 42 * ((nth * GOLDEN) % 1)).toFixed(1)}h0`;
  });
  const facts = { viewBox: "0 0 1000 50", preserveAspectRatio: "none", height: 50 };
  const path = s("path", { class: "cloud", d: dots.join("") });
  return s("svg", { ...facts, "aria-hidden": "true" }, path);
}

export function boxOfPairs(i, panel) {
  const entry = entryOf(i);
  const pairs = pairsOf(i, panel);
  if (!pairs.length) return lede(words.boxes.none);
  const scale = scaleTo(entry.limits.pairs[panel]);
  const box = entry.said.boxes[panel];
  const label = box ? fillSlots(words.boxes.label, { box }) : words.boxes.empty;
  return h(
    "div",
    { class: "boxed" },
    bothEnds(panelOf(i, panel)),
    tickRow(scale),
    boxSvg(i, panel, scale, { height: 44, "aria-label": label }),
    cloud(i, pairs, scale),
    lede(entry.held ? entry.held[panel][0] : unitOf(i).cloud),
  );
}
