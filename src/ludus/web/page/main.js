// The frame of the page: header, banners, and the view that the address names.
import { html, render, useEffect, useRef } from "./vendor/preact.js";
import { get } from "./api.js";
import { connection, readiness } from "./live.js";
import { route } from "./route.js";
import { apply } from "./settings.js";
import { useStore } from "./store.js";
import { ApiView } from "./views/api.js";
import { BoardsView } from "./views/boards.js";
import { GamesView } from "./views/games.js";
import { HomeView } from "./views/home.js";
import { MatchView, MatchesView } from "./views/matches.js";
import { NewView } from "./views/new.js";
import { SettingsView } from "./views/settings.js";
import { TableView } from "./views/table.js";
import { TournamentView } from "./views/tournament.js";

// Of each view: what draws it, and its title.
const VIEWS = {
  home: [HomeView, "Play"],
  new: [NewView, "New game"],
  table: [TableView, "Table"],
  boards: [BoardsView, "Boards"],
  games: [GamesView, "Games"],
  matches: [MatchesView, "Matches"],
  match: [MatchView, "Match"],
  tournament: [TournamentView, "Tournament"],
  api: [ApiView, "API"],
  settings: [SettingsView, "Settings"],
};

const LINKS = [
  ["#/", "Play", ["home", "new", "table"]],
  ["#/boards", "Watch", ["boards"]],
  ["#/games", "Games", ["games"]],
  ["#/matches", "Matches", ["matches", "match", "tournament"]],
  ["#/api", "API", ["api"]],
  ["#/settings", "Settings", ["settings"]],
];

const Header = ({ view }) => html`<header class="top">
  <a class="brand" href="#/" aria-label="ludus, first page"><img src="pictures/icon.svg" alt="" width="28"
    height="28" />ludus</a>
  <nav aria-label="Main">${LINKS.map(([href, title, views]) => html`
    <a key=${href} href=${href} aria-current=${views.includes(view) ? "page" : null}>${title}</a>`)}</nav>
</header>`;

function Banner() {
  const lost = useStore(connection) === "lost";
  const ready = useStore(readiness);
  useEffect(() => {
    // The socket tells how compiling goes on; whoever has none yet asks, until all is ready.
    if (ready?.ready) return undefined;
    const timer = setTimeout(() => get("ready").then(readiness.set, () => null), ready ? 1000 : 0);
    return () => clearTimeout(timer);
  }, [ready]);
  if (lost) return html`<p class="banner lost"
    role="status">The connection is lost. Trying again… Your games are kept by the server.</p>`;
  if (ready && !ready.ready) return html`<p class="banner" role="status">Getting ready: ${ready.doing ?? "loading the rules"}</p>`;
  return null;
}

function Missing() {
  return html`<div class="page"><h1>There is nothing here</h1>
    <p>The address leads nowhere. <a href="#/">Go to the first page.</a></p></div>`;
}

function App() {
  const { view, parts, query } = useStore(route);
  const [View, title] = VIEWS[view] ?? [Missing, "Nothing here"];
  const main = useRef(null);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} – ludus`;
    // A new view begins at its top, also for the keyboard and for screen readers; not so when the page is loaded.
    if (!first.current) {
      scrollTo(0, 0);
      main.current.focus({ preventScroll: true });
    }
    first.current = false;
  }, [view, parts.join("/")]);
  return html`<${Header} view=${view} /><${Banner} />
    <main id="main" tabindex="-1" ref=${main}><${View} key=${`${view}/${parts.join("/")}`} parts=${parts}
      query=${query} /></main>`;
}

// The part after # is the address of a view; this one link means a place in the page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

// The token that let us in is kept as a cookie; in the address it would be copied along.
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname + location.hash);

apply();
const app = document.getElementById("app");
app.replaceChildren();
render(html`<${App} />`, app);
