"""The English words of page, report, pictures and voice, as data; each text is the key of the message catalogues.

Sentences of rulings are in ``rules.phrases``. ``python -m th_vision.words`` writes the catalogues anew.
"""

from __future__ import annotations

from typing import Final

from rules.phrases import Plural
from th_vision.sentences import (
    commands,
    errors,
    heads,
    inputs,
    labels,
    measuring,
    outputs,
    referee,
    rulebook,
    virtual,
)

# --- A closer look ----------------------------------------------------------------------------------------------------

FROM_ABOVE: Final = "from above"
ALONG_ROAD: Final = "from the side, along road {road}"
CLOSER_TITLE: Final = "turn {turn}: {what}"
ROAD_OVER: Final = "{player}'s road {road} over {piece}"
ROAD_UNDER: Final = "{player}'s road {road} under {piece}"
GAP_IS: Final = "gap {measure}"
MEASURED_IS: Final = "measured {measure}"
LIMIT: Final = "limit {limit}"
CONTACT: Final = "contact"
SIGMAS: Final = "± {k} sigma"
TABLE: Final = "table"

# --- The page ---------------------------------------------------------------------------------------------------------

BOARD_IS_AT: Final = "the board is at {link}"
WHO_CAN_WATCH: Final = "whoever has this link can watch."
CODE_IS: Final = "control code: {code}"
HOW_TO_END: Final = "Ctrl-C ends it."
PAGE: Final[dict[str, str]] = {
    "title": "Tokyo Highway",
    "skip": "To the ruling",
    "connecting": "connecting",
    "connection.live": "live",
    "connection.file": "recorded game",
    "connection.lost": "connection lost; trying again",
    "connection.ended": "the referee has stopped",
    "settings": "Settings",
    "language": "Language",
    "look": "Colours of the page",
    "look.auto": "automatic",
    "look.light": "light",
    "look.dark": "dark",
    "table": "The table from above",
    "board": "Plan of the table, to scale",
    "board.keys": "Arrow keys move the plan, plus and minus zoom, 0 shows all, r turns it, n and p pick a road.",
    "view": "View",
    "zoom.in": "closer",
    "zoom.out": "further away",
    "zoom.all": "show everything",
    "turn.board": "turn the plan",
    "show": "What the plan shows",
    "show.sides": "free sides",
    "show.heights": "heights in mm",
    "show.bases": "where the next player can build from",
    "timeline": "Time line",
    "step.back": "one step back",
    "step.forward": "one step forward",
    "newest": "newest",
    "ruling": "Ruling",
    "evidence": "A closer look",
    "camera.picture": "what the camera saw",
    "open": "In doubt, or a fault",
    "open.fault": "{player}'s road {road}: a fault",
    "open.too_close": "{player}'s road {road}: too close to call",
    "rebuild": "Put back",
    "control": "Control",
    "code": "Code from the referee's screen",
    "unlock": "Unlock",
    "do.next": "Next",
    "do.accept": "All right so",
    "do.pass": "Pass",
    "do.undo": "Take back",
    "do.pause": "Pause",
    "do.resume": "Go on",
    "do.yes": "Yes",
    "do.no": "No",
    "do.reread": "Read the table again",
    "penalty": "Penalty",
    "penalty.giver": "from",
    "penalty.taker": "to",
    "penalty.discs": "discs",
    "correct": "Correct a ruling",
    "correct.road": "road",
    "correct.cars": "cars due",
    "correct.call": "call",
    "correct.same": "as it is",
    "correct.do": "Correct",
    "call.legal": "legal",
    "call.fault": "fault",
    "whose": "It is the turn of",
    "whose.do": "Set",
    "players": "Players",
    "free": "Which sides are free",
    "free.help": "A free side brings one car to the first other player who crosses the road there.",
    "road": "road",
    "owner": "owner",
    "over": "over",
    "under": "under",
    "ends": "heights at the ends",
    "turns": "All turns",
    "legend": "What the marks mean",
    "close": "close",
    "noscript": "This page draws the board with a script; allow scripts to see it.",
    "game.over": "the game is over",
    "winner": "{player} has won",
    "winners": "{player} share the first place",
    "setup": "set-up",
    "setup.next": "set-up; {player} begins",
    "turn.next": "turn {turn}: {player} plays",
    "looking.back": "(looking back)",
    "plays": "plays",
    "held.cars": "cars left",
    "held.gray": "gray",
    "held.yellow": "yellow",
    "held.sticks": "sticks",
    "made.of": "What it is made of",
    "more.needs": "{mission}: {n} more, still needs {needs}",
    "more": "{mission}: {n} more to get",
    "mission.same_type": "same type",
    "out.no-material": "out: no material left",
    "out.all-cars-placed": "has placed all cars",
    "side.free": "free",
    "side.spots": "free, but not everywhere",
    "side.unsure": "too close to call",
    "side.by": "taken by {road}",
    "side.side-taken": "taken",
    "side.budget-spent": "has paid already",
    "side.ramp": "pays nothing",
    "kind.ramp": "ramp",
    "kind.road": "road",
    "kind.offramp": "offramp",
    "the.table": "the table",
    "say.road": "{player}'s {kind} {road}: from {from} ({low} mm) to {to} ({high} mm). Over: {over}. Under: {under}.",
    "back.road": "{player}'s {kind} {road}: from {from} ({low} mm) to {to} ({high} mm).",
    "show.turn": "see turn {turn}",
    "say.cars": "On it: {cars}.",
    "say.car": "{player}'s {car} on {road}.",
    "doubt.levels": "(the count is {percent} % sure)",
    "doubt.yellow": "(the colour of its top is {percent} % sure)",
    "doubt.owner": "(whose it is, is {percent} % sure)",
    "doubt.type": "(its type is {percent} % sure)",
    "city.development_area": "development area",
    "city.building": "building",
    "city.tower": "tower",
    "city.airport_area": "airport",
    "city.green_area": "green area",
    "city.rainbow_area": "rainbow",
    "city.asakusa": "Asakusa",
    "city.yacht_harbor": "yacht harbor",
    "city.amusement_park": "amusement park",
    "state.set-up": "waiting for the ramps",
    "state.waiting": "watching",
    "state.hand in view": "a hand is over the table",
    "state.settled": "reading the table",
    "state.move seen": "a move was seen",
    "state.ruling": "ruling",
    "state.knocked": "pieces were knocked",
    "state.rebuilt": "all is put back",
    "state.desynchronised": "the referee has lost the thread",
    "state.finished": "the game is over",
    "state.paused": "paused",
    "told.taken": "The referee has it.",
    "told.code": "Wrong code.",
    "told.too.often": "Too many wrong codes; wait a little.",
    "told.gone.on": "The game has gone on; look again.",
    "told.offline": "No connection; try again.",
    "told.refused": "The referee can't do that.",
    "told.unlocked": "Unlocked.",
    "legend.sides": "free sides: a full triangle is free for others (up: over, down: under), an empty one is taken",
    "legend.unsure": "too close to call whether it is free",
    "legend.level": "levels of a column",
    "legend.junction": "a junction: yellow on top",
    "legend.height": "height of the road's top at its end, in mm (zoom in to see it)",
    "legend.newest": "the newest move",
    "legend.pays": "a crossing of the newest move, and the car that it brings",
    "legend.doubt": "in doubt: look, and decide",
    "legend.ghost": "where a knocked piece stood",
    "legend.base": "the next player can build from here",
}
PAGE_COUNTS: Final[dict[str, Plural]] = {
    "points": Plural("{n} point", "{n} points"),
    "lead.cars": Plural("leads: one car left to place", "leads: {n} cars left to place"),
    "lead.points": Plural("leads: one point", "leads: {n} points"),
    "shared.cars": Plural("shares the lead: one car left to place", "shares the lead: {n} cars left to place"),
    "shared.points": Plural("shares the lead: one point", "shares the lead: {n} points"),
    "penalty.last": Plural(
        "last penalty: one disc to {player} in turn {turn}", "last penalty: {n} discs to {player} in turn {turn}"
    ),
    "on.roads": Plural("{n} car on the roads", "{n} cars on the roads"),
    "say.column": Plural(
        "{player}'s column {column}: one level, at ({x}, {y}) mm.",
        "{player}'s column {column}: {n} levels, at ({x}, {y}) mm.",
    ),
    "say.junction": Plural(
        "{player}'s junction {column}: one level, at ({x}, {y}) mm.",
        "{player}'s junction {column}: {n} levels, at ({x}, {y}) mm.",
    ),
}

# --- Aloud ------------------------------------------------------------------------------------------------------------

ALOUD: Final[dict[str, str]] = {
    "knocked": "pieces were knocked.",
    "desynchronised": "the referee has lost the thread; read the screen.",
}
LANDMARKS: Final[dict[str, str]] = {
    "development_area": "the development area",
    "building": "the building",
    "tower": "the tower",
    "airport_area": "the airport",
    "green_area": "the green area",
    "rainbow_area": "the rainbow",
    "asakusa": "Asakusa",
    "yacht_harbor": "the yacht harbor",
    "amusement_park": "the amusement park",
}
NUMBERED: Final = "{name} number {number}"
RAMP_OF: Final = "the first column of {player}"
ON_LANDMARK: Final = "on {landmark}"
PLACE: Final = "{distance} {direction} of {landmark}"
RIGHT_BESIDE: Final = "right beside,"
FINGERS: Final = Plural("a finger's width", "{n} fingers' widths")
HANDS: Final = Plural("a hand's width", "{n} hands' widths")
DIRECTIONS: Final = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
SIDES: Final[dict[str, str]] = {"over": "over it", "under": "under it"}
NEW_COLUMN: Final = Plural(
    "{player}'s new column: one level, {place}.",
    "{player}'s new column: {n} levels, {place}.",
)
NEW_OFFRAMP: Final = "{player}'s offramp ends {place}."
YOUR_COLUMN: Final = Plural(
    "you can build from a column of one level, {place}.",
    "you can build from a column of {n} levels, {place}.",
)
FREE_ROAD: Final = "{player}'s road {place} is free {sides}."
CLIPS: Final[dict[str, str]] = {
    "legal": "legal",
    "fault": "fault",
    "too-close": "too close to call",
    "over": "crosses over the road of",
    "under": "passes under the road of",
    "cars-0": "no car",
    "cars-missing": "has not placed all cars that are due",
    "penalty": "knocked down pieces of",
    "out": "is out",
    "game-over": "the game is over",
    "wins": "wins",
}
THE_PLAYER: Final = "the player"
THAT_PIECE: Final = "something that stood there"
CLIP_CARS: Final = Plural("one car", "{n} cars")
CLIP_DISCS: Final = Plural("one disc", "{n} discs")

# --- The report -------------------------------------------------------------------------------------------------------

REPORT_TITLE: Final = "Tokyo Highway: {players}"
PLAYED_BY: Final = "Played by the rules {rules}."
NOT_OVER: Final = "The game is not over in this record."
REPORT: Final[dict[str, str]] = {
    "result": "Result",
    "sheet": "Score sheet",
    "figures": "Figures of the game",
    "total": "total",
    "cars.on.roads": "cars on the roads",
    "city": "The city at the end",
    "city.label": "The city at the end in 3D, to turn around",
    "city.keys": "Drag or arrow keys turn it, wheel or plus and minus zoom, shift and drag move it, 0 begins anew.",
}
CLOSEST_CALL: Final = "Closest call"
HIGHEST_COLUMN: Final = "Highest column"
HIGHEST_IS: Final = Plural("{player}'s {column}: one level", "{player}'s {column}: {n} levels")
MOST_CROSSED: Final = "Most crossed road"
CROSSED_TIMES: Final = Plural("{piece}: one crossing", "{piece}: {n} crossings")
BEST_MOVE: Final = "Best move"
CARS_AT_ONCE: Final = Plural("{player} in turn {turn}: one car", "{player} in turn {turn}: {n} cars at once")
MOST_ROADS: Final = "Longest highway"
ROADS_BUILT: Final = Plural("{player}: one road", "{player}: {n} roads")
COLLAPSES: Final = "Collapses"
NONE_FELL: Final = "Nothing fell."
KNOCKS: Final = Plural("one collapse, {fell}.", "{n} collapses, {fell}.")
FELL: Final = Plural("one piece fell", "{n} pieces fell")
WORST: Final = Plural(
    "the worst: {player} in turn {turn}, one piece.",
    "the worst: {player} in turn {turn}, {n} pieces.",
)
QUESTIONS: Final = "Questions"
ASKED: Final = Plural("one ruling was too close to call.", "{n} rulings were too close to call.")
DECIDED: Final = Plural("the players decided one.", "the players decided {n}.")

# --- A picture of the table -------------------------------------------------------------------------------------------

SHEET: Final[dict[str, str]] = {
    "to_print": "print at 100 % (actual size)",
    "check": "check",
    "square": "square",
    "marker": "marker",
}
"""On the printed board, beside its ruler; there is room for some 40 letters."""
PICTURE_KEY: Final = (
    "in circles: levels (yellow: junction); on roads: height of the top in mm; with a glow: the newest move"
)
PICTURE_KEY_STILL: Final = "in circles: levels (yellow: junction); on roads: height of the top in mm"
LOOK_OWNERS: Final = "roads have the colour of the player whose cars are on them, or on roads that join them"
LOOK_DOUBTS: Final = "with a question mark, dashed red: in doubt"
LOOK_UNKNOWN: Final = "with a red rim: no piece that is known, and how high it is"
DOUBTS: Final = {"levels": "levels", "yellow": "yellow", "whose": "whose"}
AS_IT_STANDS: Final = "the table as it stands."
TO_PLAY: Final = "to play"
SCORE_OF: Final = "score {n}"
CARS_ON_AND_LEFT: Final = "cars: {on} on the roads, {left} left"
CARS_ON: Final = "cars: {on} on the roads"
DISCS_LEFT: Final = "discs left: {gray} gray and {yellow} yellow"
STICKS_LEFT: Final = "sticks left: {n}"
TURN_NUMBER: Final = "turn {turn}"
SET_UP: Final = "set-up"

# --- What is said in English ------------------------------------------------------------------------------------------
# Sentences of the referee's parts and of the commands; ``th_vision.said`` says them in the language that was asked for.

SAID: Final = referee.SPOKEN
SAID_OF_PIECES: Final = referee.OF_PIECES
SAID_OF_STATE: Final = referee.OF_STATE
SAID_AS_REFUSAL: Final = referee.REFUSALS
SAID_AS_HELP: Final = referee.HELP
SAID_AS_HEAD: Final = heads.SENTENCES
SAID_BY_COMMANDS: Final = commands.SENTENCES
SAID_OF_MEASURING: Final = measuring.SENTENCES
SAID_OF_RULES: Final = rulebook.SENTENCES
SAID_AS_ERROR: Final = errors.SENTENCES
SAID_OF_INPUTS: Final = inputs.SENTENCES
SAID_OF_OUTPUTS: Final = outputs.SENTENCES
SAID_OF_VIRTUAL: Final = virtual.SENTENCES
LABELS: Final = labels.SENTENCES
OR: Final = "or"
CAR_OF: Final = "{player}'s {car} {piece}"
