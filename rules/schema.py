"""JSON Schemas of the public formats, generated from the models: run ``python -m rules.schema`` to write them anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from rules.events import Answer, Fact, Line
from rules.layout import Layout
from rules.pieces import Pieces

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schema"
"""Where the schemas lie in the source tree."""

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """File name and text of every schema: a line of the record, its facts and its answers, the layout, the pieces."""
    return {
        "record-line.schema.json": _text("One line of a game record (.jsonl), version 1", TypeAdapter(Line)),
        "fact.schema.json": _text("A fact: an input line of a game record", TypeAdapter(Fact)),
        "answer.schema.json": _text("An answer: a ruling line of a game record", TypeAdapter(Answer)),
        "layout.schema.json": _text("A layout, th-vision/layout/1", Layout),
        "pieces.schema.json": _text("The pieces of one set of the game, pieces.toml", Pieces),
    }


def write_schemas(folder: Path = FOLDER) -> None:
    """Write all schemas into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        (folder / name).write_text(text, encoding="utf-8")


def _text(title: str, model: type[BaseModel] | TypeAdapter[Any]) -> str:
    """A schema as indented JSON with a title; keys as in the files (``with``, ``from``, ``schema``)."""
    if isinstance(model, TypeAdapter):
        body = model.json_schema(by_alias=True)
    else:
        body = model.model_json_schema(by_alias=True)
    for definition in body.get("$defs", {}).values():
        _require_type(definition)
    return json.dumps({"$schema": DRAFT, **body, "title": title}, indent=1, ensure_ascii=False) + "\n"


def _require_type(definition: dict[str, Any]) -> None:
    """A line always says its type; only in Python it may be left out."""
    kind = definition.get("properties", {}).get("type", {})
    if "const" in kind:
        kind.pop("default", None)
        definition["required"] = ["type", *definition.get("required", ())]


if __name__ == "__main__":
    write_schemas()
