"""A record on a page while it grows."""

from __future__ import annotations

from pathlib import Path

from rules.events import GameFact
from tests.conftest import ROOT
from th_vision.page.follow_file import RecordFollower

LINES = (ROOT / "tests" / "games" / "rainbow-city-2-cars.jsonl").read_text().splitlines(keepends=True)


class Shown:
    def __init__(self, path: Path) -> None:
        self.published: list[tuple[str, object]] = []
        self.follower = RecordFollower(path, lambda kind, data: self.published.append((kind, data)))

    def look(self) -> list[tuple[str, object]]:
        self.published.clear()
        self.follower.look()
        return [item for item in self.published if item[0] != "live"]


def test_what_is_there_is_shown_and_then_only_what_comes(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(LINES[:10]))
    shown = Shown(path)
    first = shown.look()
    assert isinstance(first[0][1], GameFact)
    assert shown.look() == []
    with path.open("a") as stream:
        stream.write("".join(LINES[10:]))
    later = shown.look()
    assert {kind for kind, _ in later} == {"fact"}
    whole = Shown(path)
    assert whole.look() == first + later


def test_a_line_that_is_still_being_written_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    move = next(i for i, line in enumerate(LINES) if '"type":"move"' in line)
    path.write_text("".join(LINES[:move]))
    shown = Shown(path)
    shown.look()
    with path.open("a") as stream:
        stream.write(LINES[move][:50])
    assert shown.look() == []
    with path.open("a") as stream:
        stream.write(LINES[move][50:])
    assert [kind for kind, _ in shown.look()] == ["fact"]


def test_another_game_in_the_file_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(LINES))
    shown = Shown(path)
    shown.look()
    path.write_text((ROOT / "tests" / "games" / "missions-2-sticks.jsonl").read_text())
    assert shown.look()[0][0] == "game"


def test_a_file_that_is_gone_for_a_while_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("".join(LINES[:4]))
    shown = Shown(path)
    shown.look()
    path.rename(tmp_path / "aside")
    rounds = iter(range(4))

    def sleep(_: float) -> None:
        if next(rounds) == 1:
            path.write_text("".join(LINES))

    shown.published.clear()
    shown.follower.follow(lambda: len(shown.published) > 3, sleep)
    assert ("live", {"source": "finished"}) in shown.published
