"""``th-vision info``: what a recording holds."""

from __future__ import annotations

from pathlib import Path

from rules.outcome import Outcome


def run(file: Path, *, check: bool) -> Outcome:
    """Say what is in ``file``; ``check`` reads every frame. Status 1: something of it is damaged or missing.

    Raises:
        VisionError, RulesError: there is no such thing, or nothing of it can be read.
    """
    from th_vision.sessions.inform import inform

    info = inform(file, check=check)
    return Outcome(str(info), tuple(f"{file}: {text}" for text in info.troubles), int(bool(info.troubles)))
