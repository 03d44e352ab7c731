"""The arrows of the house run one way: cli -> th_vision -> calibration, rules; and help stays quick."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

# What each layer may import of ours, and (rules) of others: the rule book knows no camera, no image, no clock.
ALLOWED_LAYERS = {
    "rules": {"rules"},
    "calibration": {"calibration"},
    "th_vision": {"th_vision", "calibration", "rules"},
    "cli": {"cli", "th_vision", "calibration", "rules"},
}
RULES_MAY_IMPORT = {"numpy", "shapely", "pydantic", "pydantic_core"}
RULES_MUST_NOT_IMPORT = {"time", "datetime", "random"}
OURS = set(ALLOWED_LAYERS)
# Distribution of a module, where its name differs.
DISTRIBUTIONS = {
    "cv2": "opencv-python-headless",
    "pydantic_core": "pydantic",
    "distributed": "dask",
    "foxglove_schemas_protobuf": "foxglove-schemas-protobuf",
    "google": "mcap-protobuf-support",
    "mcap_protobuf": "mcap-protobuf-support",
    "rerun": "rerun-sdk",
}
EXTRAS_OF_USERS = ("realsense", "batch", "rerun")


def distribution(requirement: str) -> str:
    """The name alone, of a requirement like ``dask[distributed]>=2025.7; python_version > '3.10'``."""
    return re.split(r"[\[<>=; ]", requirement, maxsplit=1)[0]


def files_of(layer: str) -> list[Path]:
    return [ROOT / "cli.py"] if layer == "cli" else sorted((ROOT / layer).rglob("*.py"))


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every import in a file, also those inside functions and by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            yield node.lineno, node.module or ""
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "import_module",
            "importlib.import_module",
            "__import__",
        ):
            name = node.args[0]
            assert isinstance(name, ast.Constant), (
                f"{path}:{node.lineno}: an import by a computed name can't be checked"
            )
            yield node.lineno, str(name.value)


@pytest.mark.parametrize("layer", sorted(ALLOWED_LAYERS))
def test_arrows_run_one_way(layer: str) -> None:
    files = files_of(layer)
    assert files
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files
        for line, name in imports_of(path)
        if (top := name.partition(".")[0]) in OURS and top not in ALLOWED_LAYERS[layer]
    ]
    assert wrong == []


def test_rules_know_no_camera_no_image_no_clock() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files_of("rules")
        for line, name in imports_of(path)
        if (top := name.partition(".")[0]) in RULES_MUST_NOT_IMPORT
        or (top not in sys.stdlib_module_names and top not in RULES_MAY_IMPORT | {"rules"})
    ]
    assert wrong == []


def test_nothing_of_ours_imports_the_tests_or_the_benches() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for layer in OURS
        for path in files_of(layer)
        for line, name in imports_of(path)
        if name.partition(".")[0] in ("tests", "bench", "fixtures")
    ]
    assert wrong == []


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in EXTRAS_OF_USERS for one in extras[name])]
    declared = {distribution(requirement) for requirement in wanted}
    undeclared = {
        name.partition(".")[0]
        for layer in OURS
        for path in files_of(layer)
        for _, name in imports_of(path)
        if (top := name.partition(".")[0]) not in sys.stdlib_module_names | OURS
        and DISTRIBUTIONS.get(top, top) not in declared
    }
    assert undeclared == set()


def test_exactly_one_opencv_is_locked() -> None:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert len([line for line in lines if line.startswith("opencv-")]) == 1


def test_lock_holds_every_dependency_with_hashes_and_names_no_index() -> None:
    text = (ROOT / "requirements.lock").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name, extra in extras.items() if name != "rerun" for one in extra)]
    for requirement in wanted:
        name = distribution(requirement)
        assert f"\n{name}==" in f"\n{text}", f"{name} is not in requirements.lock: run make lock"
    for pinned in text.replace("\\\n", " ").splitlines():
        assert "--hash=sha256:" in pinned, pinned
    assert "://" not in text


@pytest.mark.parametrize(
    "heavy", ["open3d", "pyrealsense2", "cv2", "scipy", "numpy", "shapely", "pydantic", "mcap", "starlette", "dask"]
)
def test_help_loads_nothing_heavy(heavy: str) -> None:
    code = f"import sys, cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
