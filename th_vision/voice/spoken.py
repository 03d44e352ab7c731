"""What the follower's outputs are aloud: short, without the names that only readers need, and where things are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rules.adjudicate import pieces_of
from rules.events import (
    Answer,
    CarsLine,
    CorrectionFact,
    DiscardStickFact,
    EndLine,
    MoveFact,
    OutLine,
    PassFact,
    PenaltyLine,
    RulingLine,
    UndoFact,
)
from rules.game import Game
from rules.messages import Message, messages
from th_vision import phrases as say
from th_vision.announce import Announcer
from th_vision.follow_events import BackAgain, Checked, Entered, Output, Reconsidered, Reminded, TakenAsIs, Told, Warned
from th_vision.said import said
from th_vision.voice.clips import clips_of
from th_vision.voice.places import place_of
from th_vision.voice.utterance import Urgency, Utterance
from th_vision.words import words_in

SPOKEN_ANSWERS = (RulingLine, CarsLine, PenaltyLine, OutLine, EndLine)


@dataclass(frozen=True)
class News:
    """What to say about something; ``whole``: that is all there is to say about it now, what was said else is wrong."""

    about: str
    utterances: tuple[Utterance, ...]
    whole: bool


class Spokesman:
    """Outputs in, news out. State: the turn of each road that was spoken about, whether turns are being told anew, and
    the cars that are still owed: that their chance is gone is said when the turn has passed."""

    def __init__(self, language: str, *, places: bool = False) -> None:
        self._language = language
        self._places = places
        self._turns: dict[str, int] = {}
        self._anew = False
        self._owed: CarsLine | None = None
        self._announcer = Announcer()

    def news(self, output: Output, game: Game) -> list[News]:
        """What to say of one output; ``game`` stands after it."""
        if isinstance(output, Told):
            return self._told(output, game)
        if isinstance(output, Warned):
            return [News("", (Utterance(said(output.words, self._language), "", Urgency.NOW),), False)]
        if isinstance(output, Reconsidered):
            self._anew = True
            return []
        if isinstance(output, Entered) and output.state in ("knocked", "desynchronised"):
            words = words_in(self._language)
            return [News("", (Utterance(words.sentence(words.text(say.ALOUD[output.state])), "", Urgency.NOW),), False)]
        if isinstance(output, Reminded | Checked | TakenAsIs | BackAgain | Entered):
            lines = self._announcer.lines(output, dict(game.owners))[:1]  # what else there is stands on the screen
            return [News("", (Utterance(said(line.text, self._language), "", Urgency.NOW),), False) for line in lines]
        return []

    def _told(self, told: Told, game: Game) -> list[News]:
        if isinstance(told.fact, UndoFact):
            self._owed = None
            if self._anew:
                return []  # what follows says what has changed
            gone = [road for road, turn in self._turns.items() if turn >= told.fact.turn]
            for road in gone:
                del self._turns[road]
            return [News(road, (), True) for road in gone]
        late: list[News] = []
        if isinstance(told.fact, MoveFact | PassFact | DiscardStickFact):
            self._anew = False
            late = self._too_late(game)
        self._owed = next((a for a in told.answers if isinstance(a, CarsLine) and a.placed < a.due), None)
        ruling = next((a for a in told.answers if isinstance(a, RulingLine) and a.road is not None), None)
        about = (ruling.road or "") if ruling is not None else ""
        before = about in self._turns
        if about:
            self._turns[about] = getattr(told.fact, "turn", 0)
        if getattr(told.fact, "turn", 0) == 0 and (ruling is None or ruling.call == "legal"):
            return []  # a set-up that is in order needs no word
        utterances = self._utterances(told.answers, game, about)
        if self._places and isinstance(told.fact, MoveFact):
            utterances += self._where(told.fact, game, about)
        if not utterances:
            return late
        corrected = before or isinstance(told.fact, CorrectionFact)
        return [*late, News(about, tuple(utterances), bool(about) and corrected)]

    def _too_late(self, game: Game) -> list[News]:
        """The turn has passed: what is too late now."""
        owed, self._owed = self._owed, None
        spoken = [] if owed is None else self._utterances([owed], game, "")
        return [News("", tuple(spoken), False)] if spoken else []

    def _utterances(self, answers: Iterable[Answer], game: Game, about: str) -> list[Utterance]:
        owners, kinds = pieces_of(game)
        out: list[Utterance] = []
        for answer in answers:
            if not isinstance(answer, SPOKEN_ANSWERS):
                continue
            if isinstance(answer, CarsLine) and about and answer.placed <= answer.due and answer.call != "too_close":
                continue  # who places cars sees them; a chance that is gone is told when the turn has passed
            sentences = messages(answer, language=self._language, owners=owners, kinds=kinds)
            names = {*owners, *kinds, *((answer.road,) if isinstance(answer, RulingLine) and answer.road else ())}
            clips = clips_of(answer, game)
            out += [
                Utterance(aloud(message.text, names), about, urgency_of(message, answer), clips[number])
                if number < len(clips)
                else Utterance(aloud(message.text, names), about, urgency_of(message, answer))
                for number, message in enumerate(sentences)
            ]
        return out

    def _where(self, fact: MoveFact, game: Game, about: str) -> list[Utterance]:
        words = words_in(self._language)
        column, road = fact.column, game.roads.get(fact.road.id)
        if column is not None:
            place = place_of(game, (column.x, column.y), words)
            text = words.count(say.NEW_COLUMN, column.levels, player=words.player(fact.player), place=place)
        elif road is not None:
            x, y, _ = min(road.ends, key=lambda tip: tip[2])
            place = place_of(game, (x, y), words)
            text = words.fill(say.NEW_OFFRAMP, player=words.player(fact.player), place=place)
        else:
            return []
        return [Utterance(words.sentence(text), about, Urgency.RULING)]


def urgency_of(message: Message, answer: Answer) -> Urgency:
    """Faults, questions, penalties and the end have to be known now."""
    if message.kind in ("fault", "too_close") or isinstance(answer, PenaltyLine | EndLine):
        return Urgency.NOW
    return Urgency.RULING


def aloud(text: str, names: Iterable[str]) -> str:
    """A sentence without the names of pieces: "pink's road r5" is "pink's road" to who looks at the table."""
    wanted = sorted((name for name in names if name), key=len, reverse=True)
    if not wanted:
        return text
    pattern = rf"\s?(?<![\w]){'(?:' + '|'.join(map(re.escape, wanted)) + ')'}(?![\w])"
    bare = re.sub(r"\s{2,}", " ", re.sub(pattern, "", text)).strip()
    return re.sub(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])", "", bare)
