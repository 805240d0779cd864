/** Light and dark: as the system wishes, until somebody chooses. */

import { button } from "./dom.js";
import { keepWishes, keptWishes } from "./storage.js";

const wish = matchMedia("(prefers-color-scheme: dark)");

/** Set the theme, and follow the system. */
export function setTheme() {
  document.documentElement.dataset.theme = keptWishes().theme ?? (wish.matches ? "dark" : "light");
}

wish.addEventListener("change", setTheme);

/** Return the switch. */
export function themeButton() {
  const flip = () => {
    keepWishes({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" });
    setTheme();
  };
  return button("◐", flip, { class: "quiet", "aria-label": "Light or dark", title: "Light or dark" });
}
