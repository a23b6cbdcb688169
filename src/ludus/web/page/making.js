// Setting up a table, and going there.
import { post } from "./api.js";
import { keepNew } from "./keys.js";
import { go } from "./route.js";
import { settings } from "./settings.js";

// `guests` are the seats of people elsewhere, who get a link.
export async function setUp(wish, guests = []) {
  const made = await post("tables", wish);
  keepNew(made.id, made.keys, guests);
  go("table", [made.id]);
}

// A game at once: you on the first seat, the others as strong as last time.
export function quickGame(game) {
  const { name, level } = settings.get();
  const others = Array.from({ length: game.seats - 1 }, () => ({ kind: "player", level }));
  return setUp({ game: game.name, seats: [{ kind: "person", name }, ...others] });
}
