"""What to say next: the newest matters most, what corrects cuts off, only what is corrected is repeated, nothing twice.

Pure: time is an argument, and nothing is spoken here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from th_vision.voice.utterance import Urgency, Utterance

STALE_S: Final = 12.0
"""What waited so long is no news any more; only what has to be done now is still said."""
TWICE_S: Final = 20.0
"""The same sentence about nothing in particular is said again after so long at the earliest."""
REMEMBERED: Final = 60
"""About so many roads it is remembered what was said: a game has fewer turns that can still be corrected."""
LONGEST: Final = 30
"""More never waits; the oldest details go first."""


@dataclass
class _Waiting:
    utterance: Utterance
    since_s: float
    group: int


@dataclass
class SpeechQueue:
    """State: what waits, what is being said, and what was said about each thing."""

    speaking: Utterance | None = None
    _waiting: list[_Waiting] = field(default_factory=list)
    _said: dict[str, set[str]] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)
    _group: int = 0
    _cut: bool = False

    def add(self, utterance: Utterance, now_s: float) -> None:
        """Say this too."""
        self.revise(utterance.about, [utterance], now_s, whole=False)

    def revise(self, about: str, utterances: Sequence[Utterance], now_s: float, *, whole: bool = True) -> None:
        """All that is to be said about something now; what is wrong of what was to be said is dropped, or cut off.

        ``whole`` False: it is added, and nothing that was said before becomes wrong by it.
        """
        texts = {utterance.text for utterance in utterances}
        if whole and about:
            self._waiting = [w for w in self._waiting if w.utterance.about != about or w.utterance.text in texts]
            if self.speaking is not None and self.speaking.about == about and self.speaking.text not in texts:
                self._cut = True
                self._said.get(about, set()).discard(self.speaking.text)
            if about in self._said:
                self._said[about] &= texts  # what has become wrong may be said again, should it be right after all
        new = [utterance for utterance in utterances if not self._known(utterance, now_s)]
        if not new:
            return
        self._group += 1
        self._waiting = [w for w in self._waiting if w.utterance.urgency > Urgency.DETAIL or w.utterance.about == about]
        self._waiting += [_Waiting(utterance, now_s, self._group) for utterance in new]
        while len(self._waiting) > LONGEST:
            least = min(self._waiting, key=lambda w: (w.utterance.urgency, w.group))
            self._waiting.remove(least)

    def withdraw(self, about: str) -> None:
        """What was to be said about something is not so any more."""
        self.revise(about, (), 0.0)

    def next(self, now_s: float) -> Utterance | None:
        """What to say now, when nothing is being said: of the newest news first, in the order in which it came."""
        self.speaking = None
        self._cut = False
        self._waiting = [w for w in self._waiting if now_s - w.since_s <= STALE_S or w.utterance.urgency == Urgency.NOW]
        if not self._waiting:
            return None
        newest = max(w.group for w in self._waiting)
        chosen = next(w for w in self._waiting if w.group == newest)
        self._waiting.remove(chosen)
        self.speaking = chosen.utterance
        self._remember(chosen.utterance, now_s)
        return chosen.utterance

    @property
    def cut(self) -> bool:
        """Whether what is being said just now is wrong, and must end at once."""
        return self._cut

    @property
    def empty(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting

    def _known(self, utterance: Utterance, now_s: float) -> bool:
        """Whether it was said, or is about to be."""
        if any(w.utterance.text == utterance.text and w.utterance.about == utterance.about for w in self._waiting):
            return True
        if utterance.about:
            return utterance.text in self._said.get(utterance.about, ())
        return now_s - self._last.get(utterance.text, -TWICE_S) < TWICE_S

    def _remember(self, utterance: Utterance, now_s: float) -> None:
        if not utterance.about:
            self._last = {text: at for text, at in self._last.items() if now_s - at < TWICE_S}
            self._last[utterance.text] = now_s
            return
        self._said.setdefault(utterance.about, set()).add(utterance.text)
        while len(self._said) > REMEMBERED:
            del self._said[next(iter(self._said))]
