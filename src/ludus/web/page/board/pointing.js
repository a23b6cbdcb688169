// Mouse, pen and finger: a click on a place, or a piece dragged from one place to another.
import { lift, topPiece, unitsPerPixel } from "./drawing.js";

const SLACK = 6; // pixels that a click may slip

const placeOf = (element) => element?.closest?.(".place")?.dataset.place ?? null;

// Where a finger chooses among one group of places, it means the nearest of them: they may be thinner than it is.
function nearest(host, group, { clientX, clientY }) {
  let best = null;
  let least = Infinity;
  for (const place of host.querySelectorAll(`.place[data-group="${CSS.escape(group)}"]`)) {
    const { left, top, width, height } = place.getBoundingClientRect();
    const distance = Math.hypot(left + width / 2 - clientX, top + height / 2 - clientY);
    if (distance < least) [best, least] = [place, distance];
  }
  return placeOf(best);
}

// Put a dragged piece back where it belongs.
export function settle(drawing) {
  for (const piece of drawing.querySelectorAll("g[style]")) piece.style.removeProperty("transform");
}

// `board` says which places can be taken from (`canTake`), and hears of `take`, `tap` and `drop`.
export function listen(host, board) {
  let held = null; // {place, x, y, id, piece, units}

  const placeAt = (event) => {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    if (board.group && host.contains(element)) return nearest(host, board.group, event);
    return placeOf(element);
  };

  const drop = () => {
    if (held?.piece) settle(host);
    host.classList.remove("dragging");
    held = null;
  };

  host.addEventListener("pointerdown", (event) => {
    // What lights up under the mouse is what is meant, also on the line between two places.
    const place = board.group ? placeAt(event) : placeOf(event.target);
    if (place === null || event.button !== 0) return;
    held = { place, x: event.clientX, y: event.clientY, id: event.pointerId, piece: null };
  });

  host.addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.id) return;
    const x = event.clientX - held.x;
    const y = event.clientY - held.y;
    if (!held.piece) {
      if (Math.hypot(x, y) < SLACK || !board.canTake(held.place)) return;
      const drawing = host.querySelector("svg");
      const piece = topPiece(drawing, held.place);
      if (!piece) return;
      board.take(held.place);
      held.units = unitsPerPixel(drawing);
      held.piece = lift(piece);
      host.setPointerCapture(held.id);
      host.classList.add("dragging");
    }
    held.piece.style.transform = `translate(${x * held.units}px, ${y * held.units}px)`;
  });

  host.addEventListener("pointerup", (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { place, piece, x, y } = held;
    const target = placeAt(event);
    if (!piece) {
      drop();
      // On the edge of two places, a finger that slips a little still means the one where it began.
      if (target === place || Math.hypot(event.clientX - x, event.clientY - y) < SLACK) board.tap(place, event.pointerType !== "mouse");
    } else if (board.drop(place, target)) {
      host.classList.remove("dragging");
      held = null; // the piece stays where it was let go until the next drawing comes, and goes on from there
    } else drop();
  });

  host.addEventListener("pointercancel", drop);

  // A finger on a piece drags it, and does not scroll the page; `touch-action` does not do that for parts of a drawing.
  const holdPage = (event) => {
    const place = placeOf(event.target);
    if (place !== null && event.cancelable && board.canTake(place)) event.preventDefault();
  };
  host.addEventListener("touchstart", holdPage, { passive: false });
}
