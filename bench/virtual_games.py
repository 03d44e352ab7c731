"""Games of the virtual player: are they legal, how many crossings pay, how near are crossings, how long does it take.

python -m bench.virtual_games [--seeds 0:10] [--turns 24]
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from rules.events import RulingLine
from rules.pieces import Pieces
from th_vision.virtual_table.physics import interpenetrations
from th_vision.virtual_table.player import random_game

COLORS = ("#5b8fd6", "#e58fb0", "#6db36a", "#e0913f")
NAMES = ("blue", "pink", "green", "orange")
KINDS = (
    (2, "rainbow-city", (600.0, 380.0)),
    (3, "rainbow-city-missions", (700.0, 450.0)),
    (4, "rainbow-city", (700.0, 450.0)),
)
OPENING = 4  # the first moves have nothing to cross


def main() -> int:
    """Print a table; 1 where a game is not legal or bodies are in each other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:6")
    parser.add_argument("--turns", type=int, default=24)
    args = parser.parse_args()
    first, last = (int(part) for part in args.seeds.split(":"))
    out = sys.stdout.write
    heads: tuple[tuple[str, int], ...] = (("players", 8), ("moves", 7), ("paying a move", 15), ("gap median", 12))
    heads += (("10-90 %", 12), ("not legal", 11), ("ms a move", 11))
    out("".join(f"{name:>{width}}" for name, width in heads) + "\n")
    bad = 0
    for players, preset, field_mm in KINDS:
        pieces = Pieces(players=dict(zip(NAMES[:players], COLORS[:players], strict=True)))
        rulings: list[RulingLine] = []
        late: list[int] = []
        started = time.process_time()
        for seed in range(first, last):
            game = list(random_game(np.random.default_rng(seed), pieces, NAMES[:players], preset, args.turns, field_mm))
            bad += len(interpenetrations(game[-1].scene))
            moves = [m for m in game if m.what.kind == "move"]
            mine = [a for m in moves for a in m.answers if isinstance(a, RulingLine)]
            rulings += mine
            late += [sum(c.pays for c in a.crossings) for a in mine[OPENING:]]
        spent = time.process_time() - started
        gaps = [c.gap for ruling in rulings for c in ruling.crossings]
        illegal = sum(ruling.call != "legal" for ruling in rulings)
        bad += illegal
        low, middle, high = np.percentile(gaps, [10, 50, 90])
        out(
            f"{players:>8}{len(rulings):>7}{np.mean(late):>15.2f}{middle:>9.1f} mm{low:>6.1f}-{high:.1f}"
            f"{illegal:>11}{1000 * spent / len(rulings):>11.0f}\n"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
