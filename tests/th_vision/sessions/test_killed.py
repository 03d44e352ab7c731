"""A recording that is killed in the middle has everything that is older than a second."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import ROOT
from tests.th_vision.sessions import small
from th_vision.sessions.reader import open_session

WRITER = """
import sys, time
from pathlib import Path
from tests.th_vision.sessions import small
from th_vision.sessions.writer import SessionWriter
writer = SessionWriter.open(Path(sys.argv[1]), camera=small.CAMERA, table_toml=None, pieces_toml=None, info={},
                            all_frames=True)
frames = [small.frame(n) for n in range(200)]
for frame in frames:
    writer.frame(frame)
    print(frame.number, time.time(), flush=True)
    if frame.number % 20 == 0:
        writer.game_line({"type": "pass", "turn": frame.number // 20, "player": "blue"}, frame.time_s)
    time.sleep(1 / 60)
"""


def test_after_kill_9_all_that_is_older_than_a_second_is_there(tmp_path: Path) -> None:
    path = tmp_path / "game.mcap"
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    handed: list[tuple[int, float]] = []
    while not handed or handed[-1][0] < 100:
        number, at = child.stdout.readline().split()
        handed.append((int(number), float(at)))
    child.send_signal(signal.SIGKILL)
    killed = time.time()
    child.wait()
    session = open_session(path)
    assert not session.ended
    got = [frame.number for frame in session.frames()]
    assert got == list(range(len(got)))
    for frame in session.frames():
        assert (frame.depth == small.frame(frame.number).depth).all()
    old = [number for number, at in handed if killed - at > 1.0]
    assert len(old) > 10
    assert set(old) <= set(got)
    turns = [line["turn"] for _, line in session.game_lines()]
    assert turns[: len(old) // 20 + 1] == list(range(len(old) // 20 + 1))
