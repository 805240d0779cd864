/**
 * The page of one game, played or replayed: the table at a moment, and everything around it.
 *
 * @typedef {import("./scene.js").Viewer} Viewer
 * @typedef {import("./source.js").Source} Source
 * @typedef {import("./story.js").Moment} Moment
 *
 * @typedef {object} Parts  what a page is made of
 * @property {import("./engine.js").Facts} facts
 * @property {string[][]} collectors
 * @property {string} rules  as HTML
 * @property {Source} source
 * @property {string[]} names  of the seats
 * @property {string[]} labels  a letter for each
 */

import { button, el, say, select, svg } from "./dom.js";
import { logOf } from "./log.js";
import { advicePanel, legend, logPanel, sheetPanel, showHelp } from "./panels.js";
import { GHOST } from "./scene.js";
import { keepPreferences, keptPreferences } from "./storage.js";
import { tableOf } from "./table.js";
import { themeButton } from "./theme.js";
import { Names, heading, question } from "./words.js";

/** @type {[string, string][]} */
const SPEEDS = [
  ["1800", "Slow"],
  ["900", "Normal"],
  ["350", "Fast"],
  ["0", "Instant"],
];

/** How the buttons of a recorder look. @type {Object<string, string>} */
const SIGNS = {
  first: "M20 20 H30 V80 H20 Z M80 20 L36 50 L80 80 Z",
  back: "M70 18 L26 50 L70 82 Z",
  run: "M28 12 L84 50 L28 88 Z",
  pause: "M26 16 H42 V84 H26 Z M58 16 H74 V84 H58 Z",
  forward: "M30 18 L74 50 L30 82 Z",
  last: "M20 20 L64 50 L20 80 Z M70 20 H80 V80 H70 Z",
};

export class Page {
  /** @param {Parts} parts @param {Viewer} viewer */
  constructor(parts, viewer) {
    this.parts = parts;
    /** @type {Viewer} */
    this.viewer = viewer;
    this.cursor = 0;
    this.isRunning = false;
    this.speed = String(keptPreferences().speed ?? "900");
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.tab = "log";
    /** @type {import("./scene.js").Scene | null} */
    this.drawn = null;
    this.prompt = el("section", { class: "prompt" });
    this.table = el("div", { class: "table" });
    this.below = el("div", { class: "below" });
    this.side = el("aside", {});
    this.element = el("div", { class: "game" });
    this.keys = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    document.addEventListener("keydown", this.keys);
  }

  /** Remove the page. */
  close() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.keys);
    this.element.remove();
  }

  // -- for subclasses ------------------------------------------------------------------------------------------------

  /** Buttons in the bar. @returns {(Node | null)[]} */
  tools() {
    return [];
  }

  /** What is shown between the Crypt and the players. @returns {(Node | null)[]} */
  middle() {
    return [];
  }

  /**
   * Which cards may be chosen, and what choosing one does.
   * @returns {{open: Set<number>, chosen: number | null, press: (slot: number) => void}}
   */
  choosing() {
    return { open: new Set(), chosen: null, press: () => {} };
  }

  /** What to do at the latest moment. */
  arrived() {}

  /** @param {string} _key @returns {boolean} */
  keyPressed(_key) {
    return false;
  }

  // -- time ----------------------------------------------------------------------------------------------------------

  /** The moments that the viewer has. @returns {Moment[]} */
  get moments() {
    return this.parts.source.moments(this.viewer);
  }

  /** @returns {Moment} */
  get moment() {
    return this.moments[Math.min(this.cursor, this.moments.length - 1)];
  }

  get isAtEnd() {
    return this.cursor >= this.moments.length - 1;
  }

  /** Whether the page can play on from the moment that is shown. */
  get canRun() {
    return !this.isAtEnd;
  }

  /** Go to a moment and stay there. @param {number} index */
  jump(index) {
    // A key that asks for more than the latest moment must not stop an opponent's turn.
    if (this.isAtEnd && index >= this.cursor) return;
    this.isRunning = false;
    this.go(index);
  }

  /** Stay at the moment that is shown. */
  pause() {
    clearTimeout(this.timer);
    this.isRunning = false;
    this.draw();
  }

  /** @param {number} index */
  go(index) {
    this.cursor = Math.max(0, Math.min(index, this.moments.length - 1));
    this.draw();
    this.next();
  }

  /** Play on automatically. */
  run() {
    this.isRunning = true;
    this.draw();
    this.next();
  }

  /** Schedule the next moment, if there is one. */
  next() {
    clearTimeout(this.timer);
    if (this.isAtEnd) return this.arrived();
    if (!this.isRunning) return undefined;
    const pause = Number(this.speed) * (this.moment.look === "rolling" ? 1.5 : 1);
    if (pause) this.timer = setTimeout(() => this.go(this.cursor + 1), pause);
    else this.go(this.moments.length - 1);
    return undefined;
  }

  /** Go to the next or previous decision. @param {number} step  1 or -1 */
  toDecision(step) {
    const { moments } = this;
    let index = this.cursor + step;
    while (index > 0 && index < moments.length - 1 && moments[index].asked === null) index += step;
    this.jump(index);
  }

  /** See the game through other eyes. @param {Viewer} viewer */
  look(viewer) {
    const { frame } = this.moment;
    this.viewer = viewer;
    const { moments } = this;
    const later = moments.findIndex((moment) => moment.frame > frame);
    this.cursor = later < 0 ? moments.length - 1 : Math.max(0, later - 1);
  }

  /** Return the choice of the seat whose view is shown. */
  eyes() {
    const { viewers } = this.parts.source;
    /** @type {[string, string][]} */
    const options = viewers.map((viewer) => [String(viewer), viewerWords(viewer, this.parts.names)]);
    if (options.length === 1) return el("span", { class: "eyes-of" }, options[0][1]);
    const change = (/** @type {string} */ chosen) => {
      this.look(/^\d/.test(chosen) ? Number(chosen) : /** @type {Viewer} */ (chosen));
      this.draw();
    };
    return el(
      "label",
      { class: "eyes-of" },
      "Seen by ",
      select(options, String(this.viewer), change, { "aria-label": "Point of view" }),
    );
  }

  // -- drawing -------------------------------------------------------------------------------------------------------

  /** Put the frame of the page into the document. @param {Element} root */
  show(root) {
    const bar = el(
      "header",
      { class: "bar" },
      el("h1", {}, "Crypt"),
      el(
        "nav",
        { "aria-label": "Game" },
        this.tools(),
        button("Keys", showHelp, { class: "quiet optional" }),
        themeButton(),
      ),
    );
    this.element.replaceChildren(bar, el("main", {}, this.prompt, this.table, this.below), this.side);
    root.replaceChildren(this.element);
  }

  /** The names of the seats, from the viewer's side. */
  get names() {
    return new Names(this.parts.names, this.you, this.parts.labels);
  }

  /** The seat that is spoken to as "you". @returns {number | null} */
  get you() {
    return null;
  }

  draw() {
    const { moment, names } = this;
    const focused = this.#focused();
    const sheet = moment.ending ? sheetPanel(moment.ending, moment.scene, names) : null;
    const [wall, board] = tableOf(moment, {
      names,
      collectors: this.parts.collectors,
      sheet,
      before: this.drawn,
      ...this.choosing(),
    });
    this.drawn = moment.scene;
    this.prompt.replaceChildren(...this.promptOf(moment));
    this.table.replaceChildren(wall, el("div", { class: "middle" }, this.middle()), board, legend());
    this.below.replaceChildren(this.#controls());
    this.#drawSide();
    if (focused)
      /** @type {HTMLElement | null} */ (this.element.querySelector(focused))?.focus({ preventScroll: true });
  }

  /** Return a selector for the focused element, to find it after the next drawing. */
  #focused() {
    const { dataset } = /** @type {HTMLElement} */ (document.activeElement ?? document.body);
    if (dataset?.slot) return `[data-slot="${dataset.slot}"]`;
    return dataset?.control ? `[data-control="${dataset.control}"]` : "";
  }

  /** @param {Moment} moment @returns {Node[]} */
  promptOf({ scene, ending }) {
    const words = ending ? "The game is over" : heading(scene, this.names);
    return [el("h2", {}, words || "The dice are rolled"), el("p", {}, ending ? "" : question(scene, this.names))];
  }

  #controls() {
    const { moments, cursor } = this;
    const control = (
      /** @type {string} */ sign,
      /** @type {string} */ label,
      /** @type {() => void} */ press,
      off = false,
    ) =>
      button(
        svg("svg", { class: "sign", viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] })),
        press,
        { "aria-label": label, title: label, disabled: off, "data-control": label },
      );
    return el(
      "div",
      { class: "controls", role: "group", "aria-label": "Moments of the game" },
      control("first", "First moment", () => this.jump(0), cursor === 0),
      control("back", "Back", () => this.jump(cursor - 1), cursor === 0),
      this.isRunning && this.canRun
        ? control("pause", "Pause", () => this.pause())
        : control("run", "Play on", () => this.run(), !this.canRun),
      control("forward", "Forward", () => this.jump(cursor + 1), this.isAtEnd),
      control("last", "Last moment", () => this.jump(moments.length - 1), this.isAtEnd),
      this.#slider(),
      el(
        "label",
        {},
        el("span", {}, "Speed "),
        select(SPEEDS, this.speed, (speed) => this.#setSpeed(speed), {
          "data-control": "speed",
          "aria-label": "Speed",
        }),
      ),
    );
  }

  #slider() {
    const last = this.moments.length - 1;
    const words = `moment ${this.cursor} of ${last}`;
    const slider = /** @type {HTMLInputElement} */ (
      el("input", {
        type: "range",
        min: 0,
        max: last,
        value: this.cursor,
        "aria-label": "Moment",
        "aria-valuetext": words,
        title: words,
        "data-control": "moment",
      })
    );
    slider.addEventListener("input", () => this.jump(Number(slider.value)));
    return slider;
  }

  /** @param {string} speed */
  #setSpeed(speed) {
    this.speed = speed;
    keepPreferences({ speed });
    this.next();
  }

  #drawSide() {
    const log = logOf(this.moments, this.names);
    say((log[this.cursor] ?? []).map(({ words }) => words).join(" "));
    const key = this.tab === "rules" ? "rules" : "log";
    const isOpen = key === "rules" && this.side.dataset.tab === "rules";
    this.side.dataset.tab = key;
    if (isOpen) this.side.firstElementChild?.replaceWith(this.#tabs());
    else this.side.replaceChildren(this.#tabs(), key === "rules" ? this.#rules() : this.#log(log));
    const list = this.side.querySelector(".log");
    if (list) list.scrollTop = list.scrollHeight;
  }

  #tabs() {
    const names = [
      ["log", "Log"],
      ["rules", "Rules"],
    ];
    return el(
      "div",
      { class: "tabs", role: "group", "aria-label": "Beside the table" },
      names.map(([key, label]) =>
        button(label, () => this.#openTab(key), {
          "aria-pressed": this.tab === key,
          class: this.tab === key ? "on" : "",
          "data-control": `tab-${key}`,
        }),
      ),
    );
  }

  /** @param {import("./log.js").Line[][]} log */
  #log(log) {
    const isSolo = this.moment.scene.players === 1;
    const ownerOf = (/** @type {number} */ seat) => (isSolo && seat === 1 ? GHOST : seat);
    return logPanel(log, this.cursor, (index) => this.jump(index), ownerOf);
  }

  #rules() {
    const rules = el("div", { class: "rules", tabindex: 0, "aria-label": "The rules" });
    rules.innerHTML = this.parts.rules;
    rules.addEventListener("click", (event) => {
      const link = /** @type {HTMLElement} */ (event.target).closest("a[href^='#']");
      if (!link) return;
      event.preventDefault();
      rules.querySelector(`[id="${link.getAttribute("href")?.slice(1)}"]`)?.scrollIntoView();
    });
    return rules;
  }

  /** @param {string} tab */
  #openTab(tab) {
    this.tab = tab;
    this.#drawSide();
  }

  /**
   * A network's evaluation of a decision.
   * @param {import("./opponents.js").Judgement} judgement
   * @param {{who: string, played?: number | null, press?: (action: number) => void}} more
   */
  advice(judgement, more) {
    return advicePanel(judgement, this.moment.scene, this.parts.facts.actions, more);
  }

  // -- keys ----------------------------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target.closest("input, select, textarea, .rules")) return;
    if ([" ", "Enter"].includes(event.key) && target.closest("button")) return;
    if (this.keyPressed(event.key) || this.#moved(event.key)) event.preventDefault();
  }

  /** @param {string} key */
  #moved(key) {
    /** @type {Object<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.jump(this.cursor - 1),
      ArrowRight: () => this.jump(this.cursor + 1),
      Home: () => this.jump(0),
      End: () => this.jump(this.moments.length - 1),
      "[": () => this.toDecision(-1),
      "]": () => this.toDecision(1),
      " ": () => (this.isRunning ? this.pause() : this.run()),
      "?": showHelp,
    };
    keys[key]?.();
    return key in keys;
  }
}

/** @param {Viewer} viewer @param {string[]} names */
function viewerWords(viewer, names) {
  if (viewer === "open") return "all cards open";
  return viewer === "table" ? "what all can see" : `${names[viewer]}`;
}
