"""What is seen: frames and their sources, still views, pieces, the game as it goes on, and how it is said."""
