"use strict";
/* Everything here draws what the page's own tables and embedded numbers say. Text from outside goes
   in as text (textContent, setAttribute), never as markup. */
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const $ = (id) => document.getElementById(id);
  const common = JSON.parse($("common").textContent);
  const { corpora, submissions, described } = common;
  const SVG = "http://www.w3.org/2000/svg";

  /* ---------------------------------------------------------------- making elements */
  function made(element, facts, inside) {
    for (const [name, value] of Object.entries(facts || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") for (const [kind, heard] of Object.entries(value)) element.addEventListener(kind, heard);
      else element.setAttribute(name, value === true ? "" : value);
    }
    for (const one of inside.flat(9)) if (one !== null && one !== undefined && one !== false) element.append(one);
    return element;
  }
  const h = (name, facts, ...inside) => made(document.createElement(name), facts, inside);
  const s = (name, facts, ...inside) => made(document.createElementNS(SVG, name), facts, inside);
  const pc = (x) => `${Math.round(x * 100) / 100}%`;

  /* ---------------------------------------------------------------- numbers as people read them
     Python wrote every number that is a result (report/numbers.py); here they are only placed. */
  const POINTS = 100, DASH = "–";
  const known = (v) => v !== null && v !== undefined && !Number.isNaN(v);
  const units = (unit) => (unit === "scale" ? "points" : "own units");
  const many = (n, one, more) => `${n.toLocaleString("en-GB")} ${n === 1 ? one : more || one + "s"}`;
  const side = (v) => (v > 0 ? "up" : v < 0 ? "down" : "none");
  const higher = (v, panel) => (v > 0 ? panel.more : v < 0 ? panel.less : "the same");
  function boxWords(i, panel) {
    const entry = entryOf(i), box = entry.boxes[panel], said = entry.said.boxes[panel], words = corpora[submissions[i].corpus].panels[panel];
    const spoken = (nth) => (box[nth] ? `${said[nth]} ${higher(box[nth], words)}` : "0");
    return `in ${submissions[i].unit === "scale" ? "points of 100" : "own units"}: median ${spoken(2)}, middle half from ${spoken(1)} to ${spoken(3)}`;
  }
  const SAID = { up: "difference detected", down: "difference detected", none: "no difference detected", not_estimable: "not estimable" };

  /* ---------------------------------------------------------------- embedded numbers, read when asked for */
  function bytes(text) {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return out.buffer;
  }
  function texts(at) {
    /* each number's text, of those that the page holds once for all */
    const wide = at[0] === ":";
    return Array.from(new (wide ? Uint32Array : Uint16Array)(bytes(wide ? at.slice(1) : at)), (place) => common.texts[place]);
  }
  const signed = (text, step) => Array.from(new Int16Array(bytes(text)), (v) => (v === -32768 ? NaN : v * step));
  const entries = new Map();
  function entryOf(i) {
    if (entries.has(i)) return entries.get(i);
    const raw = JSON.parse($(`entry-${i}`).textContent);
    const entry = {
      deltas: signed(raw.deltas, raw.step),
      low: raw.low, high: raw.high,
      which: raw.which === null ? null : new Uint32Array(bytes(raw.which)),
      cells: signed(raw.cells, raw.cellStep),
      people: signed(raw.people, raw.peopleStep),
      those: raw.those === null ? null : new Uint32Array(bytes(raw.those)),
      boxes: raw.boxes, described: raw.described, rests: raw.rests,
      subsets: raw.subsets,
      said: { ...Object.fromEntries(["deltas", "first", "second", "cells", "people"].map((name) => [name, texts(raw.said[name])])), boxes: raw.said.boxes },
    };
    entries.set(i, entry);
    return entry;
  }
  const spots = corpora.map(() => null);
  function spotOf(corpus, at) {
    /* where a pair of the corpus stands among those embedded */
    const held = corpora[corpus].pairs.at;
    if (!held) return at;
    if (!spots[corpus]) spots[corpus] = new Map(held.map((place, nth) => [place, nth]));
    return spots[corpus].get(at);
  }
  const lists = new Map();
  function pairsOf(i, panel) {
    /* a submission's pairs of one contrast, largest first */
    const key = `${i}/${panel}`;
    if (lists.has(key)) return lists.get(key);
    const entry = entryOf(i), corpus = submissions[i].corpus, table = corpora[corpus].pairs, found = [];
    for (let n = 0; n < entry.deltas.length; n++) {
      const at = spotOf(corpus, entry.which ? entry.which[n] : n);
      if (table.contrast[at] !== panel || Number.isNaN(entry.deltas[n])) continue;
      const said = entry.said;
      found.push({ at, delta: entry.deltas[n], said: said.deltas[n], first: said.first[n], second: said.second[n] });
    }
    found.sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
    lists.set(key, found);
    return found;
  }
  const column = (table, name, at) => table[name].values[table[name].at[at]];
  const counted = (table, name, at) => (Array.isArray(table[name]) ? table[name][at] : table[name]);

  /* ---------------------------------------------------------------- two sentences, what differs marked */
  function differing(a, b) {
    const n = a.length, m = b.length, best = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
    for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    const inA = new Set(), inB = new Set();
    let i = 0, j = 0;
    while (i < n && j < m) {
      if (a[i] === b[j]) { i++; j++; }
      else if (best[i + 1][j] >= best[i][j + 1]) inA.add(i++);
      else inB.add(j++);
    }
    while (i < n) inA.add(i++);
    while (j < m) inB.add(j++);
    return [inA, inB];
  }
  function marked(words, different, language, others) {
    const parts = [];
    let run = [], left = others;
    const close = () => {
      if (!run.length) return;
      parts.push(h("mark", null, run.join(" ")));
      if (left) { parts.push(h("small", { class: "others" }, ` (and ${left} more)`)); left = 0; }
      run = [];
    };
    words.forEach((word, nth) => {
      if (different.has(nth)) { if (!run.length && nth) parts.push(" "); run.push(word); }
      else { close(); parts.push((nth ? " " : "") + word); }
    });
    close();
    return h("q", { dir: "auto", lang: language }, parts);
  }
  function bothSentences(table, at, language) {
    const a = table.first[at].split(/\s+/), b = table.second[at].split(/\s+/);
    const [inA, inB] = differing(a, b);
    const others = (name) => counted(table, name, at) - 1;
    return [marked(a, inA, language, others("n_first")), marked(b, inB, language, others("n_second"))];
  }

  /* ---------------------------------------------------------------- the tip */
  const tip = $("tip");
  const tips = new WeakMap();
  let tipAt = null;
  function showTip(target, inside) {
    const dialog = $("detail");
    const home = dialog && dialog.open ? dialog : document.body;
    if (tip.parentNode !== home) home.append(tip);
    tip.replaceChildren(...inside);
    tip.hidden = false;
    tipAt = target;
    placeTip();
  }
  function placeTip() {
    const box = tipAt.getBoundingClientRect(), mine = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - mine.width / 2), root.clientWidth - mine.width - 8);
    const above = box.top - mine.height - 8;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > 4 ? above : box.bottom + 8}px`;
  }
  const hideTip = () => { tip.hidden = true; };
  function tipFor(target) {
    const one = target.closest && target.closest("[data-tip], .pt");
    if (!one) return false;
    const built = tips.get(one);
    showTip(one, built ? built() : [one.getAttribute("data-tip")]);
    return true;
  }
  /* what the keyboard asked for stays, though the page scrolls under a mouse at rest */
  let byKey = false;
  document.addEventListener("pointerover", (event) => { if (!byKey && !tipFor(event.target)) hideTip(); });
  document.addEventListener("focusin", (event) => { byKey = tipFor(event.target) && event.target.matches(":focus-visible"); });
  document.addEventListener("focusout", () => { byKey = false; hideTip(); });
  document.addEventListener("scroll", () => { if (!tip.hidden) placeTip(); }, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") { byKey = false; hideTip(); } });
  function pairTip(i, panel, pair) {
    const one = submissions[i], corpus = corpora[one.corpus];
    return () => [
      h("b", null, `${pair.said} ${units(one.unit)} ${higher(pair.delta, corpus.panels[panel])}`),
      h("q", { dir: "auto", lang: corpus.language }, corpus.pairs.first[pair.at]),
      h("q", { dir: "auto", lang: corpus.language }, corpus.pairs.second[pair.at]),
    ];
  }

  /* ---------------------------------------------------------------- scales */
  function nice(value, steps = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) {
    if (!(value > 0)) return 0;
    const power = 10 ** Math.floor(Math.log10(value));
    return steps.map((step) => step * power).find((step) => step >= value * (1 - 1e-9)) || 10 * power;
  }
  function scaleTo(widest) {
    const limit = nice(widest) || 1, step = nice(limit / 2, [1, 2, 2.5, 5, 10]);
    const sizes = [step, 2 * step].filter((one) => one <= limit * (1 + 1e-9));
    const at = (v) => Math.min(100, Math.max(0, 50 + (46 * v) / limit));
    const said = (v) => String(Number(v.toPrecision(6)));
    return { limit, at, ticks: [...sizes.map((one) => [at(-one), said(one)]).reverse(), [50, "0"], ...sizes.map((one) => [at(one), said(one)])] };
  }
  const grid = (scale) => scale.ticks.map(([x, text]) => s("line", { class: text === "0" ? "zero" : "tick", x1: pc(x), x2: pc(x), y1: 0, y2: "100%" }));
  const tickRow = (scale) => s("svg", { class: "axis", "aria-hidden": "true" }, scale.ticks.map(([x, text]) => s("text", { x: pc(x), y: 12 }, text)));
  const ends = (panel) => h("p", { class: "both", "aria-hidden": "true" }, h("span", null, `◂ ${panel.less}`), h("span", null, `${panel.more} ▸`));
  const SHAPES = { up: "M0-5 4.6 3.4h-9.2z", down: "M0 5-4.6-3.4h9.2z", none: "M-3.6 0a3.6 3.6 0 1 0 7.2 0 3.6 3.6 0 1 0-7.2 0z" };

  function boxSvg(i, panel, scale, facts, top) {
    /* a box of differences with the largest pairs as marks; arrow keys walk along the marks */
    const one = submissions[i], box = entryOf(i).boxes[panel], times = one.unit === "scale" ? POINTS : 1;
    const kind = SHAPES[one.significance[panel]] ? one.significance[panel] : "none";
    const x = (v) => pc(scale.at(v * times));
    const shown = pairsOf(i, panel).slice(0, top);
    const marks = shown.map((pair) => {
      const mark = s("svg", { x: x(pair.delta), y: "50%", overflow: "visible", class: `pt ${kind}` }, s("path", { d: SHAPES[kind] }));
      tips.set(mark, pairTip(i, panel, pair));
      return mark;
    });
    const order = shown.map((pair, nth) => [pair.delta, nth]).sort((a, b) => a[0] - b[0]).map((pair) => pair[1]);
    let now = -1;
    function walk(event) {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || !marks.length) return;
      event.preventDefault();
      if (now >= 0) marks[order[now]].classList.remove("on");
      now = (now + step + order.length) % order.length;
      marks[order[now]].classList.add("on");
      byKey = tipFor(marks[order[now]]);
    }
    return s("svg", { ...facts, tabindex: marks.length ? 0 : null, role: "img", on: { keydown: walk, blur: () => marks.forEach((mark) => mark.classList.remove("on")) } },
      grid(scale),
      box && [
        s("line", { class: "boxline", x1: x(box[0]), x2: x(box[4]), y1: "50%", y2: "50%" }),
        s("rect", { class: "boxrect", x: x(box[1]), width: pc(Math.max(0, scale.at(box[3] * times) - scale.at(box[1] * times))), y: "20%", height: "60%" }),
      ],
      marks,
      box && s("line", { class: "median", x1: x(box[2]), x2: x(box[2]), y1: "16%", y2: "84%" }));
  }

  /* ---------------------------------------------------------------- the strip: search, filter, sort */
  const paired = Boolean($("strip"));
  const tables = [...document.querySelectorAll(paired ? "#strip table.strip" : "#regression .plot table")];
  const FEW = 40;
  const tools = $("tools");
  if (tools) {
    const find = $("find"), byTask = $("by-task"), byCorpus = $("by-corpus"), byFinding = $("by-finding"), sort = $("sort"), shown = $("shown");
    const blocks = [...document.querySelectorAll(".block")].map((block) => ({
      block, corpus: Number(block.dataset.corpus), body: block.querySelector("tbody"), more: block.querySelector(".more"),
      rows: [...block.querySelectorAll("tbody tr")], heads: [...block.querySelectorAll("th[data-sort]")], wide: false,
    }));
    const lower = submissions.map((one) => one.system.toLowerCase());
    const words = new Set();
    corpora.forEach((corpus) => corpus.shown.forEach((panel) => {
      if (!panel.average && !words.has(panel.words)) { words.add(panel.words); sort.append(h("option", { value: `size:${panel.words}` }, panel.words)); }
    }));
    const panelAt = (one, key) => corpora[one.corpus].shown.findIndex((panel) => panel.words === key);
    const absolute = (v) => (v === null ? -1 : Math.abs(v));
    const keyOf = {
      name: (one) => one.system.toLowerCase(),
      skill: (one) => (one.skill === null ? Infinity : -one.skill),
      size: (one, at) => (at === undefined ? -Math.max(-1, ...one.shown.value.map(absolute)) : -absolute(one.shown.value[at])),
    };
    let order = { by: "size", down: true };
    function sorted() {
      const { by, down } = order;
      const key = by.startsWith("size:") ? (one) => { const at = panelAt(one, by.slice(5)); return at < 0 ? 2 : -absolute(one.shown.value[at]); } : keyOf[by];
      const turn = (by === "name") === down ? -1 : 1;
      for (const one of blocks) {
        const keyed = one.rows.map((row, nth) => [key(submissions[row.dataset.i], row.dataset.p), nth, row]);
        keyed.sort((a, b) => (a[0] < b[0] ? -turn : a[0] > b[0] ? turn : a[1] - b[1]));
        one.body.append(...keyed.map((each) => each[2]));
        for (const head of one.heads) {
          const mine = head.dataset.sort === by || (by.startsWith("size:") && headKey(one, head) === by);
          if (mine) head.setAttribute("aria-sort", down ? "descending" : "ascending"); else head.removeAttribute("aria-sort");
        }
      }
    }
    const headKey = (one, head) => {
      const panel = corpora[one.corpus].shown[Number(head.dataset.sort)];
      return panel ? `size:${panel.words}` : head.dataset.sort;
    };
    function filtered() {
      const text = find.value.trim().toLowerCase(), task = byTask ? byTask.value : "", corpus = byCorpus ? byCorpus.value : "", finding = byFinding.value;
      let count = 0;
      for (const one of blocks) {
        one.block.hidden = corpus !== "" && one.corpus !== Number(corpus);
        let mine = 0;
        for (const row of one.rows) {
          const it = submissions[row.dataset.i], at = row.dataset.p, own = at !== undefined;
          const { verdict, significance } = it.shown, verdicts = own ? [verdict[at]] : verdict, kinds = own ? [significance[at]] : significance;
          const hit = (!text || lower[row.dataset.i].includes(text) || (own && corpora[it.corpus].shown[at].first.toLowerCase().includes(text))) && (!task || it.task === task) &&
            (!finding || verdicts.includes(finding) || kinds.some((kind) => kind === finding || (finding === "detected" && (kind === "up" || kind === "down"))));
          if (row.hidden === hit) row.hidden = !hit;
          mine += hit;
        }
        if (!one.block.hidden) count += mine;
        const cut = !one.wide && mine > FEW;
        one.body.classList.toggle("few", cut);
        one.more.hidden = !cut;
        one.more.textContent = `Show all ${mine.toLocaleString("en-GB")} rows`;
      }
      const narrowed = text || task || corpus || finding;
      shown.textContent = narrowed ? `${count.toLocaleString("en-GB")} of ${many(blocks.reduce((n, one) => n + one.rows.length, 0), "row")}` : "";
    }
    for (const one of blocks) {
      one.more.addEventListener("click", () => { one.wide = true; filtered(); });
      for (const head of one.heads) {
        const by = headKey(one, head), title = head.querySelector(".title") || head.firstElementChild;
        const button = h("button", { type: "button", class: "sort", "aria-label": `${title.textContent}: sort by ${by === "name" || by === "skill" ? by : "size"}`, on: { click: () => {
          order = order.by === by ? { by, down: !order.down } : { by, down: by !== "name" };
          if ([...sort.options].some((option) => option.value === by)) sort.value = by;
          sorted();
        } } }, title.textContent);
        if (by === "skill") title.replaceWith(button); else title.replaceChildren(button);
      }
    }
    tools.addEventListener("submit", (event) => event.preventDefault());
    find.addEventListener("input", filtered);
    for (const one of [byTask, byCorpus, byFinding]) if (one) one.addEventListener("change", filtered);
    sort.addEventListener("change", () => { order = { by: sort.value, down: sort.value !== "name" }; sorted(); });
    filtered();
  }

  /* ---------------------------------------------------------------- one system closely */
  const byAnchor = new Map(submissions.map((one, i) => [one.anchor, i]));
  const nothing = (text) => h("p", { class: "lede" }, text);

  function boxed(i, panel) {
    const one = submissions[i], words = corpora[one.corpus].panels[panel], entry = entryOf(i), pairs = pairsOf(i, panel);
    if (!pairs.length) return nothing("There is no pair with scores on both sides.");
    const times = one.unit === "scale" ? POINTS : 1, scale = scaleTo(Math.abs(pairs[0].delta) * times);
    let path = "";
    pairs.forEach((pair, nth) => { path += `M${(scale.at(pair.delta * times) * 10).toFixed(1)} ${(4 + 42 * ((nth * 0.6180339887) % 1)).toFixed(1)}h0`; });
    const all = pairs.length === words.pairs || !entry.which;
    const box = entry.boxes[panel];
    const figure = boxSvg(i, panel, scale, { height: 44, "aria-label": box ? `Differences ${boxWords(i, panel)}` : "no differences" }, 20);
    return h("div", { class: "boxed" }, ends(words), tickRow(scale), figure,
      s("svg", { viewBox: "0 0 1000 50", preserveAspectRatio: "none", height: 50, "aria-hidden": "true" }, s("path", { class: "cloud", d: path })),
      h("p", { class: "lede" }, `Every dot below the box is a pair${all ? "" : `; only the ${many(pairs.length, "largest pair")} of ${words.pairs.toLocaleString("en-GB")} are embedded here`}. In ${one.unit === "scale" ? "points of 100" : "the system’s own units"}.`));
  }
  const NAMES = {
    mean_up: (w) => `Average of the pairs scored ${w.more}`, mean_down: (w) => `Average of the pairs scored ${w.less}`,
    spread: () => "Δ-spread: largest minus smallest", max_abs: () => "Largest difference, either way", mean_abs: () => "Mean difference, whatever its direction",
    standardised: () => "Standardised effect", sign_flip: () => "Sign-flip p, not corrected",
  };
  function describedTable(i, panel) {
    const one = submissions[i], words = corpora[one.corpus].panels[panel], rows = entryOf(i).described[panel];
    return h("div", { class: "scroll" }, h("table", { class: "plain" }, h("caption", { class: "vh" }, "What describes its differences"), h("tbody", null, described.map((measure, nth) => {
      if (!rows[nth]) return null;
      const [number, note] = rows[nth];
      return h("tr", null, h("th", { scope: "row" }, NAMES[measure](words)), h("td", { class: "num" }, number), h("td", null, note));
    }))));
  }

  function explorer(i, panel) {
    const one = submissions[i], corpus = corpora[one.corpus], words = corpus.panels[panel], table = corpus.pairs, entry = entryOf(i), all = pairsOf(i, panel);
    if (!all.length) return nothing("There is no pair to show.");
    const STEP = 20;
    let limit = STEP;
    const choices = (name) => [...new Set(all.map((pair) => table[name].at[pair.at]))].sort((a, b) => a - b);
    const shown = { emotion: (v) => (v === null ? "no emotion word" : v), template: (v) => `${v}: ${corpus.examples[v] || ""}`, match: (v) => v };
    function filter(name, label, none) {
      const found = choices(name);
      return found.length < 2 ? null : h("label", null, label, h("select", { name, "data-filter": name }, h("option", { value: "" }, none), found.map((at) => h("option", { value: at, dir: "auto" }, shown[name](table[name].values[at])))));
    }
    const sort = h("select", { name: "order" }, h("option", { value: "size" }, "size, largest first"), h("option", { value: "up" }, `${words.aboutFirst}: highest first`), h("option", { value: "down" }, `${words.aboutSecond}: highest first`));
    const status = h("p", { role: "status", "aria-live": "polite" });
    const form = h("form", { class: "tools explorer", on: { submit: (event) => event.preventDefault() } },
      filter("emotion", "Emotion", "all"), filter("template", "Template", "all"), filter("match", "Person", "all"), h("label", null, "Sort by", sort), status);
    const list = h("ol", { class: "pairs" });
    const more = h("button", { type: "button", on: { click: () => { limit += STEP; draw(); } } }, "Show more");
    const times = one.unit === "scale" ? POINTS : 1, width = entry.high - entry.low || 1;
    const arrow = (text) => h("i", { "aria-hidden": "true" }, text);
    function item(pair) {
      const [a, b] = bothSentences(table, pair.at, corpus.language);
      const bar = (text) => {
        const v = Number(text.replace("−", "-").replaceAll(",", "")) / times; const inner = h("i"); inner.style.width = pc(100 * Math.min(1, Math.max(0, (v - entry.low) / width))); return h("span", { class: "level", "aria-hidden": "true" }, inner); };
      const nFirst = counted(table, "n_first", pair.at), nSecond = counted(table, "n_second", pair.at);
      const pooled = nFirst > 1 || nSecond > 1;
      const emotion = column(table, "emotion", pair.at), template = column(table, "template", pair.at);
      return h("li", { class: "pair" },
        a, bar(pair.first), h("span", { class: "score" }, h("span", { class: "vh" }, "score "), pair.first),
        b, bar(pair.second), h("span", { class: "score" }, h("span", { class: "vh" }, "score "), pair.second),
        h("span", { class: `apart ${side(pair.delta)}` }, pair.delta < 0 && arrow("◂ "), pair.said, pair.delta > 0 && arrow(" ▸"), h("span", null, pair.delta ? higher(pair.delta, words) : "the same")),
        h("span", { class: "about", dir: "auto" }, pooled ? `Each score is the average of ${nFirst === nSecond ? many(nFirst, "sentence") : `${nFirst} and ${nSecond} sentences`} (${column(table, "match", pair.at)}) · ` : "", `template ${template}`, emotion === null ? "" : ` · ${emotion}`));
    }
    function draw() {
      const wanted = [...form.querySelectorAll("[data-filter]")].filter((select) => select.value !== "").map((select) => [select.dataset.filter, Number(select.value)]);
      let found = all.filter((pair) => wanted.every(([name, at]) => table[name].at[pair.at] === at));
      if (sort.value === "up") found = [...found].sort((x, y) => y.delta - x.delta);
      if (sort.value === "down") found = [...found].sort((x, y) => x.delta - y.delta);
      list.replaceChildren(...found.slice(0, limit).map(item));
      more.hidden = found.length <= limit;
      const held = entry.which ? ` (the ${all.length.toLocaleString("en-GB")} largest of ${words.pairs.toLocaleString("en-GB")} are in this page)` : "";
      status.textContent = `${Math.min(limit, found.length).toLocaleString("en-GB")} of ${many(found.length, "pair")}${held}`;
    }
    form.addEventListener("change", () => { limit = STEP; draw(); });
    draw();
    return [form, list, more];
  }

  const PEOPLE = 40;
  function people(i, panel) {
    const one = submissions[i], corpus = corpora[one.corpus], words = corpus.panels[panel], table = corpus.people, values = entryOf(i).people, said = entryOf(i).said.people;
    const axis = table.axes.indexOf(words.axis);
    if (axis < 0) return nothing("The corpus names no people for this axis.");
    const times = one.unit === "scale" ? POINTS : 1, those = entryOf(i).those, place = table.at ? new Map(table.at.map((at, nth) => [at, nth])) : null;
    const rows = values.map((value, nth) => { const at = those ? place.get(those[nth]) : nth; return { person: table.person[at], match: column(table, "match", at), group: table.groups[at][axis], value, said: said[nth], pooled: Boolean(table.pooled[at]) }; })
      .filter((row) => (row.group === words.first || row.group === words.second) && known(row.value));
    if (!rows.length) return nothing("No person’s sentences could be compared.");
    const scale = scaleTo(Math.max(...rows.map((row) => Math.abs(row.value))) * times);
    const blocks = [];
    for (const pooled of [true, false]) for (const group of [words.first, words.second]) {
      const held = rows.filter((row) => row.group === group && row.pooled === pooled).sort((a, b) => Math.abs(b.value) - Math.abs(a.value)), mine = held.slice(0, PEOPLE).sort((a, b) => b.value - a.value);
      if (!mine.length) continue;
      const all = pooled ? table.many[axis][group] || 0 : held.length, rest = all > mine.length ? `: the ${mine.length} of ${pooled ? many(all, "name") : many(all, "person", "people")} furthest from the average` : "";
      const about = group === words.first ? words.aboutFirst : words.aboutSecond;
      const title = `${pooled ? "Names" : "People in pairs"}, sentences ${about}`;
      blocks.push(h("table", null, h("caption", null, pooled && !mine.every((row) => row.match === "names") ? `${mine[0].match}, sentences ${about}` : title, rest),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, h("span", { class: "vh" }, "Person")), h("td", null, tickRow(scale)), h("th", { scope: "col" }, h("span", { class: "vh" }, units(one.unit))))),
        h("tbody", null, mine.map((row) => h("tr", { class: group === words.first ? "first" : "second" }, h("th", { scope: "row", dir: "auto", lang: corpus.language }, row.person),
          h("td", null, s("svg", { "aria-hidden": "true" }, s("line", { x1: "50%", x2: "50%", y1: 0, y2: "100%" }), s("line", { class: "stem", x1: "50%", x2: pc(scale.at(row.value * times)), y1: "50%", y2: "50%" }), s("circle", { cx: pc(scale.at(row.value * times)), cy: "50%", r: 4 }))),
          h("td", null, row.said))))));
    }
    return h("div", { class: "people" }, blocks);
  }

  function heat(i, panel) {
    const one = submissions[i], corpus = corpora[one.corpus], words = corpus.panels[panel], values = entryOf(i).cells, said = entryOf(i).said.cells, byTemplate = new Map();
    corpus.cells.forEach(([contrast, template, emotion, word], nth) => {
      if (contrast !== panel) return;
      if (!byTemplate.has(template)) byTemplate.set(template, new Map());
      byTemplate.get(template).set(JSON.stringify([emotion, word]), [values[nth], said[nth]]);
    });
    const groups = new Map();
    for (const [template, cells] of byTemplate) {
      const key = JSON.stringify([...cells.keys()].sort());
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(template);
    }
    const widest = Math.max(0, ...[...byTemplate.values()].flatMap((cells) => [...cells.values()].map(([v]) => Math.abs(v)).filter(known)));
    const tinted = ([v, text]) => {
      const cell = h("td", { class: known(v) ? null : "void" }, text);
      if (known(v) && widest && v) cell.style.background = `rgb(var(--${v > 0 ? "up" : "down"}-wash) / ${(0.08 + (0.5 * Math.abs(v)) / widest).toFixed(3)})`;
      return cell;
    };
    const made = [...groups.values()].map((templates) => {
      const keys = [...byTemplate.get(templates[0]).keys()].map((key) => [key, ...JSON.parse(key)]);
      const rows = [];
      let emotion;
      for (const [key, feeling, word] of keys) {
        if (feeling !== null && feeling !== emotion) rows.push(h("tr", null, h("th", { class: "emo", scope: "rowgroup", colspan: templates.length + 1 }, feeling)));
        emotion = feeling;
        rows.push(h("tr", null, h("th", { scope: "row", dir: "auto", lang: corpus.language }, word === null ? "no emotion word" : word), templates.map((template) => tinted(byTemplate.get(template).get(key)))));
      }
      return h("table", { class: "heat" }, h("caption", null, templates.length > 1 ? `Templates ${templates.join(", ")}` : `Template ${templates[0]}`),
        h("thead", null, h("tr", null, h("td", { class: "void" }), templates.map((template) => h("th", { scope: "col" }, template)))), h("tbody", null, rows));
    });
    return [
      h("p", { class: "lede" }, `Mean difference in ${one.unit === "scale" ? "points of 100" : "the system’s own units"}. Orange: ${words.more}. Blue, with a minus: ${words.less}. Darker is larger.`),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Mean difference by template and emotion word" }, h("div", { class: "heats" }, made)),
      h("ul", { class: "templates" }, [...byTemplate.keys()].map((template) => h("li", null, `${template}: `, h("span", { lang: corpus.language, dir: "auto" }, corpus.examples[template] || "")))),
    ];
  }

  function subsetName(subset, task) {
    const at = subset.indexOf(":"), kind = at < 0 ? subset : subset.slice(0, at), name = at < 0 ? "" : subset.slice(at + 1);
    const said = { all: "all sentences", neutral: "without an emotion word", emotion: name ? `words of ${name}` : "with an emotion word", "own-emotion": `the task’s own emotion, ${task}`, template: `template ${name}` };
    return said[kind] || subset;
  }
  function subsets(i, panel) {
    const one = submissions[i], corpus = corpora[one.corpus], words = corpus.panels[panel], found = entryOf(i).subsets;
    const rows = [];
    corpus.subsets.forEach(([axis, contrast, subset], nth) => {
      if (axis !== words.axis || contrast !== words.contrast) return;
      if (!found[nth]) return;
      const [way, amount, turned, adjusted, flip, n, dropped, kind] = found[nth];
      rows.push(h("tr", { class: subset === common.subset ? "main" : null },
        h("th", { scope: "row" }, subsetName(subset, one.task), subset === "all" ? "" : " (exploratory)"),
        h("td", { class: `num ${kind === "up" || kind === "down" ? kind : ""}` }, amount), h("td", null, way ? higher(way, words) : ""), h("td", { class: "num" }, turned),
        h("td", { class: "num" }, adjusted), h("td", { class: "num" }, flip), h("td", { class: "num" }, n.toLocaleString("en-GB")), h("td", { class: "num" }, dropped ? dropped.toLocaleString("en-GB") : "0"), h("td", null, SAID[kind])));
    });
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Subsets" }, h("table", { class: "plain subsets" },
      h("thead", null, h("tr", null, ["Sentences", one.unit === "scale" ? "Points" : "Own units", "Direction", "95 % interval", "p after correction", "Sign-flip p", "Pairs", "Dropped", "Finding"].map((text, nth) => h("th", { scope: "col", class: [1, 3, 4, 5, 6, 7].includes(nth) ? "num" : null }, text)))),
      h("tbody", null, rows)));
  }

  function cardOf(i) {
    const one = submissions[i];
    for (const row of document.querySelectorAll(".cards tbody tr")) {
      const cells = [...row.children].map((cell) => cell.textContent);
      if (cells[0] !== one.system) continue;
      const extra = cells.length - 5;
      if (extra > 0 && !cells.slice(1, 1 + extra).every((text) => text === one.task || text === corpora[one.corpus].name)) continue;
      return { version: cells.at(-4), scale: cells.at(-3), missing: cells.at(-2), notes: cells.at(-1) };
    }
    return null;
  }

  function closely(i) {
    const one = submissions[i], corpus = corpora[one.corpus];
    const inside = h("div", { class: "inside" });
    const also = submissions.map((other, nth) => [other, nth]).filter(([other]) => other.system === one.system);
    if (also.length > 1) inside.append(h("p", { class: "also" }, also.map(([other, nth]) => h("a", { href: `#${other.anchor}`, "data-open": other.anchor, "aria-current": nth === i ? "true" : null }, corpora.length > 1 ? `${other.task}, ${corpora[other.corpus].name}` : other.task))));
    const told = $(one.anchor);
    if (told && dialog) for (const line of told.querySelectorAll("p:not(.effect)")) inside.append(h("p", { class: "said" }, line.textContent));
    const body = h("div");
    if (corpus.panels.length > 1) {
      inside.append(h("fieldset", { on: { change: (event) => draw(Number(event.target.value)) } }, h("legend", null, "Show the difference between sentences"),
        corpus.panels.map((panel, nth) => h("label", { class: "pick" }, h("input", { type: "radio", name: `panel-${i}`, value: nth, checked: nth === 0 }), h("span", null, panel.average ? panel.aboutFirst : `${panel.aboutFirst} and ${panel.aboutSecond}`)))));
    }
    inside.append(body);
    function draw(panel) {
      const words = corpus.panels[panel];
      const [text, hangs] = entryOf(i).rests[panel], rests = text ? h("p", { class: hangs ? "rests" : null, dir: "auto" }, text) : null;
      const part = common.subset === "all" ? null : h("p", { class: "lede" }, `Below: only the subset ${common.subset} (${subsetName(common.subset, one.task)}).`);
      body.replaceChildren(...[
        hangs ? rests : null, h("h3", null, "All its differences"), boxed(i, panel), part, describedTable(i, panel),
        h("h3", null, "The pairs that move most"), h("p", { class: "lede" }, `The same sentence ${words.aboutFirst} (above) and ${words.aboutSecond} (below). What differs is marked. Scores are ${one.unit === "scale" ? "in points of 100" : "in the system’s own units"}.`), explorer(i, panel),
        h("h3", null, "People"), h("p", { class: "lede" }, "How far the sentences that mention someone stand from the average of all who are compared in the same place. Right of the line: scored higher. Left, with a minus: lower."), hangs ? null : rests, people(i, panel),
        h("h3", null, "Templates and words"), heat(i, panel),
        h("h3", null, "Parts of the corpus"), h("p", { class: "lede" }, "Every part but all sentences is exploratory: it shows where to look, and settles less."), subsets(i, panel),
      ].flat(9).filter(Boolean));
    }
    if (corpus.panels.length) draw(0); else if (paired) body.append(nothing("There is nothing to compare on this corpus."));
    const part = regressed(i);
    if (part) inside.append(part);
    const card = cardOf(i);
    if (card) inside.append(h("h3", null, "About the system"), h("dl", { class: "facts" },
      h("dt", null, "Version"), h("dd", null, card.version), h("dt", null, "Scale"), h("dd", null, card.scale), h("dt", null, "Without a score"), h("dd", null, card.missing), card.notes && [h("dt", null, "Notes"), h("dd", { dir: "auto" }, card.notes)]));
    return inside;
  }

  /* ---------------------------------------------------------------- regressions */
  const fits = $("fits") ? JSON.parse($("fits").textContent) : null;
  const fitted = new Map();
  function fitOf(i) {
    if (!fitted.has(i)) fitted.set(i, $(`fit-${i}`) ? JSON.parse($(`fit-${i}`).textContent) : null);
    return fitted.get(i);
  }
  const modelOf = (i) => fits.corpora[submissions[i].corpus];
  const saidOf = (fit, effect, measure) => (fit.said ? fit.said[effect][fits.measures.indexOf(measure)] : null);
  const lean = (v, effect) => (v > 0 ? effect.more : v < 0 ? effect.less : "");

  function coefficients(rows) {
    /* every number of some submissions' effects; a product's groups all at once below it */
    const several = rows.length > 1, has = (measure) => rows.some((i) => fitOf(i).said && fitOf(i).said.some((one) => one[fits.measures.indexOf(measure)]));
    const mixed = has("coefficient_mixed"), td = (text, from) => h("td", { class: from ? "num from" : "num" }, text), p = (one) => (one ? one.p : DASH);
    const beta = (one) => (one ? one.beta + one.stars : DASH);
    const inPoints = (one) => [td(one ? one.points : DASH, true), td(one ? one.between : DASH), td(p(one))];
    function line(i, label, get, kind, of = ["marginal_effect", "marginal_effect_naive", "coefficient", "coefficient_naive", "coefficient_mixed", "marginal_effect_mixed", "least_squares"]) {
      const [effect, effectNaive, coefficient, naive, mix, mixEffect, squares] = of.map((measure) => measure && get(measure));
      return h("tr", { class: kind }, several && h("th", { scope: "row", dir: "auto" }, submissions[i].system), h(several ? "td" : "th", several ? { class: "effect" } : { scope: "row" }, label),
        inPoints(effect), td(p(effectNaive)), td(beta(coefficient), true), td(coefficient ? coefficient.error : DASH), td(coefficient ? coefficient.df : DASH), td(p(coefficient)), td(p(naive)),
        mixed && [inPoints(mixEffect), td(beta(mix), true)], td(squares ? squares.points + squares.stars : DASH, true));
    }
    const body = rows.flatMap((i) => (fitOf(i).said ? modelOf(i).effects : []).flatMap((effect, nth) => {
      const get = (measure) => saidOf(fitOf(i), nth, measure);
      return [line(i, several ? effect.title : [effect.title, h("span", { class: "of" }, `plus: ${effect.more}; minus: ${effect.less}`)], get), get("total") && line(i, several ? `${effect.title}, all at once` : [`${effect.title}, all at once`, h("span", { class: "of" }, effect.whole)], get, "total", ["total_effect", null, "total"]), get("precision") && line(i, `${effect.title}, on the spread (log φ)`, get, "total", [null, null, "precision"])].filter(Boolean);
    }));
    const over = (text, wide) => h("th", { scope: "colgroup", colspan: wide, class: "from" }, text), head = (text, from) => h("th", { scope: "col", class: from ? "num from" : "num" }, text);
    const table = h("table", { class: "plain coefs" }, h("thead", null,
      h("tr", null, h("td", { colspan: several ? 2 : 1 }), over("In points of 100", 4), over("Coefficient on the logit", 5), mixed && over("Mixed model", 4), over("Least squares", 1)),
      h("tr", null, several && h("th", { scope: "col" }, "System"), h("th", { scope: "col" }, "Effect"), head("effect", true), head("95 % interval"), head("p"), head("p, naive"), head("β", true), head("error"), head("df"), head("p"), head("p, naive"), mixed && [head("effect", true), head("95 % interval"), head("p"), head("β", true)], head("points", true))), h("tbody", null, body));
    return [h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Coefficients" }, table),
      h("p", { class: "aside" }, `${several ? `${modelOf(rows[0]).effects.map((effect) => `${effect.title}: plus, ${effect.more}; minus, ${effect.less}`).join(". ")}. ` : ""}Effects in points are averaged over the groups of the other axes. A coefficient, β or of least squares, is the difference where the other axes are at their reference; the two may even differ in sign. Naive: as if all sentences were independent. All at once: all groups of a product beside all their references. Error: standard error; df: its degrees of freedom. All p-values are before correction; stars: *** p ≤ 0.01, ** p ≤ 0.05, * p ≤ 0.10.`)];
  }

  function groupMeans(i) {
    const fit = fitOf(i), model = modelOf(i), said = (axis, group) => model.phrases[axis][group] || group;
    const cell = (row) => (row && known(row.at(-2)) ? h("td", null, h("b", null, row.at(-1)), h("span", null, `${many(row.at(-4), "sentence")}, ${many(row.at(-3), "name")}`)) : h("td", null, DASH));
    const caption = h("caption", null, "Mean score of each group’s sentences, in points of 100");
    const distinct = (axis) => [...new Set(fit.groups.map((row) => row[axis]))];
    if (model.axes.length !== 2) return h("table", { class: "means" }, caption, h("tbody", null, fit.groups.map((row) => h("tr", null, h("th", { scope: "row" }, model.axes.map((_, axis) => said(axis, row[axis])).join(", ")), cell(row)))));
    return h("table", { class: "means" }, caption, h("thead", null, h("tr", null, h("td", { class: "vh" }), distinct(1).map((group) => h("th", { scope: "col" }, said(1, group))))),
      h("tbody", null, distinct(0).map((one) => h("tr", null, h("th", { scope: "row" }, said(0, one)), distinct(1).map((other) => cell(fit.groups.find((row) => row[0] === one && row[1] === other)))))));
  }

  const PULLING = 3;
  function namesThatPull(i) {
    const fit = fitOf(i), model = modelOf(i), language = corpora[submissions[i].corpus].language;
    if (!fit.means) return null;
    const means = signed(...fit.means), said = fit.saidMeans, pulls = fit.pulls.map((one) => signed(...one));
    const there = means.map((_, nth) => nth).filter((nth) => known(means[nth]));
    if (!there.length) return null;
    const ordered = [...there].sort((a, b) => means[a] - means[b]), lowest = ordered[0], highest = ordered.at(-1);
    const low = means[lowest], high = means[highest], width = high - low || 1;
    const x = (v) => pc(4 + (92 * (v - low)) / width);
    const strongest = (effect) => there.filter((nth) => Math.abs(pulls[effect][nth]) > 1e-6).sort((a, b) => Math.abs(pulls[effect][b]) - Math.abs(pulls[effect][a])).filter((nth, at, all) => at < PULLING && Math.abs(pulls[effect][nth]) > Math.abs(pulls[effect][all[0]]) / 4);
    const named = new Set(pulls.flatMap((_, effect) => strongest(effect)));
    const rows = fit.groups.flatMap((row) => {
      const group = row.slice(0, model.axes.length), mean = row.at(-2);
      const mine = there.filter((nth) => model.groups[nth].every((one, axis) => one === group[axis])).sort((a, b) => means[a] - means[b]);
      if (!mine.length) return [];
      const words = group.map((one, axis) => model.phrases[axis][one] || one).join(", ");
      const told = (nth) => `${model.people[nth]} ${said[nth]}`;
      let last = -99;
      const dots = mine.map((nth) => {
        const at = 4 + (92 * (means[nth] - low)) / width, free = named.has(nth) && at - last > 7;
        if (free) last = at;
        return s("g", { class: named.has(nth) ? "pulls" : null, "data-tip": told(nth) }, s("circle", { cx: x(means[nth]), cy: 10, r: named.has(nth) ? 4.5 : 3.5 }), free && s("text", { x: x(means[nth]), y: 31, direction: language === "ar" ? "rtl" : null }, model.people[nth]));
      });
      return [h("span", null, words), s("svg", { role: "img", "aria-label": `${words}: ${many(mine.length, "name")}, from ${told(mine[0])} to ${told(mine.at(-1))}, mean ${row.at(-1)}` },
        s("line", { class: "all", x1: 0, x2: "100%", y1: 10, y2: 10 }), s("line", { class: "mean", x1: x(mean), x2: x(mean), y1: 1, y2: 19 }), dots)];
    });
    const without = model.effects.map((effect, nth) => {
      const left = fit.without[nth], who = strongest(nth);
      if (!left || !who.length) return null;
      return h("li", null, h("b", null, effect.title), ` is ${left.now}. Without `, who.map((one, at) => [at ? "; without " : "", "“", h("bdi", { lang: language }, model.people[one]), `”: ${left.words[one]}`]), ".");
    });
    const table = h("details", null, h("summary", null, "Every name"));
    table.addEventListener("toggle", () => {
      if (table.children.length > 1) return;
      table.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Names" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Name"), model.axes.map((axis) => h("th", { scope: "col" }, axis)), h("th", { scope: "col", class: "num" }, "Mean score, points"), model.effects.map((effect) => h("th", { scope: "col", class: "num" }, `${effect.title} without the name, points`)))),
        h("tbody", null, there.map((nth) => h("tr", null, h("th", { scope: "row", dir: "auto", lang: language }, model.people[nth]), model.groups[nth].map((group) => h("td", null, group)), h("td", { class: "num" }, said[nth]), fit.without.map((left) => h("td", { class: "num" }, left ? left.points[nth] : DASH))))))));
    });
    return [h("h4", null, "The names that pull it"), h("p", { class: "lede" }, "Each dot is a name’s mean score, the bar its group’s mean. The larger dots are the names that move an effect most; below stands what it would be without each."),
      h("div", { class: "named" }, h("span"), s("svg", { class: "axis", "aria-hidden": "true" }, s("text", { x: "4%", y: 12 }, said[lowest]), s("text", { class: "last", x: "100%", y: 12 }, `${said[highest]} points`)), rows),
      without.some(Boolean) && h("ul", { class: "pulling" }, without), table];
  }

  function regressed(i) {
    const fit = fits && fitOf(i);
    if (!fit) return null;
    const head = h("h3", { tabindex: -1 }, $("regression-h").textContent), inside = h("section", { class: "regressed" }, head);
    const words = { "own-emotion": `sentences with a word of ${submissions[i].task}`, neutral: "sentences without an emotion word", all: "sentences" };
    const on = words[fit.subset] || `sentences of the subset ${fit.subset}`;
    if (fit.reason) inside.append(h("p", null, `Cannot be estimated, because ${fit.reason}.`));
    else {
      const told = $(submissions[i].anchor);
      if (told && dialog) for (const line of told.querySelectorAll(".effect")) inside.append(h("p", { class: "said" }, line.textContent));
      inside.append(...coefficients([i]));
    }
    inside.append(h("p", { class: "aside" }, `From ${fit.n.toLocaleString("en-GB")} ${on}${fit.n_dropped ? `, ${fit.n_dropped.toLocaleString("en-GB")} more without a score` : ""}: ${many(fit.people, "name")} in ${many(fit.templates, "template")}.${fit.reason ? "" : ` Converged in ${many(fit.iterations, "step")}${fit.precision ? `; precision φ ${fit.precision}` : ""}.`}${fit.edge ? ` ${many(fit.edge, "score")} at 0 or 1${fit.clipped ? `, ${fit.clipped.toLocaleString("en-GB")} of them from beyond,` : ""} made all be squeezed inwards.` : ""}`));
    if (fit.groups.length) inside.append(h("h4", null, "What it is made of"), h("div", { class: "scroll" }, groupMeans(i)));
    for (const one of [namesThatPull(i)].flat(9)) if (one) inside.append(one);
    return inside;
  }

  function effectRow(i) {
    /* as the page's own rows, for those that it does not draw as it opens */
    const one = submissions[i], model = modelOf(i), half = (v) => Math.min(100, Math.max(0, 50 + (46 * v * POINTS) / fits.limit));
    return h("tr", { "data-i": i, role: "row" }, h("th", { scope: "row", role: "rowheader", class: "name" }, h("a", { href: `#${one.anchor}`, "data-open": one.anchor, "data-part": "regressed", dir: "auto" }, one.system)),
      fitOf(i).drawn.map(([value, low, high, backLow, backHigh, , kind, amount, spread], nth) => {
        const effect = model.effects[nth], way = value > 0 ? "up" : value < 0 ? "down" : "";
        const limit = (fits.limit * 50) / 46 / POINTS, upright = (v) => Math.abs(v) <= limit && s("line", { x1: pc(half(v)), x2: pc(half(v)), y1: "32%", y2: "68%" });
        return h("td", { role: "cell", class: `c ${kind} s${way}` }, h("span", { class: "ends", "aria-hidden": "true" }, h("i", null, effect.full), h("span", null, effect.less), h("span", null, effect.more)),
          s("svg", { "aria-hidden": "true" }, s("use", { href: "#grid-effects" }), known(backLow) && s("g", { class: "behind" }, s("line", { x1: pc(half(backLow)), x2: pc(half(backHigh)), y1: "50%", y2: "50%" }), upright(backLow), upright(backHigh)),
            known(low) && s("line", { class: "mine", x1: pc(half(low)), x2: pc(half(high)), y1: "50%", y2: "50%" }), known(low) && low < -limit && s("text", { x: 0, y: "50%", dy: 5 }, "‹"), known(high) && high > limit && s("text", { x: "100%", y: "50%", dy: 5, "text-anchor": "end" }, "›"), known(value) && s("circle", { cx: pc(half(value)), cy: "50%", r: 5 })),
          h("span", { class: "x" }, h("b", null, amount), value ? [h("span", { class: "u" }, " points"), h("span", { class: "vh" }, `, ${lean(value, effect)}, 95 % interval`)] : null, " ", h("span", { class: "r" }, spread), h("span", { class: "s" }, SAID[kind])));
      }));
  }
  if (fits) {
    const plots = [...document.querySelectorAll(".plot")].map((plot) => {
      const order = fits.plots[Number(plot.dataset.plot)], body = plot.querySelector("tbody"), more = plot.querySelector(".more"), numbers = plot.querySelector(".numbers");
      let whole = !more;
      const all = () => { if (!whole) { whole = true; body.append(...order.slice(body.rows.length).map(effectRow)); more.parentNode.hidden = true; } };
      if (more) { more.hidden = false; more.addEventListener("click", all); }
      numbers.hidden = false;
      numbers.addEventListener("toggle", () => { if (numbers.open && numbers.children.length < 2) numbers.append(...coefficients(order)); });
      return { plot, order, body, all };
    });
    const form = $("effect-tools"), find = $("effect-find"), task = $("effect-task"), corpus = $("effect-corpus"), shown = $("effect-shown");
    function narrowed() {
      const text = find ? find.value.trim().toLowerCase() : "", wanted = [task ? task.value : "", corpus ? corpus.value : ""];
      let count = 0, every = 0;
      for (const one of plots) {
        one.plot.hidden = (wanted[0] && one.plot.dataset.task !== wanted[0]) || (wanted[1] && one.plot.dataset.corpus !== wanted[1]) || false;
        every += one.order.length;
        if (text) one.all();
        for (const row of one.body.rows) row.hidden = Boolean(text) && !submissions[row.dataset.i].system.toLowerCase().includes(text);
        if (!one.plot.hidden) count += text ? [...one.body.rows].filter((row) => !row.hidden).length : one.order.length;
      }
      for (const head of document.querySelectorAll(".of-corpus")) head.hidden = plots.every((one) => one.plot.hidden || one.plot.dataset.corpus !== head.dataset.corpus);
      shown.textContent = text || wanted.some(Boolean) ? `${count.toLocaleString("en-GB")} of ${many(every, "row")}` : "";
    }
    if (form) {
      form.addEventListener("submit", (event) => event.preventDefault());
      if (find) find.addEventListener("input", narrowed);
      for (const one of [task, corpus]) if (one) one.addEventListener("change", narrowed);
    }
  }

  const dialog = $("detail");
  let opener = null, openNow = -1;
  function neighbours(i) {
    /* in the order that the strip shows now */
    const rows = [...new Set(tables.flatMap((table) => [...table.querySelectorAll("tbody tr:not([hidden])")]).map((row) => Number(row.dataset.i)))];
    const at = rows.indexOf(i);
    return [at > 0 ? rows[at - 1] : null, at >= 0 && at + 1 < rows.length ? rows[at + 1] : null];
  }
  function open(i, remember, part) {
    const one = submissions[i], [before, after] = neighbours(i);
    openNow = i;
    const step = (to, text, label) => h("button", { type: "button", disabled: to === null, "aria-label": label, on: { click: () => { open(to, true); } } }, text);
    dialog.replaceChildren(
      h("div", { class: "bar" }, h("h2", { id: "detail-name", tabindex: -1 }, h("bdi", null, one.system), " ", h("span", { class: "task" }, one.task), corpora.length > 1 ? h("span", { class: "task" }, corpora[one.corpus].name) : null),
        h("div", { class: "steps" }, step(before, "↑", "Previous system"), step(after, "↓", "Next system"), h("button", { type: "button", on: { click: () => dialog.close() } }, "Close"))),
      closely(i));
    if (!dialog.open) { dialog.showModal(); }
    dialog.scrollTop = 0;
    const heading = part && dialog.querySelector(`.${part} h3`);
    (heading || $("detail-name")).focus({ preventScroll: true });
    if (heading) heading.parentNode.scrollIntoView();
    if (remember) history.pushState(null, "", `#${one.anchor}`);
  }
  function followHash() {
    let anchor = location.hash.slice(1);
    try { anchor = decodeURIComponent(anchor); } catch { /* as it is */ }
    if (dialog && byAnchor.has(anchor)) open(byAnchor.get(anchor), false);
    else if (dialog && dialog.open) dialog.close();
  }
  if (dialog) {
    document.addEventListener("click", (event) => {
      const link = event.target.closest && event.target.closest("[data-open]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if (!dialog.open) opener = link;
      open(byAnchor.get(link.dataset.open), true, link.dataset.part);
    });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => {
      hideTip();
      document.body.append(tip);
      dialog.replaceChildren();
      if (submissions[openNow] && location.hash === `#${submissions[openNow].anchor}`) history.pushState(null, "", location.pathname + location.search);
      if (opener && opener.isConnected) opener.focus({ preventScroll: true });
      opener = null;
    });
    addEventListener("hashchange", followHash);
    addEventListener("popstate", followHash);
    if (location.hash) followHash();
  } else {
    const own = $("own");
    const draw = (i) => own.replaceChildren(closely(i));
    document.addEventListener("click", (event) => {
      const link = event.target.closest && event.target.closest("[data-open]");
      if (link && byAnchor.has(link.dataset.open)) { event.preventDefault(); draw(byAnchor.get(link.dataset.open)); }
    });
    if (submissions.length) requestAnimationFrame(() => setTimeout(() => draw(0)));
  }

  /* ---------------------------------------------------------------- box plots, drawn when opened */
  const BESIDE_AVERAGE = { less: "lower than the average", more: "higher than the average" };
  function boxPlot(corpus, rows) {
    const times = submissions[rows[0][0]].unit === "scale" ? POINTS : 1, panels = corpora[corpus].panels, first = panels[rows[0][1]];
    const widest = Math.max(0, ...rows.map(([i, panel]) => { const pairs = pairsOf(i, panel); return pairs.length ? Math.abs(pairs[0].delta) * times : 0; }));
    const scale = scaleTo(widest);
    const head = h("div", { class: "boxrow headrow" }, h("span"), h("div", null, ends(first.average ? BESIDE_AVERAGE : first), tickRow(scale)));
    return [head, rows.map(([i, panel]) => {
      const one = submissions[i], words = panels[panel], name = !first.average ? one.system : dialog ? `${words.first}: ${one.system}` : words.first, kind = one.significance[panel], box = entryOf(i).boxes[panel];
      const mark = { up: "▲", down: "▼", none: "●" }[kind] || DASH;
      const label = `${name}: ${SAID[kind]}${box ? `; ${boxWords(i, panel)}` : ""}`;
      return h("div", { class: "boxrow" }, h("span", { title: name, dir: "auto" }, h("span", { class: `k ${kind}`, "aria-hidden": "true" }, mark), dialog ? h("a", { href: `#${one.anchor}`, "data-open": one.anchor }, name) : name),
        boxSvg(i, panel, scale, { "aria-label": label }, 20));
    })];
  }
  const place = $("boxes") || h("div");
  const tasks = [...new Set(submissions.map((one) => one.task))];
  let figures = 0;
  for (const task of tasks) corpora.forEach((corpus, c) => corpus.panels.forEach((panel, p) => {
    /* groups beside the average of all share one figure, drawn at the first of them */
    const shown = panel.average ? corpus.panels.map((_, q) => q).filter((q) => corpus.panels[q].average && corpus.panels[q].axis === panel.axis) : [p];
    if (shown[0] !== p) return;
    const all = submissions.map((one, i) => [one, i]).filter(([one]) => one.corpus === c && one.task === task && one.unit === "scale").flatMap(([one, i]) => shown.map((q) => [one, i, q]));
    if (!all.length) return;
    const ranked = !panel.average && all.some(([one]) => one.rank !== null);
    all.sort(([a, , q], [b, , r]) => (ranked ? (a.rank ?? Infinity) - (b.rank ?? Infinity) : (b.value[r] ?? -9) - (a.value[q] ?? -9)));
    const rows = all.map(([, i, q]) => [i, q]);
    const whose = panel.average ? `sentences of each group and ${panel.aboutSecond}` : `sentences ${panel.aboutFirst} and ${panel.aboutSecond}`;
    const inside = h("div", { class: "boxplot", role: "group", "aria-label": `Box plots, ${panel.axis}` });
    const figure = h("details", { open: figures < 2 && rows.length <= FEW }, h("summary", null, `${panel.axis}: ${whose}${tasks.length > 1 ? `, ${task}` : ""}${corpora.length > 1 ? `, ${corpus.title}` : ""} (${many(rows.length, panel.average ? "row" : "system")})`), inside);
    figures += 1;
    let drawn = false;
    const draw = () => { if (!drawn && figure.open) { drawn = true; inside.append(...boxPlot(c, rows).flat(9)); } };
    figure.addEventListener("toggle", draw);
    new IntersectionObserver((seen, watcher) => { if (seen.some((one) => one.isIntersecting)) { draw(); if (drawn) watcher.disconnect(); } }, { rootMargin: "400px" }).observe(figure);
    place.append(figure);
  }));
  if (!figures) place.append(nothing("There is no system on a known scale to draw."));

  addEventListener("beforeprint", () => { for (const one of document.querySelectorAll("#method details, #words details, #regression > details")) one.open = true; });
})();
