// Several boards at once: those that are named, or all that are being played.
import { html, useEffect, useState } from "../vendor/preact.js";
import { get } from "../api.js";
import { Picture } from "../board/board.js";
import { watch } from "../live.js";
import { Page, Problem, Waiting, useRepeated } from "../parts.js";
import { linkTo } from "../route.js";

const MOST = 12;

function Small({ id }) {
  const [state, setState] = useState(null);
  useEffect(() => watch(id, { seat: null, flip: false }, (message) => message.type === "table" && setState(message)), [id]);
  if (!state) return html`<li class="small-board"><${Waiting}>Fetching ${id}…<//></li>`;
  const { table, view } = state;
  return html`<li class="small-board"><a href=${linkTo("table", [id])}>
    <${Picture} text=${view.board} last=${view.last} />
    <b>${table.title}</b><span>${table.seats.map((seat) => seat.who).join(" – ")}</span>
      <small>${table.result ? table.result.text : table.status}</small></a></li>`;
}

export function BoardsView({ query }) {
  const named = query.ids ? query.ids.split(",").filter(Boolean) : null;
  const ask = async () => (named ? null : get("tables", { state: "open", limit: 50 }));
  const { value, problem } = useRepeated(ask, [query.ids], () => true);
  const ids = (named ?? (value?.tables ?? []).filter(({ kind }) => kind === "table").map(({ id }) => id)).slice(0, MOST);
  return html`<${Page} title="Watch" wide=${true}
    lead=${named ? null : "All games that are being played on this server."}>
    <p class="buttons"><a class="button main" href="#/new?watch=1">Let players meet</a>
      <a class="button" href="#/matches">Matches over the network</a></p>
    <${Problem}>${problem}<//>
    ${!named && !value && !problem && html`<${Waiting}>Looking for games…<//>`}
    ${(named || value) && !ids.length && html`<p class="empty">Nobody plays at the moment.</p>`}
    <ul class="boards">${ids.map((id) => html`<${Small} key=${id} id=${id} />`)}</ul>
  <//>`;
}
