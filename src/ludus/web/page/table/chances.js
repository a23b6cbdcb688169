// How the game went: what each seat could hope for after every step, as lines and in words.
import { html } from "../vendor/preact.js";
import { capital, worthOf } from "../words.js";

const WIDE = 320;
const HIGH = 96;
const EDGE = 4;
const DASHES = ["none", "6 4", "2 3", "9 3 2 3"]; // seats are told apart without colours, too

const known = (value) => value !== null && value !== undefined;

// The points of a seat's line. Not every position is judged for every seat.
const pointsOf = (plies, seat) =>
  plies.map(({ ply, value }) => ({ ply, value: value?.[seat] })).filter(({ value }) => known(value));

const pathOf = (points, x, y) =>
  points.map(({ ply, value }, i) => `${i ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");

function Chart({ lines, worth, last, ply, onPly }) {
  const x = (at) => EDGE + ((WIDE - 2 * EDGE) * at) / Math.max(1, last);
  const y = (value) => EDGE + (HIGH - 2 * EDGE) * (1 - worth.part(value));
  const pick = (event) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const at = (((event.clientX - left) / width) * WIDE - EDGE) / (WIDE - 2 * EDGE);
    onPly(Math.round(Math.min(1, Math.max(0, at)) * last));
  };
  const shown = lines.length === 2 ? lines.slice(0, 1) : lines; // of two seats, the other has the rest
  const [first] = shown;
  const below = () => `${pathOf(first, x, y)}L${x(first.at(-1).ply)} ${HIGH}L${x(first[0].ply)} ${HIGH}Z`;
  const area = lines.length === 2 && first.length > 1 ? below() : null;
  return html`<svg class="chart" viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true"
    onClick=${pick}>
    <line class="even" x1="0" x2=${WIDE} y1=${HIGH / 2} y2=${HIGH / 2} />
    ${area && html`<path class="area" d=${area} />`}
    ${shown.map((points, seat) => html`<path key=${seat} class=${`line seat${seat}`}
      stroke-dasharray=${DASHES[seat % 4]} d=${pathOf(points, x, y)} />`)}
    <line class="here" x1=${x(ply)} x2=${x(ply)} y1="0" y2=${HIGH} />
  </svg>`;
}

const Key = ({ seat }) => html`<svg class="key" viewBox="0 0 24 4" aria-hidden="true">
  <path class=${`line seat${seat}`} stroke-dasharray=${DASHES[seat % 4]} d="M0 2h24" />
</svg>`;

export function Chances({ table, chances, ply, onPly }) {
  const plies = (chances?.plies ?? []).filter((one) => one.ply <= table.ply); // others were taken back
  const lines = table.seats.map(({ seat }) => pointsOf(plies, seat));
  if (!lines.some((points) => points.length)) {
    return html`<p class="quiet">Here it is shown how the game goes, once a player has looked at the positions.</p>`;
  }
  const worth = worthOf(table, lines.flat().map(({ value }) => value));
  const now = (points) => points.findLast((point) => point.ply <= ply);
  return html`<div>
    <${Chart} lines=${lines} worth=${worth} last=${table.ply} ply=${ply} onPly=${onPly} />
    <ul class="legend" aria-label=${worth.title}>${table.seats.map(({ seat, name }) => html`<li key=${seat}>
      ${lines.length > 2 && html`<${Key}
        seat=${seat} />`} ${capital(name)} <b>${now(lines[seat]) ? worth.text(now(lines[seat]).value) : "not known"}</b>
        </li>`)}</ul>
    <p class="quiet">${worth.title}${chances.player ? `, as ${chances.player} sees it` : ""}.</p>
  </div>`;
}
