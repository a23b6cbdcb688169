// What a person likes.
import { html } from "../vendor/preact.js";
import { Choice, Page, Switch, TextField } from "../parts.js";
import { change, useSettings } from "../settings.js";
import { play } from "../sound.js";

const options = (...pairs) => pairs.map(([value, title]) => ({ value, title }));

export function SettingsView() {
  const likes = useSettings();
  return html`<${Page} title="Settings" lead="Kept in this browser, for all games.">
    <section class="panel"><h2>You</h2>
      <${TextField} label="Your name" note="Your games are kept, and counted, under this name." maxlength="60"
        value=${likes.name} onInput=${(name) => change({ name: name.trim() || "You" })} /></section>
    <section class="panel"><h2>Look and sound</h2>
      <${Choice} label="Theme" value=${likes.theme}
        options=${options(["system", "As the system"], ["light", "Light"], ["dark", "Dark"])}
        onPick=${(theme) => change({ theme })} />
      <${Choice} label="Motion" value=${likes.motion}
        options=${options([0, "None"], [600, "Slow"], [300, "Normal"], [120, "Fast"])}
        onPick=${(motion) => change({ motion })} />
      <${Switch} label="Sounds" on=${likes.sound} onChange=${(sound) => (change({ sound }), play("turn"))} /></section>
    <section class="panel"><h2>Moves</h2>
      <${Switch} label="Play forced moves for me" note="When there is only one legal move." on=${likes.auto}
        onChange=${(auto) => change({ auto })} />
      <${Switch} label="Bear off for me"
        note="Backgammon: as soon as checkers can be borne off, the hint's moves are played." on=${likes.autoOff}
        onChange=${(autoOff) => change({ autoOff })} />
      <${Choice} label="Confirm" value=${likes.confirm}
        options=${options(["walls", "Walls by touch"], ["always", "Every move"], ["never", "Nothing"])}
        onPick=${(confirm) => change({ confirm })} /></section>
    <section class="panel"><h2>Screen readers</h2>
      <${Switch} label="Screen reader mode"
        note="Larger text, no motion, the legal moves as buttons, the position in words. The keyboard works in either mode."
        on=${likes.reader} onChange=${(reader) => change({ reader })} /></section>
  <//>`;
}
