"""Looking ahead, in any game: Monte Carlo, tree search, minimax, exact solutions."""
