"""Our games for OpenSpiel's algorithms (the `openspiel` extra). Importing this registers every game and rulesheet of ludus with OpenSpiel:

>>> import ludus.adapters.openspiel, pyspiel
>>> game = pyspiel.load_game("ludus_quoridor(size=5)")
>>> game.num_distinct_actions(), game.max_game_length()
(141, 100)

C++ `MCTSBot` of OpenSpiel 2.0.2 crashes on all Python games, and these are some: use `open_spiel.python.algorithms.mcts`.
The way in, OpenSpiel's games in ludus, is `ludus.games.openspiel`.
"""

from __future__ import annotations

from ludus.adapters.openspiel.games import LudusGame, LudusState
from ludus.adapters.openspiel.registering import game, register, state_of

__all__ = ["LudusGame", "LudusState", "game", "state_of"]

register()
