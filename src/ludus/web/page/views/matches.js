// Matches of the game manager: players over the network, their clocks and errors, live.
import { html, useEffect, useState } from "../vendor/preact.js";
import { get, post } from "../api.js";
import { Picture } from "../board/board.js";
import { watch } from "../live.js";
import { Button, List, Page, Problem, Waiting, useAsked, useRepeated } from "../parts.js";
import { linkTo } from "../route.js";
import { plural, when } from "../words.js";
import { StartMatch } from "./starting.js";

const statusOf = (stored, running) => (stored === "running" && !running ? "interrupted" : stored);

const playersOf = (row) =>
  row.roles.map((role, i) => html`<div key=${role}>${role}: ${row.players[i]} <b>${row.goalValues?.[i] ?? ""}</b>
    ${" "}${row.errors[i] > 0 && html`<span class="wrong">${plural(row.errors[i], "error")}</span>`}</div>`);

export function MatchRows({ rows, underWay }) {
  const rowOf = (row) => ({
    key: row.matchId,
    cells: [
      html`<a href=${linkTo("match", [row.matchId])}>${row.gameName}</a><br /><small>${row.matchId}</small>`,
      when(row.startTime),
      statusOf(row.status, underWay.includes(row.matchId) || underWay.includes(row.tournament)),
      row.steps,
      playersOf(row),
    ],
  });
  return html`<${List} label="Matches" head=${["Match", "Begun", "Status", "Steps", "Players"]} figures=${[3]}
    rows=${rows.map(rowOf)} />`;
}

export function MatchesView() {
  const { value, problem, reload } = useRepeated(() => get("matches"), [], ({ underWay }) => underWay.length > 0);
  const { value: tournaments } = useAsked(() => get("tournaments"), []);
  return html`<${Page} title="Matches" wide=${true}
    lead="The game manager: players of General Game Playing over the network, and ludus's own.">
    <${Problem}>${problem}<//>
    ${!value && !problem && html`<${Waiting}>Fetching the matches…<//>`}
    ${value?.matches.length > 0 && html`<${MatchRows} rows=${value.matches} underWay=${value.underWay} />`}
    ${value?.matches.length === 0 && html`<p class="empty">No match yet.</p>`}
    ${tournaments?.tournaments.length > 0 && html`<h2>Tournaments</h2>
      <ul class="links">${tournaments.tournaments.map((name) => html`<li key=${name}>
      <a href=${linkTo("tournament", [name])}>${name}</a></li>`)}</ul>`}
    <${StartMatch} onStarted=${reload} />
  <//>`;
}

// Time that the players have left for the step that is under way.
function StepClock({ match }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const since = match.stateTimes.at(-1) ?? match.startTime;
  const whole = match.moves.length || match.errors.length ? match.playClock : match.startClock;
  return html`<span class="clock">${Math.max(0, whole - (now - since) / 1000).toFixed(0)} s</span>`;
}

function Steps({ match }) {
  const cell = (step, i, move) => html`${move && html`<code>${move}</code>`}
    ${match.errors[step]?.[i] && html`<div class="wrong">${match.errors[step][i]}</div>`}`;
  const start = match.gameRoleNames.map(() => null);
  const rows = [start, ...match.moves].map((moves, step) => ({
    key: step,
    cells: [step || "start", ...moves.map((move, i) => cell(step, i, move))],
  }));
  return html`<${List} label="Steps" head=${["Step", ...match.gameRoleNames]} rows=${rows.reverse()} />`;
}

export function MatchView({ parts: [id] }) {
  const [{ match, view }, setShown] = useState({ match: null, view: null });
  const [problem, setProblem] = useState(null);
  useEffect(
    () =>
      watch(id, {}, (message) => {
        if (message.type === "match") {
          setShown(message);
          setProblem(null);
        } else if (message.type === "error") setProblem(message.error);
      }),
    [id],
  );
  if (!match) return html`<${Page} title="Match">${problem ? html`<${Problem}>${problem}
    <//>` : html`<${Waiting}>Fetching the match…<//>`}<//>`;
  const running = !match.isCompleted && !match.isAborted;
  const abort = () => post(`matches/${encodeURIComponent(id)}/abort`).catch((refusal) => setProblem(refusal.message));
  return html`<${Page} title=${match.gameName} wide=${true} lead=${id}>
    <${Problem}>${problem}<//>
    <div class="columns"><section class="panel">
      <h2>${running ? "Under way" : match.isCompleted ? "Completed" : "Aborted"}</h2>
      ${match.failure && html`<${Problem}>${match.failure}<//>`}
      <ul class="seats">${match.gameRoleNames.map((role, i) => html`<li class="seat" key=${role}><span class="who">
        <b>${match.playerNamesFromHost[i]}</b><small>${role}</small></span>
        ${match.goalValues && html`<span class="score">${match.goalValues[i]}
          </span>`}${running && html`<${StepClock} match=${match} />`}</li>`)}</ul>
      <dl class="facts"><div><dt>Begun</dt><dd>${when(match.startTime)}</dd></div><div><dt>Clocks</dt>
        <dd>${match.startClock} s to start, ${match.playClock} s a move</dd></div><div><dt>Steps</dt>
        <dd>${match.moves.length}</dd></div></dl>
      <p class="buttons"><a class="button" href=${`api/matches/${encodeURIComponent(id)}`}
        download=${`${id}.json`}>JSON</a>${running && html`<${Button} kind="danger" onClick=${abort}>Abort<//>`}</p>
        </section>
    <section class="panel"><h2>State</h2>${view ? html`<${Picture} text=${view.board} />` : html`<p class="state">
      <code>${match.states.at(-1) ?? "not begun"}</code></p>`}</section></div>
    <h2>Steps</h2><${Steps} match=${match} />
  <//>`;
}
