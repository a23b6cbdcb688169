// Small parts of which the views are made.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

// Paths on a grid of 24 × 24, drawn with a line.
const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  flag: "M5 21V4m0 0h13l-3 4 3 4H5",
  flip: "M7 4v16m0-16L3 8m4-4 4 4m6 12V4m0 16 4-4m-4 4-4-4",
  again: "M4 12a8 8 0 1 1 2.5 5.8M4 20v-5h5",
  bulb: "M9 18h6m-5 3h4M8 14.5a6 6 0 1 1 8 0c-.7.6-1 1.5-1 3.5H9c0-2-.3-2.9-1-3.5z",
  share: "M4 13v7h16v-7M12 3v12m0-12L8 7m4-4 4 4",
  first: "M18 5v14l-9-7zM6 5v14",
  back: "M16 5v14l-9-7z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14m8-14v14",
  next: "M8 5v14l9-7z",
  last: "M6 5v14l9-7zm12 0v14",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4m0 3v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  close: "M6 6l12 12M18 6 6 18",
};

const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

export const Button = ({ icon, children, kind = "", ...rest }) =>
  html`<button type="button" class=${`button ${kind}`} ...${rest}>${icon && html`<${Icon} name=${icon} />`}${children}
    </button>`;

// A button that is only a picture, with its name for those who can't see it.
export const IconButton = ({ icon, label, kind = "", ...rest }) =>
  html`<button type="button" class=${`button bare ${kind}`} aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${icon} /></button>`;

export const Problem = ({ children }) => (children ? html`<p class="problem" role="alert">${children}</p>` : null);

export const Waiting = ({ children }) => html`<p class="waiting"><span class="pulse" aria-hidden="true">
  </span>${children}</p>`;

let count = 0;

export function useId() {
  const id = useRef(null);
  id.current ??= `id${(count += 1)}`;
  return id.current;
}

// A label with whatever is labelled; `note` says more.
export function Field({ label, note, children }) {
  const id = useId();
  return html`<div class="field"><label for=${id}>${label}</label>${children(id)}${note && html`<small>${note}</small>`}
    </div>`;
}

export function Select({ label, note, value, options, onPick }) {
  return html`<${Field} label=${label} note=${note}>${(id) => html`
    <select id=${id} onChange=${(event) => onPick(options[event.target.selectedIndex].value)}>
      ${options.map((option) => html`<option key=${option.value} selected=${option.value === value}>${option.title}
        </option>`)}
    </select>`}<//>`;
}

export const TextField = ({ label, note, onInput, ...rest }) => html`<${Field} label=${label} note=${note}>${(id) =>
  html`
    <input id=${id} type="text" autocomplete="off" onInput=${(event) => onInput(event.target.value)} ...${rest} />`}
      <//>`;

// One of a few, all in sight.
export function Choice({ label, value, options, onPick, hidden = false }) {
  const name = useId();
  return html`<fieldset class="choice"><legend class=${hidden ? "unseen" : ""}>${label}</legend><div class="pills">
    ${options.map((option) => html`<label key=${option.value} class="pill" title=${option.note}>
      <input type="radio" name=${name} checked=${option.value === value} onChange=${() => onPick(option.value)} />
        <span>${option.title}</span>
    </label>`)}
  </div></fieldset>`;
}

export const Switch = ({ label, note, on, onChange }) => html`<label class="switch">
  <input type="checkbox" role="switch" checked=${on} onChange=${(event) => onChange(event.target.checked)} />
  <span>${label}${note && html`<small>${note}</small>`}</span>
</label>`;

// A window above the page; Escape closes it, and the focus goes back to where it was.
export function Dialog({ title, onClose, children }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return html`<dialog ref=${element} aria-labelledby=${id} onCancel=${(event) => (event.preventDefault(), onClose())}>
    <header><h2 id=${id}>${title}</h2><${IconButton} icon="close" label="Close" onClick=${onClose} /></header>
    ${children}
  </dialog>`;
}

// What comes from the server once: {value, problem}, and a way to ask again.
export function useAsked(ask, changes) {
  const [state, setState] = useState({ value: null, problem: null });
  const [again, setAgain] = useState(0);
  useEffect(() => {
    let wanted = true;
    ask().then(
      (value) => wanted && setState({ value, problem: null }),
      (problem) => wanted && setState({ value: null, problem: problem.message }),
    );
    return () => (wanted = false);
  }, [...changes, again]);
  return { ...state, reload: () => setAgain((n) => n + 1) };
}

// A list with columns, that scrolls by itself where the screen is narrow. `figures` are the columns with numbers; a row is
// {key, cells}.
export function List({ label, head, figures = [], rows }) {
  const kind = (column) => (figures.includes(column) ? "figure" : null);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table class="list">
      <thead><tr>${head.map((title, i) => html`<th key=${i} scope="col" class=${kind(i)}>${title}</th>`)}</tr></thead>
      <tbody>${rows.map(({ key, cells }) => html`<tr key=${key}>
        ${cells.map((cell, i) => html`<td key=${i} class=${kind(i)}>${cell}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

const AGAIN = 3000; // milliseconds

// What goes on is asked for again and again, as long as `going` says so of the answer.
export function useRepeated(ask, changes, going) {
  const asked = useAsked(ask, changes);
  useEffect(() => {
    if (!asked.value || !going(asked.value)) return undefined;
    const timer = setTimeout(asked.reload, AGAIN);
    return () => clearTimeout(timer);
  }, [asked.value]);
  return asked;
}

export const Page = ({ title, lead, children, wide = false }) => html`<div class=${wide ? "page wide" : "page"}>
  <h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}${children}
</div>`;
