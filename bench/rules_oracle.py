"""The rule book against the slow judge of tests/rules/oracle.py: ``python bench/rules_oracle.py [TABLES]``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.rules.random_tables import disagreements, random_sticks, random_switches


def main(wanted: int) -> int:
    """Go through random tables until so many were decided; status 1 if a single one differs."""
    decided = undecided = differing = roads = seed = 0
    start = time.perf_counter()
    while decided < wanted:
        rng = np.random.default_rng(1_000_000 + seed)
        seed += 1
        switches = random_switches(rng)
        table = random_sticks(rng, int(rng.integers(3, 14)))
        wrong = disagreements(table, switches)
        if wrong is None:
            undecided += 1
            continue
        decided += 1
        roads += len(table)
        differing += bool(wrong)
        for line in wrong:
            sys.stdout.write(f"seed {seed}: {line}\n")
    sys.stdout.write(
        f"tables decided by the judge  {decided:6d}\n"
        f"  with roads in all          {roads:6d}\n"
        f"degenerate tables left out   {undecided:6d}\n"
        f"tables that differ           {differing:6d}\n"
        f"seconds                      {time.perf_counter() - start:6.0f}\n"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
