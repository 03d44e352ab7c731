"""The commands of th-vision: parse, call, print. No logic."""

from __future__ import annotations


def main() -> None:
    """Entry point of the console script."""
    raise SystemExit(2)
