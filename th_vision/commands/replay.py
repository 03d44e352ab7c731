"""``th-vision replay``: a recorded game, refereed as fast as it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rules.adjudicate import parse_options
from rules.catalog import catalog
from rules.outcome import Outcome
from rules.pieces import load_pieces
from th_vision.announce import set_in_lines
from th_vision.output import check_outputs, refuse_stdout
from th_vision.replay import Outputs, game_of, replay
from th_vision.sessions.brought import open_with_table, pieces_for


def run(
    spec: str,
    *,
    calibration: Path | None,
    pieces: Path | None,
    rules: str,
    players: str,
    options: Sequence[str],
    game: Path | None,
    picture: Path | None,
    lang: str,
    quiet: bool,
    say: Callable[[str], None],
    width: int,
    color: bool,
) -> Outcome:
    """Referee the source; ``say`` gets each line as it falls, set for ``width`` columns. Status 1: no game was seen.

    ``players`` are names with commas between them; ``options`` are switches of the rules, each ``SWITCH=VALUE``.

    Raises:
        VisionError, CalibrationError, RulesError: an input can't be used, or an output can't be written.
    """
    refuse_stdout(picture, "a picture")
    check_outputs((game, picture), (spec, calibration, pieces))
    catalog(lang)  # an unknown language is refused now, not at the first sentence
    if pieces is not None:
        load_pieces(pieces)  # a bad file is said first
    source, table = open_with_table(spec, calibration)
    set_of_pieces = pieces_for(source, pieces)
    names = tuple(name.strip() for name in players.split(",") if name.strip())
    fact = game_of(rules, names, parse_options(options), set_of_pieces)
    outputs = Outputs(
        say=lambda line: say(set_in_lines(line, width=width, color=color)),
        record=game,
        picture=picture,
        language=lang,
        quiet=quiet,
    )
    status = replay(source, table, set_of_pieces, fact, outputs)
    return Outcome("", tuple(getattr(source, "troubles", ())), status)
