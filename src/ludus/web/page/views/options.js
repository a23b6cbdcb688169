// The options of a game: which variant is played, and by which rules.
import { html } from "../vendor/preact.js";
import { Select } from "../parts.js";
import { fitting } from "../words.js";

function OptionField({ option, values, onPick }) {
  const { name, label, values: known, titles, default: usual } = option;
  return html`<${Select} label=${label} value=${values[name] ?? usual}
    options=${known.map((value, i) => ({ value, title: titles[i] }))} onPick=${(value) => onPick(name, value)} />`;
}

export function OptionFields({ game, values, onPick }) {
  const shown = fitting(game, values);
  const fields = (options) => options.map((option) => html`<${OptionField} key=${`${game.name}/${option.name}`}
    option=${option} values=${values} onPick=${onPick} />`);
  const more = shown.filter((option) => option.more);
  return html`<div class="fields">${fields(shown.filter((option) => !option.more))}</div>
    ${more.length > 0 && html`<details class="more"><summary>More rules</summary>
      <div class="fields">${fields(more)}</div></details>`}`;
}
