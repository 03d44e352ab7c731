"""A call to look at again: small, self-contained, without the rest of the room, and ruled on as it was."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from rules.events import GameFact, MoveFact, PassFact, RulingLine, UndoFact
from rules.layout import Column, Layout, Road
from tests.conftest import ROOT
from tests.th_vision import still_scene
from th_vision.announce import Line
from th_vision.errors import VisionError
from th_vision.referee.outputs import Outputs
from th_vision.sessions.again import rule_again
from th_vision.sessions.case import open_case
from th_vision.sessions.crop import crop_of, field_outline
from th_vision.sessions.timeline import Said, Stood, Timeline, without_undone
from th_vision.sessions.verdict import compared, verdicts
from th_vision.sources import open_source

CASE = ROOT / "fixtures" / "recordings" / "case.zip"
TRUTH = json.loads((CASE.parent / "truth.json").read_text())


def test_the_fixture_is_ruled_on_again_and_says_the_same() -> None:
    said: list[Line] = []
    with open_case(CASE) as case:
        again = rule_again(case, Outputs(say=said.append))
        assert case.about.turn == TRUTH["turn"] == 1
    assert again.differs == ()
    ruling = next(answer for answer in again.answers if isinstance(answer, RulingLine))
    assert (ruling.player, ruling.call) == ("blue", "legal")
    assert any("Turn 1" in line.text for line in said)


def test_a_case_knows_the_table_before_and_after() -> None:
    true = Layout.model_validate(TRUTH["layout"])
    with open_case(CASE) as case:
        assert len(case.before.roads) == 2
        assert len(case.after.roads) == len(true.roads) == 3
        assert case.game.players == ("blue", "pink")
        assert [fact.type for fact in case.facts] == ["ramp", "ramp"]
        assert case.about.versions["numpy"] == np.__version__


def test_what_is_beside_the_field_is_black_and_without_depth() -> None:
    with open_case(CASE) as case:
        frame = next(iter(case.session.frames()))
        table = case.session.table()
    assert frame.color is not None
    assert table is not None
    assert 0.02 < np.count_nonzero(frame.depth) / frame.depth.size < 0.3
    rim = [frame.color[:40], frame.color[-40:], frame.color[:, :40], frame.color[:, -40:]]
    assert max(int(side.max()) for side in rim) == 0
    assert table.empty.color_bgr is not None
    assert int(table.empty.color_bgr[:40].max()) == 0  # nor in the calibration's own picture
    assert not table.empty.measured[:40].any()


def test_a_crop_keeps_what_stands_high_at_the_rim() -> None:
    table = still_scene.table()
    layout = Layout(columns=(Column(id="c1", x=200, y=0, levels=12, top_z=120),))
    crop = crop_of(field_outline((layout,), table, 0.0 + 20.0), table)
    top = np.array([200 + 9.5, 0, 120.0])
    pixel = table.camera.depth.project(np.array([top[0], -top[1], 700 - top[2]]))
    u, v = np.rint(pixel).astype(int)
    assert crop.depth[v, u]
    assert not crop.depth[:, :300].any()
    assert crop.color is not None
    rows = np.flatnonzero(crop.color.any(axis=1))
    assert rows[0] % 8 == 0  # whole squares of a JPEG
    assert (rows[-1] + 1) % 8 == 0


def test_a_case_is_a_source_like_any_other() -> None:
    source = open_source(str(CASE))
    assert len(list(source)) == 4
    assert source.name == str(CASE)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda path: path.write_bytes(b""), "is damaged, or no zip file"),
        (lambda path: path.write_bytes(CASE.read_bytes()[:-3000]), "is damaged, or no zip file"),
        (lambda path: path.write_bytes(CASE.read_bytes()[:5000]), "is damaged, or no zip file"),
        (lambda path: repack(path, without="session.mcap"), r"is no case of th-vision \(it has no session.mcap\)"),
        (lambda path: repack(path, without="after.json"), r"it has no after.json"),
        (lambda path: repack(path, spoiled="case.json"), "is no whole case"),
        (lambda path: repack(path, spoiled="session.mcap"), r"case.zip: session.mcap: is no MCAP file"),
    ],
)
def test_a_spoiled_case_is_refused_in_one_line(spoil: object, says: str, tmp_path: Path) -> None:
    path = tmp_path / "case.zip"
    assert callable(spoil)
    spoil(path)
    with pytest.raises(VisionError, match=says) as caught:
        open_source(str(path))
    assert "\n" not in str(caught.value)


def test_every_flipped_byte_is_harmless(tmp_path: Path) -> None:
    """The sum of a zip's parts finds it, or the hashes of the session in it."""
    data = CASE.read_bytes()
    with open_case(CASE) as case:
        true = [frame.depth.tobytes() for frame in case.session.frames()]
    rng = np.random.default_rng(3108)
    refused = 0
    for at in rng.integers(0, len(data), 25):
        hurt = bytearray(data)
        hurt[int(at)] ^= 1 << int(rng.integers(8))
        (tmp_path / "case.zip").write_bytes(hurt)
        try:
            got = [frame.depth.tobytes() for frame in open_source(str(tmp_path / "case.zip"))]
        except VisionError:
            refused += 1
            continue
        assert set(got) <= set(true)
    assert refused > 10


def repack(path: Path, *, without: str = "", spoiled: str = "") -> None:
    with zipfile.ZipFile(CASE) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            if name != without:
                new.writestr(name, b"{}" * 30 if name == spoiled else old.read(name))


# --- the game in a session ---

GAME = GameFact.model_validate({"type": "game", "rules": "classic", "players": ["blue", "pink"]})


def move(turn: int, x: float = 0.0) -> MoveFact:
    column = {"id": f"c{turn}", "x": x, "y": 0, "gray": 1, "yellow": 0}
    road = {"id": f"r{turn}", "ends": [[0, 0, 2], [100, 0, 12]], "rests_on": ["table", f"c{turn}"]}
    return MoveFact.model_validate({"turn": turn, "player": "blue", "base": "c0", "column": column, "road": road})


def test_what_was_told_again_stands_where_it_was_seen_first() -> None:
    said = [
        Said(1.0, move(1), 0),
        Said(2.0, move(2), 2),
        Said(3.0, UndoFact(turn=1), 4),
        Said(3.0, move(1, x=5.0), 5),
        Said(3.0, move(2), 6),
        Said(4.0, move(3), 8),
    ]
    kept = without_undone(said)
    assert [(one.turn, one.time_s, one.order) for one in kept] == [(1, 1.0, 0), (2, 2.0, 2), (3, 4.0, 8)]
    assert isinstance(kept[0].line, MoveFact)
    assert kept[0].line.column is not None
    assert kept[0].line.column.x == 5.0


def test_a_turn_that_is_not_there_is_named_with_those_that_are() -> None:
    timeline = Timeline(GAME, (Said(1.0, move(1)), Said(2.0, PassFact(turn=2, player="pink"))), ())
    with pytest.raises(VisionError, match=r"turn 12: is not in this game; its turns are 0 .* to 2"):
        timeline.of_turn(12)


def test_the_table_before_a_turn_is_the_last_reading_before_it() -> None:
    one = Layout(roads=(Road(id="r1", ends=((0, 0, 2), (100, 0, 12))),))
    two = Layout(roads=(*one.roads, Road(id="r2", ends=((0, 9, 2), (100, 9, 12)))))
    line = Said(2.4, move(1), 1)  # written while the next frames were coming
    timeline = Timeline(GAME, (line,), (Stood(1.0, one, 0), Stood(2.0, two, 2), Stood(3.0, two, 3)))
    assert timeline.stood_before(line) == Stood(1.0, one, 0)
    assert timeline.reading_of(line) == Stood(2.0, two, 2)
    assert timeline.stood_before(Said(0.5, move(1), 0)) is None


def test_verdicts_leave_figures_aside() -> None:
    fault = {"rule": "touch-road", "call": "too_close", "value": 0.4, "sigma": 0.9, "limit": 0.0, "unit": "mm"}
    one = RulingLine.model_validate(
        {"turn": 1, "player": "blue", "road": "r1", "call": "too_close", "faults": [fault], "cars_due": 1}
    )
    other = one.model_copy(update={"road": "r7", "faults": (one.faults[0].model_copy(update={"value": 0.2}),)})
    assert compared([one], [other]) == ()
    firm = one.model_copy(update={"call": "legal", "faults": ()})
    assert [line[0] for line in compared([one], [firm])] == ["-", "+"]
    assert "touch-road too_close" in verdicts([one])[0]


def test_the_fixtures_are_small() -> None:
    size = sum(path.stat().st_size for path in CASE.parent.iterdir())
    assert size < 1_100_000
