"""``th-vision repair``: a whole session from a cut or damaged one."""

from __future__ import annotations

from pathlib import Path

from rules.outcome import Outcome
from th_vision.errors import VisionError
from th_vision.output import check_outputs, refuse_stdout


def run(file: Path, output: Path) -> Outcome:
    """Save all that is whole in ``file`` to the new file ``output``; what was lost is counted and said.

    Raises:
        VisionError: nothing can be read, or the place can't be written.
    """
    from th_vision.sessions.repair import repair

    refuse_stdout(output, "a session")
    check_outputs((output,), (file,))
    if file.is_dir() or file.suffix.lower() in (".ply", ".pcd", ".jsonl", ".db3", ".bag"):
        raise VisionError(f"{file}: only sessions (.mcap) can be repaired; th-vision info says what is in this")
    if output.suffix.lower() != ".mcap":
        raise VisionError(f"{output}: a session is an .mcap file; name it {output.with_suffix('.mcap').name}")
    return Outcome("".join(f"{done}\n" for done in repair(file, output)))
