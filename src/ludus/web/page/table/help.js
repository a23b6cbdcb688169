// What the keys do, for people who look for it.
import { html } from "../vendor/preact.js";
import { Dialog } from "../parts.js";

const KEYS = [
  ["Tab", "to the board, and on to the controls"],
  ["Arrow keys", "from place to place; with Shift to another sort of place, a wall beside a square"],
  [". and ,", "to the next or previous place where something can be done"],
  ["Enter or Space", "take a piece, or put it down"],
  ["Escape", "put it back"],
  ["[ and ]", "one step back or on in the game"],
  ["f", "flip the board"],
  ["h", "hint"],
  ["u", "undo"],
  ["/", "type a move"],
];
const CUBE_KEYS = [
  ["r, d", "roll, or double"],
  ["t, p, b", "take, pass or beaver"],
  ["a, x", "accept a resignation, or reject it"],
];

export const Help = ({ notation, cube, onClose }) => html`<${Dialog} title="How to move" onClose=${onClose}>
  <p>Click a piece and then where it goes, or drag it. Places where something can be done are marked.</p>
  ${notation && html`<p>Moves can be typed, too: ${notation}</p>`}
  <table class="keys"><caption>Keys</caption><tbody>
    ${[...KEYS, ...(cube ? CUBE_KEYS : [])].map(([key, does]) => html`<tr key=${key}><th scope="row"><kbd>${key}</kbd></th><td>${does}</td></tr>`)}
  </tbody></table>
<//>`;
