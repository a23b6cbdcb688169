"""General Game Playing over the network: a player that game managers can use, and a manager of matches among players.

`messages` and `functional` know the two spellings of the protocol, `wire` knows HTTP. `player` answers a manager; `match`
plays one match, `record` is what comes of it, `store` keeps records in a database, `tournament` and `manager` run many
matches. The games are GDL rulesheets; what they mean is known in `games`, who chooses moves in `players`.
"""
