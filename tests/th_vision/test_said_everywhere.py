"""Every sentence that the program may print is in the catalogue: no literal of the code goes past it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rules.phrases import Plural
from tests.conftest import ROOT
from th_vision import phrases
from th_vision.said import unknown

ERRORS = ("VisionError", "CalibrationError", "RulesError")
PACKAGES = ("rules", "calibration", "th_vision")
SOURCES = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]

PARTS = {("rules/build.py", "what"): "column", ("enroll/arrange.py", "what"): "gray",
         ("folder_header.py", "where"): "7"}  # fmt: skip
"""What a place of that name is filled with in that file."""

# --- error lines ------------------------------------------------------------------------------------------------------


def choices(node: ast.expr, names: dict[str, list[str]]) -> Iterator[str]:
    """What a text may be: a literal or an f-string, with something for each of its places."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from choices(one, names)
            yield from choices(other, names)
        case ast.JoinedStr(values=parts):
            texts = [""]
            for part in parts:
                texts = [text + filled for text in texts for filled in places(part, names)]
            yield from texts
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (one + other for one in choices(left, names) for other in choices(right, names))


def places(part: ast.expr, names: dict[str, list[str]]) -> list[str]:
    """What may stand in a place of an f-string: its own words where they are known, else a number."""
    if isinstance(part, ast.Constant):
        return [str(part.value)]
    assert isinstance(part, ast.FormattedValue)
    if isinstance(part.value, ast.IfExp):
        return list(choices(part.value, names)) or ["7"]
    if isinstance(part.value, ast.Name) and part.value.id in names:
        return names[part.value.id]
    match part.value:
        case ast.Call(func=ast.Name(id="many" | "_count"), args=[_, ast.Constant(value=thing)]):
            return [f"7 {thing}s"]
    if part.format_spec is not None and "%" in ast.unparse(part.format_spec):
        return ["7%"]
    return ["'7'" if part.conversion == ord("r") else "7"]


def named(tree: ast.AST) -> dict[str, list[str]]:
    """Names that are set to texts alone, and to which."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                texts = list(choices(value, {})) if value is not None else []
                if texts and all(" " in text.strip() or not text for text in texts):
                    found.setdefault(name, []).extend(texts)
    return found


def raised(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = named(tree) | {name: [text] for (file, name), text in PARTS.items() if path.as_posix().endswith(file)}
    for node in ast.walk(tree):
        wanted = ERRORS if path.parts[-2] not in ("rules", "calibration") else (*ERRORS, "ValueError")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in wanted:
            yield from choices(node.args[0], names) if node.args else ()


def known_parts_out(text: str) -> str:
    """The text without the parts that a variable holds whole; those are literals elsewhere."""
    while (shorter := re.sub(r"^7: |: 7$|; 7(?=;|$)|(?<=; )7; |^7; |^7$|^(command|players): (?=7)", "", text)) != text:
        text = shorter
    return text


@pytest.mark.parametrize("name", PACKAGES)
def test_every_error_line_has_its_translations(name: str) -> None:
    """Each literal that an error is raised with, numbers in its places."""
    missing = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in SOURCES
        if path.relative_to(ROOT).parts[0] == name
        for text in raised(path)
        if unknown([text]) and known_parts_out(text) and unknown([known_parts_out(text)])
    }
    assert missing == set()


# --- everything else --------------------------------------------------------------------------------------------------

NOT_SAID = {
    "rules/phrases.py": "sentences of the rulings: a catalogue of their own",
    "rules/catalog.py": "the form of the message files",
    "rules/schema.py": "titles of the JSON Schemas",
    "rules/sources.py": "quotations of the rule texts",
    "th_vision/sessions/pack.py": "descriptions in the JSON Schemas of a session",
    "th_vision/sessions/export.py": "heads of clouds",
    "th_vision/cloud.py": "the head of a cloud",
    "th_vision/drawing.py": "SVG",
    "th_vision/picture.py": "ours to see only",
    "th_vision/crop.py": "ours to see only",
    "th_vision/canvas.py": "a length",
    "th_vision/rerun_log.py": "for developers",
    "th_vision/enroll/pieces_file.py": "comments in pieces.toml",
    "th_vision/sources/db3_reader.py": "SQL, and names that the SDK gives",
    "th_vision/live/distortion.py": "names that the SDK gives",
    "th_vision/live/faulty.py": "a camera for tests",
    "th_vision/live/software.py": "a camera without hardware",
    "th_vision/virtual_table/verdicts.py": "for benches",
    "th_vision/virtual_table/offences.py": "labels for tests",
    "th_vision/report_html/build.py": "HTML",
    "th_vision/page/html.py": "HTML",
    "th_vision/page/service.py": "answers to programs",
    "th_vision/page/guard.py": "heads of HTTP",
}


OTHERWISE = (*ERRORS, "OSError", "ValueError", "TypeError", "RuntimeError", "DamagedError")
"""Calls whose texts are looked at above, or are for developers."""
NO_SENTENCE = re.compile(
    r"^(\W*[\w./:=-]*\W*$"  # one word, a path, a key
    r"|https?://|[a-z_]+: ?$)"
)


@cache
def said_texts() -> tuple[str, ...]:
    """All that the catalogues hold of what is said in English, with a mark in each place."""
    texts: list[str] = []
    for name, value in vars(phrases).items():
        if name.isupper():
            texts += [
                form
                for text in _flat(value)
                for form in ((text.one, text.many) if isinstance(text, Plural) else (text,))
            ]
    return tuple(re.sub(r"\{\w+\}", "{}", text).lower() for text in texts)


def _flat(value: object) -> Iterator[str | Plural]:
    if isinstance(value, (str, Plural)):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _flat(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _flat(part)


def literals(path: Path) -> Iterator[str]:
    """Texts of several words that stand in the code and are no docstring; an f-string as one, with marks in its places.

    What only developers see (an assertion, an error of the program's own kind) is left out.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inside.add(id(node.value))
        if isinstance(node, ast.Assert) and node.msg is not None:
            inside.update(map(id, ast.walk(node.msg)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OTHERWISE:
            inside.update(map(id, ast.walk(node)))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        else:
            continue
        if re.search(r"[A-Za-z]{2,}'?[ ,;]+(\{\}|[A-Za-z]{2,})|\} [a-z]{3,}", text) and not NO_SENTENCE.match(text):
            yield text


NO_WORDS_FOR_USERS = {
    "rules/board.py": "rulebook, notes,",  # where in the rule texts a thing stands
    "rules/switches.py": "rulebook, notes, classic, no text; the referee's own;",
    "rules/pieces.py": "Value error,",
    "rules/record.py": "Value error, at",
    "calibration/board_pdf.py": "mm in",  # on the print itself
    "calibration/table_file.py": "Where The Takes How",  # comments in table.toml
    "th_vision/closeup_drawing.py": "limit gap value fault",  # names of parts of a drawing
    "th_vision/commands/calibrate_pieces.py": "-c/--calibration -o/--output",
    "th_vision/enroll/arrange.py": "and",  # "blue, pink and the city"
    "th_vision/enroll/enrolled.py": "measured: not",  # comments in pieces.toml
    "th_vision/doctor/system.py": "sudo",
    "th_vision/enroll/outline.py": "nmc, rki, ij,",
    "th_vision/follow.py": "hand turn",  # names of states
    "th_vision/follow_events.py": "hand move turn",
    "th_vision/follow_play.py": "move turn",
    "th_vision/live/convert.py": "from",
    "th_vision/live/usb.py": "failed D400",  # what the SDK says
    "th_vision/live/worker.py": "from",
    "th_vision/page/server.py": "th-vision",
    "th_vision/phrases.py": "state.hand state.move",
    "th_vision/referee/status.py": "move",
    "th_vision/referee/words.py": "cars discs by penalty turn what pause, pink",  # words to type
    "th_vision/sessions/case.py": "Turn",  # a text file in the case, as its format says
    "th_vision/virtual_table/candidates.py": "too in no tip overlaps only nmk, {}",  # why a player builds elsewhere
    "th_vision/virtual_table/city_room.py": "too in no tip overlaps only nkc, {}",
    "th_vision/virtual_table/events.py": "a an another the",  # what a happening is for
    "th_vision/virtual_table/mischief.py": "a an two",
    "th_vision/virtual_table/setup_offences.py": "ramps development a",
    "th_vision/virtual_table/scenarios.py": "city",
    "th_vision/virtual_table/sensor_model.py": "true a",
    "th_vision/virtual_table/infrared.py": "ij,",
    "th_vision/virtual_table/render.py": "ij,",
    "th_vision/voice/speaker.py": "a",
}
"""Texts that nobody who uses a command reads, by their first word."""
SPEAKING = [
    path
    for path in SOURCES
    if path.relative_to(ROOT).as_posix() not in NOT_SAID
    and "detect" not in path.parts
    and "sentences" not in path.parts
]


def is_said(text: str) -> bool:
    """Whether a text is a sentence of the catalogues, or is put together of parts of them."""
    lines = [line.strip() for line in text.replace("{}", "7").splitlines() if line.strip()]
    if not unknown(lines):
        return True
    parts = [part.strip(" \n;:,.()").lower() for part in re.split(r"\{\w*\}|; |\n|\. |: |  +", text)]
    return all(any(part in known for known in said_texts()) for part in parts if " " in part)


def test_no_sentence_goes_past_the_catalogue() -> None:
    missing: dict[str, list[str]] = {}
    for path in SPEAKING:
        name = path.relative_to(ROOT).as_posix()
        for text in literals(path):
            if text.split()[0] not in NO_WORDS_FOR_USERS.get(name, "").split() and not is_said(text):
                missing.setdefault(name, []).append(text)
    assert missing == {}
