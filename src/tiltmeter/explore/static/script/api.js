/* What the page asks of its server, or of the bundle it was published with. */

const token = new URLSearchParams(location.search).get("token") ?? "";
export const bundle = globalThis.TILTMETER_BUNDLE ?? null;

const ENDED = "The explorer has ended. Start it again in the terminal, and open its new link.";

async function reach(address, request) {
  try {
    return await fetch(address, request);
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(ENDED);
  }
}

async function post(address, content, signal) {
  const answer = await reach(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-tiltmeter-token": token },
    body: JSON.stringify(content),
    signal,
  });
  if (!answer.ok) {
    const what = await answer.json().catch(() => ({}));
    throw new Error(what.error ?? `the explorer answered ${answer.status}`);
  }
  return answer;
}

export async function begin() {
  if (bundle) return bundle.start;
  const answer = await reach("/api/start", { headers: { "x-tiltmeter-token": token } });
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.json();
}

export async function readPeople(text, decisions, signal) {
  if (bundle) return bundle.sentences[text]?.reading ?? { mentions: [], no_swap: bundle.missing };
  return (await post("/api/read", { text, decisions }, signal)).json();
}

/* Lines of JSON as they come; `each` is called for every one. */
export async function stream(address, content, signal, each) {
  if (bundle) return streamBundle(address, content, each);
  const answer = await post(address, content, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) each(JSON.parse(line));
  }
}

function streamBundle(address, content, each) {
  const stored = Object.entries(bundle.sentences).find(
    ([text, one]) => content.text === (one.reading.variants?.[0]?.text ?? text),
  )?.[1];
  const wanted = (event) => !content.systems?.length || content.systems.includes(event.system);
  if (address === "/api/score") {
    for (const system of bundle.start.systems.filter((one) => wanted({ system: one.name }))) {
      const raw = content.texts.map((text) => bundle.scores[system.name]?.[text] ?? null);
      each({ system: system.name, start: 0, raw, scale: system.scale });
    }
  } else {
    const kind = address === "/api/names" ? "names" : "why";
    for (const event of stored?.[kind] ?? []) if (wanted(event)) each(event);
  }
  each({ done: true });
}

export async function addToCorpus(sentences) {
  return (await post("/api/corpus", { sentences })).json();
}

export async function personEvidence(person) {
  if (bundle) return { audits: bundle.people?.[person] ?? [] };
  return (await post("/api/evidence", { person })).json();
}
