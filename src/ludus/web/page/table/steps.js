// The list of what was played; each step leads to its position.
import { html, useEffect, useRef } from "../vendor/preact.js";
import { moveText } from "../words.js";

// Lines of one turn each: that somebody rolls, and the rolls of chance, stand before the move on its line.
function linesOf(steps) {
  const lines = [];
  let rolled = [];
  for (const step of steps) {
    if (step.chance || step.texts[0] === "roll") rolled.push(step);
    else {
      lines.push({ rolled, step });
      rolled = [];
    }
  }
  if (rolled.length) lines.push({ rolled, step: null });
  return lines;
}

// From step to step inside the list; for Tab it is one stop, however long the game is.
const KEYS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

function walk(event) {
  if (!(event.key in KEYS)) return;
  const steps = [...event.currentTarget.querySelectorAll(".step")];
  const at = steps.indexOf(event.target);
  const first = steps.find((step) => step.ariaCurrent) ?? steps[0];
  (at < 0 ? first : steps[at + KEYS[event.key]])?.focus();
  event.preventDefault();
}

const Step = ({ step, ply, onPly, children }) => html`<button type="button"
  class=${`step ${step.chance ? "chance" : ""}`} aria-current=${step.ply === ply ? "step" : null}
  tabindex="-1" onClick=${() => onPly(step.ply)}>${children}</button>`;

export function Steps({ table, ply, onPly }) {
  const list = useRef(null);
  const here = ply ?? table.ply;
  useEffect(() => {
    const current = list.current.querySelector("[aria-current]");
    // Only the list scrolls, never the page.
    if (current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [here, table.version]);
  if (!table.steps.length) return html`<div class="steps" ref=${list}><p class="quiet">Nothing was played yet.</p>
    </div>`;
  return html`<div class="steps" ref=${list} tabindex="0" role="region" aria-label="Moves" onKeyDown=${walk}><ol>
    ${linesOf(table.steps).map(({ rolled, step }, number) => html`<li key=${number}>
      <span class="number">${number + 1}</span>
      <span class="mover">${step === null ? "" : step.seat === null ? "all" : table.seats[step.seat].name}</span>
      <span class="played">
        ${rolled.map((roll) => html`<${Step} key=${roll.ply} step=${roll} ply=${here}
          onPly=${onPly}>${roll.texts.map(moveText).join(" ")}<//>`)}
        ${step && html`<${Step} step=${step} ply=${here} onPly=${onPly}>${step.texts.map(moveText).join(" · ")}<//>`}
        ${step?.note && html`<span class="note">${step.note}</span>`}
      </span>
    </li>`)}
  </ol></div>`;
}
