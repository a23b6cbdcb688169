"""`ludus models`: what models there are, bringing one here, and taking one elsewhere with the same numbers."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.batch.states import States
from ludus.cli.main import main
from ludus.contract.views import known, section
from ludus.kernel import stream
from ludus.nets import shelf, storage
from ludus.nets.dense import UNITS, Dense, forward, sigmoid
from ludus.nets.value import predict, workspace
from ludus.players.models import model_of

ROOT = Path(__file__).parent.parent
FACTS = {"kind": "model", "game": "backgammon", "game_version": 1, "player": "td", "method": "selfplay", "settings": {}}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for data that nobody else uses."""
    monkeypatch.setenv("LUDUS_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "small.safetensors"
    storage.save(path, {"w1": np.ones((1, 2, 3), np.float32)}, FACTS)
    return path


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, words)))
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


# --- listing and telling ---------------------------------------------------------------------------------------------


def test_every_shipped_model_is_listed_and_tells_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "models", "list", "--json")
    assert code == 0
    listed = json.loads(out)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "src" / "ludus" / "models").glob("*.safetensors"))
    assert not [name for name, row in listed.items() if "error" in row]
    _, told, _ = run(capsys, "models", "info", "backgammon-rich")
    assert re.search(r"games +2,000,000\n", told)
    assert "w1: float32 3 × 248 × 160" in told
    path = shelf.shipped()["backgammon-rich"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() in told


def test_a_damaged_model_does_not_hide_the_others(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.with_name("bad.safetensors").write_bytes(model.read_bytes()[:-1])
    _, out, _ = run(capsys, "models", "list", "--folder", model.parent)
    bad, small = out.splitlines()
    assert bad.startswith("bad ")
    assert "is damaged" in bad
    assert small.startswith("small ")


def test_a_run_is_a_model_too(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "model.safetensors").write_bytes(model.read_bytes())
    _, out, _ = run(capsys, "models", "info", tmp_path / "run", "--json")
    assert json.loads(out)["tensors"] == {"w1": ["float32", [1, 2, 3]]}


# --- fetching --------------------------------------------------------------------------------------------------------


@pytest.fixture
def server(model: Path) -> Iterator[str]:
    """A server with a model, one that stops in the middle, one that never ends, and a page that is none."""
    data = model.read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/gone.safetensors":
                self.send_error(404)
                return
            self.send_response(200)
            if self.path != "/endless.safetensors":
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            body = {"/torn.safetensors": data[:-10], "/page.safetensors": b"<html>".ljust(len(data)), "/endless.safetensors": bytes(10_000)}  # fmt: skip
            self.wfile.write(body.get(self.path, data))

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()


def test_a_model_is_fetched_checked_and_called_by_its_name(
    server: str, model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    code, out, _ = run(capsys, "models", "fetch", f"{server}/strong.safetensors", "--sha256", digest)
    assert code == 0
    assert "play by it as td:strong" in out
    assert (data / "models" / "strong.safetensors").read_bytes() == model.read_bytes()
    assert shelf.find("strong") == data / "models" / "strong.safetensors"
    assert "strong " in run(capsys, "models", "list")[1]
    assert run(capsys, "models", "fetch", f"{server}/strong.safetensors")[0] == 0  # the same again


def test_a_fetched_model_plays(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "models", "fetch", shelf.shipped()["backgammon"], "--name", "mine")
    game = ludus.game("backgammon")
    assert np.array_equal(ludus.player("td:mine", game).net.w1, ludus.player("td", game).net.w1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["fetch", "SERVER/a.safetensors", "--sha256", "0" * 64], "is not the file that was meant: its SHA-256 is"),
        (["fetch", "SERVER/a.safetensors", "--sha256", "abc"], "give the 64 hexadecimal digits"),
        (["fetch", "SERVER/gone.safetensors"], "the server answers 404"),
        (["fetch", "SERVER/torn.safetensors"], "the server stopped 10 bytes before the end"),
        (["fetch", "SERVER/page.safetensors"], "is damaged or not a model"),
        (["fetch", "SERVER/endless.safetensors"], "is too large"),
        (["fetch", "SERVER/backgammon.safetensors"], "a model called backgammon comes with ludus"),
        (["fetch", "SERVER/"], "a model can't be called ''"),
        (["fetch", "SERVER/a.safetensors", "--name", "../a"], "a model can't be called '../a'"),
        (["fetch", "ftp://example.org/a.safetensors"], "can't fetch by ftp"),
        (["fetch", "http://127.0.0.1:1/a.safetensors"], "can't fetch http://127.0.0.1:1/a.safetensors"),
        (["fetch", "http://[/a.safetensors", "--name", "a"], "can't fetch http://[/a.safetensors"),
        (["fetch", "none.safetensors"], "there is no file none.safetensors"),
        (["fetch", "/dev/zero", "--name", "a"], "is not a regular file"),
        (["info", "backgamon"], "unknown model 'backgamon'; did you mean 'backgammon' or 'backgammon-rich'?"),
        (["info", "some/where"], "there is no file some/where"),
        (["list", "--folder", "nowhere"], "there is no folder nowhere"),
        (["export", "peters", "--onnx", "a.onnx"], "holds no network that can be exported"),
        (["sell"], "unknown command 'sell'"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line_and_nothing_is_kept(
    words: list[str], complaint: str, server: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shelf, "LARGEST", 5_000)
    code, out, err = run(capsys, "models", *(word.replace("SERVER", server) for word in words))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert not (data / "models").exists()


def test_no_model_is_replaced_by_another(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "models", "fetch", model)[0] == 0
    other = tmp_path / "other.safetensors"
    storage.save(other, {"w1": np.zeros((1, 2, 3), np.float32)}, FACTS)
    code, _, err = run(capsys, "models", "fetch", other, "--name", "small")
    assert (code, "there is another model" in err) == (2, True)
    assert shelf.find("small").read_bytes() == model.read_bytes()


def test_a_checkpoint_is_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage.save(tmp_path / "a.safetensors", {"w": np.zeros(1)}, FACTS | {"kind": "checkpoint"})
    assert "is not a model of a player" in run(capsys, "models", "fetch", tmp_path / "a.safetensors")[2]


# --- the same numbers elsewhere --------------------------------------------------------------------------------------


@functools.cache
def states_of(name: str) -> np.ndarray:
    """States after moves of some random games."""
    game, rng, found = ludus.game(name), stream(1), []
    for number in range(4):
        position = game.start()
        while not position.over and len(found) < 60 * (number + 1):
            if position.kind == "chance":
                position = position.roll(rng)
                continue
            legal = position.moves()
            position = position.play(legal[(len(found) * 7) % len(legal)])
            found += [] if position.over else [position.state]
    return np.array(found)


def judged(name: str) -> tuple[States, np.ndarray, np.ndarray, np.ndarray]:
    """States, the inputs of the shipped network, the section of each, and what ludus says of them."""
    game = ludus.game(name)
    encoding, net = model_of(game, None)
    room = np.zeros(encoding.shape(game)[2], np.float32)
    rows = np.array(
        [state for state in states_of(name) if not known(encoding, game, state, room)]
    )  # endings need no network
    states = States(game, rows, np.zeros(len(rows), bool))
    ws = workspace(net, game, game.facts.max_moves, game.facts.state_size, game.facts.seats)
    said = []
    for state in rows:
        predict(net, encoding, game, state.copy(), ws)
        said.append(ws.output.copy())
    sections = np.array([section(encoding, game, state.copy()) for state in rows], np.int64)
    return states, states.observe(encoding).dense(), sections, np.array(said)


NETWORKS = ["backgammon", "ludo", "ludo(rules=ludopy,seats=2)"]


@pytest.fixture(scope="module")
def loader() -> dict[str, Any]:
    """The loader of docs/models.md, as it stands there."""
    found = re.search(r"```python\n(import json.*?)```", (ROOT / "docs" / "models.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    assert len([line for line in found[1].splitlines() if line.strip()]) <= 30
    names: dict[str, Any] = {}
    exec(found[1], names)
    return names


@pytest.mark.parametrize("name", NETWORKS)
def test_the_loader_of_the_docs_says_what_ludus_says(name: str, loader: dict[str, Any]) -> None:
    states, inputs, sections, said = judged(name)
    game = ludus.game(name)
    tensors, facts = loader["load"](shelf.shipped()[game.facts.model])
    assert facts["game"] == game.facts.model
    for k in np.unique(sections):
        here = sections == k
        predictions = np.zeros_like(said)
        predictions[here] = loader["judge"](tensors, inputs[here], k)
        found = states.outcomes(facts["settings"]["encoding"], predictions)
        assert np.abs(found - said)[here].max() < 1e-6


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_in_onnx_gives_the_same_numbers(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    states, inputs, sections, said = judged(name)
    game = ludus.game(name)
    assert run(capsys, "models", "export", game.facts.model, "--onnx", tmp_path / "net.onnx")[0] == 0
    session = runtime.InferenceSession(tmp_path / "net.onnx", providers=["CPUExecutionProvider"])
    given = {"inputs": inputs, "section": sections}
    (found,) = session.run(None, {each.name: given[each.name] for each in session.get_inputs()})
    facts = json.loads(session.get_modelmeta().custom_metadata_map["ludus"])
    assert np.abs(states.outcomes(facts["settings"]["encoding"], found) - said).max() < 1e-6


@pytest.mark.parametrize("layout", ["160-187", "345-200"])
def test_a_q_network_in_onnx_gives_the_same_numbers(layout: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    from ludus.nets.onnx import export

    path = shelf.shipped()[f"quoridor-qlnn-{layout}"]
    tensors, facts = storage.load(path)
    net = Dense(**tensors, units=UNITS[facts["settings"]["units"]])
    rng = np.random.default_rng(1)
    inputs = (rng.random((50, net.shape[0])) < 0.05).astype(np.float32)
    counts = inputs.sum(1).astype(np.int64)
    index = np.argsort(-inputs, axis=1, kind="stable")
    said = sigmoid(forward(net, index, np.ones_like(inputs), counts).logits)
    export(path, tmp_path / "net.onnx")
    session = runtime.InferenceSession(tmp_path / "net.onnx", providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"inputs": inputs})
    assert np.abs(found - said).max() < 1e-6


def test_without_onnx_the_line_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    code, _, err = run(capsys, "models", "export", "backgammon", "--onnx", tmp_path / "net.onnx")
    assert (code, "pip install 'ludus[onnx]'" in err) == (2, True)
