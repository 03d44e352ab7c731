"""The schemas in docs/schema are those of the models, and the contract's own examples hold to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.events import LINE_TYPES
from rules.schema import FOLDER, schemas

CONTRACT_LINES = (Path(__file__).parent / "contract_lines.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_written_schema_is_the_models(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == schemas()[name], "run: python -m rules.schema"


def test_every_line_type_has_its_schema() -> None:
    record: dict[str, Any] = json.loads(schemas()["record-line.schema.json"])
    kinds = {d["properties"]["type"]["const"] for d in record["$defs"].values() if "type" in d.get("required", ())}
    assert kinds == set(LINE_TYPES)


@pytest.mark.parametrize("text", CONTRACT_LINES)
def test_the_contracts_lines_are_read_and_written_as_they_are(text: str) -> None:
    data = json.loads(text)
    line = LINE_TYPES[data["type"]].model_validate(data)
    written = json.loads(line.to_line())
    if data["type"] == "game":
        data["pieces"]["stick"]["ends"] = "round"  # the default is written out
    assert written == data
    assert type(line).model_validate(written) == line


@pytest.mark.parametrize("text", CONTRACT_LINES)
def test_keys_that_nobody_knows_are_no_fault(text: str) -> None:
    data = json.loads(text)
    line = LINE_TYPES[data["type"]].model_validate(data)
    assert LINE_TYPES[data["type"]].model_validate({**data, "weather": {"rain": True}}) == line
