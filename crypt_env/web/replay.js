/**
 * The replay of a game: any moment, in any seat's view, with the legal actions and a network's evaluation.
 */

import { button, el } from "./dom.js";
import { Page } from "./page.js";
import { actionWords } from "./panels.js";

export class ReplayPage extends Page {
  /**
   * @param {import("./page.js").Parts & {agent?: string}} parts
   * @param {{leave?: () => void, playOn?: () => void}} doors
   */
  constructor(parts, doors = {}) {
    super(parts, parts.source.viewers[0]);
    this.doors = doors;
    this.agent = parts.agent ?? "";
  }

  tools() {
    return [
      this.doors.leave ? button("New game", this.doors.leave) : null,
      this.doors.playOn ? button("Play on from the end", this.doors.playOn) : null,
      this.eyes(),
    ];
  }

  middle() {
    const { moment } = this;
    if (moment.asked === null) return [];
    const { actions } = this.parts.facts;
    const played = this.#playedNext();
    const knows = this.viewer === "open" || this.viewer === moment.asked;
    const advice = knows ? this.parts.source.advice(moment) : null;
    const words = (/** @type {number} */ action) => actionWords(actions[action], moment.scene);
    return [
      el(
        "section",
        { class: "choices told", "aria-label": "The decision" },
        el(
          "p",
          { class: "advice" },
          played === null
            ? "The game ends here."
            : [`${this.parts.names[moment.asked]}: `, el("b", {}, words(played)), " ", el("code", {}, actions[played])],
        ),
        el(
          "details",
          {},
          el("summary", {}, `${moment.legal.length} legal actions`),
          el(
            "ul",
            { class: "legal" },
            moment.legal.map((action) =>
              el(
                "li",
                { class: action === played ? "played" : "" },
                words(action),
                " ",
                el("code", {}, actions[action]),
              ),
            ),
          ),
        ),
      ),
      advice ? this.advice(advice, { who: this.agent || "The network", played }) : null,
    ];
  }

  /** Return the action that was chosen at the moment that is shown. @returns {number | null} */
  #playedNext() {
    const { moments, cursor, moment } = this;
    const next = moments[cursor + 1];
    const act = next?.events.find(([kind, seat]) => kind === "act" && seat === moment.asked);
    return act ? this.parts.facts.actions.indexOf(act[2]) : null;
  }
}
