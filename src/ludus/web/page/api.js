// The server's HTTP interface. All answers are JSON; what goes wrong becomes a Refusal with words for people.

class Refusal extends Error {
  constructor(words, status) {
    super(words);
    this.status = status; // 0: the server was not reached
  }
}

export function address(path, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") search.append(name, one);
    }
  }
  const asked = search.toString();
  return `api/${path}${asked && "?"}${asked}`;
}

async function ask(url, request) {
  let answer;
  try {
    answer = await fetch(url, request);
  } catch {
    throw new Refusal("The server does not answer. Is it still running?", 0);
  }
  let body;
  try {
    body = await answer.json();
  } catch {
    throw new Refusal(`The server gave an answer that can't be read (${answer.status}).`, answer.status);
  }
  if (!answer.ok) throw new Refusal(body.error || `The server refused (${answer.status}).`, answer.status);
  return body;
}

export const get = (path, query) => ask(address(path, query));

export function post(path, body = {}, key = null) {
  const headers = { "Content-Type": "application/json", ...(key && { "Ludus-Key": key }) };
  return ask(address(path), { method: "POST", headers, body: JSON.stringify(body) });
}

// The path of a table, or of something at it. Ids come from the address bar, too.
export const tablePath = (id, ...more) => ["tables", encodeURIComponent(id), ...more].join("/");

let asked = null;

// The games and levels that there are. They stay the same while a server runs, so it is asked once.
export function catalog() {
  asked ??= get("catalog").catch((problem) => {
    asked = null;
    throw problem;
  });
  return asked;
}
