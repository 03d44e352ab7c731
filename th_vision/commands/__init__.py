"""What each command does once its words are parsed: files in, files out, and an ``Outcome`` to print."""
