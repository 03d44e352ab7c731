"""How high a column is, by depth and by the sticks on top: a stick that climbs lies on the near edge of its rim."""

from __future__ import annotations

import numpy as np
import pytest

from th_vision import tolerances
from th_vision.detect.assembly import Assembly, FoundRoad
from th_vision.detect.columns import ColumnCandidate
from th_vision.detect.depth_model import DepthModel
from th_vision.detect.explained import guess_of_assembly
from th_vision.detect.levels import usual_sticks
from th_vision.detect.measure import MeasuredRoad
from th_vision.detect.plan import plan_view
from th_vision.virtual_table.physics import column_support, rest_stick
from th_vision.virtual_table.scene import EXACT, draw_stick, make_column

from .scenes import seen


@pytest.mark.parametrize("levels", [1, 2, 4, 6])
def test_a_tip_is_expected_as_high_over_its_column_as_the_climb_lifts_it(levels: int) -> None:
    """From a column of one disc up to one of some: against the virtual table's physics."""
    scene, rng = seen(3101), np.random.default_rng(0)
    pieces = scene.pieces
    disc, thick = pieces.disc.height, pieces.stick.thickness
    reach = float(np.sqrt(pieces.stick.length**2 - ((levels - 1) * disc) ** 2))
    discs, places = (1, levels), (-reach / 2 + tolerances.DEPTH_OVERHANG_MM, reach / 2 - tolerances.DEPTH_OVERHANG_MM)
    bodies = [
        make_column(rng, pieces, name, x, 0, n, spread=EXACT) for name, x, n in zip("ab", places, discs, strict=True)
    ]
    stick = draw_stick(rng, pieces, spread=EXACT)
    rest = rest_stick(stick, "r", (-reach / 2, 0), (1, 0), [column_support(body) for body in bodies])
    assert rest is not None
    a, b = (np.array(end) for end in rest.stick.ends)
    road = MeasuredRoad(a, b, 0.2, 0.5, (1.0, 1.0), 0.9, 1.0, 0.0, (float(a[2]), float(b[2])))
    columns = [ColumnCandidate(body.x, 0.0, n, 1.0, 0.7, 1.0, n * disc, 0.2)
               for body, n in zip(bodies, discs, strict=True)]  # fmt: skip
    guess = guess_of_assembly(
        DepthModel(plan_view(scene.view), pieces), Assembly(columns, [FoundRoad(road, (0, 1), 3.0)])
    )
    for side, (end, n) in enumerate(zip((a, b), discs, strict=True)):
        lifted = (float(end[2]) - thick - n * disc) / thick
        assert usual_sticks(guess, guess.lays[2], side, 1, guess.posts) == pytest.approx(lifted, abs=0.6)
