/** Has networks judge positions, as they do for the hints of the page. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { answer, engine, fromHex, given, load } from "./shared.mjs";

const { Thinker } = await load("thinker.js");

const thinker = new Thinker();
const wasm = readFileSync(join(process.argv[2], "engine.wasm"));
await thinker.answer({ task: "start", wasm, facts: engine.facts });

const judged = {};
for (const [network, states] of Object.entries(given.positions)) {
  await thinker.answer({ task: "learn", network, bytes: readFileSync(network) });
  const asked = states.map((state) => thinker.answer({ task: "judge", network, state: fromHex(state) }));
  judged[network] = await Promise.all(asked);
}
answer(judged);
