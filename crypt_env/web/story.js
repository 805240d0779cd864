/**
 * A game as one viewer sees it: the moments that the viewer can tell apart, each with only what the viewer may know.
 *
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").Viewer} Viewer
 * @typedef {import("./session.js").Session} Session
 * @typedef {import("./session.js").RecordEvent} RecordEvent
 *
 * @typedef {object} Moment
 * @property {Scene} scene
 * @property {RecordEvent[]} events  what led here since the moment before
 * @property {"" | "rolling" | "placed"} look
 * @property {number} frame  of the session
 * @property {number} decision  how many decisions came before
 * @property {number | null} asked  the seat that decides
 * @property {number[]} legal  the actions that it may choose
 * @property {Ending | null} ending
 *
 * @typedef {{scores: number[], winners: number[], sheets: Object<string, number>[]}} Ending
 */

import { held, observationOf, placed, sceneOf, watchersOf } from "./scene.js";

/** The moments of a game as one viewer sees them. They grow with the game. */
export class Story {
  #session;
  #done = 0;
  /** @type {import("./session.js").Frame | null} */
  #last = null;
  /** @type {RecordEvent[]} */
  #events = [];

  /** @param {Session} session @param {Viewer} viewer */
  constructor(session, viewer) {
    this.#session = session;
    this.viewer = viewer;
    /** @type {Moment[]} */
    this.moments = [];
  }

  /** Return all moments so far. @returns {Moment[]} */
  update() {
    const { frames } = this.#session;
    if (this.#done > frames.length || (this.#last && frames[this.#done - 1] !== this.#last)) this.#forget();
    while (this.#done < frames.length) this.#add(this.#done++);
    this.#last = frames[frames.length - 1];
    return this.moments;
  }

  #forget() {
    this.#done = 0;
    this.#last = null;
    this.#events = [];
    this.moments = [];
  }

  /** @param {number} index */
  #add(index) {
    const [session, viewer] = [this.#session, this.viewer];
    const { event } = session.frames[index];
    if (event && isKnown(event, viewer)) this.#events.push(event);
    const secret = session.secretOf(index);
    if (secret !== null && viewer !== secret && viewer !== "open") return;
    this.moments.push({ ...momentAt(session, index, viewer), events: this.#events });
    this.#events = [];
  }
}

/**
 * Whether a viewer may know of an event: only the asked seat knows of its flips.
 * @param {RecordEvent} event
 * @param {Viewer} viewer
 */
function isKnown([kind, seat, text], viewer) {
  return viewer === "open" || viewer === seat || kind !== "act" || !text.startsWith("flip");
}

/** @param {Session} session @param {number} index @param {Viewer} viewer */
function momentAt(session, index, viewer) {
  const { facts } = session.engine;
  const { event, look } = session.frames[index];
  const game = session.gameAt(index);
  const watchers = typeof viewer === "number" ? null : watchersOf(game);
  const scene = held(sceneOf(facts, observationOf(facts, game, viewer), viewer, watchers), game.get("holder"));
  if (look === "placed" && event) placed(scene, placementOf(event));
  const asked = look === "" && game.mover >= 0 ? game.mover : null;
  if (asked === null) scene.mover = null;
  const ending = game.isOver ? { scores: game.scores, winners: game.winners, sheets: game.sheets() } : null;
  const legal = asked === null ? [] : game.legal();
  return { scene, look, frame: index, decision: game.get("decisions"), asked, legal, ending };
}

/** Return what an event has placed. @param {RecordEvent} event */
export function placementOf([, seat, text]) {
  const [slot, count, effort] = text.match(/\d+/g).map(Number);
  return { slot, seat, count, effort };
}
