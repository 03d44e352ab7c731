"""``th-vision serve``: a finished or running game's record on a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.adjudicate import adjudicate, notes_of
from rules.catalog import catalog
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from rules.record import read_record
from th_vision.page.follow_file import RecordFollower
from th_vision.page.server import Page
from th_vision.terminal import STOPPED


def run(
    path: Path,
    *,
    pieces: Path | None,
    host: str,
    port: int,
    language: str,
    say: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Serve until Ctrl-C, or until ``stop``. What is written to the record meanwhile shows at once.

    Raises:
        RulesError, VisionError: the record or the pieces can't be read, or the address can't be had.
    """
    catalog(language)
    page = Page(host=host, port=port, language=language, pieces=Pieces() if pieces is None else load_pieces(pieces))
    follower = RecordFollower(path, page.publish)
    record = read_record(path)
    notes = notes_of(record, adjudicate(record))  # says what is wrong with a record before it is shown
    page.start()
    try:
        say("\n".join((*notes, *introduction(page))))
        follower.follow(stop)
    except KeyboardInterrupt:
        return Outcome("", (), STOPPED)
    finally:
        page.close()
    return Outcome("", ())


def introduction(page: Page) -> tuple[str, ...]:
    """What to tell the players when a page is there: its link, and for other machines its QR code."""
    lines = [f"The board is at {page.link}"]
    if page.open_to_others:
        lines.append(page.qr().rstrip("\n"))
        lines.append("Whoever has this link can watch.")
    if page.code:
        lines.append(f"Control code: {page.code}")
    lines.append("Ctrl-C ends it.")
    return tuple(lines)
