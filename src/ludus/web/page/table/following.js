// A table as it is now: what the server tells, and the position that is on the screen.
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { say } from "../announce.js";
import { get, tablePath } from "../api.js";
import { watch } from "../live.js";
import { play } from "../sound.js";
import { stepWords } from "../words.js";
import { Film } from "./film.js";

const TOLD = 4; // steps that are read out; who comes back later hears the last ones

// {table, view, chances, problem}. `here` are the seats of this browser, of which the first looks; `flip` turns the board
// round.
export function useTable(id, here, flip) {
  const seat = here[0] ?? null;
  const [state, setState] = useState({ table: null, view: null, chances: null, problem: null });
  const told = useRef(null); // plies that were read out
  const latest = useRef(null);
  useEffect(() => {
    const change = (values) => setState((now) => ({ ...now, ...values }));
    const film = new Film(
      (ply) => get(tablePath(id, "view"), { ply, seat, flip }),
      (view) => setState((now) => (sameView(now.view, view) ? now : { ...now, view })),
      (ply) => here.includes(latest.current?.steps[ply - 1]?.seat),
    );
    const stop = watch(id, { seat, flip }, (message) => {
      if (message.type === "table") {
        tell(message.table, told);
        latest.current = message.table;
        change({ table: message.table, problem: null });
        film.push(message.view);
      } else if (message.type === "chances") change({ chances: message });
      else if (message.type === "error") change({ problem: message.error });
    });
    return () => {
      film.stop();
      stop();
    };
  }, [id, seat, flip]);
  return state;
}

// News that change nothing on the board leave it alone, and with it a piece that is just being moved.
const sameView = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function tell(table, told) {
  const before = told.current;
  told.current = { plies: table.steps.length, over: Boolean(table.result) };
  if (before === null) return;
  const fresh = table.steps.slice(Math.max(before.plies, table.steps.length - TOLD));
  if (fresh.length) play(fresh.some((step) => step.chance) ? "roll" : "move");
  const ended = table.result && !before.over;
  if (ended) play("over");
  if (!fresh.length && !ended) return;
  say([...fresh.map((step) => stepWords(table, step)), table.result?.text ?? table.status].join(" "));
}

// A position of the past, or null while the game is followed.
export function usePast(id, ply, seat, flip) {
  const [view, setView] = useState(null);
  useEffect(() => {
    if (ply === null) {
      setView(null);
      return undefined;
    }
    let wanted = true;
    get(tablePath(id, "view"), { ply, seat, flip }).then(
      (past) => wanted && setView(past),
      () => wanted && setView(null),
    );
    return () => (wanted = false);
  }, [id, ply, seat, flip]);
  return ply === null ? null : view;
}
