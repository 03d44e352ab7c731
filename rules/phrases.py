"""The English sentences of the referee, as data: what a ruling says, what it asks, where to look.

Each text is the key of the message catalogues (gettext ``msgid``). ``{player}`` is the one whose move it is,
``{piece}`` a noun phrase such as "pink's road r5", ``{place}`` the name of a spot. A sentence begins with a small
letter: it may follow "Fault:"; as a first word it gets its capital when it is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from rules.events import AlertKind, CarType, CrossingReason, FaultRule, Side

CAR_TYPE_NAMES: Final[dict[CarType, str]] = {
    "sedan": "sedan",
    "sports_car": "sports car",
    "electric_car": "electric car",
    "food_truck": "food truck",
    "family_wagon": "family wagon",
    "limousine": "limousine",
    "delivery_van": "delivery van",
    "construction_truck": "construction truck",
    "jumbo_trailer": "jumbo trailer",
    "highway_bus": "highway bus",
}

FROM_ABOVE: Final = "look from above and decide."
FROM_THE_SIDE: Final = "look from the side and decide."
COUNT_THEM: Final = "count and decide."
LOOK_CLOSELY: Final = "look closely and decide."
WHO_BUILT: Final = "it is not certain who built what; say who did."


class Plural(NamedTuple):
    """A sentence about one, and about ``{n}`` other than one."""

    one: str
    many: str


class Named(NamedTuple):
    """A word with the context (gettext ``msgctxt``) that tells its meaning."""

    context: str
    text: str


@dataclass(frozen=True)
class FaultWords:
    """How a fault rule is stated, asked where it is too close to call, and where to look then."""

    fault: str
    question: str
    look: str = LOOK_CLOSELY


FAULTS: Final[dict[FaultRule, FaultWords]] = {
    "column-level": FaultWords(
        "{player}'s new column must be one level higher or lower than its base point.",
        "is {player}'s new column one level higher or lower than its base point?",
        COUNT_THEM,
    ),
    "junction-without-gray": FaultWords(
        "a junction needs at least one gray disc under it.",
        "has {player}'s junction a gray disc under it?",
        COUNT_THEM,
    ),
    "junction-not-on-top": FaultWords(
        "the yellow disc must lie on top of its column.",
        "does the yellow disc lie on top of {player}'s new column?",
    ),
    "junction-branches": FaultWords(
        "the junction has two roads out already, it can't branch again.",
        "has the junction two roads out already?",
        FROM_ABOVE,
    ),
    "gray-branches": FaultWords(
        "only a junction can branch, and this column has a road out already.",
        "has {player}'s base point a road out already?",
        FROM_ABOVE,
    ),
    "not-base-point": FaultWords(
        "{player} can build only from an own base point.",
        "did {player} build from an own base point?",
    ),
    "from-offramp": FaultWords(
        "no road can be connected to an offramp.",
        "does {player}'s road start from an offramp?",
    ),
    "supply": FaultWords(
        "{player} has not enough material for this move.",
        "has {player} enough material for this move?",
        COUNT_THEM,
    ),
    "column-on-area": FaultWords(
        "no column can be placed on {piece}.",
        "does {player}'s new column stand on {piece}?",
        FROM_ABOVE,
    ),
    "column-over-edge": FaultWords(
        "{player}'s new column sticks out over the edge of {piece}.",
        "does {player}'s new column stick out over the edge of {piece}?",
        FROM_ABOVE,
    ),
    "column-under-road": FaultWords(
        "{player}'s new column stands under {piece}.",
        "does {player}'s new column stand under {piece}?",
        FROM_ABOVE,
    ),
    "end-not-resting": FaultWords(
        "an end of {player}'s road does not rest where it should.",
        "does each end of {player}'s road rest on its column?",
        FROM_THE_SIDE,
    ),
    "overhang": FaultWords(
        "{player}'s road sticks out past the far rim of its column.",
        "does {player}'s road stick out past the far rim of its column?",
        FROM_ABOVE,
    ),
    "column-covered": FaultWords(
        "{player}'s road covers {piece} when seen from directly above.",
        "does {player}'s road cover {piece}?",
        FROM_ABOVE,
    ),
    "touch-road": FaultWords(
        "{player}'s road touches {piece}.",
        "does {player}'s road touch {piece}?",
        FROM_THE_SIDE,
    ),
    "touch-column": FaultWords(
        "what {player} placed touches {piece}.",
        "does what {player} placed touch {piece}?",
        FROM_THE_SIDE,
    ),
    "touch-city": FaultWords(
        "what {player} placed touches {piece}.",
        "does what {player} placed touch {piece}?",
        FROM_THE_SIDE,
    ),
    "enclosed": FaultWords(
        "{player}'s road ends on a column that stands already, which encloses the road.",
        "does {player}'s road end on a column that stands already?",
    ),
    "offramp-level": FaultWords(
        "an offramp can start only from a column of one level.",
        "does {player}'s offramp start from a column of one level?",
        COUNT_THEM,
    ),
    "offramp-from-junction": FaultWords(
        "an offramp can't start from a junction.",
        "does {player}'s offramp start from a junction?",
    ),
    "offramp-area": FaultWords(
        "no offramp can end on {piece}.",
        "does {player}'s offramp end on {piece}?",
        FROM_ABOVE,
    ),
    "area-spacing": FaultWords(
        "{player}'s development area must be at least one column width away from {piece}.",
        "is {player}'s development area at least one column width away from {piece}?",
        FROM_ABOVE,
    ),
    "city-order": FaultWords(
        "all development areas come first, then the others, at most one building or tower on each area.",
        "were the city objects placed in their order?",
    ),
    "city-over-edge": FaultWords(
        "{player}'s city object sticks out over the edge of its development area.",
        "does {player}'s city object stick out over the edge of its development area?",
        FROM_ABOVE,
    ),
    "asakusa-crossed": FaultWords(
        "no road can cross the Asakusa area.",
        "does {player}'s road cross the Asakusa area?",
        FROM_ABOVE,
    ),
    "turn-order": FaultWords(
        "it is not {player}'s turn.",
        "is it {player}'s turn?",
    ),
    "cars-too-many": FaultWords(
        "{player} placed more cars than are due.",
        "did {player} place more cars than are due?",
        COUNT_THEM,
    ),
    "cars-too-few": FaultWords(
        "{player} placed fewer cars than are due.",
        "did {player} place fewer cars than are due?",
        COUNT_THEM,
    ),
    "car-wrong-road": FaultWords(
        "a car can be placed only on the new road.",
        "does {player}'s car stand on the new road?",
    ),
    "car-wrong-owner": FaultWords(
        "{player} placed a car of another player.",
        "is the new car {player}'s?",
    ),
    "ramp-distance": FaultWords(
        "the starting columns are not one road-stick apart.",
        "are the starting columns one road-stick apart?",
        FROM_ABOVE,
    ),
}

STILL_MATERIAL: Final = FaultWords(
    "{player} still has material and must build.",
    "has {player} still material to build with?",
    COUNT_THEM,
)
"""For the rule ``supply``, where it is about passing or laying a stick aside."""

STILL_STICKS: Final = FaultWords(
    "{player} may not pass and must put one road-stick beside the board.",
    "has {player} still a road-stick to put beside the board?",
    COUNT_THEM,
)
"""For the rule ``supply``, where a stick must be laid aside because there is no disc."""

CROSSINGS: Final[dict[tuple[CrossingReason, Side], str]] = {
    ("first", "over"): "{player} crosses over {piece}, the first to do so: one car.",
    ("first", "under"): "{player} passes under {piece}, the first to do so: one car.",
    ("side-taken", "over"): "{player} crosses over {piece}, but not as the first: no car.",
    ("side-taken", "under"): "{player} passes under {piece}, but not as the first: no car.",
    ("own-road", "over"): "{player} crosses over {piece}: no car.",
    ("own-road", "under"): "{player} passes under {piece}: no car.",
    ("budget-spent", "over"): "{player} crosses over {piece}, but that road has paid its car already: no car.",
    ("budget-spent", "under"): "{player} passes under {piece}, but that road has paid its car already: no car.",
    ("not-outermost", "over"): "{player} crosses over {piece}, but not as the outermost road: no car.",
    ("not-outermost", "under"): "{player} passes under {piece}, but not as the outermost road: no car.",
    ("partial", "over"): "{player} lies over {piece} only in part, the middle lines don't cross: no car.",
    ("partial", "under"): "{player} lies under {piece} only in part, the middle lines don't cross: no car.",
    ("shared-column", "over"): "{player} meets {piece} at a shared column, that is no crossing: no car.",
    ("ramp", "over"): "{player} crosses over {piece}, but ramps pay nothing here: no car.",
    ("ramp", "under"): "{player} passes under {piece}, but ramps pay nothing here: no car.",
    ("shared-column", "under"): "{player} meets {piece} at a shared column, that is no crossing: no car.",
}
PAID_ANYWAY: Final[dict[Side, str]] = {
    "over": "{player} crosses over {piece}: one car.",
    "under": "{player} passes under {piece}: one car.",
}
UNPAID: Final[dict[Side, str]] = {
    "over": "{player} crosses over {piece}: no car.",
    "under": "{player} passes under {piece}: no car.",
}
CROSSING_QUESTIONS: Final[dict[Side, str]] = {
    "over": "does {player} cross over {piece}, and as the first?",
    "under": "does {player} pass under {piece}, and as the first?",
}
OVERLAP_QUESTION: Final = "does {player} really cross {piece}, or only touch its edge when seen from above?"

# What stands around a sentence.
FAULT: Final = "fault: {sentence}"
WARNING: Final = "careful: {sentence}"
TOO_CLOSE: Final = "too close to call: {sentence}"
DETAIL: Final = "({detail})"
TO_DECIDE: Final = "It measures {measure}; {look}"
TO_DECIDE_COUNT: Final = "The count is {percent} % sure; {look}"
CORRECTED: Final = "the players have decided on road {road}."
CORRECTED_BY: Final = "{player} has decided on road {road}."

# Numbers.
MEASURED: Final = "{value} {unit}"
MEASURED_SIGMA: Final = "{value} ± {sigma} {unit}"
GAP_TO_DECIDE: Final = "The gap is {measure}; {look}"
GAP: Final = "gap {measure}"
GAP_TAKEN: Final = "gap {measure}; {piece} was there before"
MEASURED_LIMIT: Final = "measured {measure}, limit {limit} {unit}"
COUNTED_LIMIT: Final = "{count}, allowed {limit}"
TURN_OF: Final = "it is {player}'s turn"
DECIMAL_POINT: Final = Named("number", ".")
UNITS: Final = tuple(Named("unit", name) for name in ("mm", "degrees", "s", "frames"))

# Moves.
LEGAL_ROAD: Final = "{player}'s road {road} is legal."
AGAINST_THE_RULES: Final = "{player}'s road {road} is against the rules."
LEGAL_OBJECT: Final = "{player} placed {piece} as the rules want it."
LEGAL_RAMP: Final = "{player}'s starting ramp {road} stands."
BONUS: Final = "{player} builds an offramp: one car."
CARS_IN_ALL: Final = Plural(
    "in all, one car for {player}.",
    "in all, {n} cars for {player}.",
)
NO_CAR_IN_ALL: Final = "in all, no car for {player}."
CARS_CAPPED: Final = Plural(
    "{player} has only one car left to place.",
    "{player} has only {n} cars left to place.",
)
NO_CARS_LEFT: Final = "{player} has no car left to place."

# Cars.
CARS_PLACED: Final = Plural(
    "{player} placed one car, as due.",
    "{player} placed {n} cars, as due.",
)
CHANCE_GONE: Final = Plural(
    "{player} has not placed one car that is due; once the next player builds, the chance is gone.",
    "{player} has not placed {n} cars that are due; once the next player builds, the chance is gone.",
)
CARS_UNSURE: Final = "did {player} place the cars that are due?"
CARS_WRONG: Final = "{player} has placed {placed}; due: {due}."
SAME_TYPE: Final = Plural(
    "{player} takes one disc from {owner}: the same type of car is on the crossed road.",
    "{player} takes {n} discs from {owner}: the same type of car is on the crossed road.",
)
SAME_TYPE_NONE: Final = "the same type of car is on the crossed road, but {owner} has no disc to give."

# Penalties.
PENALTY: Final = Plural(
    "{player} knocked down pieces of {owner} and hands over one disc.",
    "{player} knocked down pieces of {owner} and hands over {n} discs.",
)
PENALTY_SHIFT: Final = Plural(
    "{player} pushed pieces of {owner} away and hands over one disc.",
    "{player} pushed pieces of {owner} away and hands over {n} discs.",
)
PENALTY_NONE: Final = "{player} knocked pieces of {owner}, but hands over no disc."
PENALTY_DECIDED: Final = Plural(
    "{player} hands over one disc to {owner}, as the players decided.",
    "{player} hands over {n} discs to {owner}, as the players decided.",
)
PENALTY_DECIDED_NONE: Final = "{player} hands over no disc to {owner}, as the players decided."
PENALTY_OWN: Final = "{player} knocked own pieces: no penalty, put them back."
PENALTY_QUESTION: Final = "did {player} push pieces of {owner} too far?"
PIECES: Final = "pieces: {pieces}"

# Supply, score, end.
SUPPLY: Final = "{player} holds {gray}, {yellow}, {sticks} and {cars}."
GRAY_DISCS: Final = Plural("one gray disc", "{n} gray discs")
YELLOW_DISCS: Final = Plural("one yellow disc", "{n} yellow discs")
STICKS: Final = Plural("one road-stick", "{n} road-sticks")
CARS: Final = Plural("one car", "{n} cars")
DISCS: Final = Plural("one disc", "{n} discs")
LEVELS: Final = Plural("one level", "{n} levels")
COUNTS: Final[dict[str, Plural]] = {
    "levels": LEVELS,
    "cars": CARS,
    "discs": DISCS,
    "gray discs": GRAY_DISCS,
    "yellow discs": YELLOW_DISCS,
    "sticks": STICKS,
    "road-sticks": STICKS,
}
SCORE: Final = Plural(
    "{player} has one point.",
    "{player} has {n} points.",
)
MISSIONS: Final[dict[str, Named]] = {
    "drive": Named("mission", "drive"),
    "development": Named("mission", "development"),
    "building": Named("mission", "building"),
    "stock": Named("mission", "stock"),
    "traffic_jam": Named("mission", "traffic jam"),
    "rainbow": Named("mission", "rainbow"),
    "offramp_airport": Named("mission", "offramp airport"),
    "offramp_green": Named("mission", "offramp green"),
    "tower": Named("mission", "tower"),
    "highest": Named("mission", "highest"),
    "asakusa": Named("mission", "Asakusa"),
    "yacht_harbor": Named("mission", "yacht harbor"),
    "amusement_park": Named("mission", "amusement park"),
}
OUT: Final[dict[str, str]] = {
    "no-material": "{player} has no material left, nobody owed a disc in this round, and {player} is out.",
    "all-cars-placed": "{player} has placed all cars and leaves the game.",
}
OUT_OTHER: Final = "{player} is out."
END_WINNER: Final = "the game is over: {player} wins."
END_NOBODY: Final = "the game is over: nobody wins."
END_TIE: Final = "the game is over: {player} share the first place."
END_REASONS: Final[dict[str, str]] = {
    "all-cars-placed": "all cars are placed",
    "all-sticks-placed": "all road-sticks are placed",
    "no-material": "the material has run out",
    "one-player-left": "only one player is left",
}
PLACES: Final = "{place}. {player}"

# The table and the camera.
ALERTS: Final[dict[AlertKind, str]] = {
    "camera-moved": "the camera has moved; calibrate the table again.",
    "piece-moved": "{piece} has moved and nobody's turn explains it; put it back.",
    "piece-fallen": "{piece} has fallen; put it back.",
    "unknown-object": "something lies on the table that is none of the pieces; take it away.",
    "hand-in-view": "a hand is in the way; take it out of the picture.",
    "field-edge": "a piece is close to the edge of what the camera sees.",
    "recalibrate": "the calibration has drifted; calibrate the table again.",
    "frames-lost": "the camera lost pictures.",
}
SOME_PIECE: Final = "a piece"

# Noun phrases.
ROAD: Final = "road {piece}"
ROAD_OF: Final = "{owner}'s road {piece}"
ROAD_OWN: Final = "their own road {piece}"
COLUMN: Final = "column {piece}"
COLUMN_OF: Final = "{owner}'s column {piece}"
COLUMN_OWN: Final = "their own column {piece}"
CAR: Final = "car {piece}"
CAR_OF: Final = "{owner}'s car {piece}"
CAR_OWN: Final = "their own car {piece}"
OBJECTS: Final[dict[str, str]] = {
    "development_area": "development area {piece}",
    "building": "building {piece}",
    "tower": "tower {piece}",
    "airport_area": "the airport area {piece}",
    "green_area": "the green area {piece}",
    "rainbow_area": "the rainbow area {piece}",
    "asakusa": "the Asakusa area {piece}",
    "yacht_harbor": "the yacht harbor {piece}",
    "amusement_park": "the amusement park {piece}",
}
OBJECT: Final = "the city object {piece}"
PIECE: Final = "the piece {piece}"
TWO: Final = "{first} and {second}"
MORE: Final = "{first}, {second}"
PLAYER_NAMES: Final = tuple(
    Named("player", name)
    for name in ("blue", "pink", "green", "yellow", "red", "white", "black", "orange", "purple", "gray", "brown")
)
CAR_TYPES: Final = tuple(Named("car", name) for name in CAR_TYPE_NAMES.values())

# What happened: one sentence a fact.
GAME: Final = "{players} play by the rules {rules}."
CITY_PLACED: Final = "set-up: {player} places {piece}."
RAMP_BUILT: Final = "set-up: {player} builds the starting ramp {road} with column {column}."
ROAD_BUILT: Final = Plural(
    "turn {turn}: {player} builds road {road} from column {base} to the new column {column}, one level high.",
    "turn {turn}: {player} builds road {road} from column {base} to the new column {column}, {n} levels high.",
)
JUNCTION_BUILT: Final = Plural(
    "turn {turn}: {player} builds road {road} from column {base} to the new junction {column}, one level high.",
    "turn {turn}: {player} builds road {road} from column {base} to the new junction {column}, {n} levels high.",
)
OFFRAMP_BUILT: Final = "turn {turn}: {player} builds the offramp {road} from column {base}."
CARS_ADDED: Final = Plural(
    "turn {turn}: {player} places one more car.",
    "turn {turn}: {player} places {n} more cars.",
)
KNOCKED: Final = "turn {turn}: {player} knocks down {pieces}."
SHIFTED: Final = "turn {turn}: {player} shifts {pieces} by {measure}."
PASSED: Final = "turn {turn}: {player} passes."
STICK_ASIDE: Final = "turn {turn}: {player} puts one road-stick beside the board."
CORRECTION: Final = "turn {turn}: correction of {piece} by {player}: {values}."
TAKEN_BACK: Final = "turn {turn} is taken back."
SET_UP_TAKEN_BACK: Final = "the last step of the set-up is taken back."
STANDS_AGAIN: Final = "turn {turn}: these pieces stand again: {pieces}."
SAID: Final = 'turn {turn}: {player} said "{words}".'
THE_PLAYERS: Final = "the players"

# A ruling explained.
HEADINGS: Final = tuple(
    Named("heading", text) for text in ("what", "pieces", "value", "sigma", "limit", "call", "source")
)
CALLS: Final = tuple(Named("call", text) for text in ("legal", "clear", "fault", "too close"))
CROSSED: Final[dict[Side, str]] = {"over": "crosses over {piece}", "under": "passes under {piece}"}
PAYS: Final = tuple(Named("call", text) for text in ("one car", "no car"))
OFFRAMP_BONUS: Final = "offramp"
DECIDED_BY: Final = "{source} (switch {switch} = {value})"
