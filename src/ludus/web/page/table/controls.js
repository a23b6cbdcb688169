// What one can ask for beside moving: undo, resign, flip, rematch, a hint, the files.
import { html, useState } from "../vendor/preact.js";
import { post, tablePath } from "../api.js";
import { keepNew, keysHere } from "../keys.js";
import { Button, Problem } from "../parts.js";
import { go } from "../route.js";
import { Resigning } from "./resigning.js";

// Ask the table for something on behalf of a seat; what it refuses is shown beside the buttons.
export function useAsking(table) {
  const [problem, setProblem] = useState(null);
  const ask = async (what, seat) => {
    setProblem(null);
    try {
      return await post(tablePath(table.id, what), { seat }, keysHere(table.id));
    } catch (refusal) {
      setProblem(refusal.message);
      return null;
    }
  };
  return { problem, ask };
}

// Everybody keeps their key, and sits one seat further. Who asks after another comes to the same table.
async function playAgain(here, ask) {
  const made = await ask("rematch", here[0] ?? null);
  if (!made) return;
  keepNew(made.id, made.keys);
  go("table", [made.id]);
}

export function Controls({ table, view, here, asked, asking, hint, onFlip, onShare, onHelp }) {
  const [sure, setSure] = useState(false);
  const seat = asked ?? here[0] ?? null;
  const wish = table.asked;
  const isChoice = (step) => !step.chance && (step.seat === null || table.seats[step.seat].kind === "person");
  const hasPlayed = table.steps.some(isChoice) && (!table.result || table.result.reason === "played");
  const mayRepeat = here.length > 0 || table.seats.every(({ kind }) => kind === "player");
  const toAnswer = wish && wish.seat !== seat && here.length > 0;
  const resign = () => {
    setSure(false);
    asking.ask("resign", seat);
  };
  return html`<div class="controls" role="group" aria-label="Controls">
    ${toAnswer && html`<div class="question" role="alert">
      <p>${table.seats[wish.seat].who} asks to take the last move back.</p>
      <${Button} kind="main" onClick=${() => asking.ask("undo", seat)}>Allow<//>
        <${Button} onClick=${() => asking.ask("decline", seat)}>Decline<//></div>`}
    ${wish && !toAnswer && html`<p class="quiet">You asked to take the last move back. Waiting for an answer.</p>`}
    ${table.next && here.length > 0 && html`<div class="question" role="alert"><p>There is a rematch.</p>
      <${Button} kind="main" onClick=${() => playAgain(here, asking.ask)}>Join<//></div>`}
    <div class="buttons">
      ${here.length > 0 && html`<${Button} icon="undo"
        disabled=${!hasPlayed || Boolean(wish)}
        onClick=${() => asking.ask("undo", seat)}>Undo<//>`}
      ${here.length > 0 && !table.result && html`<${Button} icon="bulb" disabled=${asked === null || hint.asking}
        onClick=${hint.ask}>Hint<//>`}
      <${Button} icon="flip" onClick=${onFlip}>Flip<//>
      ${here.length > 0 && !table.result && !sure && html`<${Button} icon="flag"
        onClick=${() => setSure(true)}>Resign<//>`}
      ${table.result && mayRepeat && html`<${Button} icon="again" onClick=${() => playAgain(here, asking.ask)}>Rematch<//>`}
      <${Button} icon="share" onClick=${onShare}>Share<//>
      <${Button} icon="help" onClick=${onHelp}>Help<//>
    </div>
    ${sure && !table.result && html`<${Resigning} table=${table} view=${view} seat=${seat} onResign=${resign}
      onClose=${() => setSure(false)} />`}
    <${Problem}>${asking.problem}<//>
  </div>`;
}
