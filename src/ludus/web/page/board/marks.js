// What is shown on top of a drawing: where one may begin, where to go, what was played last. The drawing keeps its own
// look: a mark is a copy of the place's shape above it. Where a place is touched more widely than it looks, a groove for a
// wall, its drawing has the shape that is to be seen as a "ghost".
import { boxOf, makeShape, placeNamed, topPiece } from "./drawing.js";

const DOT = 9; // a dot on a target is this part of the place's smaller side
const LONG_DOT = 5; // and of a long place's, a point of a backgammon board

// Below the pieces, as far as they lie in the drawing itself, or above everything.
function freshLayer(drawing, name, below = false) {
  drawing.querySelector(`:scope > .${name}`)?.remove();
  const layer = makeShape("g", { class: name, "pointer-events": "none", "aria-hidden": "true" });
  drawing.insertBefore(layer, below ? drawing.querySelector(":scope > .piece") : null);
  return layer;
}

const BELOW = new Set(["last", "picked"]);

// `marks` maps a look ("last", "start", "target", "free", "picked", "pending", "hint") to ids of places. "free" places can
// be touched without a piece: there may be many of them, so that each gets only a dot, and a groove, or one
// where a piece stands, nothing.
export function showMarks(drawing, marks) {
  const above = freshLayer(drawing, "marks");
  const below = freshLayer(drawing, "tints", true);
  for (const [look, ids] of Object.entries(marks)) {
    for (const id of new Set(ids)) {
      const place = placeNamed(drawing, id);
      if (!place) continue;
      const ghost = place.querySelector(".ghost");
      const layer = BELOW.has(look) && !ghost ? below : above; // a wall would hide what is below it
      const piece = topPiece(drawing, id);
      const dotted = !ghost && (look === "target" || (look === "free" && !piece));
      if (look !== "free") layer.append(piece && look === "start" ? ringAround(piece, look) : copyOf(place, look));
      if (dotted) layer.append(dotOn(drawing, place, look));
    }
  }
  for (const piece of drawing.querySelectorAll(".piece.glow")) piece.classList.remove("glow");
  for (const id of marks.start) topPiece(drawing, id)?.classList.add("glow");
}

// Two lines, a light and a dark one, so that the focus is seen on any board.
export function showFocus(drawing, id) {
  const layer = freshLayer(drawing, "focus");
  const place = id === null ? null : placeNamed(drawing, id);
  if (place) layer.append(copyOf(place, "focus-out"), copyOf(place, "focus-in"));
}

// A piece that can be taken is marked itself: its place may be much larger.
// It may still be on its way: the ring waits where it will be.
function ringAround(piece, look) {
  const { x, y, width, height } = piece.getBBox();
  const [rx, ry] = [width / 2, height / 2];
  const ring = makeShape("ellipse", { class: `mark ${look}`, cx: x + rx, cy: y + ry, rx, ry });
  if (piece.hasAttribute("transform")) ring.setAttribute("transform", piece.getAttribute("transform"));
  return ring;
}

function copyOf(place, look) {
  const copy = place.cloneNode(true);
  const ghost = copy.querySelector(".ghost");
  if (ghost) copy.replaceChildren(ghost);
  for (const shape of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name } of [...shape.attributes]) {
      if (/^(data-|aria-|role$|tabindex$|id$|class$|fill|stroke|opacity)/.test(name)) shape.removeAttribute(name);
    }
  }
  copy.setAttribute("class", `mark ${look}`);
  return copy;
}

function dotOn(drawing, place, look) {
  const { x, y, width, height } = boxOf(drawing, place);
  const long = Math.max(width, height) > 3 * Math.min(width, height);
  return makeShape("circle", {
    class: `mark dot ${look}`,
    cx: x + width / 2,
    cy: y + height / 2,
    r: Math.max(3, Math.min(width, height) / (long ? LONG_DOT : DOT)),
  });
}
