"""What ``th-vision simulate`` does: a virtual game from a seed as a folder of images with its truth."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table import db3
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.recording import write_session
from th_vision.virtual_table.session import Session, Setup

PLAYER_COLORS = {"blue": "#5b8fd6", "pink": "#e58fb0", "green": "#6db36a", "orange": "#e0913f"}
GAME = "game"
STATIC = "static"


def scenarios() -> dict[str, str]:
    """Names of what can be simulated, each with a line that says what happens."""
    found = {
        GAME: "a legal game from the seed, as long as --turns says",
        STATIC: "one still scene: two chains with crossings, junctions, offramps and cars",
    }
    found.update(_scripted())
    return found


def _scripts() -> Any:
    return importlib.import_module("th_vision.virtual_table.scripts")


def _scripted() -> dict[str, str]:
    try:
        return dict(_scripts().SCENARIOS)
    except ImportError:
        return {}


def pieces_for(players: int, pieces: Pieces | None = None) -> tuple[Pieces, tuple[str, ...]]:
    """Pieces with a colour for each of so many players, and the players' names.

    Raises:
        VisionError: fewer than 2 players or more than 4.
    """
    if not 2 <= players <= 4:
        raise VisionError(f"a game for {players} players is not possible; choose 2 to 4")
    base = pieces or Pieces()
    colors = dict(list({**base.players, **PLAYER_COLORS}.items())[:players]) if players > len(base.players) else None
    names = list(colors or base.players)[:players]
    return (base if colors is None else base.model_copy(update={"players": colors})), tuple(names)


def moments_for(
    session: Session,
    pieces: Pieces,
    players: tuple[str, ...],
    *,
    scenario: str = GAME,
    preset: str = "rainbow-city",
    turns: int = 12,
) -> Iterable[Moment]:
    """The moments of a scenario at a session's table.

    Raises:
        VisionError: no such scenario, or a game that can't be.
    """
    rng = np.random.default_rng(session.player_seed)
    width, height = session.field_mm()
    if scenario == STATIC:
        from th_vision.virtual_table.static_scenes import random_static_scene

        area = (min(width, 430.0), min(height, 290.0))
        return [Moment(scene=random_static_scene(rng, pieces, field_mm=area), label="a still scene")]
    if scenario == GAME:
        from th_vision.virtual_table.player import check_request, random_game

        field = (min(width, 620.0), min(height, 400.0))
        check_request(pieces, players, preset, field)
        return random_game(rng, pieces, players, preset, turns, field)
    if scenario in _scripted():
        scripted: Iterable[Moment] = _scripts().scenario(scenario, rng, pieces, players)
        return scripted
    names = ", ".join(scenarios())
    raise VisionError(f"scenario {scenario!r} is not known; choose one of {names} (th-vision simulate --list)")


def simulate(
    out: Path,
    *,
    seed: int = 1,
    players: int = 2,
    turns: int = 12,
    camera: str = "D415",
    distance_mm: float = 580.0,
    surface: str = "wood",
    frames: int = 8,
    scenario: str = GAME,
    preset: str = "rainbow-city",
    pieces: Pieces | None = None,
    setup: Setup | None = None,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Write a virtual game into the folder ``out``, or as ``out`` where that is a ``.db3``.

    ``setup`` overrides camera, distance, surface, frames and seed.

    Raises:
        VisionError: a request that can't be met, or a place that can't be written.
    """
    if turns < 1:
        raise VisionError(f"{turns} turns are not possible; choose 1 or more")
    asked = setup or Setup(seed=seed, camera=camera, distance_mm=distance_mm, surface=surface, frames=frames)
    set_of_pieces, names = pieces_for(players, pieces)
    session = Session(asked)
    moments = moments_for(session, set_of_pieces, names, scenario=scenario, preset=preset, turns=turns)
    about = {"scenario": scenario, "preset": preset, "players": list(names)}
    bench = out / "calibration"
    if out.suffix.lower() == db3.SUFFIX:
        count = db3.write_db3_session(out, session, moments, set_of_pieces, about=about, log=log)
        bench = db3.beside(out, "calibration.db3")
    else:
        count = write_session(out, session, moments, set_of_pieces, about=about, log=log)
    log(f"{out}: {count} frames of {asked.camera} at {asked.distance_mm:g} mm, calibration in {bench}")
