"""The board on a page: the game as data, a server for it, and the page that draws it."""
