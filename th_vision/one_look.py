"""What one look at a table tells its players without any game: whose each road is, and what is in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import hypot

from rules.answers import Crossing
from rules.geometry import Meeting, bar_of, meeting
from rules.layout import Layout, Road
from rules.pieces import Pieces
from rules.uncertain import Measured, at_least
from th_vision import phrases as say
from th_vision import tolerances as tol
from th_vision.picture import Legend, Standing
from th_vision.said import said
from th_vision.standings import doubts_of
from th_vision.words import words_in


def owners_seen(layout: Layout) -> dict[str, str]:
    """Piece id -> player, by the cars: roads that share a column are one player's, and so are the cars on them.

    Where no car stands on any of them, or as many of one player as of another, nothing is said.
    """
    roads = {road.id: road for road in layout.roads}
    columns = {column.id for column in layout.columns}
    group = {name: name for name in (*roads, *columns)}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for road in layout.roads:
        for below in road.rests_on:
            if below in group:
                group[root(road.id)] = root(below)
    votes: dict[str, dict[str, float]] = {}
    for car in layout.cars:
        if car.on in roads:
            of = votes.setdefault(root(str(car.on)), {})
            of[car.player] = of.get(car.player, 0.0) + car.player_probability
    found = {name: votes.get(root(name), {}) for name in group}
    return {name: who for name, of in found.items() if (who := _most(of)) is not None}


def doubtful_crossings(layout: Layout, pieces: Pieces, k: float = tol.DOUBT_SIGMAS) -> tuple[Crossing, ...]:
    """Crossings at which the heights don't tell for sure which of two roads is over the other."""
    found = []
    for a, b in combinations(layout.roads, 2):
        if (crossing := _doubtful(a, b, pieces, k)) is not None:
            found.append(crossing)
    return tuple(found)


def legend_seen(
    layout: Layout, pieces: Pieces, summary: str, doubts: Sequence[str] = (), language: str = "en"
) -> Legend:
    """All words and marks of the picture of one look. ``summary``: how many of each; ``doubts``: of the whole view."""
    words = words_in(language)
    key = (say.LOOK_OWNERS, say.LOOK_DOUBTS, *((say.LOOK_UNKNOWN,) if layout.unknown else ()))
    counts = {player: sum(car.player == player for car in layout.cars) for player in pieces.players}
    title = said(summary, language)
    return Legend(
        title=title[:1].upper() + title[1:],
        notes=("", *(words.sentence(words.text(k)) for k in key)),
        warnings=tuple(words.sentence(said(doubt, language)) for doubt in doubts),
        standings=tuple(Standing(player, cars_on_roads=n) for player, n in counts.items()),
        doubts=doubts_of(layout),
        crossings=doubtful_crossings(layout, pieces),
        language=language,
        types=True,
    )


def _most(votes: Mapping[str, float]) -> str | None:
    """Who has more votes than anyone else, by half a car at least."""
    first, second = [*sorted(((n, who) for who, n in votes.items()), reverse=True), (0.0, ""), (0.0, "")][:2]
    return first[1] if first[0] - second[0] > 0.5 else None


def _at_end(road: Road, met: Meeting, pieces: Pieces) -> bool:
    """Whether a meeting lies where a column carries the road's end: no crossing, if it does so for both."""
    reach_mm = pieces.disc.radius + pieces.stick.width
    return any(hypot(met.x - tip[0], met.y - tip[1]) < reach_mm for tip in road.ends)


def _doubtful(a: Road, b: Road, pieces: Pieces, k: float) -> Crossing | None:
    met = meeting(bar_of(a, pieces.stick), bar_of(b, pieces.stick))
    if met is None or met.margin.value <= 0 or (_at_end(a, met, pieces) and _at_end(b, met, pieces)):
        return None
    if at_least(Measured(abs(met.rise.value), met.rise.sigma), 0.0, k) != "too_close":
        return None
    return Crossing(
        road=b.id,
        owner="?",
        side="over" if met.rise.value >= 0 else "under",
        gap=abs(met.rise.value) - pieces.stick.thickness,
        sigma=met.rise.sigma,
        at=(met.x, met.y),
        pays=False,
        reason="partial",
        call="too_close",
    )
