"""Drawing a close-up: the plan at the spot, the view from the side along the lower road, and the value on its scale.

Plan and side view are to one scale. The side view cuts along the lower road's middle line, so that the gap shown is
the gap measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from rules import phrases as rules_say
from rules.events import Fault
from rules.geometry import Bar, Disc2
from rules.layout import Point2
from rules.messages import fault_sentence
from rules.phrases import Named
from rules.pieces import Pieces
from th_vision import phrases as say
from th_vision.closeup import WINDOW_MM, CloseUp, Seen
from th_vision.drawing import Circle, Clip, Drawing, Item, Shape, Words
from th_vision.player_colors import color_of, darker, mixed
from th_vision.words import Words as Language
from th_vision.words import words_in
from th_vision.wrapping import wrapped

WIDTH: Final = 460
MARGIN: Final = 14
SCALE: Final = (WIDTH - 2 * MARGIN) / WINDOW_MM  # pixels a mm, in plan and side view
PLAN_HEIGHT: Final = 270
SIDE_HEIGHT: Final = 150
"""The view from the side is at least so high; it grows with the gap, so that both roads are in it."""
SIDE_PAD: Final = 6
SIDE_SPREAD_MM: Final = 25.0
"""So much of the spread has room above and below; the rest of a wider one is seen on its scale alone."""
GAUGE_HEIGHT: Final = 92
HEAD: Final = 50
LABEL: Final = 24

TABLE: Final = "#e9e4da"
INK: Final = "#2a2c30"
SOFT: Final = "#6b6f76"
RED: Final = "#c62828"
GREEN: Final = "#1b7f3b"
AMBER: Final = "#9a6200"
GRAY: Final = "#b3b3b3"
YELLOW: Final = "#f2cd3c"
CITY: Final = "#c9dcc7"
_At = Callable[[float, float], Point2]
CALL_COLORS: Final[Mapping[str, str]] = {"clear": GREEN, "fault": RED, "too_close": AMBER}

_LESS_IS_FAULT: Final = frozenset(
    {"crossing", "touch-road", "touch-column", "touch-city", "area-spacing", "ramp-distance"}
)
"""Rules of the kind "not less than the limit"; all others are "not more than"."""


def draw_closeup(closeup: CloseUp, pieces: Pieces, language: str = "en") -> Drawing:
    """The picture of a close-up, with its words in a language; colours of roads from ``pieces``."""
    words = words_in(
        language,
        {one.id: one.owner for one in closeup.seen if one.owner},
        {one.id: "road" if one.bar else "column" if one.disc else one.kind for one in closeup.seen},
    )
    side = closeup.bar(closeup.lower) is not None and closeup.bar(closeup.upper) is not None
    side_height = _side_view(closeup)[0] if side else 0
    height = HEAD + PLAN_HEIGHT + LABEL + (side_height + LABEL if side else 0) + GAUGE_HEIGHT
    title = title_of(closeup, words)
    drawing = Drawing(WIDTH, height, title)
    for number, line in enumerate(wrapped(title, 48)[:2]):
        drawing.items.append(Words(MARGIN, 20 + 20 * number, line, 16, INK, bold=True, name="title"))
    drawing.items += _plan(closeup, pieces, words, HEAD)
    top = HEAD + PLAN_HEIGHT + LABEL
    if side:
        drawing.items += _side(closeup, pieces, words, top)
        top += side_height + LABEL
    drawing.items += _gauge(closeup, words, top)
    return drawing


def title_of(closeup: CloseUp, words: Language) -> str:
    """What the picture shows, in one line."""
    player = words.player(closeup.player)
    if closeup.rule == "crossing":
        over = say.ROAD_OVER if closeup.side == "over" else say.ROAD_UNDER
        what = words.fill(over, player=player, road=closeup.road, piece=words.road(closeup.others[0], closeup.player))
    elif closeup.rule == "shift":
        owner = words.player(words.owners.get(closeup.others[0], ""))
        what = words.fill(rules_say.PENALTY_QUESTION, player=player, owner=owner)
    else:
        fault = Fault.model_validate(
            {"rule": closeup.rule, "call": closeup.call, "with": closeup.others, "unit": "mm", "limit": closeup.limit}
        )
        what = fault_sentence(fault, closeup.player, words)
    return words.sentence(words.fill(say.CLOSER_TITLE, turn=str(closeup.turn), what=what))


def measure_of(closeup: CloseUp, words: Language) -> str:
    """The value that decided, in words."""
    measure = words.measure(closeup.value, closeup.sigma, "mm", limit=closeup.limit)
    return words.fill(say.GAP_IS if closeup.rule == "crossing" else say.MEASURED_IS, measure=measure)


# --- from above -------------------------------------------------------------------------------------------------------


def _plan(closeup: CloseUp, pieces: Pieces, words: Language, top: float) -> list[Item]:
    box = (float(MARGIN), top, float(WIDTH - 2 * MARGIN), float(PLAN_HEIGHT))
    cx, cy = MARGIN + box[2] / 2, top + PLAN_HEIGHT / 2

    def at(x: float, y: float) -> Point2:
        return cx + (x - closeup.at[0]) * SCALE, cy - (y - closeup.at[1]) * SCALE

    items: list[Item] = [_rectangle(*box, fill=TABLE)]
    for one in closeup.seen:
        items += _seen_from_above(one, one.id in closeup.meant, pieces, at)
    for one in closeup.seen:  # the rim of a column that it is about shows through what lies on it
        if one.disc is not None and one.id in closeup.meant:
            items.append(
                Circle(*at(one.disc.x, one.disc.y), one.disc.radius * SCALE, stroke=INK, width=1.5, dash=(6, 3))
            )
    call = CALL_COLORS[closeup.call]
    dash = (5.0, 4.0) if closeup.call == "too_close" else None
    items.append(Circle(cx, cy, 3.2 * SCALE, stroke=call, width=2.5, dash=dash, name="spot"))
    items += [Words(*_label_place(one, at, box), one.id, 15, INK, "middle", True, True, one.id) for one in closeup.seen]
    items.append(Words(box[0] + 8, top + 20, words.text(say.FROM_ABOVE), 14, SOFT, halo=True))
    bar = 10 * SCALE
    x, y = box[0] + box[2] - bar - 10, top + PLAN_HEIGHT - 10
    items.append(Shape(((x, y - 4), (x, y), (x + bar, y), (x + bar, y - 4)), stroke=INK, width=1.5, closed=False))
    items.append(Words(x + bar / 2, y - 7, f"10 {words.word('unit', 'mm')}", 12, INK, "middle", halo=True))
    return [Clip(box, tuple(items))]


def _seen_from_above(one: Seen, meant: bool, pieces: Pieces, at: _At) -> list[Item]:
    def shade(color: str) -> str:
        return color if meant else mixed(color, TABLE)

    if one.bar is not None:
        color = shade(color_of(one.owner, pieces))
        outline = tuple(at(*point) for point in one.bar.outline(24))
        middle = (at(one.bar.ax, one.bar.ay), at(one.bar.bx, one.bar.by))
        return [
            Shape(outline, color, shade(darker(color)), 1.5, name=f"stick {one.id}"),
            Shape(middle, stroke=shade(darker(color)), width=1, dash=(7, 4), closed=False),
        ]
    if one.disc is not None:
        x, y = at(one.disc.x, one.disc.y)
        fill = shade(YELLOW if one.yellow else GRAY)
        return [Circle(x, y, one.disc.radius * SCALE, fill, shade(darker(fill)), 1.5, name=f"column {one.id}")]
    return [Shape(tuple(at(*point) for point in one.outline), shade(CITY), shade(darker(CITY)), 1.5)]


def _label_place(one: Seen, at: _At, box: tuple[float, float, float, float]) -> Point2:
    """Where the id stands: on a column, or on the part of a stick that is in view, away from the spot."""
    if one.disc is not None:
        x, y = at(one.disc.x, one.disc.y)
        return x, y + 5
    if one.bar is None:
        points = [at(*point) for point in one.outline]
        return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points) + 5
    x0, y0, w, h = box
    best, found = -1.0, (x0 - 50, y0 - 50)
    for step in range(1, 20):
        share = step / 20
        x, y = at(one.bar.ax + share * (one.bar.bx - one.bar.ax), one.bar.ay + share * (one.bar.by - one.bar.ay))
        inside = min(x - x0 - 14, x0 + w - 14 - x, y - y0 - 14, y0 + h - 26 - y)
        away = math.hypot(x - x0 - w / 2, y - y0 - h / 2)
        if inside > 0 and min(inside, away) > best:
            best, found = min(inside, away), (x, y + 5)
    return found


# --- from the side ----------------------------------------------------------------------------------------------------


def _side(closeup: CloseUp, pieces: Pieces, words: Language, top: float) -> list[Item]:
    lower, upper = closeup.bar(closeup.lower), closeup.bar(closeup.upper)
    assert lower is not None
    assert upper is not None
    assert closeup.lower is not None
    assert closeup.upper is not None
    here = lower.share(*closeup.at)
    floor, ceiling = _floor_and_ceiling(closeup, lower, upper)
    height, top_z = _side_view(closeup)
    box = (float(MARGIN), top, float(WIDTH - 2 * MARGIN), float(height))
    cx = box[0] + box[2] / 2

    def at(s: float, z: float) -> Point2:
        return cx + s * SCALE, top + (top_z - z) * SCALE

    items: list[Item] = [_rectangle(*box, fill="#ffffff")]
    if at(0, 0)[1] < top + height:
        y = at(0, 0)[1]
        items.append(_rectangle(box[0], y, box[2], top + height - y, fill=TABLE))
        items.append(Words(box[0] + 6, min(y + 14, top + height - 4), words.text(say.TABLE), 12, SOFT))
    items += [
        item for one in closeup.seen if one.disc is not None for item in _column_cut(one, lower, closeup.at, pieces, at)
    ]
    color = color_of(_owner(closeup, closeup.lower), pieces)
    start, end = -here * lower.length, (1 - here) * lower.length
    slab = _slab(start, lower.az, end, lower.bz, lower.thickness, at)
    items.append(Shape(slab, color, darker(color), 1.5, name=f"side {closeup.lower}"))
    color = color_of(_owner(closeup, closeup.upper), pieces)
    s0, z0, s1, z1 = _cut(upper, lower, closeup.at)
    items.append(
        Shape(_slab(s0, z0, s1, z1, upper.thickness, at), color, darker(color), 1.5, name=f"side {closeup.upper}")
    )
    spread = closeup.k * closeup.sigma
    if spread > 0:
        (x0, y0), (x1, y1) = at(s0, ceiling + spread), at(s1, ceiling - spread)
        items.append(_rectangle(x0, y0, x1 - x0, y1 - y0, fill=AMBER, opacity=0.25, name="sigma"))
    (x, y_low), (_, y_high) = at(0, floor), at(0, ceiling)
    items.append(
        Shape(((x, y_low), (x, y_high)), stroke=CALL_COLORS[closeup.call], width=2.5, closed=False, name="gap")
    )
    for y in (y_low, y_high):
        items.append(Shape(((x - 5, y), (x + 5, y)), stroke=CALL_COLORS[closeup.call], width=2, closed=False))
    gap = words.measure(ceiling - floor, 0, "mm")
    items.append(Words(x + 10, (y_low + y_high) / 2 + 5, gap, 15, INK, bold=True, halo=True, name="gap words"))
    items.append(Words(at(s1, 0)[0] + 8, at(0, z1)[1] + 2, closeup.upper, 15, INK, bold=True, halo=True))
    items.append(
        Words(
            box[0] + box[2] - 8,
            min(at(0, floor)[1] + 22, top + height - 5),
            closeup.lower,
            15,
            INK,
            "end",
            True,
            True,
        )
    )
    label = words.fill(say.ALONG_ROAD, road=closeup.lower)
    items.append(Words(box[0] + 8, top + 20, label, 14, SOFT, halo=True))
    return [Clip(box, tuple(items))]


def _floor_and_ceiling(closeup: CloseUp, lower: Bar, upper: Bar) -> tuple[float, float]:
    """Where the gap begins and ends at the spot: the lower road's top and the upper one's underside, mm."""
    above = upper.top(_within(upper.share(*closeup.at))).value - upper.thickness
    return lower.top(_within(lower.share(*closeup.at))).value, above


def _side_view(closeup: CloseUp) -> tuple[int, float]:
    """The height of the view from the side, px, and the z of its upper edge, mm: both roads at the spot are in it,
    to the plan's scale, below a line of words."""
    lower, upper = closeup.bar(closeup.lower), closeup.bar(closeup.upper)
    assert lower is not None
    assert upper is not None
    floor, ceiling = _floor_and_ceiling(closeup, lower, upper)
    _, z0, _, z1 = _cut(upper, lower, closeup.at)
    spread = min(closeup.k * closeup.sigma, SIDE_SPREAD_MM)
    high = max(z0, z1, ceiling + spread)
    low = min(floor - lower.thickness, z0 - upper.thickness, z1 - upper.thickness, ceiling - spread)
    needed = (high - low) * SCALE + LABEL + 2 * SIDE_PAD
    height = max(SIDE_HEIGHT, math.ceil(needed))
    return height, high + (LABEL + SIDE_PAD + (height - needed) / 2) / SCALE


def _owner(closeup: CloseUp, piece: str) -> str:
    return next((one.owner for one in closeup.seen if one.id == piece), "")


def _within(share: float) -> float:
    return min(1.0, max(0.0, share))


def _cut(upper: Bar, lower: Bar, at: Point2) -> tuple[float, float, float, float]:
    """The upper stick in the vertical plane along the lower one: (s, z of top) at both edges of the cut."""
    sine = abs(lower.ux * upper.uy - lower.uy * upper.ux)
    half = min(upper.half / max(sine, 1e-6), upper.length)
    out: list[float] = []
    for s in (-half, half):
        share = upper.share(at[0] + s * lower.ux, at[1] + s * lower.uy)
        out += [s, upper.top(_within(share)).value]
    return out[0], out[1], out[2], out[3]


def _slab(s0: float, z0: float, s1: float, z1: float, thickness: float, at: _At) -> tuple[Point2, ...]:
    return at(s0, z0), at(s1, z1), at(s1, z1 - thickness), at(s0, z0 - thickness)


def _column_cut(one: Seen, lower: Bar, spot: Point2, pieces: Pieces, at: _At) -> list[Item]:
    """A column where the plane along the lower road cuts it: its discs as rectangles."""
    disc = one.disc
    assert disc is not None
    along, across = _along(disc, lower, spot)
    if abs(across) >= disc.radius:
        return []
    half = math.sqrt(disc.radius**2 - across**2)
    foot = disc.top_z - one.levels * pieces.disc.height
    items: list[Item] = []
    for level in range(one.levels):
        z = foot + level * pieces.disc.height
        fill = YELLOW if one.yellow and level == one.levels - 1 else GRAY
        top = z + pieces.disc.height
        corners = (at(along - half, z), at(along + half, z), at(along + half, top), at(along - half, top))
        items.append(Shape(corners, fill, darker(fill), 1))
    return items


def _along(disc: Disc2, bar: Bar, spot: Point2) -> Point2:
    dx, dy = disc.x - spot[0], disc.y - spot[1]
    return dx * bar.ux + dy * bar.uy, -dx * bar.uy + dy * bar.ux


# --- on its scale -----------------------------------------------------------------------------------------------------


def _gauge(closeup: CloseUp, words: Language, top: float) -> list[Item]:
    """Value, k sigmas and limit on an axis of their own, so that tenths of a millimetre show."""
    spread = closeup.k * closeup.sigma
    low = min(closeup.limit, closeup.value - spread)
    high = max(closeup.limit, closeup.value + spread)
    pad = max(0.18 * (high - low), 0.5)
    low, high = low - pad, high + pad
    x0, x1, y = MARGIN + 6.0, WIDTH - MARGIN - 6.0, top + 44.0

    def at(value: float) -> float:
        return x0 + (value - low) / (high - low) * (x1 - x0)

    call = CALL_COLORS[closeup.call]
    limit = at(closeup.limit)
    bad = (x0, limit) if _less_is_fault(closeup) else (limit, x1)
    text = f"{words.sentence(measure_of(closeup, words))}: {_call(closeup, words)}"
    items: list[Item] = [
        Words(MARGIN, top + 16, text, 16, call, bold=True, name="value words"),
        _rectangle(bad[0], y - 12, bad[1] - bad[0], 24, fill=RED, opacity=0.13, name="fault side"),
        Shape(((x0, y), (x1, y)), stroke=SOFT, width=1.2, closed=False),
        Shape(((limit, y - 16), (limit, y + 16)), stroke=RED, width=2.5, closed=False, name="limit"),
    ]
    if spread > 0:
        left, right = at(closeup.value - spread), at(closeup.value + spread)
        items.append(_rectangle(left, y - 6, right - left, 12, fill=call, opacity=0.35, name="spread"))
    items.append(Circle(at(closeup.value), y, 6, call, "#ffffff", 1.5, name="value"))
    number = words.number(closeup.limit, 0 if closeup.limit == round(closeup.limit) else 1)
    limit_words = words.fill(say.LIMIT, limit=f"{number} {words.word('unit', 'mm')}")
    if closeup.rule == "crossing":
        limit_words = words.text(say.CONTACT)
    items.append(_beside(limit, x0, x1, y + 34, limit_words, RED))
    if spread > 0:
        sigmas = words.fill(say.SIGMAS, k=words.number(closeup.k, 0 if closeup.k == round(closeup.k) else 1))
        far = x1 if limit < (x0 + x1) / 2 else x0  # at the end where the limit's words are not
        items.append(Words(far, y + 34, sigmas, 13, SOFT, "end" if far == x1 else "start"))
    return items


def _less_is_fault(closeup: CloseUp) -> bool:
    return closeup.rule in _LESS_IS_FAULT or (closeup.rule == "end-not-resting" and closeup.limit == 0)


def _call(closeup: CloseUp, words: Language) -> str:
    named = Named("call", closeup.call.replace("_", " "))
    return words.word(*named)


def _beside(x: float, x0: float, x1: float, y: float, text: str, color: str) -> Words:
    """Words under a mark, kept on the paper."""
    if x - x0 < 50:
        return Words(x0, y, text, 13, color, "start", name="limit words")
    if x1 - x < 50:
        return Words(x1, y, text, 13, color, "end", name="limit words")
    return Words(x, y, text, 13, color, "middle", name="limit words")


def _rectangle(
    x: float, y: float, width: float, height: float, *, fill: str, opacity: float = 1.0, name: str = ""
) -> Shape:
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Shape(corners, fill, opacity=opacity, name=name)
