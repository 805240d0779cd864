/**
 * One game from its deal on, with every moment of it, so that it can be replayed, undone and recorded.
 *
 * @typedef {import("./engine.js").Engine} Engine
 * @typedef {import("./engine.js").Game} Game
 * @typedef {any[]} RecordEvent  as in crypt-record/1: its first item is "act", "roll", "reroll", "ghost" or "tiebreak"
 *
 * @typedef {object} Setup
 * @property {number} players
 * @property {string} table  sides of the Collectors
 * @property {number | "random"} leader
 * @property {string | null} seed  decimal digits; null if the game came without one
 * @property {string[] | null} [deck]  given, and so not shuffled from the seed
 *
 * @typedef {object} Frame  a moment of the game
 * @property {Uint8Array} state  the game
 * @property {RecordEvent | null} event  what led here
 * @property {"" | "rolling" | "placed"} look  "rolling": `event` has dice that are not settled yet; "placed": dice were
 *   placed that the state does not have yet, as the round ends with them
 */

export const FORMAT = "crypt-record/1";
export const DICE = 3; // as in the rules; tests/web/test_tables.py compares it

export class Session {
  /** @param {Engine} engine @param {Setup} setup */
  constructor(engine, setup) {
    this.engine = engine;
    this.setup = setup;
    const { players, table, leader, seed, deck } = setup;
    this.game = engine.game({
      players,
      table,
      leader,
      seed: BigInt(seed ?? 0),
      pauses: true,
      ...(deck ? { deck } : {}),
    });
    /** @type {Frame[]} */
    this.frames = [{ state: this.game.state.slice(), event: null, look: "" }];
    this.firstLeader = Number(this.game.get("leader"));
    this.sides = this.game
      .get("sides")
      .map((/** @type {number} */ side) => "AB"[side])
      .join("");
    this.#settle(() => undefined);
  }

  // -- playing -------------------------------------------------------------------------------------------------------

  /**
   * Play an action of the seat that is asked, and all dice that follow.
   * @param {number | string} action
   * @param {() => number[] | undefined} [dice]  results of the next roll; without them the game rolls
   */
  act(action, dice = () => undefined) {
    const { game, engine } = this;
    const number = engine.action(action);
    const before = { state: game.state.slice(), round: game.get("round_number") };
    /** @type {RecordEvent} */
    const event = ["act", game.mover, engine.facts.actions[number]];
    game.step(number);
    if (event[2].startsWith("place") && !this.#isClaiming(before.round)) {
      this.frames.push({ state: before.state, event, look: "placed" });
      if (!game.waitsForDice) this.#keep(null);
    } else {
      this.#keep(event);
    }
    this.#settle(dice);
  }

  /** @param {number} round  in which the action was done */
  #isClaiming(round) {
    const { CLAIM, AFTER_CLAIM, GHOST_ROLL } = this.engine.facts.phases;
    return this.game.get("round_number") === round && [CLAIM, AFTER_CLAIM, GHOST_ROLL].includes(this.game.phase);
  }

  /** @param {RecordEvent | null} event @param {"" | "rolling"} [look] */
  #keep(event, look = "") {
    this.frames.push({ state: this.game.state.slice(), event, look });
  }

  /** Roll until a seat is asked or the game is over. @param {() => number[] | undefined} dice */
  #settle(dice) {
    const { game } = this;
    while (game.waitsForDice) {
      const results = game.roll(dice());
      this.#keep(this.#rollEvent(results), "rolling");
      const ghost = this.#afterGhost();
      const round = game.get("round_number");
      game.step();
      const isNext = game.isOver || game.get("round_number") !== round;
      if (ghost && isNext) this.frames.push({ state: ghost, event: null, look: "" });
      if (!game.waitsForDice || isNext) this.#keep(null);
    }
  }

  /**
   * Return the game with the dice of the Ghost on their cards, if it is the Ghost that rolls. The engine continues
   * at once when they are placed, and the round may end with them: an additional card, which the Ghost cannot take and
   * whose dice must be rolled, makes a copy of the game stop before that. `walk.py` does the same.
   */
  #afterGhost() {
    const { GHOST_ROLL, COLLECT_ROLL } = this.engine.facts.phases;
    const { NONE, EFFORTS } = this.engine.numbers;
    if (this.game.phase !== GHOST_ROLL) return null;
    const copy = this.game.copy();
    const slot = copy.get("slots");
    const put = (/** @type {number} */ slots, /** @type {Object<string, number>} */ values) => {
      copy.set("slots", slots);
      for (const [field, value] of Object.entries(values)) {
        copy.set(field, [...copy.get(field).slice(0, slot), value]);
      }
    };
    put(slot + 1, { card: 0, down: NONE, holder: 0, dice: DICE, effort: EFFORTS });
    copy.step();
    put(slot, { card: NONE, down: NONE, holder: NONE, dice: 0, effort: 0 });
    return copy.phase === COLLECT_ROLL ? copy.state : null;
  }

  /**
   * Return the dice that a game waits for as they stand in a record.
   * @param {number[]} results
   * @returns {RecordEvent}
   */
  #rollEvent(results) {
    const { game } = this;
    const { GHOST_ROLL, COLLECT_ROLL, REROLL_ROLL } = this.engine.facts.phases;
    const turn = game.get("turn");
    if (game.phase === GHOST_ROLL) return ["ghost", results];
    if (game.phase === COLLECT_ROLL) return ["roll", game.get("holder")[turn], turn, game.get("effort")[turn], results];
    if (game.phase === REROLL_ROLL) {
      return ["reroll", (game.get("leader") + turn) % game.get("seats"), game.get("last_slot"), results[0]];
    }
    const [tied, ready] = [game.get("winners"), game.get("ready")];
    let start = 0;
    const seats = Array.from({ length: game.players }, (_, seat) => seat).filter((seat) => (tied >> seat) & 1);
    return ["tiebreak", seats.map((seat) => [seat, results.slice(start, (start += ready[seat]))])];
  }

  // -- looking back --------------------------------------------------------------------------------------------------

  /** Return the game as it was at a moment. @param {number} index @returns {Game} */
  gameAt(index) {
    return this.engine.gameFrom(this.frames[index].state);
  }

  /** Whether a seat is asked at a moment. @param {number} index */
  isAsked(index) {
    return this.frames[index].look === "" && this.gameAt(index).mover >= 0;
  }

  /** Whether at a moment a seat is asked which card it flips, which no other seat may know. @param {number} index */
  secretOf(index) {
    const game = this.gameAt(index);
    return game.mover >= 0 && game.get("chosen") >= 0 && this.frames[index].look === "" ? game.mover : null;
  }

  /** Go back to a moment at which a seat is asked, and forget what came then. @param {number} index */
  rewind(index) {
    this.frames.length = index + 1;
    this.game = this.gameAt(index);
  }

  /**
   * Return the last moment before the present one at which one of these seats was asked; -1 if none was.
   * @param {number[]} seats
   */
  lastAsked(seats) {
    for (let index = this.frames.length - 2; index >= 0; index--) {
      if (this.isAsked(index) && seats.includes(this.gameAt(index).mover)) return index;
    }
    return -1;
  }

  // -- records -------------------------------------------------------------------------------------------------------

  /** The events so far. */
  get events() {
    return /** @type {RecordEvent[]} */ (this.frames.flatMap(({ event }) => (event ? [event] : [])));
  }

  /** The cards in draw order. @returns {string[]} */
  get deck() {
    const cards = this.game.get("deck").slice(0, this.game.get("deck_size"));
    return cards.map((/** @type {number} */ card) => this.engine.facts.cards[card]);
  }

  /** Return the game as a line of a file of records. */
  record() {
    const { game, setup } = this;
    const record = {
      format: FORMAT,
      players: game.players,
      collectors: this.sides,
      leader: this.firstLeader,
      seed: null,
      deck: this.deck,
      events: this.events,
      scores: game.isOver ? game.scores : null,
      winners: game.isOver ? game.winners : null,
    };
    // A seed may exceed the exact range of JavaScript's numbers.
    return JSON.stringify(record).replace('"seed":null', `"seed":${setup.seed ?? null}`);
  }

  /**
   * Return the game of a record.
   * @param {Engine} engine
   * @param {string} line
   * @param {Setup | null} [setup]  how it was dealt, if it is to continue with the same chance
   */
  static ofRecord(engine, line, setup = null) {
    const record = parsed(line);
    const { players, collectors, leader, deck, events } = record;
    const seed = /"seed":\s*(\d+)/.exec(line)?.[1] ?? null;
    const session = new Session(engine, setup ?? { players, table: collectors, leader, seed, deck });
    if (session.deck.join() !== deck.join()) throw new Error("this record has another deck than its seed deals");
    session.#replay(events);
    const { isOver, scores, winners } = session.game;
    if (record.scores && !(isOver && `${record.scores}` === `${scores}` && `${record.winners}` === `${winners}`)) {
      throw new Error(
        `this record ends with ${record.scores} coins, but by the rules it is ${isOver ? scores : "not over"}`,
      );
    }
    return session;
  }

  /** @param {RecordEvent[]} events */
  #replay(events) {
    let next = 0;
    const dice = () => diceOf(events[next++]);
    while (next < events.length) {
      const [kind, seat, text] = events[next];
      const where = `event ${next} of this record`;
      if (kind !== "act" || seat !== this.game.mover) {
        throw new Error(`${where} is not possible: a decision of seat ${this.game.mover} is expected`);
      }
      next += 1;
      this.act(text, dice);
    }
  }
}

/** @param {string} line */
function parsed(line) {
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    throw new Error("this is not a record: it is not JSON");
  }
  const { format, deck, events } = record ?? {};
  if (format !== FORMAT || !Array.isArray(deck) || !Array.isArray(events)) {
    throw new Error(`this is not a record: it must be of the format ${FORMAT}, with a deck and events`);
  }
  return record;
}

/** Return the results that an event has. @param {RecordEvent | undefined} event @returns {number[]} */
function diceOf(event) {
  if (!event || event[0] === "act") throw new Error("this record lacks dice that the rules ask for");
  if (event[0] === "tiebreak") return event[1].flatMap((/** @type {any[]} */ [, results]) => results);
  return event[0] === "reroll" ? [event[3]] : event[event.length - 1];
}
