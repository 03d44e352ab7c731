"""From a recording to one still view of the layout: the moment with most on the table, the last of such."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from calibration.table import TableCalibration
from th_vision import tolerances
from th_vision.detect.plan import PlanView, plan_view
from th_vision.enroll.arrange import Laid
from th_vision.enroll.find import Thing, find_things
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.live.protocol import LiveSource
from th_vision.still_view import fuse
from th_vision.stillness import Moment, Stillness

_LAY = "lay the pieces out (th-vision calibrate pieces --show shows how) and take your hands away"
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


def await_layout(
    source: LiveSource,
    table: TableCalibration,
    arranged: Callable[[PlanView, list[Thing]], Laid],
    tell: Callable[[str], None],
) -> tuple[PlanView, list[Thing]]:
    """The same at a live camera, which is then closed: waits until the layout is whole, and says what is not.

    ``arranged`` names the things, or raises VisionError where they can't be what was named. A layout from which a disc
    is missing is taken when nobody has added it for a while.

    Raises:
        VisionError: the camera was closed before.
    """
    watch = Stillness(table)
    said = _LAY
    tell(said)
    waiting: tuple[PlanView, list[Thing]] | None = None
    since_s = 0.0
    try:
        for frame in source:
            seen = watch.see(frame)
            if seen.moment is not None:
                waiting, text = None, ""
                try:
                    plan = plan_view(fuse(seen.moment.frames, table))
                    things = find_things(plan)
                    laid = arranged(plan, things)
                except VisionError as error:
                    text = str(error)
                else:
                    if not laid.missing:
                        return plan, things
                    waiting, since_s = (plan, things), frame.time_s
                    text = f"{laid.missing[0]}; lay it, or wait {tolerances.ENROLL_WAIT_S:g} s to go on without"
                if text != said:
                    said = text
                    tell(f"not yet: {said}")
            elif seen.state != "still":
                waiting = None
            elif waiting is not None and frame.time_s - since_s >= tolerances.ENROLL_WAIT_S:
                return waiting
    finally:
        source.close()
    raise VisionError("the camera has ended before the pieces were laid out")


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
