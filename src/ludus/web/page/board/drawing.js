// From the text of a board's SVG to elements of the page, and what is found in them: places and pieces.

const SVG = "http://www.w3.org/2000/svg";

export const makeShape = (name, attributes = {}) => {
  const shape = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
  return shape;
};

// The drawing is a whole file: here its title would pop up as a tip under the mouse, its style is refused by the page's
// policy, and its ids would meet those of the same position beside it.
export function readDrawing(text) {
  const parsed = new DOMParser().parseFromString(text.replace(/\sstyle="[^"]*"/g, ""), "image/svg+xml").documentElement;
  const drawing = document.importNode(parsed, true);
  drawing.setAttribute("aria-label", drawing.querySelector(":scope > title")?.textContent ?? "board");
  drawing.removeAttribute("aria-labelledby");
  for (const part of drawing.querySelectorAll(":scope > title, :scope > desc")) part.remove();
  return drawing;
}

const SMALL = "(max-width: 640px)";

// On a small screen the board has all the room, and what the drawing says beside it follows in words: returned, or null.
export function cropped(drawing) {
  const panel = drawing.querySelector(":scope > .panel");
  if (!panel || !matchMedia(SMALL).matches) return null;
  drawing.setAttribute("viewBox", drawing.dataset.board);
  drawing.removeAttribute("width");
  drawing.removeAttribute("height");
  drawing.classList.add("cropped");
  panel.remove();
  // Single letters are those on pieces.
  const words = [...panel.querySelectorAll("text")].map((text) => text.textContent).filter((text) => text.length > 1);
  const beside = document.createElement("p");
  beside.className = "beside";
  beside.textContent = words.join(" · ");
  return beside;
}

export const ratioOf = (drawing) => {
  const [, , width, height] = (drawing.getAttribute("viewBox") ?? "0 0 1 1").split(/[\s,]+/).map(Number);
  return width / height || 1;
};

export const placesIn = (drawing) => [...drawing.querySelectorAll(".place[data-place]")];

export const piecesIn = (drawing) => [...drawing.querySelectorAll(".piece")];

export const placeNamed = (drawing, id) => drawing.querySelector(`.place[data-place="${CSS.escape(id)}"]`);

// The piece that one takes from a place: the topmost.
export const topPiece = (drawing, id) =>
  [...drawing.querySelectorAll(`.piece[data-place="${CSS.escape(id)}"]`)].at(-1) ?? null;

// What moves a shape about without touching the transform that it has: a group around it, above all others.
export function lift(piece) {
  const wrapper = makeShape("g", { "pointer-events": "none" });
  const drawing = piece.ownerSVGElement;
  wrapper.append(piece);
  drawing.append(wrapper);
  return wrapper;
}

// Units of the drawing for each pixel of the screen.
export function unitsPerPixel(drawing) {
  const matrix = drawing.getScreenCTM();
  return matrix ? 1 / matrix.a : 1;
}

// Where a shape is, in units of the drawing, whatever moves it there.
export function boxOf(drawing, shape) {
  const frame = drawing.getScreenCTM();
  const { left, top, width, height } = shape.getBoundingClientRect();
  if (!frame) return { x: 0, y: 0, width: 0, height: 0 };
  return { x: (left - frame.e) / frame.a, y: (top - frame.f) / frame.d, width: width / frame.a, height: height / frame.d };
}

export const middle = (shape) => {
  const { left, top, width, height } = shape.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};
