// A board to click, for anywidget: draws what Python says, marks what may be touched, and tells what was clicked. It knows no rules.
const STYLE = `
.ludus-board { max-width: 520px; font-family: sans-serif; }
.ludus-board svg { max-width: 100%; height: auto; display: block; }
.ludus-board .place.open { cursor: pointer; stroke: #0072b2; stroke-width: 2; stroke-opacity: 0.8; }
.ludus-board .place.taken { fill: #e69f00; fill-opacity: 0.35; }
.ludus-board .place:focus-visible { outline: 3px solid #d55e00; }
.ludus-board .bar { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; margin-top: 6px; }
.ludus-board .trouble { color: #b00020; }`;

const make = (tag, attributes = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), attributes);
  element.append(...children);
  return element;
};

// The touch that a click on a place means, if a piece was taken up at `source` before; null if none.
const touchOf = (touches, source, place) => touches.find(([from, to]) => from === source && to === place) ?? null;

function render({ model, el }) {
  let source = null; // the place of the piece that was taken up
  const picture = make("div", { className: "picture" });
  const bar = make("div", { className: "bar" });
  const trouble = make("div", { className: "trouble" });
  trouble.setAttribute("role", "alert");
  el.classList.add("ludus-board");
  el.append(make("style", { textContent: STYLE }), picture, bar, trouble);

  const places = () => [...picture.querySelectorAll(".place[data-place]")];

  function mark() {
    const touches = model.get("touches");
    const targets = new Set(touches.filter(([from]) => from === source).map(([, to]) => to));
    const sources = new Set(touches.map(([from]) => from).filter((from) => from !== null));
    for (const place of places()) {
      const id = place.dataset.place;
      const open = targets.has(id) || sources.has(id) || (source !== null && touchOf(touches, null, id) !== null);
      place.classList.toggle("open", open);
      place.classList.toggle("taken", id === source);
      place.setAttribute("role", "button");
      place.setAttribute("aria-label", place.dataset.name ?? id);
      place.setAttribute("tabindex", open ? "0" : "-1");
    }
  }

  function click(id) {
    const touches = model.get("touches");
    const touch = (source !== null && touchOf(touches, source, id)) || touchOf(touches, null, id);
    if (touch) model.send({ touch: touch[2] });
    source = !touch && id !== source && touches.some(([from]) => from === id) ? id : null;
    mark();
  }

  function draw() {
    source = null;
    picture.innerHTML = model.get("svg");
    for (const place of places()) {
      place.addEventListener("click", () => click(place.dataset.place));
      place.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        click(place.dataset.place);
      });
    }
    mark();
  }

  function tell() {
    const button = (word) => make("button", { textContent: word, onclick: () => model.send({ [word.toLowerCase()]: true }) });
    const moves = model.get("moves");
    const list = make("select", { onchange: () => list.value && model.send({ move: list.value }) });
    list.setAttribute("aria-label", "moves");
    list.append(make("option", { value: "", textContent: `${moves.length} moves` }));
    list.append(...moves.map((text) => make("option", { value: text, textContent: text })));
    const can = model.get("can").map((word) => button(word[0].toUpperCase() + word.slice(1)));
    bar.replaceChildren(make("span", { textContent: model.get("words") }), ...can, ...(moves.length ? [list] : []));
    trouble.textContent = model.get("trouble");
  }

  model.on("change:svg", draw);
  model.on("change:touches", mark);
  for (const name of ["words", "moves", "can", "trouble"]) model.on(`change:${name}`, tell);
  draw();
  tell();
}

export default { render };
