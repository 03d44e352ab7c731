"""``th-vision calibrate pieces``: measure a set's pieces from a recording that shows them laid out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rules.outcome import Outcome
from rules.pieces import Pieces, load_pieces
from th_vision.enroll.layout_plan import make_plan, show
from th_vision.errors import VisionError
from th_vision.output import STDOUT, check_outputs, write_aside
from th_vision.sources import is_cloud, open_source


def show_layout(players: str | None, cars: str, city: str, pieces: Path | None) -> Outcome:
    """The plan of the layout, as text.

    Raises:
        VisionError, RulesError: an option that can't be.
    """
    usual = Pieces() if pieces is None else load_pieces(pieces)
    return Outcome(show(make_plan(_players(players, usual), cars, city)))


def run(
    spec: str | None,
    calibration: Path | None,
    output: Path | None,
    *,
    players: str | None,
    cars: str,
    city: str,
    pieces: Path | None,
    made_at: str,
    log: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Measure the pieces and write ``output``. Status 1: written, but something asked for is not well measured.

    ``pieces``: an earlier pieces.toml, whose values stay where nothing better was measured.

    Raises:
        VisionError, CalibrationError, RulesError: the source, the layout or an option can't be used.
    """
    for what, given in (
        ("SOURCE", spec),
        ("-c/--calibration TABLE.TOML", calibration),
        ("-o/--output PIECES.TOML", output),
    ):
        if given is None:
            raise VisionError(f"{what} is missing; or give --show to see how the pieces are laid out")
    assert spec is not None
    assert calibration is not None
    assert output is not None
    check_outputs((output,), (spec, calibration, pieces))
    if output != STDOUT and output.is_file():
        raise VisionError(f"{output}: is there already; give another name, or remove it")
    usual = Pieces() if pieces is None else load_pieces(pieces)
    plan = make_plan(_players(players, usual), cars, city)
    if is_cloud(spec):
        raise VisionError(f"{spec}: a point cloud shows no colours well enough; measure pieces from a recording")
    from calibration.table_file import load_table

    table = load_table(calibration)
    source = open_source(spec, table=table)
    if source.camera.color is None:
        raise VisionError(f"{spec}: has no colour camera; pieces are measured by colour and depth, record both")

    from th_vision.enroll.arrange import arrange
    from th_vision.enroll.enrolled import judge
    from th_vision.enroll.moments import await_layout, layout_view
    from th_vision.enroll.pieces_file import pieces_toml
    from th_vision.enroll.sizes import measure
    from th_vision.live.protocol import LiveSource

    try:
        if isinstance(source, LiveSource):
            view, things = await_layout(source, table, lambda view, things: arrange(view, things, plan), log)
        else:
            view, things = layout_view(source, table)
        laid = arrange(view, things, plan)
    except VisionError as error:
        raise VisionError(f"{spec}: {error}") from None
    log(f"{source.name}: {len(things)} things on the table, from {view.view.frames} still frames")
    old_name = "the usual value" if pieces is None else f"the value of {pieces.name}"
    enrolled = judge(view, laid, measure(view, laid, usual.disc.height), plan, usual, old_name)
    old = None if pieces is None else pieces.read_text(encoding="utf-8-sig")
    heading = f"{made_at}, with a {table.camera.model or 'camera'}."
    text = pieces_toml(enrolled.entries, heading, old)
    lines = "".join(f"{line}\n" for line in enrolled.lines)
    status = 1 if enrolled.doubts else 0
    if output == STDOUT:
        return Outcome(text, tuple(enrolled.lines), status, is_data=True)
    write_aside(output, text)
    return Outcome(lines, (), status)


def _players(given: str | None, usual: Pieces) -> str | tuple[str, ...]:
    return tuple(usual.players) if given is None else given
