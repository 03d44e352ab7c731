"""What recording costs, what reading gives, what is left after damage: ``python -m bench.recordings [SECTION ...]``.

    record   processor time and size of a frame (1280x720 depth, 1080p colour), beside PNG and the SDK's own recorder
    read     reading frames, how many times faster than they were taken; a long session: opening it, showing turn 30
    game     refereeing a session: how many times faster than the game was
    killed   kill -9 at a random moment, 50 times: is everything that is older than a second there?
    damage   cuts, flipped bytes and holes in a session: what is lost, and is a single pixel wrong?
    color    what a reading of pieces loses by JPEG, on scenes that no one tuned to (seeds 3000 and up)
    soak     two hours at 30 frames/s, compressed in time: memory, and the size of what is kept

All sections take some ten minutes. 1 where a number misses what it must be.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.board import Board
from calibration.calibrate import calibrate_table
from calibration.camera import Camera, Intrinsics
from th_vision.errors import VisionError
from th_vision.frame import Frame
from th_vision.reconstruct import reconstruct
from th_vision.sessions import limits
from th_vision.sessions.messages import encode_color
from th_vision.sessions.reader import open_session
from th_vision.sessions.turns import time_of_turn
from th_vision.sessions.writer import SessionWriter
from th_vision.sources import open_source
from th_vision.still_view import fuse
from th_vision.virtual_table.examples import StaticExample, static_example

ROOT = Path(__file__).resolve().parent.parent
SEED = 3000
FPS = 15.0
LONG_BYTES = 2e9
KILLS = 50
SOAK_FPS, SOAK_S = 30, 7200
FULL_BYTES = 900e3  # a frame of 1280x720 with 1080p colour
failures: list[str] = []


def out(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def must(what: str, value: float, limit: float, unit: str, *, least: bool = False) -> None:
    """Print a number beside what it must be."""
    good = value >= limit if least else value <= limit
    side = "at least" if least else "at most"
    out(f"  {what:52} {value:10.3g} {unit:8} {side:8} {limit:g}{'' if good else '   MISSED'}")
    if not good:
        failures.append(what)


def note(what: str, value: float, unit: str) -> None:
    out(f"  {what:52} {value:10.3g} {unit}")


@cache
def example() -> StaticExample:
    """One still scene, as the sensor sees it: 1280x720 depth, 1080p colour."""
    return static_example(SEED, "D435", 700.0, "wood", 6)


def frames_at(fps: float, count: int) -> Iterator[Frame]:
    """Frames of the scene over and over, each with a clock of its own."""
    shots = example().frames
    for i in range(count):
        yield replace(shots[i % len(shots)], number=i, time_s=i / fps)


def writer(path: Path, camera: Camera, **options: Any) -> SessionWriter:
    return SessionWriter.open(path, camera=camera, table_toml=None, pieces_toml=None, info={}, **options)


# --- record ---


def bench_record(folder: Path) -> None:
    """Processor time of all threads, by the system's account."""
    camera = example().camera.camera
    count = 150
    shots = list(frames_at(FPS, count))
    cost, size = {}, {}
    for name, options in (("everything", {"all_frames": True}), ("what is new", {})):
        path = folder / f"{name}.mcap"
        began = time.process_time()
        with writer(path, camera, live=False, **options) as made:
            for frame in shots:
                made.frame(frame)
        cost[name] = (time.process_time() - began) / count * 1e3
        size[name] = path.stat().st_size / max(1, made.counts.frames) / 1e3
        assert not made.troubles
    must("recording everything at 15 frames/s, of one core", cost["everything"] * FPS / 10, 40, "%")
    must("recording what is new at 15 frames/s, of one core", cost["what is new"] * FPS / 10, 40, "%")
    note("a frame, depth and colour", size["everything"], "kB")
    ours_ms = cost["everything"]
    png_ms, png_kb = _png(shots[:12])
    note("PNG, as a folder of images: time of a frame", png_ms, "ms")
    note("PNG: size of a frame", png_kb, "kB")
    note("a session takes, of the time PNG takes", 100 * ours_ms / png_ms, "%")
    note("a session takes, of the room PNG takes", 100 * size["everything"] / png_kb, "%")
    sdk = _sdk(folder, camera, shots[:40])
    if sdk is not None:
        note("the SDK's recorder: time of a frame", sdk[0], "ms")
        note("the SDK's recorder: size of a frame", sdk[1], "kB")
        note("a session takes, of the time the SDK takes", 100 * ours_ms / sdk[0], "%")
        note("a session takes, of the room the SDK takes", 100 * size["everything"] / sdk[1], "%")


def _png(shots: list[Frame]) -> tuple[float, float]:
    began, size = time.process_time(), 0
    for frame in shots:
        for picture in (frame.depth, frame.color):
            size += len(cv2.imencode(".png", picture)[1])
    return (time.process_time() - began) / len(shots) * 1e3, size / len(shots) / 1e3


def _sdk(folder: Path, camera: Camera, shots: list[Frame]) -> tuple[float, float] | None:
    try:
        from th_vision.live.db3_writer import write_db3

        path = folder / "sdk.db3"
        began = time.process_time()
        write_db3(path, camera, shots, fps=15)
    except (ImportError, VisionError) as error:
        out(f"  the SDK's recorder: not measured ({error})")
        return None
    return (time.process_time() - began) / len(shots) * 1e3, path.stat().st_size / len(shots) / 1e3


# --- read ---


def bench_read(folder: Path) -> None:
    camera = example().camera.camera
    path = folder / "long.mcap"
    turns = 60
    with writer(path, camera, all_frames=True, live=False) as made:
        for i, frame in enumerate(frames_at(FPS, 1_000_000), start=1):
            made.frame(frame)
            if i % 40 == 0:
                made.game_line({"type": "pass", "turn": i // 40, "player": "blue"}, frame.time_s)
                if i % 400 == 0 and made.written_bytes > LONG_BYTES and i // 40 >= turns:
                    break
    note("the long session", path.stat().st_size / 1e9, "GB")
    _forget(path)
    began = time.perf_counter()
    session = open_session(path)
    shown = next(session.frames(time_of_turn(session, 30)))
    must("opening it and showing turn 30, not in memory before", time.perf_counter() - began, 0.5, "s")
    assert shown.color is not None
    began, count = time.process_time(), 0
    for frame in session.frames(0, 20):
        count += frame.color is not None
    frame_s = (time.process_time() - began) / count
    note("reading a frame, hashes checked and unpacked", frame_s * 1e3, "ms")
    note("reading everything of 15 frames/s, times faster", 1 / frame_s / FPS, "x")
    fullest = limits.BYTES_PER_S / (path.stat().st_size / i)
    must("reading a session of what is new, times faster", 1 / frame_s / fullest, 8, "x", least=True)
    cut = folder / "cut.mcap"
    os.link(path, cut)
    os.truncate(cut, int(path.stat().st_size * 0.98))
    _forget(cut)
    began = time.perf_counter()
    session = open_session(cut)
    next(session.frames(time_of_turn(session, 30)))
    note("the same, its end cut off: read by walking through it", time.perf_counter() - began, "s")


def _forget(path: Path) -> None:
    """Have the system drop what it keeps of a file."""
    with open(path, "rb") as stream, contextlib.suppress(AttributeError, OSError):
        os.fsync(stream.fileno())
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


# --- game ---


def bench_game(folder: Path) -> None:
    """The recorded game has only its still moments: a turn of players takes half a minute."""
    from th_vision.commands.replay import run

    game = ROOT / "fixtures" / "game"
    path = folder / "game.mcap"
    source = open_source(str(game))
    with SessionWriter.open(
        path,
        camera=source.camera,
        table_toml=game / "table.toml",
        pieces_toml=game / "pieces.toml",
        info={},
        all_frames=True,
        live=False,
    ) as made:
        for frame in source:
            made.frame(frame)
    began = time.process_time()
    run(
        str(path),
        calibration=None,
        pieces=None,
        rules="rainbow-city",
        players="blue,pink",
        options=[],
        game=folder / "game.jsonl",
        picture=None,
        lang="en",
        quiet=True,
        say=lambda _: None,
        width=80,
        color=False,
    )
    turn_s = (time.process_time() - began) / 16
    note("refereeing a turn of the recorded game", turn_s, "s")
    must("refereeing, times faster than a game of 30 s a turn", 30 / turn_s, 8, "x", least=True)


# --- killed ---

CHILD = """
import sys, time, numpy as np
from pathlib import Path
from bench.recordings import writer
from calibration.camera import Camera, Intrinsics
K = Intrinsics(848, 480, 424, 424, 423.5, 239.5)
C = Intrinsics(1280, 720, 900, 900, 639.5, 359.5)
from th_vision.frame import Frame
rng = np.random.default_rng(1)
depth = rng.integers(6000, 6040, (4, 480, 848), dtype=np.uint16)
color = rng.integers(90, 110, (4, 720, 1280, 3), dtype=np.uint8)
made = writer(Path(sys.argv[1]), Camera("D435", K, C, depth_unit_mm=0.1), all_frames=True)
i = 0
while True:
    shown = depth[i % 4].copy()
    shown[0, 0] = i % 60000
    made.frame(Frame(i, i / 15, shown, color[i % 4]))
    print(i, time.time(), flush=True)
    i += 1
    time.sleep(1 / 15)
"""


def bench_killed(folder: Path) -> None:
    rng = random.Random(SEED)
    lost = wrong = frames = 0
    youngest = 0.0
    for k in range(KILLS):
        path = folder / f"killed-{k}.mcap"
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        handed: list[tuple[int, float]] = []
        wanted_s = rng.uniform(1.2, 2.4)
        while not handed or handed[-1][1] - handed[0][1] < wanted_s:
            number, at = child.stdout.readline().split()
            handed.append((int(number), float(at)))
        time.sleep(rng.uniform(0, 1 / 15))
        child.send_signal(signal.SIGKILL)
        killed = time.time()
        child.wait()
        got = set()
        for frame in open_session(path).frames():
            wrong += int(frame.depth[0, 0]) != frame.number
            got.add(frame.number)
        missing = [killed - at for number, at in handed if number not in got]
        youngest = max(youngest, *missing, 0.0)
        lost += sum(age > 1.0 for age in missing)
        frames += len(handed)
        path.unlink()
    note("frames handed in, 50 times killed", frames, "")
    must("frames older than a second that are lost", lost, 0, "")
    must("frames that are wrong", wrong, 0, "")
    note("the oldest frame that was lost", youngest, "s old")


# --- damage ---


def bench_damage(folder: Path) -> None:
    camera = example().camera.camera
    whole = folder / "whole.mcap"
    count = 30
    with writer(whole, camera, all_frames=True, live=False) as made:
        for frame in frames_at(FPS, count):
            made.frame(frame)
            if frame.number % 6 == 5:
                made.game_line({"type": "pass", "turn": frame.number // 6, "player": "blue"}, frame.time_s)
    data = whole.read_bytes()
    shots = example().frames
    rng = np.random.default_rng(SEED)
    kinds: dict[str, Callable[[int], bytes]] = {
        "cut at every 1 %": lambda i: data[: len(data) * (i + 1) // 100],
        "one byte flipped": lambda _: _flipped(data, rng, 1),
        "ten bytes flipped": lambda _: _flipped(data, rng, 10),
        "a page of zeros": lambda _: _page(data, rng, bytes(4096)),
        "a page missing": lambda _: _page(data, rng, b""),
        "cut, and one byte flipped": lambda _: _flipped(data[: int(rng.integers(len(data) // 3, len(data)))], rng, 1),
    }
    heads = (("times", 6), ("refused", 8), ("frames lost, median", 20), ("most", 5), ("not counted", 12), ("wrong", 6))
    out(f"  {'what was done':28} " + " ".join(f"{text:>{width}}" for text, width in heads))
    for name, spoil in kinds.items():
        times = 99 if name.startswith("cut at") else 50
        lost, refused, uncounted, wrong = [], 0, 0, 0
        for i in range(times):
            path = folder / "hurt.mcap"
            path.write_bytes(spoil(i))
            try:
                session = open_session(path)
            except VisionError:
                refused += 1
                continue
            got = 0
            for stored in session.stored():
                got += 1
                wrong += not np.array_equal(stored.depth, shots[stored.index % len(shots)].depth)
            session.close()
            lost.append(count - got)
            uncounted += session.end is not None and session.losses.frames != count - got
        cut = "cut" in name
        shown = f"{np.median(lost):20.0f} {max(lost):5}" if not cut else f"{'as the cut':>20} {'':5}"
        out(f"  {name:28} {times:6} {refused:8} {shown} {uncounted:12} {wrong:6}")
        if wrong or uncounted or (refused and not cut):
            failures.append(name)


def _flipped(data: bytes, rng: np.random.Generator, times: int) -> bytes:
    hurt = bytearray(data)
    for at in rng.integers(0, len(data), times):
        hurt[int(at)] ^= 1 << int(rng.integers(8))
    return bytes(hurt)


def _page(data: bytes, rng: np.random.Generator, page: bytes) -> bytes:
    at = int(rng.integers(0, len(data) - 4096)) // 4096 * 4096
    return data[:at] + page + data[at + 4096 :]


# --- color ---


def bench_color(folder: Path) -> None:
    shifts, heights, changed, pieces = [], [], 0, 0
    for seed in range(SEED, SEED + 4):
        shot = static_example(seed, "D415", 580.0, "wood", 8)
        calibration = [(frame.depth, frame.color) for frame in shot.calibration_frames]
        table, _ = calibrate_table(shot.camera.camera, calibration, Board(), made_at="")
        exact = reconstruct(fuse(shot.frames, table), shot.pieces)
        packed = []
        for frame in shot.frames:
            assert frame.color is not None
            data = np.frombuffer(encode_color(frame.color, "jpeg"), np.uint8)
            packed.append(replace(frame, color=cv2.imdecode(data, cv2.IMREAD_COLOR)))
        again = reconstruct(fuse(packed, table), shot.pieces)
        pieces += len(exact.roads) + len(exact.columns)
        for road in exact.roads:
            apart = [np.abs(np.array(one.ends) - np.array(road.ends)) for one in again.roads]
            apart += [np.abs(np.array(one.ends[::-1]) - np.array(road.ends)) for one in again.roads]
            nearest = min(apart, key=lambda one: float(one[:, :2].max()), default=np.full((2, 3), np.inf))
            if nearest[:, :2].max() > 6:
                changed += 1
                continue
            shifts += [float(np.hypot(*end[:2])) for end in nearest]
            heights += [float(end[2]) for end in nearest]
        levels = sorted(c.levels for c in exact.columns), sorted(c.levels for c in again.columns)
        changed += levels[0] != levels[1]
    note("roads and columns read from exact colour", pieces, "")
    note("of those read otherwise from JPEG", changed, "")
    must("a road's tip moves by, median", float(np.median(shifts)), 0.2, "mm")
    note("a road's tip moves by, 95 %", float(np.percentile(shifts, 95)), "mm")
    note("its height moves by, 95 %", float(np.percentile(heights, 95)), "mm")


# --- soak ---


def bench_soak(folder: Path) -> None:
    """A small camera, so that two hours pass in minutes: what grows with time does so all the same."""
    K = Intrinsics(160, 120, 110.0, 110.0, 79.5, 59.5)
    rng = np.random.default_rng(SEED)
    shots = [
        (
            (6000 + cv2.GaussianBlur(rng.normal(0, 30, (120, 160)), (0, 0), 2) * 4).astype(np.uint16),
            (110 + cv2.GaussianBlur(rng.normal(0, 25, (120, 160, 3)), (0, 0), 2)).astype(np.uint8),
        )
        for _ in range(8)
    ]
    # As much room for a small frame as a full one has, by its share.
    tried = folder / "tried.mcap"
    with writer(tried, Camera("D435", K, None, depth_unit_mm=0.1), all_frames=True, live=False) as made:
        for i in range(200):
            made.frame(Frame(i, i / SOAK_FPS, shots[i % len(shots)][0]))
    share = tried.stat().st_size / 200 / FULL_BYTES
    limits.BYTES_PER_S, limits.SAVED_UP_BYTES = limits.BYTES_PER_S * share, limits.SAVED_UP_BYTES * share
    for name, all_frames, seconds in (("what is new", False, SOAK_S), ("everything", True, SOAK_S // 8)):
        path = folder / f"soak {name}.mcap"
        # Looking at colour for what is new costs the same for a small picture as for a large one: two hours of it are
        # too long for a bench. Everything is written with colour.
        camera = Camera("D435", K, K if all_frames else None, depth_unit_mm=0.1)
        memory: list[float] = []
        began = time.perf_counter()
        with writer(path, camera, all_frames=all_frames, live=False) as made:
            # A quarter is played before the first look: by then every pool of memory has its size.
            for i in range(seconds * SOAK_FPS):
                turn = i // (40 * SOAK_FPS)
                busy = i % (40 * SOAK_FPS) < 8 * SOAK_FPS
                depth, color = shots[i % len(shots)]
                shown = depth.copy()
                shown[10 + turn % 60 : 50 + turn % 60, 40:90] -= np.uint16(900)  # what was built
                if busy:
                    shown[:60, i % 100 : i % 100 + 40] = 4500  # a hand
                made.frame(Frame(i, i / SOAK_FPS, shown, color if all_frames else None))
                if i % (40 * SOAK_FPS) == 10 * SOAK_FPS:
                    made.game_line({"type": "pass", "turn": turn, "player": "blue"}, i / SOAK_FPS)
                if i % (60 * SOAK_FPS) == 0:
                    memory.append(_resident_mb())
        start, end = memory[len(memory) // 4], memory[-1]
        out(f"  {name}: {seconds / 3600:g} h in {time.perf_counter() - began:.0f} s, {made.counts.frames} frames kept")
        grown = (end - start) / (seconds * 0.75 / 3600)
        if all_frames:
            note("memory grows an hour (the file's own index)", grown, "MB")
        else:
            must("memory grows an hour", grown, 4, "MB")
            note("frames kept a second", made.counts.frames / seconds, "")
            must("two hours, were its frames of full size", path.stat().st_size / share / 1e9, 4, "GB")
        assert made.counts.dropped == 0
        path.unlink()
    note("the most memory this process ever had", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3, "MB")
    note("what a queue of full frames may take besides", limits.QUEUE_FRAMES * 8.0, "MB")


def _resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


SECTIONS: dict[str, Callable[[Path], None]] = {
    "record": bench_record,
    "read": bench_read,
    "game": bench_game,
    "killed": bench_killed,
    "damage": bench_damage,
    "color": bench_color,
    "soak": bench_soak,
}


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], default=[])
    args = parser.parse_args()
    for name in args.sections or SECTIONS:
        out(name)
        with tempfile.TemporaryDirectory(prefix="th-vision-bench-") as folder:
            SECTIONS[name](Path(folder))
    if failures:
        out(f"missed: {', '.join(failures)}")
    return int(bool(failures))


if __name__ == "__main__":
    raise SystemExit(main())
