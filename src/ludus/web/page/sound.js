// Short tones, off unless somebody wants them. Nothing is loaded: the browser makes them.
import { settings } from "./settings.js";

const TONES = {
  move: [[330, 0, 0.07]],
  roll: [
    [180, 0, 0.04],
    [220, 0.06, 0.04],
    [160, 0.12, 0.05],
  ],
  turn: [[520, 0, 0.09]],
  refuse: [[130, 0, 0.14]],
  over: [
    [392, 0, 0.14],
    [494, 0.15, 0.14],
    [587, 0.3, 0.25],
  ],
};

let context = null;

export function play(name) {
  if (!settings.get().sound) return;
  context ??= new AudioContext();
  for (const [pitch, after, long] of TONES[name]) {
    const start = context.currentTime + after;
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + long);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + long);
  }
}
