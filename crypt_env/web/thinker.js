/**
 * Thinks for the opponents, with its own engine, players and networks. It runs in a Worker, so the page stays live.
 *
 * @typedef {import("./engine.js").Facts} Facts
 *
 * @typedef {object} Task
 * @property {string} task  "start", "learn", "choose" or "judge"
 * @property {Uint8Array} [wasm]  the engine, to start with
 * @property {Facts} [facts]
 * @property {string} [network]  its name
 * @property {Uint8Array} [bytes]  its file, to learn it
 * @property {Uint8Array} [state]  the game in which to choose or to judge
 * @property {string} [name]  of the player that chooses
 */

import { Engine } from "./engine.js";
import { Network } from "./network.js";

export class Thinker {
  /** @type {Engine | null} */
  #engine = null;
  /** @type {Map<string, Network>} */
  #networks = new Map();
  /** @type {Map<string, import("./players.js").Player>} */
  #players = new Map();

  /** Do a task and return its answer. @param {Task} task @returns {Promise<any>} */
  async answer(task) {
    if (task.task === "start") {
      this.#engine = await Engine.load(/** @type {BufferSource} */ (task.wasm), /** @type {Facts} */ (task.facts));
      return true;
    }
    const engine = /** @type {Engine} */ (this.#engine);
    if (task.task === "learn") {
      this.#networks.set(String(task.network), Network.read(/** @type {Uint8Array} */ (task.bytes), engine.facts));
      return true;
    }
    const game = engine.gameFrom(/** @type {Uint8Array} */ (task.state));
    return task.task === "judge" ? this.#judge(engine, game, String(task.network)) : this.#choose(engine, game, task);
  }

  /** @param {Engine} engine @param {import("./engine.js").Game} game @param {Task} task */
  #choose(engine, game, { name = "", network = "" }) {
    const key = `${name} ${network}`;
    const player = this.#players.get(key) ?? engine.player(name, this.#networks.get(network));
    this.#players.set(key, player);
    return player.choose(game);
  }

  /**
   * Return how likely a network plays each action, and what it expects, if its value says that. `replays.py` does the
   * same.
   * @param {Engine} engine
   * @param {import("./engine.js").Game} game
   * @param {string} name
   */
  #judge(engine, game, name) {
    const network = /** @type {Network} */ (this.#networks.get(name));
    const observation = game.observation();
    const all = network.probabilities(observation, game.mask());
    const probabilities = game.legal().map((action) => [action, all[action]]);
    const { dense = false, kind = "win", scale = 1 } = network.facts.reward ?? {};
    const value = network.evaluate(observation).value / scale;
    if (game.players > 1) {
      const isChance = !dense && kind === "win";
      return { probabilities, chance: isChance ? chanceOf(value, game.players) : null, coins: null };
    }
    const earned = dense ? engine.call("earned_row", game.look().states, 0, game.mover) : 0;
    return { probabilities, chance: null, coins: value + earned };
  }
}

/**
 * Return the chance to win that a value stands for: the winner is paid 1, the losers share -1.
 * @param {number} value
 * @param {number} players
 */
function chanceOf(value, players) {
  return Math.min(1, Math.max(0, (value * (players - 1) + 1) / players));
}
