// Going through a game: buttons, a slider, and playing it like a film.
import { html, useEffect, useState } from "../vendor/preact.js";
import { IconButton } from "../parts.js";

const SPEEDS = [
  [2000, "slow"],
  [1000, "normal"],
  [400, "fast"],
];

export function Replay({ ply, last, onPly }) {
  const [playing, setPlaying] = useState(false);
  const [pause, setPause] = useState(1000);
  const here = ply ?? last;
  useEffect(() => {
    if (!playing) return undefined;
    if (here >= last) {
      setPlaying(false);
      onPly(null);
      return undefined;
    }
    const timer = setTimeout(() => onPly(here + 1), pause);
    return () => clearTimeout(timer);
  }, [playing, here, last, pause]);
  const to = (next) => {
    setPlaying(false);
    onPly(next >= last ? null : Math.max(0, next));
  };
  const start = () => {
    if (here >= last) onPly(0);
    setPlaying(true);
  };
  return html`<div class="replay" role="group" aria-label="Go through the game">
    <${IconButton} icon="first" label="To the start" disabled=${here === 0} onClick=${() => to(0)} />
    <${IconButton} icon="back" label="One step back" disabled=${here === 0} onClick=${() => to(here - 1)} />
    <input type="range" min="0" max=${last} value=${here} aria-label="Step" aria-valuetext=${`step ${here} of ${last}`}
      onInput=${(event) => to(Number(event.target.value))} disabled=${last === 0} />
    <${IconButton} icon="next" label="One step on" disabled=${here >= last} onClick=${() => to(here + 1)} />
    <${IconButton} icon="last" label="To the end" disabled=${here >= last} onClick=${() => to(last)} />
    <${IconButton} icon=${playing ? "pause" : "play"} label=${playing ? "Pause" : "Play the game through"}
      disabled=${last === 0} onClick=${() => (playing ? setPlaying(false) : start())} />
    <label class="speed"><span class="unseen">Speed</span>
      <select onChange=${(event) => setPause(SPEEDS[event.target.selectedIndex][0])}>
      ${SPEEDS.map(([value, title]) => html`<option key=${title} selected=${value === pause}>${title}</option>`)}
    </select></label>
  </div>`;
}
