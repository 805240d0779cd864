/**
 * The choices of the seat that is asked: buttons for actions, and for dice on a card their number and effort.
 *
 * @typedef {import("./story.js").Moment} Moment
 * @typedef {import("./words.js").Names} Names
 * @typedef {import("./engine.js").Facts} Facts
 */

import { die } from "./artwork.js";
import { button, el, say } from "./dom.js";
import { KINDS, cardWords, many, reasonAgainst } from "./words.js";

export const EFFORTS = [1, 2, 3, 4, 5, 6]; // as in the rules; tests/web/test_tables.py compares them
const KEYS = /** @type {Object<string, string>} */ ({ done: "D", recover: "R", peek: "P", revive: "V", take: "T" });

export class Choices {
  #facts;
  #play;
  #changed;
  /** @type {Moment | null} */
  #moment = null;
  /** @type {Names | null} */
  #names = null;
  /** The slot that dice are put on. @type {number | null} */
  slot = null;
  #count = 1;
  #effort = 1;
  #reason = "";

  /**
   * @param {Facts} facts
   * @param {(action: number) => void} play
   * @param {() => void} changed  asks for a new drawing
   */
  constructor(facts, play, changed) {
    this.#facts = facts;
    this.#play = play;
    this.#changed = changed;
    this.element = el("section", { class: "choices", "aria-label": "Your choices" });
  }

  /** Offer what is legal at a moment, or nothing. @param {Moment | null} moment @param {Names} names */
  offer(moment, names) {
    if (moment?.frame !== this.#moment?.frame) {
      this.slot = null;
      this.#reason = "";
    }
    this.#moment = moment;
    this.#names = names;
    this.#draw();
  }

  /** The slots on which dice may be placed. */
  get open() {
    return new Set(this.#placements().map(({ slot }) => slot));
  }

  /** The actions that are offered, by their texts. @returns {Map<string, number>} */
  #texts() {
    return new Map((this.#moment?.legal ?? []).map((action) => [this.#facts.actions[action], action]));
  }

  #placements() {
    return [...this.#texts().keys()]
      .filter((text) => text.startsWith("place"))
      .map((text) => {
        const [slot, count, effort] = /** @type {RegExpMatchArray} */ (text.match(/\d+/g)).map(Number);
        return { slot, count, effort };
      });
  }

  /** @param {number} slot @param {number} count @param {number} effort */
  #isLegal(slot, count, effort) {
    return this.#texts().has(`place ${slot} ${count}x${effort}`);
  }

  // -- pressing ------------------------------------------------------------------------------------------------------

  /** Choose a card to place dice on, or tell why not. @param {number} slot */
  press(slot) {
    if (!this.#moment || !this.#names) return;
    const take = this.#texts().get(`take ${slot}`);
    if (take !== undefined) return this.#do(take);
    if (this.open.has(slot)) {
      const isNew = this.slot !== slot;
      this.slot = isNew ? slot : null;
      this.#reason = "";
      if (isNew) this.#begin(slot);
    } else {
      this.slot = null;
      this.#reason = reasonAgainst(this.#moment.scene, slot, this.#names);
      say(this.#reason);
    }
    this.#changed();
    /** @type {HTMLElement | null} */ (this.element.querySelector(".confirm"))?.focus({ preventScroll: true });
  }

  /** Explain something below the question. @param {string} reason */
  explain(reason) {
    this.#reason = reason;
    say(reason);
    this.#draw();
  }

  /** Begin with the least effort that is enough. @param {number} slot */
  #begin(slot) {
    const all = this.#placements().filter((each) => each.slot === slot);
    const [least] = all.sort((a, b) => a.effort - b.effort || a.count - b.count);
    this.#count = least.count;
    this.#effort = least.effort;
  }

  /** @param {number} action */
  #do(action) {
    this.slot = null;
    this.#reason = "";
    this.#play(action);
  }

  #place() {
    const action = this.#texts().get(`place ${this.slot} ${this.#count}x${this.#effort}`);
    if (action !== undefined) this.#do(action);
  }

  /**
   * Change the number of dice, and the effort if it is then too low.
   * @param {number} count
   * @param {string} [focus]  what has the focus afterwards
   */
  #setCount(count, focus = ".count .on") {
    const slot = Number(this.slot);
    const effort = this.#isLegal(slot, count, this.#effort)
      ? this.#effort
      : EFFORTS.find((each) => this.#isLegal(slot, count, each));
    if (effort === undefined) return;
    this.#count = count;
    this.#effort = effort;
    this.#draw(focus);
  }

  /** @param {number} effort @param {string} [focus] */
  #setEffort(effort, focus = ".effort .on") {
    if (!this.#isLegal(Number(this.slot), this.#count, effort)) return;
    this.#effort = effort;
    this.#draw(focus);
  }

  /** Answer a key; return whether it meant something here. @param {string} key */
  key(key) {
    if (!this.#moment) return false;
    if (this.slot !== null) return this.#keyWhilePlacing(key);
    const meant = (/** @type {string} */ text) =>
      text === `flip ${key}` || KEYS[text.split(" ")[0]] === key.toUpperCase();
    const found = [...this.#texts()].find(([text]) => meant(text));
    const place = Number(key) - 1;
    if (found) this.#do(found[1]);
    else if (place >= 0 && place < this.#moment.scene.slots.length) this.press(place);
    else return false;
    return true;
  }

  /** @param {string} key */
  #keyWhilePlacing(key) {
    /** @type {Object<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.#setCount(this.#count - 1, ".confirm"),
      ArrowRight: () => this.#setCount(this.#count + 1, ".confirm"),
      ArrowUp: () => this.#setEffort(this.#effort + 1, ".confirm"),
      ArrowDown: () => this.#setEffort(this.#effort - 1, ".confirm"),
      Enter: () => this.#place(),
      Escape: () => this.press(Number(this.slot)),
    };
    if (/^[1-6]$/.test(key)) this.#setEffort(Number(key), ".confirm");
    else if (keys[key]) keys[key]();
    else return false;
    return true;
  }

  // -- drawing -------------------------------------------------------------------------------------------------------

  /** @param {string} [focus]  what has the focus afterwards */
  #draw(focus) {
    const { element } = this;
    element.hidden = !this.#moment;
    if (!this.#moment) return element.replaceChildren();
    const content = this.slot === null ? this.#actions() : this.#picker(this.slot);
    element.replaceChildren(
      ...content,
      ...(this.#reason ? [el("p", { class: "reason", role: "status" }, this.#reason)] : []),
    );
    if (focus) /** @type {HTMLElement | null} */ (element.querySelector(focus))?.focus();
    return undefined;
  }

  #actions() {
    const buttons = [...this.#texts()]
      .filter(([text]) => !text.startsWith("place"))
      .map(([text, action]) => {
        const { label, about } = this.#explained(text);
        const key = KEYS[text.split(" ")[0]];
        return el(
          "button",
          { type: "button", class: "action", "data-action": text, onclick: () => this.#do(action) },
          el("b", {}, label, key ? el("kbd", {}, key) : null),
          el("small", {}, about),
        );
      });
    const hint = this.open.size ? el("p", { class: "advice" }, "Choose a glowing card to put dice on it.") : null;
    return [...(hint ? [hint] : []), el("div", { class: "actions" }, buttons)];
  }

  /** @param {string} text */
  #explained(text) {
    const { scene } = /** @type {Moment} */ (this.#moment);
    const own = scene.seats.find(({ seat }) => seat === scene.mover);
    const tired = own?.exhausted ?? 0;
    const [word, number] = text.split(" ");
    const card = word === "take" ? scene.slots[Number(number)].card : null;
    switch (word) {
      case "recover":
        return tired
          ? { label: `Recover ${many(tired, "die", "dice")}`, about: "instead of claiming" }
          : { label: "Pass", about: "claim nothing in this turn" };
      case "done":
        return scene.phase === "claim"
          ? { label: "Done", about: "end your claim" }
          : { label: "No, thanks", about: "decline" };
      case "peek":
        return { label: "Look", about: "flip a Manuscript and see all face-down cards" };
      case "revive":
        return { label: "Revive", about: "flip two Remains and get a die back" };
      case "take":
        return { label: `Take the ${card ? cardWords(card) : "card"}`, about: "flip two Pottery for it" };
      case "reroll":
        return {
          label: `Re-roll a die of effort ${number}`,
          about: `flip an Idol; ${Math.round(((7 - Number(number)) / 6) * 100)}% to save the die`,
        };
      default:
        return { label: `Flip the ${this.#payingKind()} ${number}`, about: "it still counts at the end" };
    }
  }

  #payingKind() {
    const kinds = /** @type {Object<string, number>} */ ({ reroll: 0, peek: 2, take: 3, revive: 4 });
    return KINDS[kinds[this.#moment?.scene.payment?.action.split(" ")[0] ?? "peek"]];
  }

  /** @param {number} slot */
  #picker(slot) {
    const { scene } = /** @type {Moment} */ (this.#moment);
    const { card, dice } = scene.slots[slot];
    const owner = Number(scene.mover);
    const ready = scene.seats.find(({ seat }) => seat === owner)?.ready ?? 0;
    const counts = Array.from({ length: ready }, (_, number) => number + 1);
    const canHold = (/** @type {number} */ count) => EFFORTS.some((effort) => this.#isLegal(slot, count, effort));
    const total = this.#count * this.#effort;
    return [
      el(
        "h3",
        {},
        `Dice on ${card ? cardWords(card) : "this card"}`,
        dice ? el("small", {}, ` – more than ${dice.count * dice.effort} needed`) : null,
      ),
      el(
        "div",
        { class: "pick count", role: "group", "aria-label": "Number of dice" },
        counts.map((count) =>
          button(
            Array.from({ length: count }, () => die(owner, 0)),
            () => this.#setCount(count),
            {
              ...pressed(count === this.#count),
              disabled: !canHold(count),
              "aria-label": many(count, "die", "dice"),
              "data-count": count,
            },
          ),
        ),
      ),
      el(
        "div",
        { class: "pick effort", role: "group", "aria-label": "Effort of each" },
        EFFORTS.map((effort) =>
          button(die(owner, effort), () => this.#setEffort(effort), {
            ...pressed(effort === this.#effort),
            disabled: !this.#isLegal(slot, this.#count, effort),
            "aria-label": `effort ${effort}`,
            "data-effort": effort,
          }),
        ),
      ),
      el("p", { class: "advice" }, riskWords(this.#count, this.#effort, total, dice)),
      el(
        "div",
        { class: "actions" },
        button(`Put ${many(this.#count, "die", "dice")} of ${this.#effort}`, () => this.#place(), {
          class: "action confirm",
        }),
        button("Cancel", () => this.press(slot), { class: "action quiet" }),
      ),
    ];
  }
}

/** @param {boolean} isOn */
function pressed(isOn) {
  return { class: isOn ? "on" : "", "aria-pressed": isOn };
}

/** @param {number} count @param {number} effort @param {number} total @param {import("./scene.js").Dice | null} dice */
function riskWords(count, effort, total, dice) {
  const beats = dice ? `, beats ${dice.count * dice.effort}` : "";
  const risk =
    effort === 1
      ? "A die of effort 1 is never exhausted."
      : `Chance of exhaustion: ${Math.round(((effort - 1) / 6) * 100)}%${count > 1 ? " for each die" : ""}.`;
  return `Total ${total}${beats}. ${risk}`;
}
