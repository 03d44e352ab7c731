"""The referee at the table: the live loop, what players may say, resuming, and noticing that the camera was bumped."""
