/**
 * The texts of the page about a game. They are made from scenes, so they say only what the viewer knows.
 *
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").Card} Card
 * @typedef {import("./scene.js").Slot} Slot
 */

// As in the rules; tests/web/test_tables.py compares them.
export const KINDS = ["Idol", "Jewelry", "Manuscript", "Pottery", "Remains", "Tapestry"];
export const TITLES = [
  [50, "The Magnificent"],
  [40, "The Affluent"],
  [30, "The Petty"],
  [0, "The Fool"],
];

export const LETTERS = ["A", "B", "C", "D"];

/** Return a number of things. @param {number} count @param {string} thing @param {string} [things] */
export function many(count, thing, things = `${thing}s`) {
  return `${count} ${count === 1 ? thing : things}`;
}

/** Return a list in words. @param {string[]} items */
export function listed(items) {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** The names of the seats. */
export class Names {
  #names;
  #you;
  #labels;

  /**
   * @param {string[]} names  by seat
   * @param {number | null} [you]  the seat that is spoken to
   * @param {string[]} [labels]  one letter for each
   */
  constructor(names, you = null, labels = LETTERS) {
    this.#names = names;
    this.#you = you;
    this.#labels = labels;
  }

  /** Return the letter of a seat. @param {number} seat */
  label(seat) {
    return this.#labels[seat];
  }

  /** Return the name of a seat. @param {number} seat */
  of(seat) {
    return seat === this.#you ? "you" : this.#names[seat];
  }

  /** Return the name of a seat where a heading has it. @param {number} seat */
  plain(seat) {
    return this.#names[seat].replace(/^the /, "The ");
  }

  /**
   * Return a seat and what it does.
   * @param {number} seat
   * @param {string} verb  with its s
   * @param {string} [own]  without
   */
  does(seat, verb, own = verb.replace(/s$/, "")) {
    return seat === this.#you ? `You ${own}` : `${this.#names[seat]} ${verb}`;
  }

  /** Return whose something is. @param {number} seat */
  whose(seat) {
    return seat === this.#you ? "your" : `${this.#names[seat]}’s`;
  }

  /** @param {number} seat */
  isYou(seat) {
    return seat === this.#you;
  }
}

/** Return a card in words. @param {Card} card */
export function cardWords(card) {
  const kind = KINDS[card.kind];
  if (!card.value) return `face-down ${kind}`;
  return card.isPublic ? `${kind} ${card.value}` : `face-down ${kind} ${card.value}`;
}

/** Return a slot in words, as a listener needs it. @param {Scene} scene @param {number} slot @param {Names} names */
export function slotWords(scene, slot, names) {
  const { card, dice, isClosed } = scene.slots[slot];
  if (!card) return `Place ${slot + 1}: empty`;
  const seen = card.seenBy.length ? `, seen by ${listed(card.seenBy.map((seat) => names.of(seat)))}` : "";
  const value = card.value ? "" : ", value unknown";
  const held = dice ? `${names.of(dice.seat)}: ${many(dice.count, "die", "dice")} of effort ${dice.effort}` : "no dice";
  return `Place ${slot + 1}: ${cardWords(card)}${value}${seen}; ${held}${isClosed ? "; passed in this turn" : ""}`;
}

/** Return who decides. @param {Scene} scene @param {Names} names */
export function heading(scene, names) {
  return scene.mover === null ? "" : names.does(scene.mover, "decides");
}

/** Return what is asked. @param {Scene} scene @param {Names} names */
export function question(scene, names) {
  if (scene.payment) {
    const first = scene.payment.first ? `, besides one of value ${scene.payment.first}` : "";
    return `Which card is flipped to pay for it${first}?`;
  }
  const isYou = scene.mover !== null && names.isYou(scene.mover);
  switch (scene.phase) {
    case "claim":
      if (!isYou) return scene.isLightsOut ? "Lights Out turn: one card at most" : "Claim turn";
      if (scene.slots.some(({ isClosed }) => isClosed)) return "Claim more cards, or end the claim.";
      return scene.isLightsOut
        ? "Lights Out: claim one card, or recover your dice."
        : "Claim cards with your dice, or recover.";
    case "before":
      return "Pottery: take a face-down card for two flipped Pottery?";
    case "after":
      return "Manuscript: look at the face-down cards?";
    case "collect":
      return "Idol: re-roll a failed die?";
    case "answer":
      return `${names.does(Number(scene.taker), "takes")} a face-down card. Look at it first with a Manuscript?`;
    default:
      return "";
  }
}

/** Return the title that a solo score earns. @param {number} coins */
export function titleOf(coins) {
  return String(TITLES.find(([least]) => coins >= Number(least))?.[1]);
}

/** Return how a game ended. @param {import("./story.js").Ending} ending @param {Names} names */
export function outcome({ scores, winners }, names) {
  if (scores.length === 1) return `${scores[0]} coins: ${titleOf(scores[0])}`;
  const who = listed(winners.map((seat) => names.of(seat)));
  const tied = scores.filter((score) => score === Math.max(...scores)).length > 1;
  const verb = winners.length > 1 ? "share the victory" : winners.length && names.isYou(winners[0]) ? "win" : "wins";
  const how = tied && winners.length === 1 ? " after a tie-break" : "";
  return `${who[0].toUpperCase()}${who.slice(1)} ${verb} with ${scores[winners[0]]} coins${how}.`;
}

// -- why not ----------------------------------------------------------------------------------------------------------

/**
 * Return why the seat that is asked cannot place dice on a slot.
 * @param {Scene} scene
 * @param {number} slot
 * @param {Names} names
 */
export function reasonAgainst(scene, slot, names) {
  const { card, dice } = scene.slots[slot];
  const own = scene.seats.find(({ seat }) => seat === scene.mover);
  if (scene.mover === null || !own) return "No decision is open right now.";
  if (!names.isYou(scene.mover)) return `It is ${names.whose(scene.mover)} decision now.`;
  if (scene.payment) return "First choose the card that pays for what you chose.";
  if (scene.phase !== "claim") return `Dice are placed in the Claim phase. Now: ${question(scene, names)}`;
  if (!card) return "There is no longer a card here.";
  if (dice && dice.seat === scene.mover) return "You hold this card already; you may not add dice or replace them.";
  if (scene.slots[slot].isClosed) return "In one turn cards are claimed from left to right, and you are past this one.";
  if (own.ready === 0) return "You have no ready die left. Recover to get the exhausted ones back.";
  if (dice && dice.count * dice.effort >= own.ready * 6) {
    const held = `${names.does(dice.seat, "holds")} it with ${dice.count * dice.effort}`;
    const ready = many(own.ready, "ready die", "ready dice");
    return `${held}; your ${ready} reach ${own.ready * 6} at most, and that is not more.`;
  }
  return "This card cannot be claimed now.";
}
