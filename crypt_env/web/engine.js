/**
 * The game of Crypt in JavaScript: the engine of crypt_env, compiled to WebAssembly from the same source.
 *
 *     const engine = await Engine.load(wasmBytes, facts);        // engine.wasm, and engine.json as an object
 *     const game = engine.game({ players: 2, table: "AABBAB", seed: 7 });
 *     const player = engine.player("search:100");
 *     while (!game.isOver) game.step(player.choose(game));
 *     game.scores;                                               // coins, by seat
 *
 * The same seeds and the same actions give the same games as in Python, bit for bit. An engine works on one thing at a
 * time and blocks until it is done: run long searches in a Worker, with an engine there.
 *
 * @typedef {import("./memory.js").RecordType} RecordType
 * @typedef {import("./memory.js").FieldValue} FieldValue
 * @typedef {import("./network.js").Network} Network
 *
 * @typedef {object} Facts  the content of engine.json
 * @property {Object<string, {name: string, type?: string, shape?: (number | null)[]}[]>} entries
 * @property {Object<string, RecordType>} records
 * @property {Object<string, number>} numbers
 * @property {Object<string, number>} phases
 * @property {{name: string, start: number, shape: number[], high: number, meaning: string}[]} layout
 * @property {string[]} actions
 * @property {string[]} cards
 * @property {string[]} kinds
 * @property {number[][]} decks
 * @property {string[]} sheet_lines
 * @property {string[]} rewards
 * @property {Object<string, number>} policies
 * @property {Object<string, number>} searches
 * @property {{key: string, format: string}} network
 *
 * @typedef {object} GameOptions
 * @property {number} [players]  1 (the Only Child against the Ghost) to 4
 * @property {string} [table]  sides of the Collectors: six letters such as "AABBAB", one for all, or "random"
 * @property {number | "random"} [leader]  seat of the first Leader; in a solo game always 0
 * @property {number | bigint} [seed]  decides all chance; drawn if not given, from all 64-bit numbers
 * @property {number} [index]  which game of a batch with this seed it is
 * @property {string} [reward]  what is paid at the end: "win", "margin" or "coins"
 * @property {boolean} [pauses]  whether the game stops wherever dice must be rolled
 * @property {string[]} [deck]  all cards in draw order, such as "T4"; shuffled from the seed if not given
 */

import { Block, Memory, readField, writeField } from "./memory.js";
import { makePlayer } from "./players.js";

/** The engine: deals games and names players. */
export class Engine {
  #exports;
  #actionOf;

  /**
   * @param {WebAssembly.Instance} instance
   * @param {Facts} facts
   */
  constructor(instance, facts) {
    const exports = /** @type {any} */ (instance.exports);
    this.#exports = exports;
    this.facts = facts;
    this.numbers = facts.numbers;
    this.memory = new Memory(exports.memory, exports.__heap_base.value, facts.records);
    /** The memory for one game and one decision. */
    this.desk = this.#newDesk();
    /** @type {Map<string, number>} */
    this.#actionOf = new Map(facts.actions.map((text, action) => [text, action]));
  }

  /**
   * Return an engine.
   * @param {BufferSource} bytes  of engine.wasm
   * @param {Facts} facts  the content of engine.json
   */
  static async load(bytes, facts) {
    const { instance } = await WebAssembly.instantiate(bytes);
    return new Engine(instance, facts);
  }

  /** Deal a game and play on to its first decision, or its first dice if it pauses. @param {GameOptions} [options] */
  game(options = {}) {
    return Game.deal(this, options);
  }

  /** Return the game in a record that `Game.state` or `Batch.states` had. @param {Uint8Array} state */
  gameFrom(state) {
    const { size } = this.facts.records.GAME;
    if (state.length !== size) throw new Error(`a game has ${size} bytes, not ${state.length}`);
    return new Game(this, Uint8Array.from(state));
  }

  /**
   * Return a player by its name, as in Python: "random", "greedy", "tuned", "ghost", "search:100", "ismcts:1000"; and
   * with a network "net", "net:draw" and "puct:100".
   * @param {string} name
   * @param {Network} [network]
   */
  player(name, network) {
    return makePlayer(this, name, network);
  }

  /** Return the number of an action, given so or as text. @param {number | string} action */
  action(action) {
    if (typeof action === "number" && Number.isInteger(action)) return action;
    const found = this.#actionOf.get(String(action).trim().toLowerCase().replace(/\s+/g, " "));
    if (found === undefined) throw new Error(`not an action: ${action}`);
    return found;
  }

  /**
   * Call an entry of the module.
   * @param {string} name
   * @param {...(Block | number | boolean)} values  its arguments, see `Facts.entries`
   * @returns {number}
   */
  call(name, ...values) {
    /** @type {number[]} */
    const given = [];
    for (const value of values) {
      if (value instanceof Block) given.push(value.address, value.rows);
      else given.push(Number(value));
    }
    const answer = this.#exports[name](...given);
    if (answer === this.numbers.FAILED) throw new Error(`${name} refused its arguments`);
    return answer;
  }

  /**
   * Return memory for arguments of an entry, by their names.
   * @param {string} entry
   * @param {Object<string, number>} rows  how long each of them is
   * @returns {Object<string, Block>}
   */
  blocks(entry, rows) {
    const described = this.facts.entries[entry].filter(({ name }) => name in rows);
    return Object.fromEntries(
      described.map(({ name, type, shape }) => {
        const inner = /** @type {number[]} */ (shape?.slice(1));
        return [name, this.memory.block(String(type), rows[name], inner)];
      }),
    );
  }

  #newDesk() {
    const arrays = { observations: 1, masks: 1, movers: 1, rewards: 1, dones: 1, actions: 1 };
    const step = this.blocks("step_rows", arrays);
    const view = this.blocks("view_rows", { states: 1, rows: 1, viewers: 1 });
    const { sheets } = this.blocks("sheet_rows", { sheets: 1 });
    const { bits } = this.blocks("decision_bits", { bits: 1 });
    const bytes = this.memory.bytes(view.states, this.facts.records.GAME.size);
    const nothing = step.observations.first(0);
    return /** @type {Object<string, Block>} */ ({ ...step, ...view, sheets, bits, bytes, nothing });
  }
}

/** One game. It can be copied, kept and dropped at any time. */
export class Game {
  #engine;

  /**
   * @param {Engine} engine
   * @param {Uint8Array} state  taken over, not copied
   */
  constructor(engine, state) {
    this.#engine = engine;
    /** The whole game as bytes: the record that `Batch.states` has in Python. */
    this.state = state;
    /** What the last step paid each seat. */
    this.rewards = new Float32Array(engine.numbers.MAX_PLAYERS);
  }

  /**
   * Deal a game.
   * @param {Engine} engine
   * @param {GameOptions} options
   */
  static deal(engine, options) {
    const { players = 2, leader = "random", reward = engine.facts.rewards[0], deck } = options;
    const { MAX_PLAYERS, MAX_DECK, NONE, STAYS } = engine.numbers;
    if (!Number.isInteger(players) || players < 1 || players > MAX_PLAYERS) {
      throw new Error(`players=${players} is not possible; allowed are 1 to ${MAX_PLAYERS}`);
    }
    if (leader !== "random" && !(Number.isInteger(leader) && leader >= 0 && leader < players)) {
      throw new Error(`leader=${leader} is not possible with ${players} players`);
    }
    if (!engine.facts.rewards.includes(reward)) throw new Error(`reward=${reward} is not possible`);
    const game = new Game(engine, new Uint8Array(engine.facts.records.GAME.size));
    game.set("players", players);
    game.set("table_rule", tableRule(engine, options.table ?? "random"));
    game.set("leader_rule", leader !== "random" ? leader : players === 1 ? 0 : NONE);
    game.set("reward_rule", engine.facts.rewards.indexOf(reward));
    game.set("seed", BigInt.asUintN(64, BigInt(options.seed ?? randomBits())));
    game.set("index", options.index ?? 0);
    game.set("restarts", STAYS);
    game.set("pauses", Number(options.pauses ?? false));
    game.set("phase", engine.facts.phases.NEW);
    game.set("mover", NONE);
    if (deck) {
      const cards = deckOf(engine, deck, players);
      game.set("deck", [...cards, ...new Array(MAX_DECK - cards.length).fill(NONE)]);
      game.set("deck_given", 1);
    }
    return game.step();
  }

  // -- the record ----------------------------------------------------------------------------------------------------

  /** Return a field of the record, see rules/state.py. @param {string} field @returns {any} */
  get(field) {
    return readField(this.state, this.#field(field));
  }

  /** Write a field of the record. @param {string} field @param {FieldValue} value */
  set(field, value) {
    writeField(this.state, this.#field(field), value);
  }

  /** @param {string} name */
  #field(name) {
    const field = this.#engine.facts.records.GAME.fields[name];
    if (!field) throw new Error(`a game has no field ${name}`);
    return field;
  }

  /** Number of players. @returns {number} */
  get players() {
    return this.get("players");
  }

  /** The seat that is asked; -1 if none is. @returns {number} */
  get mover() {
    return this.get("mover");
  }

  /** The phase, see `Facts.phases`. @returns {number} */
  get phase() {
    return this.get("phase");
  }

  /** Whether the game has ended. */
  get isOver() {
    return this.phase === this.#engine.facts.phases.OVER;
  }

  /** Whether dice must be rolled before the game can continue. */
  get waitsForDice() {
    const { GHOST_ROLL, OVER } = this.#engine.facts.phases;
    return this.phase >= GHOST_ROLL && this.phase < OVER;
  }

  /** The coins of all players; 0 before the end. @returns {number[]} */
  get scores() {
    return this.get("scores").slice(0, this.players);
  }

  /** The seats that have won; none before the end. */
  get winners() {
    if (!this.isOver) return [];
    const winners = this.get("winners");
    return Array.from({ length: this.players }, (_, seat) => seat).filter((seat) => (winners >> seat) & 1);
  }

  // -- playing -------------------------------------------------------------------------------------------------------

  /**
   * Play an action and all that follows from it. Where dice were rolled, settle them: then there is no action.
   * @param {number | string} [action]  its number or text, or `numbers.DRAW` for a legal one that the game draws
   */
  step(action) {
    const { DRAW, NONE } = this.#engine.numbers;
    this.#check(action);
    const chosen = action === undefined ? DRAW : this.#engine.action(action);
    const desk = this.#lay();
    const { bytes, nothing, movers, rewards, dones, actions } = desk;
    actions.view[0] = BigInt(chosen);
    rewards.view.fill(0);
    const arrays = [nothing, nothing, movers, rewards, dones, nothing];
    const refused = this.#engine.call("step_rows", bytes, 0, 1, ...arrays, actions);
    if (refused > NONE) {
      throw new Error(`${this.#textOf(chosen)} is not legal; legal are: ${this.legalTexts().join(", ")}`);
    }
    if (refused < NONE) throw new Error(`step_rows answered ${refused}`);
    this.#take(desk);
    this.rewards.set(rewards.view);
    return this;
  }

  /** Throw an error unless there is an action where a seat is asked, and none elsewhere. @param {unknown} action */
  #check(action) {
    if (this.isOver) throw new Error("the game is over");
    if (this.mover >= 0 && action === undefined) throw new Error(`seat ${this.mover} is asked for an action`);
    if (this.mover < 0 && action !== undefined) throw new Error("no seat is asked; dice must be rolled first");
  }

  /**
   * Roll the dice that a game waits for, from its own generator, or set given results; return the results. `step()`
   * then continues.
   * @param {number[]} [results]
   * @returns {number[]}
   */
  roll(results) {
    if (!this.waitsForDice) throw new Error("the game does not wait for dice");
    const desk = this.#lay();
    const count = this.#engine.call("roll_row", desk.states, 0);
    if (results === undefined) {
      this.#take(desk);
    } else {
      const { EFFORTS } = this.#engine.numbers;
      const fits = results.every((die) => Number.isInteger(die) && die >= 1 && die <= EFFORTS);
      if (results.length !== count || !fits) throw new Error(`${count} results from 1 to ${EFFORTS} are needed here`);
      this.set("rolled", results);
    }
    return this.get("rolled").slice(0, count);
  }

  /** Draw a legal action from the game's own generator. @returns {number} */
  draw() {
    const desk = this.#lay();
    const action = this.#engine.call("draw_row", desk.states, 0);
    this.#take(desk);
    return action;
  }

  // -- looking -------------------------------------------------------------------------------------------------------

  /** Return all that a seat may know, see `Facts.layout`; without a seat, the one that is asked. @param {number} [seat] */
  observation(seat) {
    return /** @type {Int8Array} */ (this.look(seat).observations.view.slice());
  }

  /** Return which actions are legal, 1 or 0 for each; all 0 for a seat that is not asked. @param {number} [seat] */
  mask(seat) {
    return /** @type {Uint8Array} */ (this.look(seat).masks.view.slice());
  }

  /** Return the legal actions. @returns {number[]} */
  legal() {
    if (this.mover < 0) return [];
    const { view } = this.look().masks;
    return [...view.keys()].filter((action) => view[action]);
  }

  /** Return the legal actions as texts. */
  legalTexts() {
    return this.legal().map((action) => this.#textOf(action));
  }

  /** Return the score sheets of all players as if the game ended now. @returns {Object<string, number>[]} */
  sheets() {
    const { states, sheets } = this.#lay();
    this.#engine.call("sheet_rows", states, 0, 1, sheets);
    const lines = this.#engine.facts.sheet_lines;
    return Array.from({ length: this.players }, (_, seat) =>
      Object.fromEntries(lines.map((line, place) => [line, sheets.view[seat * lines.length + place]])),
    );
  }

  /** Return 64 random bits for the next decision; they reveal nothing about the deck. @returns {bigint} */
  bits() {
    return this.layBits().bits.view[0];
  }

  // -- for players ---------------------------------------------------------------------------------------------------

  /** Put on the engine's desk what a seat may know and do; return the desk. @param {number} [seat] */
  look(seat = Math.max(0, this.mover)) {
    const desk = this.#lay();
    const { states, rows, viewers, observations, masks } = desk;
    rows.view[0] = 0n;
    viewers.view[0] = seat;
    this.#engine.call("view_rows", states, rows, viewers, observations, masks);
    return desk;
  }

  /** Put the game and the bits of its next decision on the engine's desk; return the desk. */
  layBits() {
    const desk = this.#lay();
    desk.rows.view[0] = 0n;
    this.#engine.call("decision_bits", desk.states, desk.rows, desk.bits);
    return desk;
  }

  // -- copies --------------------------------------------------------------------------------------------------------

  /** Return an independent game that continues identically, including dice. */
  copy() {
    const copy = new Game(this.#engine, this.state.slice());
    copy.rewards.set(this.rewards);
    return copy;
  }

  /**
   * Return a copy in which all that a seat cannot know is re-dealt, for searches, which must not see the future.
   * @param {number} seat
   * @param {bigint} [bits]  decide how it is dealt; drawn if not given
   */
  resample(seat, bits = randomBits()) {
    if (this.isOver) throw new Error("the game is over; there is nothing left to deal again");
    const desk = this.#lay();
    desk.viewers.view[0] = seat;
    desk.bits.view[0] = bits;
    this.#engine.call("resample_rows", desk.states, 0, 1, desk.viewers, desk.bits);
    return new Game(this.#engine, desk.bytes.view.slice());
  }

  #lay() {
    const { desk } = this.#engine;
    desk.bytes.view.set(this.state);
    return desk;
  }

  /** @param {Object<string, Block>} desk */
  #take(desk) {
    this.state.set(desk.bytes.view);
  }

  /** @param {number} action */
  #textOf(action) {
    return this.#engine.facts.actions[action] ?? `action ${action}`;
  }
}

// -- options ----------------------------------------------------------------------------------------------------------

/** @param {Engine} engine @param {string} table */
function tableRule(engine, table) {
  if (table === "random") return engine.numbers.NONE;
  const { length } = engine.facts.kinds;
  const sides = /^[AB]$/i.test(table) ? table.repeat(length) : table;
  if (!/^[AB]+$/i.test(sides) || sides.length !== length) {
    throw new Error(`table=${table} is not possible; allowed are ${length} letters A or B, one for all, or "random"`);
  }
  return [...sides.toUpperCase()].reduce((rule, side, kind) => rule | ("AB".indexOf(side) << kind), 0);
}

/** @param {Engine} engine @param {string[]} deck @param {number} players */
function deckOf(engine, deck, players) {
  const cards = deck.map((text) => engine.facts.cards.indexOf(text));
  const wanted = engine.facts.decks[players - 1];
  if ([...cards].sort((a, b) => a - b).join() !== wanted.join()) {
    throw new Error(`the deck does not hold the cards for ${players} players`);
  }
  return cards;
}

function randomBits() {
  return crypto.getRandomValues(new BigUint64Array(1))[0];
}
