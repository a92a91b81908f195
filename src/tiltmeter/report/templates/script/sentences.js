/* Two sentences, what differs between them marked. */
import { valueIn } from "./data.js";
import { h } from "./elements.js";

/* the places of the words that are not in the longest run of words that both have */
function differingWords(a, b) {
  const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skipped = Math.max(best[i + 1][j], best[i][j + 1]);
      best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : skipped;
    }
  }
  const inA = new Set();
  const inB = new Set();
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      i++;
      j++;
    } else if (best[i + 1][j] >= best[i][j + 1]) inA.add(i++);
    else inB.add(j++);
  }
  while (i < a.length) inA.add(i++);
  while (j < b.length) inB.add(j++);
  return [inA, inB];
}

function markWords(tokens, different, language, others) {
  const parts = [];
  let run = [];
  let left = others;
  const close = () => {
    if (!run.length) return;
    parts.push(h("mark", null, run.join(" ")));
    if (left) parts.push(h("small", { class: "others" }, left));
    left = "";
    run = [];
  };
  tokens.forEach((token, nth) => {
    if (different.has(nth)) {
      if (!run.length && nth) parts.push(" ");
      run.push(token);
    } else {
      close();
      parts.push((nth ? " " : "") + token);
    }
  });
  close();
  return h("q", { dir: "auto", lang: language }, parts);
}

export function bothSentences({ pairs, language }, at) {
  const first = pairs.first[at].split(/\s+/);
  const second = pairs.second[at].split(/\s+/);
  const [inFirst, inSecond] = differingWords(first, second);
  return [
    markWords(first, inFirst, language, valueIn(pairs.othersFirst, at)),
    markWords(second, inSecond, language, valueIn(pairs.othersSecond, at)),
  ];
}
