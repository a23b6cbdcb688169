// Places for the keyboard and for screen readers: each is a button with a name, one of them is reached by Tab, and the
// arrow keys go on from there.
import { middle, placeNamed, placesIn } from "./drawing.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export const isArrow = (key) => key in STEPS;

export function labelPlaces(drawing, wordsFor) {
  for (const place of placesIn(drawing)) {
    const { words, pressed } = wordsFor(place.dataset.place);
    place.setAttribute("role", "button");
    place.setAttribute("aria-label", [place.dataset.name, words].filter(Boolean).join(", "));
    if (pressed) place.setAttribute("aria-pressed", "true");
    else place.removeAttribute("aria-pressed");
  }
}

// Only one place is on the way of Tab: the one that was left last, or a good one to begin with.
export function rove(drawing, id) {
  const places = placesIn(drawing);
  const chosen = (id && placeNamed(drawing, id)) || places[0];
  for (const place of places) place.setAttribute("tabindex", place === chosen ? "0" : "-1");
}

// The sort of a place, by its size: the arrows go from square to square and from wall to wall, not through all of them.
const sortOf = (place) => {
  const { width, height } = place.getBBox();
  return `${Math.round(width / 4)}x${Math.round(height / 4)}`;
};

// The next place in a direction. With `other`, the next one of another sort.
export function neighbour(drawing, from, key, other) {
  const [right, down] = STEPS[key];
  const sort = sortOf(from);
  const start = middle(from);
  const ahead = placesIn(drawing).flatMap((place) => {
    const { x, y } = middle(place);
    const along = (x - start.x) * right + (y - start.y) * down;
    const aside = Math.abs((x - start.x) * down) + Math.abs((y - start.y) * right);
    // Within a quarter turn of the direction; what lies aside counts for more than what lies far.
    return place !== from && along > 1 && aside <= 1.2 * along ? [{ place, cost: along + 2 * aside }] : [];
  });
  const wanted = ahead.filter(({ place }) => (sortOf(place) === sort) !== other);
  const none = { place: null, cost: Infinity };
  const nearest = (list) => list.reduce((best, one) => (one.cost < best.cost ? one : best), none).place;
  return nearest(wanted) ?? nearest(ahead);
}

// The places of a list in the order in which a reader meets them: go on to the next one, or back.
export function cycle(drawing, ids, from, by) {
  const places = placesIn(drawing).filter((place) => ids.has(place.dataset.place));
  if (!places.length) return null;
  const at = places.findIndex((place) => place.dataset.place === from);
  return places[at < 0 ? (by > 0 ? 0 : places.length - 1) : (at + by + places.length) % places.length];
}
