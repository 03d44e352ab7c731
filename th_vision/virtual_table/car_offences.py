"""Cars where they shouldn't be: on another road, of another player's colour. The road itself is laid by the rules."""

from __future__ import annotations

from dataclasses import replace

from th_vision.virtual_table.builds import Build, PlayedMoment
from th_vision.virtual_table.candidates import with_cars
from th_vision.virtual_table.offences import At
from th_vision.virtual_table.player import find_build
from th_vision.virtual_table.scene import CarBody


def _one_car_due(at: At) -> Build | None:
    """A legal build that earns one car and has it on its road."""
    build = find_build(at.game, at.rng, at.field, at.margins)
    return build if build is not None and len(build.cars) == 1 else None


def wrong_road(at: At) -> list[PlayedMoment]:
    """The car that is due is placed on an older road of the player."""
    game = at.game
    build = _one_car_due(at)
    if build is None:
        return []
    player = game.whose_turn
    carrying = {car.on for car in game.scene.cars}
    older = [s for s in game.scene.sticks if game.owner[s.id] == player and s.id not in carrying]
    for stick in reversed(older):
        placed = with_cars(game, replace(build, stick=stick, cars=()), 1, at.rng)
        if placed is None or not _clear(at, placed.cars[0], build):
            continue
        label = f"turn {game.turn}: {player} puts a car on an older road"
        return [game.play(replace(build, cars=placed.cars), ("car-wrong-road",), label)]
    return []


def _clear(at: At, car: CarBody, build: Build) -> bool:
    """Whether the new road leaves that car alone."""
    from th_vision.virtual_table.physics import car_clearance

    room = car_clearance(build.stick, car)
    return room.plan_mm >= at.margins.plan or (room.gap_mm is not None and room.gap_mm >= at.margins.gap)


def wrong_owner(at: At) -> list[PlayedMoment]:
    """The car that is placed is another player's."""
    game = at.game
    build = _one_car_due(at)
    others = [p for p in game.players if p != game.whose_turn and game.holding(p).cars > 0]
    if build is None or not others:
        return []
    other = others[int(at.rng.integers(len(others)))]
    cars = tuple(replace(car, player=other) for car in build.cars)
    label = f"turn {game.turn}: {game.whose_turn} places a {other} car"
    return [game.play(replace(build, cars=cars), ("car-wrong-owner",), label)]
