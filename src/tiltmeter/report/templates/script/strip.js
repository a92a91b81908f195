/* The strip of all systems: search, filter, sort. */
import { common, corpora, submissions, words } from "./data.js";
import { byId, fillSlots, h } from "./elements.js";

const FEW = 40;

const tools = byId("tools");
const find = byId("find");
const byTask = byId("by-task");
const byCorpus = byId("by-corpus");
const byFinding = byId("by-finding");
const sort = byId("sort");
const blocks = tools ? [...document.querySelectorAll(".block")].map(blockOf) : [];
let order = { by: "size", down: true };

function blockOf(block, nth) {
  const rows = [...block.querySelectorAll("tbody tr")].map((row) => {
    const panel = row.dataset.p;
    const one = submissions[row.dataset.i];
    return { row, one, panel, shown: shownOf(one, panel), text: searchText(one, panel) };
  });
  const heads = [...block.querySelectorAll("thead th")].map((head, at) => {
    return { head, ...common.blocks[nth].heads[at] };
  });
  const [body, more] = [block.querySelector("tbody"), block.querySelector(".more")];
  return { block, body, more, rows, heads, corpus: common.blocks[nth].corpus, whole: false };
}
/* what a row shows: all findings of a system, or one of them where rows are of groups */
function shownOf({ shown }, panel) {
  if (panel === undefined) return shown;
  return {
    value: [shown.value[panel]],
    significance: [shown.significance[panel]],
    verdict: [shown.verdict[panel]],
  };
}
function searchText(one, panel) {
  const group = panel === undefined ? "" : corpora[one.corpus].shown[panel].first;
  return `${one.system}\n${group}`.toLowerCase();
}

/* ---------------------------------------------------------------- sorting */
const size = (v) => (v === null ? -1 : Math.abs(v));

/* what rows are sorted by, from low to high */
function keyOf(by) {
  if (by === "name") return ({ one }) => one.system.toLowerCase();
  if (by === "skill") return ({ one }) => (one.skill === null ? Infinity : -one.skill);
  if (by === "size") return ({ shown }) => -Math.max(-1, ...shown.value.map(size));
  return ({ one }) => {
    const at = corpora[one.corpus].shown.findIndex((panel) => `size:${panel.words}` === by);
    return at < 0 ? 2 : -size(one.shown.value[at]);
  };
}
function sortRows() {
  const { by, down } = order;
  const key = keyOf(by);
  const turn = (by === "name") === down ? -1 : 1;
  for (const { rows, body, heads } of blocks) {
    const keyed = rows.map((row) => [key(row), row.row]);
    keyed.sort(([a], [b]) => (a < b ? -turn : a > b ? turn : 0));
    body.append(...keyed.map((each) => each[1]));
    for (const each of heads) {
      if (each.by !== by) each.head.removeAttribute("aria-sort");
      else each.head.setAttribute("aria-sort", down ? "descending" : "ascending");
    }
  }
}
function sortBy(by) {
  const turned = order.by === by ? !order.down : by !== "name";
  order = { by, down: turned };
  if ([...sort.options].some((option) => option.value === by)) sort.value = by;
  sortRows();
}

/* a column's title becomes a button */
function addButton({ head, by, label }) {
  const title = head.querySelector(".title") || head.firstElementChild;
  const click = () => sortBy(by);
  const facts = { type: "button", class: "sort", "aria-label": label, on: { click } };
  const button = h("button", facts, ...title.childNodes);
  if (by === "skill") title.replaceWith(button);
  else title.replaceChildren(button);
}

/* ---------------------------------------------------------------- filtering */
function hasFinding({ verdict, significance }, finding) {
  const detected = finding === "detected" && significance.some((one) => /^(up|down)$/.test(one));
  return detected || verdict.includes(finding) || significance.includes(finding);
}
function filterRows() {
  const text = find.value.trim().toLowerCase();
  const [task, corpus] = [byTask?.value || "", byCorpus?.value || ""];
  const finding = byFinding.value;
  const matches = (row) =>
    row.text.includes(text) &&
    (!task || row.one.task === task) &&
    (!finding || hasFinding(row.shown, finding));
  let count = 0;
  for (const one of blocks) {
    one.block.hidden = corpus !== "" && one.corpus !== Number(corpus);
    let mine = 0;
    for (const row of one.rows) {
      const fit = matches(row);
      if (row.row.hidden === fit) row.row.hidden = !fit;
      mine += fit;
    }
    if (!one.block.hidden) count += mine;
    const cut = !one.whole && mine > FEW;
    one.body.classList.toggle("few", cut);
    one.more.hidden = !cut;
    one.more.textContent = fillSlots(words.allRows, { n: mine });
  }
  const narrowed = text || task || corpus || finding;
  byId("shown").textContent = narrowed ? fillSlots(common.rows, { n: count }) : "";
}

if (tools) {
  for (const text of common.sorts) sort.append(h("option", { value: `size:${text}` }, text));
  for (const one of blocks) {
    one.more.addEventListener("click", () => {
      one.whole = true;
      filterRows();
    });
    one.heads.forEach(addButton);
  }
  tools.addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("input", filterRows);
  for (const one of [byTask, byCorpus, byFinding]) one?.addEventListener("change", filterRows);
  sort.addEventListener("change", () => {
    order = { by: sort.value, down: sort.value !== "name" };
    sortRows();
  });
  filterRows();
}
