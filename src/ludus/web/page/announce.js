// The one live region of the page: what is said here, a screen reader speaks.
const waiting = [];
let timer = null;

// Sentences that come together are said together, or a reader would drop all but the last.
export function say(words) {
  if (!words) return;
  waiting.push(words);
  timer ??= setTimeout(() => {
    document.getElementById("announcer").textContent = waiting.splice(0).join(" ");
    timer = null;
  }, 60);
}
