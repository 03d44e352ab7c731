"""``th-vision explain``: why a turn was ruled as it was, in words, figures and a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rules.adjudicate import adjudicate, notes_of, parse_options
from rules.explain import Explanation, explain_turn
from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision import phrases as say
from th_vision.game_file import read_game
from th_vision.game_layout import layout_of
from th_vision.output import check_ending, check_outputs, refuse_stdout


def run(
    path: str,
    *,
    turn: int,
    rules: str | None,
    options: Sequence[str],
    language: str,
    pieces: Path | None,
    picture: Path | None,
) -> Outcome:
    """Explain a turn; ``picture`` shows the table as it stood after it, with cars in the colours of ``pieces``, and a
    closer look at each crossing and each close call.

    Raises:
        RulesError, VisionError: the record, the turn or the rules can't be, or the picture can't be written.
    """
    refuse_stdout(picture, "a picture")
    check_outputs((picture,), (path, pieces))
    check_ending(picture, ".png", "a picture")
    own_pieces = None if pieces is None else load_pieces(pieces)
    game, chosen = read_game(path, crops=picture is not None, turn=turn), parse_options(options)
    record = game.record
    explanation = explain_turn(record, turn, rules=rules, options=chosen, language=language)
    if picture is not None:
        colors = own_pieces or game.pieces or Pieces()
        before = {} if turn == 0 else _names_before(explanation)
        _draw(explanation, before, colors, picture, language, game.crops)
    return Outcome(str(explanation), notes_of(record, adjudicate(record, rules, chosen)), is_data=True)


def _names_before(explanation: Explanation) -> dict[str, str]:
    """Owners of the pieces that earlier turns placed."""
    turn_of: dict[str, int] = {}
    for fact in explanation.game.facts:
        number = getattr(fact, "turn", 0)
        for part in (getattr(fact, "column", None), getattr(fact, "road", None), *getattr(fact, "cars", ())):
            if part is not None:
                turn_of[part.id] = number
    return {name: owner for name, owner in explanation.game.owners.items() if turn_of.get(name, 0) < explanation.turn}


def _draw(
    explanation: Explanation,
    before: dict[str, str],
    pieces: Pieces,
    picture: Path,
    language: str,
    crops: Mapping[str, bytes],
) -> None:
    from th_vision.closeup import closeups_of
    from th_vision.closeup_drawing import draw_closeup
    from th_vision.picture import Legend, below, decoded, draw_table, save_picture
    from th_vision.standings import doubts_of, standings_of
    from th_vision.words import words_in

    game, words = explanation.game, words_in(language)
    title = words.fill(say.TURN_NUMBER, turn=str(explanation.turn)) if explanation.turn else words.text(say.SET_UP)
    layout = layout_of(game, pieces)
    legend = Legend(
        title=words.sentence(title),
        language=language,
        notes=explanation.sentences,
        standings=standings_of(layout, game),
        newest=frozenset(game.owners) - frozenset(before) if explanation.turn else frozenset(),
        doubts=doubts_of(layout),
    )
    looks = [draw_closeup(look, pieces, language).to_image() for look in closeups_of(game, explanation.answers)]
    looks += [decoded(crop) for crop in crops.values()]
    save_picture(picture, below(draw_table(layout, pieces, game.owners, legend), looks))
