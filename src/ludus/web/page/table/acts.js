// What is decided without a piece, roll or double, take or pass, by buttons; each has a key, too.
import { html } from "../vendor/preact.js";
import { Button } from "../parts.js";

export const actsOf = (turn) => turn.touches.filter(({ button }) => button);

// For the keyboard, wherever one is on the page.
export const keysOf = (turn) => Object.fromEntries(actsOf(turn).map((touch) => [touch.key, () => turn.choose(touch)]));

export const Acts = ({ turn }) => html`<div class="acts" role="group" aria-label="Your decision">
  ${actsOf(turn).map((touch, i) => html`<${Button} key=${touch.text} kind=${i ? "" : "main"} title=${`Key: ${touch.key}`}
    aria-keyshortcuts=${touch.key} onClick=${() => turn.choose(touch)}>${touch.button}<//>`)}</div>`;
