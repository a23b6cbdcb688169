// How things are written and said.

export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

export const plural = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

export const percent = (part) => `${Math.round(100 * part)} %`;

// A time stays on one line: its spaces don't break.
export function when(milliseconds) {
  const date = new Date(milliseconds);
  const today = date.toDateString() === new Date().toDateString();
  const time = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const day = date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
  return (today ? time : `${day}, ${time}`).replaceAll(/\s/g, "\u00a0");
}

export function clockText(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export function clockWords(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${plural(Math.floor(seconds / 60), "minute")} ${plural(seconds % 60, "second")} left`;
}

export const rowText = (row) => row.seats.map((seat) => seat.who || seat.name).join(" – ");

// A move as people read it: rulesheets write theirs in brackets.
export const moveText = (text) => text.replace(/^\( (.*) \)$/, "$1");

const ACTS = new Set(["roll", "double", "take", "beaver", "raccoon", "accept", "reject"]);

// "X plays 8/5 6/5", "X doubles", "X resigns a gammon".
function moveWords(name, text) {
  if (ACTS.has(text)) return `${capital(name)} ${text}s.`;
  return text.startsWith(`${name} `) ? `${capital(text)}.` : `${capital(name)} plays ${moveText(text)}.`;
}

// A step as one would tell it. All seats at once are told one after the other.
export function stepWords(table, step) {
  if (step.chance) return `Chance: ${step.texts.map(moveText).join(", ")}.`;
  const seats = step.seat === null ? step.texts.map((_, seat) => seat) : [step.seat];
  const told = seats.map((seat, i) => moveWords(table.seats[seat]?.name ?? "", step.texts[i]));
  return [...told, step.note].filter(Boolean).join(" ");
}

const WIDE = 12; // a range of scores beyond this has a cube in it: what was seen says how far a chart should go
const LEAST = 3;

// How the worth of a game is told: as a chance where a win is all that counts, in points where wins differ in size.
export function worthOf({ low: least, high: most }, seen = []) {
  const reach = Math.max(LEAST, ...seen.map(Math.abs));
  const [low, high] = most - least > WIDE ? [-reach, reach] : [least, most];
  const chances = low >= 0 || high - low <= 2;
  const part = (value) => (value - low) / (high - low);
  return {
    chances,
    title: chances ? "Chance to win" : "Expected points",
    part, // of the way from the worst to the best
    text: (value) => (chances ? percent(part(value)) : signed(value)),
  };
}

function signed(value) {
  const size = Math.abs(value).toFixed(2);
  return Number(size) === 0 ? size : `${value > 0 ? "+" : "−"}${size}`;
}

const VARIANT = "variant"; // the option whose values are parts of the name: "match=7"

// The options that there are in a variant of a game.
export function fitting(game, values) {
  const variant = values[VARIANT] ?? "";
  return game.options.filter((option) => option.of === null || option.of.includes(variant));
}

// The name of a variant: name(option=value,…), with what differs from the defaults.
export function variantName(game, values) {
  const chosen = fitting(game, values).filter(({ name, default: usual }) => String(values[name] ?? usual) !== String(usual));
  const parts = chosen.map(({ name }) => (name === VARIANT ? values[name] : `${name}=${values[name]}`));
  return parts.length ? `${game.name}(${parts.join(",")})` : game.name;
}

// The values that such a name has.
export function valuesIn(game, text) {
  const parts = /\((.*)\)$/.exec(text)?.[1].split(",") ?? [];
  const given = (option) => (value) => parts.includes(option.name === VARIANT ? value : `${option.name}=${value}`);
  const found = game.options.map((option) => [option.name, option.values.find(given(option))]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}
