/**
 * The table as one viewer knows it, from an observation alone. Everything drawn or written comes from here, so nothing
 * that is hidden from the viewer can reach the document. Seats are numbered as in the game.
 *
 * @typedef {import("./engine.js").Facts} Facts
 * @typedef {import("./engine.js").Game} Game
 * @typedef {number | "table" | "open"} Viewer  a seat; what all can see; or all that there is
 * @typedef {{kind: number, value: number, isPublic: boolean, seenBy: number[]}} Card  its value is 0 if not known
 * @typedef {{seat: number, count: number, effort: number}} Dice
 * @typedef {{card: Card | null, dice: Dice | null, holder: number | null, isClosed: boolean}} Slot
 * A card can have a holder without dice, once they have come back.
 *
 * @typedef {object} Seat
 * @property {number} seat
 * @property {number} owner  whose color and shape it has
 * @property {number} ready
 * @property {number} exhausted
 * @property {Card[][]} collection  by type
 * @property {number[]} flipped  how many of each type
 * @property {number} bonus  coins for Idols
 *
 * @typedef {object} Scene
 * @property {number} players
 * @property {string} sides
 * @property {number} round
 * @property {number} rounds
 * @property {string} phase  "before", "claim", "after", "collect", "answer", or "" where no seat is asked
 * @property {number | null} mover
 * @property {number} leader
 * @property {number} lightsOut  the seat with that card
 * @property {boolean} isLightsOut  whether this is that turn
 * @property {number | null} taker
 * @property {number | null} taking
 * @property {{action: string, first: number} | null} payment
 * @property {number[]} deck  cards left, by type
 * @property {number | null} top
 * @property {number[]} unseen
 * @property {Slot[]} slots
 * @property {Seat[]} seats  the viewer's first, then clockwise
 */

// As in the rules; tests/web/test_tables.py compares them.
export const PHASES = ["before", "claim", "after", "collect", "answer"];
export const PAID = ["take", "peek", "revive", "reroll"];
export const ROUNDS = [0, 8, 8, 9, 8];
export const SLOTS = [0, 3, 3, 4, 6];
export const VALUES = 4;
export const GHOST = 4;

/**
 * Return what a viewer may know of a game.
 * @param {Facts} facts
 * @param {Game} game
 * @param {Viewer} viewer
 */
export function observationOf(facts, game, viewer) {
  if (typeof viewer === "number") return game.observation(viewer);
  const copy = game.copy();
  const seen = game.get("down_seen");
  copy.set(
    "down_seen",
    seen.map(() => (viewer === "open" ? 15 : 0)),
  );
  if (viewer === "table") {
    copy.set("chosen", facts.numbers.NONE);
    copy.set("first_flip", facts.numbers.NONE);
  }
  return copy.observation(0);
}

/**
 * Return who has seen which face-down card, which is public: of each slot, and of each card drawn.
 * @param {Game} game
 */
export function watchersOf(game) {
  const seen = game.get("down_seen");
  const seats = (/** @type {number} */ bits) => [0, 1, 2, 3].filter((seat) => (bits >> seat) & 1);
  return {
    slots: game.get("down").map((/** @type {number} */ down) => (down < 0 ? [] : seats(seen[down]))),
    hidden: seen.map(seats),
  };
}

/** The parts of an observation by their names. */
class Parts {
  #layout;
  #numbers;

  /** @param {Facts} facts @param {Int8Array} observation */
  constructor(facts, observation) {
    this.#layout = facts.layout;
    this.#numbers = Array.from(observation);
  }

  /** @param {string} name */
  list(name) {
    const { start, shape } = /** @type {any} */ (this.#layout.find((part) => part.name === name));
    return this.#numbers.slice(
      start,
      start + shape.reduce((/** @type {number} */ size, /** @type {number} */ axis) => size * axis, 1),
    );
  }

  /** @param {string} name */
  number(name) {
    return this.list(name)[0];
  }

  /** Return the place of the bit that is set. @param {string} name */
  only(name) {
    const place = this.list(name).indexOf(1);
    return place < 0 ? null : place;
  }

  /** @param {string} name @param {number} width */
  rows(name, width) {
    const list = this.list(name);
    return Array.from({ length: list.length / width }, (_, row) => list.slice(row * width, (row + 1) * width));
  }
}

/**
 * Return the scene that an observation describes.
 * @param {Facts} facts
 * @param {Int8Array} observation
 * @param {Viewer} viewer
 * @param {{slots: number[][], hidden: number[][]} | null} [watchers]  for viewers that are no seat
 * @returns {Scene}
 */
export function sceneOf(facts, observation, viewer, watchers = null) {
  const parts = new Parts(facts, observation);
  const players = Number(parts.only("players")) + 1;
  const first = typeof viewer === "number" ? viewer : 0;
  const count = Math.max(players, 2);
  const seatAt = (/** @type {number | null} */ place) => (place === null ? null : (first + place) % count);
  const leader = Number(seatAt(parts.only("leader")));
  const phase = parts.only("phase");
  const taker = seatAt(parts.only("taker"));
  return {
    players,
    sides: parts
      .list("sides")
      .map((side) => "AB"[side])
      .join(""),
    round: ROUNDS[players] - parts.number("rounds_left"),
    rounds: ROUNDS[players],
    phase: phase === null ? "" : PHASES[phase],
    mover: seatAt(parts.only("mover")),
    leader,
    lightsOut: count === 2 ? leader : (leader + count - 1) % count,
    isLightsOut: parts.number("lights_out") === 1,
    taker,
    taking: taker === null ? null : parts.only("taking"),
    payment: paymentOf(parts),
    deck: parts.list("deck_types"),
    top: parts.only("deck_top"),
    unseen: parts.list("unseen"),
    slots: slotsOf(parts, SLOTS[players], seatAt, watchers),
    seats: Array.from({ length: count }, (_, place) => seatOf(parts, place, seatAt, watchers, players)),
  };
}

/** @param {Parts} parts */
function paymentOf(parts) {
  const place = parts.only("paying");
  if (place === null) return null;
  const behind = { take: ` ${parts.only("taking")}`, reroll: ` ${parts.number("paying_effort")}` };
  return {
    action: PAID[place] + (behind[/** @type {"take"} */ (PAID[place])] ?? ""),
    first: parts.number("first_flip"),
  };
}

/**
 * @param {Parts} parts
 * @param {number} count
 * @param {(place: number | null) => number | null} seatAt
 * @param {{slots: number[][]} | null} watchers
 */
function slotsOf(parts, count, seatAt, watchers) {
  const [kinds, seen, holders] = [
    parts.rows("slot_type", 6),
    parts.rows("slot_seen_by", 3),
    parts.rows("slot_holder", 4),
  ];
  const [values, downs, dice] = [parts.list("slot_value"), parts.list("slot_face_down"), parts.list("slot_dice")];
  const [efforts, passed] = [parts.list("slot_effort"), parts.number("slots_passed")];
  return Array.from({ length: count }, (_, slot) => {
    const kind = kinds[slot].indexOf(1);
    const seenBy = watchers?.slots[slot] ?? seatsOf(seen[slot], seatAt);
    return {
      card: kind < 0 ? null : { kind, value: values[slot], isPublic: !downs[slot], seenBy },
      dice: dice[slot]
        ? { seat: Number(seatAt(holders[slot].indexOf(1))), count: dice[slot], effort: efforts[slot] }
        : null,
      holder: null,
      isClosed: slot < passed,
    };
  });
}

/** @param {number[]} bits  for the seats after the viewer @param {(place: number) => number | null} seatAt */
function seatsOf(bits, seatAt) {
  return bits.flatMap((bit, place) => (bit ? [Number(seatAt(place + 1))] : []));
}

/**
 * @param {Parts} parts
 * @param {number} place
 * @param {(place: number | null) => number | null} seatAt
 * @param {{hidden: number[][]} | null} watchers
 * @param {number} players
 * @returns {Seat}
 */
function seatOf(parts, place, seatAt, watchers, players) {
  const seat = Number(seatAt(place));
  const collection = collectionOf(parts, place, seat, seatAt, watchers);
  const unflipped = parts.rows("unflipped", 6)[place];
  return {
    seat,
    owner: players === 1 && seat === 1 ? GHOST : seat,
    ready: parts.list("ready")[place],
    exhausted: parts.list("exhausted")[place],
    collection,
    flipped: collection.map((cards, kind) => cards.length - unflipped[kind]),
    bonus: parts.list("idol_bonus")[place],
  };
}

/**
 * Return the cards of a seat by type: those that all know by value, then the hidden ones in the order drawn.
 * @param {Parts} parts
 * @param {number} place
 * @param {number} seat
 * @param {(place: number | null) => number | null} seatAt
 * @param {{hidden: number[][]} | null} watchers
 */
function collectionOf(parts, place, seat, seatAt, watchers) {
  const known = parts.rows("cards", 24)[place];
  const [kinds, values, seen] = [
    parts.list("hidden_type"),
    parts.list("hidden_value"),
    parts.rows("hidden_seen_by", 3),
  ];
  /** @type {Card[][]} */
  const hidden = [[], [], [], [], [], []];
  parts.rows("hidden_owner", 4).forEach((owners, down) => {
    if (!owners[place]) return;
    const [kind, value] = [kinds[down] - 1, values[down]];
    const seenBy = (watchers?.hidden[down] ?? seatsOf(seen[down], seatAt)).filter((each) => each !== seat);
    hidden[kind].push({ kind, value, isPublic: false, seenBy });
    if (value) known[kind * VALUES + value - 1] -= 1;
  });
  return hidden.map((cards, kind) => [...publicCards(known, kind), ...cards]);
}

/** @param {number[]} counts @param {number} kind @returns {Card[]} */
function publicCards(counts, kind) {
  return [1, 2, 3, 4].flatMap((value) =>
    Array.from({ length: counts[kind * VALUES + value - 1] }, () => ({ kind, value, isPublic: true, seenBy: [] })),
  );
}

/**
 * Write into a scene who holds which card, which is public; -1 for none.
 * @param {Scene} scene
 * @param {number[]} holders
 */
export function held(scene, holders) {
  scene.slots.forEach((slot, number) => {
    slot.holder = slot.card && holders[number] >= 0 ? holders[number] : null;
  });
  return scene;
}

/**
 * Put dice on a slot of a scene, as a Claim does; those that lay there go back.
 * @param {Scene} scene
 * @param {Dice & {slot: number}} dice
 */
export function placed(scene, { slot, seat, count, effort }) {
  const old = scene.slots[slot].dice;
  const ownerOf = (/** @type {number} */ number) =>
    /** @type {Seat} */ (scene.seats.find((each) => each.seat === number));
  if (old) ownerOf(old.seat).ready += old.count;
  ownerOf(seat).ready -= count;
  scene.slots[slot].holder = seat;
  scene.slots[slot].dice = { seat, count, effort };
  return scene;
}
