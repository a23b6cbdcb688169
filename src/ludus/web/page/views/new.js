// A new game: which, who sits where, how strong, with which clock.
import { html, useState } from "../vendor/preact.js";
import { catalog, get } from "../api.js";
import { setUp } from "../making.js";
import { Button, Page, Problem, Select, TextField, Waiting, useAsked } from "../parts.js";
import { settings } from "../settings.js";
import { valuesIn, variantName } from "../words.js";
import { OptionFields } from "./options.js";
import { SeatFields, firstSeats, seatWish } from "./seats.js";
import { Sheet } from "./sheet.js";

const NONE = [];
const CLOCKS = [
  { value: "", title: "No clock" },
  { value: "60+1", title: "1 minute + 1 s a move" },
  { value: "180+2", title: "3 minutes + 2 s a move" },
  { value: "300+5", title: "5 minutes + 5 s a move" },
  { value: "900+10", title: "15 minutes + 10 s a move" },
];
const PACES = [0, 0.5, 1, 2, 5].map((value) => ({
  value,
  title: value ? `${value} s between moves` : "as fast as they play",
}));

const clockWish = (text) => {
  const [seconds, increment] = text.split("+").map(Number);
  return text ? { clock: { seconds, increment } } : {};
};

function GamePicker({ games, value, onPick }) {
  const main = games.filter(({ family }) => family !== "gdl");
  const sheets = games.filter(({ family }) => family === "gdl");
  const option = (game) => html`<option key=${game.name} value=${game.name}
    selected=${game.name === value}>${game.title}</option>`;
  return html`<div class="field"><label for="game">Game</label>
    <select id="game" onChange=${(event) => onPick(event.target.value)}>
    ${main.map(option)}<optgroup label="By rulesheet">${sheets.map(option)}</optgroup></select></div>`;
}

function Form({ games, levels, query }) {
  const named = games.find(({ name }) => name === query.game?.replace(/\(.*/, ""));
  const [game, setGame] = useState(named ?? games.find(({ family }) => !query.more || family === "gdl"));
  const [options, setOptions] = useState(() => valuesIn(game, query.game ?? ""));
  const [seats, setSeats] = useState(() => firstSeats(options.seats ?? game.seats, Boolean(query.watch), settings.get()));
  const [clock, setClock] = useState("");
  const [pace, setPace] = useState(1);
  const [more, setMore] = useState({ position: "", seed: "" });
  const [state, setState] = useState({ busy: false, problem: null });

  const pickGame = (next) => {
    setGame(next);
    setOptions({});
    setSeats(firstSeats(next.seats, Boolean(query.watch), settings.get()));
  };
  const pickOption = (name, value) => {
    setOptions({ ...options, [name]: value });
    if (name === "seats") setSeats(firstSeats(Number(value), Boolean(query.watch), settings.get()));
  };
  const watching = seats.every(({ kind }) => kind === "player");
  const start = async (event) => {
    event.preventDefault();
    setState({ busy: true, problem: null });
    const guests = seats.flatMap(({ kind }, seat) => (kind === "guest" ? [seat] : []));
    const wish = { game: variant, seats: seats.map(seatWish), ...clockWish(clock), ...(watching && { pace }) };
    if (more.position.trim()) wish.position = more.position.trim();
    if (more.seed.trim()) wish.seed = Number(more.seed);
    try {
      await setUp(wish, guests);
    } catch (refusal) {
      setState({ busy: false, problem: refusal.message });
    }
  };
  // The names of the seats, and who can play, depend on the variant.
  const variant = variantName(game, options);
  const { value } = useAsked(async () => ({ variant, ...(await get("about", { game: variant })) }), [variant]);
  const about = value?.variant === variant ? value : null;
  return html`<form class="setup" onSubmit=${start}>
    <section class="panel game"><h2>Game</h2>
      <${GamePicker} games=${games.includes(game) ? games : [...games, game]} value=${game.name}
        onPick=${(name) => name !== game.name && pickGame(games.find((one) => one.name === name))} />
      ${game.summary && html`<p class="quiet">${game.summary}</p>`}
      <${OptionFields} game=${game} values=${options} onPick=${pickOption} />
    </section>
    <section class="panel who-plays"><h2>Seats</h2>
      <${SeatFields} seats=${seats} names=${about?.seat_names ?? (seats.length === game.seats ? game.seat_names : NONE)}
        players=${about?.players ?? NONE} levels=${levels} onChange=${setSeats} />
    </section>
    <section class="panel time"><h2>Time</h2><div class="fields">
      ${watching
        ? html`<${Select} label="Pace" value=${pace} options=${PACES} onPick=${setPace} />`
        : html`<${Select} label="Clock" value=${clock} options=${CLOCKS} onPick=${setClock} />`}</div>
      <details><summary>Position and seed</summary>
        <${TextField} label="Begin with a position" note="In the game's own notation; empty for the usual start."
          value=${more.position} onInput=${(position) => setMore({ ...more, position })} />
        <${TextField} label="Seed of the dice" note="A whole number: the same seed gives the same dice."
          inputmode="numeric" pattern="[0-9]*" value=${more.seed} onInput=${(seed) => setMore({ ...more, seed })} />
      </details>
    </section>
    <div class="start"><${Problem}>${state.problem}<//>
      <${Button} type="submit" kind="main big"
        disabled=${state.busy}>${state.busy ? "Setting up…" : watching ? "Watch" : "Play"}<//></div>
    <${Sheet} open=${Boolean(query.sheet)} like=${games.find(({ family }) => family === "gdl")} onGame=${pickGame} />
  </form>`;
}

export function NewView({ query }) {
  const { value, problem } = useAsked(catalog, []);
  return html`<${Page} title=${query.watch ? "Let players meet" : "New game"} wide=${true}>
    <${Problem}>${problem}<//>
    ${!value && !problem && html`<${Waiting}>Fetching the games…<//>`}
    ${value && html`<${Form} key=${JSON.stringify(query)} games=${value.games} levels=${value.levels} query=${query} />`}
  <//>`;
}
