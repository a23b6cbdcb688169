// A rulesheet of one's own: pasted or from a file, checked by the server, and then a game like the others.
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { post } from "../api.js";
import { Button, Field, Problem } from "../parts.js";

// `like` is another game by rulesheet: players and levels are the same for all of them.
export function Sheet({ open, like, onGame }) {
  const [text, setText] = useState("");
  const [called, setCalled] = useState("");
  const [state, setState] = useState({ busy: false, problem: null, made: null });
  const panel = useRef(null);
  useEffect(() => {
    // Whoever came for this need not look for it below the rest.
    if (open) panel.current.scrollIntoView({ block: "nearest" });
  }, []);
  const load = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    setText(await file.text());
    setCalled(file.name.replace(/\.[^.]*$/, ""));
  };
  const check = async () => {
    setState({ busy: true, problem: null, made: null });
    try {
      const made = await post("sheets", { text, ...(called && { name: called }) });
      setState({ busy: false, problem: null, made });
      const { game: name, title, seats, seat_names } = made;
      onGame({ ...like, name, title, seats, seat_names, summary: "Your rulesheet." });
    } catch (refusal) {
      setState({ busy: false, problem: refusal.message, made: null });
    }
  };
  return html`<section class="panel sheet" ref=${panel}><details open=${open}><summary><h2>Your own rulesheet</h2></summary>
    <p class="quiet">Rules in the Game Description Language (GDL, KIF). They are checked before the game begins.</p>
    <${Field} label="From a file">${(id) => html`<input id=${id} type="file" accept=".kif,.gdl,.txt"
      onChange=${load} />`}<//>
    <${Field} label="Rules">${(id) => html`<textarea id=${id} rows="10" spellcheck="false" value=${text}
      placeholder="(role white) …" onInput=${(event) => setText(event.target.value)}></textarea>`}<//>
    <${Problem}>${state.problem}<//>
    ${state.made && html`<p class="good"
      role="status">${state.made.title} is ready: ${state.made.seat_names.join(", ")}. Choose the seats and play.</p>`}
    <p class="buttons"><${Button} disabled=${state.busy || !text.trim()}
      onClick=${check}>${state.busy ? "Checking the rules…" : "Use these rules"}<//></p>
  </details></section>`;
}
