"""Loops in plan view: which buildings a player's connected roads surround.

The roads' outlines and the columns' discs are united; every hole of what comes out is a bounded face of the highway's
outline. A building counts where it lies wholly inside such a hole. A highway without a crossing of two own roads is a
tree and has none, so that the union is built only where it can matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.state import Loops, State

if TYPE_CHECKING:
    from shapely import Geometry, Polygon

SURROUNDED = ("building", "tower")
"""City objects that score where they are surrounded."""


def surrounded(state: State, player: str) -> Loops:
    """The buildings and the towers that a player's roads surround."""
    targets = [name for name, thing in state.city.items() if thing.kind in SURROUNDED]
    if not targets or not may_have_loops(state, player):
        return Loops()

    holes = _holes(state, player)
    found = {name for name in targets if holes and any(hole.covers(_solid(state, name)) for hole in holes)}
    return Loops(
        frozenset(name for name in found if state.city[name].kind == "building"),
        frozenset(name for name in found if state.city[name].kind == "tower"),
    )


def _holes(state: State, player: str) -> list[Polygon]:
    import shapely

    bars = [state.bars[road] for road in state.roads_of(player) if state.bars[road].length > 0]
    if not bars:
        return []
    sticks = shapely.polygons([bar.outline() for bar in bars])
    discs = [state.discs[column] for column in state.columns_of(player)]
    centres = [shapely.Point(disc.x, disc.y) for disc in discs]
    stacks = shapely.buffer(centres, state.pieces.disc.radius, quad_segs=4)
    union = shapely.union_all([*sticks, *stacks])
    parts = union.geoms if union.geom_type == "MultiPolygon" else [union]
    return [shapely.Polygon(ring) for part in parts for ring in part.interiors]


def _solid(state: State, thing: str) -> Geometry:
    """The outline of a building; of one that crosses itself (a bad record), the hull."""
    import shapely

    polygon = shapely.Polygon(state.city[thing].outline)
    return polygon if polygon.is_valid else polygon.convex_hull


def may_have_loops(state: State, player: str) -> bool:
    """Whether any two roads of the player cross or overlap in plan view away from a shared column."""
    return any(_meets_own(state, road) for road in state.roads_of(player))


def _meets_own(state: State, road: str) -> bool:
    owner = state.owners[road]
    return any(state.owners[pair.other] == owner for pair in state.pairs.get(road, ()))


def matters(state: State, road: str) -> bool:
    """Whether a new road may change what its player surrounds: it meets an own road, or lies at a building."""
    if _meets_own(state, road):
        return True
    near = state.city_grid.near(state.bars[road].box)
    return any(state.city[name].kind in SURROUNDED for name in near)


def update(state: State, road: str) -> None:
    """Look again at what the owner of a new road surrounds, where it may have changed."""
    owner = state.owners[road]
    if matters(state, road):
        state.put("loops", owner, surrounded(state, owner))


def update_all(state: State, thing: str) -> None:
    """Look again at what everybody surrounds after a city object came."""
    if state.city[thing].kind in SURROUNDED:
        for owner in sorted(set(state.owners.values())):
            state.put("loops", owner, surrounded(state, owner))
