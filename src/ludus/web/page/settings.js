// What a person likes, kept by the browser.
import { keep, makeStore, readKept, useStore } from "./store.js";

const NAME = "ludus.settings";

const DEFAULTS = {
  name: "You", // as others and the records see it
  theme: "system", // or light, dark
  motion: 300, // milliseconds for a piece to get where it goes; 0: no motion
  sound: false,
  auto: true, // play a move that is the only one
  autoOff: false, // bear off as the hint says, as soon as that is possible
  confirm: "walls", // or always, never
  reader: false, // for screen readers
  level: "medium", // of the opponents in a quick game
};

export const settings = makeStore({ ...DEFAULTS, ...readKept(NAME, {}) });

export function change(values) {
  settings.set({ ...settings.get(), ...values });
  keep(NAME, settings.get());
  apply();
}

export const useSettings = () => useStore(settings);

// The look of the page depends on attributes of its root; theme.js sets them before the first paint.
export function apply() {
  const root = document.documentElement;
  const { theme, reader } = settings.get();
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  if (reader) root.dataset.reader = "on";
  else delete root.dataset.reader;
}

// How long a piece moves. Nothing moves for people who asked their system, or this page, for stillness.
export function motionTime() {
  const { motion, reader } = settings.get();
  return reader || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : motion;
}

export const isCoarse = () => matchMedia("(pointer: coarse)").matches;
