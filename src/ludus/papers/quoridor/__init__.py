"""What the thesis `quoridor2016` needs: its names for things, its views of the board, its easier positions, its figures."""
