"""`ludus compare`: is my method better? Trainings of methods on a suite of games, measured, and what can be said of them.

`suite` is what they are compared on, `entrants` who is compared. `running` has `jobs` done by a `crew` of workers: `checking` the bench and the methods,
`tuning` settings, `training`. `loading` reads `results` back, `judging` finds out what they say, and `report` writes it down.
"""
