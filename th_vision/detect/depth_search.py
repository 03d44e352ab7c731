"""A guess of what stands on the table, and how well it explains depth: pieces are put in, moved and taken out again.

Energies are chi-squares of independent samples (``DepthModel.cost``) plus what speaks against a pose by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from th_vision import tolerances
from th_vision.detect.depth_model import Beam, Box, DepthModel, Post, Raster
from th_vision.detect.plan import Image

Array = NDArray[np.float64]
Projected = list[tuple[Array, Array]]
TABLE = -1


@dataclass(frozen=True)
class Lay:
    """A road in a guess: plan middle and direction, the posts (keys, -1 table) under its ends, and by how much sticks
    below it lift either end (mm). ``rests``: the lifts that follow from what it lies on, once that is known.
    ``cars``: where cars stand on it, mm from its middle towards its second end."""

    x: float
    y: float
    angle: float
    ends: tuple[int, int]
    lift: tuple[float, float] = (0.0, 0.0)
    rests: tuple[float, float] | None = None
    cars: tuple[float, ...] = ()


@dataclass(frozen=True)
class Group:
    """Pieces that are tried together, by key."""

    posts: dict[int, Post] = field(default_factory=dict)
    lays: dict[int, Lay] = field(default_factory=dict)

    def names(self) -> set[int]:
        """All keys."""
        return {*self.posts, *self.lays}


class Guess:
    """The pieces put in so far. Keys are numbers that posts and lays share."""

    def __init__(self, model: DepthModel) -> None:
        self.model = model
        self.posts: dict[int, Post] = {}
        self.lays: dict[int, Lay] = {}
        self._drawn: dict[int, Raster] = {}
        self._next = 0
        # what is under an end besides its column: nothing, or a stick or two; and what discs and bow add
        self.usual_lift = model.pieces.stick.thickness * tolerances.DEPTH_USUAL_STICKS_BELOW
        self.lift_sigma = model.pieces.stick.thickness * tolerances.DEPTH_LIFT_SIGMA_STICKS

    def new_key(self) -> int:
        """A key that no piece has."""
        self._next += 1
        return self._next - 1

    # --- geometry -----------------------------------------------------------------------------------------------

    def beam(self, lay: Lay, posts: dict[int, Post] | None = None) -> Beam:
        """The beam of a lay; its heights come from the posts under it (``posts`` before those of the guess)."""
        pieces = self.model.pieces
        z = []
        for end, lift in zip(lay.ends, lay.lift, strict=True):
            post = None if end == TABLE else (posts or {}).get(end) or self.posts[end]
            z.append(pieces.stick.thickness + lift + (post.levels * pieces.disc.height if post else 0.0))
        return Beam(lay.x, lay.y, lay.angle, z[0], z[1])

    def tips(self, lay: Lay, posts: dict[int, Post] | None = None) -> tuple[Array, Array]:
        """Both tips (3,) of a lay."""
        return self.beam(lay, posts).tips(self.model.pieces.stick.length)

    def _project(self, group: Group) -> dict[int, Projected]:
        model = self.model
        faces, owner = [], []
        for key, post in group.posts.items():
            some = model.post_faces(post)
            faces += some
            owner += [key] * len(some)
        for key, lay in group.lays.items():
            some = model.beam_faces(self.beam(lay, group.posts), lay.cars)
            faces += some
            owner += [key] * len(some)
        out: dict[int, Projected] = {key: [] for key in group.names()}
        for key, face in zip(owner, model.project(faces), strict=True):
            out[key].append(face)
        return out

    def _draw(self, group: Group) -> dict[int, Raster]:
        return {key: self.model.raster(faces) for key, faces in self._project(group).items()}

    # --- energies -----------------------------------------------------------------------------------------------

    def box(self, group: Group, reach_mm: float) -> Box:
        """The box in which moving a group by up to ``reach_mm`` changes anything."""
        places = np.concatenate([face[0] for faces in self._project(group).values() for face in faces])
        px = reach_mm * self.model.plan.table.camera.depth.fx / self.model.plan.table.distance_mm / self.model.step
        return self.model.box_of(places, self.model.margin * 2 + int(np.ceil(px)))

    def others(self, box: Box, without: Iterable[int]) -> Image:
        """Hard heights in a box of all pieces but some."""
        u0, v0, u1, v1 = box
        hard = np.zeros((v1 - v0, u1 - u0), np.float32)
        left_out = set(without)
        self.model.draw(hard, (u0, v0), (one for key, one in self._drawn.items() if key not in left_out))
        return hard

    def energy(self, box: Box, base: Image, group: Group) -> float:
        """Misfit in a box of what is drawn in ``base`` and a group, plus what speaks against the group's pose."""
        return self.misfit(box, base, group) + self.strain(group)

    def misfit(self, box: Box, base: Image, group: Group) -> float:
        """Misfit in a box of what is drawn in ``base`` and a group."""
        return self.cost(box, base, self._draw(group).values())

    def drawn_apart(self, group: Group) -> dict[int, Raster]:
        """What each lay of a group would draw; its posts carry them."""
        return {key: self.model.raster(faces) for key, faces in self._project(group).items() if key in group.lays}

    def drawn(self, box: Box, base: Image, group: Group) -> Image:
        """``base`` with a group drawn onto it."""
        return self._onto(box, base, self._draw(group).values())

    def _onto(self, box: Box, base: Image, faces: Iterable[Raster]) -> Image:
        hard = base.copy()
        self.model.draw(hard, (box[0], box[1]), faces)
        return hard

    def cost(self, box: Box, base: Image, faces: Iterable[Raster]) -> float:
        """Misfit in a box of what is drawn in ``base`` with some faces more."""
        return float(self.model.cost(self._onto(box, base, faces), box).sum())

    def total(self) -> float:
        """What all pieces together leave unexplained, their strain, and what each piece must explain to be believed."""
        height, width = self.model.shape
        whole = (0, 0, width, height)
        pieces = len(self.lays) * tolerances.DEPTH_ROAD_GAIN + len(self.posts) * tolerances.DEPTH_NEW_POST_GAIN
        misfit = float(self.model.cost(self.others(whole, ()), whole).sum())
        return misfit + self.strain(Group(self.posts, self.lays)) + pieces

    def gain(self, group: Group, box: Box | None = None) -> float:
        """By how much the energy falls when a new group is put in as it is."""
        box = box or self.box(group, 0.0)
        base = self.others(box, group.names())
        return float(self.model.cost(base, box).sum()) - self.energy(box, base, group)

    def strain(self, group: Group) -> float:
        """What speaks against a group's pose without looking: ends off their columns, columns in each other."""
        posts = {**self.posts, **group.posts}
        lays = {**self.lays, **group.lays}
        keys = group.names()
        total = 0.0
        for key, lay in lays.items():
            if key in keys:
                total += self.lift_strain(lay)
            touched = [end for end in lay.ends if end != TABLE and (end in keys or key in keys)]
            if not touched:
                continue
            unit = np.array([np.cos(lay.angle), np.sin(lay.angle)])
            tips = self.tips(lay, posts)
            for side, end in enumerate(lay.ends):
                if end in touched:
                    total += self._overhang_strain(tips[side][:2], -unit if side == 0 else unit, posts[end])
        diameter = self.model.pieces.disc.diameter
        for key, post in group.posts.items():
            for other_key, other in posts.items():
                if other_key == key or (other_key in group.posts and other_key < key):
                    continue
                inside = 1 - float(np.hypot(post.x - other.x, post.y - other.y)) / diameter
                if inside > 0:
                    total += tolerances.DEPTH_COLLISION * inside
        moved = {key: post for key, post in posts.items() if key in keys}
        for key, lay in lays.items():
            for post_key, post in (posts if key in keys else moved).items():
                if post_key not in lay.ends:
                    total += tolerances.DEPTH_COLLISION * self.pierced(lay, post, posts)
        return total

    def pierced(self, lay: Lay, post: Post, posts: dict[int, Post]) -> float:
        """How far (0 to 1) a column stands up through a road that it doesn't carry."""
        pieces = self.model.pieces
        rel_x, rel_y = post.x - lay.x, post.y - lay.y
        half = pieces.stick.length / 2
        reach = pieces.disc.radius + pieces.stick.width / 2
        if rel_x * rel_x + rel_y * rel_y > (half + reach) ** 2:
            return 0.0
        c, s = np.cos(lay.angle), np.sin(lay.angle)
        along, across = rel_x * c + rel_y * s, abs(rel_y * c - rel_x * s)
        past = max(abs(along) - half + pieces.stick.width / 2, 0.0)
        inside = 1 - float(np.hypot(across, past)) / reach
        if inside <= tolerances.DEPTH_PIERCED_SLACK:
            return 0.0
        beam = self.beam(lay, posts)
        top = beam.za + (np.clip(along / half, -1, 1) / 2 + 0.5) * (beam.zb - beam.za)
        through = post.levels * pieces.disc.height - (top - 2 * pieces.stick.thickness)
        return inside if through > 0 else 0.0

    def lift_strain(self, lay: Lay) -> float:
        """Ends lie as high as what is below them lifts them."""
        expected, sigma = lay.rests, tolerances.DEPTH_RESTS_SIGMA_MM
        if expected is None:
            expected, sigma = (self.usual_lift, self.usual_lift), self.lift_sigma
        return sum(0.5 * ((z - e) / sigma) ** 2 for z, e in zip(lay.lift, expected, strict=True))

    def _overhang_strain(self, tip: Array, outward: Array, post: Post) -> float:
        """Ends are laid a few mm past the middle of a column and near its middle line."""
        rel = tip - [post.x, post.y]
        past = float(rel @ outward) - tolerances.DEPTH_OVERHANG_MM
        off = float(rel[0] * outward[1] - rel[1] * outward[0])
        sigma = tolerances.DEPTH_OVERHANG_SIGMA_MM
        return 0.5 * ((past / sigma) ** 2 + (off / sigma) ** 2)

    # --- putting in, taking out, moving ---------------------------------------------------------------------------

    def put(self, group: Group) -> None:
        """Put pieces in, or replace them by their new pose."""
        self.posts.update(group.posts)
        self.lays.update(group.lays)
        resting = {k: lay for k, lay in self.lays.items() if set(lay.ends) & group.posts.keys()}
        self._drawn.update(self._draw(Group(group.posts, {**resting, **group.lays})))

    def remove(self, keys: Iterable[int]) -> None:
        """Take pieces out; nothing that stays may rest on them."""
        for key in keys:
            self.posts.pop(key, None)
            self.lays.pop(key, None)
            self._drawn.pop(key, None)

    def copy(self) -> Guess:
        """Another guess with the same pieces."""
        other = Guess(self.model)
        other.restore(self)
        return other

    def restore(self, other: Guess) -> None:
        """Take over all pieces of another guess."""
        self.posts, self.lays, self._drawn = dict(other.posts), dict(other.lays), dict(other._drawn)
        self._next = max(self._next, other._next)

    def take_out(self, keys: Iterable[int]) -> None:
        """Take pieces out."""
        for key in keys:
            self.posts.pop(key, None)
            self.lays.pop(key, None)
            self._drawn.pop(key, None)

    def polish(self, group: Group, steps_mm: tuple[float, ...]) -> tuple[Group, float]:
        """The group moved to where the energy is least, by coordinate descent; and that gain over leaving it out."""
        box = self.box(group, 2.5 * steps_mm[0])
        base = self.others(box, group.names())
        without = float(self.model.cost(base, box).sum())
        best = self.energy(box, base, group)
        for step in steps_mm:
            for _ in range(tolerances.DEPTH_SWEEPS):
                before = best
                for piece in list(group.posts) + list(group.lays):
                    for move in range(2 if piece in group.posts else 5):
                        for sign in (step, -step):
                            moved = self._moved(group, piece, move, sign)
                            energy = self.energy(box, base, moved)
                            if energy < best - 1e-6:
                                group, best = moved, energy
                                break
                if before - best < 0.02 * max(before, 1.0) * step / steps_mm[0]:
                    break
        return group, without - best

    def _moved(self, group: Group, key: int, move: int, by_mm: float) -> Group:
        """A group with one piece moved: posts in x or y; lays across, along, turned (by this much at the tips)
        or lifted at either tip (by a part of it)."""
        if key in group.posts:
            post = group.posts[key]
            moved = replace(post, x=post.x + by_mm) if move == 0 else replace(post, y=post.y + by_mm)
            return Group({**group.posts, key: moved}, group.lays)
        lay = group.lays[key]
        c, s = np.cos(lay.angle), np.sin(lay.angle)
        if move == 0:
            lay = replace(lay, x=lay.x - s * by_mm, y=lay.y + c * by_mm)
        elif move == 1:
            lay = replace(lay, x=lay.x + c * by_mm, y=lay.y + s * by_mm)
        elif move == 2:
            lay = replace(lay, angle=lay.angle + by_mm / (self.model.pieces.stick.length / 2))
        else:
            by_mm *= tolerances.DEPTH_LIFT_STEP
            lift = (lay.lift[0] + by_mm, lay.lift[1]) if move == 3 else (lay.lift[0], lay.lift[1] + by_mm)
            lay = replace(lay, lift=lift)
        return Group(group.posts, {**group.lays, key: lay})

    def stiffness(self, group: Group, step_mm: float) -> dict[tuple[int, int], float]:
        """How steeply the energy rises (1/mm2, the inverse of a variance) by each move of each piece of a group."""
        box = self.box(group, step_mm)
        base = self.others(box, group.names())
        here = self.energy(box, base, group)
        out = {}
        for key in group.names():
            for move in range(2 if key in group.posts else 3):
                sides = [self.energy(box, base, self._moved(group, key, move, sign * step_mm)) for sign in (-1, 1)]
                out[key, move] = max((sum(sides) - 2 * here) / (2 * step_mm**2), 0.0)
        return out
