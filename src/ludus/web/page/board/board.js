// A board that one can touch. It knows no rules: `touches` say what can be taken and where it can go.
import { html, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { say } from "../announce.js";
import { isCoarse, motionTime } from "../settings.js";
import { capital, plural } from "../words.js";
import { cropped, placeNamed, ratioOf, readDrawing } from "./drawing.js";
import { showFocus, showMarks } from "./marks.js";
import { diceOf, movePieces, rollDice, whereabouts } from "./motion.js";
import { cycle, isArrow, labelPlaces, neighbour, rove } from "./places.js";
import { listen, settle } from "./pointing.js";

class TouchBoard {
  constructor(host) {
    this.host = host;
    this.drawing = null;
    this.text = null; // of the drawing
    this.touches = [];
    this.last = [];
    this.hint = [];
    this.pending = null; // a place that waits for a second tap
    this.group = null; // of places, if a finger is to mean one of them
    this.problem = null; // why the last touch came to nothing
    this.picked = null; // the place of the piece that is taken up
    this.on = {};
    listen(host, this);
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("focusin", ({ target }) => {
      if (!target.dataset?.place) return;
      rove(this.drawing, target.dataset.place);
      showFocus(this.drawing, target.matches(":focus-visible") ? target.dataset.place : null);
    });
    host.addEventListener("focusout", () => showFocus(this.drawing, null));
  }

  // Show a drawing and what can be done on it; a new drawing is reached by motion.
  show({ on, ...next }) {
    const { text, touches, problem } = next;
    this.on = on;
    if (Object.entries(next).every(([name, value]) => this[name] === value)) return;
    const changed = text !== this.text;
    const fresh = changed || touches !== this.touches;
    if (fresh) this.picked = null;
    if (problem && !changed) settle(this.drawing);
    Object.assign(this, next);
    if (changed) this.draw(text);
    this.mark();
    // Tab leads to a piece that can move; whoever is on the board already stays where they are.
    if (!fresh || this.host.contains(document.activeElement)) return;
    rove(this.drawing, touches.find((touch) => touch.source)?.source);
  }

  draw(text) {
    const next = readDrawing(text);
    const old = this.drawing;
    const focused = this.host.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    const before = old && whereabouts(old);
    const dice = old && diceOf(old);
    const time = old ? motionTime() : 0;
    const beside = cropped(next);
    next.setAttribute("role", "application");
    this.host.style.setProperty("--ratio", ratioOf(next));
    this.host.classList.toggle("facts", !next.querySelector(".place")); // words alone need no large board
    this.host.replaceChildren(...[next, beside].filter(Boolean));
    this.drawing = next;
    if (before) movePieces(next, before, time);
    if (diceOf(next) !== dice) rollDice(next, time);
    rove(next, focused);
    if (focused) placeNamed(next, focused)?.focus({ preventScroll: true });
  }

  get sources() {
    return new Set(this.touches.map((touch) => touch.source).filter((source) => source !== null));
  }

  // Where one can go now: from what is picked up, or by touching a place that needs no piece.
  get targets() {
    return new Set(this.touches.filter((touch) => touch.source === this.picked).map((touch) => touch.target));
  }

  mark() {
    const { sources, targets } = this;
    showMarks(this.drawing, {
      last: this.last,
      hint: this.hint,
      start: this.picked === null ? sources : [],
      picked: this.picked === null ? [] : [this.picked],
      target: this.picked === null ? [] : targets,
      free: this.picked === null ? targets : [],
      pending: this.pending === null ? [] : [this.pending],
    });
    for (const place of this.drawing.querySelectorAll(".place")) {
      const id = place.dataset.place;
      place.classList.toggle("takeable", sources.has(id));
      place.classList.toggle("open", targets.has(id));
    }
    labelPlaces(this.drawing, (id) => {
      if (id === this.picked) return { words: "picked up", pressed: true };
      const act = this.touches.find(({ button, target }) => button && target === id);
      if (act) return { words: act.name };
      if (targets.has(id)) return { words: "can move here" };
      return { words: sources.has(id) && this.picked === null ? "can move" : "" };
    });
  }

  pick(place) {
    this.picked = place;
    this.mark();
    if (place !== null) say(`Picked up, ${plural(this.targets.size, "target")}.`);
  }

  canTake(place) {
    return this.sources.has(place);
  }

  take(place) {
    if (this.picked !== place) this.pick(place);
  }

  drop(source, target) {
    const found = this.touches.filter((touch) => touch.source === source && touch.target === target);
    if (found.length) this.on.touch(found);
    else if (target !== null && target !== source) this.on.refuse(target, source);
    return found.length === 1 && found[0].source !== null;
  }

  // One rule for click, tap and Enter.
  tap(place, byFinger = false) {
    if (!this.touches.length) return;
    const here = this.touches.filter((touch) => touch.source === this.picked && touch.target === place);
    const from = this.touches.filter((touch) => touch.source === place);
    const into = this.touches.filter((touch) => touch.target === place);
    if (here.length) this.on.touch(here, byFinger);
    else if (place === this.picked) this.pick(null);
    else if (from.length === 1) this.on.touch(from, byFinger);
    else if (from.length) this.pick(place);
    else if (this.picked === null && into.length === 1) this.on.touch(into, byFinger);
    else this.on.refuse(place, this.picked);
  }

  key(event) {
    const place = event.target.dataset?.place;
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const go = (next) => next?.focus();
    if (isArrow(event.key)) go(neighbour(this.drawing, event.target, event.key, event.shiftKey));
    else if (event.key === "Enter" || event.key === " ") this.tap(place);
    else if (event.key === "Escape") this.pick(null);
    else if (event.key === "." || event.key === ",") {
      const open = this.picked === null ? new Set([...this.sources, ...this.targets]) : this.targets;
      go(cycle(this.drawing, open, place, event.key === "." ? 1 : -1));
    } else return;
    event.preventDefault();
  }
}

// Groups of places that are too thin for fingers: with one of them chosen, a touch means the nearest of its places.
function GroupPicker({ groups, group, onPick }) {
  const names = [[null, "Squares"], ...groups.map((name) => [name, capital(name)])];
  return html`<div class="groups" role="group" aria-label="What a touch means">${names.map(([name, title]) => html`
    <button key=${title} type="button" aria-pressed=${group === name} onClick=${() => onPick(name)}>${title}</button>`)}</div>`;
}

// `on` has touch(touches, byFinger) and refuse(place, source).
export function Board({ ply, on, ...shown }) {
  const host = useRef(null);
  const board = useRef(null);
  const [chosen, setChosen] = useState({ ply, group: null });
  const group = chosen.ply === ply ? chosen.group : null; // a choice is for one turn
  useLayoutEffect(() => {
    board.current ??= new TouchBoard(host.current);
    board.current.show({ on, group, ...shown });
  });
  const named = isCoarse() && shown.touches.length ? shown.text.matchAll(/data-group="([^"]*)"/g) : [];
  const groups = [...new Set([...named].map(([, name]) => name))];
  return html`<div class="board" ref=${host} data-ply=${ply}></div>
    ${groups.length > 0 && html`<${GroupPicker} groups=${groups} group=${group} onPick=${(name) => setChosen({ ply, group: name })} />`}`;
}

// A small board to look at.
export function Picture({ text, last = [] }) {
  const host = useRef(null);
  const shown = useRef(null);
  useLayoutEffect(() => {
    if (text === shown.current) return;
    const next = readDrawing(text);
    const old = host.current.querySelector("svg");
    const before = old && whereabouts(old);
    next.setAttribute("role", "img");
    host.current.replaceChildren(next);
    if (before) movePieces(next, before, motionTime());
    showMarks(next, { last, start: [] });
    shown.current = text;
  });
  return html`<div class="picture" ref=${host}></div>`;
}
