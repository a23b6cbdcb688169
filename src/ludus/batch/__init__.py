"""Play in batches, for methods and players in plain Python: many games in flight, with a row for each decision that is due.

    games = Games("backgammon", seed=1, count=1000, slots=256)
    batch = games.begin()
    while len(batch):
        after = batch.afterstates()                  # every legal move of every row, and the states to which they lead
        x = after.observe("raw")                     # sparse inputs; x.dense() for torch
        moves = after.best(after.worth("raw", predict(x)))
        batch = games.step(moves)
        batch.ended                                  # games that ended with these moves

`Games` plays, `Batch` holds the decisions; a player with a method `choose_batch(batch)` is given one by the arena. `slots` is the machinery
below, which the arena shares.
"""

from ludus.batch.batch import Batch, Ended, Questions, positions_listed
from ludus.batch.choices import Afterstates, Legal
from ludus.batch.games import Games
from ludus.batch.observation import Memory, Observation

__all__ = ["Afterstates", "Batch", "Ended", "Games", "Legal", "Memory", "Observation", "Questions", "positions_listed"]
