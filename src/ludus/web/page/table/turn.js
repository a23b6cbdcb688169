// A turn that is being made: touch by touch until it is a whole move, which is sent.
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { say } from "../announce.js";
import { get, post, tablePath } from "../api.js";
import { keysHere } from "../keys.js";
import { isCoarse, motionTime, settings } from "../settings.js";
import { play } from "../sound.js";
import { capital } from "../words.js";
import { askHint } from "./hints.js";

const NONE = [];
const IDLE = { touched: [], partial: null, pending: null, choices: null, problem: null, sent: false };

// Which seat of this browser is asked now, or null. Where all move at once it is the first that has not chosen.
export const askedSeat = (table, seats) => seats.find((seat) => table?.due.includes(seat)) ?? null;

// `live` is the view of the position now, null where this browser is not asked; `look` is how the board is looked at.
export function useTurn(table, live, seat, look) {
  const at = table && `${table.id}/${table.version}/${seat}`;
  const [kept, setKept] = useState(IDLE);
  const state = kept.at === at ? kept : IDLE; // what was begun in another position is over
  const latest = useRef({ at, wish: 0, sent: null });
  latest.current.at = at;
  // A move that plays itself and a hand that moves may come at the same moment: the first of them counts. It is known at once, and
  // drawn a little later.
  const isSent = () => latest.current.sent === at;
  const change = (values) => latest.current.at === at && setKept((now) => ({ ...(now.at === at ? now : IDLE), ...values, at }));

  const view = state.partial ?? live;
  const active = live !== null && seat !== null && !state.sent;

  // Only the last wish counts, and only in the position that it was made in: answers may come late, and in any order.
  async function attempt(work) {
    latest.current.wish += 1;
    const { wish } = latest.current;
    const stillWanted = () => latest.current.at === at && latest.current.wish === wish;
    try {
      await work(stillWanted);
    } catch (problem) {
      if (!stillWanted()) return;
      play("refuse");
      change({ ...IDLE, problem: problem.message });
      say(problem.message);
    }
  }

  const send = (move) =>
    isSent() ||
    attempt(async (stillWanted) => {
      latest.current.sent = at;
      change({ sent: true, pending: null, choices: null, problem: null });
      try {
        await post(tablePath(table.id, "moves"), { move, ply: table.ply, seat }, keysHere(table.id));
      } catch (problem) {
        if (problem.status !== 409) {
          if (isSent()) latest.current.sent = null;
          throw problem;
        } // else it was played already: the news of it is on its way
      }
      if (stillWanted()) change({ partial: null, touched: [] });
    });

  const stepTo = (touched) =>
    isSent() ||
    attempt(async (stillWanted) => {
      const partial = touched.length ? await get(tablePath(table.id, "view"), { ...look, ply: table.ply, touched }) : null;
      if (stillWanted()) change({ ...IDLE, touched, partial });
    });

  function choose(touch) {
    const wary = settings.get().confirm === "always";
    if (touch.move !== null && !wary) return send(touch.move);
    say(`${capital(touch.name)}.`);
    return stepTo([...state.touched, touch.text]);
  }

  return {
    ...state,
    view,
    active,
    touches: active ? view.touches : NONE,
    // One touch is made; several with the same places are asked about; a wall under a finger waits for a second tap.
    touch(touches, byFinger = false) {
      if (touches.length > 1) return change({ choices: touches });
      const [touch] = touches;
      const careful = touch.confirm && settings.get().confirm === "walls" && (byFinger || isCoarse());
      if (!careful || state.pending?.text === touch.text) return choose(touch);
      say(`${touch.name}: once more to confirm.`);
      return change({ pending: touch, problem: null });
    },
    choose,
    confirm: () => choose(state.pending),
    cancel: () => change({ pending: null, choices: null, problem: null }),
    back: () => stepTo(state.touched.slice(0, -1)),
    done: () => send(view.move),
    send,
    // Why something can't be done. Where moves are written by the place that they go to, the server knows.
    refuse(place, source) {
      play("refuse");
      const tell = (problem) => {
        change({ problem, pending: null });
        say(problem);
      };
      if (!view.touches.some((touch) => touch.text === touch.target)) {
        return tell(source === null ? `Nothing can be done at ${place} now.` : `That can't go from ${source} to ${place}.`);
      }
      return get(tablePath(table.id, "why"), { move: place, seat }).then(
        ({ reason }) => tell(reason || `${place} is not possible now.`),
        (problem) => tell(problem.message),
      );
    },
  };
}

// Moves without a choice play themselves, where that is wanted.
export function useAutoplay(turn, table, seat, likes) {
  const { active, view, touched, problem } = turn;
  useEffect(() => {
    if (!active || touched.length || problem || !view || view.ply !== table.ply) return undefined;
    const pause = Math.max(150, 1.5 * motionTime());
    if (likes.auto && view.moves.length === 1) {
      const timer = setTimeout(() => turn.send(view.moves[0].text), pause);
      return () => clearTimeout(timer);
    }
    const bearsOff = view.touches.some(({ target }) => /^off\d$/.test(target)); // so the drawing calls the trays
    if (likes.autoOff && table.family === "backgammon" && bearsOff) {
      // Without a hint, people bear off themselves.
      const timer = setTimeout(() => askHint(table, seat).then(({ best }) => turn.send(best), () => null), pause);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [active, view, touched.length, problem, likes.auto, likes.autoOff]);
}
