// All games that were played: search, filters, statistics, and files of other programs.
import { html, useEffect, useState } from "../vendor/preact.js";
import { catalog, get, post } from "../api.js";
import { Button, Field, List, Page, Problem, Select, TextField, Waiting, useAsked } from "../parts.js";
import { go, linkTo } from "../route.js";
import { settings } from "../settings.js";
import { percent, plural, rowText, when } from "../words.js";

const LIMIT = 50;
const PAUSE = 250; // milliseconds after the last letter until the server is asked

function Filters({ games, filters, onChange }) {
  const titles = [{ value: "", title: "All games" }, ...games.map(({ name, title }) => ({ value: name, title }))];
  const states = [
    { value: "", title: "All" },
    { value: "open", title: "Going on" },
    { value: "over", title: "Over" },
  ];
  return html`<div class="fields" role="search">
    <${TextField} label="Search" type="search" value=${filters.search} onInput=${(search) => onChange({ search })} />
    <${TextField} label="Player" value=${filters.player} onInput=${(player) => onChange({ player })} />
    <${Select} label="Game" value=${filters.game} options=${titles} onPick=${(game) => onChange({ game })} />
    <${Select} label="State" value=${filters.state} options=${states} onPick=${(state) => onChange({ state })} />
  </div>`;
}

const rowOf = (row) => ({
  key: row.id,
  cells: [
    html`<a href=${linkTo(row.kind === "match" ? "match" : "table", [row.id])}>${row.title}</a>`,
    rowText(row),
    row.plies,
    row.result ?? (row.over ? "over" : "going on"),
    when(row.started),
  ],
});

function Found({ filters }) {
  const [rows, setRows] = useState(null);
  const [more, setMore] = useState(false);
  const [problem, setProblem] = useState(null);
  const load = async (known, stillWanted = () => true) => {
    try {
      const page = await get("tables", { ...filters, limit: LIMIT, before: known.at(-1)?.id });
      if (!stillWanted()) return;
      setRows([...known, ...page.tables]);
      setMore(page.more);
      setProblem(null);
    } catch (refusal) {
      if (stillWanted()) setProblem(refusal.message);
    }
  };
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => load([], () => wanted), rows ? PAUSE : 0);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [filters]);
  if (problem) return html`<${Problem}>${problem}<//>`;
  if (!rows) return html`<${Waiting}>Looking into the records…<//>`;
  if (!rows.length) return html`<p class="empty">No game fits. <a href="#/">Play one</a></p>`;
  return html`<${List} label="Games" head=${["Game", "Players", "Steps", "Result", "Begun"]} figures=${[2]}
    rows=${rows.map(rowOf)} />
    ${more && html`<${Button} onClick=${() => load(rows)}>Show more<//>`}`;
}

const STATISTICS = ["Game", "Against", "Games", "Won", "Drawn", "Lost", "Points", "Win rate, 95 %"];

const statisticsOf = (row) => ({
  key: `${row.game}/${row.against}`,
  cells: [
    row.game.replace(/^sheet:(.{6}).*/, "rulesheet $1"),
    row.against,
    row.games,
    row.won,
    row.drawn,
    row.lost,
    row.points,
    `${percent(row.won / row.games)} (${percent(row.low)} to ${percent(row.high)})`,
  ],
});

function Statistics() {
  const [name, setName] = useState(settings.get().name);
  const { value, problem } = useAsked(() => get("statistics", { name }), [name]);
  return html`<section class="panel"><h2>Statistics</h2>
    <${TextField} label="Of" value=${name} onInput=${setName} />
    <${Problem}>${problem}<//>
    ${value && !value.rows.length && html`<p class="quiet">No finished game of this name yet.</p>`}
    ${value?.rows.length > 0 && html`<${List} label="Statistics" head=${STATISTICS} figures=${[2, 3, 4, 5, 6]}
      rows=${value.rows.map(statisticsOf)} />`}
  </section>`;
}

function Import({ games }) {
  const [game, setGame] = useState("");
  const [state, setState] = useState({ busy: false, problem: null, ids: [], remarks: [] });
  const load = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    setState({ busy: true, problem: null, ids: [], remarks: [] });
    try {
      const { tables, remarks } = await post("import", { name: file.name, text: await file.text(), ...(game && { game }) });
      setState({ busy: false, problem: null, ids: tables, remarks: [...new Set(remarks.flat())] });
      if (tables.length === 1) go("table", [tables[0]]);
    } catch (refusal) {
      setState({ busy: false, problem: refusal.message, ids: [], remarks: [] });
    }
  };
  const titles = [{ value: "", title: "As the file says" }, ...games.map(({ name, title }) => ({ value: name, title }))];
  const links = state.ids.map((id, i) => html`<a key=${id} href=${linkTo("table", [id])}>${i + 1}</a> `);
  return html`<section class="panel"><h2>Import</h2>
    <p class="quiet">Games of other programs: .mat, .quoridor, .json and what else the game reads.</p>
    <div class="fields"><${Select} label="Game" value=${game} options=${titles} onPick=${setGame} />
      <${Field} label="File">${(id) => html`<input id=${id} type="file" onChange=${load} />`}<//></div>
    <${Problem}>${state.problem}<//>
    ${state.busy && html`<${Waiting}>Reading the file…<//>`}
    ${links.length > 1 && state.remarks.map((remark) => html`<p key=${remark} class="quiet">${remark}</p>`)}
    ${links.length > 1 && html`<p class="good" role="status">${plural(links.length, "game")}: ${links}</p>`}
  </section>`;
}

export function GamesView({ query }) {
  const [filters, setFilters] = useState({ search: "", player: "", game: "", state: "", ...query });
  const { value } = useAsked(catalog, []);
  const games = value?.games ?? [];
  return html`<${Page} title="Games" wide=${true} lead="Every game is kept.">
    <${Filters} games=${games} filters=${filters} onChange=${(values) => setFilters({ ...filters, ...values })} />
    <${Found} filters=${filters} />
    <${Statistics} /><${Import} games=${games} />
  <//>`;
}
