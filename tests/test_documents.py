"""What the documents tell people to type exists, and what they point to is there."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

import cli
from tests.conftest import ROOT
from th_vision import terminal
from th_vision.sources.folder_header import OwnRecording

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: Path, language: str) -> list[str]:
    """The text of a document's code blocks in that language."""
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(path: Path) -> list[list[str]]:
    """Every ``th-vision ...`` of a document, in code blocks and in the text."""
    text = path.read_text(encoding="utf-8")
    lines = [line for block in blocks(path, "sh") for line in block.splitlines()]
    lines += re.findall(r"`(th-vision [^`]*)`", text)
    return [shlex.split(line, comments=True)[1:] for line in lines if line.strip().startswith("th-vision")]


CASES = [(path.name, words) for path in DOCUMENTS for words in commands(path)]


@cache
def help_of(command: tuple[str, ...]) -> str:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert terminal.run(cli.app, [*command, "--help"]) == 0, command
    return out.getvalue()


@pytest.mark.parametrize(("document", "words"), CASES, ids=[f"{name}: {' '.join(words)[:60]}" for name, words in CASES])
def test_a_command_in_the_documents_exists_with_its_options(document: str, words: list[str]) -> None:
    command = tuple(words[:2] if words[:1] == ["calibrate"] else words[:1])
    known = set(re.findall(r"(?<![\w-])--?[\w-]+", help_of(command)))
    for word in words[len(command) :]:
        if word.startswith("-") and word != "-":
            assert word in known, f"{document}: th-vision {' '.join(command)} has no {word}"


def test_there_are_commands_to_check() -> None:
    assert len(CASES) > 10


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_the_documents_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / link).exists(), f"{path.name}: {link} is not there"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_modules_that_the_documents_name_are_there(path: Path) -> None:
    for name in re.findall(r"`((?:rules|calibration|th_vision|tests|tools|bench|fixtures)/[\w/.]*)`", path.read_text()):
        assert (ROOT / name).exists(), f"{path.name}: {name} is not there"


def test_targets_of_make_that_the_documents_name_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for path in DOCUMENTS:
        for target in re.findall(r"\bmake (\w+)", "\n".join(re.findall(r"`[^`]*`", path.read_text()))):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{path.name}: there is no make {target}"


def test_recording_json_of_the_readme_is_a_whole_one() -> None:
    (block,) = blocks(ROOT / "README.md", "json")
    OwnRecording.model_validate(json.loads(block))


def test_pieces_toml_of_the_documents_is_a_whole_one(tmp_path: Path) -> None:
    from rules.pieces import Pieces, load_pieces

    (block,) = blocks(ROOT / "docs" / "pieces.md", "toml")
    (tmp_path / "pieces.toml").write_text(block)
    pieces = load_pieces(tmp_path / "pieces.toml")
    usual = Pieces()
    assert (pieces.stick, pieces.disc, pieces.colors, pieces.players) == (
        usual.stick,
        usual.disc,
        usual.colors,
        usual.players,
    )


def test_the_project_speaks_of_no_place_on_a_machine() -> None:
    for path in [*DOCUMENTS, ROOT / "Makefile", *sorted((ROOT / "tools").iterdir()), ROOT / ".ci" / "run"]:
        assert not re.search(r"/(work|root|home)/", path.read_text()), path
