// Values that several parts of the page look at: whoever uses one is drawn again when it changes.
import { useEffect, useState } from "./vendor/preact.js";

export function makeStore(first) {
  let value = first;
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore(store) {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    setValue(store.get()); // it may have changed between drawing and listening
    return store.listen(setValue);
  }, [store]);
  return value;
}

// What a browser keeps for us; without storage (a private window, a full disk) the page works all the same, and forgets.
export function readKept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // see above
  }
}
