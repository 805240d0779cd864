/** Plays games to their end, actions drawn by the games; answers for each a digest of all there is at each stop. */

import { createHash } from "node:crypto";

import { answer, engine, given } from "./shared.mjs";

function digest(game) {
  const hash = createHash("sha256").update(game.state);
  for (let seat = 0; seat < game.players; seat++) hash.update(game.observation(seat));
  hash.update(game.mask());
  hash.update(new Uint8Array(Int16Array.from(game.sheets().flatMap((sheet) => Object.values(sheet))).buffer));
  if (game.mover >= 0) hash.update(game.resample(game.mover, BigInt(given.bits)).state);
  hash.update(new Uint8Array(game.rewards.buffer));
  return hash.digest("hex").slice(0, 12);
}

function trail(index, players) {
  const game = engine.game({ players, index, seed: BigInt(given.seed), pauses: index % 2 === 1 });
  const digests = [digest(game)];
  while (!game.isOver) {
    if (game.waitsForDice) game.roll();
    game.step(game.mover < 0 ? undefined : engine.numbers.DRAW);
    digests.push(digest(game));
  }
  return digests;
}

answer(given.players.map((players, index) => trail(index, players)));
