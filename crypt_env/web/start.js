/**
 * The start screen: who plays, against whom, at which table.
 *
 * @typedef {import("./storage.js").Player} Player
 * @typedef {import("./session.js").Setup} Setup
 */

import { badge, die, kindSymbol, symbol } from "./artwork.js";
import { button, el, select } from "./dom.js";
import { LEVELS, ladderName, labelOf } from "./opponents.js";
import { keepPreferences, keptPreferences } from "./storage.js";
import { GHOST } from "./scene.js";
import { themeButton } from "./theme.js";
import { KINDS, LETTERS } from "./words.js";

const HUMAN = "you";

/**
 * @typedef {object} Doors
 * @property {(setup: Setup, players: Player[]) => void} play
 * @property {(text: string) => void} load  a record
 * @property {{label: string, open: () => void} | null} goOn  with the game that was kept
 */

export class StartPage {
  /** @param {string[][]} collectors @param {Doors} doors */
  constructor(collectors, doors) {
    this.collectors = collectors;
    this.doors = doors;
    const kept = keptPreferences();
    this.players = kept.players ?? 2;
    /** @type {string[]} */
    this.seats = kept.seats ?? [HUMAN, "greedy", "greedy", "greedy"];
    /** @type {string[]} */
    this.names = kept.names ?? ["", "", "", ""];
    this.table = kept.table ?? "random";
    this.leader = kept.leader ?? "random";
    this.seed = "";
    this.reason = "";
    this.element = el("main", { class: "start" });
  }

  close() {
    this.element.remove();
  }

  /** @param {Element} root */
  show(root) {
    root.replaceChildren(this.element);
    this.draw();
  }

  draw() {
    const focused = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.control;
    this.element.replaceChildren(this.#title(), this.#goOn(), this.#form());
    if (focused) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-control="${focused}"]`))?.focus();
  }

  #title() {
    return el(
      "header",
      { class: "hero" },
      el("div", { class: "torch left", "aria-hidden": "true" }, symbol("torch")),
      el(
        "div",
        {},
        el("h1", {}, "Crypt"),
        el(
          "p",
          {},
          "The king is dead, and his treasures lie in the tomb. Send your Servants down: ",
          "high effort wins a treasure, but it tires them out.",
        ),
      ),
      el("div", { class: "torch right", "aria-hidden": "true" }, symbol("torch")),
      themeButton(),
    );
  }

  #goOn() {
    const { goOn } = this.doors;
    return goOn
      ? el("section", { class: "panel go-on" }, button(goOn.label, goOn.open, { class: "action confirm" }))
      : el("div", {});
  }

  #form() {
    return el(
      "form",
      {
        class: "panel",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          this.#play();
        },
      },
      this.#counts(),
      el(
        "fieldset",
        {},
        el("legend", {}, "Seats"),
        Array.from({ length: this.players }, (_, seat) => this.#seat(seat)),
        this.players === 1
          ? el(
              "p",
              { class: "seat-line" },
              badge(GHOST, "G"),
              el("span", {}, "The Ghost plays by its own rules. 50 coins make you The Magnificent."),
            )
          : null,
      ),
      this.#tableChoice(),
      el("details", {}, el("summary", {}, "More"), this.#more()),
      this.reason ? el("p", { class: "reason", role: "alert" }, this.reason) : null,
      el("div", { class: "actions" }, el("button", { type: "submit", class: "action confirm big" }, "Enter the crypt")),
    );
  }

  #counts() {
    return el(
      "fieldset",
      { class: "counts" },
      el("legend", {}, "Players"),
      [1, 2, 3, 4].map((count) =>
        button(
          [
            Array.from({ length: count }, (_, seat) => die(seat, 0)),
            el("span", {}, count === 1 ? "Only Child" : `${count} players`),
          ],
          () => {
            this.players = count;
            this.draw();
          },
          {
            "aria-pressed": count === this.players,
            class: count === this.players ? "on" : "",
            "data-control": `players-${count}`,
            "aria-label": count === 1 ? "1 player" : `${count} players`,
          },
        ),
      ),
    );
  }

  /** @param {number} seat */
  #seat(seat) {
    const chosen = this.players === 1 ? HUMAN : this.seats[seat];
    /** @type {[string, string][]} */
    const options = [
      [HUMAN, "A person"],
      ...LEVELS.map(({ name, label }) => /** @type {[string, string]} */ ([name, label])),
    ];
    const about = LEVELS.find(({ name }) => name === chosen);
    const name = /** @type {HTMLInputElement} */ (
      el("input", {
        value: this.names[seat],
        maxlength: 16,
        placeholder: defaultName(this.#levels(), seat),
        "aria-label": `Name of seat ${LETTERS[seat]}`,
      })
    );
    name.addEventListener("input", () => (this.names[seat] = name.value));
    return el(
      "div",
      { class: "seat-line" },
      badge(seat, LETTERS[seat]),
      this.players === 1
        ? null
        : select(
            options,
            chosen,
            (value) => {
              this.seats[seat] = value;
              this.draw();
            },
            { "aria-label": `Seat ${LETTERS[seat]}`, "data-control": `seat-${seat}` },
          ),
      chosen === HUMAN ? name : el("small", {}, el("code", {}, ladderName(chosen, this.players)), ` ${about?.about}`),
    );
  }

  #tableChoice() {
    const isRandom = this.table === "random";
    const sides = isRandom ? "" : this.table;
    const flip = (/** @type {number} */ number) => {
      const now = (sides || "AAAAAA").split("");
      now[number] = now[number] === "A" ? "B" : "A";
      this.table = now.join("");
      this.draw();
    };
    const choose = (/** @type {string} */ table) => () => {
      this.table = table;
      this.draw();
    };
    return el(
      "fieldset",
      { class: "table-choice" },
      el("legend", {}, "Collectors"),
      el(
        "div",
        { class: "tabs" },
        [
          ["random", "Random"],
          ["AAAAAA", "All A"],
          ["BBBBBB", "All B"],
        ].map(([table, label]) =>
          button(label, choose(table), {
            class: this.table === table ? "on" : "",
            "aria-pressed": this.table === table,
            "data-control": `table-${table}`,
          }),
        ),
      ),
      isRandom
        ? null
        : el(
            "div",
            { class: "sides" },
            KINDS.map((kind, number) =>
              button(
                [
                  kindSymbol(kind),
                  el("b", {}, `${kind} ${sides[number]}`),
                  el("small", {}, this.collectors[number]["AB".indexOf(sides[number])]),
                ],
                () => flip(number),
                { "data-control": `side-${number}`, title: "Turn to the other side" },
              ),
            ),
          ),
    );
  }

  #more() {
    /** @type {[string, string][]} */
    const leaders = [
      ["random", "random"],
      ...Array.from(
        { length: this.players },
        (_, seat) => /** @type {[string, string]} */ ([String(seat), `seat ${LETTERS[seat]}`]),
      ),
    ];
    const seed = /** @type {HTMLInputElement} */ (
      el("input", {
        value: this.seed,
        inputmode: "numeric",
        placeholder: "random",
        "aria-label": "Seed",
        maxlength: 20,
      })
    );
    seed.addEventListener("input", () => (this.seed = seed.value.trim()));
    const file = /** @type {HTMLInputElement} */ (
      el("input", { type: "file", accept: ".jsonl,.json", "aria-label": "A record" })
    );
    file.addEventListener("change", async () => {
      const [chosen] = file.files ?? [];
      if (chosen) this.doors.load(await chosen.text());
    });
    return el(
      "div",
      { class: "more" },
      this.players > 1
        ? el(
            "label",
            {},
            "First Leader ",
            select(leaders, this.leader, (value) => (this.leader = value), { "aria-label": "First Leader" }),
          )
        : null,
      el("label", {}, "Seed ", seed),
      el("label", {}, "Open a record ", file),
    );
  }

  // -- playing -------------------------------------------------------------------------------------------------------

  #levels() {
    const wanted = this.players === 1 ? [HUMAN] : this.seats.slice(0, this.players);
    return wanted.map((level) => (level === HUMAN ? null : level));
  }

  #play() {
    const { players, table, leader } = this;
    const seed = this.seed || drawnSeed();
    if (!/^\d+$/.test(seed) || BigInt(seed) >= 2n ** 64n)
      return this.explain("The seed is a whole number from 0 to 2^64 - 1.");
    keepPreferences({ players, table, leader, seats: this.seats, names: this.names });
    const levels = this.#levels();
    const first =
      players === 1
        ? 0
        : leader === "random" || Number(leader) >= players
          ? /** @type {"random"} */ ("random")
          : Number(leader);
    return this.doors.play({ players, table, leader: first, seed }, namedPlayers(levels, this.names));
  }

  /** Tell what is wrong. @param {string} reason */
  explain(reason) {
    this.reason = reason;
    this.draw();
  }
}

/** Return a seed that fits into a link and a record. */
export function drawnSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

/** Return the players with names. @param {(string | null)[]} levels @param {string[]} [names] @returns {Player[]} */
export function namedPlayers(levels, names = []) {
  return levels.map((level, seat) => ({
    level,
    name: (level === null && names[seat]?.trim()) || defaultName(levels, seat),
  }));
}

/** @param {(string | null)[]} levels @param {number} seat */
function defaultName(levels, seat) {
  const level = levels[seat];
  if (level === null) return levels.filter((each) => each === null).length === 1 ? "You" : `Player ${LETTERS[seat]}`;
  const isShared = levels.filter((each) => each === level).length > 1;
  return isShared ? `${labelOf(level)} ${LETTERS[seat]}` : labelOf(level);
}
