/* Every name on the sentence: a dot a name, a row a group, the same scale for all. */

import { byId, element, number, onScale, plural, shape } from "./elements.js";
import { state } from "./state.js";

export const strip = { names: [], raw: [], scale: null, at: -1, chosen: null, drawing: 0 };
const FEW = 6; // names that are listed rather than averaged
const NARROW = 620; // pixels below which a row's words stand above it

/* Where things stand in a box of some width. */
function layout(wide) {
  const narrow = wide < NARROW;
  const [left, right] = narrow ? [8, 8] : [190, 90];
  return { wide, narrow, left, right, row: narrow ? 46 : 34, line: narrow ? 31 : 17 };
}

export function setNames(names, chosen) {
  strip.names = names;
  strip.chosen = chosen;
}

/* Once a frame, however many answers come. */
export function drawStripSoon() {
  strip.drawing ||= requestAnimationFrame(() => {
    strip.drawing = 0;
    showStrip();
  });
}

export function clearStrip() {
  strip.raw = new Array(strip.names.length).fill(undefined);
}

export function takeNames(event) {
  strip.scale = event.scale;
  event.raw.forEach((raw, nth) => {
    strip.raw[event.start + nth] = raw;
  });
}

const scoreOf = (nth) => onScale(strip.raw[nth], strip.scale);

function groups() {
  const found = new Map();
  strip.names.forEach((name, nth) => {
    const key = `${name.race} ${name.gender === "female" ? "women" : "men"}`;
    if (!found.has(key)) found.set(key, { key, gender: name.gender, race: name.race, members: [] });
    if (typeof scoreOf(nth) === "number") found.get(key).members.push(nth);
  });
  const order = [...new Set(strip.names.map((name) => name.race))];
  return [...found.values()].sort(
    (a, b) => order.indexOf(a.race) - order.indexOf(b.race) || (a.gender < b.gender ? -1 : 1),
  );
}

const mean = (members) => members.reduce((sum, nth) => sum + scoreOf(nth), 0) / members.length;

function showStrip() {
  const values = strip.raw.map((_, nth) => scoreOf(nth)).filter((one) => typeof one === "number");
  const box = byId("strip");
  if (!values.length) {
    box.replaceChildren();
    return;
  }
  const every = groups();
  const [low, high] = range(values);
  const place = layout(Math.round(box.clientWidth) || 1000);
  const { wide, left, right } = place;
  const x = (value) => left + ((value - low) / (high - low)) * (wide - left - right);
  const tall = every.length * place.row + 34;
  const size = { viewBox: `0 0 ${wide} ${tall}`, height: tall };
  const drawing = shape("svg", { ...size, role: "group", tabindex: "0" });
  drawing.setAttribute(
    "aria-label",
    `${plural(values.length, "name", "names")}; arrow keys move, Enter adds`,
  );
  drawing.append(...every.map((group, row) => drawRow(group, row, x, place)));
  const middle = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  drawing.append(
    shape("line", { class: "mid", x1: x(middle), x2: x(middle), y1: 4, y2: tall - 28 }),
  );
  for (const [value, anchor] of [
    [low, "start"],
    [high, "end"],
  ]) {
    const text = shape("text", { class: "ends", x: x(value), y: tall - 8, "text-anchor": anchor });
    text.textContent = `${number(value)}${strip.scale ? " of 100" : ""}`;
    drawing.append(text);
  }
  box.replaceChildren(drawing, element("div", { class: "tip", hidden: true }));
  followPointer(drawing);
  byId("strip-answer").textContent = answer(values, every, middle);
}

function range(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max(1, (high - low) * 0.05);
  return [low - room, high + room];
}

function drawRow(group, row, x, place) {
  const y = row * place.row + place.line;
  const words = place.narrow ? y - 17 : y + 4;
  const made = shape("g", { class: group.gender });
  const label = shape("text", { x: 0, y: words });
  label.textContent = group.key;
  made.append(
    label,
    shape("line", {
      class: "row-line",
      x1: place.left,
      x2: place.wide - place.right,
      y1: y,
      y2: y,
    }),
  );
  group.members.forEach((nth, order) => {
    const jitter = (((order * 7919) % 23) - 11) * 0.9;
    made.append(
      shape("circle", {
        cx: x(scoreOf(nth)).toFixed(1),
        cy: (y + jitter).toFixed(1),
        r: 4.2,
        "data-nth": nth,
      }),
    );
  });
  if (group.members.length) {
    const at = x(mean(group.members));
    made.append(shape("line", { class: "mean", x1: at, x2: at, y1: y - 12, y2: y + 12 }));
    const end = place.narrow ? { x: place.wide, "text-anchor": "end" } : { x: place.wide - 80 };
    const shown = shape("text", { ...end, y: words });
    shown.textContent = `mean ${number(mean(group.members))}`;
    made.append(shown);
  }
  return made;
}

function answer(values, every, middle) {
  const many = plural(values.length, "name", "names");
  const waiting = strip.names.length - values.length;
  const rest = waiting > 0 ? ` ${waiting} still to come.` : "";
  if (Math.max(...values) - Math.min(...values) < 1e-9) {
    return `${values.length > 1 ? "All " : ""}${many} ${values.length > 1 ? "get" : "gets"} the same score here.${rest}`;
  }
  const far = (value) => Math.abs(value - middle) > state.margin;
  const moved = values.filter(far).length;
  if (moved <= FEW) {
    const who = strip.names.filter(
      (_, nth) => typeof scoreOf(nth) === "number" && far(scoreOf(nth)),
    );
    const named = who.map((name) => name.name).join(", ");
    return `${moved || "None"} of ${many} ${moved === 1 ? "lies" : "lie"} more than ${number(state.margin)} points from the middle one${named ? `: ${named}` : ""}.${rest}`;
  }
  const means = every
    .filter((group) => group.members.length)
    .map((one) => [mean(one.members), one.key]);
  const steps = (value) => Math.round(value * 1e9);
  means.sort((a, b) => steps(b[0]) - steps(a[0]) || (a[1] < b[1] ? -1 : 1));
  const [top, bottom] = [means[0], means[means.length - 1]];
  const gap = number(top[0] - bottom[0]);
  return (
    `${moved} of ${many} lie more than ${number(state.margin)} points from the middle one. ` +
    `Names of ${top[1]} score highest on average and of ${bottom[1]} lowest, ${gap} points apart, on this one sentence.${rest}`
  );
}

/* Pointer and keys: read a name, move along, add it to the sentences above. */
function followPointer(drawing) {
  const dots = [...drawing.querySelectorAll("circle")];
  dots.sort((a, b) => a.getAttribute("cx") - b.getAttribute("cx"));
  const go = (dot) => {
    for (const one of dots) one.classList.toggle("at", one === dot);
    strip.at = Number(dot.dataset.nth);
    tip(dot);
  };
  const read = dots.find((dot) => Number(dot.dataset.nth) === strip.at);
  if (read) go(read); // drawn anew under a pointer that rests
  drawing.addEventListener("pointermove", (event) => {
    if (event.target.dataset?.nth !== undefined) go(event.target);
  });
  drawing.addEventListener("click", (event) => {
    if (event.target.dataset?.nth !== undefined)
      strip.chosen(strip.names[Number(event.target.dataset.nth)]);
  });
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
    if (step) {
      const now = dots.findIndex((dot) => Number(dot.dataset.nth) === strip.at);
      go(dots[Math.max(0, Math.min(dots.length - 1, now + step))]);
      event.preventDefault();
    } else if (event.key === "Enter" && strip.at >= 0) {
      strip.chosen(strip.names[strip.at]);
      event.preventDefault();
    }
  });
}

function tip(dot) {
  const box = byId("strip");
  const words = box.querySelector(".tip");
  const name = strip.names[strip.at];
  words.hidden = false;
  const whose = `${name.race} ${name.gender === "female" ? "women" : "men"}`;
  words.textContent = `${name.name}, common among ${whose}: ${number(scoreOf(strip.at))}`;
  const frame = box.getBoundingClientRect();
  const place = dot.getBoundingClientRect();
  const half = words.offsetWidth / 2;
  const left = Math.max(half, Math.min(frame.width - half, place.left - frame.left + 4));
  words.style.left = `${left}px`;
  words.style.top = `${place.top - frame.top}px`;
}
