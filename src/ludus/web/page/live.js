// The one WebSocket of the page: it tells what happens at the tables and matches that are watched, and comes back by itself.
import { makeStore } from "./store.js";

export const connection = makeStore("new"); // open, or lost
export const readiness = makeStore(null); // what the server says of itself while it compiles

const FIRST_PAUSE = 400; // milliseconds until the next try, doubled each time
const LONGEST_PAUSE = 5000;

const watched = new Map(); // id → {wish, hear}
let socket = null;
let pause = FIRST_PAUSE;

// Watch a table (`wish` has seat and flip) or a match; `hear` gets each message about it. Returns how to stop.
export function watch(id, wish, hear) {
  const entry = { wish: { watch: id, ...wish }, hear };
  watched.set(id, entry);
  if (!socket) connect();
  else send(entry.wish);
  return () => {
    if (watched.get(id) !== entry) return; // somebody else watches it by now
    watched.delete(id);
    send({ unwatch: id });
  };
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  const url = new URL("api/live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = "";
  url.search = "";
  socket = new WebSocket(url);
  socket.onopen = () => {
    pause = FIRST_PAUSE;
    connection.set("open");
    for (const { wish } of watched.values()) send(wish);
  };
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    socket = null;
    connection.set("lost");
    setTimeout(() => socket || connect(), pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  };
}

function hear(message) {
  if (message.type === "ready") {
    readiness.set({ ready: !message.doing, ...message });
    return;
  }
  const id = message.id ?? message.table?.id ?? message.match?.matchId;
  watched.get(id)?.hear(message);
}

// Somebody who comes back to the page wants it now.
addEventListener("online", () => socket || connect());
