"""What every command prints, in every language: no English is left over."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import cli
from rules.catalog import LANGUAGES
from tests.conftest import ROOT
from th_vision import terminal
from th_vision.languages import spoken
from th_vision.said import said_lines

OTHERS = [language for language in LANGUAGES if language != "en"]
ENGLISH = {
    *("the", "and", "with", "not", "are", "from", "has", "its", "which", "this", "that", "than", "by", "at", "each"),
    *("frames", "frame", "left", "lost", "read", "good", "move", "should", "above", "seen", "written"),
    *("turns", "pieces", "columns", "roads", "board", "players", "missing", "when", "whole", "them", "give"),
}
"""Words that none of the other languages has, and no name of ours either."""
AS_IT_IS = re.compile(
    r"th-vision [a-z]+( (pieces|table|check))?"  # a command to type
    r"|make setup|(turn 1 of )?the recorded game|import \w+"  # what is in a file
    r"|(Mission|Basic) Rules|Rainbow City \w+|rulebook, .*|notes, .*|classic, .*|no text; .*|the referee's own.*"
    r"|\d+ [a-z_]+(, |$)"  # types of lines
    r"|^\[\d+\] .*"  # what a rule text says, in its own words
    r"|\S*[/._=@]\S*|--\S+|'[^']*'|\[[^\]]*\]"  # paths, keys, options, names
)
TO_TYPE = re.compile("(opciones son|opties zijn|選項有) .*")
FIXTURES = ROOT / "fixtures"
GAME = ROOT / "tests" / "games" / "classic-2-cars.jsonl"


def english(text: str) -> list[str]:
    """Lines with English words in them, apart from what is the same in every language."""
    return [
        line
        for line in text.splitlines()
        if ENGLISH & set(re.findall(r"[a-z]+", AS_IT_IS.sub(" ", TO_TYPE.sub("", line)).lower()))
    ]


def printed(words: list[str], capfd: pytest.CaptureFixture[str], statuses: tuple[int, ...] = (0, 1)) -> str:
    """All that a command prints, on both streams."""
    assert terminal.run(cli.app, words) in statuses
    out, err = capfd.readouterr()
    return out + err


def test_english_is_found() -> None:
    assert english("left out: frame 4: board not seen\nBord gezien\n") == ["left out: frame 4: board not seen"]
    assert english("falta el archivo table.toml; ejecutad th-vision calibrate table") == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(
    "words",
    [
        ["rules"],
        ["rules", "rainbow-city-zh"],
        ["rules", "classic"],
        ["simulate", "--list"],
        ["calibrate", "pieces", "--show", "--city", "tower"],
        ["info", str(FIXTURES / "recordings" / "turn.mcap")],
        ["info", str(FIXTURES / "recordings" / "case.zip")],
        ["info", str(FIXTURES / "clouds" / "frame_camera.ply")],
        ["info", str(FIXTURES / "game")],
        ["info", str(GAME)],
        ["adjudicate", str(GAME)],
        ["adjudicate", str(GAME), "--diff"],
        ["explain", str(GAME), "--turn", "3"],
    ],
    ids=lambda words: " ".join(Path(word).name for word in words),
)
def test_a_command_speaks_the_language(words: list[str], language: str, capfd: pytest.CaptureFixture[str]) -> None:
    text = printed([*words, "--lang", language], capfd)
    assert text
    assert english(text) == []


@pytest.mark.parametrize("language", OTHERS)
def test_errors_are_said_in_the_language_too(language: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Also those of the words of a command, which are read before its options are."""
    for words in (
        ["info", "nothing.mcap"],
        ["explain", str(GAME), "--turn", "900"],
        ["explain", str(GAME)],
        ["explain", str(GAME), "--turn", "x"],
        ["replay", "sim:bogus=1", "--players", "blue,pink"],
        ["nosuch"],
        ["infos"],
        ["info", "one", "two"],
        ["info", "--chek", "one"],
        ["record", str(FIXTURES / "game"), "-o", "x.bag"],
        ["simulate", "-o", "x.bag"],
        ["rules", "bogus"],
        ["board", "-o", "x.pdf", "--squares", "7"],
        ["calibrate", "check", str(FIXTURES / "game"), "-c", "nothing.toml"],
        ["batch", "nothing", "--game", "out"],
        ["report", str(GAME)],
        ["export", str(FIXTURES / "game"), "-o", "x.bag"],
        ["reconstruct", "nothing"],
        ["serve", str(GAME), "--host", "256.1.1.1", "--port", "0"],
    ):
        line = printed([*words, "--lang", language], capfd, (2,))
        assert line.startswith("th-vision: ")
        assert english(line.removeprefix("th-vision: ")) == [], line


def test_a_case_is_ruled_on_again_in_the_language(capfd: pytest.CaptureFixture[str]) -> None:
    text = printed(["replay", str(FIXTURES / "recordings" / "case.zip"), "--lang", "nl"], capfd)
    assert "Beurt 1: de beslissing is dezelfde als die van th-vision" in text
    assert english(text) == []


def test_a_language_that_there_is_not_is_refused_by_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["doctor"], ["rules"], ["info", str(GAME)], ["explain", str(GAME), "--turn", "3"]):
        assert "known: en, es, nl, zh-Hant" in printed([*words, "--lang", "fr"], capfd, (2,))


def test_that_there_is_no_such_language_is_said_in_the_systems() -> None:
    assert spoken("fr", {"LANG": "nl_NL.UTF-8"}) == "nl"
    assert spoken("fr", {}) == "en"
    assert spoken("es", {"LANG": "nl_NL.UTF-8"}) == "es"


def test_the_systems_language_is_spoken_where_none_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "nl_NL.UTF-8")
    assert "Bron: " in printed(["rules", "classic"], capfd)
    assert "bestand of map" in printed(["info", "nothing.mcap"], capfd, (2,))


def test_a_terminal_without_the_languages_letters_ends_nothing() -> None:
    from tests.test_cli import start

    process = start(["rules", "--lang", "zh-Hant"], env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "\\u898f" in out


# --- what takes a while is run once, and said in each language --------------------------------------------------------


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the commands print that read recordings, in English."""
    import contextlib
    import io

    out = tmp_path_factory.mktemp("out")
    table = out / "table.toml"
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        for words in (
            ["calibrate", "table", str(FIXTURES / "game" / "calibration"), "-o", str(table)],
            ["calibrate", "check", str(FIXTURES / "game" / "calibration"), "-c", str(table)],
            ["board", "-o", str(out / "board.pdf")],
            ["repair", str(FIXTURES / "recordings" / "turn.mcap"), "-o", str(out / "whole.mcap")],
            ["record", str(FIXTURES / "game" / "calibration"), "-o", str(out / "new.mcap")],
            ["export", str(FIXTURES / "recordings" / "turn.mcap"), "-o", str(out / "frames")],
            ["reconstruct", str(FIXTURES / "clouds" / "still_table.ply"), "--frame", "table", "--json", str(out / "l")],
            ["report", str(FIXTURES / "recordings" / "turn.mcap"), "--turn", "1", "-o", str(out / "case.zip")],
            ["doctor", "-c", str(table)],
        ):
            assert terminal.run(cli.app, [*words, "--lang", "en"]) in (0, 1)
    return told.getvalue()


@pytest.mark.parametrize("language", OTHERS)
def test_what_the_slow_commands_print_is_all_in_the_catalogue(slow: str, language: str) -> None:
    assert len(slow.splitlines()) > 40
    assert english(slow)
    assert english(said_lines(slow, language)) == []
