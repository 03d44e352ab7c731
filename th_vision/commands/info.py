"""``th-vision info``: what a recording holds."""

from __future__ import annotations

from pathlib import Path

from rules.outcome import Outcome


def run(file: Path, *, check: bool, language: str = "en") -> Outcome:
    """Say what is in ``file``; ``check`` reads every frame. Status 1: something of it is damaged or missing.

    Raises:
        VisionError, RulesError: there is no such thing, or nothing of it can be read.
    """
    from th_vision.said import said
    from th_vision.sessions.inform import inform
    from th_vision.words import words_in
    from th_vision.wrapping import in_columns

    info = inform(file, check=check, language=language)
    words = words_in(language)
    rows = [(words.text(what), words.text(said(value, language))) for what, value in info.rows]
    return Outcome(
        in_columns(rows), tuple(f"{file}: {text}" for text in info.troubles), int(bool(info.troubles)), is_data=True
    )
