"""What goes to the rerun viewer, stage by stage; rerun itself is not needed for it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rules.events import AlertLine
from rules.layout import Layout
from rules.pieces import Pieces
from tests.rules.tables import Table
from tests.th_vision.games import RAMPS
from th_vision.errors import VisionError
from th_vision.follow_events import Entered, Told, Warned
from th_vision.rerun_log import RerunLog


class Thing:
    """Any archetype: remembers what it was made of."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *values: Any, **more: Any) -> SimpleNamespace:
        return SimpleNamespace(kind=self.name, values=values, compress=lambda **_: self(*values), **more)


class Stream:
    """A recording that is kept in memory."""

    def __init__(self, _: str) -> None:
        self.logged: list[tuple[float | None, str, Any]] = []
        self.saved: list[str] = []
        self._now: float | None = None

    def save(self, path: str) -> None:
        self.saved.append(path)

    def set_time(self, line: str, *, duration: float) -> None:
        assert line == "game"
        self._now = duration

    def log(self, entity: str, what: Any, *, static: bool = False) -> None:
        self.logged.append((None if static else self._now, entity, what))

    def flush(self) -> None: ...

    def disconnect(self) -> None: ...


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> list[Stream]:
    made: list[Stream] = []

    def recording(name: str) -> Stream:
        made.append(Stream(name))
        return made[-1]

    names = (
        "Image",
        "DepthImage",
        "Tensor",
        "Scalars",
        "Boxes3D",
        "LineStrips3D",
        "Points3D",
        "TextDocument",
        "TextLog",
    )
    fake = SimpleNamespace(
        RecordingStream=recording,
        ViewCoordinates=SimpleNamespace(RIGHT_HAND_Z_UP="z up"),
        **{name: Thing(name) for name in names},
    )
    monkeypatch.setitem(sys.modules, "rerun", fake)
    return made


def test_without_rerun_the_user_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(VisionError, match="rerun-sdk is not installed; pip install"):
        RerunLog(Path("x.rrd"), Pieces())


def test_the_pieces_are_logged_where_they_stand_with_their_doubt(stream: list[Stream]) -> None:
    log = RerunLog(Path("x.rrd"), Pieces())
    column = RAMPS.columns[0].model_copy(update={"levels_probability": 0.8})
    log.layout(Layout(columns=(column, *RAMPS.columns[1:]), roads=RAMPS.roads, cars=RAMPS.cars), 3.5)
    (recording,) = stream
    assert recording.saved == ["x.rrd"]
    logged = {entity: (at, what) for at, entity, what in recording.logged}
    at, boxes = logged["table/columns"]
    assert at == 3.5
    assert boxes.centers[0] == (column.x, column.y, column.top_z / 2)
    assert boxes.labels[0].startswith(f"{column.id}: 1 (80 %)")
    assert logged["table/roads"][1].values[0] == [list(road.ends) for road in RAMPS.roads]
    assert logged["doubt"][1].values == (f"{column.id}: levels",)


def test_decisions_are_text_with_their_gravity_and_residuals_in_sigmas(stream: list[Stream]) -> None:
    table = Table()
    table.ramp("pink", "old", (50, 6), heading=90, levels=2)
    table.ramp("blue", "base", (0, 0), levels=4)
    table.move("blue", "base", "new", (100, 0), gray=5, road="b", sigma_xy=0.5, sigma_z=0.5)
    log = RerunLog(Path("x.rrd"), Pieces())
    log.output(Entered("waiting", 1.0))
    log.output(Told(table.game.facts[-1], tuple(table.answers), 2.0))
    log.output(Warned(AlertLine(kind="camera-moved"), "The camera has moved.", 3.0))
    (recording,) = stream
    texts = [(at, what.values[0], what.level) for at, entity, what in recording.logged if entity == "decisions"]
    assert texts[0][0] == 2.0
    assert "blue builds road b" in texts[0][1]
    assert any(level == "ERROR" and "covers" in text for _, text, level in texts)
    assert texts[-1] == (3.0, "The camera has moved.", "WARN")
    residuals = [what.values[0] for _, entity, what in recording.logged if entity == "residuals/column-covered"]
    fault = next(one for one in table.ruling.faults if one.rule == "column-covered")
    assert residuals == [pytest.approx(abs(fault.value) / fault.sigma)]


def test_a_still_view_is_logged_as_it_was_fused(stream: list[Stream]) -> None:
    import numpy as np

    view: Any = SimpleNamespace(
        time_s=7.0,
        color_bgr=np.zeros((4, 4, 3), np.uint8),
        disparity_px=np.array([[100.0, np.nan]], np.float32),
        rise_px=np.array([[1.5, np.nan]], np.float32),
        sigma_px=np.array([[0.1, np.nan]], np.float32),
        free_table_sd_px=0.04,
        table=SimpleNamespace(camera=SimpleNamespace(disparity_gain=60_000.0)),
    )
    RerunLog(Path("x.rrd"), Pieces()).view(view)
    logged = {entity: what for _, entity, what in stream[0].logged}
    assert logged["camera/depth"].values[0].tolist() == [[6000, 0]]
    assert logged["camera/rise"].values[0].tolist() == [[1.5, 0]]
    assert logged["quality/free_table_sd_px"].values == (0.04,)
