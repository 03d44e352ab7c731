"""Sessions: a game night as one MCAP file, with everything that is needed to read it again years later."""
