/** Light and dark: as the system is set, until the reader chooses. */

import { button } from "./dom.js";
import { keepPreferences, keptPreferences } from "./storage.js";

const system = matchMedia("(prefers-color-scheme: dark)");

/** Set the theme, and follow the system. */
export function setTheme() {
  document.documentElement.dataset.theme = keptPreferences().theme ?? (system.matches ? "dark" : "light");
}

system.addEventListener("change", setTheme);

/** Return the switch. */
export function themeButton() {
  const flip = () => {
    keepPreferences({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" });
    setTheme();
  };
  return button("◐", flip, { class: "quiet", "aria-label": "Light or dark", title: "Light or dark" });
}
