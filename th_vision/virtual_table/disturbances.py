"""What happens at a table besides the game: things are put down, heads bend in, hands rest, the camera is bumped.

Each function takes the moments of a game and gives them with something added; ``what.events`` names it. The game and
its facts stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from shapely.geometry import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from th_vision.virtual_table.builds import Kind, PlayedMoment
from th_vision.virtual_table.moment import Shift
from th_vision.virtual_table.physics import car_outline, disc_outline, top_outline
from th_vision.virtual_table.reach import reach
from th_vision.virtual_table.scene import POSES, ForeignBody, HandBody, HeadBody, Light, Point2, Point3, Scene

Size = tuple[float, float]

EVERY = 3  # something happens after so many moments of the game
STAYS = 2  # and stays for so many
CLEAR_MM = 6.0  # a thing is put down so far from all pieces
TRIES = 400
SKINS = ("#c99a7c", "#e3b899", "#8d5a3c", "#5a3825")
SLEEVES = ("#39506e", "#8c2f39", "#2d2f33", "#d8d4c8", None)
HAIR = ("#3a2c22", "#171412", "#8a6a3c", "#b9b3ab")
ARM = 1.8  # an arm that is stretched across the table, of a forearm's length
HEAD_OVER_MM = (260.0, 330.0)  # how high a head is over the table
SMALL_BUMP = Shift((0.8, -0.5, 0.3), (0.10, -0.08, 0.05))
BIG_BUMP = Shift((14.0, -9.0, 4.0), (1.6, -1.1, 0.9))
ALMOST_BACK = Shift((0.5, 0.4, -0.2), (0.06, 0.05, -0.04))
TABLE_SLID = Shift((9.0, -6.0, 0.0), (0.0, 0.0, 1.2))
TABLE_JERKED = Shift((-21.0, 12.0, 0.0), (0.0, 0.0, -2.0))


def _told(moment: PlayedMoment, event: str, label: str) -> PlayedMoment:
    """A further moment of the same table, of which the record says nothing."""
    kind = Kind("disturbance", moment.what.turn, moment.what.player, (event,))
    return replace(moment, facts=(), answers=(), hands=(), during=None, label=label, what=kind)


# --- things -----------------------------------------------------------------------------------------------------------


def _ring(x: float, y: float, radius: float, corners: int = 24) -> tuple[Point2, ...]:
    angles = (2 * math.pi * k / corners for k in range(corners))
    return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles)


def _turned(x: float, y: float, length: float, width: float, turn: float) -> tuple[Point2, ...]:
    c, s = math.cos(turn), math.sin(turn)
    half = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    corners = ((i * length / 2, j * width / 2) for i, j in half)
    return tuple((x + c * u - s * v, y + s * u + c * v) for u, v in corners)


def thing(rng: np.random.Generator, name: str, x: float, y: float) -> ForeignBody:
    """A cup, a phone, a card, a thread of a sleeve or a die box at a place."""
    turn = float(rng.uniform(0, math.pi))
    if name == "cup":
        return ForeignBody(_ring(x, y, 40.0), 92.0, "#e8e2d6", shape="cup")
    if name == "phone":
        return ForeignBody(_turned(x, y, 146.0, 71.0, turn), 8.0, "#202226", shape="phone")
    if name == "card":
        return ForeignBody(_turned(x, y, 88.0, 63.0, turn), 0.4, "#b8332b")
    if name == "box":
        return ForeignBody(_turned(x, y, 60.0, 42.0, turn), 24.0, "#3d6b58")
    bends = np.cumsum(rng.uniform(-0.5, 0.5, 10)) + turn
    steps = np.cumsum(np.stack([np.cos(bends), np.sin(bends)], axis=1) * 7.0, axis=0)
    path = steps - steps.mean(axis=0) + (x, y)
    left = np.stack([-np.sin(bends), np.cos(bends)], axis=1) * 0.3
    outline = np.concatenate([path + left, (path - left)[::-1]])
    return ForeignBody(tuple((float(a), float(b)) for a, b in outline), 0.6, "#8c2f39", shape="thread")


THINGS = ("cup", "phone", "card", "box", "thread")


def _bodies(scene: Scene) -> list[BaseGeometry]:
    found: list[BaseGeometry] = [disc_outline(c.x, c.y, c.discs[-1].diameter) for c in scene.columns]
    found += [top_outline(stick) for stick in scene.sticks]
    found += [car_outline(car) for car in scene.cars]
    return found + [Polygon(body.outline) for body in scene.city]


def _free_place(rng: np.random.Generator, scenes: Sequence[Scene], field_mm: Size, name: str) -> ForeignBody | None:
    """Where a thing lies on free table in all of these scenes."""
    occupied = [body for scene in scenes for body in _bodies(scene)]
    for _ in range(TRIES):
        x, y = rng.uniform(-0.5, 0.5, 2) * np.array(field_mm) * 1.05
        body = thing(rng, name, float(x), float(y))
        outline = MultiPoint(body.outline).convex_hull
        if all(outline.distance(other) >= CLEAR_MM for other in occupied):
            return body
    return None


def with_things(
    moments: Iterable[PlayedMoment], rng: np.random.Generator, field_mm: Size, names: Sequence[str] = THINGS
) -> Iterator[PlayedMoment]:
    """Every third moment something is put on the table beside the game; it is taken away two moments later."""
    game = list(moments)
    left, lying, taken_at = list(names), None, -1
    for i, moment in enumerate(game):
        if lying is not None and i >= taken_at:
            lying = None
            yield _told(moments_scene(game[i - 1], ()), "taken-away", "a thing is taken away")
        shown = moment if lying is None else moments_scene(moment, (lying,))
        yield shown
        if lying is None and left and i % EVERY == EVERY - 1:
            name = left.pop(0)
            lying = _free_place(rng, [m.scene for m in game[i : i + STAYS + 1]], field_mm, name)
            taken_at = i + STAYS + 1
            if lying is not None:
                yield _told(moments_scene(moment, (lying,)), f"thing:{name}", f"a {name} is put down")


def moments_scene(moment: PlayedMoment, foreign: tuple[ForeignBody, ...]) -> PlayedMoment:
    """The moment with these things on the table."""
    during = moment.during if moment.during is None else replace(moment.during, foreign=foreign)
    return replace(moment, scene=replace(moment.scene, foreign=foreign), during=during)


# --- hands and heads --------------------------------------------------------------------------------------------------


def with_hands(moments: Iterable[PlayedMoment], rng: np.random.Generator, field_mm: Size) -> Iterator[PlayedMoment]:
    """Hands of every pose, bare or sleeved; now and then one rests in the picture, or a head bends over the rim."""
    seats = (-90.0, 90.0, 0.0, 180.0)
    for i, moment in enumerate(moments):
        yield replace(moment, hands=tuple(_dressed(rng, hand, i + k) for k, hand in enumerate(moment.hands)))
        if i % EVERY != EVERY - 1:
            continue
        number = i // EVERY
        if number % 3 == 2:
            head = _head(rng, field_mm, seats[number % 2])
            looking = replace(moment, scene=replace(moment.scene, heads=(head,)))
            yield _told(looking, "head", "a head bends over the rim")
        else:
            x, y = rng.uniform(-0.3, 0.3, 2) * np.array(field_mm)
            hand = reach(rng, moment.scene, seats[number % 4], (float(x), float(y)), above_mm=25.0)
            stretched = replace(hand, elbow=_beyond(hand.wrist, hand.elbow, ARM))
            resting = replace(moment, scene=replace(moment.scene, hands=(_dressed(rng, stretched, number),)))
            yield _told(resting, "hand-rests", "a hand stays over the table")
        yield _told(moment, "gone", "the table is free again")


def _beyond(a: Point3, b: Point3, share: float) -> Point3:
    """The point that lies ``share`` times as far from a as b does."""
    x, y, z = (p + share * (q - p) for p, q in zip(a, b, strict=True))
    return x, y, z


def _dressed(rng: np.random.Generator, hand: HandBody, number: int) -> HandBody:
    """The same reach by somebody else's hand."""
    pose = POSES[number % len(POSES)]
    return replace(
        hand,
        pose=pose,
        skin=SKINS[int(rng.integers(len(SKINS)))],
        sleeve=SLEEVES[int(rng.integers(len(SLEEVES)))],
        sleeve_to=float(rng.uniform(0.35, 0.95)),
    )


def _head(rng: np.random.Generator, field_mm: Size, seat_deg: float) -> HeadBody:
    angle = math.radians(seat_deg + float(rng.uniform(-15, 15)))
    x, y = math.cos(angle) * field_mm[0] * 0.5, math.sin(angle) * field_mm[1] * 0.5
    return HeadBody(
        x,
        y,
        float(rng.uniform(*HEAD_OVER_MM)),
        hair=HAIR[int(rng.integers(len(HAIR)))],
        skin=SKINS[int(rng.integers(len(SKINS)))],
        facing_deg=seat_deg + 180.0,
    )


# --- camera, table and lamp -------------------------------------------------------------------------------------------


def with_bumps(moments: Iterable[PlayedMoment]) -> Iterator[PlayedMoment]:
    """The camera gets a slight knock, later a hard one; then it is put back, nearly as it was."""
    stages = (
        (None, "", ""),
        (SMALL_BUMP, "camera-bumped", "the camera is touched"),
        (BIG_BUMP, "camera-bumped", "the camera is bumped hard"),
        (ALMOST_BACK, "camera-put-back", "the camera is put back"),
    )
    yield from _in_stages(list(moments), stages, camera=True)


def with_table_moved(moments: Iterable[PlayedMoment]) -> Iterator[PlayedMoment]:
    """The table is pushed with all that stands on it, later jerked the other way."""
    stages = (
        (None, "", ""),
        (TABLE_SLID, "table-moved", "the table is pushed"),
        (TABLE_JERKED, "table-moved", "the table is jerked"),
    )
    yield from _in_stages(list(moments), stages, camera=False)


def _in_stages(
    game: list[PlayedMoment], stages: Sequence[tuple[Shift | None, str, str]], *, camera: bool
) -> Iterator[PlayedMoment]:
    each = max(1, math.ceil(len(game) / len(stages)))
    shift: Shift | None = None
    for i, moment in enumerate(game):
        if i and i % each == 0:
            shift, event, label = stages[i // each]
            told = _told(game[i - 1], event, label)
            yield replace(told, camera=shift) if camera else replace(told, table=shift)
        yield replace(moment, camera=shift) if camera else replace(moment, table=shift)


def with_lamp(moments: Iterable[PlayedMoment]) -> Iterator[PlayedMoment]:
    """Evening comes, and a lamp is lit: the light fades, then comes low from one side with hard shadows."""
    game = list(moments)
    day, dusk = Light(), Light(direction=(0.2, 0.3, 1.0), softness_deg=14.0, ambient=0.8)
    lamp = Light(direction=(-1.3, 0.7, 1.0), softness_deg=2.5, ambient=0.35)
    each = max(1, math.ceil(len(game) / 3))
    for i, moment in enumerate(game):
        light = (day, dusk, lamp)[min(i // each, 2)]
        during = moment.during if moment.during is None else replace(moment.during, light=light)
        events = moment.what.events if i % each else (*moment.what.events, "light-changes")
        what = replace(moment.what, events=events) if i else moment.what
        yield replace(moment, scene=replace(moment.scene, light=light), during=during, what=what)
