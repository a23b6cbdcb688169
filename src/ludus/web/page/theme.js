// Runs before the first paint, so that a dark room stays dark. Everything else about settings is in settings.js.
(function () {
  var kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("ludus.settings")) || {};
  } catch {
    // Without storage, or with something else in it, the defaults do.
  }
  if (kept.theme === "light" || kept.theme === "dark") document.documentElement.dataset.theme = kept.theme;
  if (kept.reader) document.documentElement.dataset.reader = "on";
})();
