#!/bin/sh
# Write requirements.lock anew: one version of everything for Python 3.11 to 3.13 on all systems, with hashes.
# Needs uv on the path. After it: make test, and commit the lock together with pyproject.toml.
set -eu
cd "$(dirname "$0")/.."
uv pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest \
    --extra dev --extra realsense --extra batch --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-annotate --no-header "$@" -o requirements.lock >/dev/null
