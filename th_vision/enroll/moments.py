"""From a recording to one still view of the layout: the moment with most on the table, the last of such."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from calibration.table import TableCalibration
from th_vision import tolerances
from th_vision.detect.plan import PlanView, plan_view
from th_vision.enroll.find import Thing, find_things
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.still_view import fuse
from th_vision.stillness import Moment, Stillness

_WORDS = {
    "hand": "a hand is over the table all the time; take your hands away and record some seconds",
    "moving": "the table never stands still; record some seconds with nobody touching it",
    "unusable": "no frame can be used",
}


def layout_view(frames: Iterable[Frame], table: TableCalibration) -> tuple[PlanView, list[Thing]]:
    """The view that shows most things, fused from all still moments that show the same, and what it shows.

    Raises:
        VisionError: no frame, no colour, or no still moment.
    """
    watch = Stillness(table)
    states: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    best: tuple[PlanView, list[Thing]] | None = None
    kept: list[Frame] = []
    refused: VisionError | None = None
    for moment in _moments(frames, watch, states, reasons):
        try:
            plan = plan_view(fuse(moment.frames, table))
            things = find_things(plan)
        except VisionError as error:
            refused = error
            continue
        if best is not None and _same(things, best[1]) and len(kept) < tolerances.ENROLL_FRAMES:
            kept += moment.frames
            plan = plan_view(fuse(kept[: tolerances.ENROLL_FRAMES], table))
            best = (plan, find_things(plan))
        elif best is None or len(things) >= len(best[1]):
            best, kept = (plan, things), list(moment.frames)
    if best is not None and (best[1] or refused is None):
        return best
    if refused is not None:
        raise refused
    raise VisionError(_why_none(states, reasons))


def _moments(
    frames: Iterable[Frame], watch: Stillness, states: Counter[str], reasons: Counter[str]
) -> Iterator[Moment]:
    for frame in frames:
        seen = watch.see(frame)
        states[seen.state] += 1
        if seen.reason:
            reasons[seen.reason] += 1
        if seen.moment is not None:
            yield seen.moment
    last = watch.finish()
    if last is not None:
        yield last


def _same(things: list[Thing], others: list[Thing]) -> bool:
    """Whether two looks show the same things at the same places."""
    if len(things) != len(others) or not things:
        return False
    here, there = (np.array([thing.at for thing in them]) for them in (things, others))
    apart = np.linalg.norm(here[:, None] - there[None], axis=2).min(axis=1)
    return bool(apart.max() < tolerances.ENROLL_SAME_MM)


def _why_none(states: Counter[str], reasons: Counter[str]) -> str:
    if not states:
        return "the recording holds no frame; record some seconds"
    state = states.most_common(1)[0][0]
    if state == "unusable" and reasons:
        return f"no frame can be used: {reasons.most_common(1)[0][0]}"
    if states.total() < tolerances.STILL_FRAMES:
        return "the recording holds one frame; record some seconds"
    return _WORDS.get(state, _WORDS["moving"])
