"""Loops in plan view: which buildings a player's connected roads surround.

The roads' outlines and the columns' discs are united; every hole of what comes out is a bounded face of the highway's
outline. A building counts where it lies wholly inside such a hole. A highway without a crossing of two own roads is a
tree and has none, so that the union is built only where it can matter.
"""

from __future__ import annotations

from rules.state import State


def surrounded(state: State, player: str) -> tuple[set[str], set[str]]:
    """The buildings and the towers that a player's roads surround: their ids."""
    targets = [name for name, thing in state.city.items() if thing.kind in ("building", "tower")]
    if not targets or not _may_have_loops(state, player):
        return set(), set()
    import shapely

    shapes = [shapely.Polygon(state.bars[road].outline()) for road in state.roads_of(player)]
    for column in state.columns_of(player):
        disc = state.discs[column]
        shapes.append(shapely.Point(disc.x, disc.y).buffer(disc.radius, quad_segs=4))
    union = shapely.union_all(shapes)
    parts = union.geoms if union.geom_type == "MultiPolygon" else [union]
    holes = [shapely.Polygon(ring) for part in parts for ring in part.interiors]
    buildings: set[str] = set()
    towers: set[str] = set()
    for name in targets:
        outline = shapely.Polygon(state.city[name].outline)
        if any(hole.covers(outline) for hole in holes):
            (towers if state.city[name].kind == "tower" else buildings).add(name)
    return buildings, towers


def _may_have_loops(state: State, player: str) -> bool:
    """Whether any two roads of the player cross or overlap in plan view away from a shared column."""
    return any(
        state.owners[pair.other] == player for road in state.roads_of(player) for pair in state.pairs.get(road, ())
    )
