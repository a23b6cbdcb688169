// What a player would do here.
import { html, useEffect, useState } from "../vendor/preact.js";
import { get, tablePath } from "../api.js";
import { Button, Problem, Waiting } from "../parts.js";
import { say } from "../announce.js";
import { moveText, worthOf } from "../words.js";

// {player, moves, best}: the moves come best first.
export async function askHint(table, seat) {
  const { player, moves } = await get(tablePath(table.id, "hint"), { seat });
  return { player, moves, best: moves[0].move };
}

// {hint, problem, asking, ask}; what was said is about one position only.
export function useHint(table, seat) {
  const [state, setState] = useState({ hint: null, problem: null, asking: false });
  useEffect(() => setState({ hint: null, problem: null, asking: false }), [table?.id, table?.version]);
  const ask = async () => {
    setState({ hint: null, problem: null, asking: true });
    try {
      const hint = await askHint(table, seat);
      setState({ hint, problem: null, asking: false });
      say(`${hint.player} would play ${moveText(hint.best)}.`);
    } catch (problem) {
      setState({ hint: null, problem: problem.message, asking: false });
    }
  };
  return { ...state, ask };
}

export function Hint({ table, hint, problem, asking, active, onMove }) {
  if (problem) return html`<${Problem}>${problem}<//>`;
  if (asking) return html`<${Waiting}>Looking for a good move…<//>`;
  if (!hint) return null;
  const worth = worthOf(table);
  return html`<div class="hint"><p>${hint.player} would play <b>${hint.best}</b>.</p>
    <ol>${hint.moves.slice(0, 5).map(({ move, value }) => html`<li key=${move}>
      <${Button} kind="small" disabled=${!active} onClick=${() => onMove(move)}>${moveText(move)}<//>
      <span class="value">${worth.text(value)}</span></li>`)}</ol></div>`;
}
