/** Asks players: in given positions, and in whole games that they play among themselves. */

import { answer, engine, fromHex, given } from "./shared.mjs";

const chosen = {};
for (const [name, states] of Object.entries(given.positions)) {
  const player = engine.player(name);
  chosen[name] = states.map((state) => player.choose(engine.gameFrom(fromHex(state))));
}

function played(name, players, index) {
  const player = engine.player(name);
  const game = engine.game({ players, index, seed: BigInt(given.seed) });
  while (!game.isOver) game.step(player.choose(game));
  return Buffer.from(game.state).toString("hex");
}

const finals = {};
for (const name of given.names) {
  finals[name] = given.counts.map((players, index) => played(name, players, index));
}

answer({ chosen, finals });
