/**
 * Measures the WebAssembly engine in Node.js: decisions a second, of games alone and of players.
 *
 *     node benchmarks/web_speed.mjs [SECONDS]        for each row, 2 if not given
 */

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const room = new URL("../crypt_env/", import.meta.url);
const { Engine } = await import(new URL("web/engine.js", room).href);
const { Network } = await import(new URL("web/network.js", room).href);

const seconds = Number(process.argv[2] ?? 2);
const bytes = readFileSync(new URL("web/engine.wasm", room));
const engine = await Engine.load(bytes, JSON.parse(readFileSync(new URL("web/engine.json", room), "utf8")));
const network = Network.read(readFileSync(new URL("networks/duel.safetensors", room)), engine.facts);

/** Play games of two for some time; return the decisions a second. */
function speed(choose) {
  const start = performance.now();
  let decisions = 0;
  for (let seed = 0; ; seed++) {
    const game = engine.game({ players: 2, seed });
    while (!game.isOver) {
      game.step(choose(game));
      decisions++;
      const passed = (performance.now() - start) / 1000;
      if (passed > seconds) return decisions / passed;
    }
  }
}

/** Play without looking at the clock at each decision: that would take as long as the game. */
function speedOfGames(games) {
  const start = performance.now();
  let decisions = 0;
  for (let seed = 0; seed < games; seed++) {
    const game = engine.game({ players: 2, seed });
    for (; !game.isOver; decisions++) game.step(engine.numbers.DRAW);
  }
  return (decisions * 1000) / (performance.now() - start);
}

console.log(`engine.wasm: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`);
speedOfGames(1000);
console.log(`games alone, actions drawn: ${Math.round(speedOfGames(10000))} decisions/s`);
for (const name of ["greedy", "tuned", "ghost", "net", "search:20", "search:100", "ismcts:200", "puct:50"]) {
  const player = engine.player(name, network);
  console.log(`${name}: ${speed((game) => player.choose(game)).toPrecision(3)} decisions/s`);
}
