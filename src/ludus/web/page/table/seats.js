// Who sits at the table, whose turn it is, and how much time is left.
import { html, useEffect, useState } from "../vendor/preact.js";
import { Button } from "../parts.js";
import { capital, clockText, clockWords } from "../words.js";

const LEVELS = { beginner: "beginner", easy: "easy", medium: "medium", strong: "strong", best: "as strong as it gets" };

function Clock({ milliseconds, running }) {
  const [spent, setSpent] = useState(0);
  useEffect(() => {
    setSpent(0);
    if (!running) return undefined;
    const start = performance.now();
    const timer = setInterval(() => setSpent(performance.now() - start), 100);
    return () => clearInterval(timer);
  }, [milliseconds, running]);
  const left = milliseconds - spent;
  return html`<span class=${`clock ${left < 20000 ? "low" : ""}`}><span aria-hidden="true">${clockText(left)}</span>
    <span class="unseen">${clockWords(left)}</span></span>`;
}

function Seat({ seat, table, points, here, onInvite }) {
  const toMove = table.due.includes(seat.seat);
  const thinking = seat.kind === "player" && !table.result && table.thinking.includes(seat.seat);
  const score = points ?? table.result?.scores?.[seat.seat];
  const level = seat.kind === "player" ? LEVELS[seat.level] : null;
  const note = thinking ? "thinking…" : level ? seat.player : seat.kind === "person" && here ? "here" : "";
  return html`<li class=${`seat ${toMove ? "to-move" : ""}`}>
    <span class="turn-sign" aria-hidden="true"></span>
    <span class="who"><b>${level ? `Computer, ${level}` : seat.who}</b>
      <small>${capital(seat.name)}${note && ` · ${note}`}${toMove && html`<span class="unseen">, to move</span>`}
      </small></span>
    ${onInvite && html`<${Button} kind="small" onClick=${onInvite}>Invite<//>`}
    ${score !== undefined && html`<span class="score">${Number(score.toFixed(2))}</span>`}
    ${seat.clock !== null && seat.clock !== undefined && html`<${Clock} milliseconds=${seat.clock}
      running=${toMove} />`}
  </li>`;
}

// `points` are those of a match; `guests` are seats whose keys wait to be sent to somebody.
export const Seats = ({ table, points, here, guests, onInvite }) => html`<ul class="seats" aria-label="Seats">
  ${table.seats.map((seat) => {
    const guest = guests.find((one) => one.seat === seat.seat);
    return html`<${Seat} key=${seat.seat} seat=${seat} table=${table} points=${points?.[seat.seat]} here=${here.includes(seat.seat)}
      onInvite=${guest && (() => onInvite(guest))} />`;
  })}
</ul>`;
