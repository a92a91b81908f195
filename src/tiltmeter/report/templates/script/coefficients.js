/* Every number of some submissions' effects; a product's groups all at once below it. */
import { fitOf, fits, modelOf, submissions, words } from "./data.js";
import { h, headCell, scrollBox } from "./elements.js";

/* which measure stands in which columns: of an effect, of a whole product, of the precision */
const OF_EFFECT = {
  effect: "marginal_effect",
  effectNaive: "marginal_effect_naive",
  coefficient: "coefficient",
  coefficientNaive: "coefficient_naive",
  mixed: "coefficient_mixed",
  mixedEffect: "marginal_effect_mixed",
  squares: "least_squares",
};
const OF_TOTAL = { effect: "total_effect", coefficient: "total" };
const OF_PRECISION = { coefficient: "precision" };

const cell = (text, from) => h("td", { class: from ? "num from" : "num" }, text ?? words.dash);
const withStars = (one, name) => one && one[name] + one.stars;
const inPoints = (one) => [cell(one?.points, true), cell(one?.between), cell(one?.p)];

function numbersOf(i, effect) {
  const { said } = fitOf(i);
  return (measure) => said[effect][fits.measures.indexOf(measure)];
}

function lineOf({ system, label, kind, get, of, mixed }) {
  const found = Object.fromEntries(Object.entries(of).map(([name, one]) => [name, get(one)]));
  const { coefficient } = found;
  const named = system !== null;
  return h(
    "tr",
    { class: kind },
    named && h("th", { scope: "row", dir: "auto" }, system),
    h(named ? "td" : "th", named ? { class: "effect" } : { scope: "row" }, label),
    inPoints(found.effect),
    cell(found.effectNaive?.p),
    cell(withStars(coefficient, "beta"), true),
    cell(coefficient?.error),
    cell(coefficient?.df),
    cell(coefficient?.p),
    cell(found.coefficientNaive?.p),
    mixed && [inPoints(found.mixedEffect), cell(withStars(found.mixed, "beta"), true)],
    cell(withStars(found.squares, "points"), true),
  );
}

function linesOf(i, several, mixed) {
  if (!fitOf(i).said) return [];
  const system = several ? submissions[i].system : null;
  const label = (text, of) => (several ? text : [text, h("span", { class: "of" }, of)]);
  return modelOf(i).effects.flatMap((effect, nth) => {
    const get = numbersOf(i, nth);
    const line = (label, of, kind) => lineOf({ system, label, kind, get, of, mixed });
    const lines = [line(label(effect.title, effect.signs), OF_EFFECT)];
    if (get("total")) lines.push(line(label(effect.total, effect.whole), OF_TOTAL, "total"));
    if (get("precision")) lines.push(line(effect.spread, OF_PRECISION, "total"));
    return lines;
  });
}

function headOf(several, mixed) {
  const { over, heads, system, effect } = fits.words;
  const [points, logit, mixedModel, squares] = over;
  const group = (text, wide) => h("th", { scope: "colgroup", colspan: wide, class: "from" }, text);
  const column = (name, from) => headCell(heads[name], from ? "num from" : "num");
  const groups = [
    h("td", { colspan: several ? 2 : 1 }),
    group(points, 4),
    group(logit, 5),
    mixed && group(mixedModel, 4),
    group(squares, 1),
  ];
  const effects = [column("effect", true), column("interval"), column("p")];
  const columns = [
    several && headCell(system),
    headCell(effect),
    effects,
    column("naive"),
    column("beta", true),
    ["error", "df", "p", "naive"].map((name) => column(name)),
    mixed && [effects.map((one) => one.cloneNode(true)), column("beta", true)],
    column("points", true),
  ];
  return h("thead", null, h("tr", null, groups), h("tr", null, columns));
}

export function coefficientTable(rows) {
  const several = rows.length > 1;
  const at = fits.measures.indexOf("coefficient_mixed");
  const mixed = rows.some((i) => fitOf(i).said?.some((one) => one[at]));
  const body = rows.flatMap((i) => linesOf(i, several, mixed));
  const table = h(
    "table",
    { class: "plain coefs" },
    headOf(several, mixed),
    h("tbody", null, body),
  );
  const reading = (several ? modelOf(rows[0]).signs : "") + fits.words.reading;
  return [scrollBox(fits.words.numbers, table), h("p", { class: "aside" }, reading)];
}
