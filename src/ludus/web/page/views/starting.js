// Starting a match or a tournament of the game manager.
import { html, useState } from "../vendor/preact.js";
import { catalog, post } from "../api.js";
import { Button, Problem, Select, Switch, TextField, useAsked } from "../parts.js";
import { go } from "../route.js";

// Names with commas between them; those in brackets belong to a name: mcts(simulations=50,guided=true).
const listed = (text) => text.split(/[\s,]+(?![^(]*\))/).filter(Boolean);

const FIRST = { game: "tictactoe", players: "mcts, random", start: "10", play: "5", rounds: "1", tournament: false };

export function StartMatch({ onStarted }) {
  const { value } = useAsked(catalog, []);
  const [wish, setWish] = useState(FIRST);
  const [state, setState] = useState({ busy: false, problem: null });
  const change = (values) => setWish({ ...wish, ...values });
  const games = (value?.games ?? []).filter(({ family }) => family === "gdl");
  const sheets = games.map(({ name, title }) => ({ value: name, title }));
  const start = async (event) => {
    event.preventDefault();
    setState({ busy: true, problem: null });
    const common = { players: listed(wish.players), start: Number(wish.start), play: Number(wish.play) };
    try {
      if (wish.tournament) {
        const made = await post("tournaments", { ...common, games: [wish.game], rounds: Number(wish.rounds) });
        go("tournament", [made.tournament]);
      } else {
        const made = await post("matches", { ...common, game: wish.game });
        go("match", [made.matchId]);
      }
      onStarted();
    } catch (refusal) {
      setState({ busy: false, problem: refusal.message });
    }
  };
  return html`<section class="panel"><h2>Start a match</h2><form onSubmit=${start}>
    <div class="fields">
      <${Select} label="Game" value=${wish.game} options=${sheets} onPick=${(game) => change({ game })} />
      <${TextField} label="Players" note="Names of ludus's players, or addresses: 127.0.0.1:9147" value=${wish.players}
        onInput=${(players) => change({ players })} />
      <${TextField} label="Seconds to start" inputmode="decimal" value=${wish.start}
        onInput=${(seconds) => change({ start: seconds })} />
      <${TextField} label="Seconds a move" inputmode="decimal" value=${wish.play}
        onInput=${(play) => change({ play })} />
      ${wish.tournament && html`<${TextField} label="Rounds" inputmode="numeric" value=${wish.rounds}
        onInput=${(rounds) => change({ rounds })} />`}
    </div>
    <${Switch} label="A tournament" note="Every group of the players meets, in every rotation." on=${wish.tournament}
      onChange=${(tournament) => change({ tournament })} />
    <${Problem}>${state.problem}<//>
    <p class="buttons"><${Button} type="submit" kind="main" disabled=${state.busy}>${state.busy ? "Starting…" : "Start"}
      <//></p>
  </form></section>`;
}
