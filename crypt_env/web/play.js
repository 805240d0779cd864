/**
 * A game that is being played at this screen.
 *
 * @typedef {import("./storage.js").Player} Player
 * @typedef {import("./session.js").Session} Session
 * @typedef {import("./opponents.js").Judgement} Judgement
 *
 * @typedef {object} Shared  what all games of the page share
 * @property {import("./engine.js").Facts} facts
 * @property {string[][]} collectors  what each does, by type and side
 * @property {string} rules  as HTML
 * @property {import("./opponents.js").Opponents} opponents
 */

import { symbol } from "./artwork.js";
import { Choices } from "./choices.js";
import { button, el, openDialog, say } from "./dom.js";
import { labelOf } from "./opponents.js";
import { Page } from "./page.js";
import { LETTERS } from "./words.js";
import { openSource } from "./source.js";
import { download, keepGame, linkOf } from "./storage.js";

/** @param {number} players */
function labelsOf(players) {
  return players === 1 ? [LETTERS[0], "G"] : LETTERS;
}

export class PlayPage extends Page {
  /**
   * @param {Shared} shared
   * @param {Session} session
   * @param {Player[]} players
   * @param {{leave: () => void, again: () => void}} doors
   */
  constructor(shared, session, players, doors) {
    const humans = players.flatMap(({ level }, seat) => (level === null ? [seat] : []));
    const names = players.map(({ name }) => name).concat(players.length === 1 ? ["the Ghost"] : []);
    super(
      { ...shared, source: openSource(session), names, labels: labelsOf(players.length) },
      humans.length === 1 ? humans[0] : "table",
    );
    this.opponents = shared.opponents;
    this.session = session;
    this.players = players;
    this.humans = humans;
    this.doors = doors;
    /** @type {import("./session.js").Frame | null} */
    this.thinksAt = null;
    this.isClosed = false;
    /** @type {{frame: number, judgement: Judgement} | null} */
    this.hint = null;
    this.failure = "";
    this.choices = new Choices(
      shared.facts,
      (action) => this.#act(action),
      () => this.draw(),
    );
    this.opponents.warm(
      players.map(({ level }) => level ?? ""),
      session.setup.players,
    );
  }

  close() {
    this.isClosed = true;
    super.close();
  }

  get you() {
    return typeof this.viewer === "number" && this.humans.includes(this.viewer) ? this.viewer : null;
  }

  /** The seat that must take the screen before the game continues. */
  get waitsFor() {
    const { asked } = this.moment;
    const isHuman = asked !== null && this.humans.includes(asked);
    return this.isAtEnd && isHuman && this.viewer !== asked ? asked : null;
  }

  /** Whether the latest moment is shown and an opponent is to play. */
  get isOpponentsTurn() {
    const { asked } = this.moment;
    return this.isAtEnd && asked !== null && !this.humans.includes(asked);
  }

  get canRun() {
    return super.canRun || this.isOpponentsTurn;
  }

  /** Whether the viewer is asked at the moment that is shown. */
  get isMine() {
    return this.isAtEnd && this.moment.asked !== null && this.moment.asked === this.viewer;
  }

  // -- playing -------------------------------------------------------------------------------------------------------

  /** @param {number} action */
  #act(action) {
    this.session.act(action);
    this.#played();
  }

  #played() {
    const { session } = this;
    const { mover } = session.game;
    if (this.humans.length > 1 && mover !== this.viewer) this.look("table");
    this.hint = null;
    this.#keep();
    this.isRunning = true;
    this.go(this.cursor + 1);
  }

  #keep() {
    const { setup } = this.session;
    keepGame({ setup, players: this.players, record: this.session.record() });
  }

  run() {
    this.failure = "";
    super.run();
  }

  /** Play on from the latest moment. */
  goOn() {
    this.failure = "";
    this.isRunning = true;
    this.go(this.moments.length - 1);
  }

  arrived() {
    const last = this.session.frames[this.session.frames.length - 1];
    if (!this.isRunning || !this.isOpponentsTurn || this.thinksAt === last) return;
    this.thinksAt = last;
    this.#answer(Number(this.moment.asked), last);
  }

  /**
   * Have an opponent play, after a pause that shows whose turn it is.
   * @param {number} seat
   * @param {import("./session.js").Frame} last  the game has not gone on as long as this is its last moment
   */
  async #answer(seat, last) {
    const { session } = this;
    const { name, level } = this.players[seat];
    const pause = new Promise((resolve) => setTimeout(resolve, Number(this.speed) / 2));
    /** @type {number | null} */
    let action = null;
    let failure = "";
    try {
      [action] = await Promise.all([this.opponents.choose(session, String(level)), pause]);
    } catch (error) {
      failure = `${name} cannot play: ${error instanceof Error ? error.message : error}`;
    }
    if (this.thinksAt === last) this.thinksAt = null;
    if (this.isClosed || session.frames[session.frames.length - 1] !== last) return;
    if (action === null) this.#fail(failure);
    else if (this.isRunning && this.isAtEnd) this.#act(action);
  }

  /** Stop until the player tries again. @param {string} failure */
  #fail(failure) {
    this.failure = failure;
    this.pause();
  }

  #undo() {
    const isOwn = this.you !== null && !this.session.game.isOver;
    const seats = isOwn ? [Number(this.you)] : this.humans;
    const index = this.session.lastAsked(seats);
    if (index < 0) return;
    this.session.rewind(index);
    this.hint = null;
    if (this.session.game.mover !== this.viewer) this.look(this.humans.length === 1 ? this.humans[0] : "table");
    this.#keep();
    this.goOn();
  }

  async #ask() {
    if (!this.isMine) return;
    const { frame } = this.moment;
    try {
      const judgement = await this.opponents.judge(this.session, frame);
      if (this.isClosed || !this.isMine || this.moment.frame !== frame) return;
      this.hint = { frame, judgement };
    } catch (error) {
      this.choices.explain(`There is no hint: ${error instanceof Error ? error.message : error}`);
    }
    this.draw();
  }

  // -- drawing -------------------------------------------------------------------------------------------------------

  tools() {
    return [
      button("New game", () => this.doors.leave()),
      button("Undo", () => this.#undo(), { title: "Take the last decision back (U)" }),
      button("Hint", () => this.#ask(), { title: "What would the network do? (H)" }),
      button("Save", () => this.#save(), { title: "Save the game as a record" }),
      button("Share", () => this.#share(), { title: "A link to this game" }),
    ];
  }

  draw() {
    const seat = this.waitsFor;
    if (seat !== null) return this.#curtain(seat);
    this.choices.offer(this.isMine ? this.moment : null, this.names);
    return super.draw();
  }

  choosing() {
    const { choices } = this;
    const press = (/** @type {number} */ slot) => (this.isMine ? choices.press(slot) : undefined);
    return this.isMine ? { open: choices.open, chosen: choices.slot, press } : super.choosing();
  }

  middle() {
    const { hint, moment, session } = this;
    const isFresh = hint && this.isMine && hint.frame === moment.frame;
    const who = "The network says";
    return [
      this.failure ? el("p", { class: "reason", role: "alert" }, this.failure) : null,
      this.isMine ? this.choices.element : null,
      isFresh ? this.advice(hint.judgement, { who, press: (action) => this.#act(action) }) : null,
      this.canRun && !this.isRunning ? button(this.#wayOn(), () => this.goOn(), { class: "action back" }) : null,
      session.game.isOver && this.isAtEnd
        ? el(
            "div",
            { class: "actions" },
            button("Play again", () => this.doors.again(), { class: "action confirm" }),
            button("New game", () => this.doors.leave(), { class: "action" }),
            this.eyes(),
          )
        : null,
    ];
  }

  /** Return the words on the button that leads on. */
  #wayOn() {
    if (this.failure) return "Try again";
    return this.isAtEnd ? "Play on" : "Back to the game";
  }

  /** Hide the table until the next player sits at the screen. @param {number} seat */
  #curtain(seat) {
    const { name } = this.players[seat];
    const lift = () => {
      this.look(seat);
      this.go(this.moments.length - 1);
    };
    super.draw();
    say(`${name} is next`);
    this.prompt.replaceChildren(el("h2", {}, `${name} is next`));
    const open = button(`I am ${name}`, lift, { class: "action confirm" });
    this.table.replaceChildren(
      el(
        "section",
        { class: "curtain" },
        symbol("lights_out"),
        el("p", {}, `Hand the screen to ${name}; no one else should look.`),
        open,
      ),
    );
    open.focus();
  }

  // -- keeping -------------------------------------------------------------------------------------------------------

  #save() {
    const { game, setup } = this.session;
    const name = `crypt-${setup.seed ?? "game"}-${game.get("decisions")}.jsonl`;
    download(name, `${this.session.record()}\n`);
  }

  #share() {
    const { session, players } = this;
    if (session.setup.deck) {
      openDialog(
        "Share",
        el(
          "p",
          {},
          "This game came from a file, so a link cannot reproduce its dice. Save it as a record and share that.",
        ),
      );
      return;
    }
    const actions = session.events.filter(([kind]) => kind === "act").map(([, , text]) => session.engine.action(text));
    const setup = { ...session.setup, table: session.sides, leader: session.firstLeader };
    const link = new URL(linkOf(setup, players, actions), location.href).href;
    const field = el("input", { value: link, readonly: true, "aria-label": "Link to this game", class: "link" });
    const copy = button("Copy", () => navigator.clipboard?.writeText(link).catch(() => {}), { class: "action" });
    const warning = this.session.game.isOver ? "" : " It holds the seed, and so all that is still hidden.";
    openDialog(
      "Share",
      el("p", {}, `Anyone who opens this link sees the game as it is now and can play on.${warning}`),
      el("div", { class: "actions" }, field, copy),
    );
  }

  /** @param {string} key */
  keyPressed(key) {
    if (this.isMine && this.choices.key(key)) return true;
    /** @type {Object<string, () => void>} */
    const keys = { u: () => this.#undo(), h: () => this.#ask() };
    keys[key.toLowerCase()]?.();
    return key.toLowerCase() in keys;
  }

  promptOf(/** @type {import("./story.js").Moment} */ moment) {
    const shown = super.promptOf(moment);
    if (this.isOpponentsTurn && !this.failure) {
      const level = labelOf(String(this.players[Number(moment.asked)].level));
      shown.push(el("small", {}, this.isRunning ? `${level} is thinking…` : "The game is paused."));
    }
    return shown;
  }
}
