"""What is said aloud: short sentences, the newest first, in a process of its own so that no game waits for a word."""
