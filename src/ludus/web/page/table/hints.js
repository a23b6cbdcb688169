// What a player would do here.
import { html, useRef, useState } from "../vendor/preact.js";
import { get, tablePath } from "../api.js";
import { Button, Problem, Waiting } from "../parts.js";
import { say } from "../announce.js";
import { moveText, worthOf } from "../words.js";

// {player, moves, words, best}: the moves come best first; of the cube there is more to say.
export async function askHint(table, seat) {
  const { player, moves, words } = await get(tablePath(table.id, "hint"), { seat });
  return { player, moves, words, best: moves[0].move };
}

const NONE = { hint: null, problem: null, asking: false };

// {hint, problem, asking, ask}; what was said is about one position only, and may come when that has gone.
export function useHint(table, seat) {
  const at = table && `${table.id}/${table.version}/${seat}`;
  const latest = useRef(at);
  latest.current = at;
  const [kept, setKept] = useState(NONE);
  const isWanted = () => latest.current === at;
  const change = (values) => isWanted() && setKept({ ...NONE, ...values, at });
  const ask = async () => {
    change({ asking: true });
    try {
      const hint = await askHint(table, seat);
      change({ hint });
      if (isWanted()) say(`${hint.player} would play ${moveText(hint.best)}.`);
    } catch (problem) {
      change({ problem: problem.message });
    }
  };
  return { ...(kept.at === at ? kept : NONE), ask };
}

export function Hint({ table, hint, problem, asking, active, onMove }) {
  if (problem) return html`<${Problem}>${problem}<//>`;
  if (asking) return html`<${Waiting}>Looking for a good move…<//>`;
  if (!hint) return null;
  const worth = worthOf(table);
  return html`<div class="hint"><p>${hint.player} would play <b>${hint.best}</b>.</p>
    <ol>${hint.moves.slice(0, 5).map(({ move, value }) => html`<li key=${move}>
      <${Button} kind="small" disabled=${!active} onClick=${() => onMove(move)}>${moveText(move)}<//>
      <span class="value">${worth.text(value)}</span></li>`)}</ol>
    ${hint.words.length > 0 && html`<details><summary>Why</summary>${hint.words.map((line) => html`<p
      key=${line}>${line}</p>`)}</details>`}</div>`;
}
