/**
 * Who plays the other seats, named as on the ladder, and the hints of the networks.
 *
 * @typedef {import("./session.js").Session} Session
 * @typedef {{probabilities: [number, number][], chance: number | null, coins: number | null}} Judgement
 */

import { bytesOf } from "./resources.js";
import { Thinker } from "./thinker.js";

const NETWORKS = ["", "solo", "duel", "trio", "quartet"];

/** @type {{name: string, label: string, about: string}[]} */
export const LEVELS = [
  { name: "random", label: "Random", about: "does anything that is legal" },
  {
    name: "ghost",
    label: "Ghost",
    about: "rolls its dice and goes for the best card, like the Ghost of the solo game",
  },
  { name: "greedy", label: "Greedy", about: "takes what looks best now" },
  { name: "tuned", label: "Tuned", about: "weighs cards, Collectors and dice; a good club player" },
  { name: "generalist", label: "Generalist", about: "a network that learned every number of players" },
  { name: "net", label: "Network", about: "a network that was trained for this number of players" },
  { name: "puct", label: "Deep thinker", about: "a network with a search of 100 simulations for each decision" },
];
const SEARCH = "puct:100";

/** Return the name on the ladder of a level. @param {string} level @param {number} players */
export function ladderName(level, players) {
  if (level === "net") return `net:${NETWORKS[players]}`;
  if (level === "generalist") return "net:generalist";
  return level === "puct" ? `${SEARCH}:net:${NETWORKS[players]}` : level;
}

/** Return what a level is called. @param {string} level */
export function labelOf(level) {
  return LEVELS.find(({ name }) => name === level)?.label ?? level;
}

export class Opponents {
  #engine;
  #wasm;
  /** @type {Promise<any> | null} */
  #started = null;
  /** @type {Map<string, Promise<any>>} */
  #learned = new Map();
  /** @type {Map<string, import("./players.js").Player>} */
  #quick = new Map();
  /** @type {((task: import("./thinker.js").Task) => Promise<any>) | null} */
  #ask = null;

  /** @param {import("./engine.js").Engine} engine @param {Uint8Array} wasm */
  constructor(engine, wasm) {
    this.#engine = engine;
    this.#wasm = wasm;
  }

  /**
   * Return the action that a level chooses.
   * @param {Session} session
   * @param {string} level
   * @returns {Promise<number>}
   */
  async choose(session, level) {
    const { game } = session;
    if (["random", "ghost", "greedy", "tuned"].includes(level)) return this.#quickPlayer(level).choose(game);
    const network = level === "generalist" ? "generalist" : NETWORKS[game.players];
    await this.prepare(network);
    const name = level === "puct" ? SEARCH : "net";
    return this.#tell({ task: "choose", state: game.state, name, network });
  }

  /**
   * Return what the network for this number of players says.
   * @param {Session} session
   * @param {number} frame
   * @returns {Promise<Judgement>}
   */
  async judge(session, frame) {
    const network = NETWORKS[session.game.players];
    await this.prepare(network);
    return this.#tell({ task: "judge", state: session.frames[frame].state, network });
  }

  /** Load what a level needs before it is asked. @param {string[]} levels @param {number} players */
  warm(levels, players) {
    for (const level of levels) {
      if (level === "generalist") this.prepare("generalist").catch(() => {});
      if (level === "net" || level === "puct") this.prepare(NETWORKS[players]).catch(() => {});
    }
  }

  /** @param {string} level */
  #quickPlayer(level) {
    const player = this.#quick.get(level) ?? this.#engine.player(level);
    this.#quick.set(level, player);
    return player;
  }

  /** Have a network loaded. @param {string} network @returns {Promise<any>} */
  prepare(network) {
    const known = this.#learned.get(network);
    if (known) return known;
    const learning = bytesOf(`networks/${network}.safetensors`).then((bytes) =>
      this.#tell({ task: "learn", network, bytes }),
    );
    this.#learned.set(network, learning);
    learning.catch(() => this.#learned.delete(network));
    return learning;
  }

  /** @param {import("./thinker.js").Task} task */
  async #tell(task) {
    this.#started ??= this.#start();
    await this.#started;
    const ask = /** @type {(task: import("./thinker.js").Task) => Promise<any>} */ (this.#ask);
    return ask(task);
  }

  async #start() {
    const facts = this.#engine.facts;
    try {
      this.#ask = inWorker();
      await this.#ask({ task: "start", wasm: this.#wasm, facts });
    } catch {
      // Some browsers allow no Worker to pages opened from files: then the page waits for its opponents.
      const thinker = new Thinker();
      this.#ask = (task) => thinker.answer(task);
      await this.#ask({ task: "start", wasm: this.#wasm, facts });
    }
  }
}

/** Start a Worker; return how it is asked. */
function inWorker() {
  const packed = document.getElementById("file:worker.js");
  const address = packed
    ? URL.createObjectURL(new Blob([packed.textContent ?? ""], { type: "text/javascript" }))
    : new URL("worker.js", document.baseURI);
  const worker = new Worker(address, packed ? {} : { type: "module" });
  /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data: { number, answer, error } }) => {
    const asked = waiting.get(number);
    waiting.delete(number);
    if (error) asked?.reject(new Error(error));
    else asked?.resolve(answer);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const { reject } of waiting.values()) reject(new Error("the Worker failed"));
    waiting.clear();
  };
  return (/** @type {import("./thinker.js").Task} */ task) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ number: last, ...task });
    });
}
