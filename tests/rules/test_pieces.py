"""``pieces.toml``: what can't be played with is refused, naming the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.errors import RulesError
from rules.pieces import load_pieces


def test_two_players_of_one_colour_are_refused_for_nobody_could_tell_whose_a_car_is(tmp_path: Path) -> None:
    file = tmp_path / "pieces.toml"
    file.write_text('[players]\nblue = "#5b8fd6"\npink = "#5B8FD6"\n')
    with pytest.raises(RulesError, match="players: blue and pink have one colour"):
        load_pieces(file)
    file.write_text('[players]\nblue = "#5b8fd6"\npink = "#e58fb0"\n')
    assert list(load_pieces(file).players) == ["blue", "pink"]
