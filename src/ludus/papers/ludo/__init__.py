"""How the two papers on Ludo see the game: situations, actions and rewards for Q-learning."""
