/**
 * The source of a game's moments: a whole game, or a file that holds only one seat's view.
 *
 * @typedef {import("./scene.js").Viewer} Viewer
 * @typedef {import("./story.js").Moment} Moment
 * @typedef {import("./opponents.js").Judgement} Judgement
 *
 * @typedef {object} Source
 * @property {(viewer: Viewer) => Moment[]} moments
 * @property {Viewer[]} viewers
 * @property {(moment: Moment) => Judgement | null} advice
 *
 * @typedef {object} SealedMoment
 * @property {string} observation  in base64
 * @property {number[]} holders  who holds the card of each slot; -1 for none
 * @property {any[]} events
 * @property {"" | "rolling" | "placed"} look
 * @property {number | null} asked
 * @property {number[]} legal
 * @property {any} ending
 *
 * @typedef {{seat: number, moments: SealedMoment[]}} Sealed  a game as one seat saw it, in a file
 */

import { fromBase64 } from "./resources.js";
import { held, placed, sceneOf } from "./scene.js";
import { Story, placementOf } from "./story.js";

/**
 * Return the moments of a whole game.
 * @param {import("./session.js").Session} session
 * @param {Object<number, Judgement>} [advice]  by the number of decisions before it
 * @returns {Source}
 */
export function openSource(session, advice = {}) {
  /** @type {Map<Viewer, Story>} */
  const stories = new Map();
  const seats = Array.from({ length: session.setup.players }, (_, seat) => seat);
  return {
    viewers: ["open", "table", ...seats],
    moments(viewer) {
      const story = stories.get(viewer) ?? new Story(session, viewer);
      stories.set(viewer, story);
      return story.update();
    },
    advice: (moment) => advice[moment.decision] ?? null,
  };
}

/**
 * Return the moments of one seat.
 * @param {import("./engine.js").Facts} facts
 * @param {Sealed} sealed
 * @param {Object<number, Judgement>} [advice]  by moment
 * @returns {Source}
 */
export function sealedSource(facts, { seat, moments }, advice = {}) {
  const read = moments.map(({ observation, holders, ...told }, index) => {
    const scene = held(sceneOf(facts, new Int8Array(fromBase64(observation).buffer), seat), holders);
    const act = told.events[told.events.length - 1];
    if (told.look === "placed") placed(scene, placementOf(act));
    if (told.asked === null) scene.mover = null;
    return { ...told, scene, frame: index, decision: index };
  });
  return { viewers: [seat], moments: () => read, advice: (moment) => advice[moment.frame] ?? null };
}
