// A tournament at a glance: who stands where, and the matches.
import { html } from "../vendor/preact.js";
import { get } from "../api.js";
import { List, Page, Problem, Waiting, useRepeated } from "../parts.js";
import { capital } from "../words.js";
import { MatchRows } from "./matches.js";

const standingOf = ({ player, matches, mean, low, high, errors }, place) => ({
  key: player,
  cells: [place + 1, player, matches, mean.toFixed(1), `${low.toFixed(1)} to ${high.toFixed(1)}`, errors],
});

export function TournamentView({ parts: [name] }) {
  const ask = () => get(`tournaments/${encodeURIComponent(name)}`);
  const { value, problem } = useRepeated(ask, [name], ({ running }) => running);
  if (problem) return html`<${Page} title="Tournament"><${Problem}>${problem}<//><//>`;
  if (!value) return html`<${Page} title="Tournament"><${Waiting}>Fetching the tournament…<//><//>`;
  const played = value.planned ? `${value.matches} of ${value.planned}` : value.matches;
  const share = value.planned ? value.matches / value.planned : 1;
  return html`<${Page} title=${capital(name.replace(/\.\d+$/, ""))} wide=${true}
    lead=${`${value.running ? "Under way" : "Over"}: ${played} matches.`}>
    ${value.running && html`<progress max="1" value=${share} aria-label="Matches played"></progress>`}
    <h2>Standings</h2>
    <${List} label="Standings" head=${["Place", "Player", "Matches", "Mean goal", "95 %", "Errors"]}
      figures=${[0, 2, 3, 5]}
      rows=${value.standings.map(standingOf)} />
    <h2>Matches</h2><${MatchRows} rows=${value.results} underWay=${value.running ? [name] : []} />
  <//>`;
}
