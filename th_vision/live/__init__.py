"""Live cameras: capture in a process of its own, watched, and the same words for every live source."""
