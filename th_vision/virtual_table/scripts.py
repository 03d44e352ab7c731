"""Scripted games: what happens is fixed, where it happens is found. The demo shows every kind of ruling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rules.pieces import Pieces
from th_vision.errors import VisionError
from th_vision.virtual_table.candidates import Field, Margins
from th_vision.virtual_table.mishaps import knock, loose_roads
from th_vision.virtual_table.player import Taste, check_request, find_build
from th_vision.virtual_table.playing import Build, CrossingSeen, PlayedMoment, Playing
from th_vision.virtual_table.scene import Scene, Spread
from th_vision.virtual_table.wishes import Near, Option, Wish, fulfil, options, options_near

COVER_MM = (-6.0, -2.5)  # the covered column: from the disc's outline to the road's edge, negative inside
CLOSE_MM = 0.3  # the case too close to call: so far from the disc's outline, outside
FIELD_LENGTHS = (600.0 / 114.0, 380.0 / 114.0)  # the field in stick lengths: what a D415 at 0.6 m sees well
MARGIN_MM = 2.5
LEAST_TURNS, MOST_TURNS = 12, 24
LOW, HIGH = 1, 4  # levels from which an offramp leaves, and a road goes over columns
ATTEMPTS = 12  # games begun before the script gives up
GAMES, BRANCHES = 6, 2  # games played side by side, and ways in which each goes on
FREE = Taste(
    paying=0.0, next_paying=1.0, junction=0.0, offramp=0.0
)  # moves in between don't use up what is to be shown

SCRIPTS = ("demo",)


@dataclass(frozen=True)
class Knock:
    """The player whose turn it is knocks down a road of another player, and it is put back."""

    from_turn: int = 1
    label: str = "knocks down a road"


Item = Wish | Knock


def _only(*wanted: Callable[[CrossingSeen], bool]) -> Callable[[Playing, Build], bool]:
    """The build has just these crossings, in any order."""

    def accept(game: Playing, build: Build) -> bool:
        left = list(build.crossings)
        for want in wanted:
            match = next((c for c in left if want(c)), None)
            if match is None:
                return False
            left.remove(match)
        return not left

    return accept


def _paying(side: str) -> Callable[[CrossingSeen], bool]:
    return lambda c: c.pays and c.side == side


def demo_items() -> tuple[Item, ...]:
    """What the demo has to show, the rarest first: at every turn the first that is possible is shown."""
    over, under = _paying("over"), _paying("under")

    def not_first(game: Playing, build: Build) -> bool:
        return build.due == 0 and any(c.owner != game.whose_turn for c in build.crossings)

    def own_road(game: Playing, build: Build) -> bool:
        return build.due == 0 and any(c.owner == game.whose_turn for c in build.crossings)

    def once(side: str) -> Callable[[Playing, Build], bool]:
        return lambda g, b: [c.side for c in b.crossings if c.pays] == [side]

    def spare(game: Playing, build: Build) -> bool:
        return sum(game.bases[game.whose_turn].values()) > 1

    def level(levels: int) -> Callable[[Playing, Build], bool]:
        return lambda g, b: not b.crossings and b.column is not None and b.column.levels == levels

    return (
        # The opening leads to a road over pink's ramp and under pink's high road at once.
        Wish("builds a junction", level(2), ("junction",), junction=True, toward=(0.35, -0.40), until=1),
        Wish("builds a junction", level(4), ("junction",), junction=True, toward=(0.75, 0.90), until=2),
        Wish("goes on", level(1), toward=(1.27, -0.25), until=3),
        Wish("goes on", level(3), toward=(1.56, 0.43), until=4),
        Wish("goes over one road and under another", _only(over, under), ("over-and-under",), until=5),
        Knock(from_turn=8),
        Wish(
            "covers a column",
            _calm,
            ("covered",),
            faults=frozenset({"column-covered"}),
            junction=None,
            near=Near(*COVER_MM),
        ),
        Wish("passes a column, too close to call", _calm, ("too-close",), near=Near(CLOSE_MM, CLOSE_MM), from_turn=6),
        Wish("is not the first any more", not_first, ("not-first",)),
        Wish("leaves by an offramp", spare, ("offramp",), offramp=True, from_turn=6),
        Wish("passes under", once("under"), ("under",)),
        Wish("crosses over", once("over"), ("over",)),
        Wish("crosses its own road", own_road, ("own-road",)),
        Wish("forgets a car", lambda g, b: b.due == 1, ("forgotten-car",), cars=-1, from_turn=8),
    )


OPENING_RAMPS = ((-0.5, 0.0, 170.0), (0.5, 0.0, 2.0))  # x, y in stick lengths, where the foot points (degrees)


def _calm(game: Playing, build: Build) -> bool:
    return len(build.crossings) <= 1


def scripted_game(
    name: str,
    rng: np.random.Generator,
    pieces: Pieces,
    players: tuple[str, ...] = ("blue", "pink"),
    *,
    spread: Spread | None = None,
    base_scene: Scene | None = None,
) -> Iterator[PlayedMoment]:
    """The moments of a scripted game, from the empty table on.

    Raises:
        VisionError: no such script, players it isn't for, or no way found to show it all (try another seed).
    """
    if name not in SCRIPTS:
        raise VisionError(f"scenario {name!r} is not known; choose one of {', '.join(SCRIPTS)}")
    if len(players) != 2:
        raise VisionError(f"scenario {name!r} is for 2 players, got {len(players)}; give two names")
    check_request(pieces, players, "rainbow-city", field_of(pieces))
    label = ""
    for _ in range(ATTEMPTS):
        game = Playing(rng, pieces, players, spread=spread, base_scene=base_scene)
        moments, label = _direct(_opened(game, rng), rng)
        if moments:
            yield from moments
            return
    raise VisionError(f"scenario {name!r}: no place found where a player {label}; try another seed")


def field_of(pieces: Pieces) -> tuple[float, float]:
    """Width and height of the field of a scripted game with these pieces, mm."""
    return FIELD_LENGTHS[0] * pieces.stick.length, FIELD_LENGTHS[1] * pieces.stick.length


@dataclass(frozen=True)
class _Mark:
    """How far a scripted game has come: the game, its moments, and what is still to be shown."""

    game: Playing
    moments: tuple[PlayedMoment, ...]
    left: tuple[Item, ...]


def _opened(game: Playing, rng: np.random.Generator) -> _Mark:
    """The empty table and both ramps."""
    moments = [game.begin()]
    length = game.pieces.stick.length
    for player, (x, y, foot_deg) in zip(game.players, OPENING_RAMPS, strict=True):
        moments.append(game.ramp(player, x * length, y * length, foot_deg + float(rng.uniform(-4, 4))))
    return _Mark(game, tuple(moments), demo_items())


def _direct(start: _Mark, rng: np.random.Generator) -> tuple[tuple[PlayedMoment, ...], str]:
    """Play until all is shown: turn by turn, of several games side by side those go on that have shown most.

    Returns the moments (none where it can't be done), and what was still to be shown.
    """
    games, label = [start], ""
    for _ in range(MOST_TURNS):
        after = [_turn(game, rng) for game in games for _ in range(max(BRANCHES, GAMES // len(games)))]
        games = sorted((game for game in after if game is not None), key=_promise)[:GAMES]
        if not games:
            break
        label = games[0].left[0].label if games[0].left else label
        done = [game for game in games if not game.left and game.game.turn > LEAST_TURNS]
        if done:
            return done[0].moments, ""
    return (), label


def _promise(mark: _Mark) -> tuple[int, int]:
    """What a game is sorted by: how much is still to be shown, and how many of two hard things it is ready for."""
    game, events = mark.game, _events(mark.left)
    levels = {
        player: {game.column(base).levels for base in bases if not game.column(base).junction}
        for player, bases in game.bases.items()
    }
    leaves = any(LOW in levels[player] and len(game.bases[player]) > 1 for player in game.players)
    covers = any(max(levels[player], default=0) >= HIGH for player in game.players)
    return len(mark.left), -int("offramp" in events and leaves) - int("covered" in events and covers)


def _events(items: Sequence[Item]) -> set[str]:
    return {event for item in items if isinstance(item, Wish) for event in item.events}


def _turn(mark: _Mark, rng: np.random.Generator) -> _Mark | None:
    """One more turn; None where nobody can build, or where what has to be shown now can't."""
    game, moments, left = mark.game.saved(), list(mark.moments), list(mark.left)
    field_mm = field_of(game.pieces)
    field, margins = Field(*field_mm), Margins.of(MARGIN_MM)
    for item in [item for item in left if isinstance(item, Knock) and item.from_turn <= game.turn]:
        other = next(p for p in game.players if p != game.whose_turn)
        moments += knock(game, loose_roads(game, other)[0], field_mm=field_mm)
        left.remove(item)
    shown = _first_possible(game, rng, left, field, margins)
    if shown is not None:
        wish, build = shown
        left.remove(wish)
        moments.append(game.play(build, wish.events, f"turn {game.turn}: {game.whose_turn} {wish.label}"))
    elif any(isinstance(item, Wish) and item.until == game.turn for item in left):
        return None
    else:
        free = find_build(game, rng, field, margins, _mood(game, left))
        if free is None:
            return None
        moments.append(game.play(free))
    return _Mark(game, tuple(moments), tuple(left))


def _mood(game: Playing, left: list[Item]) -> Taste:
    """How to move in between: down where an offramp is still to be shown, up where a column is to be covered."""
    events = _events(left)
    low_first = [LOW, HIGH] if game.whose_turn == game.players[0] else [HIGH, LOW]
    wanted = {LOW: "offramp" in events, HIGH: "covered" in events}
    level = next((level for level in low_first if wanted[level]), None)
    return replace(FREE, level=level)


def _first_possible(
    game: Playing, rng: np.random.Generator, items: list[Item], field: Field, margins: Margins
) -> tuple[Wish, Build] | None:
    plain: list[Option] | None = None
    due = [item for item in items if isinstance(item, Wish) and item.until == game.turn]
    items = list(due) or items
    for wish in items:
        if isinstance(wish, Knock) or wish.from_turn > game.turn or wish.until < game.turn:
            continue
        if wish.near is not None:
            choice = options_near(game, wish.near, rng, field, margins)
        else:
            plain = choice = options(game, rng, field, margins) if plain is None else plain
        build = fulfil(game, wish, choice, rng, field, margins)
        if build is not None:
            return wish, build
    return None
