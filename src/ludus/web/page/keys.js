// The keys of seats: whoever has one sits there. `here` says that it is somebody at this browser, not an invited guest.
import { keep, readKept } from "./store.js";

const NAME = "ludus.keys";
const MOST = 300; // tables; the oldest are forgotten first

const all = () => readKept(NAME, {});

const keysOf = (id) => all()[id] ?? {};

export function keepKeys(id, keys) {
  const { [id]: known = {}, ...others } = all();
  const entries = Object.entries({ ...others, [id]: { ...known, ...keys } });
  keep(NAME, Object.fromEntries(entries.slice(-MOST)));
}

// The keys of a new table; seats that are named wait for guests, who get their key by a link.
export function keepNew(id, keys, guests = []) {
  const entries = Object.entries(keys).map(([seat, key]) => [seat, { key, here: !guests.includes(Number(seat)) }]);
  keepKeys(id, Object.fromEntries(entries));
}

export const seatsHere = (id) =>
  Object.entries(keysOf(id))
    .filter(([, entry]) => entry.here)
    .map(([seat]) => Number(seat));

// All keys of people at this browser, as a request carries them: who has them all need not ask anybody.
export const keysHere = (id) =>
  seatsHere(id)
    .map((seat) => keysOf(id)[seat].key)
    .join(",");

export const guestsOf = (id) =>
  Object.entries(keysOf(id))
    .filter(([, entry]) => !entry.here)
    .map(([seat, entry]) => ({ seat: Number(seat), key: entry.key }));

export const ownTables = () => new Set(Object.keys(all()));
