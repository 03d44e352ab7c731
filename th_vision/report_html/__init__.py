"""The report of a game: one file with the result, every turn, the evidence and the city in 3D."""
