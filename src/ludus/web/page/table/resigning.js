// Giving up: the table as a whole; or, where a resignation is a move that the other side answers, what one offers.
import { html, useState } from "../vendor/preact.js";
import { post, tablePath } from "../api.js";
import { keysHere } from "../keys.js";
import { Button, Problem } from "../parts.js";
import { capital } from "../words.js";

export function Resigning({ table, view, seat, onResign, onClose }) {
  const [problem, setProblem] = useState(null);
  const offers = view.resignations.filter((one) => one.seat === seat);
  const isMatch = view.score?.points.length > 0;
  const offer = async (text) => {
    try {
      await post(tablePath(table.id, "moves"), { move: text, ply: table.ply, seat }, keysHere(table.id));
      onClose();
    } catch (refusal) {
      setProblem(refusal.message);
    }
  };
  const { name } = table.seats[seat];
  return html`<div class="question resigning"><p>${offers.length ? `Offer to resign, as ${name}:` : `Resign the ${
    isMatch ? "match" : "game"} as ${name}?`}</p>
    ${offers.map(({ text, name: what }) => html`<${Button} key=${text} onClick=${() => offer(text)}>${capital(what)}<//>`)}
    ${(!offers.length || isMatch) && html`<${Button} kind="danger" onClick=${onResign}>${
      offers.length ? "The whole match" : "Resign"}<//>`}
    <${Button} onClick=${onClose}>Play on<//><${Problem}>${problem}<//></div>`;
}
