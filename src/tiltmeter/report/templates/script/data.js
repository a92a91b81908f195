/* What Python embedded in the page, unpacked when it is asked for. */
import { byId } from "./elements.js";

const MISSING = -32768;

function readJson(id) {
  const held = byId(id);
  return held && JSON.parse(held.textContent);
}
function memo(make) {
  const made = new Map();
  return (i) => {
    if (!made.has(i)) made.set(i, make(i));
    return made.get(i);
  };
}

export const common = readJson("common");
export const { corpora, submissions, words } = common;
export const placeOf = new Map(submissions.map((one, i) => [one.anchor, i]));
export const unitOf = (i) => words.units[submissions[i].unit];
export const panelOf = (i, panel) => corpora[submissions[i].corpus].panels[panel];
export const languageOf = (i) => corpora[submissions[i].corpus].language;
export const towards = (value, ends) => (value > 0 ? ends.more : value < 0 ? ends.less : "");

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
}
export function unpack(text, step) {
  const steps = new Int16Array(bytes(text));
  return Array.from(steps, (v) => (v === MISSING ? Number.NaN : v * step));
}
const places = (text) => text && new Uint32Array(bytes(text));

/* where each number's text stands among common.texts */
function textPlaces(text) {
  return text[0] === ":" ? places(text.slice(1)) : new Uint16Array(bytes(text));
}

function inRows(numbers, wide) {
  const rows = [];
  for (let n = 0; n < numbers.length; n += wide) rows.push([...numbers.slice(n, n + wide)]);
  return rows;
}
/* texts that share the beginning and the end of their frame: what stands between is its own */
function joinedTexts({ ends, frame, middles, middle }) {
  const [frames, between] = [textPlaces(frame), textPlaces(middle)];
  return Array.from(frames, (one, n) => ends[one][0] + middles[between[n]] + ends[one][1]);
}

export const entryOf = memo((i) => {
  const raw = readJson(`entry-${i}`);
  const said = (name) => Array.from(textPlaces(raw.said[name]), (place) => common.texts[place]);
  return {
    ...raw,
    deltas: unpack(raw.deltas, raw.step),
    which: places(raw.which),
    cells: unpack(raw.cells, raw.cellStep),
    people: unpack(raw.people, raw.peopleStep),
    those: places(raw.those),
    swaps: raw.swaps.map(({ rows, said }) => ({ said, rows: inRows(rows && textPlaces(rows), 8) })),
    singles: raw.singles === null ? null : textPlaces(raw.singles),
    said: {
      deltas: said("deltas"),
      first: textPlaces(raw.said.first),
      second: textPlaces(raw.said.second),
      cells: said("cells"),
      people: said("people"),
      boxes: raw.said.boxes,
    },
  };
});

/* by a pair's or a person's place in the corpus: its place among those embedded */
export const spotsOf = (held) => held && new Map(held.map((place, nth) => [place, nth]));
const pairSpots = memo((corpus) => spotsOf(corpora[corpus].pairs.at));

/* a submission's pairs by contrast, largest first */
const pairLists = memo((i) => {
  const { deltas, which, said } = entryOf(i);
  const { corpus } = submissions[i];
  const spots = pairSpots(corpus);
  const found = corpora[corpus].panels.map(() => []);
  deltas.forEach((delta, n) => {
    if (Number.isNaN(delta)) return;
    const place = which ? which[n] : n;
    const at = spots ? spots.get(place) : place;
    const pair = { at, delta, said: said.deltas[n], first: said.first[n], second: said.second[n] };
    found[corpora[corpus].pairs.contrast[at]].push(pair);
  });
  for (const list of found) list.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
  return found;
});
export const pairsOf = (i, panel) => pairLists(i)[panel];
export const valueIn = (column, at) => column.values[column.at[at]];

/* a corpus' pairs: the first sentences, then the second */
export const pairTexts = memo((corpus) => {
  const texts = joinedTexts(corpora[corpus].pairs.texts);
  return { first: texts.slice(0, texts.length / 2), second: texts.slice(texts.length / 2) };
});
/* the single sentences of a corpus that the page holds */
export const singlesOf = memo((corpus) => {
  const held = corpora[corpus].singles;
  if (!held) return null;
  const people = corpora[corpus].people.person;
  const person = textPlaces(held.person);
  const nameOf = (nth) => people[person[nth]] ?? held.others[person[nth] - people.length];
  return { ...held, texts: joinedTexts(held), person, nameOf, frames: textPlaces(held.frame) };
});
export const submissionsOn = (corpus) =>
  [...submissions.keys()].filter((i) => submissions[i].corpus === corpus);
/* its name, and its task where systems have several */
export const calledOf = (i) =>
  common.tasks > 1 ? `${submissions[i].system}, ${submissions[i].task}` : submissions[i].system;

export const fits = readJson("fits");
export const fitOf = memo((i) => readJson(`fit-${i}`));
export const modelOf = (i) => fits.corpora[submissions[i].corpus];
