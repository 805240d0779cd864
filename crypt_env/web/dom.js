/** Elements of the document, made in one line each. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return an element.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]  those that begin with "on" are listeners; false and null leave one out
 * @param {...(Node | string | number | null | false | undefined | any[])} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (filled(document.createElement(tag), attributes, children));
}

/**
 * Return an element of a drawing.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...any} children
 */
export function svg(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (filled(document.createElementNS(SVG, tag), attributes, children));
}

/** @param {Element} element @param {Object<string, any>} attributes @param {any[]} children */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const wanted = children.flat(3).filter((child) => child !== null && child !== false && child !== undefined);
  element.append(...wanted.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** Return a button. @param {any} label @param {() => void} press @param {Object<string, any>} [attributes] */
export function button(label, press, attributes = {}) {
  return /** @type {HTMLButtonElement} */ (el("button", { type: "button", onclick: press, ...attributes }, label));
}

/**
 * Return a field to choose from.
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} change
 * @param {Object<string, any>} [attributes]
 */
export function select(options, value, change, attributes = {}) {
  const field = /** @type {HTMLSelectElement} */ (
    el(
      "select",
      attributes,
      options.map(([key, label]) => el("option", { value: key, selected: key === value }, label)),
    )
  );
  field.addEventListener("change", () => change(field.value));
  return field;
}

/** Say something to those who listen to the page instead of seeing it. @param {string} words */
export function say(words) {
  const region = document.getElementById("spoken");
  if (region) region.textContent = words;
}

/** Show a dialog; it is gone once it is closed. @param {string} title @param {...any} content */
export function openDialog(title, ...content) {
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      { "aria-label": title },
      el(
        "header",
        {},
        el("h2", {}, title),
        button("Close", () => dialog.close(), { class: "quiet" }),
      ),
      content,
    )
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
