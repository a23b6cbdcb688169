// Moves in writing: a field that takes the game's notation, and the legal moves, fewer with each letter.
import { html, useState } from "../vendor/preact.js";
import { Button, Field } from "../parts.js";
import { moveText } from "../words.js";

const MOST = 60; // buttons at once

export function Moves({ view, active, open, onMove }) {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const words = moveText(wanted).split(/\s+/);
  const fitting = view.moves.filter(({ text }) => words.every((word) => moveText(text).toLowerCase().includes(word)));
  const send = (event) => {
    event.preventDefault();
    if (!wanted) return;
    const exact = fitting.find(({ text }) => moveText(text).toLowerCase() === moveText(wanted));
    // What fits one move means it; anything else is the server's to read, which knows more ways to write a move.
    onMove((exact ?? (fitting.length === 1 ? fitting[0] : { text: typed.trim() })).text);
    setTyped("");
  };
  const list = html`<ul class="moves" aria-label="Legal moves">
    ${fitting.slice(0, MOST).map(({ text }) => html`<li key=${text}>
      <${Button} kind="small" disabled=${!active} onClick=${() => onMove(text)}>${moveText(text)}<//></li>`)}
    ${fitting.length > MOST && html`<li class="quiet">and ${fitting.length - MOST} more: type to narrow them down</li>`}
    ${!fitting.length && view.moves.length > 0 && html`<li class="quiet">No legal move contains this.</li>`}
  </ul>`;
  return html`<div class="writing">
    <form onSubmit=${send}><${Field} label="Type a move">${(id) => html`<div class="row">
      <input id=${id} type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value=${typed}
        disabled=${!active} onInput=${(event) => setTyped(event.target.value)} />
      <${Button} type="submit" disabled=${!active || !wanted}>Play<//></div>`}<//></form>
    ${open || wanted ? list : html`<details><summary>All legal moves (${view.moves.length})</summary>${list}</details>`}
  </div>`;
}
