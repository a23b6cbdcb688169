// Taking a game along: links, files, pictures.
import { html, useState } from "../vendor/preact.js";
import { address, tablePath } from "../api.js";
import { Button, Dialog, Problem } from "../parts.js";
import { linkTo } from "../route.js";
import { say } from "../announce.js";

const WIDTH = 1200; // pixels of a picture

const here = (hash) => `${location.href.split("#")[0]}${hash}`;

const inviteLink = (id, { seat, key }) => here(linkTo("table", [id], { seat, key }));

// A line of text with a button that copies it; where the browser does not let us, it can be marked and copied by hand.
function Copy({ label, text }) {
  const [done, setDone] = useState(false);
  const copy = async (event) => {
    const field = event.currentTarget.parentNode.querySelector("input");
    field.select();
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      say("Copied.");
    } catch {
      say("The text is marked; copy it with your keyboard.");
    }
  };
  return html`<div class="field"><span class="label">${label}</span><div class="row">
    <input type="text" readonly aria-label=${label} value=${text} />
      <${Button} onClick=${copy}>${done ? "Copied" : "Copy"}<//></div></div>`;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// The server draws SVG; the browser can make a PNG of it.
async function savePng(board, name) {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([board], { type: "image/svg+xml" }));
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = Math.round((WIDTH * picture.height) / picture.width);
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(picture.src);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  save(blob, name);
}

export function Share({ table, view, ply, flip, formats, guests, onClose }) {
  const [problem, setProblem] = useState(null);
  const file = (format, query) => address(tablePath(table.id, "export", format), query);
  const files = [...new Set([...formats.map((format) => format.replace(/^\./, "")), "json"])];
  const failed = () => setProblem("This browser could not make the picture.");
  const png = () => savePng(view.board, `${table.id}-${view.ply}.png`).catch(failed);
  return html`<${Dialog} title="Share and save" onClose=${onClose}>
    <${Copy} label="Link to this game" text=${here(linkTo("table", [table.id]))} />
    <${Copy} label=${`Link to this position (step ${view.ply})`}
      text=${here(linkTo("table", [table.id], { ply: view.ply }))} />
    ${guests.map((guest) => html`<${Copy} key=${guest.seat}
      label=${`Invitation to play ${table.seats[guest.seat].name}`} text=${inviteLink(table.id, guest)} />`)}
    <${Copy} label="Position" text=${view.position} />
    <h3>The game as a file</h3>
    <p class="buttons">${files.map((format) => html`<a key=${format} class="button"
      href=${file(format)} download>.${format}</a>`)}
      <a class="button" href=${file("animation")} download>Animated SVG</a></p>
    <h3>This position as a picture</h3>
    <p class="buttons"><a class="button" href=${file("svg", { ply: view.ply, flip: flip || null })} download>SVG</a>
      <${Button} onClick=${png}>PNG<//></p>
    <${Problem}>${problem}<//>
  <//>`;
}
