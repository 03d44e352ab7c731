"""What ``th-vision simulate`` does: a virtual game from a seed as a folder of images with its truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table import db3, mcap
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.recording import write_session
from th_vision.virtual_table.scenarios import SCENARIOS, Ask, Scenario, find_scenario
from th_vision.virtual_table.session import Session, Setup

PLAYER_COLORS = {"blue": "#5b8fd6", "pink": "#e58fb0", "green": "#6db36a", "orange": "#e0913f"}
OTHER_FILES = (".bag", ".ply", ".pcd", ".zip", ".json", ".jsonl", ".toml", ".png", ".jpg", ".mp4", ".html")
GAME = "game"
STATIC = "static"
SEEN_FIELD = 1.04  # what is counted as seen leaves a rim; pieces may stand in some of it
LEAST_STICK_PX = 3.0  # a stick that is narrower in the depth image is not found by anybody
LEAST_STICK_DISCS = 3.5  # a stick of so many discs' length at least reaches from column to column


def scenarios() -> dict[str, str]:
    """Names of what can be simulated, each with a line that says what happens."""
    return {scenario.name: scenario.words for scenario in SCENARIOS.values()}


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


@dataclass(frozen=True)
class Request:
    """What is to be simulated, all of it decided: the scenario's own choice where nothing was asked for."""

    scenario: Scenario
    pieces: Pieces
    players: tuple[str, ...]
    rules: str
    turns: int | None

    @property
    def about(self) -> dict[str, Any]:
        """What the truth says of it."""
        return {"scenario": self.scenario.name, "preset": self.rules, "players": list(self.players)}


def request(
    scenario: str = GAME,
    *,
    pieces: Pieces | None = None,
    players: int | None = None,
    rules: str | None = None,
    turns: int | None = None,
) -> Request:
    """A request with everything decided.

    Raises:
        VisionError: no such scenario, or it isn't for so many players, such rules, so few turns or such pieces.
    """
    chosen = find_scenario(scenario)
    count = chosen.players[0] if players is None else players
    if not 2 <= count <= 4:
        raise VisionError(f"a game for {count} players is not possible; choose 2 to 4")
    if count not in chosen.players:
        fits = " or ".join(str(n) for n in chosen.players)
        raise VisionError(f"scenario {scenario!r} is for {fits} players, not {count}; change --players")
    if turns is not None and turns < 1:
        raise VisionError(f"{turns} turns are not possible; choose 1 or more")
    known = rules or chosen.rules[0]
    if known not in chosen.rules:
        raise VisionError(f"scenario {scenario!r} is played by {' or '.join(chosen.rules)}, not {known!r}")
    set_of_pieces, names = pieces_for(count, pieces)
    check_pieces(set_of_pieces)
    return Request(chosen, chosen.pieces(set_of_pieces), names, known, turns)


def check_pieces(pieces: Pieces) -> None:
    """Refuse pieces that no game can be played with.

    Raises:
        VisionError: which piece doesn't fit what.
    """
    stick, disc = pieces.stick, pieces.disc
    if stick.length < LEAST_STICK_DISCS * disc.diameter:
        raise VisionError(
            f"pieces: a stick of {stick.length:g} mm is too short for discs of {disc.diameter:g} mm: columns would "
            f"stand side by side; {LEAST_STICK_DISCS * disc.diameter:.0f} mm at least"
        )
    if stick.width > disc.diameter or stick.thickness > disc.height:
        raise VisionError(
            f"pieces: a stick {stick.width:g} mm wide and {stick.thickness:g} mm thick doesn't fit discs of "
            f"{disc.diameter:g} x {disc.height:g} mm; check [stick] and [disc]"
        )
    for name, car in pieces.cars.items():
        if car.length > stick.length - 2 * disc.diameter - 4.0:
            raise VisionError(
                f"pieces: a {name} of {car.length:g} mm finds no place between the columns of a {stick.length:g} mm "
                f"road; {stick.length - 2 * disc.diameter - 4.0:.0f} mm at most"
            )
    area = pieces.city.get("development_area")
    for kind in ("building", "tower"):
        body = pieces.city.get(kind)
        if area and body and max(body.length, body.width) * 1.45 > min(area.length, area.width):
            raise VisionError(f"pieces: a {kind} of {body.length:g} x {body.width:g} mm finds no place on its area")


def check_view(session: Session, asked: Request) -> None:
    """Refuse a camera that hangs too low for the field of a game, or too high for its pieces.

    Raises:
        VisionError: with the height that would do.
    """
    setup = session.setup
    fx = session.camera.depth.fx
    wide_px = asked.pieces.stick.width * fx / setup.distance_mm
    if wide_px < LEAST_STICK_PX:
        most = asked.pieces.stick.width * fx / LEAST_STICK_PX
        raise VisionError(
            f"a {setup.camera} at {setup.distance_mm:g} mm is too high: a stick would be {wide_px:.1f} pixels wide; "
            f"hang it at {most:.0f} mm or lower"
        )
    need = asked.scenario.needs_mm(asked.pieces, len(asked.players))
    if need is None:
        return
    seen = session.field_mm()
    if seen[0] * SEEN_FIELD >= need[0] and seen[1] * SEEN_FIELD >= need[1]:
        return
    higher = (h for h in range(int(setup.distance_mm), 2001, 10) if _sees(session, h, need))
    enough = next(higher, None)
    hint = "take a camera that sees more" if enough is None else f"hang it at {enough} mm or higher"
    raise VisionError(
        f"scenario {asked.scenario.name!r} needs a field of {need[0]:.0f} x {need[1]:.0f} mm, a {setup.camera} at "
        f"{setup.distance_mm:g} mm sees {seen[0]:.0f} x {seen[1]:.0f}; {hint}"
    )


def _sees(session: Session, distance_mm: float, need: tuple[float, float]) -> bool:
    try:
        seen = Session(replace(session.setup, distance_mm=distance_mm)).field_mm()
    except VisionError:
        return False
    return seen[0] * SEEN_FIELD >= need[0] and seen[1] * SEEN_FIELD >= need[1]


def moments_of(session: Session, asked: Request) -> Iterable[Moment]:
    """The moments of a request at a session's table.

    Raises:
        VisionError: the camera sees too little of it, or a game that can't be.
    """
    check_view(session, asked)
    rng = np.random.default_rng(session.player_seed)
    return asked.scenario.make(Ask(rng, asked.pieces, asked.players, asked.rules, asked.turns, session.field_mm()))


def moments_for(
    session: Session,
    pieces: Pieces,
    players: tuple[str, ...],
    *,
    scenario: str = GAME,
    preset: str = "rainbow-city",
    turns: int | None = None,
) -> Iterable[Moment]:
    """The moments of a scenario played with just these pieces, by these players, at a session's table.

    ``turns`` is for the plain game; the others have their own length.

    Raises:
        VisionError: no such scenario, or a game that can't be.
    """
    return moments_of(
        session, Request(find_scenario(scenario), pieces, players, preset, turns if scenario == GAME else None)
    )


def check_place(out: Path) -> None:
    """Refuse a name that other programs take for a file of a kind that isn't written here.

    Raises:
        VisionError: what to name it.
    """
    if out.suffix.lower() in OTHER_FILES:
        raise VisionError(f"{out}: a game is not written as {out.suffix.lower()}; name a folder, X.mcap or X.db3")


def simulate(
    out: Path,
    *,
    seed: int = 1,
    players: int | None = None,
    turns: int | None = None,
    camera: str = "D415",
    distance_mm: float = 580.0,
    surface: str = "wood",
    frames: int = 8,
    model: str = "fast",
    scenario: str = GAME,
    preset: str | None = None,
    pieces: Pieces | None = None,
    setup: Setup | None = None,
    log: Callable[[str], None] = lambda _: None,
) -> None:
    """Write a virtual game into the folder ``out``, or as ``out`` where that is a ``.db3`` or an ``.mcap``.

    ``setup`` overrides camera, distance, surface, frames, sensor model and seed.

    Raises:
        VisionError: a request that can't be met, or a place that can't be written.
    """
    check_place(out)
    asked = request(scenario, pieces=pieces, players=players, rules=preset, turns=turns)
    chosen = setup or Setup(
        seed=seed, camera=camera, distance_mm=distance_mm, surface=surface, frames=frames, model=model
    )
    session = Session(chosen)
    moments = moments_of(session, asked)
    bench = out / "calibration"
    suffix = out.suffix.lower()
    if suffix == db3.SUFFIX:
        count = db3.write_db3_session(out, session, moments, asked.pieces, about=asked.about, log=log)
        bench = db3.beside(out, "calibration.db3")
    elif suffix == mcap.SUFFIX:
        count = mcap.write_mcap_session(out, session, moments, asked.pieces, about=asked.about, log=log)
        bench = db3.beside(out, "calibration.mcap")
    else:
        count = write_session(out, session, moments, asked.pieces, about=asked.about, log=log)
    log(f"{out}: {count} frames of {chosen.camera} at {chosen.distance_mm:g} mm, calibration in {bench}")
