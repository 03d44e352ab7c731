"""The English words of page, report, pictures and voice, as data; each text is the key of the message catalogues.

Sentences of rulings are in ``rules.phrases``. ``python -m th_vision.words`` writes the catalogues anew.
"""

from __future__ import annotations

from typing import Final

from rules.phrases import Plural

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

PICTURE_KEY: Final = (
    "in circles: levels (yellow: junction); on roads: height of the top in mm; with a glow: the newest move"
)
AS_IT_STANDS: Final = "the table as it stands."
TO_PLAY: Final = "to play"
SCORE_OF: Final = "score {n}"
CARS_ON_AND_LEFT: Final = "cars: {on} on the roads, {left} left"
CARS_ON: Final = "cars: {on} on the roads"
DISCS_LEFT: Final = "discs left: {gray} gray and {yellow} yellow"
STICKS_LEFT: Final = "sticks left: {n}"
TURN_NUMBER: Final = "turn {turn}"
SET_UP: Final = "set-up"

# --- The referee ------------------------------------------------------------------------------------------------------
# Sentences that the referee's parts say in English; ``th_vision.said`` says them in the language that was asked for.

SAID: Final = (
    "the table stands as the record has it; the game goes on.",
    "the table is not as the record has it; please put it right, or accept it.",
    "the game goes on with the table as it is.",
    "all is put back; the game goes on.",
    "{piece} stands as it stood.",
    "a second look at turn {turn}.",
    "a second look at turn {turn}: column {column} has one disc.",
    "a second look at turn {turn}: column {column} has one disc, the top one yellow.",
    "a second look at turn {turn}: column {column} has {n} discs.",
    "a second look at turn {turn}: column {column} has {n} discs, the top one yellow.",
    "{player} still has one car to place.",
    "{player} still has {n} cars to place.",
    "{player} still has one car to place; say next once more to let the chance go.",
    "{player} still has {n} cars to place; say next once more to let the chance go.",
    "at the end",
    "nothing to referee: no frame.",
    "nothing to referee: in none of {n} frames did the table stand still.",
    "no game seen: not every player's ramp with its car was found.",
    "at {time} s the table could not be read; the next still moment will tell.",
    "I see the table again.",
    "I see nothing I can use: {why}. Please look after light and camera; the game waits.",
    "the camera is back.",
    "no pictures: {why}. The game waits; nothing is lost.",
    "the calibration stays as it was: {why}",
    "I go on with the new calibration; the game stays as it is.",
    "I read the whole table again.",
    "nothing is open; the game goes on.",
    "it is {player}'s turn.",
    "that is how I saw it.",
    "take its pieces off, or put them otherwise.",
    "the game is paused.",
    "the game goes on already.",
    "I look away; say go when it goes on.",
    "I look again.",
    "cars still to place: {list}.",
    "nothing is to be put back.",
    "what if, in turn {turn}:",
    "with {switches}, turn {turn}:",
    "turns that would be ruled otherwise, too: {turns}.",
    "the game goes on after turn {turn}; I hold the table against its record.",
    "the game's record: {path}.",
    "no record is kept: {why}",
    "{why}; the game goes on, its lines wait",
    "the game record is written again, nothing is missing",
    "the last {n} lines of the game could not be written ({why})",
    "the last {n} lines of the game are in {path}; append them to the record",
    "by what I saw the game is over, yet somebody builds on. Say u to take the last turn back.",
    "say ? and Enter for what can be said; Ctrl-C stops.",
    "there is a stick on the table that I can't read; please check what was built last.",
    "column {column} stands at the edge of what I see; further out I see nothing.",
    "I lost the thread: these pieces fit no move. I read the whole table again; please check them.",
    "the rule book can't take this: {why}",
    "depth has drifted by {n} mm since the calibration; calibrate again when it suits you.",
    "the camera or the table was moved by {n} mm; I measured it and go on.",
    "the camera or the table was moved by about {n} mm, and I can't measure how. Put it back, or calibrate again and "
    "say recalibrate table.toml; go goes on as it is.",
    "the light is {n} times what it was; colours may be misread, look at new cars.",
    "the game goes on.",
    "everything stands {n} mm elsewhere: the table or the camera was moved; I go on from there.",
    "(before the turn passes)",
    "(who has placed all first wins)",
    "(r reads them again as they stand)",
    "(th-vision referee ... --resume {path} goes on with it)",
    "{piece} is missing; it stood {where}",
    "{piece} has {n} levels; it had {before}",
)
SAID_OF_PIECES: Final = (
    "at ({x}, {y}) mm, one level",
    "at ({x}, {y}) mm, {n} levels",
    "at ({x}, {y}) mm, {n} levels, yellow on top",
    "on {road} at ({x}, {y}) mm",
    "from {start} to {end}",
    "move it {way}",
    "move it {way}; {lies}",
    "it lies {n} mm too low",
    "it lies {n} mm too high",
    "turn it back",
    "{n} mm to the right",
    "{n} mm to the left",
    "{n} mm up",
    "{n} mm down",
    "the camera gives no pictures",
    "the camera starts",
    "the camera settles",
    "the camera is lost; check the cable",
)
SAID_OF_STATE: Final = (
    "set-up: ramps with their sedans",
    "holding the table against the record",
    "paused (go goes on)",
    "putting back (g: what is missing, a: go on as it is)",
    "thread lost (a: no part of the game, y: it is a move, u: undo)",
    "turn {turn}: {player} has one car to place",
    "turn {turn}: {player} has {n} cars to place",
    "turn {turn}: {player} (then {next})",
    "turn {turn}: {player}",
    "reading",
    "hand",
    "moving",
    "still",
    "nothing seen",
    "last picture {n} s ago",
)
SAID_AS_REFUSAL: Final = (
    "turn {turn}: no move was ruled then; moves are in turns {first} to {last}",
    "no move was ruled yet; say help for what can be said",
    "correct what? say for example cars 1, legal, or over r5",
    "{giver} can't pay {giver}; name two players",
    "{giver} owes {taker} nothing this turn",
    "{taker} has no piece on the table",
    "{name} is none of the players; they are {names}",
    "{player} plays no more in this game",
    "no question is open; say help for what can be said",
    "pieces are still off; put them back, or accept the table as it is (a)",
    "turn {turn}: no car is due, so none less can be; + is one more",
    "{key}: {seen}; say cars and the number that is due instead",
    "I saw it cross {roads}",
    "I saw it cross no road",
    "turn {turn} is an offramp, it has no new column",
    "a column has one disc at least",
    "there is nothing to take back yet",
    "turn {turn} can't be taken back; {there}",
    "turns {first} to {last} can be",
    "no turn was played yet",
    "no move was ruled yet, so nothing can be tried on it",
    "{word} is nothing I know; {hint}",
    "did you mean {word}?",
    "say help (or ?) for what can be said",
    "rules are {names}, ... (docs/ruling.md)",
    "turn {turn}: {words} is not about a turn; cars, legal, fault, over, ... are",
    "{word} is no rule; {hint}",
    "{word}...: too long for a command; say help for what can be said",
    "{word}: {words} says nothing there; say {word} alone",
    "{word}: {words} can't be read; see help",
    "{word}: {words} is no such number; give a whole number up to {most}",
    "turn {turn}: what about it? say for example turn {turn} cars 1",
    "penalty: who gives whom? say for example penalty {words}",
    "penalty: {giver} can't pay {giver}; name two players",
    "what if what? say for example what if cars 2, or what if first=event",
    "what if {words}: can't be tried; cars 2, legal, over r5, first=event can",
    "recalibrate: with which calibration? say recalibrate table.toml",
    "cars: how many are due? say for example cars 1",
    "bonus: say bonus yes, or bonus no",
    "{word}: which road? say for example {word} r5",
    "discs: how many has the column? say for example discs 3",
    "discs: a column has one disc at least",
    "discs: by its road's height I see {n}; {first} to {most} can be",
    "cars: {n} can't be due; {player} could place {most} at most",
    "penalty: {giver} holds {n} discs, and can't give {most}",
    "by: who built? one of {names}",
)
SAID_AS_HELP: Final = (
    "answer the question: yes, no",
    "accept what was said; after a knock, the table as it is",
    "one car more, or fewer, is due",
    "the turn is over",
    "undo the last turn, or that one and all after it",
    "pass",
    "score; supplies",
    "where you can build from, and what is free to cross",
    "explain the last ruling, or that turn's",
    "correct the ruling; turn 7 cars 2 for an older one",
    "where the new road really lies",
    "what the new column really is",
    "who really built",
    "pink gives blue one disc (or 2)",
    "it is pink's turn",
    "how the ruling would read then",
    "what is still to be put back",
    "read the whole table again",
    "look away; look again",
    "go on with a new calibration",
    "stop; --resume goes on",
)
CAR_OF: Final = "{player}'s {car} {piece}"
