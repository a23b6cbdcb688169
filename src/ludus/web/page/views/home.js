// The first page: one click to a game, and the games that go on.
import { html, useState } from "../vendor/preact.js";
import { catalog, get } from "../api.js";
import { ownTables } from "../keys.js";
import { quickGame } from "../making.js";
import { Button, Problem, Select, Waiting, useAsked } from "../parts.js";
import { linkTo } from "../route.js";
import { change, useSettings } from "../settings.js";
import { plural, rowText, when } from "../words.js";

const BIG = ["backgammon", "ludo", "quoridor"];
const SHOWN = 6; // open games

function Card({ game }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const start = () => {
    setBusy(true);
    quickGame(game).catch((refusal) => {
      setBusy(false);
      setProblem(refusal.message);
    });
  };
  return html`<li class="card"><img src=${`pictures/${game.family}.svg`} alt="" width="240" height="150" />
    <div class="card-body"><h2>${game.title}</h2><p>${game.summary}</p><${Problem}>${problem}<//>
      <p class="buttons"><${Button} kind="main" disabled=${busy} aria-label=${`Play ${game.title}`}
        onClick=${start}>${busy ? "Starting…" : "Play"}<//>
        <a class="button" href=${linkTo("new", [], { game: game.name })}
          aria-label=${`Options for ${game.title}`}>Options</a></p></div></li>`;
}

const MoreCard = ({ number }) => html`<li class="card"><img src="pictures/rulesheets.svg" alt="" width="240"
  height="150" />
  <div class="card-body"><h2>More games</h2>
    <p>${plural(number, "game")} by rulesheet, from tic-tac-toe to checkers, or one of your own.</p>
    <p class="buttons"><a class="button main" href="#/new?more=1">Choose</a>
      <a class="button" href="#/new?sheet=1" aria-label="Your own rulesheet">Your own</a></p></div></li>`;

function Open() {
  const { value } = useAsked(() => get("tables", { state: "open", limit: 50 }), []);
  const own = ownTables();
  const rows = (value?.tables ?? []).filter(({ id, kind }) => kind === "table" && own.has(id)).slice(0, SHOWN);
  if (!rows.length) return null;
  return html`<section><h2>Continue</h2><ul class="open">${rows.map((row) => html`<li key=${row.id}>
    <a href=${linkTo("table", [row.id])}><b>${row.title}</b><span>${rowText(row)}</span>
      <small>${plural(row.plies, "step")}, begun ${when(row.started)}</small></a></li>`)}</ul></section>`;
}

export function HomeView() {
  const { value, problem, reload } = useAsked(catalog, []);
  const likes = useSettings();
  const levels = (value?.levels ?? []).map(({ id, title }) => ({ value: id, title }));
  return html`<div class="page wide">
    <div class="greeting">
      <div><h1>Play a game</h1><p class="lead">Meet what the machine has learned, alone or with friends.</p></div>
      ${levels.length > 0 && html`<${Select} label="Opponents" value=${likes.level} options=${levels}
        onPick=${(level) => change({ level })} />`}</div>
    <${Problem}>${problem}<//>
    ${problem && html`<${Button} onClick=${reload}>Try again<//>`}
    ${!value && !problem && html`<${Waiting}>Fetching the games…<//>`}
    ${value && html`<ul class="cards">
      ${BIG.map((name) => value.games.find((game) => game.name === name)).filter(Boolean).map((game) => html`<${Card}
        key=${game.name} game=${game} />`)}
      <${MoreCard} number=${value.games.filter(({ family }) => family === "gdl").length} />
    </ul>`}
    <${Open} />
  </div>`;
}
