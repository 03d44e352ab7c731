"""A whole virtual game as it is heard at the table, players' words and all: what docs/a-game.md shows.

    python bench/transcript.py > docs/a-game.md

Two players, true layouts with a reader's noise; they correct, take back, knock a column over, stop and go on next day.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.rulings import game_line, say
from rules.events import MoveFact
from th_vision.announce import Announcer, Line, set_in_lines
from th_vision.follow import Follower
from th_vision.follow_events import Event, HandSeen, Settled
from th_vision.game_layout import layout_of
from th_vision.known import Known
from th_vision.referee.commands import CommandError
from th_vision.referee.hearing import Hearing
from th_vision.referee.keys import understood
from th_vision.standings import kinds_of
from th_vision.virtual_table.mischief import eventful_game
from th_vision.virtual_table.misread import Misreading, misread
from th_vision.virtual_table.simulate import pieces_for

SEED, TURNS, WIDTH = 25, 16, 96
EVENTS = ("collapse", "taken-back", "forgotten-car", "overhang", "nudge", "close-to-column")
WORDS = {5: ("s",), 8: ("e",), 12: ("u", "r"), 15: ("what if first=event",), 21: ("g",)}
"""What players say after so many moments, besides answering what they are asked."""
STOPPED_AFTER = 17
HEAD = """# A game, as it is heard

One whole game of two, as `th-vision referee` tells it. Lines after `>` are what the players typed, each ended by Enter.
Somebody forgets a car, a move is taken back, a column is knocked over and put back, a close call is answered, and the
game is stopped and taken up again with `--resume`. Made by `python bench/transcript.py`: a virtual table, read with the
noise of a D415 at 0.6 m.

```text"""


@dataclass
class Evening:
    """The game as it is heard."""

    follower: Follower
    announcer: Announcer = field(default_factory=Announcer)
    hearing: Hearing = field(default_factory=Hearing)
    time_s: float = 0.0

    def happens(self, event: Event) -> list[Line]:
        """An event, and what is said of it."""
        self.time_s += 1.0
        game = self.follower.game
        lines = []
        for output in self.follower.handle(event, self.time_s):
            lines += self.announcer.lines(output, game.owners, kinds_of(game))
        for line in lines:
            tell(line)
        return lines

    def hears(self, words: str) -> None:
        """What a player types, and what is said to it."""
        say(f"> {words}".rstrip())
        try:
            heard = self.hearing.hear(understood(words, self.follower.game.players), self.follower)
        except CommandError as error:
            tell(Line(f"{str(error)[:1].upper()}{str(error)[1:]}", kind="too_close"))
            return
        for event in heard.events:
            self.happens(event)
        for line in heard.lines:
            tell(line)


def tell(line: Line) -> None:
    """A line, as at a terminal."""
    say(set_in_lines(line, width=WIDTH))


def main() -> int:
    pieces, players = pieces_for(2)
    rng = np.random.default_rng(SEED)
    moments = list(eventful_game(rng, pieces, players, "rainbow-city", TURNS, events=EVENTS, share=0.45))
    how = Misreading(0.25, 0.4, 0.3)
    noise = np.random.default_rng([SEED, 1])
    fact = game_line(moments[0].facts[0])
    evening = Evening(Follower(fact, pieces))
    say(HEAD)
    for i, moment in enumerate(moments):
        truth = moment.scene.layout()
        if i:
            evening.happens(HandSeen())
        lines = evening.happens(Settled(misread(truth, noise, how, pieces)))
        if evening.follower.wants_another_look:
            lines += evening.happens(Settled(misread(truth, noise, how, pieces)))
        if any(line.kind == "too_close" and "?" in line.text for line in lines):
            evening.hears("y")
        for words in WORDS.get(i, ()):
            evening.hears(words)
            if words == "r":
                evening.happens(Settled(misread(truth, noise, how, pieces)))
        if i == STOPPED_AFTER:
            evening = taken_up(evening, moment.scene.layout(), noise, how)
    for line in evening.announcer.turn_over():
        tell(line)
    tell(Line("At the end", kind="head"))
    evening.hears("d")
    say("```")
    return 0


def taken_up(before: Evening, truth: object, noise: np.random.Generator, how: Misreading) -> Evening:
    """The game stops, and goes on from its record the next day."""
    before.hears("q")
    say("\n... the next day: th-vision referee ... --resume game.jsonl\n")
    follower = Follower(before.follower.game.fact, before.follower.pieces)
    game = before.follower.game
    follower.resume(before.follower.told, Known(layout_of(game, follower.pieces)))
    turns = max(fact.turn for fact in before.follower.told if isinstance(fact, MoveFact))
    tell(Line(f"The game goes on after turn {turns}; I hold the table against its record.", kind="head"))
    after = Evening(follower)
    for _ in range(2):
        after.happens(Settled(misread(truth, noise, how, follower.pieces)))  # type: ignore[arg-type]  # a layout
    return after


if __name__ == "__main__":
    raise SystemExit(main())
