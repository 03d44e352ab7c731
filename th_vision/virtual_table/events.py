"""All that can be made to happen in a virtual game, by name: what it is, and the rule that it breaks."""

from __future__ import annotations

from th_vision.virtual_table import car_offences, city_offences, near_limits, offences
from th_vision.virtual_table.builds import PlayedMoment
from th_vision.virtual_table.mischief import EVENTS, Event
from th_vision.virtual_table.offences import At, Offence, commit, own_columns

_EITHER = frozenset({"not-base-point"})


def _yellow_alone(at: At) -> list[PlayedMoment]:
    offence = Offence("lays a yellow disc without a gray one", frozenset({"junction-without-gray"}))
    return commit(at, offence, offences.yellow_alone(at), "junction-without-gray")


def _third_branch(at: At) -> list[PlayedMoment]:
    offence = Offence("builds a third road from a junction", frozenset({"junction-branches"}), _EITHER)
    return commit(at, offence, offences.third_branch(at), "junction-branches")


def _junction_offramp(at: At) -> list[PlayedMoment]:
    game = at.game
    low = [c for c in own_columns(game, game.whose_turn, junction=True) if game.column(c).levels <= 3]
    bases = [c for c in low if c in game.holding(game.whose_turn).bases]
    rules = frozenset({"offramp-from-junction", "offramp-level"})
    offence = Offence("lets an offramp down from a junction", rules)
    return commit(at, offence, offences.offramp_from(at, bases), "offramp-from-junction")


def _beyond_supply(at: At) -> list[PlayedMoment]:
    offence = Offence("takes a yellow disc from the box", frozenset({"supply"}))
    return commit(at, offence, offences.beyond_the_supply(at), "supply")


def _beside(at: At) -> list[PlayedMoment]:
    offence = Offence(
        "lays a road beside its column",
        frozenset({"end-not-resting"}),
        frozenset({"overhang"}),
        frozenset({"overhang"}),
    )
    return commit(at, offence, offences.beside_the_column(at), "end-not-resting")


def _on_road(at: At) -> list[PlayedMoment]:
    offence = Offence("lets a road lie on another", frozenset({"touch-road"}), skip=frozenset({"touch-road"}))
    return commit(at, offence, offences.lying_on_a_road(at), "touch-road")


def _on_foreign_column(at: At) -> list[PlayedMoment]:
    game = at.game
    theirs = [c.id for c in game.scene.columns if game.owner[c.id] != game.whose_turn]
    offence = Offence("ends on another player's column", frozenset({"touch-column"}), frozenset({"touch-road"}))
    return commit(at, offence, offences.ending_on(at, theirs), "touch-column")


def _against_column(at: At) -> list[PlayedMoment]:
    offence = Offence("pushes a column against another", frozenset({"touch-column"}))
    return commit(at, offence, offences.against_a_column(at), "touch-column")


def _enclosed(at: At) -> list[PlayedMoment]:
    game = at.game
    offence = Offence("ends on an own column", frozenset({"enclosed"}), frozenset({"touch-road"}))
    return commit(at, offence, offences.ending_on(at, own_columns(game, game.whose_turn)), "enclosed")


def _from_offramp(at: At) -> list[PlayedMoment]:
    also = frozenset({"not-base-point", "touch-road"})
    offence = Offence("goes on from an offramp's end", frozenset({"from-offramp"}), also)
    return commit(at, offence, offences.from_an_offramp(at), "from-offramp")


MORE_EVENTS: dict[str, Event] = {
    "yellow-alone": Event("a yellow disc without a gray one", "junction-without-gray", _yellow_alone),
    "third-branch": Event("a third road from a junction", "junction-branches", _third_branch),
    "junction-offramp": Event("an offramp from a junction", "offramp-from-junction", _junction_offramp),
    "beyond-supply": Event("a junction without a yellow disc left", "supply", _beyond_supply),
    "passes-anyway": Event("a pass with pieces left", "supply", offences.passes_anyway),
    "beside-column": Event("a road that lies beside its column", "end-not-resting", _beside),
    "on-road": Event("a road that lies on another", "touch-road", _on_road),
    "on-foreign-column": Event("a road that ends on another player's column", "touch-column", _on_foreign_column),
    "against-column": Event("a column against another", "touch-column", _against_column),
    "enclosed": Event("a road that ends on an own column", "enclosed", _enclosed),
    "from-offramp": Event("a road from an offramp's end", "from-offramp", _from_offramp),
    "wrong-road": Event("the car on another road", "car-wrong-road", car_offences.wrong_road),
    "wrong-owner": Event("another player's car", "car-wrong-owner", car_offences.wrong_owner),
    "close-under-road": Event("a column at the edge of a road overhead", None, near_limits.under_road),
    "barely-resting": Event("an end that only just rests", None, near_limits.barely_resting),
}
"""Events that need no city."""

CITY_EVENTS: dict[str, Event] = {
    "on-area": Event("a column on an area for none", "column-on-area", city_offences.on_area),
    "over-edge": Event("a column over its area's edge", "column-over-edge", city_offences.over_edge),
    "forbidden-landing": Event("an offramp where none may end", "offramp-area", city_offences.forbidden_landing),
    "on-things": Event("a road on a tree or an aircraft", "touch-city", city_offences.lying_on_things),
    "across-asakusa": Event("a road over the pagoda's area", "asakusa-crossed", city_offences.across_asakusa),
    "close-to-edge": Event("a column at its area's edge", None, city_offences.close_to_edge),
    "close-to-area": Event("a column close to an area", None, city_offences.close_to_area),
    "close-landing": Event("an offramp's tip at the rainbow's edge", None, city_offences.close_landing),
    "at-wall": Event("a road close to a wall", None, city_offences.at_wall),
}
"""Events that need the city."""

ALL_EVENTS: dict[str, Event] = EVENTS | MORE_EVENTS | CITY_EVENTS
