"""What the rooms of ludus agree on, in layers: `rules` is what a game is, `position` how people hold it, `views` what a learner sees
of it, `playing` what a player answers.
"""
