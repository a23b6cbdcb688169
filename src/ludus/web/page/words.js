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

// A step as one would tell it: "X plays 8/5 6/5". All seats at once are told one after the other.
export function stepWords(table, step) {
  if (step.chance) return `Chance: ${step.texts.map(moveText).join(", ")}.`;
  if (step.seat !== null) return `${capital(table.seats[step.seat].name)} plays ${moveText(step.texts[0])}.`;
  return step.texts.map((text, seat) => `${capital(table.seats[seat]?.name ?? "")} plays ${moveText(text)}.`).join(" ");
}

// How the worth of a game is told: as a chance where a win is all that counts, in points where wins differ in size.
export function worthOf({ low, high }) {
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

// The name of a variant: name(option=value,…), with what differs from the defaults.
export function variantName(game, values) {
  const chosen = game.options.filter(({ name, default: usual }) => String(values[name] ?? usual) !== String(usual));
  return chosen.length ? `${game.name}(${chosen.map(({ name }) => `${name}=${values[name]}`).join(",")})` : game.name;
}
