// The line below the board: whose turn it is, what is being done, what went wrong; and the buttons that belong to it.
import { html, useLayoutEffect, useRef } from "../vendor/preact.js";
import { readiness } from "../live.js";
import { Button, Problem, Waiting } from "../parts.js";
import { useStore } from "../store.js";
import { Acts, actsOf } from "./acts.js";

// Something to decide by buttons. Whoever answers it with the keyboard is back on the board afterwards.
function Question({ children }) {
  const element = useRef(null);
  useLayoutEffect(() => {
    const { current: question } = element;
    return () => question.contains(document.activeElement) && document.querySelector('.board [tabindex="0"]')?.focus();
  }, []);
  return html`<div class="question" ref=${element}>${children}</div>`;
}

export function Status({ table, view, turn, past, onNow, onResume }) {
  const ready = useStore(readiness);
  const { pending, choices, touched, active } = turn;
  if (past) {
    return html`<div class="status"><p>Step ${view.ply} of ${table.ply}: ${view.status}</p>
      <${Button} kind="small" onClick=${onNow}>Back to now<//></div>`;
  }
  const compiling = table.thinking.length > 0 ? ready?.doing : null; // what a player waits for
  const whole = active && view.move !== null;
  const words = turn.sent ? "Sending your move…" : (table.result?.text ?? view.status);
  return html`<div class="status">
    ${table.trouble && html`<${Problem}>${table.trouble}<//><${Button} onClick=${onResume}>Try again<//>`}
    ${compiling ? html`<${Waiting}>${compiling}<//>` : html`<p class="say">${words}</p>`}
    ${pending && html`<${Question}><p>${pending.name}?</p>
      <${Button} kind="main" onClick=${turn.confirm}>Confirm<//><${Button} onClick=${turn.cancel}>Cancel<//><//>`}
    ${choices && html`<${Question}><p>Which move?</p>
      ${choices.map((touch) => html`<${Button} key=${touch.text} onClick=${() => turn.choose(touch)}>${touch.name}<//>`)}
      <${Button} onClick=${turn.cancel}>Cancel<//><//>`}
    ${active && !touched.length && !pending && actsOf(turn).length > 0 && html`<${Question}><${Acts} turn=${turn} /><//>`}
    ${active && (touched.length > 0 || whole) && html`<${Question}><p>${touched.join(" ")}</p>
      ${touched.length > 0 && html`<${Button} icon="undo" onClick=${turn.back}>Undo step<//>`}
      ${whole && html`<${Button} kind="main" onClick=${turn.done}>${touched.length ? "Done" : `Play ${view.move}`}<//>`}
    <//>`}
    <${Problem}>${turn.problem}<//>
  </div>`;
}
