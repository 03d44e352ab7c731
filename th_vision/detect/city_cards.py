"""Cards that lie flat on the table: rectangles of known sizes, by the change of colour at their rims and by depth.

A card is too thin to be cut out of depth, and other pieces may lie across it. So each kind is laid wherever something
rises or looks new, at every turn; what counts is how much of its rim is an edge of the change against the empty table,
that depth shows it to lie higher than what is around it, and that it looks new inside and not outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon

from rules.pieces import Box, Pieces
from th_vision import tolerances
from th_vision.detect.city_maps import Bits, CityMaps, cards_of, city_maps
from th_vision.detect.city_rims import Laid, at_points, rim_points, settled
from th_vision.detect.plan import Field, PlanView

Array = NDArray[np.float64]
_BAND = (1.25, 2.5)
"""Cells outside and inside of a rim in which it may be seen at first; print beside it is inside."""


def find_cards(
    plan: PlanView,
    pieces: Pieces,
    maps: CityMaps,
    where: Bits,
    free_of: Sequence[Polygon],
    built_on: Sequence[tuple[float, float]] = (),
) -> list[Laid]:
    """The cards that lie about cells ``where`` of coarse maps, best first, none over another or over ``free_of``.

    ``built_on``: plan places of buildings, which stand on development areas alone."""
    cards = cards_of(pieces)
    if not where.any() or not cards:
        return []
    near = _cut(maps, where, max(float(np.hypot(b.length, b.width)) for b in cards.values()) / 2 + 10)
    fine = city_maps(plan, min(b.height for b in cards.values()), tolerances.CITY_PITCH_MM, near)
    found = [_settled(fine, cards, guess) for guess in _guesses(fine, maps, where, cards)]
    # a card that is explained by a larger one lies within it: its print looks like smaller cards
    found.sort(key=lambda card: -card.score - tolerances.CITY_LARGER * np.log(card.length * card.width))
    kept: list[Placed] = []
    taken = list(free_of)
    for card in found:
        outline = card.outline()
        if card.score < tolerances.CITY_LEAST_SCORE or card.rim < tolerances.CITY_LEAST_RIM:
            continue
        if _built(card, built_on):
            continue
        if any(outline.intersection(other).area > tolerances.CITY_OVERLAP * outline.area for other in taken):
            continue
        rivals: dict[str, Laid] = {}
        for other in found:
            shared = outline.intersection(other.outline()).area
            if other.kind != card.kind and not _built(other, built_on) and shared > 0.5 * outline.area:
                rivals.setdefault(other.kind, other)
        kept.append(placed(plan, cards, card, tuple(rivals.values())))
        taken.append(outline)
    # cards of one kind are printed alike: where most show a frame instead of their rim, all do
    plain = {
        kind: sum(one.ahead for one in kept if one.plain.kind == kind) for kind in {one.plain.kind for one in kept}
    }
    return [one.chosen(plain[one.plain.kind]) for one in kept]


@dataclass(frozen=True)
class Placed:
    """A card by its rim, and by a frame printed inside of it; by how much the first fits better."""

    plain: Laid
    framed: Laid
    ahead: float

    def chosen(self, ahead: float) -> Laid:
        """The better one where cards of its kind are by so much ahead with their rims, on average."""
        best, other = (self.plain, self.framed) if ahead >= 0 else (self.framed, self.plain)
        agree = max((self.ahead + ahead) * (1 if ahead >= 0 else -1), 0.0)
        doubt = float(1 / (1 + np.exp(min(tolerances.CITY_FRAME_SHARPNESS * agree, 50.0))))
        apart = float(np.sqrt(np.square(best.corners() - other.corners()).mean()))
        return replace(best, sigma_mm=float(np.hypot(tolerances.CITY_SIGMA_MM, np.sqrt(doubt) * apart)))


def _built(card: Laid, built_on: Sequence[tuple[float, float]]) -> bool:
    """Whether a card would lie under a building, and isn't of the kind on which buildings stand."""
    if card.kind == "development_area":
        return False
    return any(card.outline().distance(Point(*place)) < tolerances.CITY_BUILT_MM for place in built_on)


def placed(plan: PlanView, cards: dict[str, Box], card: Laid, rivals: Sequence[Laid]) -> Placed:
    """A card where finer cells show its rim, of the kind that shows most of it there, and how probable that is."""
    low, high = (f(card.corners(tolerances.CITY_ROOM_MM), axis=0) for f in (np.min, np.max))
    near = Field(float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    fine = city_maps(plan, cards[card.kind].height, tolerances.CITY_FINE_MM, near)
    pairs = [
        [
            settled(fine, one.kind, cards[one.kind], (one.x, one.y, one.turn), 1.0, tolerances.CITY_NEXT_WEIGHT, framed)
            for framed in (False, True)
        ]
        for one in (card, *rivals[:3])
    ]
    scores = np.array([max(_sure(fine, one) for one in pair) for pair in pairs])
    best = int(np.argmax(scores))
    odds = np.exp(tolerances.CITY_KIND_SHARPNESS * (scores - scores[best]))
    plain, framed = pairs[best]
    # whether it is the rim that is seen, or a frame inside of it: shadows look like rims, but have no tint
    ahead = _sure(fine, plain) - _sure(fine, framed)
    ahead += tolerances.CITY_UNTINTED * (_tint_uneven(fine, framed) - _tint_uneven(fine, plain))
    # a card of which little is seen may be another thing altogether
    trust = float(1 / (1 + np.exp((tolerances.CITY_DOUBTED_SCORE - card.score) * tolerances.CITY_SCORE_SHARPNESS)))
    probability = float(trust / odds.sum())
    plain, framed = (replace(one, score=card.score, probability=probability) for one in (plain, framed))
    return Placed(plain, framed, ahead)


def _sides(maps: CityMaps, card: Laid) -> Array:
    """(4, 3) change of colour just inside of where a card's outline was seen, of each side."""
    if maps.change is None:
        return np.zeros((4, 3))
    inner = card.inset_mm + tolerances.CITY_NEXT_MM
    points, _ = rim_points((card.x, card.y, card.turn), card.length - 2 * inner, card.width - 2 * inner, 1.0)
    sides = np.nan_to_num(at_points(maps, maps.change, points)).reshape(4, -1, 3)
    return np.asarray(np.median(sides, axis=1), dtype=np.float64)


def _sure(maps: CityMaps, card: Laid) -> float:
    """How well a card fits in the end: its rim, what is new beside it, and that its sides look alike just inside of
    where its outline was seen: the rim of a shadow and a line of the print don't."""
    sides = _sides(maps, card)
    away = np.linalg.norm(sides - np.median(sides, axis=0), axis=1)
    uneven = float(np.minimum(away, tolerances.CITY_UNEVEN_MOST).mean())
    return card.rim + tolerances.CITY_KIND_NEW * card.new - tolerances.CITY_UNEVEN * uneven


def _tint_uneven(maps: CityMaps, card: Laid) -> float:
    """How much a card's sides differ in tint, just inside of where its outline was seen."""
    sides = _sides(maps, card)
    tint = sides - sides.mean(axis=1, keepdims=True)
    away = np.abs(tint - np.median(tint, axis=0)).max(axis=1)
    return float(np.minimum(away, tolerances.CITY_TINT).mean())


def _guesses(
    fine: CityMaps, coarse: CityMaps, where: Bits, cards: dict[str, Box]
) -> list[tuple[str, tuple[float, float, float]]]:
    """Kinds and poses to begin with: the best of all turns about each place, a few for each kind."""
    xs, ys = coarse.field.grid(coarse.pitch)
    v, u = np.nonzero(where)
    centers = np.stack([xs[u], ys[v]], axis=1)
    layers = fine.rims
    fx, fy = fine.field.grid(fine.pitch)
    origin = np.array([fx[0], fy[0]])
    found: list[tuple[float, str, tuple[float, float, float]]] = []
    height, width = fine.height.shape
    side = int(np.ceil(np.hypot(height, width))) + 2
    for turn in np.radians(np.arange(0.0, 90.0, tolerances.CITY_TURN_DEG)):
        c, s = float(np.cos(turn)), float(np.sin(turn))
        # cell (u, v) of the turned picture shows table direction (c, s) as its u
        M = np.array([[c, s, 0.0], [-s, c, 0.0]])
        M[:, 2] = side / 2 - M[:, :2] @ [width / 2, height / 2]
        turned = cv2.warpAffine(layers, M.astype(np.float32), (side, side))
        cross = 2 * c * s * turned[..., 1]
        along = c * c * turned[..., 0] + cross + s * s * turned[..., 2]  # edges across u
        aside = s * s * turned[..., 0] - cross + c * c * turned[..., 2]
        sums = [np.asarray(cv2.integral(layer), dtype=np.float64) for layer in (along, aside, turned[..., 3])]
        cells = ((centers - origin) / fine.pitch) @ M[:, :2].T + M[:, 2]
        for kind, box in cards.items():
            sizes = [(box.length, box.width, 0.0)]
            if abs(box.length - box.width) > fine.pitch:
                sizes.append((box.width, box.length, np.pi / 2))
            for a, b, more in sizes:
                scores = _filtered(sums, cells, a / fine.pitch / 2, b / fine.pitch / 2)
                for k in _best(scores, centers):
                    x, y = (float(v) for v in centers[k])
                    found.append((float(scores[k]), kind, (x, y, float(turn + more))))
    found.sort(key=lambda one: -one[0])
    kept: list[tuple[float, str, tuple[float, float, float]]] = []
    for score, kind, pose in found:
        near = [
            one for one in kept if np.hypot(one[2][0] - pose[0], one[2][1] - pose[1]) < tolerances.CITY_ONE_PLACE_MM
        ]
        alike = sum(one[1] == kind for one in near)
        if alike < 3 and (not near or score > tolerances.CITY_GUESS_SHARE * near[0][0]):
            kept.append((score, kind, pose))
    return [(kind, pose) for _, kind, pose in kept]


def _filtered(sums: list[Array], cells: Array, half_a: float, half_b: float) -> Array:
    """(n,) how well a rectangle along the axes fits about each cell: edges along its four sides, new inside."""
    along, aside, other = sums

    def box(total: Array, u0: Array, v0: Array, u1: Array, v1: Array) -> Array:
        size = total.shape[0] - 1
        u0, u1, v0, v1 = (np.clip(np.rint(x + 0.5).astype(int), 0, size) for x in (u0, u1, v0, v1))
        return np.asarray(total[v1, u1] - total[v0, u1] - total[v1, u0] + total[v0, u0])

    u, v = cells[:, 0], cells[:, 1]
    out, into = _BAND
    sides = [
        box(along, u - half_a - out, v - half_b, u - half_a + into, v + half_b) / (2 * half_b),
        box(along, u + half_a - into, v - half_b, u + half_a + out, v + half_b) / (2 * half_b),
        box(aside, u - half_a, v - half_b - out, u + half_a, v - half_b + into) / (2 * half_a),
        box(aside, u - half_a, v + half_b - into, u + half_a, v + half_b + out) / (2 * half_a),
    ]
    rim = np.sort(np.minimum(np.stack(sides), 1.3), axis=0)
    inner, outer = (box(other, u - half_a - r, v - half_b - r, u + half_a + r, v + half_b + r) for r in (-1.0, 1.5))
    beyond = box(other, u - half_a - 4.0, v - half_b - 4.0, u + half_a + 4.0, v + half_b + 4.0) - outer
    size = 4 * half_a * half_b
    around = 4 * (half_a + 4.0) * (half_b + 4.0) - 4 * (half_a + 1.5) * (half_b + 1.5)
    new = inner / max(size - 4 * (half_a + half_b), 1.0) - beyond / around
    return np.asarray((0.5 * rim[0] + rim[1:].sum(axis=0)) / 3.5 + 0.5 * new)


def _best(score: Array, centers: Array, count: int = 3) -> list[int]:
    """Indices of the best few places that are apart from each other."""
    out: list[int] = []
    for k in np.argsort(-score)[:200]:
        if score[k] < tolerances.CITY_GUESS_SCORE or len(out) == 8 * count:
            break
        if all(np.hypot(*(centers[k] - centers[m])) > tolerances.CITY_ONE_PLACE_MM / 2 for m in out):
            out.append(int(k))
    return out


def _settled(maps: CityMaps, cards: dict[str, Box], guess: tuple[str, tuple[float, float, float]]) -> Laid:
    """A guess moved to where it fits best."""
    kind, pose = guess
    return settled(maps, kind, cards[kind], pose)


def _cut(maps: CityMaps, where: Bits, room_mm: float) -> Field:
    """The part of the field about some cells with room around it."""
    xs, ys = maps.field.grid(maps.pitch)
    v, u = np.nonzero(where)
    whole = maps.field
    return Field(
        max(whole.x0, float(xs[u.min()]) - room_mm),
        max(whole.y0, float(ys[v.min()]) - room_mm),
        min(whole.x1, float(xs[u.max()]) + room_mm),
        min(whole.y1, float(ys[v.max()]) + room_mm),
    )
