#!/usr/bin/env bash
# Writes the lock files anew: exact versions with hashes, for every platform and Python 3.11 or newer. Needs uv.
set -euo pipefail
cd "$(dirname "$0")/.."
common=(--universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --upgrade -q)
uv pip compile "${common[@]}" pyproject.toml packaging/build-requirements.in -o packaging/requirements.lock
uv pip compile "${common[@]}" --extra dev --extra scale pyproject.toml packaging/build-requirements.in -o packaging/requirements-dev.lock
uv pip compile "${common[@]}" --extra scale -c packaging/requirements-dev.lock pyproject.toml packaging/build-requirements.in \
  -o packaging/requirements-scale.lock
uv pip compile "${common[@]}" -c packaging/requirements.lock packaging/bundle/requirements.in -o packaging/bundle/requirements.lock
