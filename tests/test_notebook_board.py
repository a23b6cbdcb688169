"""The board of a notebook in a real Chromium: clicks go to Python, and what Python says is seen."""

from __future__ import annotations

from typing import Any

import pytest

import ludus

pytest_plugins = ("page_fixtures",)

# What a notebook gives a widget: its state, its changes, and a way to send messages. Here Python answers each with the whole new state.
NOTEBOOK = """async ([code, state]) => {
  const { default: widget } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const hearers = {};
  const model = {
    get: (name) => state[name],
    on: (event, hearer) => (hearers[event] ??= []).push(hearer),
    send: async (message) => {
      const fresh = await window.python(message);
      const changed = Object.keys(fresh).filter((name) => JSON.stringify(fresh[name]) !== JSON.stringify(state[name]));
      Object.assign(state, fresh);
      for (const name of changed) for (const hearer of hearers[`change:${name}`] ?? []) hearer();
    },
  };
  widget.render({ model, el: document.body.appendChild(document.createElement("div")) });
}"""
SYNCED = ("svg", "touches", "moves", "words", "trouble", "can")


def test_a_move_is_made_with_the_mouse(chrome: Any) -> None:
    pytest.importorskip("anywidget")
    board = ludus.widget(ludus.game("backgammon").start().play("31"))
    state = lambda: {name: getattr(board, name) for name in SYNCED}  # noqa: E731
    page = chrome.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def hear(message: Any) -> Any:
        board.hear(message)
        return state()

    page.expose_function("python", hear)
    page.evaluate(NOTEBOOK, [board._esm, state()])
    place = lambda name: page.locator(f'.place[data-place="{name}"]')  # noqa: E731
    place("p8").click()
    assert place("p8").get_attribute("class") == "place open taken"
    place("p5").click()
    page.get_by_role("button", name="Undo").wait_for()
    place("p6").click()
    place("p5").click()
    page.get_by_text("Chance is due").wait_for()
    assert board.position == ludus.game("backgammon").start().play("31").play("8/5 6/5")
    page.get_by_role("button", name="Roll").click()
    page.get_by_text("O to move", exact=True).wait_for()
    source, target, text, _ = board.touches[0]  # the board is turned for the other seat, and its places with it
    place(source).click()
    place(target).click()
    page.get_by_role("button", name="Undo").wait_for()
    assert board._touched == [text]
    page.get_by_label("moves", exact=True).select_option(index=1)
    page.get_by_text("Chance is due").wait_for()
    page.close()
    assert complaints == []
