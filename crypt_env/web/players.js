/**
 * The players of crypt_env. Each has one method, `choose(game)`: it returns the number of a legal action for the seat
 * that is asked. All but "random" decide by what that seat may know, and by bits that follow from the game's seed.
 *
 * @typedef {import("./engine.js").Engine} Engine
 * @typedef {import("./engine.js").Game} Game
 * @typedef {import("./memory.js").Block} Block
 * @typedef {import("./network.js").Network} Network
 *
 * @typedef {object} Player
 * @property {string} name
 * @property {(game: Game) => number} choose
 *
 * @typedef {{priors: ArrayLike<number>, value: number}} Judgement  how likely actions are, and what the game will pay
 * @typedef {(observation: Int8Array, mask: Uint8Array, earned: () => number) => Judgement} Evaluate
 * The evaluator of a leaf, for the seat that decides there. `earned()` is what that seat has earned so far, in coins.
 */

import { readField } from "./memory.js";

/**
 * Return a player by its name.
 * @param {Engine} engine
 * @param {string} name
 * @param {Network} [network]
 * @returns {Player}
 */
export function makePlayer(engine, name, network) {
  const [kind, amount, policy = "tuned"] = name.split(":");
  if (name === "random") return new RandomPlayer();
  if (name === "ghost") return new GhostPlayer(engine);
  if (name === "greedy" || name === "tuned") return new RulePlayer(engine, name);
  if ((name === "net" || name === "net:draw") && network) return new NetworkPlayer(name, network);
  const { searches, policies, numbers } = engine.facts;
  const budget = Number(amount ?? searches[kind]);
  const isWhole = Number.isInteger(budget) && budget > 0;
  if (kind in searches && isWhole && budget <= numbers.MOST_AMOUNT && policy in policies) {
    return new PlayoutSearch(engine, name, kind, budget, policies[policy]);
  }
  if (kind === "puct" && isWhole && budget <= numbers.MOST_EVALUATED && network) {
    return new EvaluatedSearch(engine, budget, network.evaluator(), name);
  }
  throw new Error(`there is no player ${name}${network ? "" : " without a network"}`);
}

/** Plays any legal action, each equally likely. */
class RandomPlayer {
  name = "random";

  /** @param {Game} game */
  choose(game) {
    return game.draw();
  }
}

/** Plays by a rule of thumb. */
class RulePlayer {
  #engine;

  /** @param {Engine} engine @param {string} name */
  constructor(engine, name) {
    this.#engine = engine;
    this.name = name;
  }

  /** @param {Game} game */
  choose(game) {
    game.layBits();
    const { observations, masks, bits, actions } = game.look();
    this.#engine.call(`${this.name}_rows`, observations, masks, bits, actions);
    return Number(actions.view[0]);
  }
}

/** Plays by the Ghost's rule. It plans a turn at its first decision and remembers the plan. */
class GhostPlayer {
  name = "ghost";
  #engine;
  #plans;
  /** @type {WeakMap<Game, Map<number, Float32Array>>} */
  #remembered = new WeakMap();

  /** @param {Engine} engine */
  constructor(engine) {
    this.#engine = engine;
    this.#plans = engine.blocks("ghost_rows", { plans: 1 }).plans;
  }

  /** @param {Game} game */
  choose(game) {
    const seats = this.#remembered.get(game) ?? new Map();
    this.#remembered.set(game, seats);
    this.#plans.view.fill(0);
    this.#plans.view.set(seats.get(game.mover) ?? []);
    game.layBits();
    const { observations, masks, bits, actions } = game.look();
    this.#engine.call("ghost_rows", observations, masks, bits, this.#plans, actions);
    seats.set(game.mover, this.#plans.view.slice());
    return Number(actions.view[0]);
  }
}

/** Plays the likeliest action of a network, or draws by its probabilities. */
class NetworkPlayer {
  #network;

  /** @param {string} name @param {Network} network */
  constructor(name, network) {
    this.name = name;
    this.#network = network;
  }

  /** @param {Game} game */
  choose(game) {
    const observation = game.observation();
    const probabilities = this.#network.probabilities(observation, game.mask());
    if (this.name === "net") return probabilities.indexOf(Math.max(...probabilities));
    return drawn(probabilities, game.bits());
  }
}

/** @param {Float32Array} probabilities @param {bigint} bits */
function drawn(probabilities, bits) {
  let sum = 0;
  const limits = Array.from(probabilities, (probability) => (sum += probability));
  const mark = Number(bits >> 11n) * 2 ** -53 * sum;
  return limits.findIndex((limit) => limit > mark);
}

// -- searches ----------------------------------------------------------------------------------------------------------
// What the seat to move cannot know is re-dealt for each game that they play, so its true value makes no difference.

/** Return memory for a search with one tree. @param {Engine} engine @param {number} nodes */
function workspaceOf(engine, nodes) {
  const { TABLE_ROWS, ACTIONS } = engine.numbers;
  const rows = { trees: 1, nodes, table: TABLE_ROWS, observations: 1, masks: 1, spare: ACTIONS, payoffs: 1 };
  return engine.blocks("think_rows", rows);
}

/** Plays what does best in games played to their end: flat, or in a tree. */
class PlayoutSearch {
  #engine;
  #workspace;
  #way;
  #budget;
  #policy;

  /**
   * @param {Engine} engine
   * @param {string} name
   * @param {string} kind  "search" or "ismcts"
   * @param {number} budget
   * @param {number} policy  who plays these games
   */
  constructor(engine, name, kind, budget, policy) {
    const { FLAT_NODES, MOST_NODES, HALVING, GROWING } = engine.numbers;
    const isFlat = kind === "search";
    this.#engine = engine;
    this.name = name;
    this.#way = isFlat ? HALVING : GROWING;
    this.#budget = budget;
    this.#policy = policy;
    this.#workspace = workspaceOf(engine, isFlat ? FLAT_NODES : Math.min(1 + budget, MOST_NODES));
  }

  /** @param {Game} game */
  choose(game) {
    const { states, bits, actions } = game.layBits();
    const work = Object.values(this.#workspace);
    this.#engine.call("think_rows", states, bits, ...work, this.#way, this.#policy, this.#budget, true, actions);
    return Number(actions.view[0]);
  }
}

/** Plays the most visited action of a tree whose leaves an evaluator judges (PUCT). */
export class EvaluatedSearch {
  #engine;
  #workspace;
  #answers;
  #simulations;
  #evaluate;

  /**
   * @param {Engine} engine
   * @param {number} simulations  for each decision
   * @param {Evaluate} evaluate
   * @param {string} [name]
   */
  constructor(engine, simulations, evaluate, name = "puct") {
    const { ACTIONS, NODES_A_LEAF } = engine.numbers;
    this.#engine = engine;
    this.name = name;
    this.#simulations = simulations;
    this.#evaluate = evaluate;
    this.#workspace = workspaceOf(engine, 1 + ACTIONS + NODES_A_LEAF * simulations);
    this.#answers = {
      ...engine.blocks("back_up_rows", { rows: 1, priors: 1, values: 1 }),
      ...engine.blocks("count_visits", { visits: 1 }),
    };
  }

  /** @param {Game} game */
  choose(game) {
    return this.search(game).action;
  }

  /** Return the action that was visited most, and how often each one was. @param {Game} game */
  search(game) {
    const { DESCENT } = this.#engine.numbers;
    const { states, bits, actions } = game.layBits();
    const { trees, nodes } = this.#workspace;
    const work = Object.values(this.#workspace);
    for (let simulation = 0; simulation < this.#simulations; simulation++) {
      this.#engine.call("think_rows", states, bits, ...work, DESCENT, 0, 1, simulation === 0, actions);
      this.#backUp();
    }
    const { visits } = this.#answers;
    visits.view.fill(0n);
    this.#engine.call("best_rows", trees, nodes, actions);
    this.#engine.call("count_visits", trees, nodes, visits);
    return { action: Number(actions.view[0]), visits: Array.from(visits.view, Number) };
  }

  /** Evaluate the leaf unless it is the end of a game, and back the values up. */
  #backUp() {
    const { trees, nodes, observations, masks, payoffs } = this.#workspace;
    const { rows, priors, values } = this.#answers;
    const { NOTHING } = this.#engine.numbers;
    const { fields } = this.#engine.facts.records.TREE;
    const count = readField(trees.view, fields.waits) === NOTHING ? 0 : 1;
    if (count) {
      const mover = readField(trees.view, fields.mover);
      const judged = this.#evaluate(observations.view, masks.view, () => this.#earned(mover));
      rows.view[0] = 0n;
      priors.view.set(judged.priors);
      values.view[0] = judged.value;
    }
    const some = [rows, priors, values].map((block) => block.first(count));
    this.#engine.call("back_up_rows", trees, nodes, masks, payoffs, ...some);
  }

  /** Return the coins that a seat has for certain at the leaf. @param {number} seat */
  #earned(seat) {
    return this.#engine.call("earned_row", this.#workspace.table, this.#engine.numbers.PLAYED, seat);
  }
}
