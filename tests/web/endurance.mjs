/** Has entries fail again and again, and searches allocate; tells whether the engine still works. */

import { answer, engine, given } from "./shared.mjs";

const game = engine.game({ seed: 1 });
const player = engine.player("search:5");
const chosen = player.choose(game);
const seen = game.observation().join();
const { memory } = engine;
const before = memory.pages;

let refusals = 0;
for (let time = 0; time < given.times; time++) {
  for (const attempt of [() => game.observation(3), () => game.resample(2)]) {
    try {
      attempt();
    } catch (error) {
      refusals += / refused its arguments$/.test(error.message) ? 1 : 0;
    }
  }
}
for (let time = 0; time < given.times; time++) game.resample(0, BigInt(time));

answer({
  refusals,
  is_alive: player.choose(game) === chosen && game.observation().join() === seen,
  pages_before: before,
  pages: memory.pages,
});
