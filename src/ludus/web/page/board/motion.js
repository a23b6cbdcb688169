// Pieces that go from where they were to where they are, and dice that roll. The new drawing stands from the first
// moment on; its pieces only begin where the old ones stood.
import { lift, middle, piecesIn, unitsPerPixel } from "./drawing.js";

const MOST_MOVES = 24; // more pieces on the way at once is another game, or a jump in it

// Where the pieces of a drawing are, relative to it, before it goes.
export function whereabouts(drawing) {
  const frame = drawing.getBoundingClientRect();
  return piecesIn(drawing).map((piece) => {
    const { kind, place } = piece.dataset;
    const { x, y } = middle(piece);
    return { kind, place, x: (x - frame.left) / frame.width, y: (y - frame.top) / frame.height };
  });
}

// Which old piece became which new one: those that stay first, then the nearest of a kind.
function journeys(before, after) {
  const left = [...before];
  const moved = after.filter((piece) => {
    const same = left.findIndex((old) => old.kind === piece.kind && old.place === piece.place);
    if (same >= 0) left.splice(same, 1);
    return same < 0;
  });
  return moved.flatMap((to) => {
    const far = (old) => (old.kind === to.kind ? Math.hypot(old.x - to.x, old.y - to.y) : Infinity);
    const nearest = left.reduce((best, old) => (far(old) < far(best) ? old : best), { kind: null });
    if (nearest.kind === null) return [];
    left.splice(left.indexOf(nearest), 1);
    return [{ from: nearest, to }];
  });
}

export function movePieces(drawing, before, time) {
  const after = whereabouts(drawing);
  const pieces = piecesIn(drawing);
  const ways = journeys(before, after);
  if (!time || ways.length > MOST_MOVES) return;
  const frame = drawing.getBoundingClientRect();
  const units = unitsPerPixel(drawing);
  // All are found before the first is lifted: that changes the order.
  for (const { piece, from, to } of ways.map((way) => ({ piece: pieces[after.indexOf(way.to)], ...way }))) {
    const x = (from.x - to.x) * frame.width * units;
    const y = (from.y - to.y) * frame.height * units;
    lift(piece).animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
      duration: time,
      easing: "cubic-bezier(.3, 0, .2, 1)",
    });
  }
}

// Dice tumble into place, unless they lay there before.
export function rollDice(drawing, time) {
  if (!time) return;
  for (const [number, die] of drawing.querySelectorAll(".die").entries()) {
    const wrapper = lift(die);
    wrapper.classList.add("tumbling");
    const turns = number % 2 ? -300 : 300;
    wrapper.animate(
      [
        { transform: `translate(${turns / 8}px, -30px) rotate(${turns}deg) scale(.6)`, opacity: 0.2 },
        { transform: "none", opacity: 1 },
      ],
      { duration: 1.4 * time, easing: "cubic-bezier(.2, .7, .3, 1)" },
    );
  }
}

export const diceOf = (drawing) => [...drawing.querySelectorAll(".die")].map((die) => die.dataset.value).join(" ");
