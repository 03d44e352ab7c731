"""``th-vision serve``: a finished or running game's record on a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.adjudicate import adjudicate, notes_of
from rules.catalog import catalog
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision import phrases as say
from th_vision.game_file import SESSION, read_game
from th_vision.page.follow_file import POLL_S, SESSION_POLL_S, RecordFollower
from th_vision.page.server import Page
from th_vision.terminal import STOPPED
from th_vision.words import words_in


def run(
    path: Path,
    *,
    pieces: Path | None,
    host: str,
    port: int,
    language: str,
    tell: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Serve until Ctrl-C, or until ``stop``. What is written to the record meanwhile shows at once.

    Raises:
        RulesError, VisionError: the record or the pieces can't be read, or the address can't be had.
    """
    catalog(language)
    own_pieces = None if pieces is None else load_pieces(pieces)
    game = read_game(str(path))
    record = game.record
    page = Page(host=host, port=port, language=language, pieces=own_pieces or game.pieces or Pieces())
    session = path.suffix.lower() == SESSION
    follower = RecordFollower(path, page.publish, read=lambda path: read_game(str(path)).record)
    notes = notes_of(record, adjudicate(record))  # says what is wrong with a record before it is shown
    page.start()
    try:
        tell("\n".join((*notes, *introduction(page))))
        follower.look()
        if session:
            for road, picture in read_game(str(path), crops=True).crops.items():
                page.publish("crop", (road, picture))
        follower.follow(stop, poll_s=SESSION_POLL_S if session else POLL_S)
    except KeyboardInterrupt:
        return Outcome("", (), STOPPED)
    finally:
        page.close()
    return Outcome("", ())


def introduction(page: Page) -> tuple[str, ...]:
    """What to tell the players when a page is there: its link, and for other machines its QR code."""
    words = words_in(page.language)
    lines = [words.sentence(words.fill(say.BOARD_IS_AT, link=page.link))]
    if page.open_to_others:
        lines.append(page.qr().rstrip("\n"))
        lines.append(words.sentence(words.text(say.WHO_CAN_WATCH)))
    if page.code:
        lines.append(words.sentence(words.fill(say.CODE_IS, code=page.code)))
    lines.append(words.text(say.HOW_TO_END))
    return tuple(lines)
