/** Evaluates networks in given positions. */

import { readFileSync } from "node:fs";

import { answer, engine, fromHex, given, load } from "./shared.mjs";

const { Network } = await load("network.js");

function evaluated(file, states) {
  const network = Network.read(readFileSync(file), engine.facts);
  const players = ["net", "net:draw"].map((name) => engine.player(name, network));
  return states.map((state) => {
    const game = engine.gameFrom(fromHex(state));
    const observation = game.observation();
    return {
      value: network.evaluate(observation).value,
      probabilities: Array.from(network.probabilities(observation, game.mask())),
      likeliest: players[0].choose(game),
      drawn: players[1].choose(game),
    };
  });
}

function refusal(file) {
  try {
    Network.read(readFileSync(file), engine.facts);
  } catch (error) {
    return error.message;
  }
  return null;
}

answer({
  evaluated: Object.fromEntries(
    Object.entries(given.positions).map(([file, states]) => [file, evaluated(file, states)]),
  ),
  refused: (given.refused ?? []).map(refusal),
});
