"""``th-vision simulate``: a virtual game with its truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.outcome import Outcome
from rules.pieces import load_pieces
from th_vision.output import refuse_stdout
from th_vision.virtual_table.simulate import scenarios, simulate


def run(
    output: Path,
    *,
    seed: int,
    players: int | None,
    turns: int | None,
    camera: str,
    distance_mm: float,
    surface: str,
    frames: int,
    model: str,
    scenario: str,
    rules: str | None,
    pieces: Path | None,
    log: Callable[[str], None],
) -> Outcome:
    """Write the game into the new folder ``output``, or as that ``.mcap`` or ``.db3``.

    Raises:
        VisionError, RulesError: a request that can't be met, or a place that can't be written.
    """
    refuse_stdout(output, "a folder of images")
    simulate(
        output,
        seed=seed,
        players=players,
        turns=turns,
        camera=camera,
        distance_mm=distance_mm,
        surface=surface,
        frames=frames,
        model=model,
        scenario=scenario,
        preset=rules,
        pieces=None if pieces is None else load_pieces(pieces),
        log=log,
    )
    return Outcome("")


def list_scenarios() -> Outcome:
    """What can be simulated, one a line."""
    known = scenarios()
    width = max(map(len, known))
    return Outcome("".join(f"{name:{width}}  {text}\n" for name, text in known.items()))
