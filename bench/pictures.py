"""A picture of every scenario of the virtual table, colour beside depth, as docs/virtual-table.md shows them.

python -m bench.pictures [-o docs/pictures] [--seed 11] [--only NAME,...]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from th_vision.frame import Frame
from th_vision.virtual_table.moment import Moment
from th_vision.virtual_table.playing import PlayedMoment
from th_vision.virtual_table.scenarios import SCENARIOS
from th_vision.virtual_table.session import Session, Setup
from th_vision.virtual_table.simulate import moments_of, request

# Which moment of a scenario is shown: the first with an event that begins so, else its last; and on which table.
SHOWN = {
    "demo": ("covered",),
    "eventful": ("collapse", "knock", "wrong-level", "overhang", "covered"),
    "faults": ("beside-column",),
    "city-faults": ("on-area",),
    "setup-faults": ("late-area",),
    "limits": ("close-under-road",),
    "city-limits": ("at-wall",),
    "cars": ("wrong-owner",),
    "knocks": ("knock:c",),
    "things": ("thing:cup",),
    "hands": ("hand-rests",),
    "bumped": ("camera-bumped",),
    "table-moved": ("table-moved",),
}
LAST = frozenset({"hands", "bumped", "table-moved"})  # the last such moment instead of the first
WITH_HAND = frozenset({"game", "taken-back"})  # a hand on its way is shown
SURFACES = {"demo": "mat", "static": "white", "worn": "dark_cloth", "knocks": "glossy", "classic": "white"}
HEIGHT_MM = {"city-faults": 680.0, "city-limits": 660.0, "expansions": 660.0}
USUAL_MM = 600.0
SEEDS = {"city-faults": 7001}  # of a game that is found soon
WIDTH_PX = 470
QUALITY = 68
NEAR_MM, FAR_MM = 110.0, 15.0  # depth is shown from so much above the table to so much below


def chosen(name: str, moments: Iterable[Moment]) -> tuple[list[Moment], int]:
    """The moments up to the one that is shown, and its index."""
    game = list(moments)
    events = SHOWN.get(name, ())
    played = [(i, m) for i, m in enumerate(game) if isinstance(m, PlayedMoment)]
    hits = [i for i, m in played if any(e.startswith(events) for e in m.what.events)] if events else []
    at = (hits[-1] if name in LAST else hits[0]) if hits else len(game) - 1
    return game, at


def seen(session: Session, name: str, game: list[Moment], at: int) -> Frame:
    """One frame of the moment that is shown: a hand before it, or its stillness."""
    shots = list(session.play(game[max(0, at - 1) : at + 1]))
    last = shots[-1].moment
    kind = "hand" if name in WITH_HAND else "still"
    of_kind = [shot for shot in shots if shot.moment == last and shot.kind == kind] or shots
    return of_kind[1 % len(of_kind)].frame if kind == "hand" else of_kind[-1].frame


def picture(frame: Frame, session: Session) -> np.ndarray:
    """Colour on the left, depth on the right: blue is the table, red is high, black is no depth."""
    assert frame.color is not None
    depth_mm = frame.depth * session.camera.depth_unit_mm
    far, near = session.camera.distance_mm + FAR_MM, session.camera.distance_mm - NEAR_MM
    share = np.clip((far - depth_mm) / (far - near), 0, 1)
    shaded = cv2.applyColorMap((255 * share).astype(np.uint8), cv2.COLORMAP_TURBO)
    shaded[frame.depth == 0] = 0
    height = round(WIDTH_PX * frame.depth.shape[0] / frame.depth.shape[1])
    left = cv2.resize(frame.color, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    right = cv2.resize(shaded, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return np.hstack([left, right])


def pictures(folder: Path, names: Iterable[str], seed: int) -> Iterator[str]:
    """Draw the pictures; a line for each says what it shows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        setup = Setup(
            seed=SEEDS.get(name, seed),
            distance_mm=HEIGHT_MM.get(name, USUAL_MM),
            surface=SURFACES.get(name, "wood"),
            frames=2,
            hand_frames=4 if name in WITH_HAND else 0,
        )
        session = Session(setup)
        game, at = chosen(name, moments_of(session, request(name)))
        image = picture(seen(session, name, game, at), session)
        path = folder / f"scenario-{name}.jpg"
        cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        yield f"{name}: moment {at + 1} of {len(game)}, {game[at].label}; {path.stat().st_size / 1000:.0f} kB"


def main() -> int:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/pictures"))
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    for line in pictures(args.output, args.only.split(",") if args.only else SCENARIOS, args.seed):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
