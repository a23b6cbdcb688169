// One table: the board, who plays, what was played, and what one can do.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { get, tablePath } from "../api.js";
import { Board } from "../board/board.js";
import { guestsOf, keepKeys, seatsHere } from "../keys.js";
import { Problem, Waiting, useAsked } from "../parts.js";
import { linkTo, rename } from "../route.js";
import { useSettings } from "../settings.js";
import { keysOf } from "../table/acts.js";
import { Chances } from "../table/chances.js";
import { Controls, useAsking } from "../table/controls.js";
import { usePast, useTable } from "../table/following.js";
import { Help } from "../table/help.js";
import { Hint, useHint } from "../table/hints.js";
import { Moves } from "../table/moves.js";
import { Replay } from "../table/replay.js";
import { News, Score } from "../table/score.js";
import { Seats } from "../table/seats.js";
import { Share } from "../table/share.js";
import { Status } from "../table/status.js";
import { Steps } from "../table/steps.js";
import { askedSeat, useAutoplay, useTurn } from "../table/turn.js";

const NONE = [];

// A link that invites somebody carries a key: it is kept before the board is asked for, which is seen from that seat, and then taken out
// of the address, which people copy.
function useInvitation(id, { seat, key }) {
  const invited = key && seat !== undefined;
  useMemo(() => invited && keepKeys(id, { [seat]: { key, here: true } }), [id, seat, key]);
  useEffect(() => {
    if (invited) rename("table", [id]);
  }, [id, seat, key]);
}

// Keys that work wherever one is on the page, unless one is writing.
function useShortcuts(actions) {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const hear = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
      const action = latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", hear);
    return () => removeEventListener("keydown", hear);
  }, []);
}

// Where all move at once, each seat of this browser has its own moves: those of the one that is asked are fetched.
function useOwnView(view, table, asked, look) {
  const [own, setOwn] = useState(null);
  const needed = table?.kind === "joint" && asked !== null && asked !== look.seat;
  useEffect(() => {
    setOwn(null);
    if (!needed) return undefined;
    let wanted = true;
    get(tablePath(table.id, "view"), { ...look, seat: asked }).then((found) => wanted && setOwn(found), () => null);
    return () => (wanted = false);
  }, [needed, asked, table?.version]);
  return needed ? own : view;
}

export function TableView({ parts: [id], query }) {
  useInvitation(id, query);
  const likes = useSettings();
  const [flip, setFlip] = useState(false);
  const [dialog, setDialog] = useState(null);
  const here = seatsHere(id);
  const guests = guestsOf(id);
  const look = { seat: here[0] ?? null, flip };
  const { table, view: live, chances: told, problem } = useTable(id, here, flip);
  const wanted = Math.max(0, Number(query.ply ?? Infinity) || 0);
  const ply = table && wanted < table.ply ? wanted : null; // of the past; null: as it is now
  const past = usePast(id, ply, look.seat, flip);
  const asked = askedSeat(table, here);
  const own = useOwnView(live, table, asked, look);
  const isNow = ply === null && own && own.ply === table.ply;
  const turn = useTurn(table, isNow ? own : null, asked, table?.kind === "joint" ? { ...look, seat: asked } : look);
  useAutoplay(turn, table, asked, likes);
  const hint = useHint(table, asked);
  const asking = useAsking(table);
  const first = useAsked(() => get(tablePath(id, "chances")), [id]); // later ones are told
  const { value: game } = useAsked(async () => (table ? get("about", { game: table.game }) : null), [table?.game]);
  const chances = told ?? first.value;
  const toPly = (next) => rename("table", [id], { ply: next });
  const current = ply ?? table?.ply ?? 0;
  useShortcuts({
    ...keysOf(turn),
    f: () => setFlip(!flip),
    h: () => asked !== null && hint.ask(),
    u: () => here.length && asking.ask("undo", asked ?? here[0]),
    "[": () => current > 0 && toPly(current - 1),
    "]": () => ply !== null && toPly(ply + 1 >= table.ply ? null : ply + 1),
    "/": () => document.querySelector(".writing input")?.focus(),
    "?": () => setDialog("help"),
  });

  useEffect(() => {
    if (table) document.title = `${asked === null ? "" : "Your turn: "}${table.title} – ludus`;
  }, [asked, table?.title]);

  const shown = past ?? turn.view ?? live;
  const hinted = useMemo(() => placesOfHint(hint.hint, turn.touches), [hint.hint, turn.touches]);
  if (!table || !shown) return html`<${Coming} problem=${problem} />`;

  const untouchable = shown.moves.length > 0 && shown.touches.length === 0;
  return html`<div class="table">
    <h1 class="unseen">${table.title}: ${table.seats.map((seat) => seat.who).join(" against ")}</h1>
    <section class="board-side" aria-label="Board">
      <${Problem}>${problem}<//>
      <${Board} text=${shown.board} ply=${shown.ply} touches=${past ? NONE : turn.touches}
        last=${turn.touched.length ? NONE : shown.last} hint=${hinted}
        pending=${turn.pending?.target ?? null} problem=${turn.problem} on=${{ touch: turn.touch, refuse: turn.refuse }} />
      <${Score} table=${table} score=${shown.score} />
      <${News} table=${table} ply=${shown.ply} here=${here} past=${past !== null} />
      <${Status} table=${table} view=${shown} turn=${turn} past=${past !== null} onNow=${() => toPly(null)}
        onResume=${() => asking.ask("resume", here[0] ?? 0)} />
    </section>
    <section class="side" aria-label="Game">
      <${Seats} table=${table} points=${shown.score?.points} here=${here} guests=${guests} onInvite=${() => setDialog("share")} />
      ${table.result && html`<${Ended} table=${table} />`}
      <${Controls} table=${table} view=${shown} here=${here} asked=${asked} asking=${asking} hint=${hint}
        onFlip=${() => setFlip(!flip)} onShare=${() => setDialog("share")} onHelp=${() => setDialog("help")} />
      <${Hint} table=${table} ...${hint} active=${turn.active} onMove=${turn.send} />
      ${asked !== null && !past && html`<${Moves} view=${shown} active=${turn.active}
        open=${untouchable || likes.reader} onMove=${turn.send} />`}
      <h2>Moves</h2>
      <${Steps} table=${table} ply=${ply} onPly=${(next) => toPly(next >= table.ply ? null : next)} />
      <${Replay} ply=${ply} last=${table.ply} onPly=${toPly} />
      <h2>Chances</h2>
      <${Chances} table=${table} chances=${chances} ply=${current}
        onPly=${(next) => toPly(next >= table.ply ? null : next)} />
      <details class="words" open=${likes.reader}><summary>The position in words</summary>
        <p>${shown.description || shown.status}</p><pre tabindex="0">${shown.text}</pre></details>
    </section>
    ${dialog === "share" && html`<${Share} table=${table} view=${shown} ply=${ply} flip=${flip}
      formats=${game?.formats ?? NONE} guests=${guests} onClose=${() => setDialog(null)} />`}
    ${dialog === "help" && html`<${Help} notation=${game?.notation} cube=${Boolean(shown.score)} onClose=${() => setDialog(null)} />`}
  </div>`;
}

const Coming = ({ problem }) => html`<div class="page">
  <h1 class=${problem ? "" : "unseen"}>${problem ? "No game to be shown" : "Table"}</h1>
  ${problem ? html`<${Problem}>${problem}<//><p><a href="#/games">Look among all games</a></p>` : html`<${Waiting}>Fetching the game…<//>`}
</div>`;

const Ended = ({ table }) => html`<div class="ended">
  <p><b>${table.result.text}</b></p>
  <p><a href=${linkTo("new", [], { game: table.game })}>Set up another game</a></p>
</div>`;

// The places of the first step of a hint, as far as its words name touches.
function placesOfHint(hint, touches) {
  if (!hint) return [];
  const words = hint.best.split(" ");
  const named = touches.filter(({ text, move }) => move === hint.best || words.includes(text));
  return named.flatMap(({ source, target }) => (source ? [source, target] : [target]));
}
