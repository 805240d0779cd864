/** Searches with evaluators: with one that is exact in any arithmetic, and with a network. */

import { readFileSync } from "node:fs";

import { answer, engine, fromHex, given, load } from "./shared.mjs";

const { EvaluatedSearch } = await load("players.js");
const { Network } = await load("network.js");

/** All actions are equally likely, and the seat with more ready dice is ahead; in solo games the value is the coins earned. */
function evaluate(observation, mask, earned) {
  const { start } = engine.facts.layout.find((part) => part.name === "ready");
  const isAlone = observation[0] === 1;
  return { priors: mask, value: isAlone ? earned() / 64 : (observation[start] - observation[start + 1]) / 8 };
}

const search = new EvaluatedSearch(engine, given.simulations, evaluate);
const exact = given.exact.map((state) => search.search(engine.gameFrom(fromHex(state))).visits);

const visits = {};
for (const [file, states] of Object.entries(given.positions)) {
  const network = Network.read(readFileSync(file), engine.facts);
  const player = engine.player(`puct:${given.simulations}`, network);
  visits[file] = states.map((state) => player.search(engine.gameFrom(fromHex(state))).visits);
}

function refusal(file) {
  try {
    engine.player("puct:5", Network.read(readFileSync(file), engine.facts));
  } catch (error) {
    return error.message;
  }
  return null;
}

answer({ exact, visits, refused: refusal(given.refused) });
