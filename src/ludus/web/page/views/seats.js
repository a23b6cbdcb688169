// Who sits where, for a new game.
import { html } from "../vendor/preact.js";
import { Choice, Field, Select, TextField, useId } from "../parts.js";
import { capital } from "../words.js";

const KINDS = [
  { value: "person", title: "Person here" },
  { value: "guest", title: "Person elsewhere" },
  { value: "player", title: "Computer" },
];
const SECONDS = [0.2, 0.5, 1, 2, 5, 10, 30].map((value) => ({ value, title: `${value} s` }));

export const firstSeats = (number, watching, { name, level }) =>
  Array.from({ length: number }, (_, seat) => ({
    kind: seat || watching ? "player" : "person",
    name: seat ? `Guest ${seat}` : name,
    level,
    seconds: 1,
    player: "",
  }));

// What the server is asked for. An exact player, if one is named, counts for more than the strength in words.
export function seatWish({ kind, name, level, seconds, player }) {
  if (kind !== "player") return { kind: "person", name };
  return player.trim() ? { kind, player: player.trim() } : { kind, level, seconds };
}

function Computer({ seat, players, levels, onChange }) {
  const id = useId();
  const known = levels.map(({ id: value, title }) => ({ value, title }));
  const note = levels.find(({ id: level }) => level === seat.level)?.note;
  return html`<div class="fields"><${Select} label="Strength" note=${note && capital(note)} value=${seat.level}
    options=${known} onPick=${(level) => onChange({ level, player: "" })} />
    <${Select} label="Thinking time" note="At most, for a move." value=${seat.seconds} options=${SECONDS}
      onPick=${(seconds) => onChange({ seconds })} /></div>
    <details open=${seat.player !== ""}><summary>Exact player</summary>
      <${Field} label="Name and parameters"
        note="As on the command line. If one is given, it counts instead of the strength.">${(field) => html`
        <input id=${field} type="text" list=${id} autocomplete="off" spellcheck="false" placeholder="td(plies=1)"
          value=${seat.player} onInput=${(event) => onChange({ player: event.target.value })} />`}<//>
      <datalist id=${id}>${players.map((player) => html`<option key=${player.name}
        value=${player.name}>${player.summary}</option>`)}</datalist>
      <dl class="players">${players.map((player) => html`<div key=${player.name}><dt><code>${player.name}</code></dt>
        <dd>${player.summary}</dd></div>`)}</dl>
    </details>`;
}

export function SeatFields({ seats, names, players, levels, onChange }) {
  const change = (at, values) => onChange(seats.map((seat, i) => (i === at ? { ...seat, ...values } : seat)));
  return seats.map((seat, at) => {
    const title = names[at] ? capital(names[at]) : `Seat ${at + 1}`;
    return html`<fieldset class="seat-fields" key=${at}><legend>${title}</legend>
      <${Choice} label=${`Who plays ${title}`} hidden=${true} value=${seat.kind} options=${KINDS}
        onPick=${(kind) => change(at, { kind })} />
      ${seat.kind === "player"
        ? html`<${Computer} seat=${seat} players=${players} levels=${levels}
          onChange=${(values) => change(at, values)} />`
        : html`<${TextField} label="Name" value=${seat.name} maxlength="60"
          note=${seat.kind === "guest" ? "You get a link to send." : null}
          onInput=${(name) => change(at, { name })} />`}
    </fieldset>`;
  });
}
