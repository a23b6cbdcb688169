// Where one is in the page: everything is in the part of the address after #, so that each game and position has a link.
import { makeStore } from "./store.js";

function readRoute(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodePart);
  return { view: parts[0] ?? "home", parts: parts.slice(1), query: Object.fromEntries(new URLSearchParams(search)) };
}

function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand; it will not be found, and that is said
  }
}

export function linkTo(view, parts = [], query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(given).toString();
  return `#/${[view, ...parts.map(encodeURIComponent)].join("/")}${search && "?"}${search}`;
}

export const route = makeStore(readRoute(location.hash));

export const go = (...where) => {
  location.hash = linkTo(...where);
};

// Change the address without a step in the history: the position that is looked at, a key that was taken out.
export function rename(...where) {
  history.replaceState(null, "", linkTo(...where));
  route.set(readRoute(location.hash));
}

addEventListener("hashchange", () => route.set(readRoute(location.hash)));
