// How a match stands, and what everybody should hear: how a game of it ended.
import { html } from "../vendor/preact.js";

export function Score({ table, score }) {
  if (!score) return null;
  const points = score.points.map((count, seat) => `${table.seats[seat].name} ${count}`);
  return html`<p class="match-score" aria-label="Score"><b>${score.title}</b>
    ${points.length > 0 && html`<span class="points">${points.join(" – ")}</span>`}
    ${score.notes.map((note) => html`<span key=${note}>${note}</span>`)}</p>`;
}

const LATER = 4; // steps after which those who only watch have read it

// The news of the position that is shown. Who plays here sees it until they have done something themselves.
function newsAt(table, ply, here, past) {
  const steps = table.steps.slice(0, ply);
  const at = steps.findLastIndex(({ note }) => note);
  if (at < 0) return null;
  const since = steps.slice(at + 1).filter(({ chance }) => !chance);
  const isRead = past ? at < ply - 1 : here.length ? since.some(({ seat }) => here.includes(seat)) : since.length > LATER;
  return isRead ? null : steps[at].note;
}

export function News({ table, ply, here, past }) {
  const words = newsAt(table, ply, here, past);
  return words && html`<p class="news" role="status">${words}</p>`;
}
